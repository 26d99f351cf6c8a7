-- clean-up: choose and remove. The statements that name the table are made and run in Rust (src/cleanup/batch.rs).
--
-- The settings make the text of a key the same for every session. The path is the user's where their triggers run. Statements of batches are
-- estimated far too high, and compiling each anew would take longer than running it.

CREATE FUNCTION neardup_internal.text_hash(document text) RETURNS bigint
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'text_hash_wrapper';
COMMENT ON FUNCTION neardup_internal.text_hash(text) IS 'a hash of a text, to detect changes; another version of the extension may use another hash';

CREATE FUNCTION neardup_internal.row_hash(document text, beside text[]) RETURNS bigint
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'row_hash_wrapper';
COMMENT ON FUNCTION neardup_internal.row_hash(text, text[]) IS 'the same of a text with what else is compared of its row: title, and values that must not differ';

CREATE FUNCTION neardup_internal.document_statement(arguments jsonb) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'document_statement_wrapper';
COMMENT ON FUNCTION neardup_internal.document_statement(jsonb) IS 'SQL statement that reads the document of a row by its primary key';

CREATE FUNCTION neardup_internal.cleanup_threshold(arguments jsonb) RETURNS double precision
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'cleanup_threshold_wrapper';
COMMENT ON FUNCTION neardup_internal.cleanup_threshold(jsonb) IS 'the least score, overlap or cosine of what a clean-up removes';

CREATE FUNCTION neardup_internal.check_references(arguments jsonb) RETURNS void
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'check_references_wrapper';
COMMENT ON FUNCTION neardup_internal.check_references(jsonb) IS 'raises an error if the caller may not read a table that refers to that of a clean-up';

CREATE FUNCTION neardup_internal.missing_mark(arguments jsonb) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'missing_mark_wrapper';
COMMENT ON FUNCTION neardup_internal.missing_mark(jsonb) IS 'the column in which a clean-up marks rows, if the table does not have it yet';

CREATE FUNCTION neardup_internal.list_copies(arguments jsonb, action text) RETURNS bigint
    LANGUAGE c VOLATILE STRICT
    SET search_path = pg_catalog, pg_temp SET jit = off
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'list_copies_wrapper';
COMMENT ON FUNCTION neardup_internal.list_copies(jsonb, text) IS 'lists the copies of a clean-up in a temporary table, with hashes of the texts that were judged, and returns their number';

CREATE FUNCTION neardup_internal.begin_run(arguments jsonb, action text, keep text, found bigint) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'begin_run_wrapper';
COMMENT ON FUNCTION neardup_internal.begin_run(jsonb, text, text, bigint) IS 'begins a run in the log, and returns its number';

CREATE FUNCTION neardup_internal.cleanup_batch(arguments jsonb, action text, run_id bigint, batch integer, after bigint, last bigint) RETURNS bigint
    LANGUAGE c VOLATILE STRICT
    SET jit = off
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'cleanup_batch_wrapper';
COMMENT ON FUNCTION neardup_internal.cleanup_batch(jsonb, text, bigint, integer, bigint, bigint) IS 'removes or marks the rows of some places of the list, except those that have changed or are referred to, and returns their number';

CREATE FUNCTION neardup_internal.merging_function(arguments jsonb, action text, merge regproc) RETURNS regproc
    LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'merging_function_wrapper';
COMMENT ON FUNCTION neardup_internal.merging_function(jsonb, text, regproc) IS 'the function that a clean-up merges rows by, its argument or that of the guard; raises an error if it is none, or may not be called';

CREATE FUNCTION neardup_internal.merge_batch(arguments jsonb, merge regproc, settings text[], run_id bigint, batch integer, after bigint, last bigint) RETURNS bigint
    LANGUAGE c VOLATILE STRICT
    SET jit = off
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'merge_batch_wrapper';
COMMENT ON FUNCTION neardup_internal.merge_batch(jsonb, regproc, text[], bigint, integer, bigint, bigint) IS 'merges the rows of some places of the list, which neardup_internal.cleanup_batch has locked and checked, into the rows that are kept, and returns their number; settings: those of the caller, which the function gets';

