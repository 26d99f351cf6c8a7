-- guard: the trigger function

CREATE FUNCTION neardup.guard() RETURNS trigger LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'neardup_guard';

-- guard: what is guarded, read from the triggers themselves, so that renames, dumps and restores need no upkeep

CREATE VIEW neardup.protected AS
SELECT t.tgrelid::regclass AS target,
       c.names[1] AS document,
       c.names[2] AS signature,
       (g.settings ->> 'distance')::integer AS distance,
       g.settings ->> 'on_duplicate' AS on_duplicate,
       g.settings ->> 'analyzer' AS analyzer,
       t.tgenabled <> 'D' AS enabled,
       t.tgname AS trigger,
       coalesce(g.settings ->> 'verify', 'none') AS verify,
       (g.settings ->> 'similarity')::double precision AS similarity,
       c.names[1:1] || c.names[3:2 + g.columns] AS columns,
       g.settings ->> 'expression' AS expression,
       c.names[3 + g.columns:2 + g.columns + g.scope] AS scope,
       CASE WHEN g.age THEN c.names[3 + g.columns + g.scope] END AS age,
       (g.settings ->> 'within')::interval AS within,
       CASE WHEN g.marks THEN c.names[pg_catalog.cardinality(c.names)] END AS duplicate_of,
       g.settings ->> 'divert' AS diverted_to,
       coalesce((g.settings ->> 'log')::boolean, false) AS log,
       (g.settings ->> 'since')::timestamptz AS since,
       coalesce(g.settings ->> 'method', 'simhash') AS method,
       (g.settings ->> 'bands')::integer AS bands,
       (g.settings ->> 'rows')::integer AS rows
FROM pg_catalog.pg_trigger t
     CROSS JOIN LATERAL (
         SELECT s AS settings,
                coalesce((s ->> 'columns')::integer, 0) AS columns,
                coalesce((s ->> 'scope')::integer, 0) AS scope,
                coalesce((s ->> 'age')::boolean, false) AS age,
                coalesce((s ->> 'marks')::boolean, false) AS marks
         FROM (SELECT pg_catalog.convert_from(pg_catalog.substr(t.tgargs, 1, pg_catalog.length(t.tgargs) - 1), 'UTF8')::jsonb AS s) a
     ) g
     CROSS JOIN LATERAL (
         SELECT pg_catalog.array_agg(a.attname ORDER BY n.place) AS names
         FROM pg_catalog.unnest(t.tgattr::smallint[]) WITH ORDINALITY n(number, place)
              JOIN pg_catalog.pg_attribute a ON a.attrelid = t.tgrelid AND a.attnum = n.number
     ) c
WHERE t.tgfoid = 'neardup.guard'::regproc AND t.tgparentid = 0 AND t.tgnargs = 1 AND pg_catalog.cardinality(c.names) >= 2;

GRANT SELECT ON neardup.protected TO public;

-- guard: the primary key of a table, as a list of columns and as one text value

CREATE FUNCTION neardup_internal.key_columns(target regclass) RETURNS name[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attname ORDER BY k.place)
        FROM pg_catalog.pg_index i
             CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY k(number, place)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
        WHERE i.indrelid = target AND i.indisprimary AND k.place <= i.indnkeyatts
    );

CREATE FUNCTION neardup_internal.key_expression(target regclass, alias text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.format('pg_catalog.concat_ws('', '', %s)',
                   pg_catalog.string_agg(pg_catalog.format('%I.%I', alias, k.name), ', ' ORDER BY k.place))
        FROM pg_catalog.unnest(neardup_internal.key_columns(target)) WITH ORDINALITY k(name, place)
    );

-- guard: columns of a table by their names

CREATE FUNCTION neardup_internal.column_numbers(target oid, names text[]) RETURNS smallint[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attnum ORDER BY n.place)
        FROM pg_catalog.unnest(names) WITH ORDINALITY n(name, place)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = target AND a.attname::text = n.name AND NOT a.attisdropped
    );

-- guard: the sequence that counts what a guard does: it belongs to the document column and is named after the action

CREATE FUNCTION neardup_internal.guard_counter(guarded neardup.protected, action text) RETURNS oid
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT c.oid
        FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_class c ON c.oid = d.objid
             JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a' AND c.relkind = 'S'
          AND d.refobjid = (guarded).target AND a.attname = (guarded).document
          AND c.relname ~ ('_' || action || '(_[0-9]+)?$')
        ORDER BY c.oid LIMIT 1
    );

-- guard: the end of the index expression of a guard by minhash or overlap: its arguments behind the column

