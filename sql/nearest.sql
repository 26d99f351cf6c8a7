-- nearest: the radius grows until enough rows lie within it, so that the nearest are surely among them

CREATE FUNCTION neardup.nearest(target anyelement, signature_column name, signature simhash, n integer) RETURNS SETOF anyelement
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
AS $$
DECLARE
    relation regclass := (SELECT t.typrelid FROM pg_catalog.pg_type t WHERE t.oid = pg_catalog.pg_typeof(target));
    radius integer;
    found bigint;
BEGIN
    IF relation IS NULL OR relation = 0::pg_catalog.regclass THEN
        RAISE EXCEPTION 'target must be a row of a table, not %', pg_catalog.pg_typeof(target)
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Give NULL::articles for the table articles.';
    END IF;
    IF n IS NULL OR n < 0 THEN
        RAISE EXCEPTION 'n must be 0 or more: %', coalesce(n::text, 'NULL') USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF signature IS NULL OR n = 0 THEN
        RETURN;
    END IF;
    -- The radii at which the number of keys jumps.
    FOREACH radius IN ARRAY '{3,7,11}'::integer[] LOOP
        EXECUTE pg_catalog.format(
            'SELECT pg_catalog.count(*) FROM (SELECT FROM %s t WHERE @extschema@.simhash_within(t.%I, %L, %s) LIMIT $1) AS hit',
            relation, signature_column, signature, radius) INTO found USING n;
        IF found >= n THEN
            RETURN QUERY EXECUTE pg_catalog.format(
                'SELECT t.* FROM %1$s t WHERE @extschema@.simhash_within(t.%2$I, %3$L, %4$s) '
                'ORDER BY @extschema@.hamming_distance(t.%2$I, %3$L) LIMIT $1',
                relation, signature_column, signature, radius) USING n;
            RETURN;
        END IF;
    END LOOP;
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT t.* FROM %1$s t WHERE t.%2$I IS NOT NULL '
        'ORDER BY @extschema@.hamming_distance(t.%2$I, %3$L) LIMIT $1',
        relation, signature_column, signature) USING n;
END
$$;

CREATE FUNCTION neardup.hot_bands(target regclass, signature_column name DEFAULT NULL, n integer DEFAULT 20, bands integer DEFAULT 4)
    RETURNS TABLE (band integer, key integer, row_count bigint, share double precision, signatures bigint, most_common simhash)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    candidates name[];
BEGIN
    IF signature_column IS NULL THEN
        candidates := ARRAY(SELECT a.attname FROM pg_catalog.pg_attribute a
                            WHERE a.attrelid = target AND a.atttypid = '@extschema@.simhash'::pg_catalog.regtype AND NOT a.attisdropped ORDER BY a.attnum);
        IF pg_catalog.cardinality(candidates) <> 1 THEN
            RAISE EXCEPTION '% has % columns of type simhash', target, pg_catalog.cardinality(candidates)
                USING ERRCODE = 'invalid_parameter_value', HINT = 'Name the signature column.';
        END IF;
        signature_column := candidates[1];
    END IF;
    RETURN QUERY EXECUTE pg_catalog.format(
        'WITH key AS (SELECT t.%2$I AS signature, k.key, (k.band - 1)::integer AS band, pg_catalog.count(*) AS rows '
        '             FROM %1$s t, LATERAL pg_catalog.unnest(@extschema@.simhash_bands(t.%2$I, $1)) WITH ORDINALITY AS k(key, band) '
        '             GROUP BY 1, 2, 3) '
        'SELECT band, key, pg_catalog.sum(rows)::bigint, '
        '       pg_catalog.sum(rows)::double precision / (SELECT pg_catalog.count(t.%2$I) FROM %1$s t), pg_catalog.count(*), '
        '       (pg_catalog.array_agg(signature ORDER BY rows DESC, signature))[1] '
        'FROM key GROUP BY band, key ORDER BY 3 DESC, 1, 2 LIMIT $2',
        target, signature_column) USING bands, n;
END
$$;

COMMENT ON FUNCTION neardup.nearest(anyelement, name, simhash, integer) IS 'the n rows of a table nearest to a signature, nearest first; exact. By the GIN index on simhash_bands within distance 3, 7, then 11, whichever first holds n rows, else by a scan: neardup.nearest(NULL::articles, ''sig'', signature, 10)';
COMMENT ON FUNCTION neardup.hot_bands(regclass, name, integer, integer) IS 'the keys of simhash_bands that most rows share: how many rows, which share of all, how many different signatures, and the most common of those';
