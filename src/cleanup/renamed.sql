-- clean-up: tables beside a table that has another name or owner by now
--
-- The tables of removed rows and of answers are found by their names, so that DROP EXTENSION, dumps and restores need no care. ALTER TABLE ... RENAME
-- leaves them where they are; without the answers, a clean-up would remove again what has been restored.

-- The statements that give tables of this owner whose own table is not there this table's name, where it has no such table. Shortened names, of more
-- than 55 bytes, are not found. Removed rows must have this table's columns, but for
-- those that were added last or have another name by now, and a table of that name elsewhere is rather theirs. Of a table that was renamed and moved, they must have these columns and no others.
CREATE FUNCTION neardup_internal.left_behind(target regclass) RETURNS TABLE (statement text, is_answers boolean)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT format('ALTER TABLE %I.%I %s;', n.nspname, r.relname,
                  CASE r.relnamespace WHEN t.relnamespace THEN format('RENAME TO %I', k.parts[2]) ELSE format('SET SCHEMA %I', k.parts[1]) END)
               || CASE WHEN r.relnamespace <> t.relnamespace AND r.relname <> k.parts[2] THEN format(' ALTER TABLE %I.%I RENAME TO %I;', k.parts[1], r.relname, k.parts[2]) ELSE '' END,
           k.ending = '_answers'
    FROM pg_class t
    JOIN pg_class r ON r.relowner = t.relowner AND r.relkind = 'r'
    JOIN pg_namespace n ON n.oid = r.relnamespace
    JOIN (SELECT o.ending, o.columns, parse_ident(o.name) AS parts
          FROM (VALUES ('_removed', '{neardup_run,neardup_key}'::name[], neardup_internal.removed_name(target)),
                       ('_answers', '{is_copy,other_hash}'::name[], neardup_internal.answers_name(target))) o(ending, columns, name)
          WHERE to_regclass(o.name) IS NULL) k ON right(r.relname, length(k.ending)) = k.ending
    WHERE t.oid = target::oid AND r.relname !~ '^neardup_[0-9a-f]{12}_'
          AND (r.relnamespace = t.relnamespace OR r.relname = k.parts[2] OR EXISTS (
              SELECT FROM pg_class s
              WHERE s.relnamespace = r.relnamespace AND s.relname = left(r.relname, - length(k.ending)) || '_removed'
                    AND (SELECT array_agg(a.attname ORDER BY a.attname) FROM pg_attribute a
                         WHERE a.attrelid = s.oid AND a.attnum > 0 AND NOT a.attisdropped)
                        = (SELECT array_agg(c.name ORDER BY c.name)
                           FROM (SELECT a.attname AS name FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
                                 UNION ALL SELECT o.name FROM neardup_internal.record_columns() o) c)))
          AND NOT EXISTS (SELECT FROM pg_class b WHERE b.relkind IN ('r', 'p') AND b.oid <> t.oid AND b.relowner = t.relowner AND b.relname = left(r.relname, - length(k.ending)))
          AND (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attname = ANY (k.columns) AND NOT a.attisdropped) = 2
          AND NOT EXISTS (
              SELECT FROM pg_class s
              WHERE s.relnamespace = r.relnamespace AND s.relname = left(r.relname, - length(k.ending)) || '_removed'
                    AND EXISTS (
                        SELECT FROM pg_attribute m
                        WHERE m.attrelid = t.oid AND m.attnum > 0 AND NOT m.attisdropped
                              AND NOT EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = s.oid AND o.attname = m.attname)
                              AND m.attnum < (SELECT max(a.attnum) FROM pg_attribute a JOIN pg_attribute o ON o.attrelid = s.oid AND o.attname = a.attname
                                              WHERE a.attrelid = t.oid AND NOT a.attisdropped)
                        GROUP BY m.atttypid
                        -- Each of these has another name there.
                        HAVING count(*) > (
                            SELECT count(*) FROM pg_attribute n
                            WHERE n.attrelid = s.oid AND n.attnum > 0 AND NOT n.attisdropped AND n.atttypid = m.atttypid
                                  AND n.attname NOT IN (SELECT o.name FROM neardup_internal.record_columns() o
                                                        UNION ALL SELECT q.attname FROM pg_attribute q WHERE q.attrelid = t.oid AND NOT q.attisdropped))))
    ORDER BY n.nspname, r.relname;
END
$$;

-- The statements that give the tables of removed rows and of answers beside this table its owner, where they have another one: ALTER TABLE ... OWNER does
-- not take them along. A stranger may have made them.
CREATE FUNCTION neardup_internal.of_another_owner(target regclass) RETURNS TABLE (statement text, is_answers boolean)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT pg_catalog.format('ALTER TABLE %s OWNER TO %I;', r.oid::regclass, pg_catalog.pg_get_userbyid(t.relowner)), o.is_answers
    FROM pg_catalog.pg_class t
         CROSS JOIN LATERAL (VALUES (false, '{neardup_run,neardup_key}'::name[], neardup_internal.removed_name(target)),
                                    (true, '{is_copy,other_hash}'::name[], neardup_internal.answers_name(target))) o(is_answers, columns, name)
         JOIN pg_catalog.pg_class r ON r.oid = pg_catalog.to_regclass(o.name)::oid AND r.relkind = 'r' AND r.relowner <> t.relowner
    WHERE t.oid = target::oid
          AND (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a WHERE a.attrelid = r.oid AND a.attname = ANY (o.columns) AND NOT a.attisdropped) = 2
    ORDER BY o.is_answers;
END;

