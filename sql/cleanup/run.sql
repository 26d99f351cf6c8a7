-- clean-up: choose, show, remove

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
        RAISE EXCEPTION 'on_reference repoint does not go with against' USING ERRCODE = 'invalid_parameter_value',
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

-- The list of copies. If another role's list is left from a call before SET ROLE, this role may not drop it, and uses another name.
CREATE FUNCTION neardup_internal.chosen_table() RETURNS text
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    RETURN CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = pg_catalog.to_regclass('pg_temp.neardup_chosen')
                                 AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE'))
                THEN pg_catalog.format('pg_temp.neardup_chosen_%s', CURRENT_USER::regrole::oid) ELSE 'pg_temp.neardup_chosen' END;

CREATE FUNCTION neardup_internal.on_chosen(statement text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL RESTRICTED
    RETURN pg_catalog.replace(statement, 'pg_temp.neardup_chosen', neardup_internal.chosen_table());

-- Lists the copies in pg_temp.neardup_chosen, with hashes of the texts that were judged.
CREATE FUNCTION neardup_internal.choose(guarded neardup.protected, choice neardup_internal.choice, action text) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_nestloop = off SET enable_hashagg = off SET enable_memoize = off SET jit = off AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    marked name := neardup_internal.mark_of(guarded, choice);
    mark_known boolean := action = 'mark' AND marked = ANY (neardup_internal.column_names(guarded.target));
    chosen bigint;
BEGIN
    IF to_regclass(neardup_internal.chosen_table()) IS NOT NULL THEN
        EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
    END IF;
    IF mark_known AND choice.against IS NULL THEN
        -- A row that is already marked should not become the one that stays.
        choice.rank := array_cat(ARRAY[quote_ident(marked) || ' nulls first'], choice.rank);
    END IF;
    EXECUTE format('CREATE TEMPORARY TABLE %s AS SELECT row_number() OVER () AS place, c.*, NULL::text AS reason FROM (%s) c',
                   neardup_internal.chosen_table(), neardup_internal.copies_query(guarded, choice));
    IF mark_known THEN
        EXECUTE neardup_internal.on_chosen(format(
            'DELETE FROM pg_temp.neardup_chosen c USING %s t WHERE %s AND t.%I IS NOT NULL',
            guarded.target, neardup_internal.equal(guarded.target, keys, 't.%1$I', 'c.k%2$s'), marked));
    END IF;
    EXECUTE neardup_internal.on_chosen('ALTER TABLE pg_temp.neardup_chosen ADD PRIMARY KEY (place)');
    EXECUTE neardup_internal.on_chosen('ANALYZE pg_temp.neardup_chosen');
    EXECUTE neardup_internal.on_chosen('SELECT count(*) FROM pg_temp.neardup_chosen c') INTO chosen;
    RETURN chosen;
END
$$;

-- Shows the first rows to be removed, and the beginning of both texts.
CREATE FUNCTION neardup_internal.show_chosen(guarded neardup.protected, choice neardup_internal.choice, action text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    staying regclass := neardup_internal.staying(guarded, choice);
    staying_keys name[] := neardup_internal.key_columns(staying);
    sample record;
BEGIN
    FOR sample IN EXECUTE neardup_internal.on_chosen(format(
        'SELECT concat_ws('', '', %s) AS key, concat_ws('', '', %s) AS stays, %s AS why, '
        'neardup_internal.beginning(%s) AS goes_text, neardup_internal.beginning(%s) AS stays_text '
        'FROM (SELECT * FROM pg_temp.neardup_chosen ORDER BY place LIMIT 10) c JOIN %s t ON %s JOIN %s r ON %s ORDER BY c.place',
        neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', staying_keys), neardup_internal.why('c'),
        neardup_internal.document_of(guarded, 't'), neardup_internal.document_in(guarded, staying, 'r'),
        guarded.target, neardup_internal.equal(guarded.target, keys, 't.%1$I', 'c.k%2$s'),
        staying, neardup_internal.equal(staying, staying_keys, 'r.%1$I', 'c.r%2$s')))
    LOOP
        RAISE NOTICE '(%) would %, (%)% stays: %', sample.key, CASE action WHEN 'mark' THEN 'be marked' ELSE 'go' END, sample.stays, coalesce(' of ' || choice.against::text, ''), sample.why
            USING DETAIL = format(E'(%s) %s\n(%s) %s', sample.key, sample.goes_text, sample.stays, sample.stays_text);
    END LOOP;
END
$$;

-- The number of chosen rows by verdict, in words.
CREATE FUNCTION neardup_internal.chosen_verdicts() RETURNS text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    verdicts text;
BEGIN
    EXECUTE neardup_internal.on_chosen(
        'SELECT string_agg(format(''%s: %s'', v.why, v.n), '', '' ORDER BY v.n DESC, v.why) FROM (SELECT count(*) AS n, '
        'CASE c.measure WHEN ''identical'' THEN ''identical'' WHEN ''simhash'' THEN ''by simhash'' ELSE concat_ws('' by '', c.verdict, c.measure) END AS why '
        'FROM pg_temp.neardup_chosen c GROUP BY 2) v') INTO verdicts;
    RETURN verdicts;
END
$$;

-- Records which of the chosen rows still exist, and reports them.
CREATE FUNCTION neardup_internal.tell_skipped(target regclass, staying regclass, run_id bigint, action text) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(target);
    skipped bigint;
    sample record;
BEGIN
    EXECUTE neardup_internal.on_chosen(format(
        'INSERT INTO neardup.skipped (run_id, key, duplicate_of, reason) SELECT $1, concat_ws('', '', %1$s), '
        'concat_ws('', '', %2$s), coalesce(c.reason, ''changed meanwhile'') '
        'FROM pg_temp.neardup_chosen c WHERE (c.reason IS NOT NULL OR $2) AND EXISTS (SELECT FROM %3$s t WHERE %4$s) ORDER BY c.place',
        neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', neardup_internal.key_columns(staying)), target,
        neardup_internal.equal(target, keys, 't.%1$I', 'c.k%2$s')))
        USING run_id, action <> 'mark';
    GET DIAGNOSTICS skipped = ROW_COUNT;
    FOR sample IN SELECT s.* FROM neardup.skipped s WHERE s.run_id = tell_skipped.run_id LIMIT 10 LOOP
        RAISE NOTICE 'skipped (%): %', sample.key, sample.reason;
    END LOOP;
    RETURN skipped;
END
$$;

-- Shows what a clean-up would do, and how to run it.
CREATE FUNCTION neardup_internal.try_out(
    guarded neardup.protected, choice neardup_internal.choice, action text, on_reference text, arguments text
) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    chosen bigint := neardup_internal.choose(guarded, choice, action);
BEGIN
    PERFORM neardup_internal.show_chosen(guarded, choice, action);
    IF action <> 'mark' THEN
        PERFORM neardup_internal.tell_of_references(guarded.target, on_reference);
    END IF;
    RAISE NOTICE 'dry run: % of the rows of % would %; nothing has been changed', chosen, guarded.target, CASE action WHEN 'mark' THEN 'be marked' ELSE 'go' END
        USING DETAIL = CASE WHEN chosen > 0 THEN pg_catalog.concat(neardup_internal.chosen_verdicts(), '.', CASE WHEN chosen > 10 THEN ' The first 10 are shown.' END)
                            ELSE pg_catalog.concat('The table has no copies', ' of rows of ' || choice.against::pg_catalog.text, '.') END,
              HINT = pg_catalog.format('See them all: SELECT * FROM neardup.duplicates(%s); %s them: CALL neardup.cleanup(%s, dry_run => false);',
                  arguments, CASE action WHEN 'mark' THEN 'mark' ELSE 'remove' END,
                  pg_catalog.concat_ws(', ', arguments, 'action => ' || pg_catalog.quote_literal(nullif(action, 'archive')),
                      'on_reference => ' || pg_catalog.quote_literal(nullif(on_reference, 'skip'))));
    EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
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
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    choice neardup_internal.choice := neardup_internal.chosen(guarded, keep, time_column, rank, scope, since, until, verify, within, max_distance, against, threshold);
    is_mark boolean;
    chosen bigint;
    all_places bigint;
    preparing pg_catalog.text[] := '{}';
    repointing pg_catalog.text[] := '{}';
    removing pg_catalog.text;
    done pg_catalog.record;
    place bigint := 0;
    batches integer := 0;
    left_in_place bigint := 0;
    told pg_catalog.timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_cleanup(target, action, on_reference, against);
    is_mark := action = 'mark';
    removed := 0;
    IF dry_run IS DISTINCT FROM false THEN
        PERFORM neardup_internal.try_out(guarded, choice, action, on_reference, pg_catalog.concat_ws(', ', pg_catalog.quote_literal(target),
            'keep => ' || pg_catalog.quote_literal(CASE WHEN against IS NULL THEN keep END), 'time_column => ' || pg_catalog.quote_literal(time_column),
            'document => ' || pg_catalog.quote_literal(document), 'max_distance => ' || max_distance::pg_catalog.text,
            'rank => ' || pg_catalog.quote_literal(rank), 'scope => ' || pg_catalog.quote_literal(scope), 'since => ' || pg_catalog.quote_literal(since),
            'until => ' || pg_catalog.quote_literal(until), 'verify => ' || pg_catalog.quote_literal(verify), 'threshold => ' || threshold::pg_catalog.text,
            'within => ' || pg_catalog.quote_literal(within), 'against => ' || pg_catalog.quote_literal(against)));
        RETURN;
    END IF;

    PERFORM neardup_internal.check_committing('cleanup');
    PERFORM neardup_internal.start_work(target, 'cleanup', 'rows');
    IF is_mark AND neardup_internal.mark_of(guarded, choice) <> ALL (neardup_internal.column_names(target)) THEN
        PERFORM neardup_internal.lock_patiently(target);
        EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I pg_catalog.text', target, neardup_internal.mark_of(guarded, choice));
    END IF;
    chosen := neardup_internal.choose(guarded, choice, action);
    IF chosen = 0 THEN
        RAISE NOTICE 'no copies to % in %', CASE WHEN is_mark THEN 'mark' ELSE 'remove' END, target;
        EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
        PERFORM neardup_internal.end_work(target);
        RETURN;
    END IF;
    removing := neardup_internal.on_chosen(neardup_internal.removing_statement(guarded, choice, action));
    IF NOT is_mark THEN
        preparing := pg_catalog.array_cat(neardup_internal.locking_statements(guarded, choice),
            CASE on_reference WHEN 'skip' THEN neardup_internal.skip_statements(target) END);
        preparing := ARRAY(SELECT neardup_internal.on_chosen(s.statement) FROM pg_catalog.unnest(preparing) WITH ORDINALITY s(statement, place) ORDER BY s.place);
        IF on_reference = 'repoint' THEN
            repointing := ARRAY(SELECT neardup_internal.on_chosen(s.statement)
                FROM pg_catalog.unnest(neardup_internal.repoint_statements(target)) WITH ORDINALITY s(statement, place) ORDER BY s.place);
        END IF;
    END IF;
    INSERT INTO neardup.runs AS r (target, document, action, mark, keep, verify, threshold, columns, against)
    VALUES (target, guarded.document, action, CASE WHEN is_mark THEN neardup_internal.mark_of(guarded, choice) END, keep, choice.verify, choice.threshold,
            neardup_internal.column_names(target), against) RETURNING r.run_id INTO run_id;
    EXECUTE neardup_internal.on_chosen('SELECT pg_catalog.max(c.place) FROM pg_temp.neardup_chosen c') INTO all_places;
    -- The rate is that of removing, without the time for choosing.
    UPDATE neardup.running r SET started = pg_catalog.clock_timestamp(), total = all_places
    WHERE r.target::pg_catalog.oid = cleanup.target::pg_catalog.oid AND r.role = CURRENT_USER;
    COMMIT;
    WHILE place < all_places LOOP
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        batches := batches + 1;
        done := neardup_internal.remove_batch(preparing, repointing, removing, place, place + batch, run_id, batches);
        place := place + batch;
        removed := removed + done.removed;
        UPDATE neardup.runs r SET removed = r.removed + done.removed, repointed = r.repointed + done.repointed WHERE r.run_id = cleanup.run_id;
        told := neardup_internal.note_work(target, place, all_places, told);
        COMMIT;
        IF throttle > interval '0' THEN
            PERFORM pg_catalog.pg_sleep_for(throttle);
            COMMIT;
        END IF;
    END LOOP;
    IF removed < chosen THEN
        left_in_place := neardup_internal.tell_skipped(target, neardup_internal.staying(guarded, choice), run_id, action);
    END IF;
    UPDATE neardup.runs r SET finished = pg_catalog.clock_timestamp(), skipped = left_in_place WHERE r.run_id = cleanup.run_id;
    EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
    PERFORM neardup_internal.end_work(target);
    IF removed < chosen THEN
        RAISE NOTICE '% rows were left in place', chosen - removed
            USING HINT = pg_catalog.format('See why: SELECT * FROM neardup.skipped WHERE run_id = %s;', run_id);
    END IF;
    IF removed > 0 AND action <> 'delete' THEN
        RAISE NOTICE '% rows % %', removed, CASE WHEN is_mark THEN 'marked in' ELSE 'removed from' END, target
            USING HINT = pg_catalog.format('%s: CALL neardup.restore(%s);', CASE WHEN is_mark THEN 'Take the marks off' ELSE 'Bring them back' END, run_id);
    ELSIF removed > 0 THEN
        RAISE NOTICE '% rows removed from %, and not kept', removed, target;
    END IF;
END
$$;
