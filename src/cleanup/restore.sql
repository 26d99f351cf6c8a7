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
            DETAIL = format('Clean-ups with action archive keep them in %s.', neardup_internal.removed_name(target)),
            HINT = coalesce((SELECT 'If it was renamed: ' || string_agg(l.statement, ' ') FROM neardup_internal.left_behind(target) l),
                format('See its clean-ups: SELECT * FROM neardup.runs WHERE target = %L::regclass;', target));
    END IF;
    RETURN removed;
END
$$;

-- Moves rows back. A trigger of the table may leave out a row, which then stays where it is kept. A column that must not be NULL gets its
-- default in rows that were removed before the table had it. The column `mark` of a guard becomes NULL: a row that is no copy stands for itself.
CREATE FUNCTION neardup_internal.restore_rows(target regclass, removed regclass, places tid[], mark name) RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    names pg_catalog.text;
    expressions pg_catalog.text;
    taken bigint;
    stored bigint;
BEGIN
    SELECT pg_catalog.string_agg(pg_catalog.quote_ident(n.name::pg_catalog.text), ', '),
           pg_catalog.string_agg(pg_catalog.format(
               CASE WHEN n.name = mark THEN 'NULL' WHEN n.fallback IS NULL THEN 't.%I' ELSE 'coalesce(t.%I, %s)' END, n.name, n.fallback), ', ')
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

CREATE FUNCTION neardup_internal.unmerge_row(target regclass, removed regclass, before tid, after tid) RETURNS text[]
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'unmerge_row_wrapper';

-- What a call of neardup.restore takes of a batch, as arrays of one length in the order of the kept rows: the addresses of rows, their keys, those of
-- the kept rows, and where a merge is to be undone, the addresses of its two records. It is undone if all that was merged into the kept row comes
-- back, or has come back before: then there are the records alone, in a place without a row. Other merges stay.
CREATE FUNCTION neardup_internal.restorable(
    removed regclass, run_id bigint, batch integer, key text,
    OUT places tid[], OUT keys text[], OUT kept text[], OUT befores tid[], OUT afters tid[], OUT still_merged text[]
)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
    EXECUTE format(
        'WITH d AS ('
            'SELECT d.ctid AS place, d.neardup_key AS key, d.neardup_duplicate_of AS kept, NOT r.is_record AND r.is_named AS is_row, r.is_named, '
                'min(d.ctid) FILTER (WHERE d.neardup_measure = ''before merge'') OVER g AS before, '
                'min(d.ctid) FILTER (WHERE d.neardup_measure = ''after merge'') OVER g AS after, '
                'bool_and(r.is_record) OVER g AS is_alone, bool_and(r.is_record OR r.is_named) OVER g AS is_whole '
            'FROM ONLY %s d CROSS JOIN LATERAL (SELECT '
                '(d.neardup_measure = ANY (''{before merge,after merge}'')) IS TRUE AS is_record, ($3 IS NULL OR d.neardup_key = $3) AS is_named) r '
            'WHERE d.neardup_run = $1 AND d.neardup_batch = $2 WINDOW g AS (PARTITION BY d.neardup_duplicate_of)) '
        'SELECT array_agg(CASE WHEN d.is_row THEN d.place END ORDER BY d.kept, d.key), array_agg(d.key ORDER BY d.kept, d.key), array_agg(d.kept ORDER BY d.kept, d.key), '
            'array_agg(CASE WHEN d.is_whole AND d.after IS NOT NULL THEN d.before END ORDER BY d.kept, d.key), '
            'array_agg(CASE WHEN d.is_whole AND d.before IS NOT NULL THEN d.after END ORDER BY d.kept, d.key), '
            'array_agg(DISTINCT d.kept) FILTER (WHERE d.before IS NOT NULL AND NOT d.is_whole) '
        'FROM d WHERE d.is_row OR d.is_alone AND d.is_named AND d.place = d.before AND d.after IS NOT NULL',
        removed) INTO places, keys, kept, befores, afters, still_merged USING run_id, batch, key;
END
$$;

