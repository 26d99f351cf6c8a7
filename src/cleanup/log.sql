-- clean-up: the log. It is for people; nothing is done by what it says. Clean-ups write it with the rights of the table's owner.

CREATE TABLE neardup_internal.runs (
    target regclass NOT NULL,
    run_id bigint NOT NULL,
    document name NOT NULL,
    action text NOT NULL,
    keep text NOT NULL,
    verify text NOT NULL,
    threshold double precision,
    against regclass,
    found bigint NOT NULL,
    removed bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    restored bigint NOT NULL DEFAULT 0,
    started timestamptz NOT NULL,
    finished timestamptz,
    role name NOT NULL,
    PRIMARY KEY (target, run_id)
);

CREATE TABLE neardup_internal.skipped (
    target regclass NOT NULL,
    run_id bigint NOT NULL,
    key text NOT NULL,
    duplicate_of text NOT NULL,
    reason text NOT NULL,
    role name NOT NULL
);
CREATE INDEX ON neardup_internal.skipped (target, run_id);
-- A key may be longer than a B-tree takes.
CREATE INDEX ON neardup_internal.skipped USING hash (key);
-- It has no key. Without this, Postgres refuses to change its rows where a publication is for all tables.
ALTER TABLE neardup_internal.skipped REPLICA IDENTITY FULL;

SELECT pg_catalog.pg_extension_config_dump('neardup_internal.runs', '');
SELECT pg_catalog.pg_extension_config_dump('neardup_internal.skipped', '');
GRANT SELECT, INSERT ON neardup_internal.runs, neardup_internal.skipped TO pg_database_owner;

-- The owner of a table writes what concerns it, and a role reads what it did itself, too.
CREATE VIEW neardup_internal.own_runs WITH (security_barrier) AS
SELECT * FROM neardup_internal.runs r WHERE neardup_internal.is_owner(r.target)
WITH CHECK OPTION;
CREATE VIEW neardup_internal.own_skipped WITH (security_barrier) AS
SELECT * FROM neardup_internal.skipped s WHERE neardup_internal.is_owner(s.target)
WITH CHECK OPTION;
CREATE VIEW neardup.runs WITH (security_barrier) AS
SELECT * FROM neardup_internal.runs r WHERE neardup_internal.is_owner(r.target) OR neardup_internal.is_member(r.role);
CREATE VIEW neardup.skipped WITH (security_barrier) AS
SELECT s.target, s.run_id, s.key, s.duplicate_of, s.reason FROM neardup_internal.skipped s
WHERE neardup_internal.is_owner(s.target) OR neardup_internal.is_member(s.role);
GRANT SELECT, INSERT, UPDATE, DELETE ON neardup_internal.own_runs, neardup_internal.own_skipped TO public;
GRANT SELECT ON neardup.runs, neardup.skipped TO public;

COMMENT ON TABLE neardup_internal.runs IS 'behind neardup.runs: the clean-ups of all tables';
COMMENT ON TABLE neardup_internal.skipped IS 'behind neardup.skipped: the rows of all tables';
COMMENT ON VIEW neardup_internal.own_runs IS 'clean-ups of tables of the current user';
COMMENT ON VIEW neardup_internal.own_skipped IS 'rows that clean-ups of tables of the current user left in place';
COMMENT ON VIEW neardup.runs IS 'log of clean-ups: arguments, times, and how many rows were found, removed or marked, skipped, restored; run_id counts the runs of a table';
COMMENT ON VIEW neardup.skipped IS 'log of the copies that a clean-up left in place, and why; one that is left again is listed under the last run';
