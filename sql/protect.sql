-- protect: create a guard, or change its settings

CREATE FUNCTION neardup.protect(
    target regclass,
    document name,
    method text DEFAULT 'sketch',
    on_duplicate text DEFAULT 'reject',
    verify text DEFAULT 'facts',
    threshold double precision DEFAULT NULL,
    scope name[] DEFAULT '{}',
    within interval DEFAULT NULL,
    time_column name DEFAULT NULL,
    columns name[] DEFAULT NULL,
    expression regproc DEFAULT NULL,
    log boolean DEFAULT false,
    analyzer text DEFAULT NULL,
    keys integer DEFAULT NULL,
    distance integer DEFAULT NULL
) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation pg_catalog.pg_class;
    guarded neardup.protected;
    is_new boolean;
    short text := neardup_internal.short_name(document);
    named name[];
    twice name;
    made_by text;
    settings jsonb;
BEGIN
    SELECT * INTO relation FROM pg_catalog.pg_class c WHERE c.oid = target::oid;
    columns := neardup_internal.check_document_columns(target, document, columns, expression);
    PERFORM neardup_internal.check_method(method, distance, keys, verify);
    PERFORM neardup_internal.check_threshold(verify, threshold);
    analyzer := coalesce(analyzer, CASE method WHEN 'sketch' THEN 'shingles:5' ELSE 'chars:3' END);
    PERFORM @extschema@.sketch('', analyzer);
    -- Stores the profile with its version, so that texts are not compared under two versions.
    verify := neardup.pinned_analyzer(verify);
    IF verify ~ '^profile:' THEN
        -- Raises an error for a profile that was not trained.
        PERFORM neardup.profile_boilerplate('', verify);
    END IF;
    IF on_duplicate IS NULL OR on_duplicate NOT IN ('reject', 'skip', 'warn', 'mark', 'divert') THEN
        RAISE EXCEPTION 'on_duplicate must be reject, skip, warn, mark or divert: %', on_duplicate
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF relation.relispartition AND on_duplicate IN ('skip', 'divert') THEN
        RAISE EXCEPTION 'a guard on a partition cannot have on_duplicate %', on_duplicate USING ERRCODE = 'feature_not_supported',
            DETAIL = 'An UPDATE may move a row here from a partition that the guard does not see; left out, the row would be lost.',
            HINT = 'Guard the partitioned table instead.';
    END IF;
    PERFORM neardup_internal.check_scope(target, scope);
    IF within IS NOT NULL AND time_column IS NULL THEN
        RAISE EXCEPTION 'within wants a column to go by' USING ERRCODE = 'null_value_not_allowed',
            HINT = 'Name it: time_column => ''column''.';
    END IF;
    PERFORM neardup_internal.check_within(within);
    IF time_column IS NOT NULL AND NOT neardup_internal.is_time(neardup_internal.check_column(target, time_column)) THEN
        RAISE EXCEPTION 'column "%" of table % is no time', time_column, target USING ERRCODE = 'datatype_mismatch',
            DETAIL = 'A time is of type timestamp with or without time zone, or date.';
    END IF;
    -- The trigger lists each column once; the position in that list determines the role.
    named := pg_catalog.array_append(pg_catalog.array_cat(columns, scope), time_column);
    SELECT c.name INTO twice FROM pg_catalog.unnest(named) c(name)
    WHERE c.name IS NOT NULL GROUP BY c.name HAVING pg_catalog.count(*) > 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" is named twice', twice USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'A column belongs to the document, to the scope, or is the time.';
    END IF;
    IF expression IS NOT NULL THEN
        SELECT pg_catalog.format('%I.%I', n.nspname, p.proname) INTO made_by
        FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE p.oid = expression::oid;
    END IF;

    SELECT * INTO guarded FROM neardup.protected p WHERE p.target::oid = protect.target::oid AND p.document = protect.document;
    is_new := NOT FOUND;
    guarded.target := target;
    guarded.document := document;
    settings := pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'method', nullif(method, 'sketch'), 'analyzer', analyzer,
        'keys', CASE method WHEN 'sketch' THEN coalesce(keys, 10) END,
        'distance', CASE method WHEN 'simhash' THEN coalesce(distance, 7) END,
        'on_duplicate', on_duplicate, 'verify', nullif(verify, 'facts'), 'threshold', threshold,
        'columns', nullif(pg_catalog.cardinality(columns) - 1, 0),
        'expression', (SELECT pg_catalog.jsonb_build_array(n.nspname, p.proname)
                       FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE p.oid = expression::oid),
        'scope', nullif(pg_catalog.cardinality(scope), 0), 'time', nullif(time_column IS NOT NULL, false),
        'window', pg_catalog.round(EXTRACT(epoch FROM within) * 1000000)::bigint, 'log', nullif(log, false),
        'since', pg_catalog.floor(EXTRACT(epoch FROM coalesce(guarded.since, pg_catalog.now())))));
    -- Steps that read the table come before steps that lock others out, which are the triggers at the end.
    PERFORM neardup_internal.make_index(target, settings, columns, expression, made_by);
    IF on_duplicate = 'mark' AND guarded.duplicate_of IS NULL THEN
        guarded.duplicate_of := neardup_internal.add_mark(target, short);
    END IF;
    IF on_duplicate = 'divert' AND (guarded.diverted_to IS NULL OR pg_catalog.to_regclass(guarded.diverted_to) IS NULL) THEN
        guarded.diverted_to := neardup_internal.add_diverted(target);
    END IF;
    IF neardup_internal.guard_counter(guarded, on_duplicate) IS NULL THEN
        PERFORM neardup_internal.add_counter(target, document, short, on_duplicate);
    END IF;
    settings := settings || pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'marks', nullif(guarded.duplicate_of IS NOT NULL, false),
        'divert', neardup_internal.name_parts(pg_catalog.to_regclass(guarded.diverted_to)),
        'counter', neardup_internal.name_parts(neardup_internal.guard_counter(guarded, on_duplicate))));
    IF NOT is_new THEN
        PERFORM neardup_internal.drop_triggers(guarded);
    END IF;
    PERFORM neardup_internal.make_triggers(target, 'zz_neardup_' || short, pg_catalog.array_append(named, guarded.duplicate_of), settings);

    IF EXISTS (SELECT FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
               WHERE target::oid IN (i.inhparent, i.inhrelid) AND NOT c.relispartition) THEN
        RAISE NOTICE 'rows of tables that % inherits from, or that inherit from it, are neither guarded nor compared', target
            USING HINT = 'Triggers are not inherited. Each such table may have a guard of its own; make them partitions to have one for all.';
    END IF;
