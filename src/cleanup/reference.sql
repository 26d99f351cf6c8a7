-- clean-up: foreign keys that point at a table, its partitions or the tables it is a partition of; and the operators by which they compare,
-- the referenced column on the left

CREATE FUNCTION neardup_internal.foreign_keys(
    target regclass, OUT name name, OUT source regclass, OUT columns name[], OUT target_columns name[], OUT operators text[]
) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.conname, c.conrelid::regclass,
           (SELECT pg_catalog.array_agg(a.attname ORDER BY k.place) FROM pg_catalog.unnest(c.conkey) WITH ORDINALITY k(number, place)
                JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number),
           (SELECT pg_catalog.array_agg(a.attname ORDER BY k.place) FROM pg_catalog.unnest(c.confkey) WITH ORDINALITY k(number, place)
                JOIN pg_catalog.pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.number),
           (SELECT pg_catalog.array_agg(pg_catalog.format('OPERATOR(%I.%s)', n.nspname, o.oprname) ORDER BY k.place)
            FROM pg_catalog.unnest(c.conpfeqop) WITH ORDINALITY k(operator, place)
                JOIN pg_catalog.pg_operator o ON o.oid = k.operator
                JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace)
    FROM pg_catalog.pg_constraint c
    WHERE c.contype = 'f' AND c.conparentid = 0
          AND (c.confrelid = target
               OR c.confrelid IN (SELECT t.relid FROM pg_catalog.pg_partition_tree(target) t)
               OR c.confrelid IN (SELECT t.relid FROM pg_catalog.pg_partition_ancestors(target) t))
    ORDER BY c.conrelid::regclass::text, c.conname;
END;

COMMENT ON FUNCTION neardup_internal.foreign_keys(regclass) IS 'foreign keys that reference a table, its partitions or the tables it is a partition of';
