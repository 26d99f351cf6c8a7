-- clean-up: choose, show, remove. The statements that name the table are made in Rust, each whole (src/cleanup/steps.rs).

CREATE FUNCTION neardup_internal.cleanup_steps(arguments jsonb, action text, list text) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'cleanup_steps_wrapper';
COMMENT ON FUNCTION neardup_internal.cleanup_steps(jsonb, text, text) IS 'the statements of a clean-up, by name; its last argument is the temporary table of the list';

CREATE FUNCTION neardup_internal.document_statement(arguments jsonb) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'document_statement_wrapper';
COMMENT ON FUNCTION neardup_internal.document_statement(jsonb) IS 'SQL statement that reads the document of a row by its primary key';

CREATE FUNCTION neardup_internal.check_cleanup(target regclass, action text, on_reference text, against regclass) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    hidden name;
BEGIN
    IF action IS NULL OR action NOT IN ('archive', 'delete', 'mark') THEN
        RAISE EXCEPTION 'action must be archive, delete or mark: %', action USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF on_reference IS NULL OR on_reference NOT IN ('skip', 'repoint') THEN
        RAISE EXCEPTION 'on_reference must be skip or repoint: %', on_reference USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF on_reference = 'repoint' AND against IS NOT NULL THEN
        RAISE EXCEPTION 'on_reference repoint cannot be combined with against' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = pg_catalog.format('A foreign key to %s cannot point to a row of %s.', target, against);
    END IF;
    SELECT c.conname INTO hidden FROM pg_catalog.pg_constraint c
    WHERE c.contype = 'f' AND c.confrelid = target::oid AND c.confdeltype IN ('c', 'n', 'd') AND pg_catalog.row_security_active(c.conrelid);
    IF FOUND AND action <> 'mark' THEN
        RAISE EXCEPTION 'row security hides rows that foreign key "%" would change or remove', hidden
            USING ERRCODE = 'insufficient_privilege', HINT = 'Run this as a role that sees all rows of that table.';
    END IF;
END
$$;

-- The temporary table with the list of copies. If another role's list is left from a call before SET ROLE, this role may not drop it, and
-- uses another name.
CREATE FUNCTION neardup_internal.chosen_table() RETURNS text
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    RETURN CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = pg_catalog.to_regclass('pg_temp.neardup_chosen')
                                 AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE'))
                THEN pg_catalog.format('pg_temp.neardup_chosen_%s', CURRENT_USER::regrole::oid) ELSE 'pg_temp.neardup_chosen' END;

-- Lists the copies, with hashes of the texts that were judged.
CREATE FUNCTION neardup_internal.choose(steps jsonb, list text) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    chosen bigint;
BEGIN
    IF to_regclass(list) IS NOT NULL THEN
        EXECUTE format('DROP TABLE %s', list);
    END IF;
    EXECUTE steps ->> 'list';
    IF steps ->> 'forget_marked' IS NOT NULL THEN
        EXECUTE steps ->> 'forget_marked';
    END IF;
    EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY (place)', list);
    EXECUTE format('ANALYZE %s', list);
    EXECUTE format('SELECT count(*) FROM %s', list) INTO chosen;
    RETURN chosen;
END
$$;

-- The pairs that a dry run shows. Keys are written as lists write them.
CREATE FUNCTION neardup_internal.shown_pairs(steps jsonb) RETURNS TABLE (key text, stays text, why text, goes_text text, stays_text text, reasons text[])
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
BEGIN
    RETURN QUERY EXECUTE steps ->> 'show';
END
$$;

-- Shows what a clean-up would do, and how to run it.
CREATE FUNCTION neardup_internal.try_out(
    target regclass, against regclass, steps jsonb, list text, action text, on_reference text, arguments text
) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    chosen bigint := neardup_internal.choose(steps, list);
    verb pg_catalog.text := CASE action WHEN 'mark' THEN 'be marked' ELSE 'go' END;
    sample pg_catalog.record;
    reference pg_catalog.jsonb;
    referred bigint;
    verdicts pg_catalog.text;
    wrong double precision;
