-- A list of a partitioned table is that of the same rows in one table, whatever the partitions are like: by range, list or hash, of another order
-- of columns, or partitioned once more; and it reads a row's partition only.
CREATE TABLE whole (id int, at timestamptz, desk text, body text, PRIMARY KEY (id, at, desk));
INSERT INTO whole
SELECT n, '2031-01-01'::timestamptz + n % 300 * interval '1 hour', CASE n % 3 WHEN 0 THEN 'it''s north' WHEN 1 THEN 'south\west' ELSE 'else' END,
       (SELECT string_agg(md5((n % 200 * 31 + w)::text), ' ') FROM generate_series(1, 12) w) || CASE WHEN n < 200 THEN '' ELSE ' more ' || n END
FROM generate_series(0, 499) n;
CREATE TABLE days (LIKE whole, PRIMARY KEY (id, at, desk)) PARTITION BY RANGE (at);
CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM (MINVALUE) TO ('2031-01-03');
CREATE TABLE days_2 (body text, gone int, desk text NOT NULL, id int NOT NULL, at timestamptz NOT NULL);
ALTER TABLE days_2 DROP COLUMN gone;
ALTER TABLE days ATTACH PARTITION days_2 FOR VALUES FROM ('2031-01-03') TO ('2031-01-05');
CREATE TABLE days_3 PARTITION OF days FOR VALUES FROM ('2031-01-05') TO ('2031-01-09') PARTITION BY LIST (desk);
CREATE TABLE days_3_north PARTITION OF days_3 FOR VALUES IN ('it''s north', 'south\west');
CREATE TABLE days_3_else PARTITION OF days_3 DEFAULT PARTITION BY HASH (id);
CREATE TABLE days_3_else_0 PARTITION OF days_3_else FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE days_3_else_1 PARTITION OF days_3_else FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE days_empty PARTITION OF days FOR VALUES FROM ('2032-01-01') TO ('2032-01-02');
CREATE TABLE days_else PARTITION OF days DEFAULT;
CREATE TABLE ids (LIKE whole, PRIMARY KEY (id, at, desk)) PARTITION BY HASH (id);
CREATE TABLE ids_0 PARTITION OF ids FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE ids_1 PARTITION OF ids FOR VALUES WITH (MODULUS 2, REMAINDER 1);
-- Its key has a type of a user's, which no statement names.
CREATE TYPE desks AS ENUM ('it''s north', 'south\west', 'else');
CREATE TABLE typed (id int, at timestamptz, desk desks, body text, PRIMARY KEY (id, at, desk)) PARTITION BY LIST (desk);
CREATE TABLE typed_0 PARTITION OF typed FOR VALUES IN ('else');
CREATE TABLE typed_1 PARTITION OF typed DEFAULT;
INSERT INTO days SELECT * FROM whole;
INSERT INTO ids SELECT * FROM whole;
INSERT INTO typed SELECT id, at, desk::desks, body FROM whole;
SELECT neardup.protect(t, 'body', time_column => 'at', on_duplicate => 'warn') FROM unnest('{whole,days,ids,typed}'::regclass[]) t;
CREATE TABLE listed AS SELECT key, duplicate_of, verdict FROM neardup.duplicates('whole');
CREATE FUNCTION differ(name regclass, OUT found bigint, OUT invented bigint, OUT missed bigint) LANGUAGE sql AS $$
    WITH own AS MATERIALIZED (SELECT key, duplicate_of, verdict FROM neardup.duplicates(name))
    SELECT (SELECT count(*) FROM own), (SELECT count(*) FROM (TABLE own EXCEPT TABLE listed) d), (SELECT count(*) FROM (TABLE listed EXCEPT TABLE own) d)
$$;
SELECT name, d.* FROM unnest('{whole,days,ids,typed}'::regclass[]) name, differ(name) d;
-- Under settings that write times and names in another way, too.
SET datestyle = 'SQL, DMY';
SET timezone = 'Asia/Shanghai';
SET quote_all_identifiers = on;
SELECT * FROM differ('days');
RESET datestyle;
RESET timezone;
RESET quote_all_identifiers;
-- An empty partition is visited once, as the whole table is read, and not for each few rows.
BEGIN;
SELECT pg_stat_get_xact_numscans('days_empty'::regclass) AS before \gset
SELECT count(*) FROM neardup.duplicates('days');
SELECT pg_stat_get_xact_numscans('days_empty'::regclass) - :before AS visits;
ROLLBACK;
-- The rights of the partitioned table count, and its row security.
CREATE ROLE part_reader;
GRANT SELECT ON days, whole, listed TO part_reader; -- and not on the partitions
SET ROLE part_reader;
SELECT * FROM differ('days');
BEGIN;
SELECT pg_stat_get_xact_numscans('days_empty'::regclass) AS before \gset
SELECT count(*) FROM neardup.duplicates('days');
SELECT pg_stat_get_xact_numscans('days_empty'::regclass) - :before AS visits;
ROLLBACK;
RESET ROLE;
ALTER TABLE days ENABLE ROW LEVEL SECURITY;
CREATE POLICY most ON days TO part_reader USING (id < 450);
ALTER TABLE whole ENABLE ROW LEVEL SECURITY;
CREATE POLICY most ON whole TO part_reader USING (id < 450);
SET ROLE part_reader;
SELECT count(*) AS seen FROM neardup.duplicates('whole');
SELECT count(*) AS seen FROM neardup.duplicates('days');
RESET ROLE;
DROP TABLE whole, days, ids, typed, listed CASCADE;
DROP FUNCTION differ;
DROP TYPE desks;
DROP ROLE part_reader;
