-- groups: of each row the group that it belongs to

CREATE FUNCTION neardup.groups(target regclass, document name DEFAULT NULL)
    RETURNS TABLE (key text, group_key text, size bigint, first_seen timestamptz, last_seen timestamptz)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $$
#variable_conflict use_column
DECLARE
    guarded neardup.protected := neardup_internal.only_guard(target, groups.document);
    root regclass := (guarded).target;
    keys text;
    seen text := 'NULL::timestamptz';
    found_copies text := '';
    group_of text;
BEGIN
    SELECT pg_catalog.string_agg('t.' || pg_catalog.quote_ident(k.name::text), ', ' ORDER BY k.place) INTO keys
    FROM pg_catalog.unnest(neardup_internal.key_columns(root)) WITH ORDINALITY k(name, place);
    IF guarded.time_column IS NOT NULL THEN
        seen := pg_catalog.format('CAST(t.%I AS pg_catalog.timestamptz)', guarded.time_column);
    END IF;
    IF guarded.duplicate_of IS NOT NULL THEN
        group_of := pg_catalog.format('CAST(t.%I AS pg_catalog.text)', guarded.duplicate_of);
    ELSE
        group_of := 'd.duplicate_of';
        found_copies := pg_catalog.format('LEFT JOIN neardup.duplicates(%L, document => %L) d '
            'ON d.key OPERATOR(pg_catalog.=) pg_catalog.concat_ws('', '', %s)', root, guarded.document, keys);
    END IF;
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT r.key, r.group_key, pg_catalog.count(*) OVER same, pg_catalog.min(r.seen) OVER same, pg_catalog.max(r.seen) OVER same '
        'FROM (SELECT pg_catalog.concat_ws('', '', %1$s) AS key, %2$s AS seen, '
        '             coalesce(%3$s, pg_catalog.concat_ws('', '', %1$s)) AS group_key '
        '      FROM %6$s%4$s t %5$s) r '
        'WINDOW same AS (PARTITION BY r.group_key)',
        keys, seen, group_of, root, found_copies,
        -- Rows of tables that inherit are not guarded; partitions are.
        CASE (SELECT c.relkind FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) root::pg_catalog.oid) WHEN 'p' THEN '' ELSE 'ONLY ' END);
END
$$;

-- groups: the guard of a table, or the one on a column

CREATE FUNCTION neardup_internal.check_one_guard(target regclass, document text, guards bigint) RETURNS void
    LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'check_one_guard_wrapper';

CREATE FUNCTION neardup_internal.only_guard(target regclass, document name) RETURNS neardup.protected
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    guarded neardup.protected;
    guards bigint;
BEGIN
    SELECT count(*) INTO guards FROM neardup.protected p
    WHERE p.target::oid = only_guard.target::oid AND (only_guard.document IS NULL OR p.document = only_guard.document);
    PERFORM neardup_internal.check_one_guard(target, document::text, guards);
    SELECT * INTO guarded FROM neardup.protected p
    WHERE p.target::oid = only_guard.target::oid AND (only_guard.document IS NULL OR p.document = only_guard.document);
    RETURN guarded;
END
$$;

COMMENT ON FUNCTION neardup.groups(regclass, name) IS 'the group of each row of a guarded table: key, the key by which the group is named, the number of rows, and the times of the first and the last one, if the guard has a time_column. With on_duplicate mark, a group is named after its first row, as marked; for other guards after the row that neardup.duplicates keeps: SELECT * FROM neardup.groups(''articles'') WHERE size > 1';
COMMENT ON FUNCTION neardup_internal.only_guard(regclass, name) IS 'the guard of a table, or the one on a column; raises an error if there is none, or several';
COMMENT ON FUNCTION neardup_internal.check_one_guard(regclass, text, bigint) IS 'raises an error unless a table, or a column of it, has one guard';
