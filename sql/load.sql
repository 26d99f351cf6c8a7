-- load: rows of another table as rows of the guarded one, with columns matched by name; missing columns are NULL

CREATE FUNCTION neardup_internal.as_target(target regclass, source regclass) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.format('(SELECT s.ctid AS neardup_tid, %s FROM %s s)', pg_catalog.string_agg(pg_catalog.format('CAST(%s AS %s)%s AS %I',
                   CASE WHEN a.attname = ANY (neardup_internal.column_names(source)) THEN pg_catalog.format('s.%I', a.attname) ELSE 'NULL' END,
                   neardup_internal.cast_type(target, a.attname), CASE WHEN o.oid IS NOT NULL THEN pg_catalog.format(' COLLATE %I.%I', n.nspname, o.collname) END, a.attname), ', ' ORDER BY a.attnum), source)
        FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation LEFT JOIN pg_catalog.pg_namespace n ON n.oid = o.collnamespace
        WHERE a.attrelid = target AND a.attnum > 0 AND NOT a.attisdropped
    );

-- The columns that are loaded; not the one that a guard marks.
CREATE FUNCTION neardup_internal.loaded_columns(guarded neardup.protected, source regclass) RETURNS name[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attname ORDER BY a.attnum) FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = guarded.target AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
              AND a.attname = ANY (neardup_internal.column_names(source))
              AND (guarded.on_duplicate = 'mark' AND a.attname = guarded.duplicate_of) IS NOT TRUE
    );

-- The document of such a row.
CREATE FUNCTION neardup_internal.new_document(guarded neardup.protected, alias text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN guarded.expression IS NULL THEN neardup_internal.document_of(guarded, alias)
                ELSE pg_catalog.format('%s(CAST(ROW(%s) AS %s))', guarded.expression,
                    neardup_internal.each(alias || '.%1$I', neardup_internal.column_names(guarded.target)), neardup_internal.row_type(guarded.target)) END;

CREATE FUNCTION neardup_internal.check_source(guarded neardup.protected, source regclass) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    missing name;
BEGIN
    PERFORM neardup_internal.check_by_sketch(guarded);
    IF source::oid = guarded.target::oid THEN
        RAISE EXCEPTION 'table % is compared with itself', source USING ERRCODE = 'invalid_parameter_value',
            HINT = format('SELECT * FROM neardup.duplicates(%L);', source);
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = source::oid AND c.relkind = 'r' AND NOT c.relhassubclass) THEN
        RAISE EXCEPTION '% is not an ordinary table', source USING ERRCODE = 'wrong_object_type',
            DETAIL = 'New rows come from a table without partitions.';
    END IF;
    IF neardup_internal.overlap(guarded.target, source) THEN
        RAISE EXCEPTION 'tables % and % have rows in common', guarded.target, source USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Each of these would be a copy of itself.';
    END IF;
    SELECT c INTO missing FROM unnest(guarded.columns || guarded.scope || guarded.time_column) c
    WHERE c IS NOT NULL AND c <> ALL (neardup_internal.column_names(source)) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', missing, source USING ERRCODE = 'undefined_column',
            DETAIL = format('The guard of table %s goes by it.', guarded.target);
    END IF;
END
$$;

-- load: which new row copies which existing row, or which earlier new one. If that one is not within the window of time, `is_near` is false:
-- the row is identical to one that is a copy, and other rows decide whether it stays.

CREATE FUNCTION neardup_internal.new_copies(guarded neardup.protected, source regclass, choice neardup_internal.choice) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    there neardup_internal.side := neardup_internal.side_of(guarded, guarded.target, neardup_internal.keep_order(guarded, 'oldest', choice.time_column, NULL));
    new neardup_internal.side := there;
BEGIN
    new.relation := neardup_internal.as_target(guarded.target, source);
    new.tid := 't.neardup_tid';
    new.document := neardup_internal.new_document(guarded, 't');
    new.sort := there.sort || ', t.neardup_tid';
    RETURN neardup_internal.copies_between(guarded, choice, there, new, true);
END
$$;

