-- clean-up: tables beside a table that has another name by now
--
-- The tables of removed rows and of answers are found by their names, so that DROP EXTENSION, dumps and restores need no care. ALTER TABLE ... RENAME
-- leaves them where they are; without the answers, a clean-up would remove again what has been restored. The log knows both tables.

-- The statements that give a table this schema and name; NULL if there is no such table, it has them, or another one has.
CREATE FUNCTION neardup_internal.renaming(relation regclass, wanted text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_catalog.concat_ws(' ',
        CASE WHEN n.nspname <> w.parts[1] THEN pg_catalog.format('ALTER TABLE %I.%I SET SCHEMA %I;', n.nspname, c.relname, w.parts[1]) END,
        CASE WHEN c.relname <> w.parts[2] THEN pg_catalog.format('ALTER TABLE %I.%I RENAME TO %I;', w.parts[1], c.relname, w.parts[2]) END)
    FROM (SELECT pg_catalog.parse_ident(wanted) AS parts) w, pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = relation::oid AND pg_catalog.to_regclass(wanted) IS NULL;
END;

-- The statements after which the tables that clean-ups and restores have left beside a table are found again.
CREATE FUNCTION neardup_internal.left_behind(target regclass, OUT removed text, OUT answers text)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_catalog.max(neardup_internal.renaming(r.kept_in, neardup_internal.removed_name(target))),
           pg_catalog.max(neardup_internal.renaming(r.answers, neardup_internal.answers_name(target)))
    FROM (SELECT (pg_catalog.array_agg(r.kept_in ORDER BY r.run_id DESC) FILTER (WHERE r.kept_in IS NOT NULL))[1] AS kept_in,
                 (pg_catalog.array_agg(r.answers ORDER BY r.run_id DESC) FILTER (WHERE r.answers IS NOT NULL))[1] AS answers
          FROM neardup.runs r WHERE r.target::oid = left_behind.target::oid) r;
END;

-- Fails if the answers on a table that was cleaned up are not found under its name.
CREATE FUNCTION neardup_internal.check_renamed(target regclass) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    behind record := neardup_internal.left_behind(target);
BEGIN
    IF behind.answers IS NOT NULL THEN
        RAISE EXCEPTION 'table % was renamed or moved, and the answers on it were not', target USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'Rows that have been restored would be removed again.',
            HINT = format('%s Or begin without them: SELECT neardup.keep_answers(%L);', concat_ws(' ', behind.answers, behind.removed), target);
    END IF;
END
$$;

COMMENT ON FUNCTION neardup_internal.left_behind(regclass) IS 'the statements that bring the tables of removed rows and of answers beside a table that was renamed or moved; NULL where that is not needed';
COMMENT ON FUNCTION neardup_internal.renaming(regclass, text) IS 'the statements that give a table another schema and name';
COMMENT ON FUNCTION neardup_internal.check_renamed(regclass) IS 'raises an error if a table was renamed or moved without the table of answers on it';
