-- guard: the trigger functions

CREATE FUNCTION neardup.guard() RETURNS trigger LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'neardup_guard';
CREATE FUNCTION neardup.release_locks() RETURNS trigger LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'neardup_release_locks';

-- guard: the list of guards, read from the triggers themselves, so that renames, dumps and restores need no upkeep. A trigger that
-- somebody made by hand counts only if the guard would accept its argument.

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
       CASE WHEN n.time THEN c.names[2 + n.columns + n.scope] END AS time_column,
       pg_catalog.make_interval(days => (n.window / 86400000000)::integer, secs => (n.window % 86400000000) / 1000000::double precision) AS within,
       CASE WHEN n.marks THEN c.names[pg_catalog.cardinality(c.names)] END AS duplicate_of,
       CASE WHEN s.settings -> 'divert' ->> 1 IS NOT NULL THEN
           pg_catalog.format('%I.%I', s.settings -> 'divert' ->> 0, s.settings -> 'divert' ->> 1) END AS diverted_to,
       coalesce((s.settings ->> 'log')::boolean, false) AS log,
       pg_catalog.to_timestamp((s.settings ->> 'since')::double precision) AS since,
       t.tgenabled <> 'D' AS enabled,
       t.tgname AS trigger
FROM pg_catalog.pg_trigger t
     CROSS JOIN LATERAL (
         SELECT neardup_internal.guard_settings(t.tgargs, pg_catalog.cardinality(t.tgattr::smallint[]))::jsonb AS settings
     ) s
     CROSS JOIN LATERAL (
         SELECT coalesce((s.settings ->> 'columns')::integer, 0) AS columns,
                coalesce((s.settings ->> 'scope')::integer, 0) AS scope,
                coalesce((s.settings ->> 'time')::boolean, false) AS time,
                coalesce((s.settings ->> 'marks')::boolean, false) AS marks,
                (s.settings ->> 'window')::bigint AS window
     ) n
     CROSS JOIN LATERAL (
         SELECT pg_catalog.array_agg(a.attname ORDER BY u.place) AS names
         FROM pg_catalog.unnest(t.tgattr::smallint[]) WITH ORDINALITY u(number, place)
              JOIN pg_catalog.pg_attribute a ON a.attrelid = t.tgrelid AND a.attnum = u.number
     ) c
WHERE t.tgfoid = 'neardup.guard'::regproc AND t.tgparentid = 0 AND t.tgnargs = 1 AND s.settings IS NOT NULL;

GRANT SELECT ON neardup.protected TO public;

-- guard: the primary key of a table, as a list of columns and as one text value

CREATE FUNCTION neardup_internal.key_columns(target regclass) RETURNS name[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attname ORDER BY k.place)
        FROM pg_catalog.pg_index i
             CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY k(number, place)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
        WHERE i.indrelid = target AND i.indisprimary AND k.place <= i.indnkeyatts
    );

CREATE FUNCTION neardup_internal.key_expression(target regclass, alias text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.format('pg_catalog.concat_ws('', '', %s)',
                   pg_catalog.string_agg(pg_catalog.format('%I.%I', alias, k.name), ', ' ORDER BY k.place))
        FROM pg_catalog.unnest(neardup_internal.key_columns(target)) WITH ORDINALITY k(name, place)
    );

-- guard: the sequence that counts a guard's actions; it belongs to the document column and is named after the action

CREATE FUNCTION neardup_internal.guard_counter(guarded neardup.protected, action text) RETURNS oid
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT c.oid
        FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_class c ON c.oid = d.objid
             JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a' AND c.relkind = 'S'
          AND d.refobjid = (guarded).target AND a.attname = (guarded).document
          AND c.relname ~ ('_' || action || '(_[0-9]+)?$')
        ORDER BY c.oid LIMIT 1
    );

-- guard: the document as an SQL expression, equal to the one the guard forms; without an alias, it is an index expression

CREATE FUNCTION neardup_internal.document_expression(target regclass, columns name[], expression text, alias text DEFAULT NULL) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE
        -- Partitions may have their columns in other orders, so an index on all of them names each column.
        WHEN expression IS NOT NULL THEN pg_catalog.format('%s(CAST(%s AS %s))', expression,
            CASE WHEN alias IS NOT NULL THEN pg_catalog.format('%s.*', alias)
                 WHEN c.relkind = 'r' THEN pg_catalog.format('%I.*', c.relname)
                 ELSE pg_catalog.format('ROW(%s)', (
                     SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY a.attnum)
                     FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)) END,
            pg_catalog.format_type(c.reltype, NULL))
        WHEN pg_catalog.cardinality(columns) > 1 THEN pg_catalog.format('neardup.document(%s)', p.parts)
        ELSE p.parts END
    FROM pg_catalog.pg_class c
         CROSS JOIN LATERAL (
             SELECT pg_catalog.string_agg(pg_catalog.format('CAST(%s%I AS pg_catalog.text)', alias || '.', n.name), ', ' ORDER BY n.place) AS parts
             FROM pg_catalog.unnest(columns) WITH ORDINALITY n(name, place)
         ) p
    WHERE c.oid = target;
END;

-- guard: a table's only guard, or the guard on a column

CREATE FUNCTION neardup_internal.guard_of(target regclass, document name DEFAULT NULL) RETURNS neardup.protected
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    guarded neardup.protected;
    guards bigint;
BEGIN
    SELECT pg_catalog.count(*) INTO guards FROM neardup.protected p
    WHERE p.target::oid = guard_of.target::oid AND (guard_of.document IS NULL OR p.document = guard_of.document);
    IF guards = 0 THEN
        RAISE EXCEPTION 'table % has no guard%', target, coalesce(' on column "' || document::text || '"', '')
            USING ERRCODE = 'undefined_object',
                  HINT = pg_catalog.format('Put one up: SELECT neardup.protect(%L, ''column'');', target);
    ELSIF guards > 1 THEN
        RAISE EXCEPTION 'table % has % guards', target, guards USING ERRCODE = 'ambiguous_column',
            HINT = 'Name the column: document => ''column''.';
    END IF;
    SELECT * INTO guarded FROM neardup.protected p
    WHERE p.target::oid = guard_of.target::oid AND (guard_of.document IS NULL OR p.document = guard_of.document);
    RETURN guarded;
END
$$;

COMMENT ON FUNCTION neardup_internal.guard_counter(neardup.protected, text) IS 'the sequence that counts how often a guard has taken an action';
COMMENT ON FUNCTION neardup_internal.guard_settings(bytea, integer) IS 'the settings of a guard trigger; NULL if its arguments are not a guard''s';
COMMENT ON FUNCTION neardup_internal.guard_index(regclass, text, smallint[], regproc) IS 'the index with which a guard with these settings finds candidates';
COMMENT ON FUNCTION neardup_internal.document_expression(regclass, name[], text, text) IS 'a document as an SQL expression over columns, or as a function of the row';
