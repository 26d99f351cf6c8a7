-- clean-up: the column that names the row a marked one duplicates: the guard's, where its action mark has one

CREATE FUNCTION neardup_internal.mark_column(document name) RETURNS name
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN pg_catalog.octet_length(document::text) <= 50 THEN document::text
                ELSE 'document_' || pg_catalog.left(pg_catalog.md5(document::text), 12) END || '_duplicate_of';

CREATE FUNCTION neardup_internal.mark_of(guarded neardup.protected) RETURNS name
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(guarded.duplicate_of, neardup_internal.mark_column(guarded.document));

-- clean-up: the statements of one batch. Parameters: after, last (places in neardup_chosen), run_id, batch, columns of the run.

-- Distance, scope, times and texts once more, as both rows are now; `stays_hash` is that of the document of the row that stays.
CREATE FUNCTION neardup_internal.still_copies(guarded neardup.protected, choice neardup_internal.choice, stays_hash text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.concat_ws(' AND ',
        pg_catalog.format('@extschema@.hamming_distance(t.%1$I, r.%1$I) <= %2$s', guarded.signature, guarded.distance),
        (SELECT pg_catalog.string_agg(pg_catalog.format('(t.%1$I %2$s r.%1$I OR t.%1$I IS NULL AND r.%1$I IS NULL)',
                    s, neardup_internal.comparison(guarded.target, s)), ' AND ') FROM pg_catalog.unnest(choice.scope) s),
        CASE WHEN choice.within IS NOT NULL THEN pg_catalog.format('coalesce(pg_catalog.abs((%s)::numeric - (%s)::numeric) <= %s::numeric, true)',
            neardup_internal.moment(choice.timed, 't'), neardup_internal.moment(choice.timed, 'r'), neardup_internal.microseconds(choice.within)) END,
        CASE choice.verify WHEN 'facts' THEN pg_catalog.format(
            '%s = c.document_hash AND %s = c.stays_hash', neardup_internal.document_hash(guarded, 't'), stays_hash) END);

-- Where foreign keys point at the table, the rows are locked before anybody looks who refers to them.
CREATE FUNCTION neardup_internal.preparing_statements(guarded neardup.protected, choice neardup_internal.choice, on_reference text) RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    foreign_keys text[];
BEGIN
    SELECT pg_catalog.array_agg(CASE on_reference
               WHEN 'skip' THEN neardup_internal.skip_statement(guarded.target, k.name, k.source, k.columns, k.target_columns)
               ELSE neardup_internal.repoint_statement(guarded.target, k.name, k.source, k.columns, k.target_columns) END)
        INTO foreign_keys FROM neardup_internal.foreign_keys(guarded.target) k;
    IF foreign_keys IS NULL THEN
        RETURN '{}';
    END IF;
    RETURN pg_catalog.array_cat(ARRAY[
        pg_catalog.format(
            'SELECT FROM %1$s t WHERE EXISTS (SELECT FROM pg_temp.neardup_chosen c WHERE NOT c.chained AND c.place > $1 AND c.place <= $2 AND %3$s) '
            'ORDER BY %2$s FOR KEY SHARE',
            guarded.target, neardup_internal.each('t.%1$I', keys), neardup_internal.equal(guarded.target, keys, 't.%1$I', 'c.r%2$s')),
        pg_catalog.format(
            'SELECT FROM %1$s t WHERE EXISTS (SELECT FROM pg_temp.neardup_chosen c WHERE NOT c.chained AND c.place > $1 AND c.place <= $2 AND %3$s) '
            'ORDER BY %2$s FOR UPDATE',
            guarded.target, neardup_internal.each('t.%1$I', keys), neardup_internal.equal(guarded.target, keys, 't.%1$I', 'c.k%2$s')),
        pg_catalog.format(
            'UPDATE pg_temp.neardup_chosen c SET reason = ''changed meanwhile'' WHERE NOT c.chained AND c.place > $1 AND c.place <= $2 '
            'AND c.reason IS NULL AND NOT EXISTS (SELECT FROM %1$s t, %1$s r WHERE %2$s AND %3$s AND %4$s)',
            guarded.target, neardup_internal.equal(guarded.target, keys, 't.%1$I', 'c.k%2$s'),
            neardup_internal.equal(guarded.target, keys, 'r.%1$I', 'c.r%2$s'), neardup_internal.still_copies(guarded, choice, neardup_internal.document_hash(guarded, 'r')))
    ], foreign_keys);
END
$$;

-- Of a row that stays: what a copy is compared with once more.
CREATE FUNCTION neardup_internal.compared_columns(guarded neardup.protected, choice neardup_internal.choice) RETURNS name[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ARRAY(
        SELECT c.name FROM pg_catalog.unnest(guarded.signature || choice.scope || choice.timed) WITH ORDINALITY c(name, place)
        WHERE c.name IS NOT NULL GROUP BY c.name ORDER BY pg_catalog.min(c.place));

CREATE FUNCTION neardup_internal.removing_statement(guarded neardup.protected, choice neardup_internal.choice, action text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.format(
        'WITH chosen AS MATERIALIZED (SELECT c.*, %8$s FROM pg_temp.neardup_chosen c JOIN %1$s r ON %2$s
WHERE NOT c.chained AND c.reason IS NULL AND c.place > $1 AND c.place <= $2 FOR KEY SHARE OF r),
gone AS (%6$s CROSS JOIN LATERAL (SELECT %10$s) r WHERE %11$s AND %7$s
RETURNING pg_catalog.concat_ws('', '', %4$s) AS key, pg_catalog.concat_ws('', '', %3$s) AS duplicate_of, c.distance, c.verdict, %9$s AS record)
INSERT INTO neardup.removed (run_id, batch, key, duplicate_of, distance, verdict, columns, record)
SELECT $3, $4, g.key, g.duplicate_of, g.distance, g.verdict,
    (SELECT CASE WHEN n.columns OPERATOR(pg_catalog.=) $5 THEN NULL ELSE n.columns END FROM neardup_internal.column_names(%12$L) n(columns)), g.record
FROM gone g',
        guarded.target,
        neardup_internal.equal(guarded.target, neardup_internal.key_columns(guarded.target), 'r.%1$I', 'c.r%2$s'), neardup_internal.each('c.r%2$s', neardup_internal.key_columns(guarded.target)),
        neardup_internal.each('t.%1$I', neardup_internal.key_columns(guarded.target)), neardup_internal.each('c.k%2$s', neardup_internal.key_columns(guarded.target)),
        CASE action
            WHEN 'mark' THEN pg_catalog.format('UPDATE %s t SET %I = CAST(pg_catalog.concat_ws('', '', %s) AS %s) FROM chosen c',
                guarded.target, neardup_internal.mark_of(guarded), neardup_internal.each('c.r%2$s', neardup_internal.key_columns(guarded.target)),
                CASE WHEN neardup_internal.mark_of(guarded) = ANY (neardup_internal.column_names(guarded.target))
                     THEN neardup_internal.column_type(guarded.target, neardup_internal.mark_of(guarded)) ELSE 'text' END)
            ELSE pg_catalog.format('DELETE FROM %s t USING chosen c', guarded.target) END,
        neardup_internal.still_copies(guarded, choice, 'c.neardup_hash'),
        neardup_internal.each('r.%1$I AS neardup_%2$s', neardup_internal.compared_columns(guarded, choice))
            || CASE choice.verify WHEN 'facts' THEN ', ' || neardup_internal.document_hash(guarded, 'r') || ' AS neardup_hash' ELSE '' END,
        CASE action WHEN 'archive' THEN '(t.*)::pg_catalog.text' ELSE 'NULL::text' END,
        neardup_internal.each('c.neardup_%2$s AS %1$I', neardup_internal.compared_columns(guarded, choice)),
        neardup_internal.equal(guarded.target, neardup_internal.key_columns(guarded.target), 't.%1$I', 'c.k%2$s'), guarded.target);

-- clean-up: one batch; if a constraint is in the way of some of its rows, it goes row by row, and those stay.
-- The settings make a record's text the same for whoever removes and whoever restores.

CREATE FUNCTION neardup_internal.remove_batch(
    preparing text[], removing text, after bigint, last bigint, run_id bigint, batch integer, target regclass,
    OUT removed bigint, OUT repointed bigint
)
    LANGUAGE plpgsql VOLATILE
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    statement text;
    columns name[] := (SELECT r.columns FROM neardup.runs r WHERE r.run_id = remove_batch.run_id);
    affected bigint;
    first bigint;
BEGIN
    -- A deferred foreign key would speak up at the commit only, and take the whole batch with it.
    SET CONSTRAINTS ALL IMMEDIATE;
    removed := 0;
    repointed := 0;
    FOR step IN 0 .. last - after LOOP
        -- First all at once, then one by one.
        first := CASE step WHEN 0 THEN after ELSE after + step - 1 END;
        BEGIN
            affected := 0;
            FOREACH statement IN ARRAY preparing LOOP
                EXECUTE statement USING first, CASE step WHEN 0 THEN last ELSE first + 1 END, run_id, batch;
                IF statement LIKE 'WITH moved %' THEN
                    GET DIAGNOSTICS affected = ROW_COUNT;
                    repointed := repointed + affected;
                END IF;
            END LOOP;
            EXECUTE removing USING first, CASE step WHEN 0 THEN last ELSE first + 1 END, run_id, batch, columns;
            GET DIAGNOSTICS affected = ROW_COUNT;
            removed := removed + affected;
            IF step = 0 THEN
                RETURN;
            END IF;
        EXCEPTION WHEN integrity_constraint_violation THEN
            IF step = 0 THEN
                removed := 0;
                repointed := 0;
            ELSE
                EXECUTE neardup_internal.on_chosen('UPDATE pg_temp.neardup_chosen c SET reason = $1 WHERE c.place = $2') USING SQLERRM, first + 1;
            END IF;
        END;
    END LOOP;
END
$$;
