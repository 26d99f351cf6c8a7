-- insert_or_match: inserts rows, and says of each what became of it. RETURNING returns nothing for a row that a trigger leaves out.

CREATE FUNCTION neardup_internal.expect_match(target regclass) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'expect_match_wrapper';

CREATE FUNCTION neardup_internal.take_match(target regclass, OUT action text, OUT duplicate_of text, OUT measure text, OUT value double precision)
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'take_match_wrapper';

CREATE FUNCTION neardup.insert_or_match(target regclass, rows jsonb)
    RETURNS TABLE (place bigint, key text, duplicate_of text, action text, measure text, value double precision)
    LANGUAGE plpgsql VOLATILE STRICT AS $$
#variable_conflict use_variable
DECLARE
    root regclass := coalesce(pg_catalog.pg_partition_root(target), target);
    keys text;
    named text;
    record jsonb;
    broken text;
    -- Qualified, because a type of Postgres may have the table's name.
    qualified text := (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c
                       JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
                       WHERE c.oid OPERATOR(pg_catalog.=) target::pg_catalog.oid);
BEGIN
    PERFORM neardup_internal.check_path();
    SELECT pg_catalog.string_agg(pg_catalog.format('pg_catalog.concat(t.%I)', k.name), ', ' ORDER BY k.place) INTO keys
    FROM pg_catalog.unnest(neardup_internal.key_columns(root)) WITH ORDINALITY k(name, place);
    IF keys IS NULL THEN
        RAISE EXCEPTION 'table % has no primary key', target USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    FOR place, record IN
        SELECT e.ordinality, e.value
        FROM pg_catalog.jsonb_array_elements(CASE pg_catalog.jsonb_typeof(rows) WHEN 'array' THEN rows
                                                  ELSE pg_catalog.jsonb_build_array(rows) END) WITH ORDINALITY e
    LOOP
        IF pg_catalog.jsonb_typeof(record) <> 'object' THEN
            RAISE EXCEPTION 'row % is not a JSON object: %', place, pg_catalog.left(record::pg_catalog.text, 100) USING ERRCODE = 'invalid_parameter_value';
        END IF;
        SELECT pg_catalog.string_agg(pg_catalog.quote_ident(n.name), ', ') INTO named FROM pg_catalog.jsonb_object_keys(record) n(name);
        PERFORM neardup_internal.expect_match(root);
        key := NULL;
        BEGIN
            IF named IS NULL THEN
                EXECUTE pg_catalog.format('INSERT INTO %s AS t DEFAULT VALUES RETURNING neardup_internal.key_text(ARRAY[%s])', qualified, keys) INTO key;
            ELSE
                EXECUTE pg_catalog.format('INSERT INTO %1$s AS t (%2$s) SELECT %2$s FROM pg_catalog.jsonb_populate_record(NULL::%1$s, $1) '
                    'RETURNING neardup_internal.key_text(ARRAY[%3$s])', qualified, named, keys) INTO key USING record;
            END IF;
            SELECT m.action, m.duplicate_of, m.measure, m.value INTO action, duplicate_of, measure, value
            FROM neardup_internal.take_match(root) m;
            action := coalesce(action, CASE WHEN key IS NOT NULL THEN 'insert' END);
        EXCEPTION WHEN unique_violation THEN
            GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
            SELECT m.action, m.duplicate_of, m.measure, m.value INTO action, duplicate_of, measure, value
            FROM neardup_internal.take_match(root) m;
            -- Otherwise it is a unique index that refuses the row. The guard's constraint is its trigger.
            IF NOT pg_catalog.starts_with(broken, 'zz_neardup_') OR action IS DISTINCT FROM 'reject' THEN
                RAISE;
            END IF;
        END;
        RETURN NEXT;
    END LOOP;
END
$$;

COMMENT ON FUNCTION neardup.insert_or_match(regclass, jsonb) IS 'inserts rows, given as a JSON object or an array of them, and says what became of each: key of the stored row, key of the row that it duplicates, and the action of the guard; a refusal is a row of the result, not an error: SELECT * FROM neardup.insert_or_match(''articles'', ''[{"body": "..."}]'')';
COMMENT ON FUNCTION neardup_internal.expect_match(regclass) IS 'makes the guards of a table note what they do with the rows of the statement that follows, not with those of its triggers';
COMMENT ON FUNCTION neardup_internal.take_match(regclass) IS 'what the guards of a table did with a near-duplicate of the current user''s since expect_match; NULLs if nothing';