END
$$;

-- protect: whether Citus's catalog says that a table is on several nodes. A local table that Citus only knows of is not.

CREATE FUNCTION neardup_internal.is_distributed(target regclass) RETURNS boolean
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found boolean := false;
BEGIN
    IF pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition d WHERE d.logicalrelid::pg_catalog.oid = $1 '
            'AND (d.partmethod <> ''n'' OR d.repmodel <> ''s'' OR d.colocationid <> 0))' INTO found USING target::oid;
    END IF;
    RETURN found;
END
$$;

-- protect: the document consists of columns of the table, or an immutable function of its row forms it; returns its columns

CREATE FUNCTION neardup_internal.check_document_columns(target regclass, document name, columns name[], expression regproc) RETURNS name[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind "char" := (SELECT c.relkind FROM pg_catalog.pg_class c WHERE c.oid = target::oid);
BEGIN
    IF kind IS NULL OR kind NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a table', target USING ERRCODE = 'wrong_object_type',
            DETAIL = 'A guard is a row trigger, and only ordinary and partitioned tables have them.';
    END IF;
    IF neardup_internal.is_distributed(target) THEN
        RAISE EXCEPTION 'table % is distributed', target USING ERRCODE = 'feature_not_supported',
            DETAIL = 'A guard is a row trigger, which Citus refuses on distributed tables; and the copy of a row may be on another node.',
            HINT = pg_catalog.format('Make the index by hand, CREATE INDEX ON %s USING gin (sketch(%I)), and find copies by keys: docs/citus.md.', target, document);
    END IF;
    IF document IS NULL THEN
        RAISE EXCEPTION 'document must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF pg_catalog.array_ndims(columns) > 1 THEN
        RAISE EXCEPTION 'columns must be a plain list of names' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF columns IS NOT NULL AND NOT document = ANY (columns) THEN
        RAISE EXCEPTION 'columns must hold the document column "%"', document USING ERRCODE = 'invalid_parameter_value';
    END IF;
    columns := pg_catalog.array_prepend(document, coalesce(pg_catalog.array_remove(columns, document), '{}'));
    IF expression IS NULL THEN
        PERFORM neardup_internal.check_document(target, c) FROM pg_catalog.unnest(columns) c;
    ELSE
        PERFORM neardup_internal.check_column(target, c) FROM pg_catalog.unnest(columns) c;
        PERFORM FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_class c ON c.oid = target::oid
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
    RETURN columns;
END
$$;

-- protect: checks how candidates are found and compared

CREATE FUNCTION neardup_internal.check_method(method text, distance integer, keys integer, verify text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF method IS NULL OR method NOT IN ('sketch', 'simhash') THEN
        RAISE EXCEPTION 'method must be sketch or simhash: %', method USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF verify IS NULL OR (verify NOT IN ('none', 'overlap', 'cosine', 'facts') AND verify !~ '^profile:') THEN
        RAISE EXCEPTION 'verify must be facts, overlap, cosine, none or a profile: %', verify USING ERRCODE = 'invalid_parameter_value',
            HINT = 'verify => ''profile:NAME'' leaves out what is boilerplate in that profile''s collection.';
    END IF;
    IF method = 'sketch' THEN
        IF distance IS NOT NULL THEN
            RAISE EXCEPTION 'distance goes with method simhash: %', distance USING ERRCODE = 'invalid_parameter_value';
        ELSIF verify = 'none' THEN
            RAISE EXCEPTION 'verify none goes with method simhash' USING ERRCODE = 'invalid_parameter_value',
                DETAIL = 'Rows that share a key of their sketches are candidates, most of them no copies.';
        ELSIF keys NOT BETWEEN 1 AND 1024 THEN
            RAISE EXCEPTION 'keys must be between 1 and 1024: %', keys USING ERRCODE = 'invalid_parameter_value';
        END IF;
    ELSIF keys IS NOT NULL THEN
        RAISE EXCEPTION 'keys goes with method sketch: %', keys USING ERRCODE = 'invalid_parameter_value';
    ELSIF distance NOT BETWEEN 0 AND 11 THEN
        RAISE EXCEPTION 'distance must be between 0 and 11: %', distance USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

-- Checks the least score of a verdict (by facts or by a profile), or the least overlap or cosine.
CREATE FUNCTION neardup_internal.check_threshold(verify text, threshold double precision) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- By facts, neardup_verdict::model::LEAST_SCORE_IN_TABLE holds anyway: less would have no effect.
    least double precision := CASE WHEN verify IN ('overlap', 'cosine') THEN 0 ELSE 0.6 END;
BEGIN
    IF verify = 'none' AND threshold IS NOT NULL THEN
        RAISE EXCEPTION 'verify none takes no threshold: %', threshold USING ERRCODE = 'invalid_parameter_value';
    ELSIF verify IN ('overlap', 'cosine') AND threshold IS NULL THEN
        RAISE EXCEPTION 'verify % needs a threshold', verify USING ERRCODE = 'null_value_not_allowed',
            HINT = pg_catalog.format('Add one: verify => %L, threshold => 0.8', verify);
    ELSIF threshold NOT BETWEEN least AND 1 THEN
        RAISE EXCEPTION 'threshold must be between % and 1 with verify %: %', least, verify, threshold USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

-- protect: checks the columns that must be equal

CREATE FUNCTION neardup_internal.check_scope(target regclass, scope name[]) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_catalog.array_ndims(scope) > 1 THEN
        RAISE EXCEPTION 'scope must be a plain list of names' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM neardup_internal.check_column(target, c) FROM pg_catalog.unnest(scope) c;
    IF pg_catalog.cardinality(scope) > 0 THEN
        -- Raises an error for types without equality.
        EXECUTE (SELECT pg_catalog.format('SELECT FROM %s GROUP BY %s LIMIT 0', target, pg_catalog.string_agg(pg_catalog.quote_ident(c), ', '))
                 FROM pg_catalog.unnest(scope) c);
    END IF;
END
$$;

-- protect: creates the index that finds candidates, unless there is one. For sketches it must be USING neardup.

CREATE FUNCTION neardup_internal.make_index(target regclass, settings jsonb, columns name[], expression regproc, made_by text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    numbers smallint[] := (SELECT pg_catalog.array_agg(a.attnum ORDER BY c.place)
                           FROM pg_catalog.unnest(columns) WITH ORDINALITY c(name, place)
                                JOIN pg_catalog.pg_attribute a ON a.attrelid = target::oid AND a.attname = c.name AND NOT a.attisdropped);
    document text := neardup_internal.document_expression(target, columns, made_by);
    signature text;
BEGIN
    IF neardup_internal.guard_index(target, settings::text, numbers, expression) IS NOT NULL THEN
        RETURN;
    END IF;
    signature := CASE WHEN settings ->> 'method' = 'simhash' THEN pg_catalog.format('@extschema@.simhash(%s, %L)', document, settings ->> 'analyzer')
                      ELSE pg_catalog.format('@extschema@.sketch(%s, %L, %s)', document, settings ->> 'analyzer', settings ->> 'keys') END;
    -- Writers wait for the build. It is worth a word where the table is so large that they would notice.
    IF pg_catalog.pg_relation_size(target) > 268435456 THEN
        RAISE NOTICE 'creating an index on %; writers wait until it is built', target
            USING HINT = pg_catalog.format('To avoid that, make it first: CREATE INDEX CONCURRENTLY ON %s USING neardup (%s);', target, signature);
    END IF;
    EXECUTE pg_catalog.format('CREATE INDEX ON %s USING neardup (%s)', target, signature);
    IF neardup_internal.guard_index(target, settings::text, numbers, expression) IS NULL THEN
        RAISE EXCEPTION 'the index of the guard on % cannot be used', target USING ERRCODE = 'internal_error';
    END IF;
END
$$;

-- protect: creates the triggers. The name of the first sorts after other triggers', so that the guard judges the row as they leave it.

CREATE FUNCTION neardup_internal.make_triggers(target regclass, name text, columns name[], settings jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    event text := (SELECT 'INSERT OR UPDATE OF ' || pg_catalog.string_agg(pg_catalog.quote_ident(c.name), ', ' ORDER BY c.place)
                   FROM pg_catalog.unnest(columns) WITH ORDINALITY c(name, place) WHERE c.name IS NOT NULL);
    -- An UPDATE that moves a row to another partition deletes it first.
    also text := CASE (SELECT c.relkind FROM pg_catalog.pg_class c WHERE c.oid = target::oid) WHEN 'p' THEN ' OR DELETE' ELSE '' END;
BEGIN
    -- The other triggers may be left over from a guard that was dropped by hand, hence OR REPLACE.
    EXECUTE pg_catalog.format('CREATE TRIGGER %I BEFORE %s%s ON %s FOR EACH ROW EXECUTE FUNCTION neardup.guard(%L)',
        name, event, also, target, settings);
    EXECUTE pg_catalog.format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s FOR EACH ROW WHEN (neardup_internal.row_stored()) '
        'EXECUTE FUNCTION neardup.release_locks()', name || '_stored', event, target);
    EXECUTE pg_catalog.format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s FOR EACH STATEMENT EXECUTE FUNCTION neardup.release_locks()',
        name || '_done', event, target);
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

-- protect: schema and name of a relation

CREATE FUNCTION neardup_internal.name_parts(relation oid) RETURNS jsonb
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT pg_catalog.jsonb_build_array(n.nspname, c.relname)
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = relation);

-- protect: the name of a guard's objects, after the document column; names are limited to 63 bytes

CREATE FUNCTION neardup_internal.short_name(document name) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN pg_catalog.octet_length(document::text) <= 45 THEN document::text
                ELSE 'document_' || pg_catalog.left(pg_catalog.md5(document::text), 12) END;

-- protect: checks a time window, which is stored in microseconds

CREATE FUNCTION neardup_internal.check_within(within interval) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF within < interval '0' THEN
        RAISE EXCEPTION 'within must not be negative: %', within USING ERRCODE = 'invalid_parameter_value';
    ELSIF within > interval '100000 years' THEN
        RAISE EXCEPTION 'within must be at most 100000 years: %', within USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

-- protect: the types that a time column may have

CREATE FUNCTION neardup_internal.is_time(kind oid) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN kind IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype);

