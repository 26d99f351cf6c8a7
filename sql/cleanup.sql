-- clean-up: the record of what was removed

CREATE TABLE neardup.runs (
    run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    target regclass NOT NULL,
    keep text NOT NULL,
    distance integer NOT NULL,
    removed bigint NOT NULL DEFAULT 0,
    restored bigint NOT NULL DEFAULT 0,
    started timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    finished timestamptz,
    role name NOT NULL DEFAULT CURRENT_USER
);

-- A row is kept as the text of its record, which brings back every value of every type exactly.
CREATE TABLE neardup.removed (
    run_id bigint NOT NULL REFERENCES neardup.runs,
    key text NOT NULL,
    duplicate_of text NOT NULL,
    distance integer NOT NULL,
    columns name[] NOT NULL,
    record text NOT NULL,
    role name NOT NULL DEFAULT CURRENT_USER
);
CREATE INDEX ON neardup.removed (run_id);

SELECT pg_catalog.pg_extension_config_dump('neardup.runs', '');
SELECT pg_catalog.pg_extension_config_dump('neardup.removed', '');
SELECT pg_catalog.pg_extension_config_dump('neardup.runs_run_id_seq', '');

-- Whoever cleans a table records it here, and sees only what roles of theirs removed.
GRANT SELECT, INSERT, UPDATE ON neardup.runs TO public;
GRANT SELECT, INSERT, DELETE ON neardup.removed TO public;
ALTER TABLE neardup.runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE neardup.removed ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON neardup.runs USING (pg_catalog.pg_has_role(role, 'USAGE'));
CREATE POLICY own ON neardup.removed USING (
    pg_catalog.pg_has_role(role, 'USAGE') AND EXISTS (SELECT FROM neardup.runs r WHERE r.run_id = removed.run_id)
);

-- clean-up: sign what is there already

CREATE PROCEDURE neardup.backfill(
    target regclass, document name DEFAULT NULL, batch integer DEFAULT 1000, INOUT signed bigint DEFAULT NULL
)
    LANGUAGE plpgsql AS $$
DECLARE
    guarded neardup.protected := neardup.guard_of(target, document);
    part regclass;
    pages bigint;
    page bigint;
    step bigint;
    affected bigint;
    told timestamptz := pg_catalog.clock_timestamp();
BEGIN
    IF batch IS NULL OR batch < 1 THEN
        RAISE EXCEPTION 'batch must be at least 1: %', batch USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT guarded.enabled THEN
        RAISE EXCEPTION 'the guard of % is disabled', target USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'Its trigger signs the rows.',
            HINT = pg_catalog.format('ALTER TABLE %s ENABLE TRIGGER %I;', target, guarded.trigger);
    END IF;
    signed := 0;
    FOR part IN
        SELECT l.relid FROM pg_catalog.pg_partition_tree(target) l WHERE l.isleaf
        UNION ALL SELECT target WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_partition_tree(target))
    LOOP
        pages := pg_catalog.pg_relation_size(part) / pg_catalog.current_setting('block_size')::bigint;
        -- Some twenty articles fit a page: a batch is a run of pages, read once and in order.
        step := greatest(1, batch / 20);
        page := 0;
        WHILE page < pages LOOP
            -- The trigger signs a row whose signature column is touched.
            EXECUTE pg_catalog.format(
                'WITH touched AS (UPDATE ONLY %s t SET %2$I = NULL WHERE t.ctid >= %3$L AND t.ctid < %4$L '
                'AND t.%2$I IS NULL AND t.%5$I IS NOT NULL RETURNING t.%2$I AS signature) '
                'SELECT pg_catalog.count(t.signature) FROM touched t',
                part, guarded.signature, '(' || page || ',0)', '(' || page + step || ',0)', guarded.document) INTO affected;
            signed := signed + affected;
            page := page + step;
            COMMIT;
            IF pg_catalog.clock_timestamp() > told + interval '3 seconds' THEN
                told := pg_catalog.clock_timestamp();
                RAISE NOTICE '%: % rows signed, page % of %', part, signed, least(page, pages), pages;
            END IF;
        END LOOP;
    END LOOP;