CREATE FUNCTION neardup_internal.note_found(arguments jsonb, run_id bigint, found bigint) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'note_found_wrapper';
COMMENT ON FUNCTION neardup_internal.note_found(jsonb, bigint, bigint) IS 'notes in the log how many copies a run has found';

CREATE FUNCTION neardup_internal.note_skipped(arguments jsonb, run_id bigint, after bigint, last bigint) RETURNS void
    LANGUAGE c VOLATILE STRICT
    SET jit = off
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'note_skipped_wrapper';
COMMENT ON FUNCTION neardup_internal.note_skipped(jsonb, bigint, bigint, bigint) IS 'notes in the log which rows of some places of the list a run has left in place, with the reasons';

CREATE FUNCTION neardup_internal.end_run(arguments jsonb, run_id bigint) RETURNS SETOF text
    LANGUAGE c VOLATILE STRICT
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'end_run_wrapper';
COMMENT ON FUNCTION neardup_internal.end_run(jsonb, bigint) IS 'ends a run in the log, and returns the rows that were left in place, with the reasons';

CREATE FUNCTION neardup_internal.break_circles(arguments jsonb) RETURNS bigint[]
    LANGUAGE c VOLATILE STRICT
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'break_circles_wrapper';
COMMENT ON FUNCTION neardup_internal.break_circles(jsonb) IS 'takes off a mark in each circle of marks; how many circles there were, and how many are left';

