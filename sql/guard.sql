-- guard: the trigger function

CREATE FUNCTION neardup.guard() RETURNS trigger LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'neardup_guard';

-- guard: what is guarded, read from the triggers themselves, so that renames, dumps and restores need no upkeep

CREATE VIEW neardup.protected AS
SELECT t.tgrelid::regclass AS target,
       d.attname AS document,
       s.attname AS signature,
       (g.settings ->> 'distance')::integer AS distance,
       g.settings ->> 'on_duplicate' AS on_duplicate,
       g.settings ->> 'analyzer' AS analyzer,
       t.tgenabled <> 'D' AS enabled,
       t.tgname AS trigger
FROM pg_catalog.pg_trigger t
     CROSS JOIN LATERAL (
         SELECT pg_catalog.convert_from(pg_catalog.substr(t.tgargs, 1, pg_catalog.length(t.tgargs) - 1), 'UTF8')::jsonb AS settings
     ) g
     JOIN pg_catalog.pg_attribute d ON d.attrelid = t.tgrelid AND d.attnum = t.tgattr[0]
     JOIN pg_catalog.pg_attribute s ON s.attrelid = t.tgrelid AND s.attnum = t.tgattr[1]
WHERE t.tgfoid = 'neardup.guard'::regproc AND t.tgparentid = 0 AND t.tgnargs = 1;

GRANT SELECT ON neardup.protected TO public;

-- guard: the primary key of a table, as a list of columns and as one text value

CREATE FUNCTION neardup.key_columns(target regclass) RETURNS name[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attname ORDER BY k.place)
        FROM pg_catalog.pg_index i
             CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY k(number, place)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
        WHERE i.indrelid = target AND i.indisprimary AND k.place <= i.indnkeyatts
    );

CREATE FUNCTION neardup.key_expression(target regclass, alias text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.format('pg_catalog.concat_ws('', '', %s)',
                   pg_catalog.string_agg(pg_catalog.format('%I.%I', alias, k.name), ', ' ORDER BY k.place))
        FROM pg_catalog.unnest(neardup.key_columns(target)) WITH ORDINALITY k(name, place)
    );

-- guard: what the trigger needs to know of its table

CREATE FUNCTION neardup.guard_target(
    trigger oid,
    OUT target oid, OUT owner oid, OUT signature_type oid, OUT document integer, OUT name text, OUT keys text[], OUT lookup text
) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE up AS (
        SELECT t.oid, t.tgparentid FROM pg_catalog.pg_trigger t WHERE t.oid = trigger
        UNION ALL
        SELECT t.oid, t.tgparentid FROM up JOIN pg_catalog.pg_trigger t ON t.oid = up.tgparentid
    )
    -- A row is not its own copy: neither the one that an update replaces, nor the one that ON CONFLICT will meet by its key.
    SELECT c.oid, c.relowner, 'simhash'::regtype, t.tgattr[0]::integer, c.relname, neardup.key_columns(c.oid)::text[],
           pg_catalog.format(
               'SELECT %1$s, @extschema@.hamming_distance(t.%2$I, $1) FROM %3$I.%4$I t '
               'WHERE @extschema@.simhash_within(t.%2$I, $1, %5$s) '
               'AND NOT (t.tableoid OPERATOR(pg_catalog.=) $2 AND t.ctid OPERATOR(pg_catalog.=) $3) '
               'AND %1$s OPERATOR(pg_catalog.<>) $4 ORDER BY 2 LIMIT 1',
               neardup.key_expression(c.oid, 't'), p.signature, n.nspname, c.relname, p.distance)
    FROM up
         JOIN pg_catalog.pg_trigger t ON t.oid = up.oid AND t.tgparentid = 0
         JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         JOIN neardup.protected p ON p.target = c.oid AND p.trigger = t.tgname;
END;

-- guard: put up and take down

CREATE FUNCTION neardup.protect(
    target regclass,
    document name,
    distance integer DEFAULT 7,
    on_duplicate text DEFAULT 'reject',
    analyzer text DEFAULT 'chars:3'
) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    kind "char";
    document_type oid;
    generated "char";
    guarded neardup.protected;
    -- A name has room for 63 bytes.
    short text := CASE WHEN pg_catalog.octet_length(document::text) <= 50 THEN document::text
                       ELSE 'document_' || pg_catalog.left(pg_catalog.md5(document::text), 12) END;
    signature name := short || '_simhash';
    trigger name := 'zz_neardup_' || short;
