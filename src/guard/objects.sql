-- What a guard consists of: its index, triggers, columns for keys, table of diverted rows and counters, and their names.

-- Creates the index that finds candidates, unless there is one. For sketches it must be USING neardup.
CREATE FUNCTION neardup_internal.make_index(target regclass, settings jsonb, columns text[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF neardup_internal.guard_index(target, settings::text, columns) IS NOT NULL THEN
        RETURN;
    END IF;
    -- Writers wait for the build. It is worth a word where the table is so large that they would notice.
    IF (SELECT sum(pg_relation_size(p.relid)) FROM pg_partition_tree(target) p) > 268435456::numeric
       OR pg_relation_size(target) > 268435456 THEN
        RAISE NOTICE 'creating an index on %; writers wait until it is built', target
            USING HINT = format('To avoid that, create it first: %s;',
                neardup_internal.index_statement(target, settings::text, columns, true));
    END IF;
    EXECUTE neardup_internal.index_statement(target, settings::text, columns, false);
    IF neardup_internal.guard_index(target, settings::text, columns) IS NULL THEN
        RAISE EXCEPTION 'the index of the guard on % cannot be used', target USING ERRCODE = 'internal_error';
    END IF;
END
$$;

-- Creates the triggers. The name of the first sorts after other triggers', so that the guard judges the row as they leave it.
CREATE FUNCTION neardup_internal.make_triggers(target regclass, name text, columns text[], settings jsonb, merge regprocedure) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    event text := (SELECT 'INSERT OR UPDATE OF ' || pg_catalog.string_agg(pg_catalog.quote_ident(c.name), ', ' ORDER BY c.place)
                   FROM pg_catalog.unnest(columns) WITH ORDINALITY c(name, place) WHERE c.name IS NOT NULL);
    -- An UPDATE that moves a row to another partition deletes it first.
    also text := CASE (SELECT c.relkind FROM pg_catalog.pg_class c WHERE c.oid = target::oid) WHEN 'p' THEN ' OR DELETE' ELSE '' END;
    -- Both name the function, so that DROP FUNCTION ... CASCADE leaves neither behind.
    merges text := 'neardup_internal.merges_by(' || pg_catalog.quote_literal(merge) || '::pg_catalog.regprocedure)';
    condition text := coalesce('WHEN (' || merges || ') ', '');
BEGIN
    -- The other trigger may be left over from a guard whose own trigger was dropped by hand, hence OR REPLACE.
    EXECUTE pg_catalog.format('CREATE TRIGGER %I BEFORE %s%s ON %s FOR EACH ROW %sEXECUTE FUNCTION neardup.guard(%L)',
        name, event, also, target, condition, settings);
    EXECUTE pg_catalog.format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION neardup.release_locks()',
        name || '_stored', event, target, pg_catalog.concat_ws(' AND ', merges, 'neardup_internal.row_stored()'));
END
$$;

CREATE FUNCTION neardup_internal.drop_triggers(guarded neardup.protected) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name name;
BEGIN
    -- They have the columns of the guard's own trigger, which may have been renamed.
    FOR name IN
        SELECT t.tgname FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_trigger t ON t.tgrelid = g.tgrelid
        WHERE g.tgrelid = guarded.target::oid AND g.tgname = guarded.trigger
          AND (t.oid = g.oid OR t.tgfoid = 'neardup.release_locks()'::regprocedure::oid AND t.tgattr::smallint[] = g.tgattr::smallint[])
        ORDER BY t.oid
    LOOP
        EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', name, guarded.target);
    END LOOP;
END
$$;

-- Schema and name of a relation.
CREATE FUNCTION neardup_internal.name_parts(relation oid) RETURNS jsonb
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT pg_catalog.jsonb_build_array(n.nspname, c.relname)
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = relation);

-- The name of a guard's objects, after the document column; names are limited to 63 bytes.
CREATE FUNCTION neardup_internal.short_name(document name) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN neardup_internal.shortened_name(document::text, 45);

-- The type of a column for the key of another row: that of the key, or text for a key of several columns.
CREATE FUNCTION neardup_internal.type_of_mark(target regclass) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'type_of_mark_wrapper';

-- Gives a column for keys the type of the key, which may have got another one.
CREATE FUNCTION neardup_internal.retype(target regclass, mark text) RETURNS text
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'retype_wrapper';

CREATE FUNCTION neardup_internal.retype_mark(target regclass, document name, mark name) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    given text;
    why text;
