CREATE TABLE articles (id int PRIMARY KEY, title text, sig simhash);
INSERT INTO articles
SELECT i, 'title ' || i, (('x' || md5((i / 20)::text))::bit(64) # coalesce((SELECT bit_or(1::bit(64) << ((i * 31 + j * 17) % 64)) FROM generate_series(1, i % 20) j), 0::bit(64)))::simhash
FROM generate_series(1, 1000) i;
INSERT INTO articles VALUES (0, 'unsigned', NULL);
CREATE INDEX articles_bands ON articles USING gin (simhash_bands(sig));
ANALYZE articles;

-- whole rows, nearest first
SELECT id, title, sig <~> q.q AS distance FROM (SELECT sig AS q FROM articles WHERE id = 40) q, neardup.nearest(NULL::articles, 'sig', q, 5) ORDER BY 3, 1;
-- exact, whatever the radius that it takes: distances against brute force
SELECT n, count(*) AS probes, bool_and(by_index = by_force) AS exact, min(cardinality(by_index)) AS least
FROM unnest(ARRAY[1, 3, 8, 15, 40]) n, LATERAL (
    SELECT ARRAY(SELECT r.sig <~> a.sig FROM neardup.nearest(NULL::articles, 'sig', a.sig, n) r ORDER BY 1) AS by_index,
           ARRAY(SELECT r.sig <~> a.sig FROM articles r WHERE sig IS NOT NULL ORDER BY 1 LIMIT n) AS by_force
    FROM articles a WHERE id % 97 = 1) compared
GROUP BY n ORDER BY n;
-- more than there are
SELECT count(*) FROM neardup.nearest(NULL::articles, 'sig', '0123456789abcdef', 5000);
SELECT count(*) FROM neardup.nearest(NULL::articles, 'sig', NULL, 5);
SELECT count(*) FROM neardup.nearest(NULL::articles, 'sig', '0123456789abcdef', 0);
SELECT count(*) FROM neardup.nearest(NULL::articles, 'sig', '0123456789abcdef', -1);
SELECT count(*) FROM neardup.nearest(NULL::int, 'sig', '0123456789abcdef', 5);
SELECT count(*) FROM neardup.nearest(NULL::articles, 'signature', '0123456789abcdef', 5);

-- skew: a template in one band, the same text a hundred times
INSERT INTO articles SELECT 2000 + i, 'template', (((i * 4 + i % 2 * 2)::bigint << 16) & ~1145324612 | 286331153)::simhash FROM generate_series(1, 300) i;
INSERT INTO articles SELECT 3000 + i, 'repost', 'abcdefabcdefabcd' FROM generate_series(1, 100) i;
SELECT * FROM neardup.hot_bands('articles', n => 6);
SELECT count(*) FROM neardup.hot_bands('articles', 'sig', 3, 8);
SELECT * FROM neardup.hot_bands('articles', 'sig', 3, 2);
ALTER TABLE articles ADD other simhash;
SELECT * FROM neardup.hot_bands('articles');
DROP TABLE articles;
