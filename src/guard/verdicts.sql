-- logs and profiles: who sees a row
--
-- The rows of all roles are in tables of neardup_internal. A role sees and changes its own through views, which hold new rows to the same
-- condition. Row security would do that too, but pg_dump fails on a table with policies unless a superuser runs it: here the database's
-- owner may read and fill the tables.

CREATE FUNCTION neardup_internal.is_member(role name) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = role AND pg_catalog.pg_has_role(r.oid, 'USAGE'));

CREATE FUNCTION neardup_internal.is_owner(target regclass) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN coalesce(
        pg_catalog.pg_has_role((SELECT c.relowner FROM pg_catalog.pg_class c WHERE c.oid = target::oid), 'USAGE'),
        (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = CURRENT_USER));

-- verdicts: what guards have done, if protect was called with log; refusals are errors, whose transaction leaves nothing here

CREATE TABLE neardup_internal.verdicts (
    verdict_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    target regclass NOT NULL,
    document name NOT NULL,
    action text NOT NULL,
    key text NOT NULL,
    duplicate_of text NOT NULL,
    measure text NOT NULL,
    value double precision NOT NULL,
    role name NOT NULL
);
CREATE INDEX ON neardup_internal.verdicts (at);

SELECT pg_catalog.pg_extension_config_dump('neardup_internal.verdicts', '');
SELECT pg_catalog.pg_extension_config_dump('neardup_internal.verdicts_verdict_id_seq', '');
GRANT SELECT, INSERT ON neardup_internal.verdicts TO pg_database_owner;
GRANT SELECT, UPDATE ON neardup_internal.verdicts_verdict_id_seq TO pg_database_owner;

-- The guard writes here as the owner of its table, who can read, write and delete only rows about that table.
CREATE VIEW neardup.verdicts WITH (security_barrier) AS
SELECT v.verdict_id, v.at, v.target, v.document, v.action, v.key, v.duplicate_of, v.measure, v.value, v.role
FROM neardup_internal.verdicts v WHERE neardup_internal.is_owner(v.target)
WITH CHECK OPTION;
GRANT SELECT, INSERT, DELETE ON neardup.verdicts TO public;

-- verdicts: retention

CREATE PROCEDURE neardup.purge_verdicts(older_than interval DEFAULT '30 days', INOUT purged bigint DEFAULT NULL)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF older_than IS NULL OR older_than < interval '0' THEN
        RAISE EXCEPTION 'older_than must be 0 or more: %', older_than USING ERRCODE = 'invalid_parameter_value';
    END IF;
    DELETE FROM neardup.verdicts v WHERE v.at < pg_catalog.now() - older_than;
    GET DIAGNOSTICS purged = ROW_COUNT;
END
$$;

-- verdicts: the number of each guard's actions

CREATE VIEW neardup.counters AS
SELECT p.target, p.document, a.action,
       CASE WHEN pg_catalog.has_sequence_privilege(s.counter, 'SELECT')
            THEN coalesce(pg_catalog.pg_sequence_last_value(s.counter), 0) END AS count
FROM neardup.protected p
     CROSS JOIN pg_catalog.unnest(ARRAY['reject', 'skip', 'warn', 'mark', 'divert', 'merge']) a(action)
     CROSS JOIN LATERAL (SELECT neardup_internal.guard_counter(p, a.action) AS counter) s
WHERE s.counter IS NOT NULL;

GRANT SELECT ON neardup.counters TO public;

CREATE FUNCTION neardup_internal.index_of_guard(guarded neardup.protected) RETURNS regclass
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN neardup_internal.guard_index((guarded).target,
        pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
            'method', (guarded).method, 'analyzer', (guarded).analyzer, 'keys', (guarded).keys, 'distance', (guarded).distance,
            'on_duplicate', (guarded).on_duplicate, 'columns', pg_catalog.cardinality((guarded).columns) - 1,
            'expression', pg_catalog.parse_ident((guarded).expression)))::text,
        (guarded).columns::text[]);

-- verdicts: what there is to watch of each guard. Postgres counts the searches of the guard's indexes; nothing is written for a row that
-- is no near-duplicate.

CREATE VIEW neardup.statistics AS
SELECT p.target, p.document, p.on_duplicate, c.found, i.searches, i.entries, i.hot_keys, i.bytes
FROM neardup.protected p
     CROSS JOIN LATERAL (
         SELECT pg_catalog.sum(n.count)::bigint AS found FROM neardup.counters n WHERE n.target::oid = p.target::oid AND n.document = p.document
     ) c
     CROSS JOIN LATERAL (
         SELECT pg_catalog.sum(pg_catalog.pg_stat_get_numscans(t.relid))::bigint AS searches,
                pg_catalog.sum(pg_catalog.pg_stat_get_tuples_returned(t.relid))::bigint AS entries,
                -- Counted there by the guard (src/index/values.rs); an index has no HOT updates.
                pg_catalog.sum(pg_catalog.pg_stat_get_tuples_hot_updated(t.relid))::bigint AS hot_keys,
                pg_catalog.sum(pg_catalog.pg_relation_size(t.relid))::bigint AS bytes
         FROM (SELECT neardup_internal.index_of_guard(p) AS relid
               -- Returns nothing for an index that is not partitioned.
               UNION SELECT l.relid FROM pg_catalog.pg_partition_tree(neardup_internal.index_of_guard(p)) l) t
     ) i;

GRANT SELECT ON neardup.statistics TO public;

COMMENT ON FUNCTION neardup_internal.is_member(name) IS 'whether a role exists and the current user has its rights';
COMMENT ON FUNCTION neardup_internal.is_owner(regclass) IS 'whether the current user has the rights of a table''s owner';
COMMENT ON TABLE neardup_internal.verdicts IS 'behind neardup.verdicts: the rows about all tables';
COMMENT ON VIEW neardup.verdicts IS 'log of guards with log => true on tables of the current user: rows skipped, diverted, marked, merged and warned of, each with its original and the measure';
COMMENT ON PROCEDURE neardup.purge_verdicts(interval, bigint) IS 'deletes the rows of neardup.verdicts that are older than an interval, and returns their number: CALL neardup.purge_verdicts(''90 days'')';
COMMENT ON VIEW neardup.statistics IS 'what to watch of each guard: near-duplicates found, look-ups of keys in its index, entries read by them, hot keys met by the guard, and the index''s size';
COMMENT ON FUNCTION neardup_internal.index_of_guard(neardup.protected) IS 'the index by which a guard finds candidates';
COMMENT ON VIEW neardup.counters IS 'how many near-duplicates each guard has refused, skipped, warned of, marked, diverted or merged, including those of rolled back transactions';
