-- protect: put a guard up, or change its settings

CREATE FUNCTION neardup.protect(
    target regclass,
    document name,
    distance integer DEFAULT 7,
    on_duplicate text DEFAULT 'reject',
    analyzer text DEFAULT 'chars:3',
    verify text DEFAULT 'facts',
    similarity double precision DEFAULT NULL,
    scope name[] DEFAULT '{}',
    within interval DEFAULT NULL,
    age name DEFAULT NULL,
    columns name[] DEFAULT NULL,
    expression regproc DEFAULT NULL,
    log boolean DEFAULT false,
    method text DEFAULT 'simhash',
    search_index boolean DEFAULT false
) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    kind "char";
    guarded neardup.protected;
    is_new boolean;
    short text := neardup_internal.short_name(document);
    more name[];
    duplicate_of name;
    diverted_to text;
    made_by text;
    named name[];
    twice name;
    plan record;
    stored text;
    previous_key text;
    settings jsonb;
BEGIN
    SELECT c.relkind INTO kind FROM pg_catalog.pg_class c WHERE c.oid = target::oid;
    IF kind IS NULL OR kind NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a table', target USING ERRCODE = 'wrong_object_type',
            DETAIL = 'A guard is a row trigger, and only ordinary and partitioned tables have them.';
    END IF;
    PERFORM neardup_internal.check_document(target, document);
    IF pg_catalog.array_ndims(columns) > 1 OR pg_catalog.array_ndims(scope) > 1 THEN
        RAISE EXCEPTION 'columns and scope must be plain lists of names' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    more := pg_catalog.array_remove(columns, document);
    more := coalesce(more, '{}');
    IF columns IS NOT NULL AND NOT document = ANY (columns) THEN
        RAISE EXCEPTION 'columns must hold the document column "%"', document USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF expression IS NULL THEN
        PERFORM neardup_internal.check_document(target, c) FROM pg_catalog.unnest(more) c;
    ELSE
        PERFORM neardup_internal.check_column(target, c) FROM pg_catalog.unnest(more) c;
        SELECT pg_catalog.format('%I.%I', n.nspname, p.proname) INTO made_by
        FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
             JOIN pg_catalog.pg_class c ON c.oid = target::oid
        WHERE p.oid = expression::oid AND p.pronargs = 1 AND p.proargtypes[0] = c.reltype AND p.prorettype = 'text'::regtype::oid
          AND p.provolatile = 'i';
        IF NOT FOUND THEN
            RAISE EXCEPTION 'function % does not make a document of a row of %', expression, target
                USING ERRCODE = 'invalid_function_definition',
                      DETAIL = 'Such a function takes one row of the table, gives text, and is IMMUTABLE.';
        END IF;
    END IF;
    IF neardup_internal.key_columns(target) IS NULL THEN
        RAISE EXCEPTION 'table % has no primary key', target USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'The guard names a row by its primary key.', HINT = 'Add one: ALTER TABLE ... ADD PRIMARY KEY.';
    END IF;
    IF on_duplicate IS NULL OR on_duplicate NOT IN ('reject', 'skip', 'warn', 'mark', 'divert') THEN
        RAISE EXCEPTION 'on_duplicate must be reject, skip, warn, mark or divert: %', on_duplicate
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF analyzer IS NULL THEN
        RAISE EXCEPTION 'analyzer must not be NULL' USING ERRCODE = 'null_value_not_allowed', HINT = 'SELECT * FROM analyzers();';
    END IF;
    -- A profile is named with its version, so that a new one does not sign beside an old one.
    analyzer := neardup.pinned_analyzer(analyzer);
    PERFORM neardup.analyzer_simhash('', analyzer);
    PERFORM neardup_internal.check_method(method, distance, similarity, verify, analyzer, search_index);
    IF method <> 'simhash' THEN
        distance := NULL;
    END IF;
    IF method = 'minhash' THEN
        -- The first plan is the one with the fewest rows looked at in vain.
        SELECT p.bands, p.rows INTO plan FROM @extschema@.minhash_band_plan(similarity, '0.99'::double precision, 128) p LIMIT 1;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'similarity is too low for method minhash: %', similarity USING ERRCODE = 'invalid_parameter_value',
                DETAIL = 'No bands of 128 values find such pairs with a chance of 99 in 100.';
        END IF;
    ELSE
        SELECT NULL::integer AS bands, NULL::integer AS rows INTO plan;
    END IF;
    PERFORM neardup_internal.check_column(target, c) FROM pg_catalog.unnest(scope) c;
    IF pg_catalog.cardinality(scope) > 0 THEN
        -- An error for types without equality.
        EXECUTE (SELECT pg_catalog.format('SELECT FROM %s GROUP BY %s LIMIT 0', target, pg_catalog.string_agg(pg_catalog.quote_ident(c), ', '))
                 FROM pg_catalog.unnest(scope) c);
    END IF;
    -- The trigger lists each column once, and its place there says what it is for.
    named := pg_catalog.array_append(pg_catalog.array_cat(pg_catalog.array_cat(ARRAY[document], more), scope), age);
    SELECT c.name INTO twice FROM pg_catalog.unnest(named) c(name)
    WHERE c.name IS NOT NULL GROUP BY c.name HAVING pg_catalog.count(*) > 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" is named twice', twice USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'A column belongs to the document, to the scope, or is the age.';
    END IF;
    IF (within IS NULL) <> (age IS NULL) THEN
        RAISE EXCEPTION 'within and age must be given together' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'within => interval ''2 days'', age => ''published''';
    END IF;
    PERFORM neardup_internal.check_within(within);
    IF age IS NOT NULL AND NOT neardup_internal.is_time(neardup_internal.check_column(target, age)) THEN
        RAISE EXCEPTION 'column "%" of table % is no time', age, target USING ERRCODE = 'datatype_mismatch',
            DETAIL = 'A time is of type timestamp with or without time zone, or date.';
    END IF;

    SELECT * INTO guarded FROM neardup.protected p WHERE p.target::oid = protect.target::oid AND p.document = protect.document;
    is_new := NOT FOUND;
    IF is_new THEN
        guarded.signature := short || CASE method WHEN 'overlap' THEN '_tokens' ELSE '_' || method END;
        guarded.trigger := 'zz_neardup_' || short;
        guarded.since := pg_catalog.now();
        stored := CASE method WHEN 'overlap' THEN 'integer[]' ELSE '@extschema@.' || method END;
        IF NOT neardup_internal.has_column(target, guarded.signature, stored::regtype) THEN
            EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I %s', target, guarded.signature, stored);
        END IF;
    ELSIF guarded.method <> method THEN
        RAISE EXCEPTION 'column "%" of table % is guarded by method %', document, target, guarded.method
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Call neardup.unprotect first; it drops the signatures.';
    ELSIF guarded.analyzer <> analyzer THEN
        RAISE EXCEPTION 'column "%" of table % is signed with analyzer %', document, target, guarded.analyzer
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'Signatures of two analyzers cannot be compared.',
                  HINT = 'Call neardup.unprotect first; it drops the signatures.';
    ELSIF guarded.columns[2:] OPERATOR(pg_catalog.<>) more OR guarded.expression IS DISTINCT FROM made_by THEN
        RAISE EXCEPTION 'column "%" of table % is signed together with other columns', document, target
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'Signatures of two kinds of documents cannot be compared.',
                  HINT = 'Call neardup.unprotect first; it drops the signatures.';
    END IF;
    previous_key := neardup_internal.index_key(guarded);
    guarded.method := method;
    guarded.bands := plan.bands;
    guarded.rows := plan.rows;
    guarded.similarity := similarity;
    guarded.target := target;
    guarded.document := document;
    guarded.analyzer := analyzer;
    -- What reads the table comes before what locks others out: the triggers at the end.
    PERFORM neardup_internal.make_indexes(guarded, search_index, previous_key);
    duplicate_of := guarded.duplicate_of;
    IF on_duplicate = 'mark' AND duplicate_of IS NULL THEN
        duplicate_of := neardup_internal.add_mark(target, short);
    END IF;
    diverted_to := guarded.diverted_to;
    IF on_duplicate = 'divert' AND (diverted_to IS NULL OR pg_catalog.to_regclass(diverted_to) IS NULL) THEN
        diverted_to := neardup_internal.add_diverted(target);
    END IF;
    IF neardup_internal.guard_counter(guarded, on_duplicate) IS NULL THEN
        PERFORM neardup_internal.add_counter(target, document, short, on_duplicate);
    END IF;

    settings := pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'method', nullif(method, 'simhash'), 'distance', distance, 'bands', plan.bands, 'rows', plan.rows,
        'on_duplicate', on_duplicate, 'analyzer', analyzer, 'verify', nullif(verify, 'none'), 'similarity', similarity,
        'columns', nullif(pg_catalog.cardinality(more), 0), 'expression', made_by,
        'scope', nullif(pg_catalog.cardinality(scope), 0), 'within', within, 'age', CASE WHEN age IS NOT NULL THEN true END,
        'marks', CASE WHEN duplicate_of IS NOT NULL THEN true END, 'divert', diverted_to, 'log', nullif(log, false),
        'since', guarded.since));
    IF NOT is_new THEN
        EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', guarded.trigger, target);
    END IF;
    -- The name sorts behind other triggers', so that the guard judges the row as they leave it.
    EXECUTE pg_catalog.format(
        'CREATE TRIGGER %I BEFORE INSERT OR UPDATE OF %s ON %s FOR EACH ROW EXECUTE FUNCTION neardup.guard(%L)',
        guarded.trigger,
        (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(c.name), ', ' ORDER BY c.place)
         FROM pg_catalog.unnest(pg_catalog.array_remove(pg_catalog.array_append(
             pg_catalog.array_cat(ARRAY[document, guarded.signature], named[2:]), duplicate_of), NULL)) WITH ORDINALITY c(name, place)),
        target, settings);

    IF EXISTS (SELECT FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
               WHERE target::oid IN (i.inhparent, i.inhrelid) AND NOT c.relispartition) THEN
        RAISE NOTICE 'rows of tables that % inherits from, or that inherit from it, are neither guarded nor compared', target
            USING HINT = 'Triggers are not inherited. Each such table may have a guard of its own; make them partitions to have one for all.';
    END IF;