CREATE FUNCTION neardup_internal.check_cleanup(target regclass, action text, max_rows bigint, on_more text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    hidden name;
BEGIN
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE EXCEPTION 'a clean-up cannot run in a read-only transaction, not even as a dry run' USING ERRCODE = 'read_only_sql_transaction',
            HINT = format('List the copies: SELECT * FROM neardup.duplicates(%L, settled => true);', target);
    END IF;
    IF action IS NULL OR action NOT IN ('archive', 'delete', 'mark', 'merge') THEN
        RAISE EXCEPTION 'action must be archive, delete, mark or merge: %', action USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF max_rows < 0 THEN
        RAISE EXCEPTION 'max_rows must be 0 or more: %', max_rows USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF on_more IS NULL OR on_more NOT IN ('stop', 'surest') THEN
        RAISE EXCEPTION 'on_more must be stop or surest: %', on_more USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT c.conname INTO hidden FROM pg_catalog.pg_constraint c
    WHERE c.contype = 'f' AND c.confrelid = target::oid AND c.confdeltype IN ('c', 'n', 'd') AND pg_catalog.row_security_active(c.conrelid);
    IF FOUND AND action <> 'mark' THEN
        RAISE EXCEPTION 'row security hides rows that foreign key "%" would change or remove', hidden
            USING ERRCODE = 'insufficient_privilege', HINT = 'Run this as a role that sees all rows of that table.';
    END IF;
END
$$;

CREATE FUNCTION neardup_internal.act_on_batch(arguments jsonb, action text, merge regproc, run_id bigint, batch integer, after bigint, last bigint) RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    removed bigint := neardup_internal.cleanup_batch(arguments, action, run_id, batch, after, last);
BEGIN
    IF action = 'merge' THEN
        removed := neardup_internal.merge_batch(arguments, merge, ARRAY(
            SELECT pg_catalog.current_setting(s.name)
            FROM pg_catalog.unnest(ARRAY['datestyle', 'intervalstyle', 'timezone', 'extra_float_digits', 'bytea_output', 'lc_monetary'])
                 WITH ORDINALITY s(name, place) ORDER BY s.place), run_id, batch, after, last);
    END IF;
    RETURN removed;
END
$$;

-- Runs one batch. If a constraint, a trigger's RAISE EXCEPTION or another error that may be about single rows prevents their removal, it tries a tenth of
-- the rows after the other, and so on down to single rows, and those that are refused stay; with merge, down to single groups. Tenths cost few statements
-- where few rows are refused, and one more for every nine rows where all are. If none of the rows is refused in a smaller part, the refusal was about the number of rows, for example by a
-- statement trigger: to remove them in smaller parts would evade it.
CREATE FUNCTION neardup_internal.remove_batch(
    arguments jsonb, action text, merge regproc, run_id bigint, batch integer, after bigint, last bigint, OUT removed bigint, OUT refused bigint
)
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    size CONSTANT bigint := (last - after + 9) / 10;
    done bigint := after;
    -- The end of the first row or group, and that of the next part.
    first bigint;
    stop bigint;
    part pg_catalog.record;
BEGIN
    -- A deferred foreign key would fail only at the commit, and undo the whole batch.
    SET CONSTRAINTS ALL IMMEDIATE;
    refused := 0;
    BEGIN
        removed := neardup_internal.act_on_batch(arguments, action, merge, run_id, batch, after, last);
    EXCEPTION WHEN OTHERS THEN
        IF NOT neardup_internal.may_be_about_rows(SQLSTATE) THEN
            RAISE;
        END IF;
        removed := 0;
        first := CASE action WHEN 'merge' THEN neardup_internal.end_of_group(after + 1) ELSE after + 1 END;
        IF first >= last THEN
            UPDATE pg_temp.neardup_chosen c SET reason = SQLERRM WHERE c.place > after AND c.place <= last AND c.reason IS NULL;
            refused := 1;
            RETURN;
        END IF;
        WHILE done < last LOOP
            stop := least(done + size, last);
            IF action = 'merge' THEN
                stop := neardup_internal.end_of_group(stop);
                -- A large group would make the part as large as the whole: the groups before it are a part.
                IF done = after AND stop >= last THEN
                    stop := first;
                    WHILE neardup_internal.end_of_group(stop + 1) < last LOOP
                        stop := neardup_internal.end_of_group(stop + 1);
                    END LOOP;
                END IF;
            END IF;
            part := neardup_internal.remove_batch(arguments, action, merge, run_id, batch, done, stop);
            removed := removed + part.removed;
            refused := refused + part.refused;
            done := stop;
        END LOOP;
        IF refused = 0 THEN
            RAISE;
        END IF;
    END;
END
$$;

-- The last place of the group that a place of the list of a merge lies in, or else the place.
CREATE FUNCTION neardup_internal.end_of_group(place bigint) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN greatest(place, (SELECT c.group_end FROM pg_temp.neardup_chosen c WHERE c.place <= end_of_group.place ORDER BY c.place DESC LIMIT 1));
END
$$;

CREATE FUNCTION neardup_internal.least_threshold(target regclass, document name, verify text) RETURNS double precision
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT coalesce(pg_catalog.max(p.threshold), 0.5) FROM neardup.protected p
            WHERE p.target::oid = least_threshold.target::oid AND (least_threshold.document IS NULL OR p.document = least_threshold.document)
            HAVING pg_catalog.bool_and(coalesce(least_threshold.verify, p.verify) NOT IN ('none', 'overlap', 'cosine')));

CREATE FUNCTION neardup_internal.guard_marks(target regclass, document name) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT pg_catalog.bool_and(p.on_duplicate = 'mark') FROM neardup.protected p
            WHERE p.target::oid = guard_marks.target::oid AND (guard_marks.document IS NULL OR p.document = guard_marks.document));

-- Keeps of the list what a relation names by both keys, in either order.
CREATE FUNCTION neardup_internal.keep_named(target regclass, confirmed regclass) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    keys text;
    others text;
    found bigint;
