-- clean-up: the overview of a table

-- The reason why a row is a copy, in words, as an SQL expression.
CREATE FUNCTION neardup_internal.why(alias text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.format(
        'CASE %1$s.measure WHEN ''identical'' THEN ''identical'' WHEN ''simhash'' THEN pg_catalog.format(''%%s bits apart'', %1$s.value) '
        'ELSE pg_catalog.format(''%%s, %%s %%s'', %1$s.verdict, %1$s.measure, pg_catalog.round(CAST(%1$s.value AS numeric), 2)) END', alias);

CREATE FUNCTION neardup.report(
    target regclass,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    verify text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    top integer DEFAULT 10
) RETURNS TABLE (item text, name text, value double precision)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_nestloop = off SET enable_hashagg = off SET enable_memoize = off SET jit = off AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    keys name[] := neardup_internal.key_columns(target);
BEGIN
    IF top < 0 THEN
        RAISE EXCEPTION 'top must be 0 or more: %', top USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN QUERY EXECUTE format(
        'WITH copies AS MATERIALIZED (SELECT concat_ws('', '', %s) AS stays, c.group_size, '
        'CASE c.measure WHEN ''facts'' THEN c.verdict WHEN ''simhash'' THEN format(''%%s bits apart'', c.value) ELSE c.measure END AS verdict FROM (%s) c), '
        'counted AS MATERIALIZED (SELECT count(*) AS n, count(t.%I) AS documents FROM %s t), '
        'groups AS MATERIALIZED (SELECT c.stays, max(c.group_size) AS size FROM copies c GROUP BY c.stays) '
        'SELECT ''rows'', NULL, r.n::double precision FROM counted r '
        'UNION ALL SELECT ''documents'', NULL, r.documents FROM counted r '
        'UNION ALL SELECT ''groups'', NULL, count(*) FROM groups '
        'UNION ALL SELECT ''duplicates'', NULL, count(*) FROM copies '
        'UNION ALL SELECT ''share'', NULL, coalesce(round((SELECT count(*) FROM copies)::numeric / nullif(r.n, 0)::numeric, 4), 0) FROM counted r '
        'UNION ALL SELECT ''verdict'', v.verdict, v.n FROM (SELECT c.verdict, count(*) AS n FROM copies c GROUP BY 1 ORDER BY 2 DESC, 1) v '
        'UNION ALL SELECT ''largest group'', g.stays, g.size FROM (SELECT * FROM groups ORDER BY size DESC, stays LIMIT %s) g',
        neardup_internal.each('c.r%2$s', keys),
        neardup_internal.copies_query(guarded, neardup_internal.chosen(guarded, 'oldest', NULL, NULL, NULL, NULL, NULL, verify, NULL, max_distance, NULL, threshold)),
        guarded.document, target, coalesce(top, 10));
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
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_nestloop = off SET enable_hashagg = off SET enable_memoize = off SET jit = off AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    choice neardup_internal.choice;
    keys name[] := neardup_internal.key_columns(target);
    shown jsonb;
    overview jsonb;
BEGIN
    IF samples IS NULL OR samples NOT BETWEEN 0 AND 100 THEN
        RAISE EXCEPTION 'samples must be between 0 and 100: %', samples USING ERRCODE = 'invalid_parameter_value';
    END IF;
    choice := neardup_internal.chosen(guarded, 'oldest', NULL, NULL, NULL, NULL, NULL, verify, NULL, max_distance, NULL, threshold);
    -- The largest groups, each with its least certain copy, where mistakes are likeliest.
    EXECUTE format(
        'SELECT jsonb_agg(jsonb_build_object(''stays'', concat_ws('', '', %1$s), ''copy'', concat_ws('', '', %2$s), '
        '''said'', format(''%%s, group of %%s'', %3$s, c.group_size), ''stays_text'', %4$s, ''copy_text'', %5$s) ORDER BY c.group_size DESC, %1$s) '
        'FROM (SELECT f.* FROM (SELECT DISTINCT ON (%1$s) c.* FROM (%6$s) c '
        'ORDER BY %1$s, CASE c.measure WHEN ''simhash'' THEN -c.value WHEN ''identical'' THEN 2 ELSE c.value END, %2$s) f '
        'ORDER BY f.group_size DESC, %7$s LIMIT %8$s) c JOIN %9$s r ON %10$s JOIN %9$s t ON %11$s',
        neardup_internal.each('c.r%2$s', keys), neardup_internal.each('c.k%2$s', keys), neardup_internal.why('c'),
        neardup_internal.document_of(guarded, 'r'), neardup_internal.document_of(guarded, 't'), neardup_internal.copies_query(guarded, choice),
        neardup_internal.each('f.r%2$s', keys), samples, target,
        neardup_internal.equal(target, keys, 'r.%1$I', 'c.r%2$s'), neardup_internal.equal(target, keys, 't.%1$I', 'c.k%2$s')) INTO shown;
    SELECT jsonb_build_object(
               'title', format('Near-duplicates in %s, column %s', target, guarded.document),
               'numbers', jsonb_agg(jsonb_build_array(r.item, r.value::text)) FILTER (WHERE r.name IS NULL)
                   || jsonb_build_array(jsonb_build_array('method', guarded.method), jsonb_build_array('analyzer', guarded.analyzer),
                                        jsonb_build_array('verify', choice.verify))
                   || CASE guarded.method WHEN 'simhash' THEN jsonb_build_array(jsonb_build_array('within distance', choice.distance::text)) ELSE '[]' END,
               'largest', coalesce(jsonb_agg(jsonb_build_array(r.name, r.value)) FILTER (WHERE r.item = 'largest group'), '[]'),
               'verdicts', coalesce(jsonb_agg(jsonb_build_array(r.name, r.value)) FILTER (WHERE r.item = 'verdict'), '[]'),
               'samples', coalesce(shown, '[]'))
        INTO overview FROM neardup.report(target, document, max_distance, verify, threshold) r;
    RETURN neardup_internal.render_report(overview::text);
END
$$;