CREATE FUNCTION neardup.copies_of(target regclass, source regclass, document name DEFAULT NULL, verify text DEFAULT NULL, threshold double precision DEFAULT NULL)
    RETURNS TABLE (key text, duplicate_of text, is_new boolean, verdict text, measure text, value double precision)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_nestloop = off SET enable_hashagg = off SET enable_memoize = off SET jit = off AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    keys name[] := neardup_internal.key_columns(target);
BEGIN
    PERFORM neardup_internal.check_source(guarded, source);
    RETURN QUERY EXECUTE format(
        'SELECT pg_catalog.concat_ws('', '', %s), pg_catalog.concat_ws('', '', %s), c.of_new, c.verdict, c.measure, c.value FROM (%s) c WHERE c.is_near',
        neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', keys),
        neardup_internal.new_copies(guarded, source, neardup_internal.chosen(guarded, 'oldest', NULL, NULL, NULL, NULL, NULL, verify, NULL, NULL, NULL, threshold)));
END
$$;

-- load: moves the rows of a table, in batches. A list says which rows are copies; the other rows bypass the guard. To keep out copies of
-- rows that others store meanwhile, a batch locks the table against writers and reads the rows that were added since the list was made or
-- since the previous batch. New rows that share a key with one of these, and copies of a row that has changed, go through the guard
-- afterwards.

-- The list: all rows of the source in order, each with the row that it copies. `state` is NULL until the row is processed, then stored,
-- copy, or guard: the row still has to go through it.
CREATE FUNCTION neardup_internal.list_load(guarded neardup.protected, source regclass, choice neardup_internal.choice) RETURNS void
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_nestloop = off SET enable_hashagg = off SET enable_memoize = off SET jit = off AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    left_by name := (SELECT r.rolname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
        WHERE c.oid = to_regclass('pg_temp.neardup_load')::oid AND NOT pg_has_role(c.relowner, 'USAGE'));
BEGIN
    IF left_by IS NOT NULL THEN
        RAISE EXCEPTION 'a load of role % has left its list in this session', left_by USING ERRCODE = 'object_in_use',
            HINT = 'Run DISCARD TEMP, then call neardup.load again.';
    END IF;
    IF to_regclass('pg_temp.neardup_load') IS NOT NULL THEN
        DROP TABLE pg_temp.neardup_load, pg_temp.neardup_newer;
    END IF;
    CREATE TEMPORARY TABLE neardup_newer (key bigint PRIMARY KEY);
    EXECUTE format(
        'CREATE TEMPORARY TABLE neardup_load AS WITH copies AS MATERIALIZED (%1$s), listed AS MATERIALIZED ('
        'SELECT row_number() OVER (ORDER BY %2$s, t.neardup_tid) AS place, t.neardup_tid AS tid, neardup_internal.text_hash(%3$s) AS hash FROM %4$s t) '
        'SELECT l.place, l.tid, l.hash, coalesce(c.is_near, false) AS is_copy, %5$s, c.stays_hash, c.verdict, c.measure, c.value, '
        'CASE WHEN NOT c.is_near THEN ''guard'' END AS state '
        'FROM listed l LEFT JOIN copies c ON c.tid OPERATOR(pg_catalog.=) l.tid ORDER BY l.place',
        neardup_internal.new_copies(guarded, source, choice), neardup_internal.keep_order(guarded, 'oldest', choice.time_column, NULL),
        neardup_internal.new_document(guarded, 't'), neardup_internal.as_target(guarded.target, source), neardup_internal.each('c.r%2$s', keys));
    ALTER TABLE pg_temp.neardup_load ADD PRIMARY KEY (place);
    ANALYZE pg_temp.neardup_load;
    -- What shares a key with a row that only the guard can judge is for the guard, too.
    IF EXISTS (SELECT FROM pg_temp.neardup_load c WHERE c.state = 'guard') THEN
        EXECUTE format('INSERT INTO pg_temp.neardup_newer SELECT u.key FROM pg_temp.neardup_load c JOIN %s t ON t.neardup_tid = c.tid '
            'CROSS JOIN LATERAL unnest(@extschema@.sketch_keys(@extschema@.sketch(%s, %L, %s))) u(key) WHERE c.state = ''guard'' ON CONFLICT DO NOTHING',
            neardup_internal.as_target(guarded.target, source), neardup_internal.new_document(guarded, 't'), guarded.analyzer, guarded.keys);
    END IF;
