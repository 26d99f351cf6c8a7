-- clean-up: bring removed rows back, or delete them for good. Both are statements of their caller on the table and the table of removed
-- rows beside it, so that Postgres's rights and row security decide. The caller names the table: what a record says selects rows, and
-- nothing else.

CREATE FUNCTION neardup_internal.existing_removed(target regclass) RETURNS regclass
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    removed regclass := neardup_internal.removed_table(target);
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = target::oid) THEN
        RAISE EXCEPTION 'table with OID % does not exist', target::oid USING ERRCODE = 'undefined_table';
    ELSIF removed IS NULL THEN
        RAISE EXCEPTION 'no rows of % are kept', target USING ERRCODE = 'undefined_table',
            DETAIL = format('Clean-ups with action archive keep them in %s.', neardup_internal.removed_name(target));
    END IF;
    RETURN removed;
END
$$;

-- Moves rows back. A trigger of the table may leave out a row, which then stays where it is kept. A column that must not be NULL gets its
-- default in rows that were removed before the table had it.
CREATE FUNCTION neardup_internal.restore_rows(target regclass, removed regclass, places tid[]) RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    names pg_catalog.text;
    expressions pg_catalog.text;
    taken bigint;
    stored bigint;
BEGIN
    SELECT pg_catalog.string_agg(pg_catalog.quote_ident(n.name::pg_catalog.text), ', '),
           pg_catalog.string_agg(pg_catalog.format(CASE WHEN n.fallback IS NULL THEN 't.%I' ELSE 'coalesce(t.%I, %s)' END, n.name, n.fallback), ', ')
        INTO names, expressions
    FROM neardup_internal.removed_columns(target, removed) n WHERE NOT n.is_generated AND n.removed_type IS NOT NULL;
    EXECUTE pg_catalog.format(
        'WITH taken AS (DELETE FROM ONLY %1$s d WHERE d.ctid OPERATOR(pg_catalog.=) ANY ($1) RETURNING d.*), '
        'stored AS (INSERT INTO %2$s (%3$s) OVERRIDING SYSTEM VALUE SELECT %4$s FROM taken t RETURNING 1) '
        'SELECT (SELECT pg_catalog.count(*) FROM taken), (SELECT pg_catalog.count(*) FROM stored)', removed, target, names, expressions)
        INTO taken, stored USING places;
    IF stored < taken THEN
        RAISE EXCEPTION 'a trigger left rows out' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN stored;
END
$$;

CREATE FUNCTION neardup_internal.unmerge_rows(target regclass, removed regclass, run_id bigint, batch integer, keys text[]) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'unmerge_rows_wrapper';

-- Restores a batch in one statement, so that rows which refer to each other find each other. If a constraint or a trigger's RAISE EXCEPTION is in
-- the way, it goes group by group, and then row by row, and the rows concerned stay where they are kept. The kept row of a group comes first: it may have taken over a
-- value that is unique.
CREATE FUNCTION neardup_internal.restore_batch(target regclass, removed regclass, run_id bigint, batch integer, places tid[], keys text[], kept text[]) RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    one pg_catalog.record;
    nth integer;
    restored bigint := 0;
    is_merged boolean;
BEGIN
    EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM ONLY %s d WHERE d.neardup_run OPERATOR(pg_catalog.=) $1 AND d.neardup_batch OPERATOR(pg_catalog.=) $2 '
        'AND d.neardup_measure OPERATOR(pg_catalog.=) ''before merge'')', removed) INTO is_merged USING run_id, batch;
    -- A deferred foreign key would fail only at the commit, and undo the whole batch.
    SET CONSTRAINTS ALL IMMEDIATE;
    -- The guard would refuse the copies. Bypassing it here leaves other writers under its judgement.
    PERFORM neardup.let_through(target, false);
    BEGIN
        IF is_merged THEN
            PERFORM neardup_internal.unmerge_rows(target, removed, run_id, batch, keys);
        END IF;
        RETURN neardup_internal.restore_rows(target, removed, places);
    EXCEPTION WHEN integrity_constraint_violation OR raise_exception THEN
        FOR one IN
            SELECT pg_catalog.array_agg(r.place) AS places, pg_catalog.array_agg(r.key) AS keys
            FROM ROWS FROM (pg_catalog.unnest(places), pg_catalog.unnest(keys), pg_catalog.unnest(kept)) r(place, key, kept) GROUP BY r.kept
        LOOP
            BEGIN
                IF is_merged THEN
                    PERFORM neardup_internal.unmerge_rows(target, removed, run_id, batch, one.keys);
                END IF;
                restored := restored + neardup_internal.restore_rows(target, removed, one.places);
            EXCEPTION WHEN integrity_constraint_violation OR raise_exception THEN
                FOR nth IN 1 .. pg_catalog.cardinality(one.places) LOOP
                    BEGIN
                        -- The kept row stays as it is if what it was is in the way: the others do not depend on it.
                        restored := restored + neardup_internal.restore_rows(target, removed, one.places[nth : nth]);
                    EXCEPTION WHEN integrity_constraint_violation OR raise_exception THEN
                        NULL;
                    END;
                END LOOP;
            END;
        END LOOP;
        RETURN restored;
    END;
