-- A server killed in the middle: what was committed is there again, what was not is gone, and the guard still
-- stands.

-- ## server

CREATE TABLE article (id text PRIMARY KEY, body text);
SELECT neardup.protect('article', 'body');
INSERT INTO article SELECT id, body FROM sample ORDER BY length(body) DESC LIMIT 10;
CREATE TABLE many AS SELECT i, (i::bigint * 7919)::simhash AS s FROM generate_series(1, 200000) i;

SELECT string_agg(a::text, ' ' ORDER BY id) FROM article a;
--> rows

-- @server_open
BEGIN;
UPDATE article SET id = id || '!';
DELETE FROM article WHERE length(body) % 2 = 0;

-- @server_load
BEGIN;
INSERT INTO article SELECT 'load ' || i, md5(i::text) || md5((-i)::text) || md5((i + 7)::text) FROM generate_series(1, 300) i;

-- Work that takes a while, so that the server goes down in the middle of it, and before the commit in any case.
-- @server_index
BEGIN;
CREATE INDEX many_bands ON many USING gin (simhash_bands(s, 64));
--&

-- @server_sign
BEGIN;
CREATE TABLE many_signed AS SELECT simhash(repeat(i::text, 500), 'jieba') FROM many;
--&

-- @server
-- sessions at work
SELECT count(*) FROM pg_stat_activity WHERE state IN ('active', 'idle in transaction') AND query ~ '^CREATE (INDEX|TABLE) many_';
--~ 2

-- !crash

-- the rows after the crash
SELECT string_agg(a::text, ' ' ORDER BY id) FROM article a;
--= <rows>

-- a table and an index that were in the making
SELECT count(*) FROM pg_class WHERE relname IN ('many_signed', 'many_bands');
--= 0

CREATE INDEX many_bands ON many USING gin (simhash_bands(s));
SET enable_seqscan = off;

-- a search by the index made again
SELECT count(*) FROM many WHERE simhash_within(s, 7919::bigint::simhash, 0);
--= 1

-- a copy after the crash
INSERT INTO article SELECT 'copy', body || '（完）' FROM article ORDER BY length(body) DESC LIMIT 1;
--= ERROR:  23505

-- a row whose load was lost, and a copy of that
INSERT INTO article SELECT 'again', md5('77') || md5('-77') || md5('84');
INSERT INTO article SELECT 'third', md5('77') || md5('-77') || md5('84');
--= ERROR:  23505

-- A prepared transaction: whoever brings a copy of its row waits for its end, also after a crash, and it holds no lock of the guard.
CREATE TABLE page (id int PRIMARY KEY, part int, body text, UNIQUE (id, part)) PARTITION BY RANGE (id);
CREATE TABLE page_1 PARTITION OF page FOR VALUES FROM (0) TO (100);
SELECT neardup.protect('page', 'body');
INSERT INTO page VALUES (1, 1, md5('first') || md5('row'));

-- The second one meets a row that is there, in a statement that names a partition and so has no trigger at its end.
BEGIN;
INSERT INTO page VALUES (2, 1, md5('prepared') || md5('text') || md5('of one'));
INSERT INTO page_1 VALUES (1, 1, md5('another') || md5('text')) ON CONFLICT DO NOTHING;
PREPARE TRANSACTION 'p';
--=

-- locks of a prepared transaction
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 5;
--= 0

-- !crash

-- locks of it after a crash
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 5;
--= 0

SET lock_timeout = '50ms';

-- a copy of a prepared row
INSERT INTO page VALUES (3, 1, md5('prepared') || md5('text') || md5('of one'));
--= ERROR:  55P03

COMMIT PREPARED 'p';

-- a copy of it after the commit
INSERT INTO page VALUES (3, 1, md5('prepared') || md5('text') || md5('of one'));
--= ERROR:  23505

-- ## backend
CREATE TABLE text AS SELECT i AS number, string_agg(md5(i || '-' || j), '' ORDER BY j) AS body FROM generate_series(1, 300) i, generate_series(1, 8) j GROUP BY i;
CREATE TABLE feed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
SELECT neardup.protect('feed', 'body', on_duplicate => 'skip');
CREATE FUNCTION put(int) RETURNS bigint LANGUAGE sql AS 'INSERT INTO feed (body) VALUES ((SELECT body || ''。'' FROM text WHERE number = $1)) RETURNING id';

-- ## after

SELECT put(number) FROM text;

-- rows when all articles are in, and groups of near-duplicates
SELECT count(*), count(DISTINCT first) FROM (SELECT near_duplicate_of(simhash(body, 'chars:3'), 7) OVER (ORDER BY id) AS first FROM feed) f;
--= 300|300

-- ## locks

-- The lock that a procedure keeps over its commits.
CREATE TABLE target (id int PRIMARY KEY, body text);
SELECT neardup.protect('target', 'body', on_duplicate => 'skip');
CREATE VIEW held AS SELECT pid FROM pg_locks WHERE granted AND locktype = 'advisory' AND objsubid = 16;
CREATE PROCEDURE hold() LANGUAGE plpgsql AS $$
BEGIN
    IF NOT neardup_internal.hold_table('target') THEN
        RAISE lock_not_available;
    END IF;
    COMMIT;
END $$;
SELECT pg_advisory_lock(7);

-- @server_keeper
DO $$BEGIN CALL hold(); PERFORM pg_advisory_lock(7); END$$;
--&

-- @server
-- the lock outlives the transaction that took it
SELECT count(*) FROM held;
--~ 1

-- the session is terminated
SELECT pg_terminate_backend(pid, 60000) FROM (SELECT DISTINCT pid FROM held) h;
--= t

-- its lock is gone with it
SELECT count(*) FROM held;
--= 0

-- the next procedure gets it, and gives it back at its end
CALL hold();
SELECT count(*) FROM held;
--= 0

-- @server_between
DO $$BEGIN CALL hold(); LOOP PERFORM pg_sleep(0.05); COMMIT; END LOOP; END$$;
--&

-- @server
-- a session that commits again and again has it
SELECT count(*) FROM held;
--~ 1

-- Between two transactions Postgres aborts nothing, and would leave the table's lock in memory until the server is restarted. Only gdb, where
-- it is there and may attach, ends a session at that moment.
SELECT DISTINCT pid FROM held \gset
\setenv PID :pid
\! timeout 60 gdb -q -batch -p $PID -ex 'handle all nostop noprint pass' -ex 'break StartTransactionCommand' -ex continue -ex 'call (void) proc_exit(0)' < /dev/null > /dev/null 2>&1
SELECT pg_terminate_backend(:pid, 60000) FROM pg_stat_activity WHERE pid = :pid;

-- a session that ends between two transactions leaves no lock
SELECT count(*) FROM held;
--= 0
