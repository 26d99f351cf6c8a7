-- clean-up: the overview of a table

CREATE FUNCTION neardup.report(
    target regclass,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    verify text DEFAULT NULL,
    top integer DEFAULT 10
) RETURNS TABLE (item text, name text, value double precision)
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    keys name[] := neardup_internal.key_columns(target);
BEGIN
    IF top < 0 THEN
        RAISE EXCEPTION 'top must be 0 or more: %', top USING ERRCODE = 'invalid_parameter_value';
    END IF;
    guarded.distance := coalesce(max_distance, guarded.distance);
    RETURN QUERY EXECUTE pg_catalog.format('SELECT ''rows''::text, NULL::text, pg_catalog.count(*)::double precision FROM %s', target);
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT ''signed''::text, NULL::text, pg_catalog.count(t.%I)::double precision FROM %s t', guarded.signature, target);
    RETURN QUERY EXECUTE pg_catalog.format(
        'WITH copies AS MATERIALIZED (SELECT pg_catalog.concat_ws('', '', %s) AS stays, c.distance, c.group_size FROM (%s) c), '
        'groups AS MATERIALIZED (SELECT c.stays, pg_catalog.max(c.group_size) AS size FROM copies c GROUP BY c.stays) '
        'SELECT ''groups'', NULL, pg_catalog.count(*)::double precision FROM groups '
        'UNION ALL SELECT ''duplicates'', NULL, pg_catalog.count(*) FROM copies '
        'UNION ALL SELECT ''share'', NULL, coalesce(pg_catalog.round((SELECT pg_catalog.count(*) FROM copies)::numeric / nullif((SELECT pg_catalog.count(*) FROM %s), 0)::numeric, 4), 0) '
        'UNION ALL SELECT ''distance'', d.distance::text, d.n FROM (SELECT c.distance, pg_catalog.count(*) AS n FROM copies c GROUP BY 1 ORDER BY 1) d '
        'UNION ALL SELECT ''largest group'', g.stays, g.size FROM (SELECT * FROM groups ORDER BY size DESC, stays LIMIT %s) g',
        neardup_internal.each('c.r%2$s', keys),
        neardup_internal.copies_query(guarded, neardup_internal.chosen(guarded, 'oldest', NULL, NULL, NULL, NULL, NULL, verify, NULL)), target, coalesce(top, 10));
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT ''hottest band'', pg_catalog.format(''band %%s, bits %%s'', k.key >> 16, pg_catalog.lpad(pg_catalog.to_hex(k.key & 65535), 4, ''0'')), k.n::double precision '
        'FROM (SELECT b.key, pg_catalog.count(*) AS n FROM %s t CROSS JOIN LATERAL pg_catalog.unnest(@extschema@.simhash_bands(t.%I)) b(key) '
        'GROUP BY b.key ORDER BY n DESC, b.key LIMIT %s) k', target, guarded.signature, coalesce(top, 10));
END
$$;

CREATE FUNCTION neardup.report_html(
    target regclass,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    verify text DEFAULT NULL,
    samples integer DEFAULT 5
) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    keys name[] := neardup_internal.key_columns(target);
    shown jsonb;
    overview jsonb;
BEGIN
    IF samples IS NULL OR samples NOT BETWEEN 0 AND 100 THEN
        RAISE EXCEPTION 'samples must be between 0 and 100: %', samples USING ERRCODE = 'invalid_parameter_value';
    END IF;
    guarded.distance := coalesce(max_distance, guarded.distance);
    -- The largest groups, each with the copy that is furthest from the row that stays: where mistakes would be.
    EXECUTE pg_catalog.format(
        'SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(''stays'', pg_catalog.concat_ws('', '', %1$s), ''copy'', pg_catalog.concat_ws('', '', %2$s), '
        '''said'', pg_catalog.format(''%%sdistance %%s, group of %%s'', c.verdict || '', '', c.distance, c.group_size), '
        '''stays_text'', %3$s, ''copy_text'', %9$s) ORDER BY c.group_size DESC, %1$s) '
        'FROM (SELECT f.* FROM (SELECT DISTINCT ON (%1$s) c.* FROM (%4$s) c ORDER BY %1$s, c.distance DESC, %2$s) f '
        'ORDER BY f.group_size DESC, f.distance DESC LIMIT %5$s) c JOIN %6$s r ON %7$s JOIN %6$s t ON %8$s',
        neardup_internal.each('c.r%2$s', keys), neardup_internal.each('c.k%2$s', keys), neardup_internal.document_of(guarded, 'r'),
        neardup_internal.copies_query(guarded, neardup_internal.chosen(guarded, 'oldest', NULL, NULL, NULL, NULL, NULL, verify, NULL)), samples, target,
        neardup_internal.equal(target, keys, 'r.%1$I', 'c.r%2$s'), neardup_internal.equal(target, keys, 't.%1$I', 'c.k%2$s'),
        neardup_internal.document_of(guarded, 't')) INTO shown;
    SELECT pg_catalog.jsonb_build_object(
               'title', pg_catalog.format('Near-duplicates in %s, column %s', target, guarded.document),
               'numbers', pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(r.item, r.value::text)) FILTER (WHERE r.name IS NULL)
                   || pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_array('analyzer', guarded.analyzer),
                                                   pg_catalog.jsonb_build_array('within distance', guarded.distance::text)),
               'largest', coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(r.name, r.value)) FILTER (WHERE r.item = 'largest group'), '[]'),
               'distances', coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(r.name, r.value)) FILTER (WHERE r.item = 'distance'), '[]'),
               'bands', coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(r.name, r.value)) FILTER (WHERE r.item = 'hottest band'), '[]'),
               'samples', coalesce(shown, '[]'))
        INTO overview FROM neardup.report(target, document, max_distance, verify) r;
    RETURN neardup_internal.render_report(overview::text);
END
$$;
