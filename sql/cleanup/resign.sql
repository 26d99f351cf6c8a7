-- re-signing: another analyzer or format, while the guard goes on with the old signatures

-- A second column is filled beside the first; when it is complete and has its index, the two change places in one short transaction.
-- Until then the guard judges by the old one, and writers fill both.

CREATE FUNCTION neardup_internal.sign_next() RETURNS trigger
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    old_document text;
    document text;
    known boolean;
    signature @extschema@.simhash;
BEGIN
    -- Arguments: document column, signature column, analyzer.
    EXECUTE pg_catalog.format('SELECT ($1).%1$I::text, ($1).%2$I IS NOT NULL, ($2).%1$I::text', TG_ARGV[0], TG_ARGV[1])
        INTO document, known, old_document USING NEW, OLD;
    IF TG_OP = 'INSERT' OR NOT known OR document IS DISTINCT FROM old_document THEN
        signature := @extschema@.simhash(document, TG_ARGV[2]);
        NEW := pg_catalog.jsonb_populate_record(NEW, pg_catalog.jsonb_build_object(TG_ARGV[1], signature));
    END IF;
    RETURN NEW;
END
$$;

CREATE VIEW neardup.resigning AS
SELECT t.tgrelid::regclass AS target, a.arguments[1]::name AS document, a.arguments[2]::name AS signature, a.arguments[3] AS analyzer,
       p.analyzer AS guard_analyzer, t.tgname AS trigger
FROM pg_catalog.pg_trigger t
     CROSS JOIN LATERAL (
         SELECT pg_catalog.string_to_array(pg_catalog.encode(t.tgargs, 'escape'), '\000') AS arguments
     ) a
     LEFT JOIN neardup.protected p ON p.target = t.tgrelid AND p.document = a.arguments[1]::name
WHERE t.tgfoid = 'neardup_internal.sign_next'::regproc AND t.tgparentid = 0;
GRANT SELECT ON neardup.resigning TO public;

-- Both columns are signed by SQL, which knows the document of one column only.
CREATE FUNCTION neardup_internal.check_resigning(guarded neardup.protected) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF guarded.expression IS NOT NULL OR pg_catalog.cardinality(guarded.columns) > 1 THEN
        RAISE EXCEPTION 'the document of table % is more than one column', guarded.target USING ERRCODE = 'feature_not_supported',
            HINT = 'Take the guard down and put it up with the other analyzer: neardup.unprotect, neardup.protect, then CALL neardup.backfill.';
    END IF;
END
$$;

-- Rows whose signature is not what the guard's analyzer gives today: whatever the reason, by signing them again.
CREATE FUNCTION neardup.signed_otherwise(target regclass, document name DEFAULT NULL) RETURNS TABLE (key text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
BEGIN
    PERFORM neardup_internal.check_resigning(guarded);
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT %s FROM %s t WHERE t.%I IS DISTINCT FROM @extschema@.simhash(t.%I::text, $1)',
        neardup_internal.key_expression(target, 't'), target, guarded.signature, guarded.document) USING guarded.analyzer;
END
$$;

