-- token keys: one for each distinct token, longer tokens first
SELECT token_keys('北京欢迎你，北京欢迎你') = token_keys('欢迎你北京') AS same, cardinality(token_keys('北京欢迎你')) AS n, token_keys('') AS none;
SELECT token_keys('甲乙丙', 'chars:2');

-- overlap of two sets: what they share of the smaller one
SELECT overlap_similarity('{1,2,3,4}', '{3,4,5}'), overlap_similarity('{1,2}', '{0,1,2,3,4,5,6,7,8,9}'), overlap_similarity('{1}', '{2}'), overlap_similarity('{}', '{}'), overlap_similarity('{3,1,2,NULL,3}', '{2,3}');
SELECT overlap_reaches('{1,2,3,4}', '{3,4,5}', 0.66), overlap_reaches('{1,2,3,4}', '{3,4,5}', 0.67);
SELECT overlap_within('{1,2,3,4}', '{3,4,5}', 0.66), overlap_within('{1,2,3,4}', '{3,4,5}', 0.67), overlap_within(NULL, '{1}', 0.5) IS NULL AS unknown;
SELECT overlap_within('{1}', '{1}', 0);
SELECT overlap_within('{1}', '{1}', 1.01);
SELECT overlap_keys('{1}', 'NaN');

-- short texts, by index and by force
CREATE TABLE posts AS
SELECT i AS id, (SELECT array_agg(DISTINCT key ORDER BY key) FROM unnest(ARRAY(SELECT (i / 4 * 7919 + w * w * 31) % 5000 FROM generate_series(1, 6 + i % 4 * 5) w)
                 || ARRAY(SELECT (i * 104729 + w * 13) % 5000 FROM generate_series(1, i % 3) w)) key) AS tokens
FROM generate_series(0, 599) i;
CREATE INDEX posts_overlap ON posts USING gin (overlap_keys(tokens, 0.8));
CREATE INDEX posts_overlap_6 ON posts USING gin (overlap_keys(tokens, 0.6));
ANALYZE posts;
SET enable_seqscan = off;
SELECT (SELECT count(*) FROM posts a JOIN posts b ON overlap_within(a.tokens, b.tokens, 0.8)) AS by_index,
       (SELECT count(*) FROM posts a JOIN posts b ON overlap_similarity(a.tokens, b.tokens) >= 0.8) AS by_force;
SELECT (SELECT count(*) FROM posts a JOIN posts b ON overlap_within(a.tokens, b.tokens, 0.6)) AS by_index,
       (SELECT count(*) FROM posts a JOIN posts b ON overlap_similarity(a.tokens, b.tokens) >= 0.6) AS by_force;
SELECT plan_of($$SELECT id FROM posts WHERE overlap_within(tokens, '{1,2,3}', 0.8)$$);
SELECT plan_of($$SELECT b.id FROM posts a JOIN posts b ON overlap_within(b.tokens, a.tokens, 0.8) WHERE a.id = 7$$);
SELECT plan_of($$SELECT id FROM posts WHERE overlap_within(tokens, (SELECT tokens FROM posts WHERE id = 7), 0.6)$$);
RESET enable_seqscan;

-- long texts: a shared passage has a fingerprint in common, wherever it stands
CREATE TABLE articles (id int PRIMARY KEY, body text);
INSERT INTO articles
SELECT i, (SELECT string_agg('第' || md5(i || ' ' || w) || '句', '，') FROM generate_series(1, 30) w) FROM generate_series(1, 200) i;
CREATE INDEX articles_fingerprints ON articles USING gin (fingerprints(body));
-- article 7 quoted whole in one three times as long; a passage of 50 characters of article 9; one of 49 may be missed
INSERT INTO articles SELECT 1001, a.body || '，' || b.body || '，' || c.body FROM articles a, articles b, articles c WHERE (a.id, b.id, c.id) = (101, 7, 102);
SELECT id, round(overlap_similarity(fingerprints(body), f)::numeric, 1) AS held
FROM articles, (SELECT fingerprints(body) AS f FROM articles WHERE id = 7) q WHERE fingerprints(body) && f ORDER BY id;
SELECT id FROM articles WHERE fingerprints(body) && fingerprints('某报道称：' || (SELECT substr(normalize_text(body, '{punctuation,nospace}'), 301, 50) FROM articles WHERE id = 9) || '。该报道未说明来源。') ORDER BY id;
SELECT bool_and(fingerprints('前言：' || substr(plain, start, 50) || '。完') && fingerprints(plain)) AS every_passage
FROM (SELECT normalize_text(body, '{punctuation,nospace}') AS plain FROM articles WHERE id = 11) a, generate_series(1, 900) start;
SET enable_seqscan = off;
SELECT plan_of($$SELECT id FROM articles WHERE fingerprints(body) && '{1,2,3}'$$);
RESET enable_seqscan;
SELECT fingerprints('短'), fingerprints(''), fingerprints('甲乙丙丁戊己庚辛', 'chars:2', 4);
SELECT fingerprints('甲', 'chars:2', 0);
SELECT fingerprints('甲', 'klingon');
DROP TABLE posts, articles;
