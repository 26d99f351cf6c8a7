-- ORDER BY distance, as searching.md and index.md show it: the nearest rows, from any table.
CREATE TABLE articles (id int PRIMARY KEY, title text, sig simhash);
INSERT INTO articles
SELECT i, 'title ' || i, (('x' || md5((i / 20)::text))::bit(64) # coalesce((SELECT bit_or(1::bit(64) << ((i * 31 + j * 17) % 64)) FROM generate_series(1, i % 20) j), 0::bit(64)))::simhash
FROM generate_series(1, 1000) i;
INSERT INTO articles VALUES (0, 'unsigned', NULL);
ANALYZE articles;
CREATE FUNCTION plan_of_nearest(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || statement LOOP
        IF line ~ 'Scan|Sort|Append' THEN
            RETURN NEXT ltrim(line);
        END IF;
    END LOOP;
END
$$;

-- without an index, as by brute force; with one, in its order
CREATE TABLE by_force AS SELECT a.id, n, ARRAY(SELECT r.sig <~> a.sig FROM articles r ORDER BY r.sig <~> a.sig LIMIT n) AS distances
FROM articles a, unnest(ARRAY[1, 3, 8, 15, 40]) n WHERE a.id % 97 = 1;
CREATE INDEX articles_sig ON articles USING neardup (sig);
SET enable_seqscan = off;
SELECT plan_of_nearest($$SELECT id FROM articles ORDER BY sig <~> '0123456789abcdef' LIMIT 3$$);
SELECT n, count(*) AS probes, bool_and(f.distances = ARRAY(SELECT r.sig <~> a.sig FROM articles r ORDER BY r.sig <~> a.sig LIMIT n)) AS exact
FROM by_force f JOIN articles a USING (id) GROUP BY n ORDER BY n;
SELECT id, title, sig <~> (SELECT sig FROM articles WHERE id = 40) AS distance FROM articles
ORDER BY sig <~> (SELECT sig FROM articles WHERE id = 40), id LIMIT 5;
-- more than there are; rows without a signature come last
SELECT count(*), count(sig) FROM (SELECT sig FROM articles ORDER BY sig <~> '0123456789abcdef' LIMIT 5000) a;
SELECT count(*) FROM (SELECT FROM articles ORDER BY sig <~> NULL LIMIT 5) a;

-- partitions with their columns in other orders: one merged order
CREATE TABLE parted (id int, day int, sig simhash) PARTITION BY RANGE (day);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_2 (sig simhash, day int, id int);
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (10) TO (20);
INSERT INTO parted SELECT id, 5, sig FROM articles WHERE id BETWEEN 1 AND 40;
INSERT INTO parted SELECT id + 1000, 15, sig FROM articles WHERE id BETWEEN 1 AND 40;
CREATE INDEX ON parted USING neardup (sig);
ANALYZE parted;
SELECT plan_of_nearest($$SELECT id FROM parted ORDER BY sig <~> '0123456789abcdef' LIMIT 3$$);
SELECT p.id, p.day, p.sig <~> a.sig AS distance
FROM articles a, LATERAL (SELECT * FROM parted p ORDER BY p.sig <~> a.sig, p.id LIMIT 6) p WHERE a.id = 25 ORDER BY 3, 1;

-- row security, rights, a column of a domain
CREATE ROLE reader;
GRANT SELECT ON articles TO reader;
CREATE POLICY late ON articles TO reader USING (id > 990);
ALTER TABLE articles ENABLE ROW LEVEL SECURITY;
SET ROLE reader;
SELECT count(*), min(id) FROM (SELECT id FROM articles ORDER BY sig <~> '0123456789abcdef' LIMIT 100) a;
SELECT id FROM parted ORDER BY sig <~> '0123456789abcdef' LIMIT 100;
RESET ROLE;
CREATE DOMAIN seal AS simhash;
CREATE VIEW sealed AS SELECT id, sig::seal AS seal FROM articles WHERE id > 900;
SELECT count(*) FROM (SELECT FROM sealed ORDER BY seal <~> '0123456789abcdef' LIMIT 1000) s;
DROP VIEW sealed;
DROP DOMAIN seal;
DROP TABLE articles, by_force, parted;
DROP FUNCTION plan_of_nearest;
DROP ROLE reader;