END
$$;

-- The number of rows to restore. A column that the table no longer has would be lost with its values.
CREATE FUNCTION neardup_internal.check_restore(target regclass, removed regclass, run_id bigint, key text) RETURNS bigint
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $$
DECLARE
    columns pg_catalog.text[] := ARRAY(
        SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = removed::pg_catalog.oid AND a.attnum > 0 AND NOT a.attisdropped
              AND NOT EXISTS (SELECT FROM neardup_internal.record_columns() r WHERE r.name = a.attname)
              AND NOT EXISTS (SELECT FROM neardup_internal.removed_columns(target, removed) n WHERE n.name = a.attname));
    total bigint;
    lost bigint;
BEGIN
    PERFORM neardup_internal.check_removed_types(target, removed);
    EXECUTE pg_catalog.format(
        'SELECT pg_catalog.count(*) FILTER (WHERE NOT d.neardup_is_record), pg_catalog.count(*) FILTER (WHERE pg_catalog.num_nonnulls(NULL::pg_catalog.text%2$s) OPERATOR(pg_catalog.>) 0) '
        -- A record of a row that others were merged into has values to put back, and is no row to restore.
        'FROM (SELECT *, (e.neardup_measure OPERATOR(pg_catalog.=) ANY (''{before merge,after merge}''::pg_catalog.text[])) IS TRUE AS neardup_is_record FROM ONLY %1$s e) d '
        'WHERE ($1 IS NULL OR d.neardup_run OPERATOR(pg_catalog.=) $1) AND CASE WHEN $2 IS NULL THEN true WHEN NOT d.neardup_is_record THEN d.neardup_key OPERATOR(pg_catalog.=) $2 '
            'ELSE (d.neardup_run, d.neardup_batch, d.neardup_key) IN (SELECT o.neardup_run, o.neardup_batch, o.neardup_duplicate_of FROM ONLY %1$s o WHERE o.neardup_key OPERATOR(pg_catalog.=) $2) END',
        removed, (SELECT pg_catalog.string_agg(pg_catalog.format(', d.%I', c), '') FROM pg_catalog.unnest(columns) c))
        INTO total, lost USING run_id, key;
    IF lost > 0 THEN
        RAISE EXCEPTION 'table % no longer has all columns of the removed rows', target USING ERRCODE = 'undefined_column',
            DETAIL = pg_catalog.format('%s of them have values in: %s.', lost, pg_catalog.array_to_string(columns, ', ')),
            HINT = pg_catalog.format('Rename such a column of %s as in the table, or move its values into the new column, and drop it.', removed);
    END IF;
    RETURN total;
END
$$;

CREATE PROCEDURE neardup.restore(
    target regclass, run_id bigint DEFAULT NULL, key text DEFAULT NULL, answer boolean DEFAULT true, INOUT restored bigint DEFAULT NULL
)
    LANGUAGE plpgsql AS $$
