-- nearest: the table whose row type an argument has

CREATE FUNCTION neardup_internal.table_of(kind regtype) RETURNS regclass
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    relation pg_catalog.regclass := (SELECT nullif(t.typrelid, '0') FROM pg_catalog.pg_type t WHERE t.oid = kind::pg_catalog.oid);
BEGIN
    IF relation IS NULL THEN
        RAISE EXCEPTION 'target must be a row of a table, not %', kind
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Give NULL::articles for the table articles.';
    END IF;
    RETURN relation;
END
$$;

-- nearest: checks that the column holds signatures

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
    signatures pg_catalog.name[] := neardup_internal.signature_columns(relation);
    type pg_catalog.text;
BEGIN
    IF name = ANY (signatures) THEN
        RETURN;
    ELSIF name IS NULL THEN
        RAISE EXCEPTION 'signature_column must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT pg_catalog.format_type(a.atttypid, a.atttypmod) INTO type FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = relation::pg_catalog.oid AND a.attname = name AND a.attnum > 0 AND NOT a.attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', name, relation USING ERRCODE = 'undefined_column';
    END IF;
    RAISE EXCEPTION 'column "%" of table % has type %, not simhash', name, relation, type
        USING ERRCODE = 'datatype_mismatch', HINT = coalesce('Name a column of signatures: ' || (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(s::pg_catalog.text), ', ') FROM pg_catalog.unnest(signatures) s) || '.',
                                                             'The table has no column of signatures: ALTER TABLE ... ADD COLUMN sig simhash GENERATED ALWAYS AS (simhash(body)) STORED;');
END
$$;

-- nearest: increases the radius until enough rows are within it; each step adds only the rows that the previous radius did not reach

CREATE FUNCTION neardup.nearest(target anyelement, signature_column name, signature simhash, n integer) RETURNS SETOF anyelement
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
AS $$
DECLARE
    relation pg_catalog.regclass := neardup_internal.table_of(pg_catalog.pg_typeof(target));
    reached integer := -1;
    radius integer;
    found bigint;
BEGIN
    IF n IS NULL OR n < 0 THEN
        RAISE EXCEPTION 'n must be 0 or more: %', coalesce(n::pg_catalog.text, 'NULL') USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF signature IS NULL OR n = 0 THEN
        RETURN;
    END IF;
    PERFORM neardup_internal.check_signature(relation, signature_column);
    -- The radii at which the number of keys jumps.
    FOREACH radius IN ARRAY '{3,7,11}'::integer[] LOOP
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT t.* FROM %1$s t WHERE @extschema@.simhash_within(t.%2$I, %3$L::@extschema@.simhash, %4$s) AND @extschema@.hamming_distance(t.%2$I, %3$L::@extschema@.simhash) OPERATOR(pg_catalog.>) %5$s '
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
        'SELECT t.* FROM %1$s t WHERE @extschema@.hamming_distance(t.%2$I, %3$L::@extschema@.simhash) OPERATOR(pg_catalog.>) %4$s '
        'ORDER BY @extschema@.hamming_distance(t.%2$I, %3$L::@extschema@.simhash) LIMIT $1',
        relation, signature_column, signature, reached) USING n;
END
$$;

COMMENT ON FUNCTION neardup_internal.table_of(regtype) IS 'the table with this row type';
COMMENT ON FUNCTION neardup_internal.check_signature(regclass, name) IS 'raises an error unless a column holds signatures';
COMMENT ON FUNCTION neardup_internal.signature_columns(oid) IS 'columns of a table that hold signatures';
COMMENT ON FUNCTION neardup.nearest(anyelement, name, simhash, integer) IS 'the n rows of a table nearest to a signature, nearest first; exact. Uses an index that serves simhash_within; reads the whole table only if fewer than n rows are within distance 11: neardup.nearest(NULL::articles, ''sig'', signature, 10)';
