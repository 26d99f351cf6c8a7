-- learn: a correction of the model for one table, in the settings of its guard, where guard and list find it and dumps have it

CREATE FUNCTION neardup_internal.learned(numbers double precision[], copies boolean[])
    RETURNS TABLE (correction jsonb, before double precision, after double precision, error double precision, is_worse boolean)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 1 AS 'MODULE_PATHNAME', 'learned_wrapper';

CREATE FUNCTION neardup_internal.guard_correction(guarded neardup.protected) RETURNS jsonb
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT neardup_internal.guard_settings(t.tgargs, pg_catalog.cardinality(t.tgattr::smallint[]))::jsonb -> 'correction'
            FROM pg_catalog.pg_trigger t WHERE t.tgrelid = ((guarded).target)::oid AND t.tgname = (guarded).trigger);

-- Answers that were given before are about rows with another title and other columns, and teach nothing of these.
CREATE FUNCTION neardup_internal.answers_since(guarded neardup.protected) RETURNS timestamptz
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN coalesce((SELECT pg_catalog.to_timestamp((neardup_internal.guard_settings(t.tgargs, pg_catalog.cardinality(t.tgattr::smallint[]))::jsonb ->> 'answers_since')::double precision)
                     FROM pg_catalog.pg_trigger t WHERE t.tgrelid = ((guarded).target)::oid AND t.tgname = (guarded).trigger), '-infinity');

-- The answers that teach something of the rows as the guard compares them now: those that were given since, and of earlier ones those that hold. (Of
-- rows that are gone, nobody can say whether they would.)
CREATE FUNCTION neardup_internal.taught(guarded neardup.protected) RETURNS TABLE (place tid)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    kept regclass := neardup_internal.answers_table((guarded).target);
    since timestamptz := neardup_internal.answers_since(guarded);
    keys text[];
BEGIN
    IF kept IS NULL THEN
        RETURN;
    END IF;
    IF since > '-infinity' THEN
        EXECUTE format('SELECT array_agg(DISTINCT k.key) FROM ONLY %s a CROSS JOIN LATERAL (VALUES (a.key), (a.other)) k(key) '
            'WHERE a.document = $1 AND a.is_copy IS NOT NULL AND a.at < $2', kept) INTO keys USING (guarded).document, since;
    END IF;
    RETURN QUERY EXECUTE format(
        'WITH r AS MATERIALIZED (%2$s) '
        'SELECT a.ctid FROM ONLY %1$s a WHERE a.document = $2 AND a.is_copy IS NOT NULL AND (a.at >= $3 OR EXISTS ( '
        '    SELECT FROM r k JOIN r o ON o.asked = a.other AND o.hash = a.other_hash WHERE k.asked = a.key AND k.hash = a.hash))',
        kept, neardup_internal.answered_rows((guarded).target, (guarded).document)) USING keys, (guarded).document, since;
END
$$;

