-- groups: of each row the group that it belongs to

-- The settings make the text of a key the same for every session; times without a zone are those of the caller's.
CREATE FUNCTION neardup_internal.listed_groups(guarded neardup.protected, zone text)
    RETURNS TABLE (key text, group_key text, size bigint, first_seen timestamptz, last_seen timestamptz)
    LANGUAGE plpgsql STABLE STRICT PARALLEL RESTRICTED
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' SET jit = off AS $$
DECLARE
    root pg_catalog.regclass := (guarded).target;
    keys pg_catalog.text;
    columns pg_catalog.text;
    seen pg_catalog.text := 'NULL::pg_catalog.timestamptz';
    mark pg_catalog.text := 'NULL::pg_catalog.text';
BEGIN
    SELECT pg_catalog.string_agg(pg_catalog.format('pg_catalog.concat(t.%I)', k.name), ', ' ORDER BY k.place),
           pg_catalog.string_agg(pg_catalog.format('t.%I', k.name), ', ' ORDER BY k.place) INTO keys, columns
    FROM pg_catalog.unnest(neardup_internal.key_columns(root)) WITH ORDINALITY k(name, place);
    IF (guarded).time_column IS NOT NULL THEN
        -- A column of another type, by which somebody has made the trigger again, is refused by the list below, and converted by nobody.
        WITH RECURSIVE y AS (
            SELECT a.atttypid AS kind FROM pg_catalog.pg_attribute a
            WHERE a.attrelid OPERATOR(pg_catalog.=) root::pg_catalog.oid AND a.attname OPERATOR(pg_catalog.=) (guarded).time_column
            UNION ALL SELECT d.typbasetype FROM y JOIN pg_catalog.pg_type d ON d.oid OPERATOR(pg_catalog.=) y.kind WHERE d.typtype OPERATOR(pg_catalog.=) 'd'::"char")
        SELECT pg_catalog.format(CASE y.kind WHEN 'pg_catalog.timestamptz'::pg_catalog.regtype::pg_catalog.oid THEN 'CAST(t.%1$I AS pg_catalog.timestamptz)'
                   ELSE 'pg_catalog.timezone(%2$L, CAST(t.%1$I AS pg_catalog.timestamp))' END, (guarded).time_column, zone)
            INTO seen
        FROM y WHERE y.kind OPERATOR(pg_catalog.=) ANY ('{pg_catalog.timestamptz,pg_catalog.timestamp,pg_catalog.date}'::pg_catalog.regtype[]::pg_catalog.oid[]);
        seen := coalesce(seen, 'NULL::pg_catalog.timestamptz');
    END IF;
    IF (guarded).duplicate_of IS NOT NULL THEN
        mark := pg_catalog.format('CASE WHEN t.%1$I IS NOT NULL THEN pg_catalog.concat(t.%1$I) END', (guarded).duplicate_of);
    END IF;
    -- A row is in the group that its mark names, or that of the row named, if it has a mark itself: a copy that is written while marks move. One without a mark may be a longer text that contains others, or the guard may not mark:
    -- it is in the group of the first row of those that a list puts together. A row that answers keep apart from an earlier row of its group
    -- leaves it.
    RETURN QUERY EXECUTE pg_catalog.format(
        'WITH RECURSIVE r AS ('
        '    SELECT neardup_internal.key_text(ARRAY[%1$s]) AS key, %2$s AS seen, %3$s AS mark, pg_catalog.row_number() OVER (ORDER BY %2$s, %7$s) AS place '
        '    FROM %4$s%8$s t), '
        'w AS MATERIALIZED (SELECT r.key, r.mark FROM r WHERE r.mark IS NOT NULL), '
        'f AS ('
        '    SELECT w.key, o.mark FROM w JOIN w o ON o.key OPERATOR(pg_catalog.=) w.mark '
        '    UNION SELECT f.key, w.mark FROM f JOIN w ON w.key OPERATOR(pg_catalog.=) f.mark), '
        'e AS ('
        '    SELECT r.key, r.seen, coalesce(t.mark, r.mark) AS mark, r.place '
        '    FROM r LEFT JOIN f t ON t.key OPERATOR(pg_catalog.=) r.key AND NOT EXISTS (SELECT FROM w WHERE w.key OPERATOR(pg_catalog.=) t.mark)), '
        'l AS ('
        '    SELECT e.key, e.seen, e.mark, e.place, pg_catalog.first_value(coalesce(e.mark, e.key)) OVER ('
        '               PARTITION BY coalesce(d.duplicate_of, e.key) ORDER BY e.place) AS listed '
        '    FROM e LEFT JOIN neardup.duplicates(%5$L, document => %6$L) d ON d.key OPERATOR(pg_catalog.=) e.key), '
        'g AS ('
        '    SELECT l.key, l.seen, l.place, CASE WHEN l.mark IS NULL THEN l.listed ELSE coalesce(o.listed, l.mark) END AS group_key '
        '    FROM l LEFT JOIN l o ON o.key OPERATOR(pg_catalog.=) l.mark AND o.mark IS NULL), '
        'n AS MATERIALIZED ('
        '    SELECT g.key, g.group_key, g.place, a.own, a.other '
        '    FROM g JOIN neardup_internal.kept_apart(%5$L::pg_catalog.regclass, %6$L::pg_catalog.name) a ON a.key OPERATOR(pg_catalog.=) g.key), '
        'x AS ('
        '    SELECT DISTINCT n.key FROM n JOIN n e ON e.group_key OPERATOR(pg_catalog.=) n.group_key AND e.own OPERATOR(pg_catalog.=) n.other '
        '    WHERE e.place OPERATOR(pg_catalog.<) n.place), '
        'h AS ('
        '    SELECT g.key, g.seen, CASE WHEN x.key IS NULL THEN g.group_key ELSE g.key END AS group_key '
        '    FROM g LEFT JOIN x ON x.key OPERATOR(pg_catalog.=) g.key) '
        'SELECT h.key, h.group_key, pg_catalog.count(*) OVER same, pg_catalog.min(h.seen) OVER same, pg_catalog.max(h.seen) OVER same '
        'FROM h WINDOW same AS (PARTITION BY h.group_key)',
        keys, seen, mark,
        -- Rows of tables that inherit are not guarded; partitions are.
        CASE (SELECT c.relkind FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) root::pg_catalog.oid) WHEN 'p' THEN '' ELSE 'ONLY ' END,
        root, (guarded).document, columns,
        -- With its schema: a table may be called what a part of the statement is.
        (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
         WHERE c.oid OPERATOR(pg_catalog.=) root::pg_catalog.oid));