END
$$;

-- clean-up: the query that lists all copies, each with the row of its group that stays

CREATE FUNCTION neardup.copies_query(guarded neardup.protected, keep text, age name) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    keys name[] := neardup.key_columns(guarded.target);
    key_order text;
    keep_order text;
    by_age text := '';
BEGIN
    IF age IS NOT NULL THEN
        by_age := pg_catalog.format('t.%I %s NULLS LAST, ', age, CASE keep WHEN 'newest' THEN 'DESC' ELSE 'ASC' END);
    END IF;
    SELECT pg_catalog.string_agg(pg_catalog.format('t.%I', k), ', ') INTO key_order FROM pg_catalog.unnest(keys) k;
    keep_order := CASE keep
        WHEN 'oldest' THEN by_age
        WHEN 'newest' THEN by_age || (SELECT pg_catalog.string_agg(pg_catalog.format('t.%I DESC, ', k), '') FROM pg_catalog.unnest(keys) k)
        WHEN 'longest' THEN pg_catalog.format('pg_catalog.length(t.%I) DESC, %s', guarded.document, by_age)
    END;
    IF keep_order IS NULL THEN
        RAISE EXCEPTION 'keep must be oldest, newest or longest: %', keep USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN pg_catalog.format(
        'WITH signed AS (SELECT %1$s, t.%2$I AS signature, pg_catalog.row_number() OVER w AS place, '
        '@extschema@.near_duplicate_of(t.%2$I, %3$s) OVER w AS first '
        'FROM %4$s t WHERE t.%2$I IS NOT NULL WINDOW w AS (ORDER BY %5$s)), '
        'sized AS (SELECT s.*, pg_catalog.count(*) OVER (PARTITION BY s.first) AS size FROM signed s) '
        'SELECT %6$s, %7$s, @extschema@.hamming_distance(m.signature, r.signature) AS distance, m.size AS group_size '
        'FROM sized m JOIN signed r ON r.place = m.first WHERE m.place <> m.first ORDER BY m.first, m.place',
        (SELECT pg_catalog.string_agg(pg_catalog.format('t.%I AS k%s', k.name, k.i), ', ' ORDER BY k.i)
         FROM pg_catalog.unnest(keys) WITH ORDINALITY k(name, i)),
        guarded.signature, guarded.distance, guarded.target, keep_order || key_order,
        (SELECT pg_catalog.string_agg(pg_catalog.format('m.k%s', i), ', ') FROM pg_catalog.generate_subscripts(keys, 1) i),
        (SELECT pg_catalog.string_agg(pg_catalog.format('r.k%1$s AS r%1$s', i), ', ') FROM pg_catalog.generate_subscripts(keys, 1) i));
END
$$;

-- clean-up: list copies

CREATE FUNCTION neardup.duplicates(
    target regclass,
    keep text DEFAULT 'oldest',
    age name DEFAULT NULL,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL
) RETURNS TABLE (key text, duplicate_of text, distance integer, group_size bigint)
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    guarded neardup.protected := neardup.guard_of(target, document);
    columns text;
BEGIN
    guarded.distance := coalesce(max_distance, guarded.distance);
    SELECT pg_catalog.format('pg_catalog.concat_ws('', '', %s), pg_catalog.concat_ws('', '', %s)',
               pg_catalog.string_agg('c.k' || i, ', '), pg_catalog.string_agg('c.r' || i, ', '))
        INTO columns FROM pg_catalog.generate_subscripts(neardup.key_columns(target), 1) i;
    PERFORM neardup.tell_of_unsigned(guarded);
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT %s, c.distance, c.group_size FROM (%s) c', columns, neardup.copies_query(guarded, keep, age));
END
$$;

-- clean-up: remove copies

CREATE PROCEDURE neardup.cleanup(
    target regclass,
    keep text DEFAULT 'oldest',
    dry_run boolean DEFAULT true,
    batch integer DEFAULT 1000,
    age name DEFAULT NULL,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    INOUT run_id bigint DEFAULT NULL,
    INOUT removed bigint DEFAULT NULL
)
    LANGUAGE plpgsql AS $$
