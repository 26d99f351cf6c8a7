-- golden vectors: a change here is a new format version (docs/internals/signatures.md)
SELECT tokenset(ARRAY['新闻', '近似', '新闻']) AS plain;
SELECT tokenset(ARRAY['新闻', '近似', '新闻'], 'count') AS counted;
SELECT tokenset(ARRAY['新闻', '近似', '新闻'], ARRAY[0.5, 1, 2]) AS given;
SELECT encode(tokenset_send(tokenset(ARRAY['新闻', '近似', '新闻'], ARRAY[0.5, 1, 2])), 'hex') AS bytes;

-- every text type; a literal is a text, not a set
SELECT tokenset('abc'::text) = tokenset('abc') AS literal, tokenset('abc'::text) = tokenset('abc'::varchar) AS varying, tokenset('abc'::text) = tokenset('abc'::char(9)) AS padded;
-- as many tokens as the analyzer gives, each once
SELECT name, token_count(tokenset(body, name)) = (SELECT count(DISTINCT t) FROM unnest(tokens(body, name)) t) AS same
FROM (VALUES ('南京市长江大桥今年通车一百二十万辆次，南京市民高兴。')) v(body), (SELECT name FROM analyzers()) a;
-- an outside segmenter's tokens, under a label
SELECT tokenset(ARRAY['甲', '乙'], label => 'hanlp') = tokenset(ARRAY['乙', NULL, '甲', '乙'], label => 'hanlp') AS same, tokenset(ARRAY['甲'], label => 'hanlp') = tokenset(ARRAY['甲']) AS other;
-- where token or weight is NULL neither counts
SELECT tokenset(ARRAY['甲', NULL, '乙', '丙'], ARRAY[1, 2, NULL, 3]) = tokenset(ARRAY['甲', '丙'], ARRAY[1, 3]) AS same;
SELECT tokenset(NULL::text), tokenset('text', NULL), tokenset(NULL::text[]);

-- the three measures on sets, and their operators
WITH v AS (SELECT tokenset(ARRAY['1', '2', '3', '4']) AS a, tokenset(ARRAY['3', '4', '5']) AS b, tokenset(ARRAY['3', '4']) AS part, tokenset(ARRAY['6']) AS other)
SELECT jaccard_similarity(a, b) AS jaccard, overlap_similarity(a, b) AS overlap, round(cosine_similarity(a, b)::numeric, 4) AS cosine,
       overlap_similarity(a, part) AS contained, jaccard_similarity(a, a) AS itself, jaccard_similarity(a, other) AS none,
       a <%> b = 1 - jaccard_similarity(a, b) AND a <&> b = 1 - overlap_similarity(a, b) AND a <=> b = 1 - cosine_similarity(a, b) AS distances,
       a <%> b = b <%> a AND a <&> b = b <&> a AND a <=> b = b <=> a AS symmetric
FROM v;
-- weights count for the cosine only
SELECT round(cosine_similarity(tokenset(ARRAY['1', '2'], ARRAY[3, 4]), tokenset(ARRAY['2', '3'], ARRAY[3, 4]))::numeric, 4) AS cosine,
       jaccard_similarity(tokenset(ARRAY['1', '2'], ARRAY[3, 4]), tokenset(ARRAY['2', '3'], ARRAY[3, 4])) AS jaccard;
-- an empty set is like nothing, itself included
SELECT tokenset('，。！'), token_count(tokenset('')), tokenset('') <%> tokenset('') AS jaccard, tokenset('') <&> tokenset('text') AS overlap, tokenset('') <=> tokenset('') AS cosine, tokenset('') <%> NULL AS nothing;

-- directly on texts
SELECT jaccard_similarity('北京欢迎你', '北京欢迎他', 'chars:1') AS jaccard, overlap_similarity('北京欢迎你们大家', '欢迎你们', 'chars:2') AS contained,
       cosine_similarity('北京欢迎你', '北京欢迎他', 'chars:1') AS cosine, cosine_similarity('北京北京', '北京', 'jieba', 'count') AS proportional;
SELECT jaccard_similarity(a, b, name) = jaccard_similarity(tokenset(a, name), tokenset(b, name)) AS jaccard,
       overlap_similarity(a, b, name) = overlap_similarity(tokenset(a, name), tokenset(b, name)) AS overlap,
       cosine_similarity(a, b, name, weighting) = cosine_similarity(tokenset(a, name, weighting), tokenset(b, name, weighting)) AS cosine
FROM (VALUES ('昨日下午，市政府宣布新的地铁线路开通，市民高兴。', '市政府今日宣布，新地铁线路昨日开通。')) v(a, b),
     (VALUES ('jieba', 'none'), ('jieba', 'tfidf'), ('chars:2', 'count'), ('ik_max_word', 'textrank'), ('jieba_full', 'log_count')) w(name, weighting);
SELECT jaccard_similarity('', ''), overlap_similarity('text', ''), cosine_similarity('', 'text'), jaccard_similarity('text', NULL);
SELECT jaccard_similarity('a', 'b', 'klingon');
SELECT cosine_similarity('a', 'b', 'jieba', 'heavy');

