-- estimate: how often the verdict errs on a table, from the answers to questions that were drawn at random
--
-- Each such answer stands for as many pairs as its stratum has for each answer. Scores are those of the guard as it is now. An interval is
-- Wilson's of 90 in 100, for as many answers as equal weights would need.

CREATE FUNCTION neardup_internal.corrected_score(target regclass, document name, numbers double precision[]) RETURNS double precision
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'corrected_score_wrapper';

-- Answers to random questions, each with its score and with the pairs that it stands for.
CREATE FUNCTION neardup_internal.measuring_answers(target regclass, guarded name)
    RETURNS TABLE (is_copy boolean, score double precision, weight double precision)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    answers regclass := neardup_internal.answers_table(target);
BEGIN
    IF answers IS NOT NULL THEN
        RETURN QUERY EXECUTE format(
            'SELECT a.is_copy, neardup_internal.corrected_score($1, $2, a.numbers), '
            '       a.pairs / (count(*) OVER (PARTITION BY a.asked, a.stratum))::double precision '
            'FROM ONLY %s a WHERE a.is_copy IS NOT NULL AND a.stratum IS NOT NULL AND a.numbers IS NOT NULL AND a.ctid = ANY ($3) AND a.pairs BETWEEN 0 AND 1e15::double precision', answers)
            USING target, guarded, ARRAY(SELECT t.place FROM neardup.protected p CROSS JOIN LATERAL neardup_internal.taught(p) t
                                         WHERE p.target::oid = measuring_answers.target::oid AND p.document = guarded);
    END IF;
END
$$;

CREATE FUNCTION neardup_internal.wilson(share double precision, n double precision, OUT low double precision, OUT high double precision)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    -- Beyond twelve digits there is nothing but rounding: without a wrong answer, the interval begins at zero.
    SELECT pg_catalog.round((w.middle - w.half)::numeric, 12)::double precision, pg_catalog.round((w.middle + w.half)::numeric, 12)::double precision
    FROM (SELECT (c.share + c.z * c.z / (2::float8 * c.n)) / (1::float8 + c.z * c.z / c.n) AS middle,
                 c.z * pg_catalog.sqrt(c.share * (1::float8 - c.share) / c.n + c.z * c.z / (4::float8 * c.n * c.n)) / (1::float8 + c.z * c.z / c.n) AS half
          FROM (VALUES (1.645::float8, least(greatest(wilson.share, 0), 1), greatest(wilson.n, 1))) c(z, share, n)) w;
END;

CREATE FUNCTION neardup.estimate(target regclass, bears double precision DEFAULT 0.02, document name DEFAULT NULL)
    RETURNS TABLE (item text, share double precision, low double precision, high double precision, answers bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    guarded neardup.protected := neardup_internal.only_guard(target, document);
    named double precision := coalesce((guarded).threshold, 0.5);
    removed double precision := neardup_internal.cleanup_threshold(
        jsonb_build_object('target', (guarded).target::oid::bigint, 'document', (guarded).document));
BEGIN
    IF bears IS NULL OR NOT (bears > 0 AND bears < 1) THEN
        RAISE EXCEPTION 'bears must be between 0 and 1: %', bears USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN QUERY
        WITH a AS MATERIALIZED (
            SELECT m.* FROM neardup_internal.measuring_answers((guarded).target, (guarded).document) m WHERE m.score IS NOT NULL
        ), asked AS (
            SELECT 1 AS nth, 'wrong of removed' AS item, NOT a.is_copy AS is_hit, a.weight FROM a WHERE a.score >= removed
            UNION ALL SELECT 2, 'wrong of named', NOT a.is_copy, a.weight FROM a WHERE a.score >= named
            UNION ALL SELECT 3, 'missed', a.score < named, a.weight FROM a WHERE a.is_copy
        ), s AS (
            SELECT i.nth, i.item, sum(q.weight) FILTER (WHERE q.is_hit) / nullif(sum(q.weight), 0) AS some_share,
                   sum(q.weight) ^ 2 / nullif(sum(q.weight ^ 2), 0) AS n, count(q.item) AS answers
            FROM (VALUES (1, 'wrong of removed'), (2, 'wrong of named'), (3, 'missed')) i(nth, item) LEFT JOIN asked q ON q.nth = i.nth
            GROUP BY 1, 2
        ), x AS (
            SELECT s.nth, s.item, CASE WHEN s.answers > 0 THEN coalesce(s.some_share, 0) END AS share, s.n, s.answers FROM s
        ), t AS (
            -- What the scores promise counts as twenty answers.
            SELECT g.n::double precision / 100 AS threshold, count(*) AS answers,
                   (20 * sum(a.weight * (1 - a.score)) / sum(a.weight)
                    + sum(a.weight) ^ 2 / sum(a.weight ^ 2) * coalesce(sum(a.weight) FILTER (WHERE NOT a.is_copy), 0) / sum(a.weight))
                   / (20 + sum(a.weight) ^ 2 / sum(a.weight ^ 2)) AS wrong
            FROM generate_series((named * 100)::integer, 99) g(n) JOIN a ON a.score >= g.n::double precision / 100
            GROUP BY 1
        )
        SELECT x.item, x.share, w.low, w.high, x.answers
        FROM (SELECT x.*, 0 AS last FROM x) x LEFT JOIN LATERAL neardup_internal.wilson(x.share, x.n) w ON true
        UNION ALL
        (SELECT format('threshold for %s wrong of removed', bears), t.threshold, NULL, NULL, t.answers
         FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT * FROM t WHERE t.wrong <= bears ORDER BY t.threshold LIMIT 1) t ON true);
END
$$;

-- What a dry run says of errors, if there are enough answers.
CREATE FUNCTION neardup_internal.estimated_wrong(target regclass, document name, from_score double precision) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found record;
BEGIN
    IF neardup_internal.shown_answers(target) IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT count(*) AS n, sum(m.weight) ^ 2 / nullif(sum(m.weight ^ 2), 0) AS equal,
           coalesce(sum(m.weight) FILTER (WHERE NOT m.is_copy), 0) / nullif(sum(m.weight), 0) AS share
    INTO found FROM neardup_internal.measuring_answers(target, neardup_internal.answered_document(target, document)) m WHERE m.score >= from_score;
    IF found.n < 10 THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT format('By %s answers, %s of 100 such rows are no copies (%s to %s).', found.n, round((100 * found.share)::numeric, 1),
                round((100 * w.low)::numeric, 1), round((100 * w.high)::numeric, 1))
            FROM neardup_internal.wilson(found.share, found.equal) w);
END
$$;

COMMENT ON FUNCTION neardup_internal.measuring_answers(regclass, name) IS 'answers to questions that were drawn at random, each with its score and the number of pairs that it stands for';
COMMENT ON FUNCTION neardup_internal.wilson(double precision, double precision) IS 'Wilson''s interval of 90 in 100 for a share of n';
COMMENT ON FUNCTION neardup_internal.estimated_wrong(regclass, name, double precision) IS 'what answers say of the errors from a score on, as a sentence; NULL if there are too few';
COMMENT ON FUNCTION neardup_internal.corrected_score(regclass, name, double precision[]) IS 'the score of a pair with these numbers by the guard as it is now';
COMMENT ON FUNCTION neardup.estimate(regclass, double precision, name) IS 'how often the verdict errs on a table, from answers to random questions: wrong of removed, wrong of named, missed copies, each with an interval of 90 in 100 and the number of answers; and the least threshold from which the share of wrong removals is at most bears: SELECT * FROM neardup.estimate(''articles'')';