DECLARE
    removed pg_catalog.regclass := neardup_internal.existing_removed(target);
    total bigint;
    run bigint;
    batch integer;
    places pg_catalog.tid[];
    part bigint;
    keys pg_catalog.text[];
    kept pg_catalog.text[];
    document pg_catalog.name;
    answered bigint := 0;
    -- The kept rows that others were merged into and that stay as they are.
    still_merged pg_catalog.text[] := '{}';
    reported_at pg_catalog.timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_path();
    PERFORM neardup_internal.check_committing('restore');
    IF run_id IS NULL AND key IS NULL THEN
        RAISE EXCEPTION 'run_id and key must not both be NULL' USING ERRCODE = 'null_value_not_allowed',
            HINT = pg_catalog.format('SELECT neardup_run, neardup_key FROM %s;', removed);
    END IF;
    total := neardup_internal.check_restore(target, removed, run_id, key);
    IF total = 0 THEN
        RAISE NOTICE 'table % has no such rows', removed;
    END IF;
    PERFORM neardup_internal.start_work(target, 'restore', 'rows', total);
    COMMIT;
    restored := 0;
    LOOP
        -- The last batch comes first: rows that it removed may have been referenced by rows of earlier batches.
        EXECUTE pg_catalog.format(
            'SELECT d.neardup_run, d.neardup_batch, pg_catalog.array_agg(d.ctid), pg_catalog.array_agg(d.neardup_key), '
                'pg_catalog.array_agg(d.neardup_duplicate_of) FROM ONLY %s d '
            'WHERE ($1 IS NULL OR d.neardup_run OPERATOR(pg_catalog.=) $1) AND ($2 IS NULL OR d.neardup_key OPERATOR(pg_catalog.=) $2) '
                'AND (d.neardup_measure IN (''before merge'', ''after merge'')) IS NOT TRUE AND ($3 IS NULL OR d.neardup_run OPERATOR(pg_catalog.<) $3 '
                    'OR d.neardup_run OPERATOR(pg_catalog.=) $3 AND d.neardup_batch OPERATOR(pg_catalog.<) $4) '
            'GROUP BY 1, 2 ORDER BY 1 DESC, 2 DESC LIMIT 1', removed)
            INTO run, batch, places, keys, kept USING run_id, key, run, batch;
        EXIT WHEN batch IS NULL;
        part := neardup_internal.restore_batch(target, removed, run, batch, places, keys, kept);
        restored := restored + part;
        EXECUTE pg_catalog.format('SELECT pg_catalog.array_cat($1, ARRAY(SELECT pg_catalog.format(''(%%s)'', d.neardup_key) FROM ONLY %s d WHERE d.neardup_run OPERATOR(pg_catalog.=) $2 '
                'AND d.neardup_batch OPERATOR(pg_catalog.=) $3 AND d.neardup_measure OPERATOR(pg_catalog.=) ''before merge'' AND d.neardup_key OPERATOR(pg_catalog.=) ANY ($4) '
                'LIMIT 10))', removed) INTO still_merged USING still_merged, run, batch, kept;
        IF part < pg_catalog.cardinality(places) THEN
            -- What stays where it is kept is not answered about: another row may have its key by now.
            EXECUTE pg_catalog.format(
                'SELECT pg_catalog.array_agg(u.key), pg_catalog.array_agg(u.kept) '
                'FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3)) u(place, key, kept) '
                'WHERE NOT EXISTS (SELECT FROM ONLY %s d WHERE d.ctid OPERATOR(pg_catalog.=) u.place)', removed)
                INTO keys, kept USING places, keys, kept;
        END IF;
        document := (
            SELECT r.document FROM neardup.runs r
            WHERE r.target::pg_catalog.oid = restore.target::pg_catalog.oid AND r.run_id = run AND r.against IS NULL);
        PERFORM neardup_internal.disinherit(target, document, keys, kept);
        IF answer AND part > 0 THEN
            answered := answered + neardup_internal.note_restored(target, document, keys, kept);
        END IF;
        UPDATE neardup_internal.own_runs r SET restored = r.restored + part
        WHERE r.target::pg_catalog.oid = restore.target::pg_catalog.oid AND r.run_id = run;
        reported_at := neardup_internal.note_work(target, restored, total, reported_at);
        COMMIT;
    END LOOP;
    PERFORM neardup_internal.end_work(target);
    IF answered > 0 THEN
        RAISE NOTICE '% restored rows are noted as no copies of the rows that were kept', answered
            USING HINT = pg_catalog.format('Withdraw that: SELECT neardup.withdraw(%L, act => ''restore''); the next clean-up may then remove them again.', target);
    END IF;
    IF pg_catalog.cardinality(still_merged) > 0 THEN
        RAISE NOTICE 'rows of % keep what was merged into them: %', target, pg_catalog.array_to_string(still_merged[1 : 10], ', ')
            USING DETAIL = 'They have been changed since, a trigger holds a value, or some of the rows that were merged into them stay removed.',
                  HINT = pg_catalog.format('See what they were: SELECT * FROM %s WHERE neardup_measure = ''before merge'';', removed);
    END IF;
    IF restored < total THEN
        RAISE NOTICE '% rows stay in %', total - restored, removed
            USING DETAIL = 'Their keys are in use again, or rows that they refer to do not exist.';
    END IF;
