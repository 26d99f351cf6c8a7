\set SHOW_CONTEXT never
-- With quote_all_identifiers, names of types and schemas are written in quotes, also where a statement is put together.
SET client_min_messages = warning;
SET quote_all_identifiers = on;
CREATE TABLE a (id int PRIMARY KEY, body text);
INSERT INTO a SELECT i, 'The central hospital of Clearwater opened its new wing yesterday afternoon before three hundred doctors and nurses. The wing has twelve floors and eight hundred beds.' FROM generate_series(1, 3) i;
SELECT neardup.protect('a', 'body');
-- a schema for temporary tables comes into being
CREATE TEMP TABLE t (x int);
SELECT key, duplicate_of FROM neardup.duplicates('a');
SELECT count(*) FROM neardup.report('a');
CALL neardup.cleanup('a', dry_run => false);
SELECT * FROM neardup.groups('a');
SELECT place, key, action FROM neardup.insert_or_match('a', '{"id": 9, "body": "x y z"}');
CALL neardup.restore('a', 1, answer => false);
CALL neardup.purge('a', '0 s');
SELECT count(*) FROM a;
SELECT neardup.unprotect('a');
DROP TABLE a, a_removed;