CREATE FUNCTION neardup_internal.index_key(guarded neardup.protected) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE (guarded).method
               WHEN 'minhash' THEN pg_catalog.format(', %s, %s)', (guarded).bands, (guarded).rows)
               WHEN 'overlap' THEN pg_catalog.format(', %L::double precision)', (guarded).similarity)
           END;

-- guard: what the trigger needs to know of its table

CREATE FUNCTION neardup_internal.guard_target(
    trigger oid,
    OUT root oid, OUT target oid, OUT owner oid, OUT signature_type oid, OUT document smallint, OUT name text, OUT keys text[],
    OUT columns text[], OUT within bigint, OUT diverted text, OUT logger oid, OUT counter oid, OUT expression oid
) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE up AS (
        SELECT t.oid, t.tgparentid FROM pg_catalog.pg_trigger t WHERE t.oid = trigger
        UNION ALL
        SELECT t.oid, t.tgparentid FROM up JOIN pg_catalog.pg_trigger t ON t.oid = up.tgparentid
    )
    SELECT t.oid, c.oid, c.relowner,
           CASE p.method WHEN 'simhash' THEN 'simhash'::regtype WHEN 'minhash' THEN 'minhash'::regtype ELSE 'integer[]'::regtype END,
           t.tgattr[0], c.relname, neardup_internal.key_columns(c.oid)::text[],
           (SELECT pg_catalog.array_agg(a.attname ORDER BY n.place)
            FROM pg_catalog.unnest(t.tgattr::smallint[]) WITH ORDINALITY n(number, place)
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = n.number),
           pg_catalog.round(EXTRACT(epoch FROM p.within) * 1000000)::bigint,
           (SELECT pg_catalog.format(
                       'INSERT INTO %I.%I (document, record, duplicate_of, measure, value) '
                       'VALUES (%L, pg_catalog.to_jsonb($1) OPERATOR(pg_catalog.-) %L::text, $2, $3, $4)',
                       dn.nspname, dc.relname, p.document, p.signature)
            FROM pg_catalog.pg_class dc JOIN pg_catalog.pg_namespace dn ON dn.oid = dc.relnamespace
            WHERE dc.oid = pg_catalog.to_regclass(p.diverted_to)),
           (SELECT v.relowner FROM pg_catalog.pg_class v WHERE v.oid = pg_catalog.to_regclass('neardup.verdicts')),
           neardup_internal.guard_counter(p, p.on_duplicate),
           (SELECT f.oid FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_namespace fn ON fn.oid = f.pronamespace
            WHERE pg_catalog.format('%I.%I', fn.nspname, f.proname) = p.expression AND f.pronargs = 1
              AND f.proargtypes[0] = c.reltype AND f.prorettype = 'text'::regtype)
    FROM up
         JOIN pg_catalog.pg_trigger t ON t.oid = up.oid AND t.tgparentid = 0
         JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
         JOIN neardup.protected p ON p.target = c.oid AND p.trigger = t.tgname;
END;

-- guard: an index on the rotated signatures of a table

CREATE FUNCTION neardup_internal.rotated_index(relation oid, signature text, band integer) RETURNS oid
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT i.indexrelid
        FROM pg_catalog.pg_index i
             JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
             JOIN pg_catalog.pg_am m ON m.oid = c.relam
             JOIN pg_catalog.pg_depend f ON f.classid = 'pg_class'::regclass AND f.objid = i.indexrelid
                  AND f.refclassid = 'pg_proc'::regclass AND f.refobjid = 'simhash_rotated(simhash, integer)'::regprocedure
             JOIN pg_catalog.pg_depend s ON s.classid = 'pg_class'::regclass AND s.objid = i.indexrelid
                  AND s.refclassid = 'pg_class'::regclass AND s.refobjid = i.indrelid
             JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = s.refobjsubid AND a.attname::text = signature
        WHERE i.indrelid = relation AND i.indisvalid AND i.indnatts = 1 AND i.indpred IS NULL AND m.amname = 'btree'
          AND pg_catalog.pg_get_indexdef(i.indexrelid, 1, true) ~ (', ' || band || '\)$')
        ORDER BY i.indexrelid LIMIT 1
    );

-- guard: a GIN index on the signatures of a table, whose expression ends so

CREATE FUNCTION neardup_internal.key_index(relation oid, signature text, ending text) RETURNS oid
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT i.indexrelid
        FROM pg_catalog.pg_index i
             JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
             JOIN pg_catalog.pg_am m ON m.oid = c.relam
             JOIN pg_catalog.pg_depend s ON s.classid = 'pg_class'::regclass AND s.objid = i.indexrelid
                  AND s.refclassid = 'pg_class'::regclass AND s.refobjid = i.indrelid
             JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = s.refobjsubid AND a.attname::text = signature
        WHERE i.indrelid = relation AND i.indisvalid AND i.indnatts = 1 AND i.indpred IS NULL AND m.amname = 'gin'
          AND pg_catalog.right(pg_catalog.pg_get_indexdef(i.indexrelid, 1, true), pg_catalog.length(ending)) = ending
        ORDER BY i.indexrelid LIMIT 1
    );

