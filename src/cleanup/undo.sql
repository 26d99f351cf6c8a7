-- clean-up: restore removed rows

CREATE FUNCTION neardup_internal.insert_statement(target regclass, columns text[]) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'insert_statement_wrapper';
COMMENT ON FUNCTION neardup_internal.insert_statement(regclass, text[]) IS 'SQL statement that inserts the removed rows of a batch again';

CREATE FUNCTION neardup_internal.point_back_statement(target regclass, source regclass, columns text[], target_columns text[], key_columns text[]) RETURNS text
    LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'point_back_statement_wrapper';
COMMENT ON FUNCTION neardup_internal.point_back_statement(regclass, regclass, text[], text[], text[]) IS 'SQL statement that changes references back to the rows that were removed';

CREATE FUNCTION neardup_internal.unmark_statement(target regclass, mark text) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'unmark_statement_wrapper';
COMMENT ON FUNCTION neardup_internal.unmark_statement(regclass, text) IS 'SQL statement that takes the marks of a run off';

-- Restores one batch of a run, or one row of it. Rows that refer to each other are restored in one statement, so that their foreign keys
-- hold.
CREATE FUNCTION neardup_internal.insert_removed(run neardup.runs, batch integer, place tid) RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    columns pg_catalog.name[];
    restored bigint;
BEGIN
    SELECT coalesce(d.columns, run.columns) INTO columns FROM neardup.removed d
    WHERE d.run_id = run.run_id AND d.batch = insert_removed.batch LIMIT 1;
    EXECUTE neardup_internal.insert_statement(run.target, columns::pg_catalog.text[]) USING run.run_id, batch, run.role, place;
    GET DIAGNOSTICS restored = ROW_COUNT;
    RETURN restored;
END
$$;

-- Resets the references of a batch, if the row they pointed at exists again and nobody has changed them since.
CREATE FUNCTION neardup_internal.point_back(run neardup.runs, batch integer) RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    g pg_catalog.record;
    changed bigint;
    back bigint := 0;
BEGIN
    FOR g IN
        SELECT DISTINCT p.source, p.columns, p.target_columns, p.key_columns FROM neardup.repointed p
        WHERE p.run_id = run.run_id AND p.batch = point_back.batch
              AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = p.source::pg_catalog.oid)
    LOOP
        EXECUTE neardup_internal.point_back_statement(run.target, g.source,
            g.columns::pg_catalog.text[], g.target_columns::pg_catalog.text[], g.key_columns::pg_catalog.text[])
            USING run.run_id, batch, g.source::pg_catalog.oid, g.columns, g.target_columns;
        GET DIAGNOSTICS changed = ROW_COUNT;
        back := back + changed;
    END LOOP;
    RETURN back;
END
$$;

CREATE FUNCTION neardup_internal.restore_rows(run neardup.runs, batch integer) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    place pg_catalog.tid;
    restored bigint := 0;
BEGIN
    -- The guard would refuse the copies. Bypassing it here leaves other writers under its judgement.
    PERFORM neardup.let_through(run.target);
    BEGIN
        restored := neardup_internal.insert_removed(run, batch, NULL);
    EXCEPTION WHEN integrity_constraint_violation THEN
        FOR place IN
            SELECT d.ctid FROM neardup.removed d WHERE d.run_id = run.run_id AND d.batch = restore_rows.batch AND d.role = run.role
        LOOP
            BEGIN
                restored := restored + neardup_internal.insert_removed(run, batch, place);
            EXCEPTION WHEN integrity_constraint_violation THEN
                NULL;
            END;
        END LOOP;
    END;
    PERFORM neardup_internal.point_back(run, batch);
    RETURN restored;
END
$$;

CREATE FUNCTION neardup_internal.take_marks_off(run neardup.runs) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    restored bigint;
BEGIN
    EXECUTE neardup_internal.unmark_statement(run.target, run.mark::pg_catalog.text) USING run.run_id, run.role;
    GET DIAGNOSTICS restored = ROW_COUNT;
    RETURN restored;
END
$$;