END
$$;

-- protect: how its things are named after the document column: a name has room for 63 bytes

CREATE FUNCTION neardup_internal.short_name(document name) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN pg_catalog.octet_length(document::text) <= 50 THEN document::text
                ELSE 'document_' || pg_catalog.left(pg_catalog.md5(document::text), 12) END;

-- protect: whether the column of signatures is there: inherited from a guarded table, or made beforehand and still empty

CREATE FUNCTION neardup_internal.has_column(target regclass, name name, type oid) RETURNS boolean
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    inherited boolean;
    filled boolean;
BEGIN
    SELECT a.attinhcount > 0 INTO inherited FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = target::oid AND a.attname = name AND a.atttypid = type AND a.attgenerated = '' AND NOT a.attisdropped;
    IF inherited IS DISTINCT FROM false THEN
        RETURN inherited IS NOT NULL;
    END IF;
    -- Signatures that somebody else wrote may be of another analyzer. In its order, an index of the guard answers this at once.
    EXECUTE pg_catalog.format('SELECT true FROM %1$s t WHERE %2$s IS NOT NULL%3$s LIMIT 1', target,
        CASE type WHEN 'simhash'::regtype::oid THEN pg_catalog.format('@extschema@.simhash_rotated(t.%I, 0)', name)
                  ELSE pg_catalog.format('t.%I', name) END,
        CASE type WHEN 'simhash'::regtype::oid THEN pg_catalog.format(' ORDER BY @extschema@.simhash_rotated(t.%I, 0)', name) END) INTO filled;
    RETURN filled IS NULL;