DECLARE
    guarded neardup.protected := neardup.guard_of(target, document);
    keys name[] := neardup.key_columns(target);
    blocking name;
    chosen bigint;
    chained bigint;
    sample text;
    arguments text;
    statement text;
    place bigint := 0;
    affected bigint;
    told timestamptz := pg_catalog.clock_timestamp();
BEGIN
    IF batch IS NULL OR batch < 1 THEN
        RAISE EXCEPTION 'batch must be at least 1: %', batch USING ERRCODE = 'invalid_parameter_value';
    END IF;
    guarded.distance := coalesce(max_distance, guarded.distance);
    PERFORM neardup.tell_of_unsigned(guarded);
    SELECT c.conname INTO blocking FROM pg_catalog.pg_constraint c
    WHERE c.confrelid = target AND c.contype = 'f' AND c.confdeltype IN ('c', 'n', 'd') LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'foreign key "%" changes or removes rows of another table when a row of % goes', blocking, target
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'What it changes could not be brought back by neardup.restore.',
                  HINT = 'Give the key ON DELETE NO ACTION: rows that are referred to are then left in place.';
    END IF;

    IF pg_catalog.to_regclass('pg_temp.neardup_chosen') IS NOT NULL THEN
        DROP TABLE pg_temp.neardup_chosen;
    END IF;
    -- A group may be a chain: only a row that is itself near the one that stays may go.
    EXECUTE pg_catalog.format(
        'CREATE TEMPORARY TABLE neardup_chosen AS SELECT pg_catalog.row_number() OVER () AS place, c.*, c.distance > %s AS chained FROM (%s) c',
        guarded.distance, neardup.copies_query(guarded, keep, age));
    SELECT pg_catalog.count(*) FILTER (WHERE NOT c.chained), pg_catalog.count(*) FILTER (WHERE c.chained)
        INTO chosen, chained FROM pg_temp.neardup_chosen c;
    IF chained > 0 THEN
        RAISE NOTICE '% rows of groups are further than % from the row that stays and are left in place', chained, guarded.distance;
    END IF;

    arguments := pg_catalog.concat_ws(', ', pg_catalog.quote_literal(target), 'keep => ' || pg_catalog.quote_literal(keep),
        'age => ' || pg_catalog.quote_literal(age), 'document => ' || pg_catalog.quote_literal(document),
        'max_distance => ' || max_distance);
    IF dry_run IS DISTINCT FROM false THEN
        FOR sample IN EXECUTE pg_catalog.format(
            'SELECT pg_catalog.format(''would remove (%%s), distance %%s from (%%s), which stays'', %s, c.distance, %s) '
            'FROM pg_temp.neardup_chosen c WHERE NOT c.chained ORDER BY c.place LIMIT 10',
            (SELECT 'pg_catalog.concat_ws('', '', ' || pg_catalog.string_agg('c.k' || i, ', ') || ')' FROM pg_catalog.generate_subscripts(keys, 1) i),
            (SELECT 'pg_catalog.concat_ws('', '', ' || pg_catalog.string_agg('c.r' || i, ', ') || ')' FROM pg_catalog.generate_subscripts(keys, 1) i))
        LOOP
            RAISE NOTICE '%', sample;
        END LOOP;
        RAISE NOTICE 'dry run: % of the rows of % would go; nothing has been changed', chosen, target
            USING HINT = pg_catalog.format('See them all: SELECT * FROM neardup.duplicates(%1$s); remove them: CALL neardup.cleanup(%1$s, dry_run => false);',
                                           arguments);
        DROP TABLE pg_temp.neardup_chosen;
        removed := 0;
        RETURN;
    END IF;

    removed := 0;
    IF chosen = 0 THEN
        RAISE NOTICE 'no copies to remove from %', target;
        DROP TABLE pg_temp.neardup_chosen;
        RETURN;
    END IF;
    INSERT INTO neardup.runs AS r (target, keep, distance) VALUES (target, keep, guarded.distance) RETURNING r.run_id INTO run_id;
    statement := pg_catalog.format(
        'WITH chosen AS (SELECT * FROM pg_temp.neardup_chosen c WHERE NOT c.chained AND c.place > $1 AND c.place <= $2), '
        'staying AS MATERIALIZED (SELECT r.* FROM %1$s r WHERE (%2$s) IN (SELECT %3$s FROM chosen c) FOR KEY SHARE), '
        'gone AS (DELETE FROM %1$s t USING chosen c, staying r WHERE (%4$s) = (%5$s) AND (%2$s) = (%3$s) '
        'AND @extschema@.hamming_distance(t.%6$I, r.%6$I) <= %7$s '
        'RETURNING pg_catalog.concat_ws('', '', %4$s) AS key, pg_catalog.concat_ws('', '', %2$s) AS duplicate_of, c.distance, t::text AS record) '
        'INSERT INTO neardup.removed (run_id, key, duplicate_of, distance, columns, record) '
        'SELECT $3, g.key, g.duplicate_of, g.distance, $4, g.record FROM gone g',
        target,
        (SELECT pg_catalog.string_agg(pg_catalog.format('r.%I', k), ', ') FROM pg_catalog.unnest(keys) k),
        (SELECT pg_catalog.string_agg('c.r' || i, ', ') FROM pg_catalog.generate_subscripts(keys, 1) i),
        (SELECT pg_catalog.string_agg(pg_catalog.format('t.%I', k), ', ') FROM pg_catalog.unnest(keys) k),
        (SELECT pg_catalog.string_agg('c.k' || i, ', ') FROM pg_catalog.generate_subscripts(keys, 1) i),
        guarded.signature, guarded.distance);
    ALTER TABLE pg_temp.neardup_chosen ADD PRIMARY KEY (place);
    ANALYZE pg_temp.neardup_chosen;
    COMMIT;
    WHILE place < chosen + chained LOOP
        affected := neardup.remove_batch(statement, place, place + batch, run_id, target);
        place := place + batch;
        removed := removed + affected;
        UPDATE neardup.runs r SET removed = r.removed + affected WHERE r.run_id = cleanup.run_id;
        COMMIT;
        IF pg_catalog.clock_timestamp() > told + interval '3 seconds' THEN
            told := pg_catalog.clock_timestamp();
            RAISE NOTICE '%: % of % rows removed', target, removed, chosen;
        END IF;
    END LOOP;
    UPDATE neardup.runs r SET finished = pg_catalog.clock_timestamp() WHERE r.run_id = cleanup.run_id;
    DROP TABLE pg_temp.neardup_chosen;
    IF removed < chosen THEN
        RAISE NOTICE '% rows were left in place: other tables refer to them, or they changed meanwhile', chosen - removed;
    END IF;
    IF removed > 0 THEN
        RAISE NOTICE '% rows removed from %', removed, target
            USING HINT = pg_catalog.format('Bring them back: CALL neardup.restore(%s);', run_id);
    END IF;
