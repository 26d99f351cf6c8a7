-- clean-up: choose, show, remove

CREATE FUNCTION neardup_internal.check_cleanup(target regclass, action text, on_reference text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    hidden name;
BEGIN
    IF action IS NULL OR action NOT IN ('archive', 'delete', 'mark') THEN
        RAISE EXCEPTION 'action must be archive, delete or mark: %', action USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF on_reference IS NULL OR on_reference NOT IN ('skip', 'repoint') THEN
        RAISE EXCEPTION 'on_reference must be skip or repoint: %', on_reference USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT c.conname INTO hidden FROM pg_catalog.pg_constraint c
    WHERE c.contype = 'f' AND c.confrelid = target::oid AND c.confdeltype IN ('c', 'n', 'd') AND pg_catalog.row_security_active(c.conrelid);
    IF FOUND AND action <> 'mark' THEN
        RAISE EXCEPTION 'row security hides rows that foreign key "%" would change or remove', hidden
            USING ERRCODE = 'insufficient_privilege', HINT = 'Run this as a role that sees all rows of that table.';
    END IF;
END
$$;

-- The list of copies. Another role's, left by what was interrupted before SET ROLE, is not ours to drop: then ours has another name.
CREATE FUNCTION neardup_internal.chosen_table() RETURNS text
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    RETURN CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = pg_catalog.to_regclass('pg_temp.neardup_chosen')
                                 AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE'))
                THEN pg_catalog.format('pg_temp.neardup_chosen_%s', CURRENT_USER::regrole::oid) ELSE 'pg_temp.neardup_chosen' END;

CREATE FUNCTION neardup_internal.on_chosen(statement text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL RESTRICTED
    RETURN pg_catalog.replace(statement, 'pg_temp.neardup_chosen', neardup_internal.chosen_table());

-- Lists the copies in pg_temp.neardup_chosen. A group may be a chain: only a row that is itself near the one that stays may go.
CREATE FUNCTION neardup_internal.choose(
    guarded neardup.protected, choice neardup_internal.choice, action text, OUT chosen bigint, OUT chained bigint
)
    LANGUAGE plpgsql VOLATILE SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    marked name := neardup_internal.mark_of(guarded);
    mark_known boolean;
BEGIN
    IF pg_catalog.to_regclass(neardup_internal.chosen_table()) IS NOT NULL THEN
        EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
    END IF;
    mark_known := action = 'mark' AND marked = ANY (neardup_internal.column_names(guarded.target));
    IF mark_known THEN
        -- A row that is marked already does not become the one that stays.
        choice.rank := pg_catalog.array_cat(ARRAY[pg_catalog.quote_ident(marked) || ' nulls first'], choice.rank);
    END IF;
    -- In one statement, hence of one moment: the texts that were judged are those whose hashes are kept.
    EXECUTE pg_catalog.format(
        'CREATE TEMPORARY TABLE %s AS SELECT n.*, %s FROM (SELECT pg_catalog.row_number() OVER () AS place, c.*, '
        'c.distance > %s AND c.verdict IS NULL AS chained, NULL::text AS reason FROM (%s) c) n%s',
        neardup_internal.chosen_table(),
        CASE choice.verify WHEN 'facts' THEN pg_catalog.format('%s AS document_hash, %s AS stays_hash',
            neardup_internal.document_hash(guarded, 't'), neardup_internal.document_hash(guarded, 'r'))
        ELSE 'NULL::bigint AS document_hash, NULL::bigint AS stays_hash' END,
        guarded.distance, neardup_internal.copies_query(guarded, choice),
        CASE choice.verify WHEN 'facts' THEN pg_catalog.format(' JOIN %1$s t ON %2$s JOIN %1$s r ON %3$s', guarded.target,
            neardup_internal.equal(guarded.target, keys, 't.%1$I', 'n.k%2$s'), neardup_internal.equal(guarded.target, keys, 'r.%1$I', 'n.r%2$s')) END);
    IF mark_known THEN
        EXECUTE neardup_internal.on_chosen(pg_catalog.format(
            'DELETE FROM pg_temp.neardup_chosen c USING %s t WHERE %s AND t.%I IS NOT NULL',
            guarded.target, neardup_internal.equal(guarded.target, keys, 't.%1$I', 'c.k%2$s'), marked));
    END IF;
    EXECUTE neardup_internal.on_chosen('ALTER TABLE pg_temp.neardup_chosen ADD PRIMARY KEY (place)');
    EXECUTE neardup_internal.on_chosen('ANALYZE pg_temp.neardup_chosen');
    EXECUTE neardup_internal.on_chosen('SELECT pg_catalog.count(*) FILTER (WHERE NOT c.chained), pg_catalog.count(*) FILTER (WHERE c.chained) '
        'FROM pg_temp.neardup_chosen c') INTO chosen, chained;
END
$$;

-- Says which rows would go.
CREATE FUNCTION neardup_internal.tell_chosen(keys name[], action text) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    sample text;
BEGIN
    FOR sample IN EXECUTE neardup_internal.on_chosen(pg_catalog.format(
        'SELECT pg_catalog.format(''would %s (%%s), distance %%s from (%%s), which stays%%s'', pg_catalog.concat_ws('', '', %s), c.distance, '
        'pg_catalog.concat_ws('', '', %s), '': '' || c.verdict) FROM pg_temp.neardup_chosen c WHERE NOT c.chained ORDER BY c.place LIMIT 10',
        CASE action WHEN 'mark' THEN 'mark' ELSE 'remove' END, neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', keys)))
    LOOP
        RAISE NOTICE '%', sample;
    END LOOP;
END
$$;

-- Records which of the chosen rows are still there, and says which.
CREATE FUNCTION neardup_internal.tell_skipped(target regclass, run_id bigint, action text, distance integer) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(target);
    skipped bigint;
    sample record;
BEGIN
    EXECUTE neardup_internal.on_chosen(pg_catalog.format(
        'INSERT INTO neardup.skipped (run_id, key, duplicate_of, reason) SELECT $1, pg_catalog.concat_ws('', '', %1$s), '
        'pg_catalog.concat_ws('', '', %2$s), CASE WHEN c.chained THEN $2 ELSE coalesce(c.reason, ''changed meanwhile'') END '
        'FROM pg_temp.neardup_chosen c WHERE (c.chained OR c.reason IS NOT NULL OR $3) AND EXISTS (SELECT FROM %3$s t WHERE %4$s) ORDER BY c.place',
        neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', keys), target, neardup_internal.equal(target, keys, 't.%1$I', 'c.k%2$s')))
        USING run_id, pg_catalog.format('further than %s from the row that stays', distance), action <> 'mark';
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
    age name DEFAULT NULL,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    action text DEFAULT 'archive',
    rank text[] DEFAULT NULL,
    scope name[] DEFAULT NULL,
    since text DEFAULT NULL,
    until text DEFAULT NULL,
    on_reference text DEFAULT 'skip',
    verify text DEFAULT NULL,
    throttle interval DEFAULT NULL,
    within interval DEFAULT NULL,
    INOUT run_id bigint DEFAULT NULL,
    INOUT removed bigint DEFAULT NULL
)
    LANGUAGE plpgsql AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    choice neardup_internal.choice := neardup_internal.chosen(guarded, keep, age, rank, scope, since, until, verify, within);
    counts record;
    chosen bigint;
    chained bigint;
    all_places bigint;
    preparing text[];
    removing text;
    arguments text;
    place bigint := 0;
    batches integer := 0;
    left_in_place bigint := 0;
    told timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_cleanup(target, action, on_reference);
    guarded.distance := coalesce(max_distance, guarded.distance);
    removed := 0;
    preparing := CASE WHEN action = 'mark' THEN '{}' ELSE ARRAY(
        SELECT neardup_internal.on_chosen(s.statement)
        FROM pg_catalog.unnest(neardup_internal.preparing_statements(guarded, choice, on_reference)) WITH ORDINALITY s(statement, place) ORDER BY s.place) END;
    removing := neardup_internal.on_chosen(neardup_internal.removing_statement(guarded, choice, action));

    IF dry_run IS DISTINCT FROM false THEN
        counts := neardup_internal.choose(guarded, choice, action);
        IF counts.chained > 0 THEN
            RAISE NOTICE '% rows of groups are further than % from the row that stays and are left in place', counts.chained, guarded.distance;
        END IF;
        PERFORM neardup_internal.tell_chosen(neardup_internal.key_columns(target), action);
        IF action <> 'mark' THEN
            PERFORM neardup_internal.tell_of_references(target, on_reference);
        END IF;
        arguments := pg_catalog.concat_ws(', ', pg_catalog.quote_literal(target), 'keep => ' || pg_catalog.quote_literal(keep),
            'age => ' || pg_catalog.quote_literal(age), 'document => ' || pg_catalog.quote_literal(document),
            'max_distance => ' || max_distance::text, 'rank => ' || pg_catalog.quote_literal(rank),
            'scope => ' || pg_catalog.quote_literal(scope), 'since => ' || pg_catalog.quote_literal(since),
            'until => ' || pg_catalog.quote_literal(until), 'verify => ' || pg_catalog.quote_literal(verify),
            'within => ' || pg_catalog.quote_literal(within));
        RAISE NOTICE 'dry run: % of the rows of % would %; nothing has been changed', counts.chosen, target,
                CASE action WHEN 'mark' THEN 'be marked' ELSE 'go' END
            USING DETAIL = pg_catalog.format('Each batch runs: %s', pg_catalog.array_to_string(pg_catalog.array_append(preparing, removing), E';\n')),
                  HINT = pg_catalog.format('See them all: SELECT * FROM neardup.duplicates(%s); %s them: CALL neardup.cleanup(%s, dry_run => false);',
                      arguments, CASE action WHEN 'mark' THEN 'mark' ELSE 'remove' END,
                      pg_catalog.concat_ws(', ', arguments, 'action => ' || pg_catalog.quote_literal(nullif(action, 'archive')),
                          'on_reference => ' || pg_catalog.quote_literal(nullif(on_reference, 'skip'))));
        EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
        RETURN;
    END IF;

    PERFORM neardup_internal.check_committing('cleanup');
    PERFORM neardup_internal.start_work(target, 'cleanup', 'rows');
    IF action = 'mark' AND neardup_internal.mark_of(guarded) <> ALL (neardup_internal.column_names(target)) THEN
        PERFORM neardup_internal.lock_patiently(target);
        EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I text', target, neardup_internal.mark_of(guarded));
    END IF;
    counts := neardup_internal.choose(guarded, choice, action);
    chosen := counts.chosen;
    chained := counts.chained;
    IF chained > 0 THEN
        RAISE NOTICE '% rows of groups are further than % from the row that stays and are left in place', chained, guarded.distance;
    END IF;
    IF chosen = 0 THEN
        RAISE NOTICE 'no copies to % in %', CASE action WHEN 'mark' THEN 'mark' ELSE 'remove' END, target;
        EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
        PERFORM neardup_internal.end_work(target);
        RETURN;
    END IF;
    INSERT INTO neardup.runs AS r (target, document, action, mark, keep, distance, columns)
    VALUES (target, guarded.document, action, CASE WHEN action = 'mark' THEN neardup_internal.mark_of(guarded) END, keep, guarded.distance, neardup_internal.column_names(target)) RETURNING r.run_id INTO run_id;
    EXECUTE neardup_internal.on_chosen('SELECT pg_catalog.max(c.place) FROM pg_temp.neardup_chosen c') INTO all_places;
    -- The rate is that of removing, without the choice before it.
    UPDATE neardup.running r SET started = pg_catalog.clock_timestamp(), total = all_places
    WHERE r.target::oid = cleanup.target::oid AND r.role = CURRENT_USER;
    COMMIT;
    WHILE place < all_places LOOP
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        batches := batches + 1;
        counts := neardup_internal.remove_batch(preparing, removing, place, place + batch, run_id, batches, target);
        place := place + batch;
        removed := removed + counts.removed;
        UPDATE neardup.runs r SET removed = r.removed + counts.removed, repointed = r.repointed + counts.repointed WHERE r.run_id = cleanup.run_id;
        told := neardup_internal.note_work(target, place, all_places, told);
        COMMIT;
        IF throttle > interval '0' THEN
            PERFORM pg_catalog.pg_sleep_for(throttle);
            COMMIT;
        END IF;
    END LOOP;
    IF removed < chosen OR chained > 0 THEN
        left_in_place := neardup_internal.tell_skipped(target, run_id, action, guarded.distance);
    END IF;
    UPDATE neardup.runs r SET finished = pg_catalog.clock_timestamp(), skipped = left_in_place WHERE r.run_id = cleanup.run_id;
    EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
    PERFORM neardup_internal.end_work(target);
    IF removed < chosen THEN
        RAISE NOTICE '% rows were left in place: SELECT * FROM neardup.skipped WHERE run_id = %', chosen - removed, run_id;
    END IF;
    IF removed > 0 AND action <> 'delete' THEN
        RAISE NOTICE '% rows % %', removed, CASE action WHEN 'mark' THEN 'marked in' ELSE 'removed from' END, target
            USING HINT = pg_catalog.format('%s: CALL neardup.restore(%s);',
                CASE action WHEN 'mark' THEN 'Take the marks off' ELSE 'Bring them back' END, run_id);
    ELSIF removed > 0 THEN
        RAISE NOTICE '% rows removed from %, and not kept', removed, target;
    END IF;
END
$$;