END
$$;

-- protect: how near-duplicates are found, and from what bound on

CREATE FUNCTION neardup_internal.check_method(
    method text, distance integer, similarity double precision, verify text, analyzer text, search_index boolean
) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF method IS NULL OR method NOT IN ('simhash', 'minhash', 'overlap') THEN
        RAISE EXCEPTION 'method must be simhash, minhash or overlap: %', method USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF verify IS NULL OR verify NOT IN ('none', 'overlap', 'cosine', 'facts') THEN
        RAISE EXCEPTION 'verify must be none, overlap, cosine or facts: %', verify USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF method = 'simhash' THEN
        IF distance IS NULL OR distance NOT BETWEEN 0 AND 11 THEN
            RAISE EXCEPTION 'distance must be between 0 and 11: %', distance USING ERRCODE = 'invalid_parameter_value';
        END IF;
        IF verify IN ('overlap', 'cosine') <> (similarity IS NOT NULL) OR similarity NOT BETWEEN '0' AND '1' THEN
            RAISE EXCEPTION 'similarity must be between 0 and 1 with verify overlap or cosine, and not given otherwise'
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
        RETURN;
    END IF;
    -- What neardup.protect takes where nothing is said cannot be told from what is meant.
    IF distance IS DISTINCT FROM 7 THEN
        RAISE EXCEPTION 'distance goes with method simhash: %', distance USING ERRCODE = 'invalid_parameter_value',
            DETAIL = pg_catalog.format('Method %s goes by similarity.', method);
    END IF;
    IF similarity IS NULL OR NOT (similarity > '0' AND similarity <= '1') OR (method = 'minhash' AND similarity = '1') THEN
        RAISE EXCEPTION 'similarity must be above 0 and % 1 with method %: %', CASE method WHEN 'minhash' THEN 'below' ELSE 'at most' END, method,
            coalesce(similarity::text, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            HINT = 'similarity => 0.8, for example: it is what a near-duplicate reaches at least.';
    END IF;
    IF verify IN ('overlap', 'cosine') THEN
        RAISE EXCEPTION 'verify must be none or facts with method %: %', method, verify USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'similarity is the bound of the method.';
    END IF;
    IF analyzer ~ '^\s*profile:' THEN
        RAISE EXCEPTION 'method % does not sign with a profile: %', method, analyzer USING ERRCODE = 'feature_not_supported',
            DETAIL = 'A profile weighs tokens, and only a simhash has weights.';
    END IF;
    IF search_index THEN
        RAISE EXCEPTION 'search_index goes with method simhash' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = pg_catalog.format('The index that a guard of method %s uses serves searches, too.', method);
    END IF;
END
$$;

-- protect: the indexes of a guard, where they are not there yet; the one for the bound that it had goes

CREATE FUNCTION neardup_internal.make_indexes(guarded neardup.protected, search_index boolean, previous_key text) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    other oid := neardup_internal.key_index(guarded.target, guarded.signature::text, CASE guarded.method
        WHEN 'simhash' THEN pg_catalog.format('simhash_bands(%I)', guarded.signature) ELSE previous_key END);
    missing integer[];
    place integer;
BEGIN
    SELECT coalesce(pg_catalog.array_agg(DISTINCT i.place - 1), '{}') INTO missing
    FROM neardup_internal.guard_parts(guarded.target, ARRAY[guarded.document, guarded.signature]::text[],
                                      neardup_internal.key_columns(guarded.target)::text[]) p
         CROSS JOIN LATERAL pg_catalog.unnest(CASE WHEN guarded.method = 'simhash' THEN p.indexes
             ELSE ARRAY[coalesce(neardup_internal.key_index(p.part, guarded.signature::text, neardup_internal.index_key(guarded)), 0)] END)
             WITH ORDINALITY i(index, place)
    WHERE i.index = '0';
    IF guarded.method = 'simhash' THEN
        FOREACH place IN ARRAY missing LOOP
            EXECUTE pg_catalog.format('CREATE INDEX ON %s (@extschema@.simhash_rotated(%I, %s))', guarded.target, guarded.signature, place);
        END LOOP;
        IF search_index AND other IS NULL THEN
            EXECUTE pg_catalog.format('CREATE INDEX ON %s USING gin (@extschema@.simhash_bands(%I))', guarded.target, guarded.signature);
        END IF;
    ELSIF pg_catalog.cardinality(missing) > 0 THEN
        IF other IS NOT NULL THEN
            EXECUTE pg_catalog.format('DROP INDEX %s', other::regclass);
        END IF;
        EXECUTE pg_catalog.format('CREATE INDEX ON %s USING gin (@extschema@.%s) WITH (fastupdate = off)', guarded.target,
            CASE guarded.method WHEN 'minhash' THEN pg_catalog.format('minhash_bands(%I, %s, %s)', guarded.signature, guarded.bands, guarded.rows)
                                ELSE pg_catalog.format('overlap_keys(%I, %L::double precision)', guarded.signature, guarded.similarity) END);
    END IF;
END
$$;

-- protect: a window of time, which is counted in microseconds

CREATE FUNCTION neardup_internal.check_within(within interval) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF within < interval '0' THEN
        RAISE EXCEPTION 'within must not be negative: %', within USING ERRCODE = 'invalid_parameter_value';
    ELSIF within > interval '100000 years' THEN
        RAISE EXCEPTION 'within must be at most 100000 years: %', within USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

-- protect: the types that a column of times may have

CREATE FUNCTION neardup_internal.is_time(kind oid) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN kind IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype);