-- Its statements are estimated far too high: compiling them would take ten times as long as running them.
--
-- Restores a batch in one statement, so that rows which refer to each other find each other. If a constraint or a trigger's RAISE EXCEPTION is in
-- the way, it tries a tenth of the rows after the other, and so on down to single rows, and those that are refused stay where they are kept. The
-- kept row of a group comes first: it may have taken over a value that is unique. If that is refused, it is tried once more after the rows of its
-- group, which do not depend on it.
--
-- keys and kept become those of the rows that have come back, refused says why others have not, still_merged names the kept rows that stay as they are,
-- errors says why the UPDATE of some was refused, and held which columns of others a trigger has given another value.
CREATE FUNCTION neardup_internal.restore_batch(
    target regclass, removed regclass, mark name, places tid[], befores tid[], afters tid[], INOUT keys text[], INOUT kept text[],
    OUT restored bigint, OUT refused text[], OUT still_merged text[], OUT errors text[], OUT held text[]
)
    LANGUAGE plpgsql VOLATILE SET jit = off AS $$
DECLARE
    all_keys pg_catalog.text[] := keys;
    all_kept pg_catalog.text[] := kept;
    -- The parts that are still to be restored, the next one last.
    firsts integer[] := ARRAY[1];
    lasts integer[] := ARRAY[pg_catalog.cardinality(places)];
    rest integer;
    first integer;
    last integer;
    -- Where the tenths of a part begin, and the last place where one may begin.
    starts integer[];
    start integer;
    -- The kept rows of groups of which a row is refused.
    incomplete pg_catalog.text[] := '{}';
    part bigint;
    part_merged pg_catalog.text[];
    part_held pg_catalog.text[];
    columns pg_catalog.text[];
