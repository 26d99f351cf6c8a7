-- clean-up: the table of removed rows beside a table
--
-- Removed rows of table s.t lie in s.t_removed: a plain table of t's owner with t's columns by name and type, so that rows go there and
-- back without any conversion. No other role gets a right on it. Clean-ups fill it with the rights of t's owner (src/cleanup/batch.rs);
-- neardup.restore and neardup.purge are ordinary statements of their caller. It is no part of the extension: DROP EXTENSION leaves it,
-- and the owner's pg_dump has it.

-- The name is made of the table's and stored nowhere. Names have at most 63 bytes.
CREATE FUNCTION neardup_internal.removed_name(target regclass) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT pg_catalog.format('%I.%I', n.nspname, neardup_internal.shortened_name(c.relname::text, 55) || '_removed')
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = target::oid);

-- The columns of a table of removed rows before the table's own.
CREATE FUNCTION neardup_internal.record_columns() RETURNS TABLE (place bigint, name name, type regtype)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.place, c.name, c.type
    FROM ROWS FROM (pg_catalog.unnest('{neardup_run,neardup_batch,neardup_at,neardup_by,neardup_key,neardup_duplicate_of,neardup_verdict,neardup_measure,neardup_value}'::name[]),
                    pg_catalog.unnest('{bigint,integer,timestamptz,text,text,text,text,text,float8}'::regtype[])) WITH ORDINALITY c(name, type, place);
END;

-- The table of removed rows, if it is one: another role's table of that name would get rows that its owner may not see.
CREATE FUNCTION neardup_internal.trusted_removed(target regclass) RETURNS regclass
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT r.oid::regclass
    FROM pg_catalog.pg_class r
    WHERE r.oid = pg_catalog.to_regclass(neardup_internal.removed_name(target))::oid AND r.relkind = 'r'
          AND neardup_internal.have_one_owner(target, r.oid::regclass)
          AND NOT EXISTS (
              SELECT FROM neardup_internal.record_columns() c
              WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a
                                WHERE a.attrelid = r.oid AND a.attname = c.name AND a.atttypid = c.type::oid AND NOT a.attisdropped));
END;

CREATE FUNCTION neardup_internal.removed_table(target regclass) RETURNS regclass
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    removed regclass := to_regclass(neardup_internal.removed_name(target));
BEGIN
    IF removed IS DISTINCT FROM neardup_internal.trusted_removed(target) THEN
        RAISE EXCEPTION 'table % does not hold removed rows of %', removed, target USING ERRCODE = 'wrong_object_type',
            DETAIL = 'That must be a table of the same owner, made by neardup.keep_removed.',
            -- A stranger may have made it, with triggers of their own.
            HINT = (SELECT 'Rename it.' || CASE WHEN bool_or(NOT o.is_answers) IS TRUE
                        THEN format(' Only if it kept the rows before the owner of %s changed: %s', target, string_agg(o.statement, ' ')) ELSE '' END
                    FROM neardup_internal.of_another_owner(target) o);
    END IF;
    RETURN removed;
END
$$;

-- The type that values of a type are kept as: of a domain, the one that it is made of. A row that was removed before the table had a column, and what a
-- merge has changed of one, are NULL in others, which a domain may not allow, and its CHECK would run as the owner of the table.
CREATE FUNCTION neardup_internal.kept_type(type oid, typmod integer) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE d AS (
        SELECT 0 AS depth, kept_type.type AS type, kept_type.typmod AS typmod
        UNION ALL
        SELECT d.depth + 1, t.typbasetype, t.typtypmod FROM d JOIN pg_catalog.pg_type t ON t.oid = d.type WHERE t.typtype = 'd'
    )
    SELECT pg_catalog.format_type(d.type, d.typmod) FROM d ORDER BY d.depth DESC LIMIT 1;
END;

-- Whether a type does not allow NULL. Domains run their CHECKs, as when a row is restored.
CREATE FUNCTION neardup_internal.refuses_null(type regtype) RETURNS boolean
    LANGUAGE plpgsql STABLE STRICT PARALLEL RESTRICTED AS $$
BEGIN
    EXECUTE pg_catalog.format('SELECT NULL::%s', type);
    RETURN false;
EXCEPTION WHEN integrity_constraint_violation THEN
    RETURN true;
END
$$;