-- protect: a column must be there; gives its type, domains resolved

CREATE FUNCTION neardup_internal.check_column(target regclass, name name) RETURNS oid
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    kind oid;
BEGIN
    SELECT coalesce(nullif(t.typbasetype, '0'), t.oid) INTO kind
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid = target::oid AND a.attname = name AND a.attnum > 0 AND NOT a.attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', name, target USING ERRCODE = 'undefined_column';
    END IF;
    IF (SELECT a.attgenerated FROM pg_catalog.pg_attribute a WHERE a.attrelid = target::oid AND a.attname = name) <> '' THEN
        RAISE EXCEPTION 'column "%" of table % is generated', name, target USING ERRCODE = 'feature_not_supported',
            DETAIL = 'Generated columns get their values after the guard has looked.', HINT = 'Guard a column they are made from.';
    END IF;
    RETURN kind;
END
$$;

CREATE FUNCTION neardup_internal.check_document(target regclass, name name) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    kind oid := neardup_internal.check_column(target, name);
BEGIN
    IF kind::regtype::text NOT IN ('text', 'character varying', 'character') THEN
        RAISE EXCEPTION 'column "%" of table % has type %', name, target, kind::regtype
            USING ERRCODE = 'datatype_mismatch', DETAIL = 'A document is of type text, character varying or character.';
    END IF;