END
$$;

-- Deletes rows from the source, if they are as they were listed: the WITH list before the statement that uses them as `gone`. It returns
-- columns of the row as it is in the source, s, or as a row of the target, t. Rows are inserted as they are in the source, so the INSERT
-- converts them as any INSERT ... SELECT would, and fails where that would.
CREATE FUNCTION neardup_internal.taking(rows text, source regclass, original text, hash text, is_copy boolean, state text, returned text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.format('WITH taken AS (SELECT c.place AS neardup_place, %s AS neardup_original, c.measure AS neardup_measure, c.value AS neardup_value, t.* '
        'FROM pg_temp.neardup_load c JOIN %s t ON t.neardup_tid = c.tid '
        'WHERE c.place > $1 AND c.place <= $2 AND c.state IS NULL AND c.is_copy = %L AND %s IS NOT DISTINCT FROM c.hash), '
        'gone AS (DELETE FROM %s s USING taken t WHERE s.ctid = t.neardup_tid '
        'RETURNING t.neardup_place, t.neardup_original, t.neardup_measure, t.neardup_value, %s), '
        'noted AS (UPDATE pg_temp.neardup_load c SET state = %L FROM gone WHERE c.place = gone.neardup_place) ', original, rows, is_copy, hash, source, returned, state);

-- The INSERT of a load, without rows: Postgres reports its errors before any row is listed.
CREATE FUNCTION neardup_internal.check_conversion(guarded neardup.protected, source regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    loaded name[] := neardup_internal.loaded_columns(guarded, source);
BEGIN
    EXECUTE format('EXPLAIN INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s s', guarded.target,
        neardup_internal.each('%1$I', loaded), neardup_internal.each('s.%1$I', loaded), source);
END
$$;

-- The statements of a batch; all process the places after $1 up to $2. The first ones find rows for which the list may be outdated, then
-- new rows are inserted, then the copies are handled.
CREATE FUNCTION neardup_internal.load_statements(guarded neardup.protected, source regclass) RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    loaded name[] := neardup_internal.loaded_columns(guarded, source);
    mark name := CASE guarded.on_duplicate WHEN 'mark' THEN guarded.duplicate_of END;
    rows text := neardup_internal.as_target(guarded.target, source);
    hash text := format('neardup_internal.text_hash(%s)', neardup_internal.new_document(guarded, 't'));
    original text := format('pg_catalog.concat_ws('', '', %s)', neardup_internal.each('c.r%2$s', keys));
    stored text;
    copied text;
    choice neardup_internal.choice := neardup_internal.chosen(guarded, 'oldest', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    -- Compares text, scope and time again, as both rows are now. Texts that were called identical by their hashes alone are compared in
    -- full.
    still text := concat_ws(' AND ',
        format('%s = c.stays_hash AND (c.hash <> c.stays_hash OR (%s) COLLATE pg_catalog."C" = (%s) COLLATE pg_catalog."C")',
            neardup_internal.document_hash(guarded, guarded.target, 'r'), neardup_internal.new_document(guarded, 't'), neardup_internal.document_of(guarded, 'r')),
        (SELECT string_agg(format('(t.%1$I %2$s r.%1$I OR t.%1$I IS NULL AND r.%1$I IS NULL)', s, neardup_internal.comparison(guarded.target, s)), ' AND ') FROM unnest(choice.scope) s),
        CASE WHEN choice.within IS NOT NULL THEN neardup_internal.meet(
            neardup_internal.moment(choice.timed, 't'), neardup_internal.moment(choice.timed, 'r'), choice.within) END);
BEGIN
    stored := neardup_internal.taking(rows, source, original, hash, false, 'stored', neardup_internal.each('s.%1$I', loaded));
    copied := neardup_internal.taking(rows, source, original, hash, true, 'copy',
        neardup_internal.each(CASE guarded.on_duplicate WHEN 'divert' THEN 't.%1$I' ELSE 's.%1$I' END,
            CASE guarded.on_duplicate WHEN 'divert' THEN neardup_internal.column_names(guarded.target) ELSE loaded END));
    RETURN ARRAY[
        -- A row that shares a key with one that was added since: the guard must judge it.
        format('UPDATE pg_temp.neardup_load c SET state = ''guard'' FROM %s t WHERE c.place > $1 AND c.place <= $2 AND NOT c.is_copy AND t.neardup_tid = c.tid '
            'AND EXISTS (SELECT FROM pg_catalog.unnest(@extschema@.sketch_keys(@extschema@.sketch(%s, %L, %s))) u(key) JOIN pg_temp.neardup_newer n ON n.key = u.key)',
            rows, neardup_internal.new_document(guarded, 't'), guarded.analyzer, guarded.keys),
        -- Rows that are not copies.
        stored || format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM gone g ORDER BY g.neardup_place', guarded.target,
            neardup_internal.each('%1$I', loaded), neardup_internal.each('g.%1$I', loaded)),
        -- Copies of rows that are gone or have changed, or that a trigger has kept out.
        format('UPDATE pg_temp.neardup_load c SET state = ''guard'' WHERE c.place > $1 AND c.place <= $2 AND c.is_copy '
            'AND NOT EXISTS (SELECT FROM %s r CROSS JOIN %s t WHERE t.neardup_tid = c.tid AND %s AND %s OFFSET 0)',
            guarded.target, rows, neardup_internal.equal(guarded.target, keys, 'r.%1$I', 'c.r%2$s'), still),
        CASE guarded.on_duplicate
            WHEN 'mark' THEN copied || format('INSERT INTO %s (%s, %I) OVERRIDING SYSTEM VALUE SELECT %s, CAST(g.neardup_original AS %s) FROM gone g ORDER BY g.neardup_place', guarded.target,
                 neardup_internal.each('%1$I', loaded), mark, neardup_internal.each('g.%1$I', loaded), neardup_internal.cast_type(guarded.target, mark))
            WHEN 'divert' THEN copied || format('INSERT INTO %s (document, record, duplicate_of, measure, value, role) '
                'SELECT %L, (SELECT pg_catalog.to_jsonb(r) FROM (SELECT %s) r), g.neardup_original, g.neardup_measure, g.neardup_value, CURRENT_USER FROM gone g ORDER BY g.neardup_place', guarded.diverted_to,
                guarded.document, neardup_internal.each('g.%1$I', neardup_internal.column_names(guarded.target)))
            ELSE copied || 'SELECT FROM gone' END,
        -- Passes the rows left to the guard through it, after the commit. Returns how many there are, how many of them are stored, and
        -- how many of these are marked.
        format('WITH taken AS (SELECT c.place AS neardup_place, t.* FROM pg_temp.neardup_load c JOIN %s t ON t.neardup_tid = c.tid WHERE c.place > $1 AND c.place <= $2 '
            'AND c.state = ''guard'' AND %s IS NOT DISTINCT FROM c.hash), gone AS (DELETE FROM %s s USING taken t WHERE s.ctid = t.neardup_tid RETURNING t.neardup_place, %s), '
            'stored AS (INSERT INTO %s AS t (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM gone g ORDER BY g.neardup_place RETURNING %s IS NOT NULL AS marked) '
            'SELECT (SELECT pg_catalog.count(*) FROM gone) AS judged, pg_catalog.count(*) AS stored, pg_catalog.count(*) FILTER (WHERE marked) AS marked FROM stored',
            rows, hash, source, neardup_internal.each('s.%1$I', loaded), guarded.target,
            neardup_internal.each('%1$I', loaded), neardup_internal.each('g.%1$I', loaded), coalesce('t.' || quote_ident(mark), 'NULL')),
        -- The keys of rows that were added, except by these transactions.
        format('INSERT INTO pg_temp.neardup_newer SELECT u.key FROM %s t CROSS JOIN LATERAL pg_catalog.unnest(@extschema@.sketch_keys(@extschema@.sketch(%s, %L, %s))) u(key) '
            'WHERE pg_catalog.age(t.xmin) <= pg_catalog.age($1) AND NOT t.xmin = ANY ($2) ON CONFLICT DO NOTHING',
            guarded.target, neardup_internal.document_of(guarded, 't'), guarded.analyzer, guarded.keys)];
END
$$;

-- Runs one batch under the table's lock; if the lock cannot be had at once, it does nothing, and `transaction` is NULL. If allowed, it
-- keeps the lock across the commit until another session waits for it. Then no row can be added between two batches, and the next one
-- need not read the table. It does not keep the lock if rows of this batch are left to the guard, because the next batch must find what
-- the guard stores. The path is the user's: their triggers run here.
CREATE FUNCTION neardup_internal.load_batch(
    target regclass, statements text[], after bigint, last bigint, since xid, own xid[], may_keep boolean, try integer, INOUT kept boolean,
    OUT stored bigint, OUT copies bigint, OUT seen xid, OUT transaction xid
)
    LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF NOT neardup_internal.lock_briefly(target, 'SHARE ROW EXCLUSIVE', try) THEN
        RETURN;
    END IF;
    IF NOT kept THEN
        EXECUTE statements[6] USING since, own;
        kept := may_keep AND neardup_internal.keep_lock(target);
    END IF;
    seen := pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::xid;
    PERFORM neardup.let_through(target);
    IF EXISTS (SELECT FROM pg_temp.neardup_newer) THEN
        EXECUTE statements[1] USING after, last;
    END IF;
    EXECUTE statements[2] USING after, last;
    GET DIAGNOSTICS stored = ROW_COUNT;
    EXECUTE statements[3] USING after, last;
    EXECUTE statements[4] USING after, last;
    SELECT pg_catalog.count(*) INTO copies FROM pg_temp.neardup_load c WHERE c.place > after AND c.place <= last AND c.state = 'copy';
    transaction := pg_catalog.pg_current_xact_id()::xid;
    IF kept AND (neardup_internal.is_awaited(target)
                 OR EXISTS (SELECT FROM pg_temp.neardup_load c WHERE c.place > after AND c.place <= last AND c.state = 'guard')) THEN
        PERFORM neardup_internal.leave_lock(target);
        kept := false;
    END IF;
END
$$;

-- A role that may not bypass the guard, or does not see all rows, has its rows judged one by one.
CREATE FUNCTION neardup_internal.may_load_past(guarded neardup.protected) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.pg_has_role((SELECT c.relowner FROM pg_catalog.pg_class c WHERE c.oid = guarded.target), 'USAGE')
        AND NOT pg_catalog.row_security_active(guarded.target)
        AND (SELECT pg_catalog.count(*) FROM neardup.protected p WHERE p.target = guarded.target) = 1;

CREATE PROCEDURE neardup.load(
    target regclass,
    source regclass,
    document name DEFAULT NULL,
    batch integer DEFAULT 10000,
    throttle interval DEFAULT NULL,
    INOUT loaded bigint DEFAULT NULL,
    INOUT copies bigint DEFAULT NULL
)
    LANGUAGE plpgsql AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    choice neardup_internal.choice := neardup_internal.chosen(guarded, 'oldest', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    statements pg_catalog.text[];
    done pg_catalog.record;
    since pg_catalog.xid;
    own pg_catalog.xid[] := '{}';
    -- A writer to a single partition does not lock the root, so a kept lock would not stop it.
    may_keep boolean := coalesce(throttle, '0') = interval '0' AND neardup_internal.has_tids(target);
    kept boolean := false;
    try integer := 1;
    through pg_catalog.record;
    by_guard bigint := 0;
    undecided bigint;
    reached bigint := 0;
    all_places bigint;
    verdicts pg_catalog.text;
    told pg_catalog.timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_source(guarded, source);
    IF guarded.on_duplicate NOT IN ('skip', 'mark', 'divert') THEN
        RAISE EXCEPTION 'the guard of table % has on_duplicate %', target, guarded.on_duplicate USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'A load needs to know what becomes of copies: skip, mark or divert.',
            HINT = pg_catalog.format('SELECT neardup.protect(%L, %L, on_duplicate => ''skip''); or list them: SELECT * FROM neardup.copies_of(%L, %L);',
                target, guarded.document, target, source);
    END IF;
    IF NOT neardup_internal.may_load_past(guarded) THEN
        RAISE EXCEPTION 'only the owner of table %, with one guard and without row security, loads it set-wise', target
            USING ERRCODE = 'insufficient_privilege', HINT = pg_catalog.format('The guard judges the rows of INSERT INTO %s ... SELECT ... FROM %s one by one.', target, source);
    END IF;
    PERFORM neardup_internal.check_committing('load');
    PERFORM neardup_internal.check_conversion(guarded, source);
    PERFORM neardup_internal.start_work(target, 'load', 'rows');
    loaded := 0;
    copies := 0;
    since := pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::pg_catalog.xid;
    COMMIT;
    PERFORM neardup_internal.list_load(guarded, source, choice);
    statements := neardup_internal.load_statements(guarded, source);
    SELECT coalesce(pg_catalog.max(l.place), 0) INTO all_places FROM pg_temp.neardup_load l;
    UPDATE neardup.running r SET started = pg_catalog.clock_timestamp(), total = all_places
    WHERE r.target::pg_catalog.oid = load.target::pg_catalog.oid AND r.role = CURRENT_USER;
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    WHILE reached < all_places LOOP
        done := neardup_internal.load_batch(target, statements, reached, reached + batch, since, own, may_keep, try, kept);
        -- CREATE INDEX CONCURRENTLY holds a lock and waits for this transaction to end, so the wait for the lock is between transactions.
        IF done.transaction IS NULL THEN
            IF try = 100 THEN
                RAISE EXCEPTION 'could not lock table %', target USING ERRCODE = 'lock_not_available',
                    DETAIL = 'Another session has held it for 25 seconds.', HINT = 'Call neardup.load again: it continues where it stopped.';
            END IF;
            COMMIT AND CHAIN;
            PERFORM pg_catalog.pg_sleep(0.2);
            COMMIT AND CHAIN;
            try := try + 1;
            CONTINUE;
        END IF;
        try := 1;
        kept := done.kept;
        since := done.seen;
        own := pg_catalog.array_append(ARRAY(SELECT x.id FROM pg_catalog.unnest(own) x(id) WHERE pg_catalog.age(x.id) <= pg_catalog.age(since)), done.transaction);
        loaded := loaded + done.stored + CASE guarded.on_duplicate WHEN 'mark' THEN done.copies ELSE 0 END;
        copies := copies + done.copies;
        told := neardup_internal.note_work(target, reached + batch, all_places, told);
        COMMIT AND CHAIN;
        SELECT pg_catalog.count(*) INTO undecided FROM pg_temp.neardup_load l WHERE l.place > reached AND l.place <= reached + batch AND l.state = 'guard';
        IF undecided > 0 THEN
            EXECUTE statements[5] INTO through USING reached, reached + batch;
            loaded := loaded + through.stored;
            by_guard := by_guard + through.judged - through.stored + through.marked;
            COMMIT AND CHAIN;
        END IF;
        reached := reached + batch;
        IF throttle > interval '0' THEN
            PERFORM pg_catalog.pg_sleep_for(throttle);
            COMMIT AND CHAIN;
        END IF;
    END LOOP;
    IF kept THEN
        PERFORM neardup_internal.leave_lock(target);
    END IF;
    copies := copies + by_guard;
    SELECT pg_catalog.string_agg(pg_catalog.format('%s: %s', v.why, v.n), ', ' ORDER BY v.n DESC, v.why) INTO verdicts
    FROM (SELECT pg_catalog.count(*) AS n, CASE l.measure WHEN 'identical' THEN 'identical' ELSE pg_catalog.concat_ws(' by ', l.verdict, l.measure) END AS why
          FROM pg_temp.neardup_load l WHERE l.state = 'copy' GROUP BY 2 UNION ALL SELECT by_guard, 'by the guard' WHERE by_guard > 0) v;
    SELECT pg_catalog.count(*) INTO undecided FROM pg_temp.neardup_load l WHERE l.state IS NULL;
    DROP TABLE pg_temp.neardup_load, pg_temp.neardup_newer;
    PERFORM neardup_internal.end_work(target);
    RAISE NOTICE '% rows of % are in %, % were copies', loaded, source, target, copies
        USING DETAIL = CASE WHEN verdicts IS NOT NULL THEN verdicts || '.' ELSE 'No copies.' END;
    IF undecided > 0 THEN
        RAISE NOTICE '% rows of % have changed meanwhile and are still there', undecided, source USING HINT = 'Call neardup.load again.';
    END IF;
END
$$;

COMMENT ON FUNCTION neardup_internal.as_target(regclass, regclass) IS 'SQL subquery: the rows of another table, with the columns of the guarded one';
COMMENT ON FUNCTION neardup_internal.loaded_columns(neardup.protected, regclass) IS 'the columns that a load fills: those of both tables, except a mark';
COMMENT ON FUNCTION neardup_internal.new_document(neardup.protected, text) IS 'SQL expression for the document of a row of neardup_internal.as_target';
COMMENT ON FUNCTION neardup_internal.check_source(neardup.protected, regclass) IS 'raises an error unless rows of a table can be compared with those of the guarded one';
COMMENT ON FUNCTION neardup_internal.new_copies(neardup.protected, regclass, neardup_internal.choice) IS 'SQL query for the rows of another table that copy rows of the guarded one, or earlier rows of their own table';
COMMENT ON FUNCTION neardup_internal.list_load(neardup.protected, regclass, neardup_internal.choice) IS 'lists the rows of a load in a temporary table, each with the row it copies';
COMMENT ON FUNCTION neardup_internal.check_conversion(neardup.protected, regclass) IS 'raises an error unless the columns of one table can be inserted into the other';
COMMENT ON FUNCTION neardup_internal.taking(text, regclass, text, text, boolean, text, text) IS 'SQL WITH list that deletes the rows of a batch from the source and returns them';
COMMENT ON FUNCTION neardup_internal.load_statements(neardup.protected, regclass) IS 'the SQL statements of one batch of a load';
COMMENT ON FUNCTION neardup_internal.load_batch(regclass, text[], bigint, bigint, xid, xid[], boolean, integer, boolean) IS 'loads one batch, while no other session writes to the table';
COMMENT ON FUNCTION neardup_internal.keep_lock(regclass) IS 'keeps this transaction''s SHARE ROW EXCLUSIVE lock on a table beyond its commit; false if there is no such lock';
COMMENT ON FUNCTION neardup_internal.is_awaited(regclass) IS 'whether another session waits for the lock of neardup_internal.keep_lock';
COMMENT ON FUNCTION neardup_internal.leave_lock(regclass) IS 'releases the lock of neardup_internal.keep_lock at the end of the transaction';
COMMENT ON FUNCTION neardup_internal.may_load_past(neardup.protected) IS 'whether the user may bypass the guard when loading a table, and sees all of its rows';
COMMENT ON FUNCTION neardup.copies_of(regclass, regclass, name, text, double precision) IS 'the rows of source that copy a row of the guarded table target, or an earlier row of source (is_new): keys of both, verdict, measure and value. threshold: the least score (verify facts or a profile, 0.75 to 1) or the least overlap or cosine (0 to 1); default: that of the guard';
COMMENT ON PROCEDURE neardup.load(regclass, regclass, name, integer, interval, bigint, bigint) IS 'moves the rows of source into the guarded table target: finds all copies in one set operation, skips, marks or diverts them as the guard does, and commits after each batch. Call it again after an interruption: CALL neardup.load(''articles'', ''staging'')';