-- Columns of the table, the types that they are kept as, what the table of removed rows has under their names, and what stands for a NULL that a
-- column must not have, or its domain may not: such a row was removed before the table had the column.
CREATE FUNCTION neardup_internal.removed_columns(
    target regclass, removed regclass, OUT name name, OUT type text, OUT kept_type text, OUT removed_type text, OUT is_generated boolean, OUT is_required boolean, OUT fallback text
) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), n.type, pg_catalog.format_type(r.atttypid, r.atttypmod), a.attgenerated <> '', a.attnotnull,
           -- A guard's counters are sequences that belong to the document column.
           CASE WHEN NOT a.attnotnull AND n.type = pg_catalog.format_type(a.atttypid, a.atttypmod) THEN NULL
                WHEN a.attidentity <> '' THEN 'pg_catalog.nextval(' || pg_catalog.quote_literal(
                    pg_catalog.pg_get_serial_sequence(a.attrelid::regclass::text, a.attname::text)) || '::pg_catalog.regclass)'
                ELSE coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), (
                    SELECT pg_catalog.pg_get_expr(t.typdefaultbin, 0::oid) FROM pg_catalog.pg_type t WHERE t.oid = a.atttypid)) END
    FROM pg_catalog.pg_attribute a
         CROSS JOIN LATERAL (SELECT neardup_internal.kept_type(a.atttypid, a.atttypmod) AS type) n
         LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
         LEFT JOIN pg_catalog.pg_attribute r
             ON r.attrelid = removed::oid AND r.attname = a.attname AND r.attnum > 0 AND NOT r.attisdropped
    WHERE a.attrelid = target::oid AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum;
END;

-- Values of such a column would go where the record has its own.
CREATE FUNCTION neardup_internal.check_record_columns(target regclass) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_attribute a JOIN neardup_internal.record_columns() r ON r.name = a.attname WHERE a.attrelid = target::oid AND NOT a.attisdropped) THEN
        RAISE EXCEPTION 'table % has columns of a table of removed rows', target USING ERRCODE = 'duplicate_column',
            DETAIL = format('They are %s.', (SELECT string_agg(r.name::text, ', ' ORDER BY r.place) FROM neardup_internal.record_columns() r)),
            HINT = 'Rename its columns, or clean it with action => ''delete'' or ''mark''.';
    END IF;
END
$$;

CREATE FUNCTION neardup_internal.check_removed_types(target regclass, removed regclass) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT n.* FROM neardup_internal.removed_columns(target, removed) n WHERE n.removed_type <> n.kept_type LOOP
        RAISE EXCEPTION 'column "%" is of type % in %, and of type % in %', c.name, c.type, target, c.removed_type, removed
            USING ERRCODE = 'datatype_mismatch',
                  -- A cast to a type with a length would cut longer values.
                  HINT = format('ALTER TABLE %1$s ALTER COLUMN %2$I TYPE %3$s USING %2$I::%4$s;', removed, c.name, c.kept_type,
                                format_type(c.kept_type::regtype::oid, -1));
    END LOOP;
END
$$;

CREATE FUNCTION neardup_internal.has_trusted_name(type oid) RETURNS boolean
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'has_trusted_name_wrapper';

CREATE FUNCTION neardup.keep_removed(target regclass) RETURNS regclass
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    removed regclass := neardup_internal.removed_table(target);
    owner name := (SELECT pg_get_userbyid(c.relowner) FROM pg_class c WHERE c.oid = target::oid);
    c record;