END
$$;

-- protect: the column that a marked row's original is named in: of the key's type, or text for a key of several columns

CREATE FUNCTION neardup_internal.add_mark(target regclass, short text) RETURNS name
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(target);
    mark name := 'duplicate_of';
    kind text := 'text';
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = target::oid AND a.attname = mark AND NOT a.attisdropped) THEN
        mark := short || '_copy_of';
    END IF;
    IF pg_catalog.cardinality(keys) = 1 THEN
        SELECT pg_catalog.format_type(a.atttypid, a.atttypmod) INTO kind
        FROM pg_catalog.pg_attribute a WHERE a.attrelid = target::oid AND a.attname = keys[1];
    END IF;
    EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I %s', target, mark, kind);
    RETURN mark;
END
$$;

-- protect: the table that a table's duplicates are diverted to, beside it and of its owner

CREATE FUNCTION neardup_internal.add_diverted(target regclass) RETURNS text
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    diverted text := (SELECT p.diverted_to FROM neardup.protected p
                      WHERE p.target::oid = add_diverted.target::oid AND pg_catalog.to_regclass(p.diverted_to) IS NOT NULL LIMIT 1);
    owner name;
BEGIN
    IF diverted IS NULL THEN
        diverted := neardup_internal.free_name(target, 'diverted');
        SELECT pg_catalog.pg_get_userbyid(c.relowner) INTO owner FROM pg_catalog.pg_class c WHERE c.oid = target::oid;
        EXECUTE pg_catalog.format(
            'CREATE TABLE %s (diverted_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), '
            'role name NOT NULL DEFAULT SESSION_USER, document name NOT NULL, record jsonb NOT NULL, '
            'duplicate_of text NOT NULL, measure text NOT NULL, value double precision NOT NULL)', diverted);
        EXECUTE pg_catalog.format('ALTER TABLE %s OWNER TO %I', diverted, owner);
    END IF;
    RETURN diverted;
END
$$;

-- protect: a sequence that counts: it does so whatever becomes of the transaction, and keeps nobody waiting

CREATE FUNCTION neardup_internal.add_counter(target regclass, document name, short text, action text) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
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

-- protect: a name beside a table that is not taken

