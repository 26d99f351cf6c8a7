-- Indexes that parallel workers help to build: the same index as without them.
CREATE TABLE stories (id int PRIMARY KEY, body text) WITH (parallel_workers = 2);
INSERT INTO stories
SELECT nth, CASE WHEN nth % 50 > 0 THEN (SELECT string_agg(substr(md5(format('%s %s', nth / 2, word)), 1, 6), ' ' ORDER BY word) FROM generate_series(1, 20) word) END
FROM generate_series(1, 4000) nth;
-- More than a session may keep in memory, so that it is sorted in files.
SET maintenance_work_mem = '1MB';

-- Builds an index and returns its size, its entries if it fits its table, and how the statistics count the rows.
CREATE FUNCTION built(workers int, command text) RETURNS TABLE (bytes bigint, entries bigint, rows real, signed real)
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('max_parallel_maintenance_workers', workers::text, true);
    IF to_regclass('made') IS NOT NULL THEN DROP INDEX made; END IF;
    EXECUTE command;
    RETURN QUERY SELECT pg_relation_size('made'), neardup.check_index('made'), t.reltuples, i.reltuples
    FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_class t ON t.oid = indrelid WHERE indexrelid = 'made'::regclass;
END $$;

CREATE TABLE results AS SELECT 'alone' AS what, * FROM built(0, 'CREATE INDEX made ON stories USING neardup (sketch(body))');
INSERT INTO results SELECT 'one worker', * FROM built(1, 'CREATE INDEX made ON stories USING neardup (sketch(body))');
INSERT INTO results SELECT 'two', * FROM built(2, 'CREATE INDEX made ON stories USING neardup (sketch(body))');
SELECT what, (bytes, entries, rows, signed) = first_value((bytes, entries, rows, signed)) OVER () AS is_same, rows, signed FROM results;

-- Another kind, with a condition.
TRUNCATE results;
INSERT INTO results SELECT 'alone', * FROM built(0, 'CREATE INDEX made ON stories USING neardup (simhash(body)) WHERE id % 3 > 0');
INSERT INTO results SELECT 'two', * FROM built(2, 'CREATE INDEX made ON stories USING neardup (simhash(body)) WHERE id % 3 > 0');
SELECT what, (bytes, entries, rows, signed) = first_value((bytes, entries, rows, signed)) OVER () AS is_same, rows, signed FROM results;
DROP INDEX made;

-- While others write.
SET max_parallel_maintenance_workers = 2;
CREATE INDEX CONCURRENTLY made ON stories USING neardup (sketch(body));
SELECT neardup.check_index('made') = (SELECT sum(cardinality(sketch_keys(sketch(body)))) FROM stories) AS is_whole;
REINDEX INDEX CONCURRENTLY made;
SELECT neardup.check_index('made') = (SELECT sum(cardinality(sketch_keys(sketch(body)))) FROM stories) AS is_whole;
REINDEX TABLE stories;
SELECT neardup.check_index('made') = (SELECT sum(cardinality(sketch_keys(sketch(body)))) FROM stories) AS is_whole;
DROP INDEX made;

-- Rows of this transaction, with versions that nobody sees any more and one that an older snapshot sees.
BEGIN;
UPDATE stories SET body = 'rewritten ' || body WHERE id <= 100;
DELETE FROM stories WHERE id BETWEEN 101 AND 150;
UPDATE stories SET body = body || ' twice' WHERE id <= 50;
CREATE INDEX made ON stories USING neardup (sketch(body));
SELECT neardup.check_index('made') > 0 AS is_sound, indcheckxmin FROM pg_index WHERE indexrelid = 'made'::regclass;
COMMIT;
DROP INDEX made;

-- Nothing to read.
TRUNCATE stories;
CREATE INDEX made ON stories USING neardup (sketch(body));
SELECT neardup.check_index('made');
TRUNCATE stories;
DROP INDEX made;

