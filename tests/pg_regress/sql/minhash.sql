-- golden vectors: a change here is a new format version (docs/internals/signatures.md)
SELECT minhash('近似重复的新闻，改动几个字。', '{"tokenizer": "chars", "size": 3, "normalize": []}', 8) AS sig;
SELECT minhash('近似重复的新闻，改动几个字。', '{"tokenizer": "chars", "size": 3, "normalize": []}', 8, bits => 16) AS sig;
SELECT minhash('近似重复的新闻，改动几个字。', '{"tokenizer": "chars", "size": 3, "normalize": []}', 8, seed => 7) AS sig;
SELECT minhash('近似重复的新闻，改动几个字。', '{"tokenizer": "chars", "size": 3, "normalize": []}', 8, 'bottom_k') AS sig;
SELECT minhash('近似重复的新闻，改动几个字。', '{"tokenizer": "chars", "size": 3, "normalize": []}', 8, 'bottom_k', 16) AS sig;
SELECT minhash(ARRAY['新闻'], 8), minhash(ARRAY['新闻'], 8, bits => 16), minhash(ARRAY['新闻'], 8, 'bottom_k'), minhash(ARRAY['新闻'], 8, 'bottom_k', 16);
SELECT minhash(array_agg(n::text), 8) FROM generate_series(0, 1999) n;

-- every text type signs its text; a literal is a text, not a signature
SELECT minhash('abc'::text) = minhash('abc') AS literal, minhash('abc'::text) = minhash('abc'::varchar) AS varying, minhash('abc'::text) = minhash('abc'::char(9)) AS padded;
-- a short name and the object it stands for sign alike, and so do their tokens
SELECT minhash('北京欢迎你', 'chars:2') = minhash('北京欢迎你', '{"size": 2, "tokenizer": "chars"}') AS same;
SELECT minhash('北京欢迎你来北京', 'chars:2') <> minhash(tokens('北京欢迎你来北京', 'chars:2')) AS other_label,
       minhash('北京欢迎你来北京', 'chars:2') = minhash(tokens('北京欢迎你来北京', 'chars:2'), label => '{"tokenizer":"chars","size":2,"normalize":["control","nfkc","casefold","simplified","punctuation","nospace","spelling"]}') AS same;
-- order, repetition and NULL elements make no difference
SELECT minhash(ARRAY['甲', '乙', '丙']) = minhash(ARRAY['丙', '甲', NULL, '甲', '乙']) AS same;
-- no token, no signature
SELECT minhash('') IS NULL, minhash('，。！', 'chars:3') IS NULL, minhash('{}'::text[]) IS NULL, minhash(ARRAY[NULL]::text[]) IS NULL, minhash(NULL::text) IS NULL, minhash('text', NULL) IS NULL;

-- similarity and distance
WITH signed AS (SELECT scheme, bits, minhash((SELECT array_agg(n::text) FROM generate_series(1, 1000) n), 1024, scheme, bits) AS a,
                       minhash((SELECT array_agg(n::text) FROM generate_series(501, 1500) n), 1024, scheme, bits) AS b,
                       minhash((SELECT array_agg(n::text) FROM generate_series(2001, 3000) n), 1024, scheme, bits) AS c
                FROM (VALUES ('many_hash', 32), ('many_hash', 16), ('bottom_k', 32), ('bottom_k', 16)) v(scheme, bits))
SELECT scheme, bits, jaccard_similarity(a, a) AS itself, abs(jaccard_similarity(a, b) - 1 / 3.0) < 0.06 AS a_third, jaccard_similarity(a, c) < 0.01 AS none,
       jaccard_similarity(a, b) = jaccard_similarity(b, a) AS symmetric, a <%> b = 1 - jaccard_similarity(a, b) AS distance, a <%> a AS zero
FROM signed;
SELECT minhash('甲') <%> NULL AS nothing;

-- signatures that do not fit each other
SELECT minhash('北京欢迎你') <%> minhash('北京欢迎你', 'chars:2');
SELECT jaccard_similarity(minhash('北京欢迎你', hashes => 64), minhash('北京欢迎你', hashes => 128));
SELECT jaccard_similarity(minhash('北京欢迎你', bits => 16), minhash('北京欢迎你'));
SELECT jaccard_similarity(minhash('北京欢迎你', scheme => 'bottom_k'), minhash('北京欢迎你'));
SELECT jaccard_similarity(minhash('北京欢迎你', seed => 1), minhash('北京欢迎你'));
SELECT jaccard_similarity(minhash(ARRAY['甲'], label => 'hanlp'), minhash(ARRAY['甲'], label => 'ltp'));

-- arguments out of range
SELECT minhash('text', 'jieba', 7);
SELECT minhash('text', 'jieba', 1025);
SELECT minhash('text', 'jieba', -1);
SELECT minhash('text', 'jieba', 128, 'some_hash');
SELECT minhash('text', 'jieba', 128, 'many_hash', 8);
SELECT minhash('text', 'jieba', 128, 'bottom_k', 8);
SELECT minhash('text', 'klingon');