-- protect: checks that a column exists; returns its type, with domains resolved

CREATE FUNCTION neardup_internal.check_column(target regclass, name name) RETURNS oid
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
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
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind oid := neardup_internal.check_column(target, name);
BEGIN
    IF kind::regtype::text NOT IN ('text', 'character varying', 'character') THEN
        RAISE EXCEPTION 'column "%" of table % has type %', name, target, kind::regtype
            USING ERRCODE = 'datatype_mismatch', DETAIL = 'A document is of type text, character varying or character.';
    END IF;
END
$$;

-- protect: adds the column for the key of a marked row's original: of the key's type, or text for a key of several columns

CREATE FUNCTION neardup_internal.add_mark(target regclass, short text) RETURNS name
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
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

-- protect: adds the table that duplicates are diverted to, in the schema of the guarded table and with its owner

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
            'CREATE TABLE %s (diverted_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), '
            'role name NOT NULL DEFAULT SESSION_USER, document name NOT NULL, record jsonb NOT NULL, '
            'duplicate_of text NOT NULL, measure text NOT NULL, value double precision NOT NULL)', diverted);
        EXECUTE pg_catalog.format('ALTER TABLE %s OWNER TO %I', diverted, owner);
    END IF;
    RETURN diverted;
END
$$;

-- protect: adds a counter. It is a sequence, because sequences count whatever becomes of the transaction, and block nobody.

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