BEGIN
    keys := '{}';
    kept := '{}';
    restored := 0;
    refused := '{}';
    still_merged := '{}';
    errors := '{}';
    held := '{}';
    -- A deferred foreign key would fail only at the commit, and undo the whole batch.
    SET CONSTRAINTS ALL IMMEDIATE;
    -- The guard would refuse the copies. Bypassing it here leaves other writers under its judgement.
    PERFORM neardup.let_through(target, false);
    LOOP
        rest := pg_catalog.cardinality(firsts);
        EXIT WHEN rest = 0;
        first := firsts[rest];
        last := lasts[rest];
        firsts := firsts[: rest - 1];
        lasts := lasts[: rest - 1];
        IF places[first] IS NULL AND all_kept[first] = ANY (incomplete) THEN
            still_merged := pg_catalog.array_append(still_merged, all_kept[first]);
            CONTINUE;
        END IF;
        part := 0;
        part_merged := '{}';
        part_held := '{}';
        BEGIN
            FOR nth IN first .. last LOOP
                CONTINUE WHEN befores[nth] IS NULL OR nth > first AND befores[nth] = befores[nth - 1];
                columns := neardup_internal.unmerge_row(target, removed, befores[nth], afters[nth]);
                IF columns IS NULL THEN
                    part_merged := pg_catalog.array_append(part_merged, all_kept[nth]);
                ELSIF pg_catalog.cardinality(columns) > 0 THEN
                    part_held := pg_catalog.array_append(part_held, pg_catalog.format('(%s) %s', all_kept[nth], pg_catalog.array_to_string(columns, ', ')));
                END IF;
            END LOOP;
            IF pg_catalog.cardinality(pg_catalog.array_remove(places[first : last], NULL)) > 0 THEN
                part := neardup_internal.restore_rows(target, removed, places[first : last], mark);
                -- A row that another session has changed is at another place, and has not come back: its merge is not undone, and its answers stay.
                IF part < pg_catalog.cardinality(pg_catalog.array_remove(places[first : last], NULL)) THEN
                    RAISE EXCEPTION 'another session has changed or deleted it in %, or a trigger leaves it there', removed
                        USING ERRCODE = 'integrity_constraint_violation';
                END IF;
            END IF;
        EXCEPTION WHEN integrity_constraint_violation OR raise_exception THEN
            IF places[first] IS NULL AND first = last THEN
                errors := pg_catalog.array_append(errors, pg_catalog.format('(%s): %s', all_kept[first], SQLERRM));
                still_merged := pg_catalog.array_append(still_merged, all_kept[first]);
            ELSIF befores[first] IS NULL AND first = last THEN
                refused := pg_catalog.array_append(refused, pg_catalog.format('(%s): %s', all_keys[first], SQLERRM));
                incomplete := pg_catalog.array_append(incomplete, all_kept[first]);
            ELSIF befores[first] = befores[last] THEN
                -- A group: first its rows, then what was merged into the kept row.
                places := pg_catalog.array_append(places, NULL::pg_catalog.tid);
                all_keys := pg_catalog.array_append(all_keys, all_kept[first]);
                all_kept := pg_catalog.array_append(all_kept, all_kept[first]);
                befores := pg_catalog.array_append(befores, befores[first]);
                afters := pg_catalog.array_append(afters, afters[first]);
                FOR nth IN first .. last LOOP
                    befores[nth] := NULL;
                END LOOP;
                firsts := pg_catalog.array_append(pg_catalog.array_append(firsts, pg_catalog.cardinality(places)), first);
                lasts := pg_catalog.array_append(pg_catalog.array_append(lasts, pg_catalog.cardinality(places)), last);
            ELSE
                starts := ARRAY[first];
                FOR nth IN first + 1 .. last LOOP
                    -- A group whose merge is undone is not divided.
                    CONTINUE WHEN befores[nth] = befores[nth - 1];
                    start := nth;
                    IF (start - starts[pg_catalog.cardinality(starts)]) * 10 > last - first THEN
                        starts := pg_catalog.array_append(starts, start);
                    END IF;
                END LOOP;
                IF pg_catalog.cardinality(starts) = 1 THEN
                    starts := pg_catalog.array_append(starts, start);
                END IF;
                FOR nth IN REVERSE pg_catalog.cardinality(starts) .. 1 LOOP
                    firsts := pg_catalog.array_append(firsts, starts[nth]);
                    lasts := pg_catalog.array_append(lasts, coalesce(starts[nth + 1] - 1, last));
                END LOOP;
            END IF;
            CONTINUE;
        END;
        restored := restored + part;
        still_merged := pg_catalog.array_cat(still_merged, part_merged);
        held := pg_catalog.array_cat(held, part_held);
        FOR nth IN first .. last LOOP
            IF places[nth] IS NOT NULL THEN
                keys := pg_catalog.array_append(keys, all_keys[nth]);
                kept := pg_catalog.array_append(kept, all_kept[nth]);
            END IF;
        END LOOP;
    END LOOP;
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
        'SELECT pg_catalog.count(*) FILTER (WHERE NOT r.is_record), pg_catalog.count(*) FILTER (WHERE pg_catalog.num_nonnulls(NULL::pg_catalog.text%2$s) OPERATOR(pg_catalog.>) 0) '
        -- A record of a row that others were merged into has values to put back, and is no row to restore.
        'FROM ONLY %1$s d CROSS JOIN LATERAL (SELECT (d.neardup_measure OPERATOR(pg_catalog.=) ANY (''{before merge,after merge}''::pg_catalog.text[])) IS TRUE AS is_record) r '
        'WHERE ($1 IS NULL OR d.neardup_run OPERATOR(pg_catalog.=) $1) AND CASE WHEN $2 IS NULL THEN true WHEN NOT r.is_record OR d.neardup_key OPERATOR(pg_catalog.=) $2 THEN d.neardup_key OPERATOR(pg_catalog.=) $2 '
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
    todo pg_catalog.record;
    part pg_catalog.record;
    of_document pg_catalog.name;
    of_against pg_catalog.regclass;
    mark pg_catalog.name;
    is_found boolean := false;
    answered bigint := 0;
    told bigint := 0;
    alone bigint := 0;
    unnoted bigint := 0;
    noted pg_catalog.record;
    stay bigint := 0;
    -- Of these, the first ones: why rows stay, the kept rows that others were merged into and that stay as they are, why, and what a trigger holds of others.
    refused pg_catalog.text[] := '{}';
    still_merged pg_catalog.text[] := '{}';
    errors pg_catalog.text[] := '{}';
    held pg_catalog.text[] := '{}';
    reported_at pg_catalog.timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_path();
    PERFORM neardup_internal.check_committing('restore');
    IF run_id IS NULL AND key IS NULL THEN
        RAISE EXCEPTION 'run_id and key must not both be NULL' USING ERRCODE = 'null_value_not_allowed',
            HINT = pg_catalog.format('SELECT neardup_run, neardup_key FROM %s;', removed);
    END IF;
    total := neardup_internal.check_restore(target, removed, run_id, key);
    PERFORM neardup_internal.start_work(target, 'restore', 'rows', total);
    COMMIT;
    restored := 0;
    LOOP
        -- The last batch comes first: rows that it removed may have been referenced by rows of earlier batches.
        EXECUTE pg_catalog.format(
            'SELECT d.neardup_run, d.neardup_batch FROM ONLY %s d '
            'WHERE ($1 IS NULL OR d.neardup_run OPERATOR(pg_catalog.=) $1) AND ($2 IS NULL OR d.neardup_key OPERATOR(pg_catalog.=) $2) '
                'AND ($3 IS NULL OR d.neardup_run OPERATOR(pg_catalog.<) $3 OR d.neardup_run OPERATOR(pg_catalog.=) $3 AND d.neardup_batch OPERATOR(pg_catalog.<) $4) '
            'ORDER BY 1 DESC, 2 DESC LIMIT 1', removed)
            INTO run, batch USING run_id, key, run, batch;
        EXIT WHEN batch IS NULL;
        todo := neardup_internal.restorable(removed, run, batch, key);
        CONTINUE WHEN todo.places IS NULL;
        is_found := true;
        SELECT r.document, r.against INTO of_document, of_against FROM neardup.runs r
        WHERE r.target::pg_catalog.oid = restore.target::pg_catalog.oid AND r.run_id = run;
        mark := CASE WHEN answer AND of_against IS NULL THEN (
            SELECT pg_catalog.max(p.duplicate_of::pg_catalog.text) FROM neardup.protected p
            WHERE p.target::pg_catalog.oid = restore.target::pg_catalog.oid AND p.document = of_document) END;
        part := neardup_internal.restore_batch(target, removed, mark, todo.places, todo.befores, todo.afters, todo.keys, todo.kept);
        restored := restored + part.restored;
        stay := stay + pg_catalog.cardinality(part.refused);
        refused := (pg_catalog.array_cat(refused, part.refused))[1 : 10];
        still_merged := (pg_catalog.array_cat(pg_catalog.array_cat(still_merged, todo.still_merged), part.still_merged))[1 : 10];
        errors := (pg_catalog.array_cat(errors, part.errors))[1 : 10];
        held := (pg_catalog.array_cat(held, part.held))[1 : 10];
        IF of_against IS NULL THEN
            PERFORM neardup_internal.disinherit(target, of_document, part.keys, part.kept);
        END IF;
        IF answer AND part.restored > 0 THEN
            noted := neardup_internal.note_restored(target, of_document, part.keys, part.kept, key IS NULL, of_against);
            answered := answered + noted.noted;
            told := told + noted.told;
            alone := alone + noted.alone;
            unnoted := unnoted + noted.unnoted;
        END IF;
        UPDATE neardup_internal.own_runs r SET restored = r.restored + part.restored
        WHERE r.target::pg_catalog.oid = restore.target::pg_catalog.oid AND r.run_id = run;
        reported_at := neardup_internal.note_work(target, restored, total, reported_at);
        COMMIT;
    END LOOP;
    PERFORM neardup_internal.end_work(target);
    IF NOT is_found THEN
        RAISE NOTICE 'table % has no such rows', removed;
    END IF;
    IF answered > 0 THEN
        RAISE NOTICE '%', CASE answered WHEN 1 THEN '1 restored row is noted as no copy of the row that was kept'
                               ELSE pg_catalog.format('%s restored rows are noted as no copies of the rows that were kept', answered) END
            USING HINT = pg_catalog.format('Withdraw that: SELECT neardup.withdraw(%L, act => ''restore''); the next clean-up may then remove them again.', target);
    END IF;
    IF alone > 0 THEN
        RAISE NOTICE '%', CASE alone WHEN 1 THEN '1 restored row is noted as one to leave in place'
                               ELSE pg_catalog.format('%s restored rows are noted as ones to leave in place', alone) END
            USING DETAIL = pg_catalog.format('Table %s does not have the rows that were kept in their place.', target),
                  HINT = pg_catalog.format('Withdraw that: SELECT neardup.withdraw(%L, act => ''restore''); the next clean-up may then remove them again.', target);
    END IF;
    IF unnoted > 0 THEN
        RAISE NOTICE '%', CASE unnoted WHEN 1 THEN '1 restored row is not noted as one to leave in place'
                               ELSE pg_catalog.format('%s restored rows are not noted as ones to leave in place', unnoted) END
            USING DETAIL = 'The table has no guard, or they have no text, or keys that are written in another way than when they were removed.',
                  HINT = 'The next clean-up may remove them again. To keep one of them, answer that it is no copy of the row that would be kept: see neardup.answer.';
    END IF;
    IF told > 0 THEN
        RAISE NOTICE '%', CASE told WHEN 1 THEN '1 restored row was answered to be a copy, and the answer stays'
                               ELSE pg_catalog.format('%s restored rows were answered to be copies, and the answers stay', told) END
            USING HINT = pg_catalog.format('The next clean-up removes them again. To keep one: SELECT neardup.answer(%L, key, other, false), or restore it by its key.', target);
    END IF;
    IF pg_catalog.cardinality(held) > 0 THEN
        RAISE NOTICE 'rows of % are what they were, except for columns that a trigger holds: %', target, pg_catalog.array_to_string(held, '; ')
            USING DETAIL = 'As long as such a column has what the merge made of it, what it was is kept, and another restore may put it back.';
    END IF;
    IF pg_catalog.cardinality(still_merged) > 0 THEN
        RAISE NOTICE 'rows of % keep what was merged into them: (%)', target, pg_catalog.array_to_string(still_merged, '), (')
            USING DETAIL = pg_catalog.concat_ws(' ', 'They have been changed since, a trigger holds a value, or some of the rows that were merged into them stay removed.',
                               'Refused: ' || nullif(pg_catalog.array_to_string(errors, '; '), '')),
                  HINT = pg_catalog.format('See what they were: SELECT * FROM %s WHERE neardup_measure = ''before merge'';', removed);
    END IF;
    IF stay > 0 THEN
        RAISE NOTICE '%', pg_catalog.format(CASE stay WHEN 1 THEN '%s row stays in %s' ELSE '%s rows stay in %s' END, stay, removed)
            USING DETAIL = pg_catalog.array_to_string(refused, '; ');
    END IF;
