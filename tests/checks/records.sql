-- What clean-ups keep: who can read, write and restore it, and that it comes back as it was.

CREATE ROLE records_owner;
CREATE ROLE records_first;
CREATE ROLE records_second;
CREATE ROLE records_mallory;
CREATE SCHEMA s1;
CREATE SCHEMA s2;
GRANT CREATE ON SCHEMA public TO records_owner;
GRANT USAGE ON SCHEMA s1, s2 TO records_owner, records_first;
CREATE TABLE s1.source (x int);
CREATE TABLE s2.source (x int);
CREATE FUNCTION body() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'The central hospital of Clearwater opened its new wing yesterday afternoon before three hundred doctors and nurses.' $$;
SET ROLE records_owner;
CREATE TABLE a (id int PRIMARY KEY, body text, origin regclass, tags text[], page xml, at timestamptz);
CREATE TABLE b (id int PRIMARY KEY, body text);
INSERT INTO a SELECT i, body(), 's1.source', ARRAY['a', NULL], 'a<b/>c', '2031-05-04 12:00+03' FROM generate_series(1, 3) i;
INSERT INTO b SELECT i, body() FROM generate_series(1, 3) i;
SELECT neardup.protect('a', 'body');
SELECT neardup.protect('b', 'body');
SELECT neardup.keep_removed('a');
SELECT neardup.keep_removed('b');
GRANT SELECT, UPDATE, DELETE ON a TO records_first, records_mallory;
GRANT SELECT, UPDATE, DELETE ON b TO records_second;
RESET ROLE;
CREATE TABLE salaries (name text PRIMARY KEY, amount int);
INSERT INTO salaries VALUES ('mallory', 100);
CREATE TABLE before AS TABLE a;

-- one role cleans, with settings of its own
SET ROLE records_first;
SET search_path = s1, public;
CALL neardup.cleanup('public.a', dry_run => false);
RESET search_path;
--= 1|2

-- the role goes, and nobody misses it
RESET ROLE;
DROP OWNED BY records_first;
DROP ROLE records_first;
SET ROLE records_second;
CALL neardup.cleanup('b', dry_run => false);
SELECT target, run_id, removed, role FROM neardup.runs;
SELECT count(*) FROM neardup.skipped;
SELECT count(*) FROM neardup.progress;
--= 1|2
--= b|1|2|records_second
--= 0
--= 0

-- the owner sees all runs of the tables, and restores with settings that would read the values' texts otherwise
SET ROLE records_owner;
SELECT target, run_id, role FROM neardup.runs ORDER BY target::text;
SET search_path = s2, public;
SET array_nulls = off;
SET xmloption = document;
SET datestyle = 'SQL, DMY';
SET timezone = 'Asia/Shanghai';
CALL neardup.restore('public.a', 1, answer => false);
--= a|1|records_first
--= b|1|records_second
--= 2

RESET ALL;
RESET ROLE;
SET client_min_messages = warning;
SELECT count(*), bool_and(a.origin::oid = b.origin::oid AND a.tags[2] IS NULL AND a.page::text = b.page::text AND a.at = b.at AND a.body = b.body)
FROM a JOIN before b USING (id);
--= 3|t

-- who may clean a table may neither write nor read what is kept of it, nor the log
SET ROLE records_mallory;
CALL neardup.cleanup('a', dry_run => false);
INSERT INTO a_removed (neardup_run, neardup_batch, id, body) VALUES (2, 1, 9, 'put in');
UPDATE a_removed SET body = 'put in';
SELECT count(*) FROM a_removed;
INSERT INTO neardup.runs (target, run_id) VALUES ('salaries', 1);
INSERT INTO neardup_internal.runs (target, run_id) VALUES ('salaries', 1);
INSERT INTO neardup_internal.own_runs (target, run_id, document, action, keep, verify, found, started, role)
VALUES ('salaries', 9, 'name', 'archive', 'oldest', 'facts', 1, now(), 'records_mallory');
CALL neardup.restore('a', 2, answer => false);
CALL neardup.restore('salaries', 2, answer => false);
--= 2|2
--= ERROR:  42501
--= ERROR:  42501
--= ERROR:  42501
--= ERROR:  42501
--= ERROR:  42501
--= ERROR:  44000
--= ERROR:  42501
--= ERROR:  42P01

-- a table of removed rows that she makes for a table of somebody else's is not taken for one
RESET ROLE;
GRANT CREATE ON SCHEMA public TO records_mallory;
GRANT SELECT, UPDATE, DELETE ON salaries TO records_mallory;
SET ROLE records_mallory;
CREATE TABLE salaries_removed AS SELECT 1::bigint AS neardup_run, 1 AS neardup_batch, now() AS neardup_at, 'x' AS neardup_by, 'x' AS neardup_key, 'x' AS neardup_duplicate_of, 'x' AS neardup_verdict, 'x' AS neardup_measure, 1::float8 AS neardup_value, 'mallory2' AS name, 999 AS amount;
RESET ROLE;
CALL neardup.restore('salaries', 1, answer => false);
SELECT * FROM salaries;
--= ERROR:  42809
--= mallory|100

-- row security of the restoring role applies: what a policy refuses stays
SET ROLE records_owner;
ALTER TABLE a ENABLE ROW LEVEL SECURITY;
ALTER TABLE a FORCE ROW LEVEL SECURITY;
CREATE POLICY low ON a USING (id < 3);
CALL neardup.restore('a', 2, answer => false);
SELECT count(*) FROM a_removed;
ALTER TABLE a DISABLE ROW LEVEL SECURITY;
CALL neardup.restore('a', 2, answer => false);
--= 1
--= 1
--= 1

-- a table that has changed its owner: its removed rows are not taken for a stranger's table, nor a stranger's for them
RESET ROLE;
ALTER TABLE b OWNER TO records_second;
SET ROLE records_second;
CALL neardup.restore('b', 1);
CALL neardup.cleanup('b', dry_run => false);
RESET ROLE;
ALTER TABLE b_removed OWNER TO records_second;
SET ROLE records_second;
CALL neardup.restore('b', 1);
CALL neardup.cleanup('b', dry_run => false);
SELECT run_id, removed, restored FROM neardup.runs WHERE target = 'b'::regclass ORDER BY 1;
RESET ROLE;
ALTER TABLE b OWNER TO records_owner;
ALTER TABLE b_removed OWNER TO records_owner;
SET ROLE records_owner;
--= ERROR:  42809
--= ERROR:  42809
--= 2
--= 2|2
--= 1|2|2
--= 2|2|0

-- the extension goes without CASCADE, and the removed rows stay; it comes again, and they come back
CALL neardup.cleanup('a', dry_run => false);
SELECT neardup.unprotect('a');
SELECT neardup.unprotect('b');
DROP INDEX a_sketch_idx, b_sketch_idx;
RESET ROLE;
DROP EXTENSION pg_neardup;
SELECT count(*) FROM a_removed;
CREATE EXTENSION pg_neardup;
SET ROLE records_owner;
CALL neardup.restore('a', 3, answer => false);
SELECT count(*) FROM a;
--= 3|2
--= 
--= 
--= 2
--= 2
--= 3

RESET ROLE;
DROP OWNED BY records_owner, records_second, records_mallory CASCADE;
DROP ROLE records_owner, records_second, records_mallory;