END
$$;

CREATE FUNCTION neardup.groups(target regclass, document name DEFAULT NULL)
    RETURNS TABLE (key text, group_key text, size bigint, first_seen timestamptz, last_seen timestamptz)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $$
BEGIN
    PERFORM neardup_internal.check_path();
    RETURN QUERY SELECT g.key, g.group_key, g.size, g.first_seen, g.last_seen
        FROM neardup_internal.listed_groups(neardup_internal.only_guard(target, groups.document), pg_catalog.current_setting('timezone')) g;
END
$$;

-- groups: the guard of a table, or the one on a column

CREATE FUNCTION neardup_internal.check_one_guard(target regclass, column_name text, guards bigint) RETURNS void
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

COMMENT ON FUNCTION neardup_internal.listed_groups(neardup.protected, text) IS 'the groups of a guarded table, with times without a zone in this one';
COMMENT ON FUNCTION neardup.groups(regclass, name) IS 'the group of each row of a guarded table: key, the key by which the group is named, the number of rows, and the times of the first and the last one, if the guard has a time_column. A group is named after its first row; with on_duplicate mark, it keeps that name when the row is deleted. It joins the copies that neardup.duplicates lists: SELECT * FROM neardup.groups(''articles'') WHERE size > 1';
COMMENT ON FUNCTION neardup_internal.only_guard(regclass, name) IS 'the guard of a table, or the one on a column; raises an error if there is none, or several';
COMMENT ON FUNCTION neardup_internal.check_one_guard(regclass, text, bigint) IS 'raises an error unless a table, or a column of it, has one guard';

-- make_first: the row that stands for its group, by a user's own trigger

CREATE FUNCTION neardup.make_first(target regclass, key text, rank text[] DEFAULT NULL, document name DEFAULT NULL) RETURNS boolean
    LANGUAGE c VOLATILE COST 1000 AS 'MODULE_PATHNAME', 'make_first_wrapper';
COMMENT ON FUNCTION neardup.make_first(regclass, text, text[], name) IS 'makes a row that a guard has marked the first of its group, with rank only if it is better than the first one by these columns: its mark is taken off, and the rows of the group are marked with its key; no answer is noted. False if the row stays a copy, or has no mark. For an AFTER INSERT trigger: PERFORM neardup.make_first(TG_RELID, NEW.id::text, rank => ''{source_rank}'')';
