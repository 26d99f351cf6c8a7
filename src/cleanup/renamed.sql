-- clean-up: tables beside a table that has another name by now
--
-- The tables of removed rows and of answers are found by their names, so that DROP EXTENSION, dumps and restores need no care. ALTER TABLE ... RENAME
-- leaves them where they are; without them, a clean-up would remove again what has been restored.

-- The statements after which the tables of a table that is not there any more lie beside this one, where it has none of its own. Shortened names, of
-- more than 55 bytes, are not found.
CREATE FUNCTION neardup_internal.left_behind(target regclass) RETURNS TABLE (statement text)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT format('ALTER TABLE %I.%I %s;', n.nspname, r.relname, CASE r.relnamespace WHEN t.relnamespace THEN format('RENAME TO %I', k.parts[2]) ELSE format('SET SCHEMA %I', k.parts[1]) END)
    FROM pg_class t
    JOIN pg_class r ON r.relowner = t.relowner AND r.relkind = 'r'
    JOIN pg_namespace n ON n.oid = r.relnamespace
    JOIN (SELECT o.ending, o.columns, parse_ident(o.name) AS parts
          FROM (VALUES ('_removed', '{neardup_run,neardup_key}'::name[], neardup_internal.removed_name(target)),
                       ('_answers', '{is_copy,other_hash}'::name[], neardup_internal.answers_name(target))) o(ending, columns, name)
          WHERE to_regclass(o.name) IS NULL) k ON right(r.relname, length(k.ending)) = k.ending
    WHERE t.oid = target::oid
          AND (r.relnamespace = t.relnamespace OR r.relname = k.parts[2])
          AND NOT EXISTS (SELECT FROM pg_class b WHERE b.relnamespace = r.relnamespace AND b.relname = left(r.relname, - length(k.ending)))
          AND (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attname = ANY (k.columns) AND NOT a.attisdropped) = 2
    ORDER BY n.nspname, r.relname;
END
$$;

-- Fails if a table has been cleaned up before, and what was restored or answered since would not be found.
CREATE FUNCTION neardup_internal.check_renamed(target regclass) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    statements text;
BEGIN
    IF EXISTS (SELECT FROM neardup.runs r WHERE r.target::oid = check_renamed.target::oid) THEN
        SELECT string_agg(l.statement, ' ') INTO statements FROM neardup_internal.left_behind(target) l;
        IF statements IS NOT NULL THEN
            RAISE EXCEPTION 'table % has been cleaned up before, and has no table of removed rows or no table of answers beside it', target
                USING ERRCODE = 'object_not_in_prerequisite_state',
                    DETAIL = 'There are such tables of a table that is not there any more.',
                    HINT = format('If it was renamed: %1$s If not: SELECT neardup.keep_removed(%2$L), neardup.keep_answers(%2$L);', statements, target);
        END IF;
    END IF;
END
$$;

COMMENT ON FUNCTION neardup_internal.left_behind(regclass) IS 'the statements that bring tables of removed rows and of answers beside a table that was renamed or moved';
COMMENT ON FUNCTION neardup_internal.check_renamed(regclass) IS 'raises an error if a table was renamed or moved without the tables of its removed rows and answers';
