-- long procedures: only one at a time for each table, and its progress. Only a role that may change the rows of a table may start one.

CREATE FUNCTION neardup_internal.hold_table(target regclass) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'hold_table_wrapper';
COMMENT ON FUNCTION neardup_internal.hold_table(regclass) IS 'locks a table for one procedure, beyond its commits; false if another session has it';

CREATE FUNCTION neardup_internal.release_table(target regclass) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'release_table_wrapper';
COMMENT ON FUNCTION neardup_internal.release_table(regclass) IS 'releases the lock of neardup_internal.hold_table';

CREATE FUNCTION neardup_internal.in_transaction_block() RETURNS boolean
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'in_transaction_block_wrapper';
COMMENT ON FUNCTION neardup_internal.in_transaction_block() IS 'whether the user has opened a transaction block, in which no procedure can commit';

CREATE FUNCTION neardup_internal.check_committing(procedure text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'check_committing_wrapper';
COMMENT ON FUNCTION neardup_internal.check_committing(text) IS 'raises an error if a procedure cannot commit, although there is no transaction block';

CREATE TABLE neardup.running (
    target regclass NOT NULL,
    role name NOT NULL DEFAULT CURRENT_USER,
    procedure text NOT NULL,
    pid integer NOT NULL DEFAULT pg_catalog.pg_backend_pid(),
    done bigint NOT NULL DEFAULT 0,
    total bigint NOT NULL,
    unit text NOT NULL,
    started timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    seen timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    CONSTRAINT running_times CHECK (started BETWEEN '2000-01-01 00:00+00' AND '9999-01-01 00:00+00' AND seen BETWEEN '2000-01-01 00:00+00' AND '9999-01-01 00:00+00'),
    PRIMARY KEY (target, role)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON neardup.running TO public;
ALTER TABLE neardup.running ENABLE ROW LEVEL SECURITY;
CREATE POLICY anybody ON neardup.running FOR SELECT USING (true);
CREATE POLICY own ON neardup.running USING (neardup_internal.is_member(role));

-- A row counts only while its session holds the table's lock, so rows left by a crash are not shown.
CREATE VIEW neardup.progress AS
SELECT r.target, r.procedure, r.done, r.total, r.unit,
       pg_catalog.round(r.done::numeric / nullif(pg_catalog.extract('epoch', r.seen - r.started), 0::numeric), 1) AS rate,
       -- Roles write these numbers themselves.
       CASE WHEN r.done > 0
            THEN pg_catalog.make_interval(secs => pg_catalog.trunc(least(1e9::float8, greatest(0::float8, pg_catalog.extract('epoch', r.seen - r.started)::float8 * ((r.total::float8 - r.done::float8) / r.done::float8))))) END AS time_left,
       r.started, r.pid, r.role
FROM neardup.running r
     JOIN pg_catalog.pg_locks l ON l.pid = r.pid AND l.classid = r.target::oid
WHERE l.locktype = 'advisory' AND l.objsubid = 16 AND l.mode = 'ExclusiveLock' AND l.granted
      AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database());
GRANT SELECT ON neardup.progress TO public;

CREATE FUNCTION neardup_internal.start_work(target regclass, procedure text, unit text, total bigint DEFAULT 0) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF neardup_internal.in_transaction_block() THEN
        RAISE EXCEPTION 'neardup.% cannot run inside a transaction block', procedure USING ERRCODE = 'active_sql_transaction',
            DETAIL = 'It commits after each batch.', HINT = 'Call it on its own, with autocommit on.';
    END IF;
    IF NOT neardup_internal.hold_table(target) THEN
        RAISE EXCEPTION 'another session is working on table %', target USING ERRCODE = 'object_in_use',
            HINT = 'SELECT * FROM neardup.progress;';
    END IF;
    INSERT INTO neardup.running AS r (target, procedure, unit, total) VALUES (target, procedure, unit, total)
    ON CONFLICT ON CONSTRAINT running_pkey DO UPDATE SET procedure = excluded.procedure, pid = excluded.pid, done = 0,
        unit = excluded.unit, total = excluded.total, started = excluded.started, seen = excluded.seen;
END
$$;

-- Records the progress, and prints it every three seconds. Returns when it last printed.
CREATE FUNCTION neardup_internal.note_work(target regclass, done bigint, total bigint, reported_at timestamptz) RETURNS timestamptz
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    p neardup.running;
    passed interval;
    speed double precision;
BEGIN
    UPDATE neardup.running r SET done = least(note_work.done, note_work.total), total = note_work.total, seen = pg_catalog.clock_timestamp()
    WHERE r.target::pg_catalog.oid = note_work.target::pg_catalog.oid AND r.role = CURRENT_USER RETURNING * INTO p;
    IF p.seen < reported_at + interval '3 seconds' THEN
        RETURN reported_at;
    END IF;
    passed := p.seen - p.started;
    speed := p.done::double precision / greatest(pg_catalog.extract('epoch', passed), 0.001)::double precision;
    RAISE NOTICE '%: % of % %, % a second, about % left', target, p.done, p.total, p.unit, pg_catalog.round(speed::numeric, 1),
        CASE WHEN p.done = 0 THEN 'unknown time'
             ELSE pg_catalog.date_trunc('second', passed * ((p.total - p.done)::double precision / p.done::double precision))::pg_catalog.text END;
    RETURN p.seen;
END
$$;

CREATE FUNCTION neardup_internal.end_work(target regclass) RETURNS void
    LANGUAGE sql VOLATILE
BEGIN ATOMIC
    DELETE FROM neardup.running r WHERE r.target::oid = end_work.target::oid AND r.role = CURRENT_USER;
    SELECT neardup_internal.release_table(target);
END;

-- long procedures: common arguments

-- Procedures that commit, and functions whose writes fire the caller's triggers, run with the caller's path. A schema of others before
-- pg_catalog could put its own operators in the place of those of Postgres.
CREATE FUNCTION neardup_internal.check_path() RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF pg_catalog.array_position(
            pg_catalog.array_remove(pg_catalog.current_schemas(true), (
                SELECT n.nspname FROM pg_catalog.pg_namespace n WHERE n.oid OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema())),
            'pg_catalog'::pg_catalog.name) OPERATOR(pg_catalog.>) 1 THEN
        RAISE EXCEPTION 'search_path names a schema before pg_catalog' USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Leave pg_catalog out of search_path; then it is searched first.';
    END IF;
END
$$;

CREATE FUNCTION neardup_internal.check_batch(batch integer, throttle interval) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF batch IS NULL OR batch NOT BETWEEN 1 AND 1000000 THEN
        RAISE EXCEPTION 'batch must be between 1 and 1000000: %', batch USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF throttle < interval '0' OR throttle > interval '1 hour' THEN
        RAISE EXCEPTION 'throttle must be between 0 and 1 hour: %', throttle USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

-- Whether an error may be about single rows, so that others can do without these. It is about all of them, or about the session or the server, in the
-- classes of connections, unsupported features, transactions, deadlocks, names and rights, resources, locks, cancelled statements, files and bugs, and
-- where a statement would have too many columns.
CREATE FUNCTION neardup_internal.may_be_about_rows(state text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN pg_catalog.left(state, 2) <> ALL ('{08,0A,25,40,42,53,55,57,58,XX}'::text[]) AND state <> '54011'::text;

-- Locks a table without blocking others for long: it leaves the lock queue after a moment, and returns whether it has the lock. An
-- autovacuum gives way only to a session that has waited for deadlock_timeout, so the fifth of every twenty tries waits that long. Then
-- Postgres may detect a deadlock, because CREATE INDEX CONCURRENTLY waits for all running transactions; in that case, the try fails, too.
CREATE FUNCTION neardup_internal.lock_briefly(target regclass, mode text, try integer) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET lock_timeout = '50ms' AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = target::oid) THEN
        RAISE EXCEPTION 'table with OID % no longer exists', target::oid USING ERRCODE = 'undefined_table';
    END IF;
    IF try % 20 = 5 AND EXISTS (SELECT FROM pg_locks l WHERE l.mode = 'ShareUpdateExclusiveLock' AND l.granted
            AND (l.relation = target::oid OR l.relation IN (SELECT p.relid::oid FROM pg_partition_tree(target) p))) THEN
        PERFORM set_config('lock_timeout', (s.setting::integer + 50)::text, true) FROM pg_settings s WHERE s.name = 'deadlock_timeout';
    END IF;
    EXECUTE format('LOCK TABLE %s IN %s MODE', target, mode);
    RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN false;
END
$$;

CREATE FUNCTION neardup_internal.lock_patiently(target regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    FOR try IN 1 .. 100 LOOP
        IF neardup_internal.lock_briefly(target, 'ACCESS EXCLUSIVE', try) THEN
            RETURN;
        END IF;
        PERFORM pg_catalog.pg_sleep(0.2);
    END LOOP;
    RAISE EXCEPTION 'could not lock table %', target USING ERRCODE = 'lock_not_available',
        DETAIL = 'Another session has held it for 25 seconds.';
END
$$;

COMMENT ON TABLE neardup.running IS 'behind neardup.progress: one row for each running procedure';
COMMENT ON VIEW neardup.progress IS 'clean-ups and other procedures that are running now: amount done, rate, time left';
COMMENT ON FUNCTION neardup_internal.may_be_about_rows(text) IS 'whether an error with this SQLSTATE may be about single rows of a batch';
COMMENT ON FUNCTION neardup_internal.lock_briefly(regclass, text, integer) IS 'locks a table if the lock is granted within a moment; the number of the attempt determines how long that is';
COMMENT ON FUNCTION neardup_internal.lock_patiently(regclass) IS 'locks a table to change its columns; retries, so that other sessions never wait long';
COMMENT ON FUNCTION neardup_internal.start_work(regclass, text, text, bigint) IS 'locks a table for a procedure and lists the procedure in neardup.progress';
COMMENT ON FUNCTION neardup_internal.note_work(regclass, bigint, bigint, timestamptz) IS 'records the amount of work that a procedure has done';
COMMENT ON FUNCTION neardup_internal.end_work(regclass) IS 'ends what neardup_internal.start_work began';
COMMENT ON FUNCTION neardup_internal.check_path() IS 'raises an error if the search_path names a schema before pg_catalog';
COMMENT ON FUNCTION neardup_internal.check_batch(integer, interval) IS 'raises an error if batch or throttle is out of range';