END
$$;

-- clean-up: one batch; if other tables refer to some of its rows, it goes row by row, and those stay.
-- The settings make a record's text the same for whoever removes and whoever restores.

CREATE FUNCTION neardup.remove_batch(statement text, after bigint, last bigint, run_id bigint, target regclass) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    removed bigint := 0;
    affected bigint;
    names name[] := neardup.column_names(target);
BEGIN
    -- A deferred foreign key would speak up at the commit only, and take the whole batch with it.
    SET CONSTRAINTS ALL IMMEDIATE;
    BEGIN
        EXECUTE statement USING after, last, run_id, names;
        GET DIAGNOSTICS removed = ROW_COUNT;
        RETURN removed;
    EXCEPTION WHEN foreign_key_violation THEN
        removed := 0;
    END;
    FOR place IN after + 1 .. last LOOP
        BEGIN
            EXECUTE statement USING place - 1, place, run_id, names;
            GET DIAGNOSTICS affected = ROW_COUNT;
            removed := removed + affected;
        EXCEPTION WHEN foreign_key_violation THEN
            NULL;
        END;
    END LOOP;
    RETURN removed;
END
$$;

CREATE FUNCTION neardup.column_names(target regclass) RETURNS name[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attname ORDER BY a.attnum) FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = target AND a.attnum > 0 AND NOT a.attisdropped
    );

