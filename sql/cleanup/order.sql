-- clean-up: an ORDER BY list; the first row of a group in that order stays

-- Parses "column", "column desc", "column asc nulls first": a name and a direction, never SQL.
CREATE FUNCTION neardup_internal.rank_order(target regclass, rank text[]) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry text;
    parts text[];
    list text := '';
BEGIN
    FOREACH entry IN ARRAY coalesce(rank, '{}') LOOP
        parts := pg_catalog.regexp_match(entry, '^\s*("([^"]|"")+"|[^\s"]+)(\s+(asc|desc))?(\s+nulls\s+(first|last))?\s*$', 'i');
        IF parts IS NULL THEN
            RAISE EXCEPTION 'rank must name columns, each with asc or desc if need be: "%"', entry
                USING ERRCODE = 'invalid_parameter_value', HINT = 'rank => ARRAY[''source_rank desc'', ''day'']';
        END IF;
        IF parts[1] LIKE '"%' THEN
            parts[1] := pg_catalog.replace(pg_catalog.substr(parts[1], 2, pg_catalog.length(parts[1]) - 2), '""', '"');
        END IF;
        PERFORM neardup_internal.column_type(target, parts[1]::name);
        list := list || pg_catalog.format('t.%I %s NULLS %s, ', parts[1], pg_catalog.upper(coalesce(parts[4], 'asc')),
                                          pg_catalog.upper(coalesce(parts[6], 'last')));
    END LOOP;
    RETURN list;
END
$$;

CREATE FUNCTION neardup_internal.keep_order(guarded neardup.protected, keep text, time_column name, rank text[]) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    by_rank text := neardup_internal.rank_order(guarded.target, rank);
    by_time text := '';
    by_keep text;
BEGIN
    IF time_column IS NOT NULL THEN
        PERFORM neardup_internal.column_type(guarded.target, time_column);
        by_time := pg_catalog.format('t.%I %s NULLS LAST, ', time_column, CASE keep WHEN 'newest' THEN 'DESC' ELSE 'ASC' END);
    END IF;
    by_keep := CASE keep
        WHEN 'oldest' THEN by_time
        WHEN 'newest' THEN by_time || neardup_internal.each('t.%1$I DESC, ', keys, '')
        WHEN 'longest' THEN pg_catalog.format('pg_catalog.length(%s) DESC, %s', neardup_internal.document_of(guarded, 't'), by_time)
        WHEN 'most_complete' THEN
            pg_catalog.format('%s, %s', neardup_internal.each('(t.%1$I IS NULL)::integer', neardup_internal.column_names(guarded.target), ' + '), by_time)
    END;
    IF by_keep IS NULL THEN
        RAISE EXCEPTION 'keep must be oldest, newest, longest or most_complete: %', keep USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN by_rank || by_keep || neardup_internal.each('t.%1$I', keys);
END
$$;