BEGIN
    IF (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = confirmed::oid AND a.attname = ANY ('{key,duplicate_of}')) < 2 THEN
        RAISE EXCEPTION 'confirmed must have the columns key and duplicate_of: %', confirmed USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Like neardup.duplicates, whose rows it may hold: both are keys as text.';
    END IF;
    SELECT string_agg(format('concat(c.k%s)', n), ', '), string_agg(format('concat(c.r%s)', n), ', ') INTO keys, others
    FROM generate_series(1, cardinality(neardup_internal.key_columns(target))) n;
    EXECUTE format(
        'WITH o AS MATERIALIZED (SELECT concat(n.key) AS key, concat(n.duplicate_of) AS duplicate_of FROM %3$s n), '
        'c AS MATERIALIZED (SELECT c.place, neardup_internal.key_text(ARRAY[%1$s]) AS key, neardup_internal.key_text(ARRAY[%2$s]) AS kept FROM pg_temp.neardup_chosen c) '
        'DELETE FROM pg_temp.neardup_chosen x USING c WHERE x.place = c.place '
        'AND NOT EXISTS (SELECT FROM o WHERE o.key = c.key AND o.duplicate_of = c.kept) AND NOT EXISTS (SELECT FROM o WHERE o.duplicate_of = c.key AND o.key = c.kept)',
        keys, others, confirmed);
    SELECT count(*) INTO found FROM pg_temp.neardup_chosen;
    RETURN found;
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
    verify text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    throttle interval DEFAULT NULL,
    within interval DEFAULT NULL,
    against regclass DEFAULT NULL,
    max_rows bigint DEFAULT NULL,
    on_more text DEFAULT 'stop',
    excerpts text DEFAULT NULL,
    confirmed regclass DEFAULT NULL,
    merge regproc DEFAULT NULL,
    INOUT run_id bigint DEFAULT NULL,
    INOUT removed bigint DEFAULT NULL
)
    LANGUAGE plpgsql AS $$
