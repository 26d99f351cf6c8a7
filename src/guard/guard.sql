-- guard: the trigger functions

CREATE FUNCTION neardup_internal.row_stored() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'row_stored_wrapper';
COMMENT ON FUNCTION neardup_internal.row_stored() IS 'the WHEN condition of neardup.release_locks, evaluated just after a row is stored: releases the row''s locks, and is false';

CREATE FUNCTION neardup_internal.guard_settings(arguments bytea, columns integer) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'guard_settings_wrapper';
COMMENT ON FUNCTION neardup_internal.guard_settings(bytea, integer) IS 'the settings of a guard trigger; NULL if its arguments are not a guard''s';

CREATE FUNCTION neardup.let_through(target regclass, answer boolean DEFAULT true) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'let_through_wrapper';
COMMENT ON FUNCTION neardup.let_through(regclass, boolean) IS 'lets the rows of this transaction into a guarded table; rows that other transactions write meanwhile are not compared with them. With answer, a row that would have been a duplicate is noted in neardup.answers as no copy, so that no clean-up removes it; otherwise rows are not judged. Only for the table''s owner: SELECT neardup.let_through(''articles'')';

CREATE FUNCTION neardup.guard() RETURNS trigger LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'neardup_guard';
CREATE FUNCTION neardup.release_locks() RETURNS trigger LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'neardup_release_locks';

CREATE FUNCTION neardup_internal.shortened_name(name text, longest integer) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'shortened_name_wrapper';
COMMENT ON FUNCTION neardup_internal.shortened_name(text, integer) IS 'a name, or neardup_ and its hash where it has more bytes: the beginning of names of what lies beside a table';

-- guard: the text form of a key (crates/neardup-core/src/row_key.rs)

CREATE FUNCTION neardup_internal.key_text(key text[]) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'text_of_key_wrapper';
COMMENT ON FUNCTION neardup_internal.key_text(text[]) IS 'a primary key as one text, from those of its columns, as lists show it and marks store it';

-- guard: names the function that merges rows, in the WHEN condition of a guard's trigger. A condition is stored by the number of the
-- function, follows its renames, keeps it from being dropped, and has its name in dumps.

CREATE FUNCTION neardup_internal.merges_by(function regprocedure) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN true;

-- guard: the list of guards, read from the triggers themselves, so that renames, dumps and restores need no upkeep. A trigger that
-- a user made by hand counts only if the guard would accept its argument.

CREATE VIEW neardup.protected AS
SELECT t.tgrelid::regclass AS target,
       c.names[1] AS document,
       coalesce(s.settings ->> 'method', 'sketch') AS method,
       s.settings ->> 'analyzer' AS analyzer,
       (s.settings ->> 'keys')::integer AS keys,
       (s.settings ->> 'distance')::integer AS distance,
       s.settings ->> 'on_duplicate' AS on_duplicate,
       coalesce(s.settings ->> 'verify', 'facts') AS verify,
       (s.settings ->> 'threshold')::double precision AS threshold,
       c.names[1:1 + n.columns] AS columns,
       CASE WHEN s.settings -> 'expression' ->> 1 IS NOT NULL THEN
           pg_catalog.format('%I.%I', s.settings -> 'expression' ->> 0, s.settings -> 'expression' ->> 1) END AS expression,
       c.names[2 + n.columns:1 + n.columns + n.scope] AS scope,
       c.names[2 + n.columns + n.scope + n.time + n.title:1 + n.columns + n.scope + n.time + n.title + n.differ] AS differ,
       c.names[2 + n.columns + n.scope + n.time + n.title + n.differ:1 + n.columns + n.scope + n.time + n.title + n.differ + n.agree] AS agree,
       CASE WHEN n.title > 0 THEN c.names[2 + n.columns + n.scope + n.time] END AS title,
       coalesce(s.settings ->> 'excerpts', 'remove') AS excerpts,
       CASE WHEN n.time > 0 THEN c.names[2 + n.columns + n.scope] END AS time_column,
       pg_catalog.make_interval(days => (n.window / 86400000000)::integer,
                                secs => (n.window % 86400000000)::double precision / 1000000::double precision) AS within,
       CASE WHEN n.marks THEN c.names[pg_catalog.cardinality(c.names) - n.related] END AS duplicate_of,
       CASE WHEN s.settings -> 'divert' ->> 1 IS NOT NULL THEN
           pg_catalog.format('%I.%I', s.settings -> 'divert' ->> 0, s.settings -> 'divert' ->> 1) END AS diverted_to,
       (SELECT d.refobjid::regprocedure
        FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_trigger'::regclass::oid AND d.objid = t.oid AND d.refclassid = 'pg_catalog.pg_proc'::regclass::oid
          AND d.refobjid <> t.tgfoid AND d.refobjid <> 'neardup_internal.merges_by'::regproc::oid AND s.settings ->> 'on_duplicate' = 'merge'
        LIMIT 1) AS merge,
       coalesce((s.settings ->> 'log')::boolean, false) AS log,
       pg_catalog.to_timestamp((s.settings ->> 'since')::double precision) AS since,
       t.tgenabled <> 'D' AS enabled,
       t.tgname AS trigger,
       pg_catalog.jsonb_array_length(s.settings -> 'correction') AS learned,
       coalesce(s.settings ->> 'on_related', 'store') AS on_related,
       CASE WHEN n.related > 0 THEN c.names[pg_catalog.cardinality(c.names) - 1] END AS related_to,
       CASE WHEN n.related > 0 THEN c.names[pg_catalog.cardinality(c.names)] END AS related_as