END
$$;

-- A table must be named: the triggers of a table of removed rows run as the role that deletes from it.
CREATE PROCEDURE neardup.purge(target regclass, older_than interval, batch integer DEFAULT 10000, INOUT purged bigint DEFAULT NULL)
    LANGUAGE plpgsql AS $$
DECLARE
    removed pg_catalog.regclass := neardup_internal.trusted_removed(target);
    until pg_catalog.timestamptz := pg_catalog.now() - older_than;
    affected bigint;
BEGIN
    PERFORM neardup_internal.check_path();
    PERFORM neardup_internal.check_batch(batch, NULL);
    IF older_than IS NULL OR older_than < interval '0' THEN
        RAISE EXCEPTION 'older_than must be 0 or more: %', older_than USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF neardup_internal.in_transaction_block() THEN
        RAISE EXCEPTION 'neardup.purge cannot run inside a transaction block' USING ERRCODE = 'active_sql_transaction',
            DETAIL = 'It commits after each batch.', HINT = 'Call it on its own, with autocommit on.';
    END IF;
    PERFORM neardup_internal.check_committing('purge');
    purged := 0;
    IF removed IS NULL AND pg_catalog.to_regclass(neardup_internal.removed_name(target)) IS NOT NULL THEN
        -- What a stranger has put there does not keep the log from being purged.
        RAISE WARNING '% does not hold removed rows of %', neardup_internal.removed_name(target), target;
    END IF;
    WHILE removed IS NOT NULL LOOP
        EXECUTE pg_catalog.format(
            'DELETE FROM ONLY %1$s d WHERE d.ctid OPERATOR(pg_catalog.=) ANY (ARRAY('
                'SELECT o.ctid FROM ONLY %1$s o WHERE o.neardup_at OPERATOR(pg_catalog.<) $1 LIMIT $2))', removed) USING until, batch;
        GET DIAGNOSTICS affected = ROW_COUNT;
        purged := purged + affected;
        COMMIT;
        EXIT WHEN affected < batch;
    END LOOP;
    DELETE FROM neardup_internal.own_skipped s USING neardup_internal.own_runs r
    WHERE s.target::pg_catalog.oid = r.target::pg_catalog.oid AND s.run_id = r.run_id
          AND r.target::pg_catalog.oid = purge.target::pg_catalog.oid AND coalesce(r.finished, r.started) < until;
    DELETE FROM neardup_internal.own_runs r
    WHERE r.target::pg_catalog.oid = purge.target::pg_catalog.oid AND coalesce(r.finished, r.started) < until;
END
$$;

COMMENT ON FUNCTION neardup_internal.existing_removed(regclass) IS 'the table of removed rows beside a table; raises an error if there is none';
COMMENT ON FUNCTION neardup_internal.restore_rows(regclass, regclass, tid[]) IS 'moves removed rows back';
COMMENT ON FUNCTION neardup_internal.unmerge_rows(regclass, regclass, bigint, integer, text[]) IS 'puts the rows back into which rows of a batch were merged, if all of these come back, and it has not been changed since; returns their number';
COMMENT ON FUNCTION neardup_internal.restore_batch(regclass, regclass, bigint, integer, tid[], text[], text[]) IS 'restores one batch of a run, group by group and row by row if a constraint is violated';
COMMENT ON FUNCTION neardup_internal.check_restore(regclass, regclass, bigint, text) IS 'the number of rows to restore; raises an error if the table lacks columns of theirs';
COMMENT ON PROCEDURE neardup.restore(regclass, bigint, text, boolean, bigint) IS 'brings rows back that clean-ups removed: those of a run, CALL neardup.restore(''articles'', 3), or the row of a key, CALL neardup.restore(''articles'', key => ''17''). Unless answer => false, they are noted in neardup.answers as no copies of the rows that were kept, so that no clean-up removes them again';
COMMENT ON PROCEDURE neardup.purge(regclass, interval, integer, bigint) IS 'deletes the rows for good that clean-ups removed from a table longer ago than an interval, with their log, and returns the number of rows: CALL neardup.purge(''articles'', ''90 days'')';