DECLARE
    arguments pg_catalog.jsonb;
    mark pg_catalog.text;
    -- Where removed rows are kept.
    beside pg_catalog.regclass;
    found bigint;
    -- Of these, those that are left in place whatever happens.
    held bigint;
    last bigint;
    part bigint;
    place bigint := 0;
    stop bigint;
    batches integer := 0;
    left_in_place bigint := 0;
    circles bigint[];
    sample pg_catalog.text;
    reported_at pg_catalog.timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_path();
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_cleanup(target, action, max_rows, on_more);
    PERFORM neardup_internal.tell_renamed(target, dry_run IS NOT DISTINCT FROM false);
    -- The guard is read under the lock, which keeps protect and unprotect out, and by a snapshot that was taken under it.
    IF NOT dry_run AND target IS NOT NULL THEN
        PERFORM neardup_internal.check_committing('cleanup');
        PERFORM neardup_internal.start_work(target, 'cleanup', 'rows');
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    END IF;
    IF confirmed IS NOT NULL THEN
        IF against IS NOT NULL THEN
            RAISE EXCEPTION 'confirmed cannot be combined with against' USING ERRCODE = 'invalid_parameter_value';
        END IF;
        -- What has been confirmed needs no higher score than what the guard refuses.
        threshold := coalesce(threshold, neardup_internal.least_threshold(target, document, verify));
    ELSIF action = 'mark' AND against IS NULL AND (pg_catalog.cardinality(rank) > 0 OR keep <> 'oldest') AND neardup_internal.guard_marks(target, document) THEN
        -- Marks of the guard move, and they were set from that score on.
        threshold := coalesce(threshold, neardup_internal.least_threshold(target, document, verify));
    END IF;
    arguments := neardup_internal.checked_list(pg_catalog.jsonb_build_object(
        'target', target::pg_catalog.oid::bigint, 'document', document, 'keep', keep, 'time_column', time_column, 'rank', rank,
        'scope', scope, 'since', since, 'until', until, 'verify', verify, 'threshold', threshold, 'within', within,
        'max_distance', max_distance, 'against', against::pg_catalog.oid::bigint, 'excerpts', excerpts, 'settled', true));
    IF action <> 'mark' THEN
        PERFORM neardup_internal.check_references(arguments);
    END IF;
    removed := 0;
    IF dry_run IS DISTINCT FROM false THEN
        PERFORM neardup_internal.try_out(target, against, arguments, action, merge, max_rows, on_more, confirmed);
        RETURN;
    END IF;

    merge := neardup_internal.merging_function(arguments, action, merge);
    IF action IN ('archive', 'merge') THEN
        beside := neardup.keep_removed(target);
    ELSIF action = 'mark' THEN
        mark := neardup_internal.missing_mark(arguments);
        IF mark IS NOT NULL THEN
            PERFORM neardup_internal.lock_patiently(target);
            EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I pg_catalog.text', target, mark);
        END IF;
    END IF;
    -- A run that is stopped while it lists is in the log, too, and the lock for a new column is released.
    run_id := neardup_internal.begin_run(arguments, action, keep, 0);
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    found := neardup_internal.list_copies(arguments, action);
    last := found;
    IF confirmed IS NOT NULL THEN
        found := neardup_internal.keep_named(target, confirmed);
    END IF;
    SELECT pg_catalog.count(*) INTO held FROM pg_temp.neardup_chosen c WHERE c.reason IS NOT NULL;
    PERFORM neardup_internal.note_found(arguments, run_id, found);
    IF found - held > max_rows AND on_more = 'stop' THEN
        PERFORM neardup_internal.end_run(arguments, run_id);
        DROP TABLE pg_temp.neardup_chosen, pg_temp.neardup_followers;
        PERFORM neardup_internal.end_work(target);
        COMMIT;
        RAISE EXCEPTION '% of the rows of % are copies, more than max_rows: nothing has been removed', found - held, target
            USING ERRCODE = 'program_limit_exceeded',
                  DETAIL = pg_catalog.format('max_rows is %s.', max_rows) || CASE WHEN held > 0
                      THEN pg_catalog.format(' %s more would be left in place, because others refer to them or because they were restored.', held) ELSE '' END,
                  HINT = 'Look at them by a dry run; on_more => ''surest'' removes the surest.';
    ELSIF found - held > max_rows THEN
        RAISE WARNING '% of the rows of % are copies, more than max_rows: the surest % are taken', found - held, target, max_rows;
        DELETE FROM pg_temp.neardup_chosen c
        USING (SELECT o.place, pg_catalog.row_number() OVER (
                   ORDER BY CASE o.measure WHEN 'identical' THEN 2 WHEN 'simhash' THEN 0::double precision - o.value ELSE o.value END DESC, o.place) AS nth
               FROM pg_temp.neardup_chosen o WHERE o.reason IS NULL) s
        WHERE c.place = s.place AND s.nth > max_rows;
        found := max_rows + held;
    ELSIF found = 0 THEN
        RAISE NOTICE 'no copies to % in %', CASE action WHEN 'mark' THEN 'mark' WHEN 'merge' THEN 'merge' ELSE 'remove' END, target;
    END IF;
    -- The rate is that of removing, without the time for choosing.
    UPDATE neardup.running r SET started = pg_catalog.clock_timestamp(), total = last
    WHERE r.target::pg_catalog.oid = cleanup.target::pg_catalog.oid AND r.role = CURRENT_USER;
    -- Directly behind the COMMIT: the condition of the loop may take a snapshot.
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    WHILE place < last LOOP
        batches := batches + 1;
        stop := least(place + batch, last);
        IF action = 'merge' THEN
            stop := neardup_internal.end_of_group(stop);
        END IF;
        -- It is found by its name. Behind the batch the answer is final: the table is locked, and so is what the batch has written to.
        PERFORM neardup_internal.check_beside(target, beside);
        SELECT b.removed INTO part FROM neardup_internal.remove_batch(arguments, action, merge, run_id, batches, place, stop) b;
        PERFORM neardup_internal.check_beside(target, beside);
        PERFORM neardup_internal.note_skipped(arguments, run_id, place, stop);
        place := stop;
        removed := removed + part;
        reported_at := neardup_internal.note_work(target, place, last, reported_at);
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        IF throttle > interval '0' THEN
            PERFORM pg_catalog.pg_sleep_for(throttle);
            COMMIT;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        END IF;
    END LOOP;
    IF action = 'mark' THEN
        circles := neardup_internal.break_circles(arguments);
        IF circles[1] > 0 THEN
            RAISE WARNING 'marks of % went in circles: %', target, circles[1]
                USING DETAIL = CASE circles[2] WHEN 0 THEN 'One mark in each was taken off.' ELSE pg_catalog.format('A trigger or a rule keeps %s of them.', circles[2]) END;
        END IF;
    END IF;
    FOR sample IN SELECT s FROM neardup_internal.end_run(arguments, run_id) s LOOP
        left_in_place := left_in_place + 1;
        IF left_in_place <= 10 THEN
            RAISE NOTICE 'skipped %', sample;
        END IF;
    END LOOP;
    DROP TABLE pg_temp.neardup_chosen, pg_temp.neardup_followers;
    PERFORM neardup_internal.end_work(target);
    IF removed < found THEN
        RAISE NOTICE '% left in place', CASE found - removed WHEN 1 THEN '1 row was' ELSE pg_catalog.format('%s rows were', found - removed) END
            USING HINT = pg_catalog.format('See why: SELECT * FROM neardup.skipped WHERE target = %L::regclass AND run_id = %s;', target, run_id);
    END IF;
    IF removed > 0 AND action IN ('archive', 'merge') THEN
        RAISE NOTICE '% % % %', removed, CASE removed WHEN 1 THEN 'row' ELSE 'rows' END, CASE action WHEN 'merge' THEN 'merged into others in' ELSE 'removed from' END, target
            USING HINT = pg_catalog.format('Restore them: CALL neardup.restore(%L, %s);', target, run_id);
    ELSIF removed > 0 THEN
        RAISE NOTICE '% % %', removed, CASE removed WHEN 1 THEN 'row' ELSE 'rows' END, CASE action WHEN 'mark' THEN 'marked in ' || target::pg_catalog.text
                                          ELSE 'removed from ' || target::pg_catalog.text || ', and not kept' END;
    END IF;