BEGIN
    SELECT c.relkind INTO kind FROM pg_catalog.pg_class c WHERE c.oid = target;
    IF kind IS NULL OR kind NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a table', target USING ERRCODE = 'wrong_object_type',
            DETAIL = 'A guard is a row trigger, and only ordinary and partitioned tables have them.';
    END IF;
    SELECT coalesce(nullif(t.typbasetype, 0), t.oid), a.attgenerated INTO document_type, generated
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid = target AND a.attname = document AND a.attnum > 0 AND NOT a.attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', document, target USING ERRCODE = 'undefined_column';
    END IF;
    IF document_type NOT IN ('text'::regtype, 'character varying'::regtype, 'character'::regtype) THEN
        RAISE EXCEPTION 'column "%" of table % has type %', document, target, document_type::regtype
            USING ERRCODE = 'datatype_mismatch', DETAIL = 'A document is of type text, character varying or character.';
    END IF;
    IF generated <> '' THEN
        RAISE EXCEPTION 'column "%" of table % is generated', document, target USING ERRCODE = 'feature_not_supported',
            DETAIL = 'Generated columns get their values after the guard has looked.', HINT = 'Guard a column they are made from.';
    END IF;
    IF neardup.key_columns(target) IS NULL THEN
        RAISE EXCEPTION 'table % has no primary key', target USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'The guard names a row by its primary key.', HINT = 'Add one: ALTER TABLE ... ADD PRIMARY KEY.';
    END IF;
    IF distance IS NULL OR distance NOT BETWEEN 0 AND 11 THEN
        RAISE EXCEPTION 'distance must be between 0 and 11: %', distance USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF on_duplicate IS NULL OR on_duplicate NOT IN ('reject', 'skip', 'warn') THEN
        RAISE EXCEPTION 'on_duplicate must be reject, skip or warn: %', on_duplicate USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF analyzer IS NULL THEN
        RAISE EXCEPTION 'analyzer must not be NULL' USING ERRCODE = 'null_value_not_allowed', HINT = 'SELECT * FROM analyzers();';
    END IF;
    PERFORM @extschema@.simhash('', analyzer);

    SELECT * INTO guarded FROM neardup.protected p WHERE p.target = protect.target AND p.document = protect.document;
    IF NOT FOUND THEN
        EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I @extschema@.simhash', target, signature);
        EXECUTE pg_catalog.format('CREATE INDEX ON %s USING gin (@extschema@.simhash_bands(%I)) WITH (fastupdate = off)',
                                  target, signature);
    ELSIF guarded.analyzer <> analyzer THEN
        RAISE EXCEPTION 'column "%" of table % is signed with analyzer %', document, target, guarded.analyzer
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'Signatures of two analyzers cannot be compared.',
                  HINT = 'Call neardup.unprotect first; it drops the signatures.';
    ELSE
        signature := guarded.signature;
        trigger := guarded.trigger;
        EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', trigger, target);
    END IF;
    -- The name sorts behind other triggers', so that the guard judges the row as they leave it.
    EXECUTE pg_catalog.format(
        'CREATE TRIGGER %I BEFORE INSERT OR UPDATE OF %I, %I ON %s FOR EACH ROW EXECUTE FUNCTION neardup.guard(%L)',
        trigger, document, signature, target,
        pg_catalog.jsonb_build_object('distance', distance, 'on_duplicate', on_duplicate, 'analyzer', analyzer));

    PERFORM neardup.tell_of_unsigned(neardup.guard_of(target, document));
END
$$;

CREATE FUNCTION neardup.unprotect(target regclass, document name DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    guarded neardup.protected;
BEGIN
    FOR guarded IN
        SELECT * FROM neardup.protected p
        WHERE p.target = unprotect.target AND (unprotect.document IS NULL OR p.document = unprotect.document)
    LOOP
        EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', guarded.trigger, target);
        EXECUTE pg_catalog.format('ALTER TABLE %s DROP COLUMN %I', target, guarded.signature);
    END LOOP;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % has no guard%', target, coalesce(' on column "' || document || '"', '')
            USING ERRCODE = 'undefined_object';
    END IF;
END
$$;

-- guard: the one guard of a table, or the one on a column

CREATE FUNCTION neardup.guard_of(target regclass, document name DEFAULT NULL) RETURNS neardup.protected
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    guarded neardup.protected;
    guards bigint;
BEGIN
    SELECT pg_catalog.count(*) INTO guards FROM neardup.protected p
    WHERE p.target = guard_of.target AND (guard_of.document IS NULL OR p.document = guard_of.document);
    IF guards = 0 THEN
        RAISE EXCEPTION 'table % has no guard%', target, coalesce(' on column "' || document || '"', '')
            USING ERRCODE = 'undefined_object',
                  HINT = pg_catalog.format('Put one up: SELECT neardup.protect(%L, ''column'');', target);
    ELSIF guards > 1 THEN
        RAISE EXCEPTION 'table % has % guards', target, guards USING ERRCODE = 'ambiguous_column',
            HINT = 'Name the column: document => ''column''.';
    END IF;
    SELECT * INTO guarded FROM neardup.protected p
    WHERE p.target = guard_of.target AND (guard_of.document IS NULL OR p.document = guard_of.document);
    RETURN guarded;
END
$$;

-- guard: rows that it does not see

CREATE FUNCTION neardup.tell_of_unsigned(guarded neardup.protected) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    unsigned boolean;
BEGIN
    -- Documents without a token have no signature either; a look at the first thousand tells.
    EXECUTE pg_catalog.format(
        'SELECT EXISTS (SELECT FROM (SELECT t.%1$I AS document FROM %2$s t WHERE t.%3$I IS NULL AND t.%1$I IS NOT NULL LIMIT 1000) d '
        'WHERE @extschema@.simhash(d.document::text, $1) IS NOT NULL)', guarded.document, guarded.target, guarded.signature)
        INTO unsigned USING guarded.analyzer;
    IF unsigned THEN
        RAISE NOTICE 'rows already in % carry no signature yet, and the guard does not see them', guarded.target
            USING HINT = pg_catalog.format('Sign them: CALL neardup.backfill(%L);', guarded.target);
    END IF;
END
$$;
