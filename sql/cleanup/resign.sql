-- re-signing: another analyzer or format, while the guard goes on with the old signatures

-- A second column is filled beside the first; when it is complete and has its index, the two change places in one short transaction.
-- Until then the guard judges by the old one, and writers fill both.

CREATE FUNCTION neardup_internal.sign_next() RETURNS trigger
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    -- Arguments: document column, signature column, analyzer, and the document of the row $1 where it is more than that column.
    make text := 'SELECT ' || coalesce(TG_ARGV[3], pg_catalog.format('($1).%I::text', TG_ARGV[0]));
    document text;
    old_document text;
    known boolean := false;
BEGIN
    EXECUTE make INTO document USING NEW;
    IF TG_OP = 'UPDATE' THEN
        EXECUTE make INTO old_document USING OLD;
        EXECUTE pg_catalog.format('SELECT ($1).%I IS NOT NULL', TG_ARGV[1]) INTO known USING NEW;
    END IF;
    IF NOT known OR document IS DISTINCT FROM old_document THEN
        NEW := pg_catalog.jsonb_populate_record(
            NEW, pg_catalog.jsonb_build_object(TG_ARGV[1], neardup.analyzer_simhash(document, TG_ARGV[2])));
    END IF;
    RETURN NEW;
END
$$;

CREATE VIEW neardup.resigning AS
SELECT t.tgrelid::regclass AS target, a.arguments[1]::name AS document, a.arguments[2]::name AS signature, a.arguments[3] AS analyzer,
       p.analyzer AS guard_analyzer, t.tgname AS trigger
FROM pg_catalog.pg_trigger t
     CROSS JOIN LATERAL (
         -- Each argument ends with a zero byte, which no text can hold; so they are taken apart as hexadecimal digits.
         SELECT pg_catalog.array_agg(pg_catalog.convert_from(pg_catalog.decode(pg_catalog.replace(s.digits, ' ', ''), 'hex'), 'UTF8')
                                     COLLATE pg_catalog."default" ORDER BY s.place) AS arguments
         FROM pg_catalog.unnest(pg_catalog.string_to_array(
                  pg_catalog.regexp_replace(pg_catalog.encode(t.tgargs, 'hex'), '(..)', '\1 ', 'g'), '00 ')) WITH ORDINALITY s(digits, place)
     ) a
     LEFT JOIN neardup.protected p ON p.target = t.tgrelid AND p.document = a.arguments[1]::name
WHERE t.tgfoid = 'neardup_internal.sign_next'::regproc AND t.tgparentid = 0;
GRANT SELECT ON neardup.resigning TO public;

-- Rows whose signature is not what the guard's analyzer gives today: whatever the reason, by signing them again.
CREATE FUNCTION neardup.signed_otherwise(target regclass, document name DEFAULT NULL) RETURNS TABLE (key text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
BEGIN
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT %s FROM %s t WHERE t.%I IS DISTINCT FROM neardup.analyzer_simhash(%s, $1)',
        neardup_internal.key_expression(target, 't'), target, guarded.signature, neardup_internal.document_of(guarded, 't')) USING guarded.analyzer;
END
$$;

CREATE FUNCTION neardup_internal.count_otherwise(guarded neardup.protected, OUT unsigned bigint, OUT otherwise bigint)
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    EXECUTE pg_catalog.format(
        'SELECT pg_catalog.count(*) FILTER (WHERE s.signature IS NULL), pg_catalog.count(s.signature) FROM '
        '(SELECT t.%1$I AS signature, neardup.analyzer_simhash(%2$s, $1) AS today FROM %3$s t) s WHERE s.signature IS DISTINCT FROM s.today',
        guarded.signature, neardup_internal.document_of(guarded, 't'), guarded.target) INTO unsigned, otherwise USING guarded.analyzer;
END
$$;

-- The same for each guard whose table the user may read, as numbers.
CREATE VIEW neardup.outdated AS
SELECT p.target, p.document, p.analyzer, c.unsigned, c.otherwise
FROM neardup.protected p CROSS JOIN LATERAL neardup_internal.count_otherwise(p) c
WHERE p.method = 'simhash' AND pg_catalog.has_table_privilege(p.target, 'SELECT');
GRANT SELECT ON neardup.outdated TO public;

-- Puts up the second column and the trigger that fills it.
CREATE FUNCTION neardup_internal.begin_resigning(guarded neardup.protected, analyzer text) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    next name := neardup_internal.next_column(guarded.signature);
BEGIN
    PERFORM neardup_internal.lock_patiently(guarded.target);
    EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I @extschema@.simhash', guarded.target, next);
    EXECUTE pg_catalog.format(
        'CREATE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION neardup_internal.sign_next(%L, %L, %L, %L)',
        'zzz_' || next::text, guarded.target, guarded.document, next, analyzer, neardup_internal.document_of(guarded, '($1)'));