CREATE FUNCTION neardup_internal.free_name(target regclass, ending text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    schema name;
    beginning text;
    free text;
    tries integer := 0;
BEGIN
    SELECT n.nspname, c.relname INTO schema, beginning
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = target::oid;
    IF pg_catalog.octet_length(beginning) + pg_catalog.octet_length(ending) > 58 THEN
        beginning := 'neardup_' || pg_catalog.left(pg_catalog.md5(beginning || ending), 12);
        ending := pg_catalog.regexp_replace(ending, '^.*_', '');
    END IF;
    LOOP
        free := pg_catalog.format('%I.%I', schema,
            pg_catalog.concat_ws('_', beginning, ending, CASE WHEN tries > 0 THEN tries END));
        EXIT WHEN pg_catalog.to_regclass(free) IS NULL;
        tries := tries + 1;
    END LOOP;
    RETURN free;
END
$$;

-- protect: take it down

CREATE FUNCTION neardup.unprotect(target regclass, document name DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    guarded neardup.protected;
    counter regclass;
    index regclass;
BEGIN
    FOR guarded IN
        SELECT * FROM neardup.protected p
        WHERE p.target::oid = unprotect.target::oid AND (unprotect.document IS NULL OR p.document = unprotect.document)
    LOOP
        EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', guarded.trigger, target);
        IF EXISTS (SELECT FROM pg_catalog.pg_attribute a
                   WHERE a.attrelid = target::oid AND a.attname = guarded.signature AND a.attinhcount > 0) THEN
            -- The column is that of the table it inherits from.
            FOR index IN
                SELECT d.objid::regclass FROM pg_catalog.pg_depend d
                     JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid AND a.attname = guarded.signature
                     JOIN pg_catalog.pg_index i ON i.indexrelid = d.objid
                WHERE d.classid = 'pg_class'::regclass::oid AND d.refclassid = 'pg_class'::regclass::oid AND d.refobjid = target::oid
            LOOP
                EXECUTE pg_catalog.format('DROP INDEX %s', index);
            END LOOP;
        ELSE
            EXECUTE pg_catalog.format('ALTER TABLE %s DROP COLUMN %I', target, guarded.signature);
        END IF;
        FOR counter IN
            SELECT c.counter FROM pg_catalog.unnest(ARRAY['reject', 'skip', 'warn', 'mark', 'divert']) a(action)
                 CROSS JOIN LATERAL (SELECT neardup_internal.guard_counter(guarded, a.action)::regclass AS counter) c
            WHERE c.counter IS NOT NULL
        LOOP
            EXECUTE pg_catalog.format('DROP SEQUENCE %s', counter);
        END LOOP;
        IF guarded.duplicate_of IS NOT NULL THEN
            EXECUTE pg_catalog.format('ALTER TABLE %s DROP COLUMN %I', target, guarded.duplicate_of);
        END IF;
    END LOOP;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % has no guard%', target, coalesce(' on column "' || document::text || '"', '')
            USING ERRCODE = 'undefined_object';
    END IF;
END
$$;

COMMENT ON FUNCTION neardup.protect(regclass, name, integer, text, text, text, double precision, name[], interval, name, name[], regproc, boolean, text, boolean) IS 'guards a table against near-duplicate documents: adds a signature column, its indexes and a trigger; call again to change settings: on_duplicate (reject, skip, warn, mark, divert), distance, verify (none, overlap, cosine, facts), scope and time window; method simhash, minhash or overlap, the latter two with a similarity; search_index for simhash_within';
COMMENT ON FUNCTION neardup.unprotect(regclass, name) IS 'takes a guard down, with its signature column and indexes';
COMMENT ON FUNCTION neardup_internal.short_name(name) IS 'the beginning of the names of a guard''s things';
COMMENT ON FUNCTION neardup_internal.has_column(regclass, name, oid) IS 'whether a guard finds the column for its signatures, inherited or empty';
COMMENT ON FUNCTION neardup_internal.check_method(text, integer, double precision, text, text, boolean) IS 'an error unless a guard''s method, bounds and verification fit each other';
COMMENT ON FUNCTION neardup_internal.make_indexes(neardup.protected, boolean, text) IS 'makes the indexes of a guard that are missing';
COMMENT ON FUNCTION neardup_internal.check_within(interval) IS 'an error where a window of time is out of range';
COMMENT ON FUNCTION neardup_internal.is_time(oid) IS 'whether a column of this type can tell a row''s age';
COMMENT ON FUNCTION neardup_internal.check_column(regclass, name) IS 'type of a column that a guard may name, or an error';
COMMENT ON FUNCTION neardup_internal.check_document(regclass, name) IS 'an error unless the column may be guarded';
COMMENT ON FUNCTION neardup_internal.add_mark(regclass, text) IS 'adds the column in which a marked row names its original';
COMMENT ON FUNCTION neardup_internal.add_diverted(regclass) IS 'makes the table that duplicates are diverted to';
COMMENT ON FUNCTION neardup_internal.add_counter(regclass, name, text, text) IS 'makes the sequence that counts what a guard does';
COMMENT ON FUNCTION neardup_internal.free_name(regclass, text) IS 'a name beside a table that is not taken';
