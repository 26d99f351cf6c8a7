-- restore: brings removed rows back. As in a purge, its statements on the table and the table of removed rows beside it are its caller's, so that
-- Postgres's rights and row security decide. The caller names the table: what a record says selects rows, and nothing else.

CREATE FUNCTION neardup_internal.existing_removed(target regclass) RETURNS regclass
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    removed regclass := neardup_internal.removed_table(target);
BEGIN
    IF target IS NULL THEN
        RAISE EXCEPTION 'target must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    ELSIF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = target::oid) THEN
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

-- The number of rows to restore, of a batch or of all. A column that the table no longer has would be lost with its values.
CREATE FUNCTION neardup_internal.check_restore(target regclass, removed regclass, run_id bigint, key text, batch integer DEFAULT NULL) RETURNS bigint
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
    PERFORM neardup_internal.check_record_columns(target);
    PERFORM neardup_internal.check_removed_types(target, removed);
    EXECUTE pg_catalog.format(
        'SELECT pg_catalog.count(*) FILTER (WHERE NOT r.is_record), pg_catalog.count(*) FILTER (WHERE pg_catalog.num_nonnulls(NULL::pg_catalog.text%2$s) OPERATOR(pg_catalog.>) 0) '
        -- A record of a row that others were merged into has values to put back, and is no row to restore.
        'FROM ONLY %1$s d CROSS JOIN LATERAL (SELECT (d.neardup_measure OPERATOR(pg_catalog.=) ANY (''{before merge,after merge}''::pg_catalog.text[])) IS TRUE AS is_record) r '
        'WHERE ($1 IS NULL OR d.neardup_run OPERATOR(pg_catalog.=) $1) AND ($3 IS NULL OR d.neardup_batch OPERATOR(pg_catalog.=) $3) AND CASE WHEN $2 IS NULL THEN true WHEN NOT r.is_record OR d.neardup_key OPERATOR(pg_catalog.=) $2 THEN d.neardup_key OPERATOR(pg_catalog.=) $2 '
            'ELSE (d.neardup_run, d.neardup_batch, d.neardup_key) IN (SELECT o.neardup_run, o.neardup_batch, o.neardup_duplicate_of FROM ONLY %1$s o WHERE o.neardup_key OPERATOR(pg_catalog.=) $2) END',
        removed, (SELECT pg_catalog.string_agg(pg_catalog.format(', d.%I', c), '') FROM pg_catalog.unnest(columns) c))
        INTO total, lost USING run_id, key, batch;
    IF lost > 0 THEN
        RAISE EXCEPTION 'table % no longer has all columns of the removed rows', target USING ERRCODE = 'undefined_column',
            DETAIL = pg_catalog.format(CASE lost WHEN 1 THEN '%s of them has values in: %s.' ELSE '%s of them have values in: %s.' END, lost, pg_catalog.array_to_string(columns, ', ')),
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
    of_action pg_catalog.text;
    has_merged boolean := false;
    mark pg_catalog.name;
    is_found boolean := false;
    answered bigint := 0;
    told bigint := 0;
    alone bigint := 0;
    unnoted bigint := 0;
    of_large bigint := 0;
    large integer;
    noted pg_catalog.record;
    -- The row whose notes are as old as the first ones of this call, and the statement that withdraws all of these.
    first_noted pg_catalog.text;
    withdrawing pg_catalog.text;
    stay bigint := 0;
    -- Of kept rows that were put back without any others, the first ones.
    put_back pg_catalog.text[] := '{}';
    -- Of these, the first ones: why rows stay, the kept rows that others were merged into and that stay as they are, why, and what a trigger holds of others.
    refused pg_catalog.text[] := '{}';
    still_merged pg_catalog.text[] := '{}';
    errors pg_catalog.text[] := '{}';
    held pg_catalog.text[] := '{}';
    -- Why guards note nothing.
    failed pg_catalog.text[] := '{}';
    example pg_catalog.text;
    reported_at pg_catalog.timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_path();
    PERFORM neardup_internal.check_committing('restore');
    IF run_id IS NULL AND key IS NULL THEN
        RAISE EXCEPTION 'run_id and key must not both be NULL' USING ERRCODE = 'null_value_not_allowed',
            HINT = pg_catalog.format('SELECT neardup_run, neardup_key FROM %s;', removed);
    END IF;
    IF answer THEN
        PERFORM neardup_internal.tell_owner(target, true);
    END IF;
    total := neardup_internal.check_restore(target, removed, run_id, key);
    PERFORM neardup_internal.start_work(target, 'restore', 'rows', total);
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    restored := 0;
    LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = target::pg_catalog.oid) THEN
            RAISE EXCEPTION 'table with OID % has been dropped during a restore', target::pg_catalog.oid USING ERRCODE = 'undefined_table';
        END IF;
        -- The columns stay as they are until the end of the batch: a value that has no column would be lost with its removed row.
        EXECUTE pg_catalog.format('LOCK TABLE ONLY %s IN ROW EXCLUSIVE MODE', target);
        -- The last batch comes first: rows that it removed may have been referenced by rows of earlier batches.
        EXECUTE pg_catalog.format(
            'SELECT d.neardup_run, d.neardup_batch FROM ONLY %s d '
            'WHERE ($1 IS NULL OR d.neardup_run OPERATOR(pg_catalog.=) $1) AND ($2 IS NULL OR d.neardup_key OPERATOR(pg_catalog.=) $2) '
                'AND ($3 IS NULL OR d.neardup_run OPERATOR(pg_catalog.<) $3 OR d.neardup_run OPERATOR(pg_catalog.=) $3 AND d.neardup_batch OPERATOR(pg_catalog.<) $4) '
            'ORDER BY 1 DESC, 2 DESC LIMIT 1', removed)
            INTO run, batch USING run_id, key, run, batch;
        EXIT WHEN batch IS NULL;
        PERFORM neardup_internal.check_restore(target, removed, run, key, batch);
        todo := neardup_internal.restorable(removed, run, batch, key);
        CONTINUE WHEN todo.places IS NULL;
        is_found := true;
        SELECT r.document, r.against, r.action INTO of_document, of_against, of_action FROM neardup.runs r
        WHERE r.target::pg_catalog.oid = restore.target::pg_catalog.oid AND r.run_id = run;
        has_merged := has_merged OR coalesce(of_action = 'merge', false) OR coalesce(pg_catalog.cardinality(todo.still_merged) > 0, false);
        mark := CASE WHEN answer AND of_against IS NULL THEN (
            SELECT pg_catalog.max(p.duplicate_of::pg_catalog.text) FROM neardup.protected p
            WHERE p.target::pg_catalog.oid = restore.target::pg_catalog.oid AND p.document = neardup_internal.noting_document(restore.target, of_document)) END;
        part := neardup_internal.restore_batch(target, removed, mark, todo.places, todo.befores, todo.afters, todo.keys, todo.kept);
        restored := restored + part.restored;
        stay := stay + pg_catalog.cardinality(part.refused);
        put_back := (pg_catalog.array_cat(put_back, CASE part.restored WHEN 0 THEN todo.kept END))[1 : 10];
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
            of_large := of_large + noted.of_large;
            large := noted.large;
            first_noted := coalesce(first_noted, noted.first_noted);
            failed := ARRAY(SELECT f FROM pg_catalog.unnest(pg_catalog.array_cat(failed, noted.failed)) f GROUP BY f ORDER BY f LIMIT 10);
        END IF;
        UPDATE neardup_internal.own_runs r SET restored = r.restored + part.restored
        WHERE r.target::pg_catalog.oid = restore.target::pg_catalog.oid AND r.run_id = run;
        reported_at := neardup_internal.note_work(target, restored, total, reported_at);
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    END LOOP;
    PERFORM neardup_internal.end_work(target);
    IF NOT is_found THEN
        IF key IS NOT NULL THEN
            EXECUTE pg_catalog.format('SELECT pg_catalog.min(d.neardup_key) FROM (SELECT k.neardup_key FROM ONLY %s k LIMIT 1) d', removed) INTO example;
        END IF;
        IF example IS NULL THEN
            RAISE NOTICE 'table % has no such rows', removed;
        ELSE
            RAISE NOTICE 'table % has no such rows', removed
                USING HINT = 'A key is written as in lists, like that of this row: ' || pg_catalog.quote_literal(example) || '.';
        END IF;
    END IF;
    -- The answers of a batch have its time. Without such answers, the statement withdraws nothing.
    withdrawing := pg_catalog.format(
        CASE WHEN key IS NOT NULL THEN 'Withdraw that: SELECT neardup.withdraw(%1$L, %3$L, act => ''restore''); clean-ups may then remove such rows again.'
             ELSE 'Withdraw that: SELECT neardup.withdraw(%1$L, act => ''restore'', since => max(at)) FROM neardup.answers(%1$L) '
                      'WHERE act = ''restore'' AND key = %2$L GROUP BY key; clean-ups may then remove such rows again.' END,
        target, first_noted, key);
    IF answered > 0 THEN
        RAISE NOTICE '%', CASE answered WHEN 1 THEN '1 restored row is noted as no copy of the row that was kept'
                               ELSE pg_catalog.format('%s restored rows are noted as no copies of the rows that were kept', answered) END
            USING HINT = withdrawing;
    END IF;
    IF alone > 0 THEN
        RAISE NOTICE '%', CASE alone WHEN 1 THEN '1 restored row is noted as one to leave in place'
                               ELSE pg_catalog.format('%s restored rows are noted as ones to leave in place', alone) END
            USING DETAIL = pg_catalog.format('Table %s does not have the rows that were kept in their place, or no guard of the column that the clean-up compared.', target),
                  HINT = withdrawing;
    END IF;
    IF unnoted > 0 THEN
        RAISE NOTICE '%', CASE unnoted WHEN 1 THEN '1 restored row is not noted as one to leave in place'
                               ELSE pg_catalog.format('%s restored rows are not noted as ones to leave in place', unnoted) END
            USING DETAIL = 'The table has no guard, or they have no text, or keys that are written in another way than when they were removed.',
                  HINT = 'The next clean-up may remove them again. To keep one of them, answer that it is no copy of the row that would be kept: see neardup.answer.';
    END IF;
    IF of_large > 0 THEN
        RAISE NOTICE '%', pg_catalog.format(CASE of_large WHEN 1 THEN '%s restored row is of a group of more than %s rows'
                                                          ELSE '%s restored rows are of groups of more than %s rows' END, of_large, large)
            USING DETAIL = 'Such rows are not noted as no copies of each other nor, with the same text, of the row that was kept: lists may name them, and clean-ups leave them in place.',
                  HINT = withdrawing;
    END IF;
    IF pg_catalog.cardinality(failed) > 0 THEN
        RAISE NOTICE 'it is not noted for all guards of % that restored rows are no copies', target
            USING DETAIL = pg_catalog.array_to_string(failed, '; '), HINT = 'The next clean-up by such a guard may remove them again.';
    END IF;
    IF told > 0 THEN
        RAISE NOTICE '%', CASE told WHEN 1 THEN '1 restored row was answered to be a copy, and the answer stays'
                               ELSE pg_catalog.format('%s restored rows were answered to be copies, and the answers stay', told) END
            USING HINT = pg_catalog.format(CASE told WHEN 1 THEN 'A clean-up may remove it again for the row that it was answered to be a copy of. To keep it: SELECT neardup.answer(%L, key, other, false);'
                                                     ELSE 'A clean-up may remove them again for the rows that they were answered to be copies of. To keep one: SELECT neardup.answer(%L, key, other, false);' END, target);
    END IF;
    IF pg_catalog.cardinality(held) > 0 THEN
        RAISE NOTICE 'rows of % are what they were, except for columns that a trigger holds or that are generated by now: %', target, pg_catalog.array_to_string(held, '; ')
            USING DETAIL = 'What they were is kept. As long as such a column has what the merge made of it, another restore may put it back.',
                  HINT = pg_catalog.format('See what they were: SELECT * FROM %s WHERE neardup_measure = ''before merge'';', removed);
    END IF;
    IF pg_catalog.cardinality(still_merged) > 0 THEN
        RAISE NOTICE 'rows of % keep what was merged into them: (%)', target, pg_catalog.array_to_string(still_merged, '), (')
            USING DETAIL = pg_catalog.concat_ws(' ', 'They have been changed since, a trigger holds a value, or some of the rows that were merged into them stay removed.',
                               'Refused: ' || nullif(pg_catalog.array_to_string(errors, '; '), '')),
                  HINT = pg_catalog.format('See what they were: SELECT * FROM %s WHERE neardup_measure = ''before merge'';', removed);
    END IF;
    IF has_merged AND pg_catalog.row_security_active(removed) THEN
        RAISE NOTICE 'row security of % is in force for you: what was merged into other rows stays merged', removed
            USING DETAIL = 'It may hide rows that were merged into the same row, and that stay removed.',
                  HINT = pg_catalog.format('Restore them again without: ALTER TABLE %s NO FORCE ROW LEVEL SECURITY;', removed);
    END IF;
    IF restored = 0 AND stay = 0 AND pg_catalog.cardinality(put_back) > 0 AND pg_catalog.cardinality(still_merged) = 0 AND pg_catalog.cardinality(held) = 0 THEN
        RAISE NOTICE 'rows of % are what they were before others were merged into them: (%)', target, pg_catalog.array_to_string(put_back, '), (');
    END IF;
    IF stay > 0 THEN
        RAISE NOTICE '%', pg_catalog.format(CASE stay WHEN 1 THEN '%s row stays in %s' ELSE '%s rows stay in %s' END, stay, removed)
            USING DETAIL = pg_catalog.array_to_string(refused, '; ');
        IF pg_catalog.row_security_active(target) THEN
            RAISE NOTICE 'row security of % is in force for its owner', target
                USING HINT = pg_catalog.format('If a policy is in the way, restore them again without: ALTER TABLE %s NO FORCE ROW LEVEL SECURITY;', target);
        END IF;
    END IF;
    IF pg_catalog.array_to_string(refused, '; ') LIKE ANY (ARRAY['%: a trigger stores other values: %', '%: a trigger has deleted or changed it at once, and %',
                                                                 '%: a trigger has deleted or changed a row that has just come back%']) THEN
        RAISE NOTICE 'rows do not come back as long as a trigger of % changes them or others', target
            USING HINT = pg_catalog.concat_ws(' ', 'Disable it for as long as the restore takes, and restore them again.', neardup_internal.disabled_triggers(target));
    END IF;
END
$$;

COMMENT ON FUNCTION neardup_internal.existing_removed(regclass) IS 'the table of removed rows beside a table; raises an error if there is none';
COMMENT ON FUNCTION neardup_internal.check_restore(regclass, regclass, bigint, text, integer) IS 'the number of rows to restore; raises an error if the table lacks columns of theirs';
COMMENT ON PROCEDURE neardup.restore(regclass, bigint, text, boolean, bigint) IS 'brings rows back that clean-ups removed: those of a run, CALL neardup.restore(''articles'', 3), or the row of a key, CALL neardup.restore(''articles'', key => ''17''). Unless answer => false, they are noted in neardup.answers as no copies of the rows that were kept, and clean-ups leave them in place';