END
$$;

CREATE FUNCTION neardup_internal.resign_pages(guarded neardup.protected, analyzer text, part regclass, first bigint, after bigint) RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    signed bigint;
BEGIN
    EXECUTE pg_catalog.format(
        'UPDATE ONLY %1$s t SET %2$I = s.signature FROM (SELECT o.ctid AS place, neardup.analyzer_simhash(%3$s, $1) AS signature FROM ONLY %1$s o '
        'WHERE o.ctid >= %4$L AND o.ctid < %5$L AND o.%2$I IS NULL OFFSET 0) s '
        'WHERE t.ctid = s.place AND t.ctid >= %4$L AND t.ctid < %5$L AND s.signature IS NOT NULL',
        part, neardup_internal.next_column(guarded.signature), neardup_internal.document_of(guarded, 'o'), pg_catalog.concat('(', first, ',0)'), pg_catalog.concat('(', after, ',0)')) USING analyzer;
    GET DIAGNOSTICS signed = ROW_COUNT;
    RETURN signed;
END
$$;

-- The two columns change places: catalog work alone, in one transaction.
CREATE FUNCTION neardup_internal.end_resigning(guarded neardup.protected, analyzer text) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    next name := neardup_internal.next_column(guarded.signature);
    guards record;
BEGIN
    PERFORM neardup_internal.lock_patiently(guarded.target);
    EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', 'zzz_' || next::text, guarded.target);
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
         JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid AND p.pronamespace = 'neardup'::regnamespace::oid
    WHERE t.tgrelid = guarded.target::oid AND t.tgparentid = '0' AND p.proname <> 'sign_next'
          AND (t.tgname = guarded.trigger OR EXISTS (
              SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = guarded.target::oid AND a.attname = guarded.signature AND a.attnum = ANY (t.tgattr)));
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
    under_way text;
    statements text;
    missing boolean;
    is_empty boolean;
BEGIN
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_committing('resign');
    SELECT r.analyzer INTO under_way FROM neardup.resigning r WHERE r.target::oid = resign.target::oid AND r.document = guarded.document;
    analyzer := neardup.pinned_analyzer(coalesce(analyzer, under_way, guarded.analyzer));
    PERFORM neardup.analyzer_simhash('', analyzer);
    IF under_way <> analyzer THEN
        RAISE EXCEPTION 'table % is being signed again with analyzer %', target, under_way USING ERRCODE = 'object_in_use',
            HINT = pg_catalog.format('Finish that, or give it up: SELECT neardup.stop_resigning(%L);', target);
    END IF;
    beside.signature := neardup_internal.next_column(guarded.signature);
    PERFORM neardup_internal.start_work(target, 'resign', 'pages');
    IF under_way IS NULL THEN
        PERFORM neardup_internal.begin_resigning(guarded, analyzer);
    END IF;
    CALL neardup_internal.sign_by_pages(guarded, analyzer, batch, throttle, signed);
    EXECUTE pg_catalog.format('SELECT NOT EXISTS (SELECT FROM %s)', target) INTO is_empty;
    SELECT pg_catalog.string_agg(s, ' ') INTO statements FROM neardup_internal.index_statements(beside) s;
    IF statements IS NOT NULL AND NOT is_empty THEN
        PERFORM neardup_internal.end_work(target);
        RAISE NOTICE 'the new signatures of % are complete, and the guard still judges by the old ones', target
            USING HINT = pg_catalog.format('Build the indexes, then call neardup.resign again: %s', statements);
        RETURN;
    END IF;
    EXECUTE pg_catalog.format(
        'SELECT EXISTS (SELECT FROM %s t WHERE t.%I IS NULL AND neardup.analyzer_simhash(%s, $1) IS NOT NULL)',
        target, beside.signature, neardup_internal.document_of(guarded, 't')) INTO missing USING analyzer;
    IF missing THEN
        RAISE EXCEPTION 'some rows of % have no new signature', target USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'They were written while triggers were off; call neardup.resign again.';
    END IF;
    PERFORM neardup_internal.end_resigning(guarded, analyzer);
    IF is_empty THEN
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
    SELECT * INTO r FROM neardup.resigning s WHERE s.target::oid = stop_resigning.target::oid AND s.document = guarded.document;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not being signed again', target USING ERRCODE = 'undefined_object';
    END IF;
    EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', r.trigger, target);
    EXECUTE pg_catalog.format('ALTER TABLE %s DROP COLUMN %I', target, r.signature);
END
$$;
