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

-- partitions, row security, a column of a domain: as the query that anyone would write
CREATE TABLE parted (id int, day int, sig simhash) PARTITION BY RANGE (day);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_2 (sig simhash, day int, id int);
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (10) TO (20);
INSERT INTO parted SELECT id, 5, sig FROM articles WHERE id BETWEEN 1 AND 40;
INSERT INTO parted SELECT id + 1000, 15, sig FROM articles WHERE id BETWEEN 1 AND 40;
SELECT p.id, day, p.sig <~> a.sig AS distance FROM articles a, neardup.nearest(NULL::parted, 'sig', a.sig, 6) p WHERE a.id = 25 ORDER BY 3, 1;
CREATE ROLE reader;
GRANT SELECT ON articles TO reader;
CREATE POLICY late ON articles TO reader USING (id > 990);
ALTER TABLE articles ENABLE ROW LEVEL SECURITY;
SET ROLE reader;
SELECT count(*), min(id) FROM neardup.nearest(NULL::articles, 'sig', '0123456789abcdef', 100);
SELECT count(*) FROM neardup.nearest(NULL::parted, 'sig', '0123456789abcdef', 100);
RESET ROLE;
CREATE DOMAIN seal AS simhash;
CREATE VIEW sealed AS SELECT id, sig::seal AS seal FROM articles WHERE id > 900;
SELECT count(*) FROM neardup.nearest(NULL::sealed, 'seal', '0123456789abcdef', 1000);

-- a type that shadows one of Postgres's own is not taken, in a session that has not called the function before
\c -
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (false);
SELECT count(*) FROM neardup.nearest(NULL::articles, 'sig', '0123456789abcdef', 3);
DROP DOMAIN pg_temp.text;

-- errors
\set SHOW_CONTEXT never
SELECT * FROM neardup.nearest(NULL::articles, 'title', '0123456789abcdef', 3);
SELECT * FROM neardup.nearest(NULL::parted, 'day', '0123456789abcdef', 3);
SELECT * FROM neardup.nearest(NULL::articles, NULL, '0123456789abcdef', 3);
CREATE TABLE plain (id int);
SELECT * FROM neardup.nearest(NULL::plain, 'id', '0123456789abcdef', 3);
DROP VIEW sealed;
DROP TABLE articles, parted, plain;
DROP ROLE reader;
