-- nearest: the tables to look in, each with its indexes on rotated signatures, band by band; NULL where one is missing or cannot be relied on

CREATE FUNCTION neardup_internal.rotated_parts(target oid, signature text) RETURNS TABLE (part oid, indexes oid[])
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.oid,
           (SELECT pg_catalog.array_agg(i.indexrelid ORDER BY band)
            FROM pg_catalog.generate_series(0, 3) band
                 JOIN pg_catalog.pg_index i ON i.indexrelid = neardup_internal.rotated_index(c.oid, $2, band) AND NOT i.indcheckxmin
            WHERE c.relkind = 'r' AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhparent = c.oid))
    FROM pg_catalog.pg_class c
    WHERE (c.oid = $1 AND c.relkind <> 'p') OR c.oid IN (SELECT l.relid FROM pg_catalog.pg_partition_tree($1) l WHERE l.isleaf AND l.relid <> $1);
END;

-- nearest: the table whose row type an argument has

CREATE FUNCTION neardup_internal.table_of(kind regtype) RETURNS regclass
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    relation regclass := (SELECT nullif(t.typrelid, '0') FROM pg_catalog.pg_type t WHERE t.oid = kind::oid);
BEGIN
    IF relation IS NULL THEN
        RAISE EXCEPTION 'target must be a row of a table, not %', kind
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Give NULL::articles for the table articles.';
    END IF;
    RETURN relation;
END
$$;

-- nearest: the signature column must be one

CREATE FUNCTION neardup_internal.signature_columns(relation oid) RETURNS name[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attname ORDER BY a.attnum)
        FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
        WHERE a.attrelid = relation AND NOT a.attisdropped AND '@extschema@.simhash'::pg_catalog.regtype IN (t.oid, t.typbasetype)
    );

CREATE FUNCTION neardup_internal.check_signature(relation regclass, name name) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    signatures name[] := neardup_internal.signature_columns(relation);
BEGIN
    IF name = ANY (signatures) THEN
        RETURN;
    ELSIF name IS NULL THEN
        RAISE EXCEPTION 'signature_column must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    RAISE EXCEPTION 'column "%" of table % has type %, not simhash', name, relation, neardup_internal.column_type(relation, name)
        USING ERRCODE = 'datatype_mismatch', HINT = coalesce('Name a column of signatures: ' || neardup_internal.each('%1$I', signatures) || '.',
                                                             'The table has no column of signatures; neardup.protect adds one.');
END
$$;

-- nearest: the radius grows until enough rows lie within it; each step adds what is further away than the steps before it reach

CREATE FUNCTION neardup.nearest(target anyelement, signature_column name, signature simhash, n integer) RETURNS SETOF anyelement
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
AS $$
DECLARE
    relation regclass := neardup_internal.table_of(pg_catalog.pg_typeof(target));
    reached integer := -1;
    radius integer;
    found bigint;
BEGIN
    IF n IS NULL OR n < 0 THEN
        RAISE EXCEPTION 'n must be 0 or more: %', coalesce(n::text, 'NULL') USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF signature IS NULL OR n = 0 THEN
        RETURN;
    END IF;
    IF neardup_internal.is_rotated(relation, signature_column::text) THEN
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT t.* FROM neardup_internal.nearest_places(%L, %L, %L, 64, $1) p JOIN %s t ON t.ctid = p.place AND t.tableoid = p.part '
            'ORDER BY p.distance', relation::oid, signature_column, signature, relation) USING n;
        RETURN;
    END IF;
    PERFORM neardup_internal.check_signature(relation, signature_column);
    -- The radii at which the number of keys jumps.
    FOREACH radius IN ARRAY '{3,7,11}'::integer[] LOOP
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT t.* FROM %1$s t WHERE @extschema@.simhash_within(t.%2$I, %3$L::@extschema@.simhash, %4$s) AND NOT @extschema@.hamming_within(t.%2$I, %3$L::@extschema@.simhash, %5$s) '
            'ORDER BY @extschema@.hamming_distance(t.%2$I, %3$L::@extschema@.simhash) LIMIT $1',
            relation, signature_column, signature, radius, reached) USING n;
        GET DIAGNOSTICS found = ROW_COUNT;
        n := n - found;
        reached := radius;
        IF n = 0 THEN
            RETURN;
        END IF;
    END LOOP;
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT t.* FROM %1$s t WHERE NOT @extschema@.hamming_within(t.%2$I, %3$L::@extschema@.simhash, %4$s) '
        'ORDER BY @extschema@.hamming_distance(t.%2$I, %3$L::@extschema@.simhash) LIMIT $1',
        relation, signature_column, signature, reached) USING n;
END
$$;

CREATE FUNCTION neardup.near(target anyelement, signature_column name, signature simhash, distance integer, n integer DEFAULT NULL)
    RETURNS SETOF anyelement
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
AS $$
DECLARE
    relation regclass := neardup_internal.table_of(pg_catalog.pg_typeof(target));
