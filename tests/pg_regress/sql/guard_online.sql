-- a guard on a filled table, made without a lock that lasts
CREATE TABLE filled (id int PRIMARY KEY, body text);
INSERT INTO filled SELECT i, md5(i::text || 'a') || md5(i::text || 'b') FROM generate_series(1, 300) i;
SELECT * FROM neardup.protect_statements('filled', 'body');
SELECT neardup.protect_statements('filled', 'body') \gexec
-- nothing is left to be made, and what is there is taken over, whatever its name
SELECT * FROM neardup.protect_statements('filled', 'body');
ALTER INDEX filled_simhash_rotated_idx RENAME TO of_ours;
BEGIN;
SELECT neardup.protect('filled', 'body');
-- others read and, but for this transaction, write
SELECT mode FROM pg_locks WHERE relation = 'filled'::regclass AND pid = pg_backend_pid()
    AND mode NOT IN ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock', 'ShareUpdateExclusiveLock') ORDER BY mode;
COMMIT;
SELECT relname FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indrelid = 'filled'::regclass ORDER BY relname;
SELECT count(DISTINCT i) FROM neardup_internal.guard_parts('filled'::regclass, ARRAY['body', 'body_simhash'], ARRAY['id']) p, unnest(p.indexes) i WHERE i <> 0;
CALL neardup.backfill('filled');
INSERT INTO filled SELECT 1000, body FROM filled WHERE id = 7;
-- an index that is not valid is none
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'of_ours'::regclass;
SELECT * FROM neardup.protect_statements('filled', 'body');
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'of_ours'::regclass;
SELECT neardup.unprotect('filled');
-- a column that somebody else has written to is not taken
ALTER TABLE filled ADD COLUMN body_simhash simhash;
UPDATE filled SET body_simhash = '00000000000000ff' WHERE id = 300;
SELECT neardup.protect('filled', 'body');
UPDATE filled SET body_simhash = NULL;
ALTER TABLE filled ALTER COLUMN body_simhash TYPE bigint USING NULL;
SELECT neardup.protect('filled', 'body');
SELECT * FROM neardup.protect_statements('filled', 'text');
SELECT * FROM neardup.protect_statements('filled', 'id');
DROP TABLE filled;
-- partitions: each for itself, then the whole, which takes them in
CREATE TABLE parted (id int, day int, body text, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
SELECT neardup.protect_statements('parted', 'body') \gexec
SELECT neardup.protect('parted', 'body');
SELECT count(*) FROM pg_index WHERE indrelid IN ('parted'::regclass, 'parted_1'::regclass, 'parted_2'::regclass) AND NOT indisprimary;
DROP TABLE parted;
-- by minhash, with an empty column that was there
CREATE TABLE essays (id int PRIMARY KEY, body text, body_minhash minhash);
SELECT neardup.protect('essays', 'body', method => 'minhash', similarity => 0.7);
DROP TABLE essays;