CREATE FUNCTION neardup_internal.run_to_restore(run_id bigint) RETURNS neardup.runs
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    run neardup.runs;
BEGIN
    SELECT * INTO run FROM neardup.runs r WHERE r.run_id = run_to_restore.run_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run_id USING ERRCODE = 'undefined_object', HINT = 'SELECT * FROM neardup.runs;';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = run.target::pg_catalog.oid) THEN
        RAISE EXCEPTION 'the table of run % no longer exists', run_id USING ERRCODE = 'undefined_table',
            DETAIL = 'The removed rows are in neardup.removed, each as the text of its record.';
    END IF;
    -- Anybody may write a record by hand, and the role that restores it may have more privileges, so the writer of the record must be
    -- allowed to write to the table.
    IF EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = run.role) AND NOT (
        pg_catalog.has_table_privilege(run.role, run.target, CASE run.action WHEN 'mark' THEN 'UPDATE' ELSE 'INSERT, DELETE' END)
        AND (SELECT coalesce(pg_catalog.bool_and(pg_catalog.has_any_column_privilege(run.role, p.source, 'UPDATE')), true)
             FROM neardup.repointed p WHERE p.run_id = run_to_restore.run_id)
    ) THEN
        RAISE EXCEPTION 'run % is recorded for role %, which cannot write to its tables', run_id, run.role
            USING ERRCODE = 'insufficient_privilege',
            DETAIL = pg_catalog.format('Restoring it would write to %s, or to tables that reference it, on behalf of that role.', run.target);
    END IF;
    IF run.action = 'delete' THEN
        RAISE EXCEPTION 'run % did not keep what it removed', run_id USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Use action => ''archive'' to keep removed rows.';
    END IF;
    IF run.action = 'archive' AND EXISTS (
        SELECT FROM neardup.removed d WHERE d.run_id = run_to_restore.run_id
            AND (coalesce(d.columns, run.columns) OPERATOR(pg_catalog.=)
                 (neardup_internal.column_names(run.target))[1:pg_catalog.cardinality(coalesce(d.columns, run.columns))]) IS NOT TRUE) THEN
        RAISE EXCEPTION 'the columns of % have changed since run %', run.target, run_id
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'The removed rows are in neardup.removed, each as the text of its record.';
    END IF;
    RETURN run;
END
$$;

CREATE PROCEDURE neardup.restore(run_id bigint, INOUT restored bigint DEFAULT NULL)
    LANGUAGE plpgsql AS $$
DECLARE
    run neardup.runs := neardup_internal.run_to_restore(run_id);
    number integer;
    part bigint;
    total bigint;
    told pg_catalog.timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_path();
    PERFORM neardup_internal.check_committing('restore');
    SELECT pg_catalog.count(*) INTO total FROM neardup.removed d WHERE d.run_id = restore.run_id;
    PERFORM neardup_internal.start_work(run.target, 'restore', 'rows', total);
    COMMIT;
    restored := 0;
    IF run.action = 'mark' THEN
        restored := neardup_internal.take_marks_off(run);
        UPDATE neardup.runs r SET restored = r.restored + restore.restored WHERE r.run_id = restore.run_id;
    ELSE
        -- The last batch comes first: rows that it removed may have been referenced by rows of earlier batches.
        FOR number IN SELECT DISTINCT d.batch FROM neardup.removed d WHERE d.run_id = restore.run_id ORDER BY 1 DESC LOOP
            run := neardup_internal.run_to_restore(run_id);
            part := neardup_internal.restore_rows(run, number);
            restored := restored + part;
            UPDATE neardup.runs r SET restored = r.restored + part WHERE r.run_id = restore.run_id;
            told := neardup_internal.note_work(run.target, restored, total, told);
            COMMIT;
        END LOOP;
    END IF;
    PERFORM neardup_internal.end_work(run.target);
    IF EXISTS (SELECT FROM neardup.removed d WHERE d.run_id = restore.run_id) THEN
        RAISE NOTICE 'some rows of run % stay in neardup.removed: their keys are in use again, or rows that they reference no longer exist', run_id;
    END IF;
    IF EXISTS (SELECT FROM neardup.repointed p WHERE p.run_id = restore.run_id) THEN
        RAISE NOTICE 'some references of run % were not restored: SELECT * FROM neardup.repointed WHERE run_id = %', run_id, run_id;
    END IF;
END
$$;

COMMENT ON FUNCTION neardup_internal.insert_removed(neardup.runs, integer, tid) IS 'inserts the removed rows of a batch again, or one of them';
COMMENT ON FUNCTION neardup_internal.point_back(neardup.runs, integer) IS 'changes the references of a batch back to the rows that were removed';
COMMENT ON FUNCTION neardup_internal.restore_rows(neardup.runs, integer) IS 'restores one batch of a run';
COMMENT ON FUNCTION neardup_internal.take_marks_off(neardup.runs) IS 'removes the marks that a run set';
COMMENT ON FUNCTION neardup_internal.run_to_restore(bigint) IS 'the run with this id; raises an error if it cannot be restored';
COMMENT ON PROCEDURE neardup.restore(bigint, bigint) IS 'restores the rows that a clean-up removed, and the references to them; run_id as in neardup.runs';