BEGIN
    IF n < 0 THEN
        RAISE EXCEPTION 'n must be 0 or more: %', n USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF signature IS NULL OR distance IS NULL THEN
        RETURN;
    END IF;
    PERFORM @extschema@.simhash_probes(signature, distance); -- checks the distance
    IF neardup_internal.is_rotated(relation, signature_column::text) THEN
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT t.* FROM neardup_internal.nearest_places(%L, %L, %L, %s, $1) p JOIN %s t ON t.ctid = p.place AND t.tableoid = p.part '
            'ORDER BY p.distance', relation::oid, signature_column, signature, distance, relation) USING coalesce(n, 2147483647);
    ELSE
        PERFORM neardup_internal.check_signature(relation, signature_column);
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT t.* FROM %1$s t WHERE @extschema@.simhash_within(t.%2$I, %3$L::@extschema@.simhash, %4$s) '
            'ORDER BY @extschema@.hamming_distance(t.%2$I, %3$L::@extschema@.simhash) LIMIT $1',
            relation, signature_column, signature, distance) USING n;
    END IF;
END
$$;

CREATE FUNCTION neardup.exists_within(target regclass, signature_column name, signature simhash, distance integer) RETURNS boolean
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    found boolean;
BEGIN
    IF neardup_internal.is_rotated(target, signature_column::text) THEN
        RETURN neardup_internal.any_rotated_within(target, signature_column::text, signature, distance);
    END IF;
    PERFORM neardup_internal.check_signature(target, signature_column);
    EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM %s t WHERE @extschema@.simhash_within(t.%I, %L::@extschema@.simhash, %s))',
                              target, signature_column, signature, distance) INTO found;
    RETURN found;
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
        candidates := coalesce(neardup_internal.signature_columns(target), '{}');
        IF pg_catalog.cardinality(candidates) <> 1 THEN
            RAISE EXCEPTION '% has % columns of type simhash', target, pg_catalog.cardinality(candidates)
                USING ERRCODE = 'invalid_parameter_value', HINT = 'Name the signature column.';
        END IF;
        signature_column := candidates[1];
    END IF;
    PERFORM neardup_internal.check_signature(target, signature_column);
    PERFORM @extschema@.simhash_bands('0000000000000000'::@extschema@.simhash, bands); -- checks the number
    IF n < 0 THEN
        RAISE EXCEPTION 'n must be 0 or more: %', n USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN QUERY EXECUTE pg_catalog.format(
        'WITH key AS (SELECT t.%2$I::@extschema@.simhash AS signature, k.key, (k.band - 1)::integer AS band, pg_catalog.count(*) AS rows '
        '             FROM %1$s t, LATERAL pg_catalog.unnest(@extschema@.simhash_bands(t.%2$I, $1)) WITH ORDINALITY AS k(key, band) '
        '             GROUP BY 1, 2, 3) '
        'SELECT band, key, pg_catalog.sum(rows)::bigint, '
        '       pg_catalog.sum(rows)::double precision / (SELECT pg_catalog.count(t.%2$I) FROM %1$s t)::double precision, pg_catalog.count(*), '
        '       (pg_catalog.array_agg(signature ORDER BY rows DESC, signature))[1] '
        'FROM key GROUP BY band, key ORDER BY 3 DESC, 1, 2 LIMIT $2',
        target, signature_column) USING bands, n;
END
$$;

COMMENT ON FUNCTION neardup_internal.rotated_parts(oid, text) IS 'a table, or its partitions, with the indexes on rotated signatures, band by band';
COMMENT ON FUNCTION neardup_internal.table_of(regtype) IS 'the table whose rows are of a type';
COMMENT ON FUNCTION neardup_internal.check_signature(regclass, name) IS 'an error unless a column is one of signatures';
COMMENT ON FUNCTION neardup_internal.signature_columns(oid) IS 'columns of a table that hold signatures';
COMMENT ON FUNCTION neardup_internal.is_rotated(oid, text) IS 'whether neardup.near and its kin may look by indexes on simhash_rotated: all are there, and the user may read every row';
COMMENT ON FUNCTION neardup_internal.nearest_places(oid, text, simhash, integer, bigint) IS 'where the nearest rows stand, by indexes on simhash_rotated';
COMMENT ON FUNCTION neardup_internal.any_rotated_within(oid, text, simhash, integer) IS 'whether any row is within a distance, by indexes on simhash_rotated';
COMMENT ON FUNCTION neardup.nearest(anyelement, name, simhash, integer) IS 'the n rows of a table nearest to a signature, nearest first; exact. By the B-tree indexes on simhash_rotated, which a guard makes, else by the GIN index on simhash_bands and at last by a scan: neardup.nearest(NULL::articles, ''sig'', signature, 10)';
COMMENT ON FUNCTION neardup.near(anyelement, name, simhash, integer, integer) IS 'the rows of a table within a distance, 0 to 11, of a signature, nearest first, at most n; exact. By the B-tree indexes on simhash_rotated, else by the GIN index on simhash_bands: neardup.near(NULL::articles, ''sig'', signature, 3)';
COMMENT ON FUNCTION neardup.exists_within(regclass, name, simhash, integer) IS 'whether a table has a row within a distance, 0 to 11, of a signature. With the B-tree indexes on simhash_rotated, which a guard makes, it ends at the first such row, and equal ones are looked for first: neardup.exists_within(''articles'', ''sig'', signature, 3)';
COMMENT ON FUNCTION neardup.hot_bands(regclass, name, integer, integer) IS 'the keys of simhash_bands that most rows share: how many rows, which share of all, how many different signatures, and the most common of those';