BEGIN
    FOR sample IN SELECT p.* FROM neardup_internal.shown_pairs(steps) p LOOP
        RAISE NOTICE '(%) would %, (%)% stays: %',
            sample.key, verb, sample.stays, coalesce(' of ' || against::pg_catalog.text, ''), sample.why
            USING DETAIL = pg_catalog.concat_ws(E'\n', pg_catalog.format(E'(%s) %s\n(%s) %s', sample.key, sample.goes_text, sample.stays, sample.stays_text),
                'Reasons: ' || nullif(pg_catalog.array_to_string(sample.reasons, '; '), '') || '.');
    END LOOP;
    FOR reference IN SELECT r FROM pg_catalog.jsonb_array_elements(steps -> 'references'::pg_catalog.text) r WHERE action <> 'mark' LOOP
        EXECUTE reference ->> 'count'::pg_catalog.text INTO referred;
        IF referred > 0 THEN
            RAISE NOTICE '% of them are referenced by foreign key "%" of table % and would %',
                referred, reference ->> 'name'::pg_catalog.text,
                (reference ->> 'source'::pg_catalog.text)::pg_catalog.regclass,
                CASE on_reference WHEN 'skip' THEN 'stay' ELSE 'go, once the references point to the row that stays' END;
        END IF;
    END LOOP;
    EXECUTE pg_catalog.format(
        'SELECT pg_catalog.string_agg(pg_catalog.format(''%%s: %%s'', v.why, v.n), '', '' ORDER BY v.n DESC, v.why) '
        'FROM (SELECT pg_catalog.count(*) AS n, CASE c.measure WHEN ''identical'' THEN ''identical'' WHEN ''simhash'' THEN ''by simhash'' '
              'ELSE pg_catalog.concat_ws('' by '', c.verdict, c.measure) END AS why FROM %s c GROUP BY 2) v', list) INTO verdicts;
    -- A score is the probability that the verdict is right.
    EXECUTE pg_catalog.format(
        'SELECT 100::pg_catalog.float8 OPERATOR(pg_catalog.*) pg_catalog.sum(1::pg_catalog.float8 OPERATOR(pg_catalog.-) c.value) '
        'FROM %s c WHERE c.measure = ''facts''', list) INTO wrong;
    RAISE NOTICE 'dry run: % of the rows of % would %; nothing has been changed', chosen, target, verb
        USING DETAIL = CASE WHEN chosen > 0 THEN pg_catalog.concat(verdicts, '.', CASE WHEN chosen > 10 THEN ' The 10 least certain ones are shown.' END,
                                ' Of 100 such rows, the scores expect ' || pg_catalog.round((wrong OPERATOR(pg_catalog./) chosen::double precision)::pg_catalog.numeric, 1)::pg_catalog.text || ' to be no copies.')
                            ELSE pg_catalog.concat('The table has no copies', ' of rows of ' || against::pg_catalog.text, '.') END,
              HINT = pg_catalog.format(
                  'See them all: SELECT * FROM neardup.duplicates(%s); %s them: CALL neardup.cleanup(%s, dry_run => false);',
                  arguments, CASE action WHEN 'mark' THEN 'mark' ELSE 'remove' END,
                  pg_catalog.concat_ws(', ', arguments, 'action => ' || pg_catalog.quote_literal(nullif(action, 'archive')),
                      'on_reference => ' || pg_catalog.quote_literal(nullif(on_reference, 'skip'))));
    EXECUTE pg_catalog.format('DROP TABLE %s', list);
END
$$;