BEGIN
    IF owner IS NULL THEN
        RAISE EXCEPTION 'table with OID % does not exist', target::oid USING ERRCODE = 'undefined_table';
    END IF;
    PERFORM neardup_internal.check_record_columns(target);
    IF removed IS NOT NULL THEN
        PERFORM neardup_internal.check_removed_types(target, removed);
        IF NOT EXISTS (SELECT FROM neardup_internal.removed_columns(target, removed) n WHERE n.removed_type IS NULL) THEN
            RETURN removed;
        END IF;
    END IF;
    IF NOT pg_has_role(owner, 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of table % to keep its removed rows', target USING ERRCODE = 'insufficient_privilege',
            HINT = format('Its owner creates the table for them, or adds columns to it: SELECT neardup.keep_removed(%L);', target);
    END IF;
    -- By its name, which its owner can give to another type meanwhile, whose checks would run as the caller.
    FOR c IN SELECT n.* FROM neardup_internal.removed_columns(target, removed) n WHERE n.removed_type IS NULL AND (removed IS NOT NULL OR n.kept_type <> n.type) LOOP
        IF NOT neardup_internal.has_trusted_name(to_regtype(c.kept_type)::oid) THEN
            RAISE EXCEPTION 'column "%" of table % is of type % of another role', c.name, target, c.kept_type USING ERRCODE = 'feature_not_supported',
                DETAIL = 'The table of removed rows lacks that column.',
                HINT = format('The owner of the type adds it: SELECT neardup.keep_removed(%L);', target);
        END IF;
    END LOOP;
    IF removed IS NULL THEN
        BEGIN
            EXECUTE format(
                'CREATE TABLE %s AS SELECT %s%s FROM %s t WITH NO DATA', neardup_internal.removed_name(target),
                (SELECT string_agg(format('NULL::%s AS %I', r.type, r.name), ', ' ORDER BY r.place) FROM neardup_internal.record_columns() r),
                (SELECT string_agg(format(CASE n.kept_type WHEN n.type THEN ', t.%1$I' ELSE ', t.%1$I::%2$s AS %1$I' END, n.name, n.kept_type), '')
                 FROM neardup_internal.removed_columns(target, NULL) n), target);
        EXCEPTION WHEN duplicate_object THEN
            RAISE EXCEPTION 'a type has the name of the table of removed rows of %: %', target, neardup_internal.removed_name(target) USING ERRCODE = 'wrong_object_type',
                DETAIL = 'A table has a type of its own name.',
                HINT = format('Rename it: ALTER TYPE %s RENAME TO ...;', neardup_internal.removed_name(target));
        END;
        removed := neardup_internal.removed_name(target);
        EXECUTE format('CREATE INDEX ON %s (neardup_run, neardup_batch)', removed);
        -- Removed rows have no key. Without this, Postgres refuses to delete them where a publication is for all tables.
        EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', removed);
        EXECUTE format('COMMENT ON TABLE %s IS %L', removed, format('rows that neardup.cleanup removed from %s', target));
        EXECUTE format('ALTER TABLE %s OWNER TO %I', removed, owner);
        PERFORM neardup_internal.revoke_all(removed);
    END IF;
    FOR c IN SELECT n.* FROM neardup_internal.removed_columns(target, removed) n WHERE n.removed_type IS NULL LOOP
        EXECUTE format('ALTER TABLE %s ADD COLUMN %I %s', removed, c.name, c.kept_type);
    END LOOP;
    RETURN removed;
END
$$;

COMMENT ON FUNCTION neardup_internal.has_trusted_name(oid) IS 'whether a type is Postgres''s own, or it and its schema are of roles that have the rights of the caller';
COMMENT ON FUNCTION neardup_internal.removed_name(regclass) IS 'the name of the table of removed rows beside a table';
COMMENT ON FUNCTION neardup_internal.record_columns() IS 'the columns of a table of removed rows before those of the table';
COMMENT ON FUNCTION neardup_internal.trusted_removed(regclass) IS 'the table of removed rows beside a table; NULL if there is none, or what has its name is not one of the same owner';
COMMENT ON FUNCTION neardup_internal.removed_table(regclass) IS 'the table of removed rows beside a table; NULL if there is none';
COMMENT ON FUNCTION neardup_internal.kept_type(oid, integer) IS 'the type that values of a type are kept as: of a domain, the one that it is made of';
COMMENT ON FUNCTION neardup_internal.refuses_null(regtype) IS 'whether a type does not allow NULL';
COMMENT ON FUNCTION neardup_internal.check_record_columns(regclass) IS 'raises an error if a table has a column that is called like one of the record of a removed row';
COMMENT ON FUNCTION neardup_internal.removed_columns(regclass, regclass) IS 'the columns of a table, with their types there, those they are kept as and those in its table of removed rows';
COMMENT ON FUNCTION neardup_internal.check_removed_types(regclass, regclass) IS 'raises an error if a column has another type in the table of removed rows';
COMMENT ON FUNCTION neardup.keep_removed(regclass) IS 'creates the table in which clean-ups keep removed rows, posts_removed for posts, or adds the columns that the table got since: SELECT neardup.keep_removed(''posts''). A clean-up by the table''s owner does so itself';