END
$$;

COMMENT ON FUNCTION neardup_internal.check_cleanup(regclass, text, bigint, text) IS 'raises an error if arguments of a clean-up are invalid or contradict each other';
COMMENT ON PROCEDURE neardup.cleanup(regclass, text, boolean, integer, name, name, integer, text, text[], name[], text, text, text, double precision, interval, interval, regclass, bigint, text, text, regclass, regproc, bigint, bigint) IS 'removes, archives, marks or merges copies and keeps one row of each group; with against, removes copies of rows of that other table. A dry run unless dry_run => false: CALL neardup.cleanup(''articles'', dry_run => false). keep: oldest, newest, longest or most_complete; action: archive, delete, mark or merge; merge: the function of two rows, the kept one and a removed one, that returns what the kept one becomes, by default that of the guard; max_rows: with more copies to remove than that, on_more => ''stop'' raises an error and ''surest'' removes that many; excerpts: remove or keep; confirmed: a table or view of confirmed pairs, with columns key and duplicate_of, beyond which nothing is removed; threshold: the least score (verify facts or a profile, 0.05 to 1) or the least overlap or cosine (0 to 1); default: a score of 0.96, or the guard''s if that is higher. neardup.restore undoes a run with action archive or merge';
COMMENT ON FUNCTION neardup_internal.keep_named(regclass, regclass) IS 'keeps of the list of a clean-up what a relation names by both keys, and returns the number';
COMMENT ON FUNCTION neardup_internal.guard_marks(regclass, name) IS 'whether the guard of a clean-up marks copies';
COMMENT ON FUNCTION neardup_internal.least_threshold(regclass, name, text) IS 'the least score that a list names; NULL if lists compare by another measure';
COMMENT ON FUNCTION neardup_internal.act_on_batch(jsonb, text, regproc, bigint, integer, bigint, bigint) IS 'removes, marks or merges one batch of a clean-up';
COMMENT ON FUNCTION neardup_internal.remove_batch(jsonb, text, regproc, bigint, integer, bigint, bigint) IS 'acts on one batch of a clean-up, except on rows that a constraint or a trigger protects, and returns how many rows it removed, and how many rows, or groups of a merge, were refused';
COMMENT ON FUNCTION neardup_internal.end_of_group(bigint) IS 'the last place of a group in the list of a merge';
