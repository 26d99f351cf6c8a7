-- clean-up: the column for the key of a marked row's original: the guard's, if its action is mark; for originals in another table, a
-- separate column

CREATE FUNCTION neardup_internal.mark_column(document name, ending text) RETURNS name
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN pg_catalog.octet_length(document::text) <= 50 THEN document::text
                ELSE 'document_' || pg_catalog.left(pg_catalog.md5(document::text), 12) END || ending;

CREATE FUNCTION neardup_internal.mark_of(guarded neardup.protected, choice neardup_internal.choice) RETURNS name
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN choice.against IS NULL THEN coalesce(guarded.duplicate_of, neardup_internal.mark_column(guarded.document, '_duplicate_of'))
                ELSE neardup_internal.mark_column(guarded.document, '_known_as') END;

-- clean-up: the table of the rows that stay, and whether they can be locked: in another table, only by a role that may update all of its
-- rows

CREATE FUNCTION neardup_internal.staying(guarded neardup.protected, choice neardup_internal.choice) RETURNS regclass
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(choice.against, guarded.target);

CREATE FUNCTION neardup_internal.can_lock(choice neardup_internal.choice) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN choice.against IS NULL
        OR pg_catalog.has_any_column_privilege(choice.against, 'UPDATE') AND NOT pg_catalog.row_security_active(choice.against);

-- clean-up: the statements of one batch. Parameters: after, last (places in neardup_chosen), run_id, batch, columns of the run.

-- Compares texts, scope and times again, as both rows are now. An unchanged hash stands for a text that was judged; texts that were
-- called identical by their hashes alone are compared in full.
CREATE FUNCTION neardup_internal.still_copies(
    guarded neardup.protected, choice neardup_internal.choice, stays_hash text, stays_document text
) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.concat_ws(' AND ',
        pg_catalog.format('%s OPERATOR(pg_catalog.=) c.document_hash AND %s OPERATOR(pg_catalog.=) c.stays_hash',
            neardup_internal.document_hash(guarded, guarded.target, 't'), stays_hash),
        pg_catalog.format('(c.document_hash OPERATOR(pg_catalog.<>) c.stays_hash '
            'OR (%s) COLLATE pg_catalog."C" OPERATOR(pg_catalog.=) (%s) COLLATE pg_catalog."C")',
            neardup_internal.document_of(guarded, 't'), stays_document),
        (SELECT pg_catalog.string_agg(pg_catalog.format('(t.%1$I %2$s r.%1$I OR t.%1$I IS NULL AND r.%1$I IS NULL)',
                    s, neardup_internal.comparison(guarded.target, s)), ' AND ') FROM pg_catalog.unnest(choice.scope) s),
        CASE WHEN choice.within IS NOT NULL THEN neardup_internal.meet(
            neardup_internal.moment(choice.timed, 't'), neardup_internal.moment(choice.timed, 'r'), choice.within) END);

-- If foreign keys reference the table, the rows are locked before the references are read.
CREATE FUNCTION neardup_internal.locking_statements(guarded neardup.protected, choice neardup_internal.choice) RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    staying regclass := neardup_internal.staying(guarded, choice);
    staying_keys name[] := neardup_internal.key_columns(staying);
    locking text := 'SELECT FROM %1$s t WHERE EXISTS (SELECT FROM pg_temp.neardup_chosen c WHERE c.place > $1 AND c.place <= $2 AND %3$s) ORDER BY %2$s FOR %4$s';
BEGIN
    IF NOT EXISTS (SELECT FROM neardup_internal.foreign_keys(guarded.target)) THEN
        RETURN '{}';
    END IF;
    RETURN array_remove(ARRAY[
        CASE WHEN neardup_internal.can_lock(choice) THEN format(locking, staying, neardup_internal.each('t.%1$I', staying_keys),
            neardup_internal.equal(staying, staying_keys, 't.%1$I', 'c.r%2$s'), 'KEY SHARE') END,
        format(locking, guarded.target, neardup_internal.each('t.%1$I', keys), neardup_internal.equal(guarded.target, keys, 't.%1$I', 'c.k%2$s'), 'UPDATE'),
        format('UPDATE pg_temp.neardup_chosen c SET reason = ''changed meanwhile'' WHERE c.place > $1 AND c.place <= $2 '
               'AND c.reason IS NULL AND NOT EXISTS (SELECT FROM %s t, %s r WHERE %s AND %s AND %s)',
               guarded.target, staying, neardup_internal.equal(guarded.target, keys, 't.%1$I', 'c.k%2$s'),
               neardup_internal.equal(staying, staying_keys, 'r.%1$I', 'c.r%2$s'),
               neardup_internal.still_copies(guarded, choice, neardup_internal.document_hash(guarded, staying, 'r'), neardup_internal.document_in(guarded, staying, 'r')))], NULL);
END
$$;