-- guard: the tables whose rows are looked at, with the numbers of the guard's columns there and the indexes on rotated signatures

CREATE FUNCTION neardup_internal.guard_parts(target oid, columns text[], keys text[])
    RETURNS TABLE (part oid, columns smallint[], keys smallint[], indexes oid[])
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.oid, neardup_internal.column_numbers(c.oid, $2), neardup_internal.column_numbers(c.oid, $3),
           (SELECT pg_catalog.array_agg(coalesce(neardup_internal.rotated_index(c.oid, ($2)[2], band), 0) ORDER BY band)
            FROM pg_catalog.generate_series(0, 3) band)
    FROM pg_catalog.pg_class c
    WHERE c.relkind = 'r' AND (c.oid = $1 OR c.oid IN (SELECT l.relid FROM pg_catalog.pg_partition_tree($1) l WHERE l.isleaf))
    ORDER BY c.oid;
END;

-- guard: the same for a guard by minhash or overlap, with the index on keys

CREATE FUNCTION neardup_internal.keyed_parts(target oid, columns text[], keys text[], trigger oid)
    RETURNS TABLE (part oid, columns smallint[], keys smallint[], indexes oid[])
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT g.part, g.columns, g.keys, ARRAY[coalesce(neardup_internal.key_index(g.part, ($2)[2], neardup_internal.index_key(p)), 0)]
    FROM pg_catalog.pg_trigger t
         JOIN neardup.protected p ON p.target = t.tgrelid AND p.trigger = t.tgname
         CROSS JOIN LATERAL neardup_internal.guard_parts($1, $2, $3) g
    WHERE t.oid = $4
    ORDER BY g.part;
END;

-- guard: the one guard of a table, or the one on a column; of a certain method, since what works on a table works on simhash signatures

CREATE FUNCTION neardup_internal.guard_of(target regclass, document name DEFAULT NULL, method text DEFAULT 'simhash') RETURNS neardup.protected
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    guarded neardup.protected;
    guards bigint;
BEGIN
    SELECT pg_catalog.count(*) INTO guards FROM neardup.protected p
    WHERE p.target::oid = guard_of.target::oid AND (guard_of.document IS NULL OR p.document = guard_of.document);
    IF guards = 0 THEN
        RAISE EXCEPTION 'table % has no guard%', target, coalesce(' on column "' || document::text || '"', '')
            USING ERRCODE = 'undefined_object',
                  HINT = pg_catalog.format('Put one up: SELECT neardup.protect(%L, ''column'');', target);
    ELSIF guards > 1 THEN
        RAISE EXCEPTION 'table % has % guards', target, guards USING ERRCODE = 'ambiguous_column',
            HINT = 'Name the column: document => ''column''.';
    END IF;
    SELECT * INTO guarded FROM neardup.protected p
    WHERE p.target::oid = guard_of.target::oid AND (guard_of.document IS NULL OR p.document = guard_of.document);
    IF guarded.method <> method THEN
        RAISE EXCEPTION 'column "%" of table % is guarded by method %, not %', guarded.document, target, guarded.method, method
            USING ERRCODE = 'feature_not_supported';
    END IF;
    RETURN guarded;
END
$$;

COMMENT ON FUNCTION neardup_internal.column_numbers(oid, text[]) IS 'attribute numbers of columns of a table';
COMMENT ON FUNCTION neardup_internal.guard_counter(neardup.protected, text) IS 'the sequence that counts how often a guard has done this';
COMMENT ON FUNCTION neardup_internal.guard_parts(oid, text[], text[]) IS 'the tables whose rows a guard looks at, with its columns, key and indexes there';
COMMENT ON FUNCTION neardup_internal.keyed_parts(oid, text[], text[], oid) IS 'the same for a guard by minhash or overlap, with the index on keys';
COMMENT ON FUNCTION @extschema@.simhash_rotated(simhash, integer) IS 'the signature''s bits, those of band 0 to 3 first: for the B-tree indexes of a guard';
COMMENT ON FUNCTION neardup_internal.rotated_index(oid, text, integer) IS 'the index that a guard uses on a table for one band of its signatures';
COMMENT ON FUNCTION neardup_internal.key_index(oid, text, text) IS 'a GIN index on a signature column whose expression ends so';
COMMENT ON FUNCTION neardup_internal.index_key(neardup.protected) IS 'how the index expression of a guard by minhash or overlap ends; NULL for simhash';