-- protect: a free name in a table's schema

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

-- protect: removes a guard

CREATE FUNCTION neardup.unprotect(target regclass, document name DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    guarded neardup.protected;
    counter regclass;
BEGIN
    FOR guarded IN
        SELECT * FROM neardup.protected p
        WHERE p.target::oid = unprotect.target::oid AND (unprotect.document IS NULL OR p.document = unprotect.document)
    LOOP
        PERFORM neardup_internal.drop_triggers(guarded);
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
        RAISE NOTICE 'the index on %(%) stays, for near_duplicate and other searches', guarded.method, guarded.document
            USING HINT = pg_catalog.format('Drop it if nothing else needs it: \d %s', target);
    END LOOP;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % has no guard%', target, coalesce(' on column "' || document::text || '"', '')
            USING ERRCODE = 'undefined_object';
    END IF;
END
$$;

COMMENT ON FUNCTION neardup.protect(regclass, name, text, text, text, double precision, name[], interval, name, name[], regproc, boolean, text, integer, integer) IS 'guards a table against near-duplicate documents: uses or creates an index on sketch(document) and adds triggers, but no column: SELECT neardup.protect(''articles'', ''body''). Call it again to change settings. on_duplicate: reject, skip, warn, mark or divert. verify: facts, profile:NAME, overlap, cosine or none. threshold: the least score of a copy by facts or a profile, 0.6 (the default) to 1; or the least overlap or cosine, 0 to 1, required for these. scope, within, time_column: only rows with equal columns, within a time window, are compared. method simhash finds all rows within a Hamming distance, 0 to 11';
COMMENT ON FUNCTION neardup.unprotect(regclass, name) IS 'removes the guard on a column, or all guards of a table: triggers, counters and mark column. The index stays';
COMMENT ON FUNCTION neardup_internal.short_name(name) IS 'the beginning of the names of a guard''s triggers, sequences and columns';
COMMENT ON FUNCTION neardup_internal.check_document_columns(regclass, name, name[], regproc) IS 'the columns of a document; raises an error if they cannot be guarded';
COMMENT ON FUNCTION neardup_internal.check_method(text, integer, integer, text) IS 'raises an error unless a guard''s method, distance, keys and verify fit each other';
COMMENT ON FUNCTION neardup_internal.check_threshold(text, double precision) IS 'raises an error unless a threshold is in the range of verify: 0.75 to 1 for facts and profiles; 0 to 1, and required, for overlap and cosine';
COMMENT ON FUNCTION neardup_internal.check_scope(regclass, name[]) IS 'raises an error unless the columns can be compared';
COMMENT ON FUNCTION neardup_internal.make_index(regclass, jsonb, name[], regproc, text) IS 'creates the index of a guard unless there is one';
COMMENT ON FUNCTION neardup_internal.make_triggers(regclass, text, name[], jsonb) IS 'creates the triggers of a guard';
COMMENT ON FUNCTION neardup_internal.drop_triggers(neardup.protected) IS 'drops the triggers of a guard';
COMMENT ON FUNCTION neardup_internal.name_parts(oid) IS 'schema and name of a relation';
COMMENT ON FUNCTION neardup_internal.check_within(interval) IS 'raises an error if a time window is out of range';
COMMENT ON FUNCTION neardup_internal.is_time(oid) IS 'whether a column of this type can be a row''s time';
COMMENT ON FUNCTION neardup_internal.check_column(regclass, name) IS 'type of a column that a guard may use; raises an error for any other column';
COMMENT ON FUNCTION neardup_internal.check_document(regclass, name) IS 'raises an error unless the column can be guarded';
COMMENT ON FUNCTION neardup_internal.is_distributed(regclass) IS 'whether Citus has distributed a table over nodes';
COMMENT ON FUNCTION neardup_internal.add_mark(regclass, text) IS 'adds the column in which a marked row names its original';
COMMENT ON FUNCTION neardup_internal.add_diverted(regclass) IS 'creates the table to which duplicates are diverted';
COMMENT ON FUNCTION neardup_internal.add_counter(regclass, name, text, text) IS 'creates the sequence that counts a guard''s actions of one kind';
COMMENT ON FUNCTION neardup_internal.free_name(regclass, text) IS 'a name in the schema of a table that is not in use';
