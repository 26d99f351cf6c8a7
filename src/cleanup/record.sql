-- clean-up: the record of rows that were removed or skipped, and of references that were moved

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

CREATE FUNCTION neardup_internal.text_hash(document text) RETURNS bigint
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'text_hash_wrapper';
COMMENT ON FUNCTION neardup_internal.text_hash(text) IS 'a hash of a text, to detect changes; another version of the extension may use another hash';

CREATE TABLE neardup.runs (
    run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    target regclass NOT NULL,
    document name NOT NULL,
    action text NOT NULL,
    mark name,
    keep text NOT NULL,
    verify text NOT NULL,
    threshold double precision,
    removed bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    repointed bigint NOT NULL DEFAULT 0,
    restored bigint NOT NULL DEFAULT 0,
    started timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    finished timestamptz,
    role name NOT NULL DEFAULT CURRENT_USER,
    columns name[],
    against regclass
);

-- A row is stored as the text of its record, which restores every value of every type exactly. `columns` is NULL if they are those that
-- the table had when the run began, because each name takes 64 bytes. There is no foreign key to the run, because checking it for each
-- row took half of the time of a clean-up; only neardup.purge deletes runs, after their rows.
CREATE TABLE neardup.removed (
    run_id bigint NOT NULL,
    batch integer NOT NULL,
    key text NOT NULL,
    duplicate_of text NOT NULL,
    verdict text,
    measure text NOT NULL,
    value double precision NOT NULL,
    columns name[],
    record text,
    role name NOT NULL DEFAULT CURRENT_USER
);
CREATE INDEX ON neardup.removed (run_id, batch);

CREATE TABLE neardup.skipped (
    run_id bigint NOT NULL,
    key text NOT NULL,
    duplicate_of text NOT NULL,
    reason text NOT NULL,
    role name NOT NULL DEFAULT CURRENT_USER
);
CREATE INDEX ON neardup.skipped (run_id);

-- A row of another table is identified by its primary key or, if there is none, by the text of its whole record.
CREATE TABLE neardup.repointed (
    run_id bigint NOT NULL,
    batch integer NOT NULL,
    source regclass NOT NULL,
    columns name[] NOT NULL,
    target_columns name[] NOT NULL,
    key_columns name[],
    key text[] NOT NULL,
    old_values text[] NOT NULL,
    new_values text[] NOT NULL,
    role name NOT NULL DEFAULT CURRENT_USER
);
CREATE INDEX ON neardup.repointed (run_id, batch);

SELECT pg_catalog.pg_extension_config_dump('neardup.runs', '');
SELECT pg_catalog.pg_extension_config_dump('neardup.removed', '');
SELECT pg_catalog.pg_extension_config_dump('neardup.skipped', '');
SELECT pg_catalog.pg_extension_config_dump('neardup.repointed', '');
SELECT pg_catalog.pg_extension_config_dump('neardup.runs_run_id_seq', '');

-- A role that cleans a table records it here, and sees only what its roles removed.
GRANT SELECT, INSERT, UPDATE, DELETE ON neardup.runs TO public;
GRANT SELECT, INSERT, DELETE ON neardup.removed, neardup.skipped, neardup.repointed TO public;
ALTER TABLE neardup.runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE neardup.removed ENABLE ROW LEVEL SECURITY;
ALTER TABLE neardup.skipped ENABLE ROW LEVEL SECURITY;
ALTER TABLE neardup.repointed ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON neardup.runs USING (pg_catalog.pg_has_role(role, 'USAGE'));
CREATE POLICY own ON neardup.removed USING (
    pg_catalog.pg_has_role(role, 'USAGE') AND EXISTS (SELECT FROM neardup.runs r WHERE r.run_id = removed.run_id)
);
CREATE POLICY own ON neardup.skipped USING (
    pg_catalog.pg_has_role(role, 'USAGE') AND EXISTS (SELECT FROM neardup.runs r WHERE r.run_id = skipped.run_id)
);
CREATE POLICY own ON neardup.repointed USING (
    pg_catalog.pg_has_role(role, 'USAGE') AND EXISTS (SELECT FROM neardup.runs r WHERE r.run_id = repointed.run_id)
);

-- clean-up: the columns of a table, in their order

CREATE FUNCTION neardup_internal.column_names(target regclass) RETURNS name[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attname ORDER BY a.attnum) FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = target AND a.attnum > 0 AND NOT a.attisdropped
    );

-- clean-up: the beginning of a text

CREATE FUNCTION neardup_internal.beginning(document text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN pg_catalog.length(l.line) > 40 THEN pg_catalog.left(l.line, 40) || '…' ELSE l.line END
    FROM (SELECT pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.left(document, 400), '\s+', ' ', 'g')) AS line) l;
END;

COMMENT ON TABLE neardup.runs IS 'clean-ups: arguments, times, and how many rows were removed or marked, skipped, restored';
COMMENT ON TABLE neardup.removed IS 'rows that clean-ups removed, complete, each with the row it duplicates; for marked and deleted rows only the key';
COMMENT ON TABLE neardup.skipped IS 'copies that a clean-up left in place, and why';
COMMENT ON TABLE neardup.repointed IS 'references that a clean-up changed to the row that stays; neardup.restore changes them back';
COMMENT ON FUNCTION neardup_internal.column_names(regclass) IS 'column names of a table, in its order';
COMMENT ON FUNCTION neardup_internal.beginning(text) IS 'the first 40 characters of a text, on one line';
