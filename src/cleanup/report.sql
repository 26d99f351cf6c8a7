-- clean-up: the overview of a table

CREATE FUNCTION neardup_internal.render_report(report text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100000 AS 'MODULE_PATHNAME', 'neardup_render_report_wrapper';
COMMENT ON FUNCTION neardup_internal.render_report(text) IS 'renders the page of neardup.report_html from its data as JSON';

CREATE FUNCTION neardup.report(
    target regclass,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    verify text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    top integer DEFAULT 10
) RETURNS TABLE (item text, name text, value double precision)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    arguments jsonb := jsonb_build_object('target', target::oid::bigint, 'document', document, 'max_distance', max_distance,
        'verify', verify, 'threshold', threshold);
    settings jsonb := neardup_internal.list_settings(arguments);
    rows bigint;
    documents bigint;
BEGIN
    IF top < 0 THEN
        RAISE EXCEPTION 'top must be 0 or more: %', top USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('SELECT count(*), count(t.%I) FROM %s t', settings ->> 'document', target) INTO rows, documents;
    RETURN QUERY
        WITH copies AS MATERIALIZED (
            SELECT neardup_internal.key_text(c.stays) AS stays, c.group_size,
                   CASE c.measure WHEN 'facts' THEN c.verdict WHEN 'simhash' THEN format('%s bits apart', c.value)
                                  ELSE c.measure END AS verdict
            FROM neardup_internal.copies(arguments) c
        ), groups AS MATERIALIZED (
            SELECT c.stays, max(c.group_size) AS size FROM copies c GROUP BY c.stays
        )
        SELECT 'rows', NULL, rows::double precision
        UNION ALL SELECT 'documents', NULL, documents
        UNION ALL SELECT 'groups', NULL, count(*) FROM groups
        UNION ALL SELECT 'duplicates', NULL, count(*) FROM copies
        UNION ALL SELECT 'share', NULL, coalesce(round((SELECT count(*) FROM copies)::numeric / nullif(rows, 0)::numeric, 4), 0)
        UNION ALL SELECT 'verdict', v.verdict, v.n FROM (
            SELECT c.verdict, count(*) AS n FROM copies c GROUP BY 1 ORDER BY 2 DESC, 1) v
        UNION ALL SELECT 'largest group', g.stays, g.size FROM (
            SELECT * FROM groups ORDER BY size DESC, stays LIMIT coalesce(top, 10)) g;
END
$$;

-- The largest groups, each with its least certain copy, where mistakes are likeliest.
CREATE FUNCTION neardup_internal.samples(arguments jsonb, samples integer) RETURNS jsonb
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    c record;
    goes_text text;
    stays_text text;
    found jsonb := '[]';
BEGIN
    FOR c IN
        SELECT f.* FROM (
            SELECT DISTINCT ON (l.stays) l.* FROM neardup_internal.copies(arguments) l
            ORDER BY l.stays, CASE l.measure WHEN 'simhash' THEN -l.value WHEN 'identical' THEN 2 ELSE l.value END, l.key) f
        ORDER BY f.group_size DESC, f.stays LIMIT greatest(samples, 0)
    LOOP
        EXECUTE neardup_internal.document_statement(arguments) INTO goes_text USING c.key;
        EXECUTE neardup_internal.document_statement(arguments) INTO stays_text USING c.stays;
        found := found || jsonb_build_object('stays', neardup_internal.key_text(c.stays), 'copy', neardup_internal.key_text(c.key),
            'said', format('%s, group of %s', neardup_internal.reason(c.verdict, c.measure, c.value), c.group_size),
            'stays_text', stays_text, 'copy_text', goes_text);
    END LOOP;
    RETURN found;
END
$$;

-- The questions that are not answered yet, each with the statements that answer it; none for who may not read them.
CREATE FUNCTION neardup_internal.open_questions(target regclass, document name) RETURNS jsonb
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    answers regclass := neardup_internal.shown_answers(target);
    keys text[];
    found jsonb;
BEGIN
    IF answers IS NULL THEN
        RETURN '[]';
    END IF;
    EXECUTE format('SELECT array_agg(DISTINCT k.key) FROM ONLY %s a CROSS JOIN LATERAL (VALUES (a.key), (a.other)) k(key) '
        'WHERE a.document = $1 AND a.is_copy IS NULL', answers) INTO keys USING document;
    EXECUTE format(
        'WITH q AS MATERIALIZED (SELECT a.key, a.other FROM ONLY %1$s a WHERE a.is_copy IS NULL AND a.document = $3), r AS MATERIALIZED (%2$s) '
        'SELECT jsonb_agg(jsonb_build_object(''key'', q.key, ''other'', q.other, ''text'', k.document, ''other_text'', o.document, ''answers'', '
        '           jsonb_build_array(format(''SELECT neardup.answer(%%L, %%L, %%L, true);'', $2, q.key, q.other), '
        '                             format(''SELECT neardup.answer(%%L, %%L, %%L, false);'', $2, q.key, q.other))) ORDER BY q.key, q.other) '
        'FROM q JOIN r k ON k.asked = q.key JOIN r o ON o.asked = q.other',
        answers, neardup_internal.answered_rows(target, document))
        INTO found USING keys, target, document;
    RETURN coalesce(found, '[]');
END
$$;

CREATE FUNCTION neardup.report_html(
    target regclass,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    verify text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    samples integer DEFAULT 5
) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    arguments jsonb := jsonb_build_object('target', target::oid::bigint, 'document', document, 'max_distance', max_distance,
        'verify', verify, 'threshold', threshold);
    settings jsonb := neardup_internal.list_settings(arguments);
    overview jsonb;
BEGIN
    IF samples IS NULL OR samples NOT BETWEEN 0 AND 100 THEN
        RAISE EXCEPTION 'samples must be between 0 and 100: %', samples USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT jsonb_build_object(
               'title', format('Near-duplicates in %s, column %s', target, settings ->> 'document'),
               'numbers', jsonb_agg(jsonb_build_array(r.item, r.value::text)) FILTER (WHERE r.name IS NULL)
                   || jsonb_build_array(
                          jsonb_build_array('method', settings -> 'method'),
                          jsonb_build_array('analyzer', settings -> 'analyzer'),
                          jsonb_build_array('verify', settings -> 'verify'))
                   || CASE settings ->> 'method' WHEN 'simhash'
                          THEN jsonb_build_array(jsonb_build_array('within distance', settings ->> 'distance')) ELSE '[]' END,
               'largest', coalesce(jsonb_agg(jsonb_build_array(r.name, r.value)) FILTER (WHERE r.item = 'largest group'), '[]'),
               'verdicts', coalesce(jsonb_agg(jsonb_build_array(r.name, r.value)) FILTER (WHERE r.item = 'verdict'), '[]'),
               'samples', neardup_internal.samples(arguments, samples),
               'questions', neardup_internal.open_questions(target, (settings ->> 'document')::name))
        INTO overview FROM neardup.report(target, document, max_distance, verify, threshold) r;
    RETURN neardup_internal.render_report(overview::text);
END
$$;

COMMENT ON FUNCTION neardup.report(regclass, name, integer, text, double precision, integer) IS 'overview of the copies in a guarded table: rows, documents, groups, duplicates, share, copies by verdict, the top largest groups. threshold: the least score (verify facts or a profile, 0.05 to 1) or the least overlap or cosine (0 to 1); default: that of the guard';
COMMENT ON FUNCTION neardup.report_html(regclass, name, integer, text, double precision, integer) IS 'overview of the copies in a guarded table as one self-contained HTML page, with bars, sample pairs (0 to 100) and the open questions of neardup.questions side by side. threshold: the least score (verify facts or a profile, 0.05 to 1) or the least overlap or cosine (0 to 1); default: that of the guard';
COMMENT ON FUNCTION neardup_internal.open_questions(regclass, name) IS 'the questions on a table that are not answered yet, with both texts and the statements that answer them';
COMMENT ON FUNCTION neardup_internal.samples(jsonb, integer) IS 'the largest groups of a list, each with its least certain copy and both texts';
