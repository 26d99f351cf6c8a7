-- clean-up: foreign keys that point at a table, its partitions or the tables it is a partition of

CREATE FUNCTION neardup_internal.foreign_keys(target regclass, OUT name name, OUT source regclass, OUT columns name[], OUT target_columns name[])
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.conname, c.conrelid::regclass,
           (SELECT pg_catalog.array_agg(a.attname ORDER BY k.place) FROM pg_catalog.unnest(c.conkey) WITH ORDINALITY k(number, place)
                JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number),
           (SELECT pg_catalog.array_agg(a.attname ORDER BY k.place) FROM pg_catalog.unnest(c.confkey) WITH ORDINALITY k(number, place)
                JOIN pg_catalog.pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.number)
    FROM pg_catalog.pg_constraint c
    WHERE c.contype = 'f' AND c.conparentid = 0
          AND (c.confrelid = target
               OR c.confrelid IN (SELECT t.relid FROM pg_catalog.pg_partition_tree(target) t)
               OR c.confrelid IN (SELECT t.relid FROM pg_catalog.pg_partition_ancestors(target) t))
    ORDER BY c.conrelid::regclass::text, c.conname;
END;

-- clean-up: whether row f of a foreign key's table refers to row t, by the operators of the constraint

CREATE FUNCTION neardup_internal.refers(name name, source regclass) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.string_agg(pg_catalog.format('t.%I OPERATOR(%I.%s) f.%I', t.attname, n.nspname, o.oprname, f.attname), ' AND ' ORDER BY k.place)
        FROM pg_catalog.pg_constraint c
             CROSS JOIN LATERAL ROWS FROM (pg_catalog.unnest(c.confkey), pg_catalog.unnest(c.conkey), pg_catalog.unnest(c.conpfeqop))
                 WITH ORDINALITY k(theirs, mine, operator, place)
             JOIN pg_catalog.pg_attribute t ON t.attrelid = c.confrelid AND t.attnum = k.theirs
             JOIN pg_catalog.pg_attribute f ON f.attrelid = c.conrelid AND f.attnum = k.mine
             JOIN pg_catalog.pg_operator o ON o.oid = k.operator
             JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
        WHERE c.conrelid = source AND c.conname = name AND c.contype = 'f'
    );

-- clean-up: a statement for each foreign key, run before the rows in places $1 to $2 of neardup_chosen are removed. It has the same
-- parameters as the removing statement: after, last, run_id, batch.

CREATE FUNCTION neardup_internal.skip_statement(target regclass, name name, source regclass, columns name[], target_columns name[]) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.format(
        'UPDATE pg_temp.neardup_chosen c SET reason = %1$L FROM %2$s t '
        'WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND %3$s '
        'AND EXISTS (SELECT FROM %4$s f WHERE %5$s AND NOT (f.tableoid = t.tableoid AND f.ctid = t.ctid))',
        pg_catalog.format('foreign key "%s" of table %s refers to it', name, source), target,
        neardup_internal.equal(target, neardup_internal.key_columns(target), 't.%1$I', 'c.k%2$s'), source, neardup_internal.refers(name, source));

CREATE FUNCTION neardup_internal.repoint_statement(target regclass, name name, source regclass, columns name[], target_columns name[]) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.format(
        'WITH moved AS (UPDATE %1$s f SET %2$s FROM pg_temp.neardup_chosen c, %3$s t, %3$s r '
        'WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND %4$s AND %5$s AND %6$s '
        'RETURNING ARRAY[%7$s] AS key, ARRAY[%8$s] AS old_values, ARRAY[%9$s] AS new_values) '
        'INSERT INTO neardup.repointed (run_id, batch, source, columns, target_columns, key_columns, key, old_values, new_values) '
        'SELECT $3, $4, %10$L::pg_catalog.regclass, %11$L::pg_catalog.name[], %12$L::pg_catalog.name[], %13$L::pg_catalog.name[], m.key, m.old_values, m.new_values FROM moved m',
        source,
        (SELECT pg_catalog.string_agg(pg_catalog.format('%I = r.%I', p.mine, p.theirs), ', ' ORDER BY p.place)
         FROM ROWS FROM (pg_catalog.unnest(columns), pg_catalog.unnest(target_columns)) WITH ORDINALITY p(mine, theirs, place)),
        target, neardup_internal.equal(target, neardup_internal.key_columns(target), 't.%1$I', 'c.k%2$s'),
        neardup_internal.equal(target, neardup_internal.key_columns(target), 'r.%1$I', 'c.r%2$s'), neardup_internal.refers(name, source),
        coalesce(neardup_internal.each('CAST(f.%1$I AS pg_catalog.text)', neardup_internal.key_columns(source)), 'CAST(f.* AS pg_catalog.text)'),
        neardup_internal.each('CAST(t.%1$I AS pg_catalog.text)', target_columns), neardup_internal.each('CAST(r.%1$I AS pg_catalog.text)', target_columns),
        source, columns, target_columns, neardup_internal.key_columns(source));

-- clean-up: the same for all foreign keys of a table

CREATE FUNCTION neardup_internal.skip_statements(target regclass) RETURNS text[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    RETURN ARRAY(SELECT neardup_internal.skip_statement(target, k.name, k.source, k.columns, k.target_columns) FROM neardup_internal.foreign_keys(target) k);

CREATE FUNCTION neardup_internal.repoint_statements(target regclass) RETURNS text[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    RETURN ARRAY(SELECT neardup_internal.repoint_statement(target, k.name, k.source, k.columns, k.target_columns) FROM neardup_internal.foreign_keys(target) k);

-- clean-up: how many of the chosen rows each foreign key references, for a dry run

CREATE FUNCTION neardup_internal.tell_of_references(target regclass, on_reference text) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    k pg_catalog.record;
    referred bigint;
BEGIN
    FOR k IN SELECT * FROM neardup_internal.foreign_keys(target) LOOP
        EXECUTE neardup_internal.on_chosen(pg_catalog.format(
            'SELECT pg_catalog.count(*) FROM pg_temp.neardup_chosen c JOIN %s t ON %s '
            'WHERE EXISTS (SELECT FROM %s f WHERE %s AND NOT (f.tableoid = t.tableoid AND f.ctid = t.ctid))',
            target, neardup_internal.equal(target, neardup_internal.key_columns(target), 't.%1$I', 'c.k%2$s'), k.source,
            neardup_internal.refers(k.name, k.source))) INTO referred;
        IF referred > 0 THEN
            RAISE NOTICE '% of them are referred to by foreign key "%" of table % and would %', referred, k.name, k.source,
                CASE on_reference WHEN 'skip' THEN 'stay' ELSE 'go, once the references point to the row that stays' END;
        END IF;
    END LOOP;
END
$$;