BEGIN
    IF NOT neardup_internal.is_own_column(target, document, mark) THEN
        RETURN;
    END IF;
    given := neardup_internal.retype(target, mark::text);
    IF given IS NOT NULL THEN
        RAISE NOTICE 'column % of % has the type of the key now: %', quote_ident(mark), target, given
            USING DETAIL = CASE WHEN cardinality(neardup_internal.key_columns(target)) > 1 THEN 'Marks that are there name keys of one column, and no row any more.'
                                ELSE 'Marks that are there have been converted.' END;
    END IF;
EXCEPTION
    WHEN data_exception OR integrity_constraint_violation THEN
        GET STACKED DIAGNOSTICS why = MESSAGE_TEXT;
        RAISE EXCEPTION 'column % of % cannot get the type of the key', quote_ident(mark), target
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('The marks in it name keys of another type: %s.', why),
                  HINT = format('If you need them no more: SELECT neardup.unprotect(%L, %L); ALTER TABLE %s DROP COLUMN %I; then protect the table again.',
                      target, document, target, mark);
    WHEN feature_not_supported OR dependent_objects_still_exist OR invalid_table_definition THEN
        GET STACKED DIAGNOSTICS why = MESSAGE_TEXT;
        RAISE WARNING 'column % of % keeps another type than the key has', quote_ident(mark), target
            USING DETAIL = format('%s.', why), HINT = 'Drop what uses the column, call neardup.protect again, and create it anew.';
END
$$;

-- Adds the column for the key of a marked row's original, or takes the one that was kept when the guard was removed.
CREATE FUNCTION neardup_internal.add_mark(target regclass, document name) RETURNS name
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    mark name := neardup_internal.kept_column(target, document, 'duplicate_of');
BEGIN
    IF mark IS NOT NULL THEN
        PERFORM neardup_internal.note_column(target, document, mark, 'duplicate_of');
        PERFORM neardup_internal.retype_mark(target, document, mark);
        RETURN mark;
    END IF;
    mark := 'duplicate_of';
    IF EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = target::oid AND a.attname = mark AND NOT a.attisdropped) THEN
        mark := neardup_internal.short_name(document) || '_copy_of';
    END IF;
    EXECUTE format('ALTER TABLE %s ADD COLUMN %I %s', target, mark, neardup_internal.type_of_mark(target));
    PERFORM neardup_internal.note_column(target, document, mark, 'duplicate_of');
    RETURN mark;
END
$$;

-- Adds the columns for the key of a related row, and for what the row is to it, or takes those that were kept.
CREATE FUNCTION neardup_internal.add_related(target regclass, document name) RETURNS name[]
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names name[] := ARRAY[neardup_internal.kept_column(target, document, 'related_to'), neardup_internal.kept_column(target, document, 'related_as')];
    short text := neardup_internal.short_name(document);
BEGIN
    IF num_nulls(VARIADIC names) = 0 THEN
        PERFORM neardup_internal.note_column(target, document, names[1], 'related_to');
        PERFORM neardup_internal.note_column(target, document, names[2], 'related_as');
        PERFORM neardup_internal.retype_mark(target, document, names[1]);
        RETURN names;
    END IF;
    names := '{related_to,related_as}';
    IF EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = target::oid AND a.attname = ANY (names) AND NOT a.attisdropped) THEN
        names := ARRAY[short || '_related_to', short || '_related_as'];
    END IF;
    EXECUTE format('ALTER TABLE %s ADD COLUMN %I %s, ADD COLUMN %I text', target, names[1], neardup_internal.type_of_mark(target), names[2]);
    PERFORM neardup_internal.note_column(target, document, names[1], 'related_to');
    PERFORM neardup_internal.note_column(target, document, names[2], 'related_as');
    RETURN names;
END
$$;

-- Adds the table that duplicates are diverted to, in the schema of the guarded table and with its owner.
CREATE FUNCTION neardup_internal.add_diverted(target regclass) RETURNS text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    diverted text := (SELECT p.diverted_to FROM neardup.protected p
                      WHERE p.target::oid = add_diverted.target::oid AND pg_catalog.to_regclass(p.diverted_to) IS NOT NULL LIMIT 1);
    owner name;
BEGIN
    IF diverted IS NULL THEN
        diverted := neardup_internal.free_name(target, 'diverted');
        SELECT pg_catalog.pg_get_userbyid(c.relowner) INTO owner FROM pg_catalog.pg_class c WHERE c.oid = target::oid;
        EXECUTE pg_catalog.format(
            'CREATE TABLE %s (diverted_at timestamptz NOT NULL, role name NOT NULL, document name NOT NULL, record jsonb NOT NULL, '
            'duplicate_of text NOT NULL, measure text NOT NULL, value double precision NOT NULL)', diverted);
        -- It has no key. Without this, Postgres refuses to delete from it where a publication is for all tables.
        EXECUTE pg_catalog.format('ALTER TABLE %s REPLICA IDENTITY FULL', diverted);
        EXECUTE pg_catalog.format('ALTER TABLE %s OWNER TO %I', diverted, owner);
        PERFORM neardup_internal.revoke_all(diverted::regclass);
        IF diverted !~ 'diverted"?$' THEN
            RAISE NOTICE 'near-duplicates of % go to table %', target, diverted
                USING DETAIL = 'The name without a number is in use, perhaps by what an earlier guard has diverted.';
        END IF;
    END IF;
    RETURN diverted;