-- text form
SELECT '0102200008000100efcdab89674523013a07d7b1'::minhash, '0102200008000100EFCDAB89674523013A07D7B1'::minhash;
SELECT ''::minhash;
SELECT '0'::minhash;
SELECT 'zz'::minhash;
SELECT '0202200008000100efcdab89674523013a07d7b1'::minhash;
SELECT '0103200008000100efcdab89674523013a07d7b1'::minhash;
SELECT '0102200008000200efcdab89674523013a07d7b1'::minhash;
SELECT '0102200008000200efcdab89674523013a07d7b13a07d7b1'::minhash;
SELECT '0102100008000100efcdab89674523013a07'::minhash;
SELECT '0102101108000100efcdab89674523013a07'::minhash;
SELECT '0102100008000200efcdab8967452301d7b13a07'::minhash;

-- a text that is stored compressed, in place and out of line, by pglz and not: the same signature
CREATE TABLE compressed (id int, body text);
INSERT INTO compressed SELECT n, string_agg('第' || m * n || '条消息说' || m, '，') FROM generate_series(1, 40) n, generate_series(1, n * n * 3) m GROUP BY n;
INSERT INTO compressed SELECT 100 + n, repeat(chr(19968 + n), 3000 * n) || 'end' FROM generate_series(1, 5) n;
SELECT count(*) FILTER (WHERE pg_column_size(body) < octet_length(body) AND pg_column_size(body) < 2000) > 0 AS in_place, count(*) FILTER (WHERE pg_column_size(body) > 3000) > 0 AS out_of_line,
       bool_or(pg_column_compression(body) = 'pglz') AS pglz FROM compressed;
SELECT count(*) AS texts, count(*) FILTER (WHERE minhash(body, 'chars:5') IS DISTINCT FROM minhash(body || '', 'chars:5')) AS minhashes, count(*) FILTER (WHERE simhash(body, 'chars:5') IS DISTINCT FROM simhash(body || '', 'chars:5')) AS simhashes,
       count(*) FILTER (WHERE tokenset(body, 'chars:5') IS DISTINCT FROM tokenset(body || '', 'chars:5')) AS tokensets FROM compressed;

-- binary form, by COPY both ways
CREATE TABLE sent (sig minhash);
INSERT INTO sent SELECT minhash('第' || n || '条新闻', 'chars:2', 8) FROM generate_series(1, 3) n;
INSERT INTO sent VALUES (NULL), (minhash('很长的签名', 'chars:1', 1024));
\copy sent TO 'sent_minhash.bin' (FORMAT binary)
CREATE TABLE received (LIKE sent);
\copy received FROM 'sent_minhash.bin' (FORMAT binary)
SELECT count(*) FROM sent JOIN received USING (sig);
-- bytes that are no signature
CREATE TABLE wrong (bytes bytea);
INSERT INTO wrong VALUES ('\x0102200008000200efcdab89674523013a07d7b13a07d7b1');
\copy wrong TO 'wrong_minhash.bin' (FORMAT binary)
\copy received FROM 'wrong_minhash.bin' (FORMAT binary)

-- stored out of line, not compressed, with a short header and in place: the same signature
CREATE TABLE toasted (id int, sig minhash);
INSERT INTO toasted SELECT n, minhash((SELECT array_agg(m::text) FROM generate_series(n, n + 99) m), 1024) FROM generate_series(1, 3) n;
INSERT INTO toasted SELECT n, minhash((SELECT array_agg(m::text) FROM generate_series(n, n + 99) m), 8, bits => 16) FROM generate_series(1, 3) n;
SELECT pg_relation_size(reltoastrelid) > 0 AS out_of_line FROM pg_class WHERE oid = 'toasted'::regclass;
SELECT a.id, b.id, round((a.sig <%> b.sig)::numeric, 2) AS distance, pg_column_size(a.sig) AS bytes FROM toasted a JOIN toasted b ON length(a.sig::text) = length(b.sig::text) ORDER BY 4 DESC, 1, 2;

-- equality
SELECT count(DISTINCT sig::text), (SELECT count(*) FROM (SELECT sig FROM toasted UNION SELECT sig FROM toasted) u) AS union FROM toasted;
CREATE INDEX ON toasted USING hash (sig);
SELECT opcname, amname, amvalidate(c.oid) FROM pg_opclass c JOIN pg_am a ON a.oid = c.opcmethod WHERE opcname = 'minhash_ops' ORDER BY 2;

-- labels
SELECT oid::regprocedure, provolatile, proparallel, proisstrict, procost FROM pg_proc WHERE proname = 'minhash' ORDER BY oid::regprocedure::text;
-- legal in a generated column
CREATE TABLE generated (body text, sig minhash GENERATED ALWAYS AS (minhash(body, 'chars:5')) STORED);
INSERT INTO generated VALUES ('北京欢迎你'), (NULL);
SELECT sig = minhash(body, 'chars:5') AS same FROM generated;
DROP TABLE sent, received, wrong, toasted, generated;