-- The columns of a row that stays that a copy is compared with again, besides its document.
CREATE FUNCTION neardup_internal.compared_columns(choice neardup_internal.choice) RETURNS name[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY(
        SELECT c.name FROM pg_catalog.unnest(choice.scope || choice.timed) WITH ORDINALITY c(name, place)
        WHERE c.name IS NOT NULL GROUP BY c.name ORDER BY pg_catalog.min(c.place));

-- A row that stays is read once, however many copies it has.
CREATE FUNCTION neardup_internal.removing_statement(guarded neardup.protected, choice neardup_internal.choice, action text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    compared name[] := neardup_internal.compared_columns(choice);
    mark name := neardup_internal.mark_of(guarded, choice);
    staying regclass := neardup_internal.staying(guarded, choice);
    staying_keys name[] := neardup_internal.key_columns(staying);
    stays text := format('concat_ws('', '', %s)', neardup_internal.each('c.r%2$s', staying_keys));
BEGIN
    RETURN format('WITH chosen AS MATERIALIZED (SELECT %s FROM pg_temp.neardup_chosen c JOIN %s r ON %s '
                  'WHERE c.reason IS NULL AND c.place > $1 AND c.place <= $2%s), ',
            concat_ws(', ', 'c.*', neardup_internal.each('r.%1$I AS neardup_%2$s', compared), neardup_internal.document_hash(guarded, staying, 'r') || ' AS neardup_hash',
                format('CASE WHEN c.document_hash OPERATOR(pg_catalog.=) c.stays_hash THEN %s END AS neardup_document', neardup_internal.document_in(guarded, staying, 'r'))),
            staying, neardup_internal.equal(staying, staying_keys, 'r.%1$I', 'c.r%2$s'), CASE WHEN neardup_internal.can_lock(choice) THEN ' FOR KEY SHARE OF r' END)
        || format('gone AS (%s CROSS JOIN LATERAL (SELECT %s) r WHERE %s AND %s RETURNING pg_catalog.concat_ws('', '', %s) AS key, '
                  'pg_catalog.%s AS duplicate_of, c.verdict, c.measure, c.value, %s AS record) ',
            CASE action
                WHEN 'mark' THEN format('UPDATE %s t SET %I = CAST(pg_catalog.%s AS %s) FROM chosen c', guarded.target, mark, stays,
                    coalesce(neardup_internal.cast_type(guarded.target, mark), 'pg_catalog.text'))
                ELSE format('DELETE FROM %s t USING chosen c', guarded.target) END,
            neardup_internal.each('c.neardup_%2$s AS %1$I', compared), neardup_internal.equal(guarded.target, keys, 't.%1$I', 'c.k%2$s'),
            neardup_internal.still_copies(guarded, choice, 'c.neardup_hash', 'c.neardup_document'), neardup_internal.each('t.%1$I', keys), stays,
            CASE action WHEN 'archive' THEN 'CAST(t.* AS pg_catalog.text)' ELSE 'NULL::pg_catalog.text' END)
        || format('INSERT INTO neardup.removed (run_id, batch, key, duplicate_of, verdict, measure, value, columns, record) '
                  'SELECT $3, $4, g.key, g.duplicate_of, g.verdict, g.measure, g.value, (SELECT CASE WHEN n.columns OPERATOR(pg_catalog.=) $5 THEN NULL ELSE n.columns END '
                  'FROM neardup_internal.column_names(%L) n(columns)), g.record FROM gone g', guarded.target);
END
$$;

-- clean-up: runs one batch; if a constraint prevents the removal of some rows, it goes row by row, and those stay. The settings make the
-- text of a record the same for the role that removes and the role that restores. The path is the user's: their triggers run here.

CREATE FUNCTION neardup_internal.remove_batch(
    preparing text[], repointing text[], removing text, after bigint, last bigint, run_id bigint, batch integer,
    OUT removed bigint, OUT repointed bigint
)
    LANGUAGE plpgsql VOLATILE
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
DECLARE
    statement pg_catalog.text;
    columns pg_catalog.name[] := (SELECT r.columns FROM neardup.runs r WHERE r.run_id = remove_batch.run_id);
    affected bigint;
    first bigint;
    until bigint;
BEGIN
    -- A deferred foreign key would fail only at the commit, and undo the whole batch.
    SET CONSTRAINTS ALL IMMEDIATE;
    removed := 0;
    repointed := 0;
    FOR step IN 0 .. last - after LOOP
        -- First all at once, then one by one.
        first := CASE step WHEN 0 THEN after ELSE after + step - 1 END;
        until := CASE step WHEN 0 THEN last ELSE first + 1 END;
        BEGIN
            FOREACH statement IN ARRAY preparing LOOP
                EXECUTE statement USING first, until, run_id, batch;
            END LOOP;
            FOREACH statement IN ARRAY repointing LOOP
                EXECUTE statement USING first, until, run_id, batch;
                GET DIAGNOSTICS affected = ROW_COUNT;
                repointed := repointed + affected;
            END LOOP;
            EXECUTE removing USING first, until, run_id, batch, columns;
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
