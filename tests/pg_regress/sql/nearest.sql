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
-- a column that holds no signatures, and one that does as a domain
\set SHOW_CONTEXT never
SELECT * FROM neardup.hot_bands('articles', 'title');
SELECT * FROM neardup.nearest(NULL::articles, 'title', '0123456789abcdef', 3);
SELECT * FROM neardup.near(NULL::articles, 'title', '0123456789abcdef', 3);
SELECT neardup.exists_within('articles', 'id', '0123456789abcdef', 3);
SELECT * FROM neardup.nearest(NULL::articles, NULL, '0123456789abcdef', 3);
SELECT * FROM neardup.hot_bands('articles', 'sig', -1);
SELECT * FROM neardup.hot_bands('pg_class', 'relname');
CREATE DOMAIN seal AS simhash;
CREATE VIEW sealed AS SELECT id, sig::seal AS seal FROM articles WHERE id > 3000;
SELECT count(*) FROM neardup.hot_bands('sealed'), neardup.near(NULL::sealed, 'seal', 'abcdefabcdefabcd', 0);
DROP VIEW sealed;
\set SHOW_CONTEXT errors
DROP TABLE articles;

-- with B-tree indexes on rotated signatures: the same answers, exact, whatever the distance
CREATE TABLE articles (id int PRIMARY KEY, title text, sig simhash);
INSERT INTO articles
SELECT i, 'title ' || i, (('x' || md5((i / 20)::text))::bit(64) # coalesce((SELECT bit_or(1::bit(64) << ((i * 31 + j * 17) % 64)) FROM generate_series(1, i % 20) j), 0::bit(64)))::simhash
FROM generate_series(1, 3000) i;
INSERT INTO articles VALUES (0, 'unsigned', NULL);
SELECT neardup_internal.is_rotated('articles'::regclass, 'sig');
SELECT count(*) FROM neardup_internal.nearest_places('articles'::regclass, 'sig', '0123456789abcdef', 3, 1);
CREATE VIEW compared AS
SELECT n, distance, count(*) AS probes, bool_and(by_index = by_force) AS exact, bool_and(is_near = (cardinality(by_force) > 0)) AS says_so, sum(cardinality(by_index)) AS found
FROM unnest(ARRAY[1, 8, 40]) n, unnest(ARRAY[0, 3, 7, 11, 64]) distance, LATERAL (
    SELECT CASE WHEN distance = 64 THEN ARRAY(SELECT r.sig <~> a.sig FROM neardup.nearest(NULL::articles, 'sig', a.sig, n) r)
                ELSE ARRAY(SELECT r.sig <~> a.sig FROM neardup.near(NULL::articles, 'sig', a.sig, distance, n) r) END AS by_index,
           CASE WHEN distance < 64 THEN neardup.exists_within('articles', 'sig', a.sig, distance) ELSE true END AS is_near,
           ARRAY(SELECT r.sig <~> a.sig FROM articles r WHERE r.sig <~> a.sig <= distance ORDER BY 1 LIMIT n) AS by_force
    FROM (SELECT sig FROM articles WHERE id % 331 = 1 UNION ALL VALUES ('0123456789abcdef'::simhash)) a) compared
GROUP BY n, distance;
SELECT * FROM compared ORDER BY 1, 2;
CREATE INDEX ON articles (simhash_rotated(sig, 0));
CREATE INDEX ON articles (simhash_rotated(sig, 1));
CREATE INDEX ON articles (simhash_rotated(sig, 2));
SELECT neardup_internal.is_rotated('articles'::regclass, 'sig');
CREATE INDEX ON articles (simhash_rotated(sig, 3));
SELECT neardup_internal.is_rotated('articles'::regclass, 'sig');
SELECT * FROM compared ORDER BY 1, 2;
-- what the statement's snapshot sees: dead rows do not count, moved rows do, once
BEGIN;
DELETE FROM articles WHERE id % 7 = 3;
UPDATE articles SET title = 'moved' WHERE id % 3 = 0;
UPDATE articles SET sig = '0123456789abcdef' WHERE id IN (500, 501);
SELECT * FROM compared ORDER BY 1, 2;
SELECT id, title FROM neardup.near(NULL::articles, 'sig', '0123456789abcdef', 3) ORDER BY id;
ROLLBACK;
SELECT neardup.exists_within('articles', 'sig', '0123456789abcdef', 3);

-- reposts by the thousand, alone and among a template that shares a band: the first hit is enough
INSERT INTO articles SELECT 10000 + i, 'repost', '0123456789abcdef' FROM generate_series(1, 20000) i;
INSERT INTO articles SELECT 40000 + i, 'template', ((('x' || left(md5(i::text), 16))::bit(64) & x'eeeeeeeeeeeeeeee') | (x'0123456789abcdef' & x'1111111111111111'))::simhash FROM generate_series(1, 2000) i;
VACUUM ANALYZE articles;
CREATE FUNCTION blocks(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE query; -- catalogs are read the first time
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, FORMAT json) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
END
$$;
SELECT sought, least, blocks(format(query, sought)) <= least AS bounded
FROM (VALUES ('0123456789abcdef', 10), ('0123456789abcdee', 60)) s(sought, least),
     unnest(ARRAY['SELECT neardup.exists_within(''articles'', ''sig'', %L, 3)', 'SELECT neardup.exists_within(''articles'', ''sig'', %L, 7)',
                  'SELECT FROM neardup_internal.nearest_places(''articles''::regclass, ''sig'', %L, 3, 1)']) query
ORDER BY 1, query;

-- partitions, an inheritance child, rights, row security: by the indexes where that is right, else by the query as anyone would write it
CREATE TABLE parted (id int, day int, sig simhash) PARTITION BY RANGE (day);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_2 (sig simhash, day int, id int);
INSERT INTO parted_2 SELECT sig, 15, id FROM articles WHERE id BETWEEN 1 AND 40;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (10) TO (20);
INSERT INTO parted SELECT id + 1000, 5, sig FROM articles WHERE id BETWEEN 1 AND 40;
CREATE INDEX ON parted (simhash_rotated(sig, 0)); CREATE INDEX ON parted (simhash_rotated(sig, 1)); CREATE INDEX ON parted (simhash_rotated(sig, 2)); CREATE INDEX ON parted (simhash_rotated(sig, 3));
SELECT neardup_internal.is_rotated('parted'::regclass, 'sig');
SELECT p.id, day, p.sig <~> a.sig AS distance FROM articles a, neardup.nearest(NULL::parted, 'sig', a.sig, 6) p WHERE a.id = 25 ORDER BY 3, 1;
SELECT p.id, day, p.sig <~> a.sig AS distance FROM articles a, neardup.near(NULL::parted, 'sig', a.sig, 1) p WHERE a.id = 25 ORDER BY 3, 1;
CREATE TABLE parted_3 PARTITION OF parted FOR VALUES FROM (20) TO (30);
INSERT INTO parted SELECT 2025, 25, sig FROM articles WHERE id = 25;
SELECT neardup_internal.is_rotated('parted'::regclass, 'sig'), neardup_internal.is_rotated('parted_2'::regclass, 'sig');
SELECT p.id, p.sig <~> a.sig AS distance FROM articles a, neardup.near(NULL::parted, 'sig', a.sig, 0) p WHERE a.id = 25 ORDER BY 2, 1;
CREATE TABLE child () INHERITS (articles);
INSERT INTO child SELECT 99, 'child', sig FROM articles WHERE id = 25;
SELECT neardup_internal.is_rotated('articles'::regclass, 'sig');
SELECT n.id FROM articles a, neardup.near(NULL::articles, 'sig', a.sig, 0) n WHERE a.id = 25 ORDER BY 1;
DROP TABLE child;
CREATE ROLE reader;
GRANT SELECT ON articles TO reader;
SET ROLE reader;
SELECT neardup_internal.is_rotated('articles'::regclass, 'sig'), neardup_internal.is_rotated('parted'::regclass, 'sig');
SELECT neardup.exists_within('parted', 'sig', '0123456789abcdef', 3);
RESET ROLE;
CREATE POLICY early ON articles TO reader USING (id < 10000);
ALTER TABLE articles ENABLE ROW LEVEL SECURITY;
SET ROLE reader;
SELECT neardup_internal.is_rotated('articles'::regclass, 'sig'), neardup.exists_within('articles', 'sig', '0123456789abcdef', 3),
       (SELECT count(*) FROM neardup.near(NULL::articles, 'sig', '0123456789abcdef', 3));
RESET ROLE;
SELECT neardup_internal.is_rotated('articles'::regclass, 'sig'), neardup.exists_within('articles', 'sig', '0123456789abcdef', 3);
-- arguments
SELECT count(*) FROM neardup.near(NULL::articles, 'sig', '0123456789abcdef', 12);
SELECT count(*) FROM neardup.near(NULL::articles, 'sig', '0123456789abcdef', 3, -1);
SELECT (SELECT count(*) FROM neardup.near(NULL::articles, 'sig', NULL, 3)), (SELECT count(*) FROM neardup.near(NULL::articles, 'sig', '0123456789abcdef', 3, 0));
SELECT neardup.exists_within('articles', 'sig', '0123456789abcdef', 12);
SELECT neardup.exists_within('articles', 'signature', '0123456789abcdef', 3);
SELECT neardup.exists_within('articles', 'sig', NULL, 3) IS NULL AS unknown;
DROP TABLE articles, parted CASCADE;
DROP FUNCTION blocks;
DROP ROLE reader;

-- the same signatures in several partitions, some of them many times: each row once, none missed
CREATE TABLE months (id int, month int, sig simhash) PARTITION BY LIST (month);
CREATE TABLE months_1 PARTITION OF months FOR VALUES IN (1);
CREATE TABLE months_2 PARTITION OF months FOR VALUES IN (2);
CREATE TABLE months_3 PARTITION OF months FOR VALUES IN (3);
INSERT INTO months SELECT m * 1000 + i, m, (x'0123456789abcdef'::bigint # ((1::bigint << (i % 9)) - 1) # (CASE WHEN i % 7 = m THEN 1::bigint << 40 + m ELSE 0 END))::simhash
FROM generate_series(1, 400) i, generate_series(1, 3) m;
CREATE INDEX ON months (simhash_rotated(sig, 0)); CREATE INDEX ON months (simhash_rotated(sig, 1)); CREATE INDEX ON months (simhash_rotated(sig, 2)); CREATE INDEX ON months (simhash_rotated(sig, 3));
SELECT neardup_internal.is_rotated('months'::regclass, 'sig');
SELECT k, count(*), bool_and(by_index = by_force) AS exact
FROM generate_series(0, 11) k, (SELECT DISTINCT sig FROM months UNION SELECT 'fedcba9876543210') q,
     LATERAL (SELECT ARRAY(SELECT id FROM neardup.near(NULL::months, 'sig', q.sig, k) ORDER BY id) AS by_index,
                     ARRAY(SELECT id FROM months m WHERE m.sig <~> q.sig <= k ORDER BY id) AS by_force) compared
GROUP BY k ORDER BY k;
SELECT n, bool_and(by_index = by_force) AS exact, bool_and(different = n) AS each_once
FROM unnest(ARRAY[1, 50, 130, 500]) n, (SELECT DISTINCT sig FROM months) q,
     LATERAL (SELECT ARRAY(SELECT m.sig <~> q.sig FROM neardup.nearest(NULL::months, 'sig', q.sig, n) m ORDER BY 1) AS by_index,
                     (SELECT count(DISTINCT id) FROM neardup.nearest(NULL::months, 'sig', q.sig, n)) AS different,
                     ARRAY(SELECT m.sig <~> q.sig FROM months m ORDER BY 1 LIMIT n) AS by_force) compared
GROUP BY n ORDER BY n;
DROP TABLE months;