FROM pg_catalog.pg_trigger t
     CROSS JOIN LATERAL (
         -- Read once, and not for each column.
         SELECT neardup_internal.guard_settings(t.tgargs, pg_catalog.cardinality(t.tgattr::smallint[]))::jsonb AS settings OFFSET 0
     ) s
     CROSS JOIN LATERAL (
         SELECT coalesce((s.settings ->> 'columns')::integer, 0) AS columns,
                coalesce((s.settings ->> 'scope')::integer, 0) AS scope,
                coalesce((s.settings ->> 'time')::boolean, false)::integer AS time,
                coalesce((s.settings ->> 'title')::boolean, false)::integer AS title,
                coalesce((s.settings ->> 'differ')::integer, 0) AS differ,
                coalesce((s.settings ->> 'agree')::integer, 0) AS agree,
                coalesce((s.settings ->> 'marks')::boolean, false) AS marks,
                2 * coalesce((s.settings ->> 'relates')::boolean, false)::integer AS related,
                (s.settings ->> 'window')::bigint AS window
     ) n
     CROSS JOIN LATERAL (
         SELECT pg_catalog.array_agg(a.attname ORDER BY u.place) AS names
         FROM pg_catalog.unnest(t.tgattr::smallint[]) WITH ORDINALITY u(number, place)
              JOIN pg_catalog.pg_attribute a ON a.attrelid = t.tgrelid AND a.attnum = u.number
     ) c
WHERE t.tgfoid = 'neardup.guard'::regproc::oid AND t.tgparentid = 0::oid AND t.tgnargs = 1 AND s.settings IS NOT NULL;

GRANT SELECT ON neardup.protected TO public;

-- guard: the columns of the primary key of a table

CREATE FUNCTION neardup_internal.key_columns(target regclass) RETURNS name[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attname ORDER BY k.place)
        FROM pg_catalog.pg_index i
             CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY k(number, place)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
        WHERE i.indrelid = target::oid AND i.indisprimary AND k.place <= i.indnkeyatts
    );

-- guard: the sequence that counts a guard's actions; it belongs to the document column and is named after the action

CREATE FUNCTION neardup_internal.guard_counter(guarded neardup.protected, action text) RETURNS oid
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT c.oid
        FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_class c ON c.oid = d.objid
             JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_catalog.pg_class'::regclass::oid AND d.refclassid = 'pg_catalog.pg_class'::regclass::oid AND d.deptype = 'a' AND c.relkind = 'S'
          AND d.refobjid = ((guarded).target)::oid AND a.attname = (guarded).document
          AND c.relname ~ ('_' || action || '(_[0-9]+)?$')
        ORDER BY c.oid LIMIT 1
    );

COMMENT ON FUNCTION neardup_internal.guard_counter(neardup.protected, text) IS 'the sequence that counts how often a guard has taken an action';
COMMENT ON FUNCTION neardup_internal.merges_by(regprocedure) IS 'in the condition of a guard''s trigger: names the function that merges rows';
COMMENT ON VIEW neardup.protected IS 'tables under guard, with their settings';
COMMENT ON FUNCTION neardup.guard() IS 'the trigger behind neardup.protect: judges a new document and acts on a near-duplicate';
COMMENT ON FUNCTION neardup.release_locks() IS 'the trigger whose condition releases the locks of neardup.guard for a row, when the row is stored';
COMMENT ON FUNCTION neardup_internal.key_columns(regclass) IS 'columns of the primary key, in its order';