-- clean-up: bring removed rows back

CREATE FUNCTION neardup.restore_rows(run neardup.runs) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    writable name[];
    statement text;
    place tid;
    kept text;
    affected bigint;
    restored bigint := 0;
BEGIN
    SELECT pg_catalog.array_agg(a.attname ORDER BY a.attnum) INTO writable FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = run.target AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '';
    statement := pg_catalog.format(
        'INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE SELECT %3$s FROM (SELECT $1::%1$s AS r) d ON CONFLICT DO NOTHING',
        run.target,
        (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(n), ', ' ORDER BY i) FROM pg_catalog.unnest(writable) WITH ORDINALITY w(n, i)),
        (SELECT pg_catalog.string_agg(pg_catalog.format('(d.r).%I', n), ', ' ORDER BY i) FROM pg_catalog.unnest(writable) WITH ORDINALITY w(n, i)));
    FOR place, kept IN SELECT d.ctid, d.record FROM neardup.removed d WHERE d.run_id = run.run_id AND d.role = run.role FOR UPDATE LOOP
        EXECUTE statement USING kept;
        GET DIAGNOSTICS affected = ROW_COUNT;
        IF affected > 0 THEN
            DELETE FROM neardup.removed d WHERE d.ctid = place;
            restored := restored + 1;
        END IF;
    END LOOP;
    RETURN restored;
END
$$;

CREATE PROCEDURE neardup.restore(run_id bigint, INOUT restored bigint DEFAULT NULL)
    LANGUAGE plpgsql AS $$
DECLARE
    run neardup.runs;
    guards text[];
    guard text;
BEGIN
    SELECT * INTO run FROM neardup.runs r WHERE r.run_id = restore.run_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run_id USING ERRCODE = 'undefined_object', HINT = 'SELECT * FROM neardup.runs;';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = run.target) THEN
        RAISE EXCEPTION 'the table of run % is gone', run_id USING ERRCODE = 'undefined_table',
            DETAIL = 'The removed rows are in neardup.removed, each as the text of its record.';
    END IF;
    IF EXISTS (SELECT FROM neardup.removed d WHERE d.run_id = restore.run_id AND d.columns <> neardup.column_names(run.target)) THEN
        RAISE EXCEPTION 'the columns of % have changed since run %', run.target, run_id
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'The removed rows are in neardup.removed, each as the text of its record.';
    END IF;
    -- The guard would refuse the copies. Disabling it locks out other writers until this transaction ends.
    SELECT coalesce(pg_catalog.array_agg(pg_catalog.format('%s TRIGGER %I',
               CASE t.tgenabled WHEN 'A' THEN 'ENABLE ALWAYS' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE' END, t.tgname)), '{}')
        INTO guards FROM pg_catalog.pg_trigger t JOIN neardup.protected p ON p.target = t.tgrelid AND p.trigger = t.tgname
        WHERE t.tgrelid = run.target AND p.enabled;
    FOREACH guard IN ARRAY guards LOOP
        EXECUTE pg_catalog.format('ALTER TABLE %s DISABLE %s', run.target, pg_catalog.substring(guard, 'TRIGGER .*'));
    END LOOP;
    restored := neardup.restore_rows(run);
    FOREACH guard IN ARRAY guards LOOP
        EXECUTE pg_catalog.format('ALTER TABLE %s %s', run.target, guard);
    END LOOP;
    UPDATE neardup.runs r SET restored = r.restored + restore.restored WHERE r.run_id = restore.run_id;
    IF EXISTS (SELECT FROM neardup.removed d WHERE d.run_id = restore.run_id) THEN
        RAISE NOTICE 'some rows of run % stay in neardup.removed: their keys are taken again', run_id;
    END IF;
END
$$;