-- vectors
SELECT cosine_similarity(ARRAY[3, 4]::real[], ARRAY[3, 4]::real[]), cosine_similarity(ARRAY[1, 0]::real[], ARRAY[0, 1]::real[]), cosine_similarity(ARRAY[1, 0]::real[], ARRAY[-1, 0]::real[]), cosine_similarity(ARRAY[0]::real[], ARRAY[0]::real[]), cosine_similarity('{}'::real[], '{}'::real[]);
SELECT cosine_similarity(ARRAY[1]::real[], ARRAY[1, 2]::real[]);
SELECT cosine_similarity(ARRAY[1, NULL]::real[], ARRAY[1, 2]::real[]);
SELECT cosine_similarity(ARRAY['NaN']::real[], ARRAY[1]::real[]);

-- sets that do not fit each other
SELECT tokenset('北京欢迎你') <%> tokenset('北京欢迎你', 'chars:2');
SELECT tokenset('北京欢迎你') <=> tokenset('北京欢迎你', weighting => 'tf');
SELECT overlap_similarity(tokenset(ARRAY['甲'], label => 'hanlp'), tokenset(ARRAY['甲'], label => 'ltp'));
-- weights out of range
SELECT tokenset(ARRAY['甲', '乙'], ARRAY[1, -1]);
SELECT tokenset(ARRAY['甲', '乙'], ARRAY[1, 'NaN']::float8[]);
SELECT tokenset(ARRAY['甲', '乙'], ARRAY[1, 'Infinity']::float8[]);
SELECT tokenset(ARRAY['甲', '乙'], ARRAY[1.0]);
SELECT tokenset(ARRAY['甲', '乙'], ARRAY[1e9, 1]);

-- text form
SELECT '1:0123456789abcdef:{00000000000000aa=0.5,00000000000000BB=2}'::tokenset, '1:0123456789ABCDEF:{}'::tokenset;
SELECT ''::tokenset;
SELECT '2:0123456789abcdef:{}'::tokenset;
SELECT '1:0123:{}'::tokenset;
SELECT '1:0123456789abcdef:{00000000000000aa,00000000000000aa}'::tokenset;
SELECT '1:0123456789abcdef:{00000000000000bb,00000000000000aa}'::tokenset;
SELECT '1:0123456789abcdef:{00000000000000aa=-1}'::tokenset;
SELECT '1:0123456789abcdef:{00000000000000aa=1,00000000000000bb}'::tokenset;
SELECT '1:0123456789abcdef:{zz}'::tokenset;

-- binary form, by COPY both ways
CREATE TABLE sent (set tokenset);
INSERT INTO sent SELECT tokenset('第' || n || '条新闻', 'chars:2', w) FROM generate_series(1, 3) n, unnest(ARRAY['none', 'tfidf']) w;
INSERT INTO sent VALUES (NULL), (tokenset(''));
\copy sent TO 'sent_tokenset.bin' (FORMAT binary)
CREATE TABLE received (LIKE sent);
\copy received FROM 'sent_tokenset.bin' (FORMAT binary)
SELECT count(*) FROM sent JOIN received USING (set);
-- bytes that are no set: short, of descending hashes, of a negative weight
CREATE TABLE wrong (bytes bytea);
INSERT INTO wrong VALUES ('\x01');
\copy wrong TO 'wrong_tokenset.bin' (FORMAT binary)
\copy received FROM 'wrong_tokenset.bin' (FORMAT binary)
UPDATE wrong SET bytes = '\x0100000002000000efcdab896745230102000000000000000100000000000000';
\copy wrong TO 'wrong_tokenset.bin' (FORMAT binary)
\copy received FROM 'wrong_tokenset.bin' (FORMAT binary)
UPDATE wrong SET bytes = '\x0101000001000000efcdab89674523010200000000000000000080bf';
\copy wrong TO 'wrong_tokenset.bin' (FORMAT binary)
\copy received FROM 'wrong_tokenset.bin' (FORMAT binary)

-- stored out of line and in place: the same set
CREATE TABLE toasted (id int, size int, set tokenset);
INSERT INTO toasted SELECT n, size, tokenset(array_agg(m::text)) FROM generate_series(1, 2) n, (VALUES (5), (1000)) v(size), generate_series(n, n + size - 1) m GROUP BY n, size;
SELECT pg_relation_size(reltoastrelid) > 0 AS out_of_line FROM pg_class WHERE oid = 'toasted'::regclass;
SELECT size, round((a.set <%> b.set)::numeric, 4) AS distance, pg_column_size(a.set) AS bytes, token_count(a.set) FROM toasted a JOIN toasted b USING (size) WHERE a.id = 1 AND b.id = 2 ORDER BY size;
SELECT size FROM toasted WHERE set = tokenset(ARRAY['5', '4', '3', '2', '1']);

SELECT opcname, amname, amvalidate(c.oid) FROM pg_opclass c JOIN pg_am a ON a.oid = c.opcmethod WHERE opcname = 'tokenset_ops';
SELECT oid::regprocedure, provolatile, proparallel, proisstrict, procost FROM pg_proc WHERE proname IN ('tokenset', 'jaccard_similarity', 'overlap_similarity', 'cosine_similarity') ORDER BY oid::regprocedure::text;
-- legal in a generated column
CREATE TABLE generated (body text, set tokenset GENERATED ALWAYS AS (tokenset(body, 'chars:2', 'tf')) STORED);
INSERT INTO generated VALUES ('北京欢迎你'), (NULL);
SELECT set = tokenset(body, 'chars:2', 'tf') AS same FROM generated;
DROP TABLE sent, received, wrong, toasted, generated;
