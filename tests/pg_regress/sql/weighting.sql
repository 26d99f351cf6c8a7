-- golden vectors: a change here is a new format version (docs/internals/signatures.md)
SELECT simhash('近似重复的新闻，改动几个字。', '{"tokenizer": "chars", "size": 3, "normalize": []}') AS sig, simhash('近似重复的新闻，改动几个字。', '{"tokenizer": "chars", "size": 3, "normalize": []}', bits => 32) AS low;
SELECT (simhash_totals('近似重复的新闻，改动几个字。', '{"tokenizer": "chars", "size": 3, "normalize": []}'))[1:8] AS totals;
SELECT simhash(ARRAY['近似', '重复', '新闻', '改动'], ARRAY[3, 2, 2, 0]) AS weighted;
SELECT weighting, simhash('北京时间十月十日，北京市政府宣布北京新的地铁线路开通。', 'jieba', weighting) AS sig, (simhash_totals('北京时间十月十日，北京市政府宣布北京新的地铁线路开通。', 'jieba', weighting, 3)) AS totals
FROM unnest(ARRAY['none', 'count', 'log_count', 'tf', 'tfidf', 'textrank']) weighting;

-- by count is the default, and a fraction of each count is the same signature
SELECT simhash(body) = simhash(body, 'jieba', 'count') AS default, simhash(body) = simhash(body, weighting => 'tf') AS share,
       simhash(body::varchar, 'jieba', 'tfidf') = simhash(body, 'jieba', 'tfidf') AS varying, simhash(body::char(80), 'jieba', 'tfidf', 9) = simhash(body, 'jieba', 'tfidf', 9) AS padded
FROM (VALUES ('昨日下午，市政府宣布新的地铁线路开通，市民高兴，市民坐地铁。')) v(body);
-- ready tokens weigh as the document they come from
SELECT weighting, simhash(body, 'jieba', weighting, 48) = simhash(tokens(body), weighting, 48) AS simhash, simhash_totals(body, 'jieba', weighting) = simhash_totals(tokens(body), weighting) AS totals
FROM (VALUES ('昨日下午，市政府宣布新的地铁线路开通，市民高兴，市民坐地铁。')) v(body), unnest(ARRAY['none', 'count', 'log_count', 'tf', 'tfidf', 'textrank']) weighting;
-- the signature is the signs of the totals
SELECT bool_and((total > 0) = (get_bit(sig::bit(64), 64 - place::int) = 1)) AS signs
FROM (SELECT simhash(body, 'jieba', 'tfidf') AS sig, simhash_totals(body, 'jieba', 'tfidf') AS totals FROM (VALUES ('昨日下午，市政府宣布新的地铁线路开通。')) v(body)) s, unnest(totals) WITH ORDINALITY t(total, place);
-- bits are the low ones
SELECT bool_and(simhash('北京欢迎你', 'chars:1', 'count', bits)::bit(64) = simhash('北京欢迎你', 'chars:1')::bit(64) & (repeat('0', 64 - bits) || repeat('1', bits))::bit(64)) AS low FROM generate_series(1, 64) bits;
-- SimHashCosine
SELECT round(cosine_similarity(simhash_totals(a), simhash_totals(a))::numeric, 4) AS itself, cosine_similarity(simhash_totals(a), simhash_totals(b)) > 0.8 AS near, cardinality(simhash_totals(a, bits => 20)) AS dimensions
FROM (VALUES ('昨日下午，市政府宣布新的地铁线路开通，市民高兴。', '昨日下午，市政府宣布新的地铁线路开通，市民很高兴。')) v(a, b);

-- no token of any weight, no signature
SELECT simhash('', 'jieba', 'tfidf') IS NULL, simhash(ARRAY['甲'], ARRAY[0]) IS NULL, simhash('{}'::text[], 'tf') IS NULL, simhash_totals('，') IS NULL, simhash(ARRAY['甲', NULL], ARRAY[NULL, 1]) IS NULL, simhash('text', 'jieba', NULL) IS NULL;

SELECT simhash('text', 'jieba', 'heavy');
SELECT simhash('text', 'jieba', 'count', 0);
SELECT simhash('text', 'jieba', 'tf', 65);
SELECT simhash_totals('text', 'jieba', 'tf', -1);
SELECT simhash(ARRAY['甲', '乙'], ARRAY[1, -1]);
SELECT simhash(ARRAY['甲', '乙'], ARRAY[1.0]);

-- text search vectors: lexemes, each as often as it has positions, in the order of the positions
SELECT simhash(to_tsvector('simple', 'new metro line new')) = simhash(ARRAY['new', 'metro', 'line', 'new']) AS simhash,
       simhash(to_tsvector('simple', 'new metro line new'), 'textrank', 40) = simhash(ARRAY['new', 'metro', 'line', 'new'], 'textrank', 40) AS ordered,
       simhash_totals(to_tsvector('simple', 'new metro line new'), 'tf') = simhash_totals(ARRAY['new', 'metro', 'line', 'new'], 'tf') AS totals,
       tokenset(to_tsvector('simple', 'new metro line new'), 'count', 'english') = tokenset(ARRAY['new', 'metro', 'line', 'new'], 'count', 'english') AS tokenset,
       minhash(to_tsvector('simple', 'new metro line new'), 16, label => 'english') = minhash(ARRAY['new', 'metro', 'line', 'new'], 16, label => 'english') AS minhash;
-- without positions once; weights A to D make no difference; lexemes of any length and of several bytes a character
SELECT simhash(strip(to_tsvector('simple', 'new metro line new'))) = simhash(ARRAY['new', 'metro', 'line']) AS stripped,
       simhash('甲:1A,3 乙:2B'::tsvector) = simhash(ARRAY['甲', '乙', '甲']) AS marked,
       simhash('甲:3 乙 丙:1'::tsvector, 'textrank') = simhash(ARRAY['丙', '甲', '乙'], 'textrank') AS mixed,
       simhash(('''' || repeat('长', 600) || ''':1')::tsvector) = simhash(ARRAY[repeat('长', 600)]) AS long,
       simhash(''::tsvector) IS NULL AND minhash(''::tsvector) IS NULL AND token_count(tokenset(''::tsvector)) = 0 AS empty;
-- the same from a toasted vector
CREATE TABLE vectors (v tsvector);
INSERT INTO vectors SELECT to_tsvector('simple', string_agg('word' || n % 1500, ' ' ORDER BY n)) FROM generate_series(1, 4000) n;
SELECT pg_column_size(v) > 2000 AS large, simhash(v) = simhash((SELECT array_agg('word' || n % 1500) FROM generate_series(1, 4000) n)) AS same FROM vectors;
DROP TABLE vectors;
-- for what is stored
SELECT tokenset(to_tsvector('simple', 'new')) <%> tokenset(ARRAY['new']) AS mismatch;