-- A function that only the session itself may run.
CREATE FUNCTION own(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF current_setting('test.leader', true) <> pg_backend_pid()::text THEN
        RAISE EXCEPTION 'no story for strangers' USING ERRCODE = 'ZZ001', CONSTRAINT = 'some_constraint', HINT = 'Ask.';
    END IF;
    PERFORM pg_sleep(0.001);
    RETURN $1;
END $$;
SELECT set_config('test.leader', pg_backend_pid()::text, false) IS NOT NULL AS is_set;

-- What workers cannot read or run is built alone: functions that are not safe there, and temporary tables.
INSERT INTO stories SELECT id, repeat(md5(id::text) || ' ', 20) FROM generate_series(1, 800) id;
CREATE INDEX made ON stories USING neardup (sketch(own(body)));
DROP INDEX made;
ALTER FUNCTION own(text) PARALLEL SAFE;
CREATE TEMP TABLE passing WITH (parallel_workers = 2) AS SELECT * FROM stories;
CREATE INDEX ON passing USING neardup (sketch(own(body)));

-- An error in a worker ends the build, with its fields.
DO $$
DECLARE state text; message text; hint text; "constraint" text;
BEGIN
    CREATE INDEX made ON stories USING neardup (sketch(own(body)));
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT, "constraint" = CONSTRAINT_NAME;
    RAISE NOTICE '% % % %', state, message, hint, "constraint";
    -- The transaction writes again, which it must not while there are workers.
    INSERT INTO stories VALUES (0, 'after an error');
END $$;
SELECT to_regclass('made') IS NULL AS is_gone;

-- The same while the session signs, which checks for interrupts itself, again and again.
CREATE TABLE many (id int, body text) WITH (parallel_workers = 1);
INSERT INTO many SELECT n, (SELECT string_agg(substr(md5(n || ' ' || w), 1, 6), ' ') FROM generate_series(1, 40) w) FROM generate_series(1, 8000) n;
CREATE FUNCTION own_beginning(text, int) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF $2 > 2000 AND current_setting('test.leader', true) <> pg_backend_pid()::text THEN
        RAISE EXCEPTION 'no story for strangers' USING ERRCODE = 'ZZ001', CONSTRAINT = 'some_constraint';
    END IF;
    -- Time for the worker to begin.
    PERFORM pg_sleep(0.02) WHERE $2 <= 20;
    RETURN $1;
END $$;
CREATE FUNCTION refused(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; "constraint" text;
BEGIN
    EXECUTE command;
    -- The worker has come too late.
    IF to_regclass('made') IS NOT NULL THEN DROP INDEX made; END IF;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, "constraint" = CONSTRAINT_NAME;
    RETURN format('%s %s', state, "constraint");
END $$;
SELECT DISTINCT refused FROM (SELECT refused('CREATE INDEX made ON many USING neardup (sketch(own_beginning(body, id)))') FROM generate_series(1, 6) OFFSET 0) tries WHERE refused IS NOT NULL;
SELECT DISTINCT refused FROM (SELECT refused('CREATE INDEX made ON many USING neardup (simhash(own_beginning(body, id)))') FROM generate_series(1, 6) OFFSET 0) tries WHERE refused IS NOT NULL;

-- The same in a parallel query.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT DISTINCT refused FROM (SELECT refused('SELECT count(sketch(own_beginning(body, id))) FROM many') FROM generate_series(1, 6) OFFSET 0) tries WHERE refused IS NOT NULL;

-- A worker fails while the session is busy with its last row and does not look. (From 17 on, the session may read both pages itself.)
CREATE TABLE two (id int, body text) WITH (parallel_workers = 1);
ALTER TABLE two ALTER body SET STORAGE PLAIN;
INSERT INTO two SELECT n, repeat(md5(n::text) || ' ', 200) FROM generate_series(1, 2) n;
CREATE FUNCTION own_slowly(minhash, text) RETURNS minhash LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF current_setting('test.leader', true) = pg_backend_pid()::text THEN
        PERFORM pg_sleep(0.3);
        RETURN CASE WHEN length(md5(repeat($2, 60000))) > 0 THEN $1 END;
    END IF;
    PERFORM pg_sleep(0.5);
    RAISE EXCEPTION 'no story for strangers' USING ERRCODE = 'ZZ001', CONSTRAINT = 'some_constraint';
END $$;
SELECT coalesce(refused('CREATE INDEX made ON two USING neardup (own_slowly(sketch(body), body))'), 'ZZ001 some_constraint') AS refused;

SET max_parallel_maintenance_workers = 0;
CREATE INDEX made ON stories USING neardup (sketch(own(body)));
SELECT id FROM stories WHERE sketch(own(body)) && sketch(repeat(md5('7') || ' ', 20));
DROP TABLE stories, results, passing, many, two;
DROP FUNCTION built, own, own_beginning, refused, own_slowly;