END
$$;

-- A table must be named: the triggers of a table of removed rows run as the role that deletes from it.
CREATE PROCEDURE neardup.purge(target regclass, older_than interval, batch integer DEFAULT 10000, INOUT purged bigint DEFAULT NULL)
    LANGUAGE plpgsql AS $$
DECLARE
    removed pg_catalog.regclass := neardup_internal.trusted_removed(target);
    until pg_catalog.timestamptz;
    affected bigint;
BEGIN
    PERFORM neardup_internal.check_path();
    until := pg_catalog.now() - older_than;
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
COMMENT ON FUNCTION neardup_internal.restore_rows(regclass, regclass, tid[], name) IS 'moves removed rows back, those without a mark in this column';
COMMENT ON FUNCTION neardup_internal.unmerge_row(regclass, regclass, tid, tid) IS 'puts a row back into which others were merged, of which two records are at these addresses, if it has not been changed since; returns the columns that a trigger has given another value, and NULL if the row stays as it is';
COMMENT ON FUNCTION neardup_internal.restorable(regclass, bigint, integer, text) IS 'what a restore takes of a batch: rows, and records of merges that it undoes';
COMMENT ON FUNCTION neardup_internal.restore_batch(regclass, regclass, name, tid[], tid[], tid[], text[], text[]) IS 'restores one batch of a run, in smaller parts if a constraint is violated';
COMMENT ON FUNCTION neardup_internal.check_restore(regclass, regclass, bigint, text) IS 'the number of rows to restore; raises an error if the table lacks columns of theirs';
COMMENT ON PROCEDURE neardup.restore(regclass, bigint, text, boolean, bigint) IS 'brings rows back that clean-ups removed: those of a run, CALL neardup.restore(''articles'', 3), or the row of a key, CALL neardup.restore(''articles'', key => ''17''). Unless answer => false, they are noted in neardup.answers as no copies of the rows that were kept, and clean-ups leave them in place';
COMMENT ON PROCEDURE neardup.purge(regclass, interval, integer, bigint) IS 'deletes the rows for good that clean-ups removed from a table longer ago than an interval, with their log, and returns the number of rows: CALL neardup.purge(''articles'', ''90 days'')';
