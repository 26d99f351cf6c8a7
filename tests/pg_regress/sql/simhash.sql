-- golden vectors: a change here is a new format version (docs/internals/signatures.md)
SELECT simhash('北京时间十月十日，市政府宣布新的地铁线路开通。');
SELECT simhash('北京时间十月十日，市政府宣布新的地铁线路开通。', 'chars:2');
SELECT simhash('The council opened a new metro line on Tuesday.');
SELECT simhash('The council opened a new metro line on Tuesday.', 'chars:5');

-- width, case, punctuation and space make no difference
SELECT simhash('ＡＢＣ公司今天宣布：业绩增长！') = simhash('abc公司 今天宣布 业绩增长') AS same;
SELECT simhash('ＡＢＣ公司今天宣布：业绩增长！', 'chars:3') = simhash('abc公司 今天宣布 业绩增长', 'chars:3') AS same;

-- near texts are near
SELECT simhash('昨日下午，本市中心医院举行新住院楼启用仪式，三百余名医护人员参加，新楼设床位八百张。')
   <~> simhash('昨日下午，本市中心医院举行新住院楼启用仪式，三百多名医护人员参加，新楼设床位八百张。') < 16 AS near;

-- no token, no signature
SELECT simhash('') IS NULL, simhash('，。！ 　') IS NULL, simhash('，。！ 　', 'chars:3') IS NULL, simhash(NULL) IS NULL, simhash('text', NULL) IS NULL;
-- fewer characters than a shingle: one token
SELECT simhash('ab', 'chars:5') = simhash('ab', 'chars:2') AS whole;

-- analyzers: a name or an object
SELECT simhash('北京欢迎你', 'jieba') = simhash('北京欢迎你', '{"tokenizer": "jieba"}') AS same;
SELECT simhash('北京欢迎你', 'chars:2') = simhash('北京欢迎你', '{"tokenizer": "chars", "size": 2}') AS same;
SELECT simhash('Ab', '{"tokenizer": "chars", "size": 1, "normalize": []}') = simhash('ab', 'chars:1') AS same;
SELECT simhash('text', 'klingon');
SELECT simhash('text', 'chars:0');
SELECT simhash('text', 'chars:x');
SELECT simhash('text', 'chars:65');
SELECT simhash('text', '');
SELECT simhash('text', '{"tokenizer": "jieba", "colour": 1}');
SELECT simhash('text', '{"tokenizer": "chars"}');
SELECT simhash('text', '{"tokenizer": "jieba", "size": 2}');
SELECT simhash('text', '{"tokenizer": "chars", "size": 2, "normalize": ["upside_down"]}');
SELECT simhash('text', '{');

-- every text type signs its text; a literal is a text, not a signature
SELECT simhash('abc'::text) = simhash('abc') AS literal, simhash('abc'::text) = simhash('abc'::varchar) AS varying, simhash('abc'::text) = simhash('abc'::char(9)) AS padded;

-- ready tokens: from our analyzers the same signature, from any other segmenter its own
SELECT name, simhash(tokens('南京市长江大桥今年通车一百二十万辆次，比去年多。', name)) = simhash('南京市长江大桥今年通车一百二十万辆次，比去年多。', name) AS same FROM analyzers();
SELECT simhash(ARRAY['南京市', '长江大桥']), simhash(ARRAY['长江大桥', NULL, '南京市']), simhash('{}'::text[]), simhash(ARRAY[NULL]::text[]), simhash(NULL::text[]);
SELECT simhash(ARRAY[['南京市'], ['长江大桥']]);

-- labels
SELECT provolatile, proparallel, proisstrict, procost FROM pg_proc WHERE oid = 'simhash(text, text, text, integer)'::regprocedure;
-- legal in a generated column and in an index
CREATE TABLE generated (body text, sig simhash GENERATED ALWAYS AS (simhash(body)) STORED);
CREATE INDEX ON generated (simhash(body, 'chars:4'));
INSERT INTO generated VALUES ('北京欢迎你'), (NULL);
SELECT sig = simhash(body) AS same FROM generated;
DROP TABLE generated;