-- Gives a guard another correction, or none.
CREATE FUNCTION neardup_internal.set_correction(guarded neardup.protected, correction jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    settings jsonb;
    columns text[];
BEGIN
    PERFORM neardup_internal.keep_cleanups_out((guarded).target);
    SELECT neardup_internal.guard_settings(t.tgargs, cardinality(t.tgattr::smallint[]))::jsonb,
           (SELECT array_agg(a.attname::text ORDER BY u.place)
            FROM unnest(t.tgattr::smallint[]) WITH ORDINALITY u(number, place)
                 JOIN pg_attribute a ON a.attrelid = t.tgrelid AND a.attnum = u.number)
    INTO settings, columns FROM pg_trigger t WHERE t.tgrelid = (guarded).target::oid AND t.tgname = (guarded).trigger;
    settings := (settings - 'correction') || jsonb_strip_nulls(jsonb_build_object('correction', correction));
    PERFORM neardup_internal.drop_triggers(guarded);
    PERFORM neardup_internal.make_triggers((guarded).target, (guarded).trigger, columns, settings, (guarded).merge);
END
$$;

CREATE FUNCTION neardup.learn(target regclass, document name DEFAULT NULL)
    RETURNS TABLE (answers bigint, copies bigint, before double precision, after double precision, error double precision, changed boolean)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    -- The newest are learned from, as many as a correction may keep.
    most CONSTANT integer := 300;
    guarded neardup.protected := neardup_internal.only_guard(target, document);
    kept regclass := neardup_internal.answers_table((guarded).target);
    numbers double precision[];
    are_copies boolean[] := '{}';
    learned record;
BEGIN
    IF kept IS NOT NULL THEN
        PERFORM neardup_internal.measure_answers((guarded).target, (guarded).document, NULL, most);
        -- The order does not depend on where the rows lie.
        EXECUTE format(
            'WITH a AS MATERIALIZED ( '
            '    SELECT x.numbers, x.is_copy, row_number() OVER (ORDER BY x.key COLLATE "C", x.other COLLATE "C", x.at) AS nth '
            '    FROM (SELECT * FROM ONLY %s WHERE is_copy IS NOT NULL AND numbers IS NOT NULL AND ctid = ANY ($1) ORDER BY at DESC, key, other LIMIT $2) x) '
            'SELECT (SELECT array_agg(n.number ORDER BY a.nth, n.place) FROM a CROSS JOIN LATERAL unnest(a.numbers) WITH ORDINALITY n(number, place)), '
            '       (SELECT array_agg(a.is_copy ORDER BY a.nth) FROM a)', kept)
            INTO numbers, are_copies USING ARRAY(SELECT t.place FROM neardup_internal.taught(guarded) t), most;
    END IF;
    answers := coalesce(cardinality(are_copies), 0);
    copies := (SELECT count(*) FROM unnest(are_copies) c WHERE c);
    changed := false;
    IF answers > 0 THEN
        SELECT l.* INTO learned FROM neardup_internal.learned(numbers, are_copies) l;
        before := learned.before;
        after := learned.after;
        error := learned.error;
    END IF;
    IF before IS NULL THEN
        RAISE NOTICE 'there are too few answers to learn from: % copies and % others', copies, answers - copies
            USING HINT = format('Ten are needed: SELECT * FROM neardup.questions(%L);', (guarded).target);
    ELSIF learned.is_worse THEN
        RAISE NOTICE 'a correction would be worse than none, by the answers themselves; nothing has been changed';
    ELSE
        PERFORM neardup_internal.set_correction(guarded, learned.correction);
        changed := true;
    END IF;
    RETURN NEXT;
END
$$;

CREATE FUNCTION neardup.forget(target regclass, document name DEFAULT NULL) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    guarded neardup.protected := neardup_internal.only_guard(target, document);
BEGIN
    IF (guarded).learned IS NULL THEN
        RETURN false;
    END IF;
    PERFORM neardup_internal.set_correction(guarded, NULL);
    RETURN true;
END
$$;

COMMENT ON FUNCTION neardup_internal.learned(double precision[], boolean[]) IS 'a correction of the model from answers: its parts, what an answer costs before and after by cross-validation, the standard error of the difference, and whether that shows it to be worse than none';
COMMENT ON FUNCTION neardup_internal.guard_correction(neardup.protected) IS 'what a guard has learned from answers, one list of numbers for each; NULL if nothing';
COMMENT ON FUNCTION neardup_internal.answers_since(neardup.protected) IS 'since when answers are about rows with the title and the columns that the guard compares now';
COMMENT ON FUNCTION neardup_internal.taught(neardup.protected) IS 'the answers that teach something of the rows as the guard compares them now, by their places';
COMMENT ON FUNCTION neardup_internal.set_correction(neardup.protected, jsonb) IS 'gives a guard another correction, or none';
COMMENT ON FUNCTION neardup.learn(regclass, name) IS 'learns from the answers on a table: corrects the scores of its guard and of lists, unless cross-validation shows that to be worse. before and after: what an answer costs, the negative logarithm of the probability that it was given, with the standard error of the difference: SELECT * FROM neardup.learn(''articles'')';
COMMENT ON FUNCTION neardup.forget(regclass, name) IS 'takes back what neardup.learn has changed; false if there is nothing: SELECT neardup.forget(''articles'')';