-- Keeps the table under its name until the end of the transaction; the statements of the steps name it.
CREATE FUNCTION neardup_internal.keep_name(target regclass, name text, run_id bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    BEGIN
        EXECUTE format('SELECT FROM %s LIMIT 0', name);
    EXCEPTION WHEN undefined_table THEN
        NULL;
    END;
    IF (to_regclass(name)::oid = target::oid) IS NOT TRUE THEN
        RAISE EXCEPTION 'table % was dropped or renamed during run %', name, run_id USING ERRCODE = 'undefined_table',
            DETAIL = 'What the run has done is recorded in neardup.removed.', HINT = 'If it was renamed, call neardup.cleanup again.';
    END IF;
END
$$;

-- Runs one batch; if a constraint prevents the removal of some rows, it goes row by row, and those stay. The settings make the text of a
-- record the same for the role that removes and the role that restores. The path is the user's: their triggers run here.
CREATE FUNCTION neardup_internal.remove_batch(
    steps pg_catalog.jsonb, list text, after bigint, last bigint, run_id bigint, batch integer, OUT removed bigint, OUT repointed bigint
)
    LANGUAGE plpgsql VOLATILE
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    columns pg_catalog.name[] := (SELECT r.columns FROM neardup.runs r WHERE r.run_id = remove_batch.run_id);
    statement pg_catalog.text;
    affected bigint;
    first bigint;
    until bigint;
BEGIN
    -- A deferred foreign key would fail only at the commit, and undo the whole batch.
    SET CONSTRAINTS ALL IMMEDIATE;
    removed := 0;
    repointed := 0;
    FOR step IN 0 .. last - after LOOP
        -- First all at once, then one by one.
        first := CASE step WHEN 0 THEN after ELSE after + step - 1 END;
        until := CASE step WHEN 0 THEN last ELSE first + 1 END;
        BEGIN
            FOR statement IN
                SELECT s FROM pg_catalog.jsonb_array_elements_text(
                    (steps -> 'lock'::pg_catalog.text) || (steps -> 'skip'::pg_catalog.text)) s
            LOOP
                EXECUTE statement USING first, until, run_id, batch;
            END LOOP;
            FOR statement IN SELECT s FROM pg_catalog.jsonb_array_elements_text(steps -> 'repoint'::pg_catalog.text) s LOOP
                EXECUTE statement USING first, until, run_id, batch;
                GET DIAGNOSTICS affected = ROW_COUNT;
                repointed := repointed + affected;
            END LOOP;
            EXECUTE steps ->> 'remove'::pg_catalog.text USING first, until, run_id, batch, columns;
            GET DIAGNOSTICS affected = ROW_COUNT;
            removed := removed + affected;
            IF step = 0 THEN
                RETURN;
            END IF;
        EXCEPTION WHEN integrity_constraint_violation THEN
            IF step = 0 THEN
                removed := 0;
                repointed := 0;
            ELSE
                EXECUTE pg_catalog.format('UPDATE %s c SET reason = $1 WHERE c.place = $2', list) USING SQLERRM, first + 1;
            END IF;
        END;
    END LOOP;
END
$$;

-- Records which of the chosen rows still exist, and reports them.
CREATE FUNCTION neardup_internal.tell_skipped(steps jsonb, run_id bigint, action text) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    skipped bigint;
    sample record;
BEGIN
    EXECUTE steps ->> 'left' USING run_id, action <> 'mark';
    GET DIAGNOSTICS skipped = ROW_COUNT;
    FOR sample IN SELECT s.* FROM neardup.skipped s WHERE s.run_id = tell_skipped.run_id LIMIT 10 LOOP
        RAISE NOTICE 'skipped (%): %', sample.key, sample.reason;
    END LOOP;
    RETURN skipped;
END
$$;

CREATE PROCEDURE neardup.cleanup(
    target regclass,
    keep text DEFAULT 'oldest',
    dry_run boolean DEFAULT true,
    batch integer DEFAULT 1000,
    time_column name DEFAULT NULL,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    action text DEFAULT 'archive',
    rank text[] DEFAULT NULL,
    scope name[] DEFAULT NULL,
    since text DEFAULT NULL,
    until text DEFAULT NULL,
    on_reference text DEFAULT 'skip',
    verify text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    throttle interval DEFAULT NULL,
    within interval DEFAULT NULL,
    against regclass DEFAULT NULL,
    INOUT run_id bigint DEFAULT NULL,
    INOUT removed bigint DEFAULT NULL
)
    LANGUAGE plpgsql AS $$
DECLARE
    list pg_catalog.text := neardup_internal.chosen_table();
    steps pg_catalog.jsonb;
    is_mark boolean;
    chosen bigint;
    all_places bigint;
    done pg_catalog.record;
    place bigint := 0;
    batches integer := 0;
    left_in_place bigint := 0;
    told pg_catalog.timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_path();
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_cleanup(target, action, on_reference, against);
    -- The guard is read under the lock, which keeps protect and unprotect out, and by a snapshot that was taken under it.
    IF NOT dry_run AND target IS NOT NULL THEN
        PERFORM neardup_internal.check_committing('cleanup');
        PERFORM neardup_internal.start_work(target, 'cleanup', 'rows');
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    END IF;
    is_mark := action = 'mark';
    steps := neardup_internal.cleanup_steps(pg_catalog.jsonb_build_object(
        'target', target::pg_catalog.oid::bigint, 'document', document, 'keep', keep, 'time_column', time_column, 'rank', rank,
        'scope', scope, 'since', since, 'until', until, 'verify', verify, 'threshold', threshold, 'within', within,
        'max_distance', max_distance, 'against', against::pg_catalog.oid::bigint), action, list);
    removed := 0;
    IF dry_run IS DISTINCT FROM false THEN
        PERFORM neardup_internal.try_out(target, against, steps, list, action, on_reference, pg_catalog.concat_ws(', ',
            pg_catalog.quote_literal(target),
            'keep => ' || pg_catalog.quote_literal(CASE WHEN against IS NULL THEN keep END),
            'time_column => ' || pg_catalog.quote_literal(time_column),
            'document => ' || pg_catalog.quote_literal(document),
            'max_distance => ' || max_distance::pg_catalog.text,
            'rank => ' || pg_catalog.quote_literal(rank),
            'scope => ' || pg_catalog.quote_literal(scope),
            'since => ' || pg_catalog.quote_literal(since),
            'until => ' || pg_catalog.quote_literal(until),
            'verify => ' || pg_catalog.quote_literal(verify),
            'threshold => ' || threshold::pg_catalog.text,
            'within => ' || pg_catalog.quote_literal(within),
            'against => ' || pg_catalog.quote_literal(against)));
        RETURN;
    END IF;

    IF is_mark AND steps ->> 'add_mark'::pg_catalog.text IS NOT NULL THEN
        PERFORM neardup_internal.lock_patiently(target);
        EXECUTE steps ->> 'add_mark'::pg_catalog.text;
    END IF;
    chosen := neardup_internal.choose(steps, list);
    IF chosen = 0 THEN
        RAISE NOTICE 'no copies to % in %', CASE WHEN is_mark THEN 'mark' ELSE 'remove' END, target;
        EXECUTE pg_catalog.format('DROP TABLE %s', list);
        PERFORM neardup_internal.end_work(target);
        RETURN;
    END IF;
    IF is_mark THEN
        steps := steps || '{"lock": [], "skip": [], "repoint": []}'::pg_catalog.jsonb;
    ELSIF on_reference = 'skip' THEN
        steps := steps || '{"repoint": []}'::pg_catalog.jsonb;
    ELSE
        steps := steps || '{"skip": []}'::pg_catalog.jsonb;
    END IF;
    INSERT INTO neardup.runs AS r (target, document, action, mark, keep, verify, threshold, columns, against)
    VALUES (target, steps ->> 'document'::pg_catalog.text, action,
            CASE WHEN is_mark THEN steps ->> 'mark'::pg_catalog.text END, keep, steps ->> 'verify'::pg_catalog.text,
            (steps ->> 'threshold'::pg_catalog.text)::double precision, neardup_internal.column_names(target), against)
    RETURNING r.run_id INTO run_id;
    EXECUTE pg_catalog.format('SELECT pg_catalog.max(c.place) FROM %s c', list) INTO all_places;
    -- The rate is that of removing, without the time for choosing.
    UPDATE neardup.running r SET started = pg_catalog.clock_timestamp(), total = all_places
    WHERE r.target::pg_catalog.oid = cleanup.target::pg_catalog.oid AND r.role = CURRENT_USER;
    COMMIT;
    WHILE place < all_places LOOP
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        PERFORM neardup_internal.keep_name(target, steps ->> 'target'::pg_catalog.text, run_id);
        batches := batches + 1;
        done := neardup_internal.remove_batch(steps, list, place, place + batch, run_id, batches);
        place := place + batch;
        removed := removed + done.removed;
        UPDATE neardup.runs r SET removed = r.removed + done.removed, repointed = r.repointed + done.repointed
        WHERE r.run_id = cleanup.run_id;
        told := neardup_internal.note_work(target, place, all_places, told);
        COMMIT;
        IF throttle > interval '0' THEN
            PERFORM pg_catalog.pg_sleep_for(throttle);
            COMMIT;
        END IF;
    END LOOP;
    IF removed < chosen THEN
        PERFORM neardup_internal.keep_name(target, steps ->> 'target'::pg_catalog.text, run_id);
        left_in_place := neardup_internal.tell_skipped(steps, run_id, action);
    END IF;
    UPDATE neardup.runs r SET finished = pg_catalog.clock_timestamp(), skipped = left_in_place WHERE r.run_id = cleanup.run_id;
    EXECUTE pg_catalog.format('DROP TABLE %s', list);
    PERFORM neardup_internal.end_work(target);
    IF removed < chosen THEN
        RAISE NOTICE '% rows were left in place', chosen - removed
            USING HINT = pg_catalog.format('See why: SELECT * FROM neardup.skipped WHERE run_id = %s;', run_id);
    END IF;
    IF removed > 0 AND action <> 'delete' THEN
        RAISE NOTICE '% rows % %', removed, CASE WHEN is_mark THEN 'marked in' ELSE 'removed from' END, target
            USING HINT = pg_catalog.format('%s: CALL neardup.restore(%s);',
                CASE WHEN is_mark THEN 'Take the marks off' ELSE 'Bring them back' END, run_id);
    ELSIF removed > 0 THEN
        RAISE NOTICE '% rows removed from %, and not kept', removed, target;
    END IF;
END
$$;

COMMENT ON FUNCTION neardup_internal.chosen_table() IS 'the temporary table in which a clean-up lists its copies';
COMMENT ON FUNCTION neardup_internal.check_cleanup(regclass, text, text, regclass) IS 'raises an error if arguments of a clean-up are invalid or contradict each other';
COMMENT ON PROCEDURE neardup.cleanup(regclass, text, boolean, integer, name, name, integer, text, text[], name[], text, text, text, text, double precision, interval, interval, regclass, bigint, bigint) IS 'removes, archives or marks copies and keeps one row of each group; with against, removes copies of rows of that other table. A dry run unless dry_run => false: CALL neardup.cleanup(''articles'', dry_run => false). keep: oldest, newest, longest or most_complete; action: archive, delete or mark; on_reference: skip or repoint; threshold: the least score (verify facts or a profile, 0.65 to 1) or the least overlap or cosine (0 to 1); default: that of the guard, or else a score of 0.85. neardup.restore undoes a run unless action is delete';
COMMENT ON FUNCTION neardup_internal.choose(jsonb, text) IS 'lists the copies of a clean-up in a temporary table';
COMMENT ON FUNCTION neardup_internal.shown_pairs(jsonb) IS 'the pairs that a dry run shows, with what differs and the reasons';
COMMENT ON FUNCTION neardup_internal.try_out(regclass, regclass, jsonb, text, text, text, text) IS 'the dry run: reports what a clean-up would do, and how to run it';
COMMENT ON FUNCTION neardup_internal.keep_name(regclass, text, bigint) IS 'keeps a table under its name until the end of the transaction; raises an error if it has lost that name';
COMMENT ON FUNCTION neardup_internal.remove_batch(jsonb, text, bigint, bigint, bigint, integer) IS 'removes one batch of a clean-up, except rows that a constraint protects';
COMMENT ON FUNCTION neardup_internal.tell_skipped(jsonb, bigint, text) IS 'records and reports the copies that a clean-up left in place';