-- Puts up the second column and the trigger that fills it; gives up after a moment and tries again rather than keep writers waiting.
CREATE FUNCTION neardup_internal.begin_resigning(guarded neardup.protected, analyzer text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET lock_timeout = '50ms' AS $$
DECLARE
    next name := neardup_internal.next_column(guarded.signature);
    tries integer := 0;
BEGIN
    LOOP
        BEGIN
            EXECUTE pg_catalog.format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', guarded.target);
            EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I @extschema@.simhash', guarded.target, next);
            EXECUTE pg_catalog.format(
                'CREATE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION neardup_internal.sign_next(%L, %L, %L)',
                'zzz_' || next, guarded.target, guarded.document, next, analyzer);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            tries := tries + 1;
            IF tries = 100 THEN
                RAISE;
            END IF;
        END;
        PERFORM pg_catalog.pg_sleep(0.2);
    END LOOP;
END
$$;

CREATE FUNCTION neardup_internal.resign_pages(guarded neardup.protected, analyzer text, part regclass, first bigint, after bigint) RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    signed bigint;
BEGIN
    EXECUTE pg_catalog.format(
        'UPDATE ONLY %1$s t SET %2$I = s.signature FROM (SELECT o.ctid AS place, @extschema@.simhash(o.%3$I::text, $1) AS signature FROM ONLY %1$s o '
        'WHERE o.ctid >= %4$L AND o.ctid < %5$L AND o.%2$I IS NULL AND o.%3$I IS NOT NULL OFFSET 0) s '
        'WHERE t.ctid = s.place AND t.ctid >= %4$L AND t.ctid < %5$L AND s.signature IS NOT NULL',
        part, neardup_internal.next_column(guarded.signature), guarded.document, '(' || first || ',0)', '(' || after || ',0)') USING analyzer;
    GET DIAGNOSTICS signed = ROW_COUNT;
    RETURN signed;
END
$$;

-- The two columns change places: catalog work alone, in one transaction.
CREATE FUNCTION neardup_internal.end_resigning(guarded neardup.protected, analyzer text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET lock_timeout = '50ms' AS $$
DECLARE
    next name := neardup_internal.next_column(guarded.signature);
    old_setting text := pg_catalog.to_jsonb(guarded.analyzer)::text;
    guards record;
    tries integer := 0;
BEGIN
    LOOP
        BEGIN
            EXECUTE pg_catalog.format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', guarded.target);
            EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', 'zzz_' || next, guarded.target);
            -- The guard's triggers as they are, but for the analyzer in their settings.
            SELECT pg_catalog.array_agg(t.tgname) AS names, pg_catalog.array_agg(t.tgenabled) AS enabled,
                   pg_catalog.array_agg(pg_catalog.regexp_replace(pg_catalog.pg_get_triggerdef(t.oid), ' EXECUTE FUNCTION (.*)\(.*$', ' EXECUTE FUNCTION \1(')
                       || CASE WHEN t.tgnargs = 0 THEN '' ELSE pg_catalog.quote_literal(
                              (s.settings || pg_catalog.jsonb_build_object('analyzer', analyzer))::text) END || ')') AS definitions
                INTO guards
            FROM pg_catalog.pg_trigger t
                 CROSS JOIN LATERAL (
                     SELECT CASE WHEN t.tgnargs = 1 THEN pg_catalog.convert_from(pg_catalog.substr(t.tgargs, 1, pg_catalog.length(t.tgargs) - 1), 'UTF8')::jsonb END AS settings
                 ) s
                 JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid AND p.pronamespace = 'neardup'::regnamespace
            WHERE t.tgrelid = guarded.target AND t.tgparentid = 0 AND p.proname <> 'sign_next'
                  AND (t.tgname = guarded.trigger OR EXISTS (
                      SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = guarded.target AND a.attname = guarded.signature AND a.attnum = ANY (t.tgattr)));
            FOR i IN 1 .. pg_catalog.cardinality(guards.names) LOOP
                EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', guards.names[i], guarded.target);
            END LOOP;
            EXECUTE pg_catalog.format('ALTER TABLE %s DROP COLUMN %I', guarded.target, guarded.signature);
            EXECUTE pg_catalog.format('ALTER TABLE %s RENAME COLUMN %I TO %I', guarded.target, next, guarded.signature);
            FOR i IN 1 .. pg_catalog.cardinality(guards.names) LOOP
                EXECUTE guards.definitions[i];
                IF guards.enabled[i] = 'A' THEN
                    EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guarded.target, guards.names[i]);
                END IF;
            END LOOP;
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            tries := tries + 1;
            IF tries = 100 THEN
                RAISE;
            END IF;
        END;
        PERFORM pg_catalog.pg_sleep(0.2);
    END LOOP;
END
$$;

CREATE PROCEDURE neardup.resign(
    target regclass, analyzer text DEFAULT NULL, document name DEFAULT NULL, batch integer DEFAULT 1000, throttle interval DEFAULT NULL,
    INOUT signed bigint DEFAULT NULL
)
    LANGUAGE plpgsql AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    beside neardup.protected := guarded;
    block bigint := pg_catalog.current_setting('block_size')::bigint;
    under_way text;
    statements text;
    missing boolean;
    part regclass;
    pages bigint;
    page bigint;
    step bigint;
    before bigint := 0;
    total bigint;
    told timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_resigning(guarded);
    SELECT r.analyzer INTO under_way FROM neardup.resigning r WHERE r.target = resign.target AND r.document = guarded.document;
    IF under_way <> analyzer THEN
        RAISE EXCEPTION 'table % is being signed again with analyzer %', target, under_way USING ERRCODE = 'object_in_use',
            HINT = pg_catalog.format('Finish that, or give it up: SELECT neardup.stop_resigning(%L);', target);
    END IF;
    analyzer := coalesce(analyzer, under_way, guarded.analyzer);
    PERFORM @extschema@.simhash(''::text, analyzer);
    beside.signature := neardup_internal.next_column(guarded.signature);
    SELECT coalesce(pg_catalog.sum(pg_catalog.pg_relation_size(l) / block), 0) INTO total FROM neardup_internal.leaves(target) l;
    PERFORM neardup_internal.start_work(target, 'resign', 'pages', total);
    IF under_way IS NULL THEN
        PERFORM neardup_internal.begin_resigning(guarded, analyzer);
    END IF;
    signed := 0;
    COMMIT;
    FOR part IN SELECT l FROM neardup_internal.leaves(target) l LOOP
        pages := pg_catalog.pg_relation_size(part) / block;
        SELECT greatest(1, batch / CASE WHEN c.relpages > 0 AND c.reltuples > 0 THEN greatest(1, c.reltuples / c.relpages) ELSE 20 END)
            INTO step FROM pg_catalog.pg_class c WHERE c.oid = part;
        page := 0;
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        WHILE page < pages LOOP
            signed := signed + neardup_internal.resign_pages(guarded, analyzer, part, page, page + step);
            page := page + step;
            told := neardup_internal.note_work(target, before + least(page, pages), greatest(total, before + pages), told);
            COMMIT;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            IF throttle > interval '0' THEN
                PERFORM pg_catalog.pg_sleep_for(throttle);
            END IF;
        END LOOP;
        before := before + pages;
    END LOOP;
    SELECT pg_catalog.string_agg(s, ' ') INTO statements FROM neardup_internal.index_statements(beside) s;
    IF statements IS NOT NULL AND total > 0 THEN
        PERFORM neardup_internal.end_work(target);
        RAISE NOTICE 'the new signatures of % are complete, and the guard still judges by the old ones', target
            USING HINT = pg_catalog.format('Build the indexes, then call neardup.resign again: %s', statements);
        RETURN;
    END IF;
    EXECUTE pg_catalog.format(
        'SELECT EXISTS (SELECT FROM %s t WHERE t.%I IS NULL AND t.%I IS NOT NULL AND @extschema@.simhash(t.%I::text, $1) IS NOT NULL)',
        target, beside.signature, guarded.document, guarded.document) INTO missing USING analyzer;
    IF missing THEN
        RAISE EXCEPTION 'some rows of % have no new signature', target USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'They were written while triggers were off; call neardup.resign again.';
    END IF;
    PERFORM neardup_internal.end_resigning(guarded, analyzer);
    IF total = 0 THEN
        FOR statements IN SELECT s FROM neardup_internal.index_statements(guarded) s LOOP
            EXECUTE pg_catalog.replace(statements, 'CONCURRENTLY ', '');
        END LOOP;
    END IF;
    PERFORM neardup_internal.end_work(target);
END
$$;

CREATE FUNCTION neardup.stop_resigning(target regclass, document name DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    r neardup.resigning;
BEGIN
    SELECT * INTO r FROM neardup.resigning s WHERE s.target = stop_resigning.target AND s.document = guarded.document;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not being signed again', target USING ERRCODE = 'undefined_object';
    END IF;
    EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', r.trigger, target);
    EXECUTE pg_catalog.format('ALTER TABLE %s DROP COLUMN %I', target, r.signature);
END
$$;