END
$$;

-- Adds a counter. It is a sequence, because sequences count whatever becomes of the transaction, and block no session.
CREATE FUNCTION neardup_internal.add_counter(target regclass, document name, short text, action text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counter text := neardup_internal.free_name(target, short || '_' || action);
    owner name;
BEGIN
    SELECT pg_catalog.pg_get_userbyid(c.relowner) INTO owner FROM pg_catalog.pg_class c WHERE c.oid = target::oid;
    EXECUTE pg_catalog.format('CREATE SEQUENCE %s', counter);
    EXECUTE pg_catalog.format('ALTER SEQUENCE %s OWNER TO %I', counter, owner);
    EXECUTE pg_catalog.format('ALTER SEQUENCE %s OWNED BY %s.%I', counter, target, document);
END
$$;

-- A free name in a table's schema.
CREATE FUNCTION neardup_internal.free_name(target regclass, ending text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    schema name;
    beginning text;
    free text;
    tries integer := 0;
BEGIN
    SELECT n.nspname, c.relname INTO schema, beginning
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = target::oid;
    IF pg_catalog.octet_length(beginning) + pg_catalog.octet_length(ending) > 58 THEN
        beginning := neardup_internal.shortened_name(beginning || ending, 20);
        ending := pg_catalog.regexp_replace(ending, '^.*_', '');
    END IF;
    LOOP
        free := pg_catalog.format('%I.%I', schema,
            pg_catalog.concat_ws('_', beginning, ending, CASE WHEN tries > 0 THEN tries END));
        EXIT WHEN pg_catalog.to_regclass(free) IS NULL AND pg_catalog.to_regtype(free) IS NULL;
        tries := tries + 1;
    END LOOP;
    RETURN free;
END
$$;

-- What the comment of a column says that a guard writes. Only the owner of the table can say it. Whoever may create triggers on the table can make a guard
-- by hand and name any column: without this comment, nobody's column is given another type, or dropped.
CREATE FUNCTION neardup_internal.column_comment(document name, role text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.format('%s, by the guard on column %I', role, document);

CREATE FUNCTION neardup_internal.note_column(target regclass, document name, name name, role text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', target, name, neardup_internal.column_comment(document, role));
END
$$;

CREATE FUNCTION neardup_internal.is_own_column(target regclass, document name, name name) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN EXISTS (
        SELECT FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = target::oid AND a.attname = name
              AND pg_catalog.col_description(a.attrelid, a.attnum) = ANY (ARRAY[
                  neardup_internal.column_comment(document, 'duplicate_of'), neardup_internal.column_comment(document, 'related_to'), neardup_internal.column_comment(document, 'related_as')]));

-- What the comment of a column says that was kept when its guard was removed; role is the name that the column has by default.
CREATE FUNCTION neardup_internal.kept_comment(document name, role text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.format('%s, by a guard on column %I that was removed; neardup.protect uses it again', role, document);

-- A column that was kept, or that a guard wrote which went with the extension, under whatever name; NULL if there is none that a guard can write.
CREATE FUNCTION neardup_internal.kept_column(target regclass, document name, role text) RETURNS name
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT a.attname FROM pg_catalog.pg_attribute a
            WHERE a.attrelid = target::oid AND a.attnum > 0 AND NOT a.attisdropped AND NOT a.attnotnull AND a.attidentity = '' AND a.attgenerated = ''
                  AND pg_catalog.col_description(a.attrelid, a.attnum) = ANY (ARRAY[
                      neardup_internal.kept_comment(document, role), neardup_internal.column_comment(document, role)])
                  AND (role <> 'related_as' OR a.atttypid = 'pg_catalog.text'::regtype::oid)
            ORDER BY a.attnum LIMIT 1);

-- Drops columns of a guard that is removed, unless they have values, or removed rows have, or something needs them. What other transactions have written is seen
-- only by a new snapshot, and rows that row security hides not at all. The triggers were dropped before, so that nobody writes now.
CREATE FUNCTION neardup_internal.drop_or_keep(target regclass, document name, names name[], roles text[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    listed text;
    drops text;
    filled bigint;
    removed regclass := neardup_internal.trusted_removed(target);
    removed_filled bigint := 0;
    why text;
BEGIN
    IF names[1] IS NULL THEN
        RETURN;
    END IF;
    SELECT string_agg(format('DROP COLUMN %I', n.name), ', '), string_agg(quote_ident(n.name), ', ') INTO drops, listed FROM unnest(names) n(name);
    EXECUTE format('SELECT count(*) FROM %s WHERE num_nonnulls(%s) > 0', target, listed) INTO filled;
    IF (SELECT bool_and(EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = removed::oid AND a.attname = n.name AND NOT a.attisdropped)) FROM unnest(names) n(name)) THEN
        EXECUTE format('SELECT count(*) FROM ONLY %s WHERE num_nonnulls(%s) > 0', removed, listed) INTO removed_filled;
    END IF;
    IF filled > 0 THEN
        why := format('%s rows have a value in it', filled);
    ELSIF removed_filled > 0 THEN
        why := format('%s rows of %s have a value in it, and could not be restored', removed_filled, removed);
    ELSIF NOT (SELECT bool_and(neardup_internal.is_own_column(target, document, n.name)) FROM unnest(names) n(name)) THEN
        why := 'its comment does not say that a guard has added it';
    ELSIF row_security_active(target) THEN
        why := 'row security may hide rows that have a value';
    ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
        why := 'this transaction does not see what others have written since it began';
    ELSE
        BEGIN
            EXECUTE format('ALTER TABLE %s %s', target, drops);
            RETURN;
        EXCEPTION
            WHEN dependent_objects_still_exist THEN
                GET STACKED DIAGNOSTICS why = PG_EXCEPTION_DETAIL;
            WHEN invalid_table_definition THEN
                GET STACKED DIAGNOSTICS why = MESSAGE_TEXT;
        END;
    END IF;
    FOR place IN 1 .. cardinality(names) LOOP
        IF neardup_internal.is_own_column(target, document, names[place]) THEN
            EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', target, names[place], neardup_internal.kept_comment(document, roles[place]));
        END IF;
    END LOOP;
    RAISE NOTICE 'column % of % was kept: %', listed, target, why
        USING HINT = format('If you need it no more: ALTER TABLE %s %s;', target, drops);
END
$$;

COMMENT ON FUNCTION neardup_internal.short_name(name) IS 'the beginning of the names of a guard''s triggers, sequences and columns';
COMMENT ON FUNCTION neardup_internal.make_index(regclass, jsonb, text[]) IS 'creates the index of a guard unless there is one';
COMMENT ON FUNCTION neardup_internal.make_triggers(regclass, text, text[], jsonb, regprocedure) IS 'creates the triggers of a guard';
COMMENT ON FUNCTION neardup_internal.drop_triggers(neardup.protected) IS 'drops the triggers of a guard';
COMMENT ON FUNCTION neardup_internal.name_parts(oid) IS 'schema and name of a relation';
COMMENT ON FUNCTION neardup_internal.type_of_mark(regclass) IS 'the type of a column for the key of another row';
COMMENT ON FUNCTION neardup_internal.retype(regclass, text) IS 'gives a column for keys the type of the key, as the owner of the table; the name of the type, or NULL if it has it';
COMMENT ON FUNCTION neardup_internal.retype_mark(regclass, name, name) IS 'gives a column for keys the type of the key, and says so';
COMMENT ON FUNCTION neardup_internal.column_comment(name, text) IS 'the comment of a column that a guard writes';
COMMENT ON FUNCTION neardup_internal.note_column(regclass, name, name, text) IS 'says by its comment that a guard writes a column';
COMMENT ON FUNCTION neardup_internal.is_own_column(regclass, name, name) IS 'whether a guard has added a column, by its comment';
COMMENT ON FUNCTION neardup_internal.kept_comment(name, text) IS 'the comment of a column that was kept when its guard was removed';
COMMENT ON FUNCTION neardup_internal.drop_or_keep(regclass, name, name[], text[]) IS 'drops columns of a guard that is removed, unless they have values or something needs them';
COMMENT ON FUNCTION neardup_internal.kept_column(regclass, name, text) IS 'a column that was kept when its guard was removed';
COMMENT ON FUNCTION neardup_internal.add_mark(regclass, name) IS 'adds the column in which a marked row names its original';
COMMENT ON FUNCTION neardup_internal.add_related(regclass, name) IS 'adds the columns in which a row names one that it is related to, and what it is to it';
COMMENT ON FUNCTION neardup_internal.add_diverted(regclass) IS 'creates the table to which duplicates are diverted';
COMMENT ON FUNCTION neardup_internal.add_counter(regclass, name, text, text) IS 'creates the sequence that counts a guard''s actions of one kind';
COMMENT ON FUNCTION neardup_internal.free_name(regclass, text) IS 'a name in the schema of a table that is not in use';