-- Says so if the answers beside a table that was cleaned up before are another role's, which are not read. With fails, it is an error if the log says that
-- rows of the table were restored.
CREATE FUNCTION neardup_internal.tell_owner(target regclass, fails boolean) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    hint text := (SELECT format('Only if the owner of %s changed: %s Otherwise rename %s.', target, string_agg(o.statement, ' '), neardup_internal.answers_name(target))
                  FROM neardup_internal.of_another_owner(target) o HAVING bool_or(o.is_answers));
    -- NULL without a run.
    had_answers boolean := (SELECT bool_or(r.restored > 0) FROM neardup.runs r WHERE r.target::oid = tell_owner.target::oid);
BEGIN
    IF fails AND had_answers AND hint IS NOT NULL THEN
        RAISE EXCEPTION 'rows of table % were restored, and the answers beside it belong to another role', target
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'They are not read, so what was restored or answered before is not known.', HINT = hint;
    ELSIF had_answers IS NOT NULL AND hint IS NOT NULL THEN
        RAISE WARNING 'the answers beside table % belong to another role', target
            USING DETAIL = 'They are not read. If the owner of the table has changed, what was restored or answered before is not known.', HINT = hint;
    END IF;
END
$$;

-- Says so if answers that lie about may be those on this table, which was cleaned up before and has none. With fails, it is an error if the log says that
-- the table has had answers, or removed rows: the clean-up would not know what was restored, and would begin a new table of removed rows.
CREATE FUNCTION neardup_internal.tell_renamed(target regclass, fails boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    statements text;
    of_answers boolean;
    of_removed boolean;
    had_answers boolean;
    had_removed boolean;
BEGIN
    PERFORM neardup_internal.tell_owner(target, fails);
    SELECT string_agg(l.statement, ' '), coalesce(bool_or(l.is_answers), false), coalesce(bool_or(NOT l.is_answers), false) INTO statements, of_answers, of_removed
    FROM neardup_internal.left_behind(target) l;
    SELECT bool_or(r.restored > 0), bool_or(r.removed > 0 AND r.action IN ('archive', 'merge')) INTO had_answers, had_removed
    FROM neardup.runs r WHERE r.target::oid = tell_renamed.target::oid;
    IF fails AND (of_answers AND had_answers OR of_removed AND had_removed) THEN
        RAISE EXCEPTION 'table % has had removed rows or answers, and such tables lie beside a table that is not there any more', target
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'If it was renamed or moved, what was restored or answered before is not known. Nothing has been removed.',
                  HINT = format('If so: %s Otherwise begin new ones: SELECT neardup.keep_removed(%L), neardup.keep_answers(%L);', statements, target, target);
    ELSIF of_answers AND had_answers IS NOT NULL THEN
        RAISE WARNING 'table % has no answers, and there are answers on a table that is not there any more', target
            USING DETAIL = 'If it was renamed or moved, what was restored or answered before is not known.',
                  HINT = format('If so: %s Otherwise drop these tables.', statements);
    END IF;
END
$$;

-- Fails if the table of removed rows is not beside the table any more: a clean-up would go on in a new one, and a restore would find only what is
-- there. A table that was dropped is told by the batch.
CREATE FUNCTION neardup_internal.check_beside(target regclass, removed regclass) RETURNS void
    LANGUAGE plpgsql STABLE STRICT PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wanted text := neardup_internal.removed_name(target);
    parts text[] := parse_ident(wanted);
    is_there boolean := EXISTS (SELECT FROM pg_class r WHERE r.oid = removed::oid);
BEGIN
    IF wanted IS NULL OR to_regclass(wanted)::oid = removed::oid THEN
        RETURN;
    END IF;
    RAISE EXCEPTION 'table % no longer has its removed rows beside it', target USING ERRCODE = 'object_not_in_prerequisite_state',
        DETAIL = CASE WHEN is_there THEN format('It was renamed or moved during the clean-up, or %s was, which has what the batches before have removed.', removed)
                      ELSE 'The table of removed rows was dropped during the clean-up.' END,
        HINT = CASE WHEN is_there THEN (
            SELECT concat_ws(' ', 'Bring them together, and call neardup.cleanup again:',
                CASE WHEN n.nspname <> parts[1] THEN format('ALTER TABLE %I.%I SET SCHEMA %I;', n.nspname, r.relname, parts[1]) END,
                CASE WHEN r.relname <> parts[2] THEN format('ALTER TABLE %I.%I RENAME TO %I;', parts[1], r.relname, parts[2]) END,
                (SELECT string_agg(l.statement, ' ') FROM neardup_internal.left_behind(target) l WHERE l.is_answers))
            FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace WHERE r.oid = removed::oid)
            ELSE 'Call neardup.cleanup again: it begins a new one.' END;
END
$$;

COMMENT ON FUNCTION neardup_internal.check_beside(regclass, regclass) IS 'raises an error if a table of removed rows is not beside its table any more';
COMMENT ON FUNCTION neardup_internal.of_another_owner(regclass) IS 'the statements that give the tables of removed rows and of answers beside a table its owner';
COMMENT ON FUNCTION neardup_internal.tell_owner(regclass, boolean) IS 'warns of answers beside a table that belong to another role than the table; with the second argument, raises an error if rows of it were restored';
COMMENT ON FUNCTION neardup_internal.left_behind(regclass) IS 'the statements that bring tables of removed rows and of answers beside a table that was renamed or moved';
COMMENT ON FUNCTION neardup_internal.tell_renamed(regclass, boolean) IS 'warns of answers on a table that is not there any more, if a table that was cleaned up has none; with the second argument, raises an error if the log says that it had removed rows or answers';
