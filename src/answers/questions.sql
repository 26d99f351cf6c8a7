-- questions: pairs that are worth an answer
--
-- Half of them are drawn at random, from what a clean-up would remove, from what is only named and from what is just below: they measure. The
-- other half is chosen among the least certain ones by what an answer would teach of all of them. Pairs with the same letters and digits, in their titles too, are not asked about. Questions lie in the table of answers until they are answered or others are drawn.

CREATE FUNCTION neardup_internal.teaching(numbers double precision[], pairs double precision[], answered double precision[], n integer) RETURNS integer[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100000 AS 'MODULE_PATHNAME', 'teaching_wrapper';

-- Chooses n of the questions that were drawn: those at random first, then what teaches most.
CREATE FUNCTION neardup_internal.choose_questions(guarded neardup.protected, drawn jsonb, n integer) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    arguments jsonb := jsonb_build_object('target', (guarded).target::oid::bigint, 'document', (guarded).document);
    -- Pairs that are looked at for each question, and at most.
    looked_at CONSTANT integer := 10;
    most CONSTANT integer := 500;
    wanted integer := greatest(n - (SELECT count(*) FROM jsonb_array_elements(drawn) q WHERE q -> 'stratum' <> 'null'), 0);
    answered double precision[];
    chosen jsonb;
BEGIN
    EXECUTE format(
        'SELECT array_agg(n.number ORDER BY a.key COLLATE "C", a.other COLLATE "C", a.at, n.place) '
        'FROM (SELECT * FROM ONLY %s WHERE is_copy IS NOT NULL AND numbers IS NOT NULL AND ctid = ANY ($1) ORDER BY at DESC, key, other LIMIT $2) a '
        '     CROSS JOIN LATERAL unnest(a.numbers) WITH ORDINALITY n(number, place)', neardup_internal.answers_table((guarded).target))
        INTO answered USING ARRAY(SELECT t.place FROM neardup_internal.taught(guarded) t), most;
    WITH q AS MATERIALIZED (
        SELECT q.*, row_number() OVER (PARTITION BY q.stratum IS NULL ORDER BY abs(q.score - 0.5::double precision), q.lot) AS nth
        FROM jsonb_to_recordset(drawn) q(key text, other text, score double precision, stratum text, pairs double precision, stands double precision, lot bigint)),
    m AS MATERIALIZED (
        SELECT q.stratum, q.nth, q.stands, neardup_internal.measured(arguments, ARRAY[q.key], ARRAY[q.other]) AS numbers
        FROM q WHERE wanted > 0 AND (q.stratum IS NOT NULL OR q.nth <= least(looked_at * wanted, most))),
    numbered AS (
        SELECT m.*, row_number() OVER (PARTITION BY m.stratum IS NULL ORDER BY m.nth) AS place FROM m WHERE m.numbers IS NOT NULL),
    each AS (
        SELECT e.stratum IS NULL AS is_open, e.place, v.number, v.at FROM numbered e CROSS JOIN LATERAL unnest(e.numbers) WITH ORDINALITY v(number, at)),
    teaching AS (
        SELECT t.place, t.rank FROM unnest(neardup_internal.teaching(
            coalesce((SELECT array_agg(e.number ORDER BY e.place, e.at) FROM each e WHERE e.is_open), '{}'),
            coalesce((SELECT array_agg(o.stands ORDER BY o.place) FROM numbered o WHERE o.stratum IS NULL), '{}'),
            coalesce((SELECT array_agg(e.number ORDER BY e.place, e.at) FROM each e WHERE NOT e.is_open), '{}') || coalesce(answered, '{}'),
            wanted)) WITH ORDINALITY t(place, rank)),
    ranked AS (
        SELECT q.*, row_number() OVER (PARTITION BY q.stratum IS NULL ORDER BY t.rank, q.nth) AS rank
        FROM q LEFT JOIN numbered o ON q.stratum IS NULL AND o.stratum IS NULL AND o.nth = q.nth LEFT JOIN teaching t ON t.place = o.place)
    SELECT jsonb_agg(to_jsonb(r) ORDER BY r.lot) INTO chosen
    FROM (SELECT ranked.key, ranked.other, ranked.score, ranked.stratum, ranked.pairs, ranked.lot FROM ranked
          WHERE ranked.stratum IS NOT NULL OR ranked.rank <= wanted) r;
    RETURN coalesce(chosen, '[]');
END
$$;

-- neardup.why says of each short text that it may have copies without a common key, which nobody has asked here.
CREATE FUNCTION neardup_internal.draw_questions(guarded neardup.protected, n integer, seed bigint) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp SET client_min_messages = warning
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    -- Rows whose candidates are looked at for pairs just below the bound.
    sampled CONSTANT integer := 100;
    arguments jsonb := jsonb_build_object('target', (guarded).target::oid::bigint, 'document', (guarded).document);
    keys text := (SELECT string_agg(format('concat(t.%I)', k.name), ', ' ORDER BY k.place)
                  FROM unnest(neardup_internal.key_columns((guarded).target)) WITH ORDINALITY k(name, place));
    drawn jsonb;
BEGIN
    EXECUTE format(
        'WITH answered AS MATERIALIZED (SELECT a.key, a.other FROM ONLY %4$s a JOIN unnest($9) t(place) ON t.place = a.ctid), '
        'listed AS MATERIALIZED ( '
        '    SELECT neardup_internal.key_text(c.key) AS key, neardup_internal.key_text(c.stays) AS other, c.value AS score '
        '    FROM neardup_internal.copies($1) c WHERE c.measure = ''facts'' AND c.value < 1), '
        'rows AS MATERIALIZED (SELECT neardup_internal.key_text(ARRAY[%1$s]) AS key FROM %2$s t WHERE t.%3$I IS NOT NULL), '
        'sampled AS MATERIALIZED (SELECT r.key FROM rows r ORDER BY hashtextextended(r.key, $4), r.key LIMIT $5), '
        'seen AS MATERIALIZED ( '
        '    SELECT least(s.key COLLATE "C", w.key) AS key, greatest(s.key COLLATE "C", w.key) AS other, w.score, w.outcome '
        '    FROM sampled s CROSS JOIN LATERAL neardup.why($2, key => s.key, document => $3) w '
        '    WHERE w.score >= 0.05 AND w.score < $6 AND w.key <> s.key), '
        -- Each pair is seen from either of its rows.
        'near AS ( '
        '    SELECT DISTINCT ON (s.key, s.other) s.key, s.other, s.score, '
        '           ((SELECT count(*) FROM seen) * (SELECT count(*) FROM rows))::double precision / greatest((SELECT count(*) FROM sampled), 1)::double precision / 2 AS pairs '
        '    FROM seen s WHERE s.outcome <> ''original'' ORDER BY s.key, s.other), '
        'strata AS ( '
        '    SELECT l.key, l.other, l.score, CASE WHEN l.score >= $7 THEN ''removed'' ELSE ''named'' END AS stratum, '
        '           (count(*) OVER (PARTITION BY l.score >= $7))::double precision AS pairs, 1::double precision AS stands FROM listed l '
        '    UNION ALL SELECT s.key, s.other, s.score, ''below'', s.pairs, s.pairs / (count(*) OVER ())::double precision FROM near s), '
        'numbered AS ( '
        '    SELECT s.*, hashtextextended(concat_ws('' '', s.key, s.other), $4) AS lot, row_number() OVER (PARTITION BY s.stratum ORDER BY hashtextextended(concat_ws('' '', s.key, s.other), $4), s.key, s.other) AS nth '
        '    FROM strata s WHERE NOT EXISTS ( '
        '        SELECT FROM answered a WHERE (a.key = s.key AND a.other = s.other OR a.key = s.other AND a.other = s.key))), '
        'at_random AS (SELECT d.* FROM numbered d WHERE d.nth <= ceil($8::double precision * CASE d.stratum WHEN ''named'' THEN 0.2 ELSE 0.15 END)), '
        -- Enough to choose from.
        'uncertain AS ( '
        '    SELECT d.* FROM numbered d WHERE NOT EXISTS (SELECT FROM at_random r WHERE r.key = d.key AND r.other = d.other) '
        '    ORDER BY abs(d.score - 0.5::double precision), d.lot LIMIT greatest($8, 500)) '
        'SELECT jsonb_agg(to_jsonb(q)) FROM ( '
        '    (SELECT r.key, r.other, r.score, r.stratum, r.pairs, r.stands, r.lot FROM at_random r ORDER BY r.nth, r.stratum LIMIT $8) '
        '    UNION ALL SELECT u.key, u.other, u.score, NULL, NULL, u.stands, u.lot FROM uncertain u) q',
        keys, (guarded).target, (guarded).document, neardup_internal.answers_table((guarded).target))
        INTO drawn USING arguments, (guarded).target, (guarded).document, seed, sampled,
            coalesce((guarded).threshold, 0.5), neardup_internal.cleanup_threshold(arguments), n, ARRAY(SELECT t.place FROM neardup_internal.taught(guarded) t);
    RETURN neardup_internal.choose_questions(guarded, coalesce(drawn, '[]'), n);
END
$$;

CREATE FUNCTION neardup.questions(target regclass, n integer DEFAULT 20, seed bigint DEFAULT 0, document name DEFAULT NULL)
    RETURNS TABLE (key text, other text, why text, score double precision, differs text[], text text, other_text text)
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
#variable_conflict use_column
DECLARE
    guarded neardup.protected := neardup_internal.only_guard(target, document);
    answers regclass;
    drawn jsonb;
    statement text;
BEGIN
    IF n IS NULL OR n NOT BETWEEN 1 AND 1000 OR seed IS NULL THEN
        RAISE EXCEPTION 'n must be between 1 and 1000, and seed a number' USING ERRCODE = 'invalid_parameter_value';
    ELSIF (guarded).verify IN ('none', 'overlap', 'cosine') THEN
        RAISE EXCEPTION 'questions require verdicts by facts, or by a profile' USING ERRCODE = 'feature_not_supported',
            DETAIL = format('The guard of %s has verify %s.', target, (guarded).verify);
    END IF;
    answers := neardup.keep_answers((guarded).target);
    EXECUTE format('DELETE FROM ONLY %s a WHERE a.is_copy IS NULL AND a.document = $1', answers) USING (guarded).document;
    drawn := neardup_internal.draw_questions(guarded, n, seed);
    statement := neardup_internal.answered_rows((guarded).target, (guarded).document);
    IF drawn = '[]' THEN
        RAISE NOTICE 'no questions are open on %', (guarded).target
            USING DETAIL = 'Pairs with the same words are not asked about: what tells them apart, if anything does, stands in another column.',
                  HINT = format('Name such a column: SELECT neardup.protect(%L, %L, differ => ''{...}''); or answer a pair by its keys with neardup.answer.',
                                (guarded).target, (guarded).document);
    END IF;
    EXECUTE format(
        'WITH r AS MATERIALIZED (%s) '
        'INSERT INTO %s (key, other, act, role, at, document, hash, other_hash, asked, stratum, pairs, score) '
        'SELECT k.key, o.key, ''question'', CURRENT_USER, now(), $3, k.hash, o.hash, now(), q.stratum, q.pairs, q.score '
        'FROM jsonb_to_recordset($2) q(key text, other text, stratum text, pairs double precision, score double precision) '
        '     JOIN r k ON k.asked = q.key JOIN r o ON o.asked = q.other', statement, answers)
        USING (SELECT array_agg(DISTINCT x.k) FROM jsonb_array_elements(drawn) q CROSS JOIN LATERAL (VALUES (q ->> 'key'), (q ->> 'other')) x(k)),
            drawn, (guarded).document;
    PERFORM neardup_internal.measure_answers((guarded).target, (guarded).document);
    RETURN QUERY EXECUTE format(
        'WITH r AS MATERIALIZED (%s) '
        'SELECT q.key, q.other, CASE q.stratum WHEN ''removed'' THEN ''at random: a clean-up would remove it'' WHEN ''named'' THEN ''at random: it is only named'' '
        '           WHEN ''below'' THEN ''at random: it is just below'' ELSE ''the answer teaches most'' END, q.score, '
        '       CASE WHEN btrim(k.title::text) <> btrim(o.title::text) THEN ARRAY[concat(''title: '', k.title, '' / '', o.title)] END '
        '           || ARRAY(SELECT concat(d.in_a, '' / '', d.in_b) FROM neardup_internal.whole_difference(k.document, o.document) d), k.document, o.document '
        'FROM jsonb_to_recordset($2) q(key text, other text, stratum text, score double precision, lot bigint) '
        '     JOIN r k ON k.asked = q.key JOIN r o ON o.asked = q.other ORDER BY q.lot', statement)
        USING (SELECT array_agg(DISTINCT x.k) FROM jsonb_array_elements(drawn) q CROSS JOIN LATERAL (VALUES (q ->> 'key'), (q ->> 'other')) x(k)),
            drawn;
END
$$;

COMMENT ON FUNCTION neardup_internal.teaching(double precision[], double precision[], double precision[], integer) IS 'chooses n pairs by what answers about them would teach, from what the verdict makes of each, how many pairs each stands for, and what it makes of pairs that are answered; returns their places';
COMMENT ON FUNCTION neardup_internal.choose_questions(neardup.protected, jsonb, integer) IS 'chooses n of the questions that were drawn: those at random first, then what teaches most';
COMMENT ON FUNCTION neardup_internal.draw_questions(neardup.protected, integer, bigint) IS 'draws pairs that are worth an answer: keys, score, the stratum that a random one stands for, and how many pairs that has';
COMMENT ON FUNCTION neardup.questions(regclass, integer, bigint, name) IS 'n pairs that are worth an answer, with both texts, all that differs, titles first, the score and why it is asked: half drawn at random from what would be removed, only named or just below, half chosen by what an answer teaches. The same seed draws the same pairs: SELECT * FROM neardup.questions(''articles'')';
