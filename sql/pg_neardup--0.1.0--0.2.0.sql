-- 0.1.0 to 0.2.0
--
-- No signature, band or lock key changes: tables, indexes and guards stay as they are.

-- pg_upgrade failed on a body that was parsed at once and used a cast of ours.
CREATE OR REPLACE FUNCTION @extschema@.simhash_to_bit(signature @extschema@.simhash) RETURNS bit(64)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT CAST(CAST(signature AS bigint) AS bit(64))';

CREATE FUNCTION neardup_internal.check_committing(procedure text)
 RETURNS void
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$check_committing_wrapper$function$;

COMMENT ON FUNCTION neardup_internal.check_committing(pg_catalog.text) IS 'an error where a procedure cannot commit though there is no transaction block';

CREATE FUNCTION neardup_internal.is_rotated(target oid, signature_column text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT COST 100
AS 'MODULE_PATHNAME', $function$is_rotated_wrapper$function$;

COMMENT ON FUNCTION neardup_internal.is_rotated(pg_catalog.oid,pg_catalog.text) IS 'whether neardup.near and its kin may look by indexes on simhash_rotated: all are there, and the user may read every row';

CREATE FUNCTION neardup_internal.judge_group(signatures bigint[], documents text[], distance integer, times bigint[], within bigint)
 RETURNS TABLE(member integer, stays integer, verdict text, score double precision)
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE COST 100000 ROWS 3
AS 'MODULE_PATHNAME', $function$judge_group_within_wrapper$function$;

COMMENT ON FUNCTION neardup_internal.judge_group(bigint[],pg_catalog.text[],integer,bigint[],bigint) IS 'the same among rows whose times are near; without texts by signature alone';

COMMENT ON FUNCTION @extschema@.minhash_from_values(pg_catalog.bytea,pg_catalog.text,integer,integer,pg_catalog.text) IS 'signature of raw values made elsewhere, 16 or 32 bits each (bottom_k: 32), least significant byte first; hashes: how many were asked for, where a bottom_k signature has fewer (0: as many as there are); signatures of different labels cannot be compared';

COMMENT ON FUNCTION @extschema@.minhash(pg_catalog.text,pg_catalog.text,integer,pg_catalog.text,integer,bigint) IS 'MinHash signature of a document under an analyzer: hashes 8 to 1024; scheme many_hash or bottom_k; bits 16 or 32 of each value; NULL where the document has no token';

CREATE FUNCTION neardup_internal.any_rotated_within(target oid, signature_column text, signature @extschema@.simhash, distance integer)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT COST 1000
AS 'MODULE_PATHNAME', $function$any_rotated_within_wrapper$function$;

COMMENT ON FUNCTION neardup_internal.any_rotated_within(pg_catalog.oid,pg_catalog.text,@extschema@.simhash,integer) IS 'whether any row is within a distance, by indexes on simhash_rotated';

CREATE FUNCTION neardup_internal.nearest_places(target oid, signature_column text, signature @extschema@.simhash, within integer, n bigint)
 RETURNS TABLE(part oid, place tid, distance integer)
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT COST 1000 ROWS 10
AS 'MODULE_PATHNAME', $function$nearest_places_wrapper$function$;

COMMENT ON FUNCTION neardup_internal.nearest_places(pg_catalog.oid,pg_catalog.text,@extschema@.simhash,integer,bigint) IS 'where the nearest rows stand, by indexes on simhash_rotated';

CREATE OR REPLACE VIEW neardup.protected AS
 SELECT (t.tgrelid)::regclass AS target,
    c.names[1] AS document,
    c.names[2] AS signature,
    ((g.settings ->> 'distance'::text))::integer AS distance,
    (g.settings ->> 'on_duplicate'::text) AS on_duplicate,
    (g.settings ->> 'analyzer'::text) AS analyzer,
    (t.tgenabled <> 'D'::"char") AS enabled,
    t.tgname AS trigger,
    COALESCE((g.settings ->> 'verify'::text), 'none'::text) AS verify,
    ((g.settings ->> 'similarity'::text))::double precision AS similarity,
    (c.names[1:1] || c.names[3:(2 + g.columns)]) AS columns,
    (g.settings ->> 'expression'::text) AS expression,
    c.names[(3 + g.columns):((2 + g.columns) + g.scope)] AS scope,
        CASE
            WHEN g.age THEN c.names[((3 + g.columns) + g.scope)]
            ELSE NULL::name
        END AS age,
    ((g.settings ->> 'within'::text))::interval AS within,
        CASE
            WHEN g.marks THEN c.names[cardinality(c.names)]
            ELSE NULL::name
        END AS duplicate_of,
    (g.settings ->> 'divert'::text) AS diverted_to,
    COALESCE(((g.settings ->> 'log'::text))::boolean, false) AS log,
    ((g.settings ->> 'since'::text))::timestamp with time zone AS since,
    COALESCE((g.settings ->> 'method'::text), 'simhash'::text) AS method,
    ((g.settings ->> 'bands'::text))::integer AS bands,
    ((g.settings ->> 'rows'::text))::integer AS rows
   FROM ((pg_trigger t
     CROSS JOIN LATERAL ( SELECT a.s AS settings,
            COALESCE(((a.s ->> 'columns'::text))::integer, 0) AS columns,
            COALESCE(((a.s ->> 'scope'::text))::integer, 0) AS scope,
            COALESCE(((a.s ->> 'age'::text))::boolean, false) AS age,
            COALESCE(((a.s ->> 'marks'::text))::boolean, false) AS marks
           FROM ( SELECT (convert_from(substr(t.tgargs, 1, (length(t.tgargs) - 1)), 'UTF8'::name))::jsonb AS s) a) g)
     CROSS JOIN LATERAL ( SELECT array_agg(a.attname ORDER BY n.place) AS names
           FROM (unnest((t.tgattr)::smallint[]) WITH ORDINALITY n(number, place)
             JOIN pg_attribute a ON (((a.attrelid = t.tgrelid) AND (a.attnum = n.number))))) c)
  WHERE ((t.tgfoid = ('neardup.guard'::regproc)::oid) AND (t.tgparentid = (0)::oid) AND (t.tgnargs = 1) AND (cardinality(c.names) >= 2));

CREATE FUNCTION neardup_internal.index_key(guarded neardup.protected)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE (guarded).method WHEN 'minhash'::text THEN format(', %s, %s)'::text, (guarded).bands, (guarded).rows) WHEN 'overlap'::text THEN format(', %L::double precision)'::text, (guarded).similarity) ELSE NULL::text END;

COMMENT ON FUNCTION neardup_internal.index_key(neardup.protected) IS 'how the index expression of a guard by minhash or overlap ends; NULL for simhash';

CREATE OR REPLACE FUNCTION neardup_internal.guard_target(trigger oid, OUT root oid, OUT target oid, OUT owner oid, OUT signature_type oid, OUT document smallint, OUT name text, OUT keys text[], OUT columns text[], OUT within bigint, OUT diverted text, OUT logger oid, OUT counter oid, OUT expression oid)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 WITH RECURSIVE up AS (
          SELECT t_1.oid,
             t_1.tgparentid
            FROM pg_trigger t_1
           WHERE (t_1.oid = guard_target.trigger)
         UNION ALL
          SELECT t_1.oid,
             t_1.tgparentid
            FROM (up up_1
              JOIN pg_trigger t_1 ON ((t_1.oid = up_1.tgparentid)))
         )
  SELECT t.oid,
     c.oid,
     c.relowner,
         CASE p.method
             WHEN 'simhash'::text THEN '@extschema@.simhash'::regtype
             WHEN 'minhash'::text THEN '@extschema@.minhash'::regtype
             ELSE 'integer[]'::regtype
         END AS "case",
     t.tgattr[0] AS tgattr,
     c.relname,
     (neardup_internal.key_columns((c.oid)::regclass))::text[] AS key_columns,
     ( SELECT array_agg(a.attname ORDER BY n.place) AS array_agg
            FROM (unnest((t.tgattr)::smallint[]) WITH ORDINALITY n(number, place)
              JOIN pg_attribute a ON (((a.attrelid = c.oid) AND (a.attnum = n.number))))) AS array_agg,
     (round((EXTRACT(epoch FROM p.within) * (1000000)::numeric)))::bigint AS round,
     ( SELECT format('INSERT INTO %I.%I (document, record, duplicate_of, measure, value) VALUES (%L, pg_catalog.to_jsonb($1) OPERATOR(pg_catalog.-) %L::text, $2, $3, $4)'::text, dn.nspname, dc.relname, p.document, p.signature) AS format
            FROM (pg_class dc
              JOIN pg_namespace dn ON ((dn.oid = dc.relnamespace)))
           WHERE (dc.oid = (to_regclass(p.diverted_to))::oid)) AS format,
     ( SELECT v.relowner
            FROM pg_class v
           WHERE (v.oid = (to_regclass('neardup.verdicts'::text))::oid)) AS relowner,
     neardup_internal.guard_counter(p.*, p.on_duplicate) AS guard_counter,
     ( SELECT f.oid
            FROM (pg_proc f
              JOIN pg_namespace fn ON ((fn.oid = f.pronamespace)))
           WHERE ((format('%I.%I'::text, fn.nspname, f.proname) = p.expression) AND (f.pronargs = 1) AND (f.proargtypes[0] = c.reltype) AND (f.prorettype = ('text'::regtype)::oid))) AS oid
    FROM (((up
      JOIN pg_trigger t ON (((t.oid = up.oid) AND (t.tgparentid = (0)::oid))))
      JOIN pg_class c ON ((c.oid = t.tgrelid)))
      JOIN neardup.protected p ON ((((p.target)::oid = c.oid) AND (p.trigger = t.tgname))));
END;

CREATE FUNCTION neardup_internal.key_index(relation oid, signature text, ending text)
 RETURNS oid
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
RETURN (SELECT i.indexrelid FROM ((((pg_index i JOIN pg_class c ON ((c.oid = i.indexrelid))) JOIN pg_am m ON ((m.oid = c.relam))) JOIN pg_depend s ON (((s.classid = ('pg_class'::regclass)::oid) AND (s.objid = i.indexrelid) AND (s.refclassid = ('pg_class'::regclass)::oid) AND (s.refobjid = i.indrelid)))) JOIN pg_attribute a ON (((a.attrelid = i.indrelid) AND (a.attnum = s.refobjsubid) AND ((a.attname)::text = key_index.signature)))) WHERE ((i.indrelid = key_index.relation) AND i.indisvalid AND (i.indnatts = 1) AND (i.indpred IS NULL) AND (m.amname = 'gin'::name) AND ("right"(pg_get_indexdef(i.indexrelid, 1, true), length(key_index.ending)) = key_index.ending)) ORDER BY i.indexrelid LIMIT 1);

COMMENT ON FUNCTION neardup_internal.key_index(pg_catalog.oid,pg_catalog.text,pg_catalog.text) IS 'a GIN index on a signature column whose expression ends so';

CREATE FUNCTION neardup_internal.keyed_parts(target oid, columns text[], keys text[], trigger oid)
 RETURNS TABLE(part oid, columns smallint[], keys smallint[], indexes oid[])
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 SELECT g.part,
     g.columns,
     g.keys,
     ARRAY[COALESCE(neardup_internal.key_index(g.part, (keyed_parts.columns)[2], neardup_internal.index_key(p.*)), (0)::oid)] AS "array"
    FROM ((pg_trigger t
      JOIN neardup.protected p ON ((((p.target)::oid = t.tgrelid) AND (p.trigger = t.tgname))))
      CROSS JOIN LATERAL neardup_internal.guard_parts(keyed_parts.target, keyed_parts.columns, keyed_parts.keys) g(part, columns, keys, indexes))
   WHERE (t.oid = keyed_parts.trigger)
   ORDER BY g.part;
END;

COMMENT ON FUNCTION neardup_internal.keyed_parts(pg_catalog.oid,pg_catalog.text[],pg_catalog.text[],pg_catalog.oid) IS 'the same for a guard by minhash or overlap, with the index on keys';

CREATE FUNCTION neardup_internal.signature_columns(relation oid)
 RETURNS name[]
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
RETURN (SELECT array_agg(a.attname ORDER BY a.attnum) AS array_agg FROM (pg_attribute a JOIN pg_type t ON ((t.oid = a.atttypid))) WHERE ((a.attrelid = signature_columns.relation) AND (NOT a.attisdropped) AND ((('@extschema@.simhash'::regtype)::oid = t.oid) OR (('@extschema@.simhash'::regtype)::oid = t.typbasetype))));

COMMENT ON FUNCTION neardup_internal.signature_columns(pg_catalog.oid) IS 'columns of a table that hold signatures';

CREATE FUNCTION neardup_internal.check_signature(relation regclass, name name)
 RETURNS void
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    signatures name[] := neardup_internal.signature_columns(relation);
BEGIN
    IF name = ANY (signatures) THEN
        RETURN;
    ELSIF name IS NULL THEN
        RAISE EXCEPTION 'signature_column must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    RAISE EXCEPTION 'column "%" of table % has type %, not simhash', name, relation, neardup_internal.column_type(relation, name)
        USING ERRCODE = 'datatype_mismatch', HINT = coalesce('Name a column of signatures: ' || neardup_internal.each('%1$I', signatures) || '.',
                                                             'The table has no column of signatures; neardup.protect adds one.');
END
$function$;

COMMENT ON FUNCTION neardup_internal.check_signature(pg_catalog.regclass,pg_catalog.name) IS 'an error unless a column is one of signatures';

CREATE FUNCTION neardup_internal.comparison(relation oid, name name, strategy integer DEFAULT 3)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
RETURN (WITH RECURSIVE kind AS (SELECT a.atttypid AS type, false AS is_base FROM pg_attribute a WHERE ((a.attrelid = comparison.relation) AND (a.attname = comparison.name)) UNION ALL SELECT t.typbasetype, true FROM (kind k JOIN pg_type t ON ((t.oid = k.type))) WHERE (t.typtype = 'd'::"char")), own AS (SELECT CASE WHEN ((n.nspname = 'pg_catalog'::name) AND (NOT k.is_base)) THEN (o.oprname)::text ELSE format('OPERATOR(%I.%s)'::text, n.nspname, o.oprname) END AS operator FROM (((((kind k JOIN pg_opclass c ON (((c.opcintype = k.type) AND c.opcdefault))) JOIN pg_am m ON ((m.oid = c.opcmethod))) JOIN pg_amop p ON (((p.amopfamily = c.opcfamily) AND (p.amoplefttype = c.opcintype) AND (p.amoprighttype = c.opcintype)))) JOIN pg_operator o ON ((o.oid = p.amopopr))) JOIN pg_namespace n ON ((n.oid = o.oprnamespace))) WHERE (((m.amname = 'btree'::name) AND (p.amopstrategy = comparison.strategy)) OR ((m.amname = 'hash'::name) AND (p.amopstrategy = 1) AND (comparison.strategy = 3))) ORDER BY m.amname LIMIT 1) SELECT COALESCE(max(w.operator), format('OPERATOR(pg_catalog.%s)'::text, ('{<,<=,=,>=,>}'::text[])[comparison.strategy])) AS "coalesce" FROM own w);

COMMENT ON FUNCTION neardup_internal.comparison(pg_catalog.oid,pg_catalog.name,integer) IS 'operator by which values of a column compare, with its schema';

CREATE FUNCTION neardup_internal.equal(relation oid, names name[], a text, b text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
RETURN (SELECT string_agg(concat_ws(' '::text, format(equal.a, n.name, n.place), neardup_internal.comparison(equal.relation, n.name), format(equal.b, n.name, n.place)), ' AND '::text ORDER BY n.place) AS string_agg FROM unnest(equal.names) WITH ORDINALITY n(name, place));

COMMENT ON FUNCTION neardup_internal.equal(pg_catalog.oid,pg_catalog.name[],pg_catalog.text,pg_catalog.text) IS 'condition that columns are equal; patterns for either side as those of each';

CREATE FUNCTION neardup_internal.refers(name name, source regclass)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
RETURN (SELECT string_agg(format('t.%I OPERATOR(%I.%s) f.%I'::text, t.attname, n.nspname, o.oprname, f.attname), ' AND '::text ORDER BY k.place) AS string_agg FROM (((((pg_constraint c CROSS JOIN LATERAL UNNEST(c.confkey, c.conkey, c.conpfeqop) WITH ORDINALITY k(theirs, mine, operator, place)) JOIN pg_attribute t ON (((t.attrelid = c.confrelid) AND (t.attnum = k.theirs)))) JOIN pg_attribute f ON (((f.attrelid = c.conrelid) AND (f.attnum = k.mine)))) JOIN pg_operator o ON ((o.oid = k.operator))) JOIN pg_namespace n ON ((n.oid = o.oprnamespace))) WHERE ((c.conrelid = (refers.source)::oid) AND (c.conname = refers.name) AND (c.contype = 'f'::"char")));

COMMENT ON FUNCTION neardup_internal.refers(pg_catalog.name,pg_catalog.regclass) IS 'condition that a foreign key''s row f refers to row t';

CREATE FUNCTION neardup_internal.check_within(within interval)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
    IF within < interval '0' THEN
        RAISE EXCEPTION 'within must not be negative: %', within USING ERRCODE = 'invalid_parameter_value';
    ELSIF within > interval '100000 years' THEN
        RAISE EXCEPTION 'within must be at most 100000 years: %', within USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$function$;

COMMENT ON FUNCTION neardup_internal.check_within(interval) IS 'an error where a window of time is out of range';

CREATE FUNCTION neardup_internal.is_time(kind oid)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (kind = ANY (ARRAY[('timestamp with time zone'::regtype)::oid, ('timestamp without time zone'::regtype)::oid, ('date'::regtype)::oid]));

COMMENT ON FUNCTION neardup_internal.is_time(pg_catalog.oid) IS 'whether a column of this type can tell a row''s age';

CREATE OR REPLACE FUNCTION neardup_internal.guard_of(target regclass, document name DEFAULT NULL::name, method text DEFAULT 'simhash'::text)
 RETURNS neardup.protected
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
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
$function$;

COMMENT ON FUNCTION neardup_internal.guard_of(pg_catalog.regclass,pg_catalog.name,pg_catalog.text) IS 'the guard of a table, or of one of its columns; an error where there is none or more than one';

CREATE OR REPLACE FUNCTION neardup_internal.tell_of_unsigned(guarded neardup.protected)
 RETURNS void
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    unsigned boolean;
BEGIN
    -- Documents without a token have no signature either; a look at the first thousand tells.
    EXECUTE pg_catalog.format(
        'SELECT EXISTS (SELECT FROM (SELECT t.%1$I AS document FROM %4$s %2$s t WHERE t.%3$I IS NULL AND t.%1$I IS NOT NULL LIMIT 1000) d '
        'WHERE neardup.analyzer_simhash(d.document::text, $1) IS NOT NULL)', guarded.document, guarded.target, guarded.signature,
        (SELECT CASE WHEN c.relkind = 'p' THEN '' ELSE 'ONLY' END FROM pg_catalog.pg_class c WHERE c.oid = guarded.target::oid))
        INTO unsigned USING guarded.analyzer;
    IF unsigned THEN
        RAISE NOTICE 'rows already in % carry no signature yet, and the guard does not see them', guarded.target
            USING HINT = pg_catalog.format('Sign them: CALL neardup.backfill(%L);', guarded.target);
    END IF;
END
$function$;

CREATE FUNCTION neardup_internal.short_name(document name)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (octet_length((document)::text) <= 50) THEN (document)::text ELSE ('document_'::text || "left"(md5((document)::text), 12)) END;

COMMENT ON FUNCTION neardup_internal.short_name(pg_catalog.name) IS 'the beginning of the names of a guard''s things';

CREATE FUNCTION neardup_internal.has_column(target regclass, name name, type oid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
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
$function$;

COMMENT ON FUNCTION neardup_internal.has_column(pg_catalog.regclass,pg_catalog.name,pg_catalog.oid) IS 'whether a guard finds the column for its signatures, inherited or empty';

CREATE FUNCTION neardup.protect_statements(target regclass, document name)
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    beside neardup.protected;
BEGIN
    PERFORM neardup_internal.check_document(target, document);
    beside.target := target;
    beside.document := document;
    beside.method := 'simhash';
    beside.signature := neardup_internal.short_name(document) || '_simhash';
    IF NOT beside.signature = ANY (neardup_internal.column_names(target)) THEN
        RETURN NEXT pg_catalog.format('ALTER TABLE %s ADD COLUMN %I @extschema@.simhash;', target, beside.signature);
    END IF;
    RETURN QUERY SELECT neardup_internal.index_statements(beside);
END
$function$;

COMMENT ON FUNCTION neardup.protect_statements(pg_catalog.regclass,pg_catalog.name) IS E'statements that make the column and the indexes of a guard of method simhash without a long lock, to be run before protect, which takes them over; for \\gexec';

CREATE OR REPLACE FUNCTION neardup.protect(target regclass, document name, distance integer DEFAULT 7, on_duplicate text DEFAULT 'reject'::text, analyzer text DEFAULT 'chars:3'::text, verify text DEFAULT 'facts'::text, similarity double precision DEFAULT NULL::double precision, scope name[] DEFAULT '{}'::name[], within interval DEFAULT NULL::interval, age name DEFAULT NULL::name, columns name[] DEFAULT NULL::name[], expression regproc DEFAULT NULL::regproc, log boolean DEFAULT false, method text DEFAULT 'simhash'::text, search_index boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
    PERFORM neardup_internal.tell_of_unsigned(guarded);
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
$function$;

COMMENT ON FUNCTION neardup.protect(pg_catalog.regclass,pg_catalog.name,integer,pg_catalog.text,pg_catalog.text,pg_catalog.text,double precision,pg_catalog.name[],interval,pg_catalog.name,pg_catalog.name[],pg_catalog.regproc,boolean,pg_catalog.text,boolean) IS 'guards a table against near-duplicate documents: adds a signature column, its indexes and a trigger; call again to change settings: on_duplicate (reject, skip, warn, mark, divert), distance, verify (none, overlap, cosine, facts), scope and time window; method simhash, minhash or overlap, the latter two with a similarity; search_index for simhash_within';

CREATE OR REPLACE FUNCTION neardup_internal.check_method(method text, distance integer, similarity double precision, verify text, analyzer text, search_index boolean)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
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
$function$;

COMMENT ON FUNCTION neardup_internal.check_method(pg_catalog.text,integer,double precision,pg_catalog.text,pg_catalog.text,boolean) IS 'an error unless a guard''s method, bounds and verification fit each other';

CREATE OR REPLACE FUNCTION neardup_internal.make_indexes(guarded neardup.protected, search_index boolean, previous_key text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
$function$;

COMMENT ON FUNCTION neardup_internal.make_indexes(neardup.protected,boolean,pg_catalog.text) IS 'makes the indexes of a guard that are missing';

CREATE OR REPLACE FUNCTION neardup.unprotect(target regclass, document name DEFAULT NULL::name)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE FUNCTION neardup.profile_boilerplate(document text, profile text)
 RETURNS text[]
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT COST 10000
AS 'MODULE_PATHNAME', $function$profile_boilerplate_wrapper$function$;

COMMENT ON FUNCTION neardup.profile_boilerplate(pg_catalog.text,pg_catalog.text) IS 'the sentences of a document that are in one of 1,000 documents (and 20) of the collection a profile was trained on, or in more';

CREATE FUNCTION neardup.profile_same_message(a text, b text, profile text, OUT verdict text, OUT score double precision, OUT reasons text[])
 RETURNS record
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT COST 40000
AS 'MODULE_PATHNAME', $function$profile_same_message_wrapper$function$;

COMMENT ON FUNCTION neardup.profile_same_message(pg_catalog.text,pg_catalog.text,pg_catalog.text) IS 'same_message by a trained profile: boilerplate of the collection that is in both texts does not count';

CREATE FUNCTION neardup.profile_same_message(title_a text, a text, title_b text, b text, profile text, OUT verdict text, OUT score double precision, OUT reasons text[])
 RETURNS record
 LANGUAGE c
 STABLE PARALLEL SAFE COST 40000
AS 'MODULE_PATHNAME', $function$profile_same_message_titled_wrapper$function$;

COMMENT ON FUNCTION neardup.profile_same_message(pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text) IS 'the same for two texts with titles: title and text of the one, title and text of the other; a NULL title counts as none';

CREATE FUNCTION neardup.profile_explain_similarity(a text, b text, profile text)
 RETURNS TABLE(section text, item text, in_a text, in_b text, value double precision)
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT COST 70000 ROWS 50
AS 'MODULE_PATHNAME', $function$profile_explain_similarity_wrapper$function$;

COMMENT ON FUNCTION neardup.profile_explain_similarity(pg_catalog.text,pg_catalog.text,pg_catalog.text) IS 'explain_similarity by a trained profile: its tokens, and the boilerplate of both texts that was left out';

CREATE FUNCTION neardup.profile_explain_similarity_text(a text, b text, profile text)
 RETURNS text
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT COST 70000
AS 'MODULE_PATHNAME', $function$profile_explain_similarity_text_wrapper$function$;

COMMENT ON FUNCTION neardup.profile_explain_similarity_text(pg_catalog.text,pg_catalog.text,pg_catalog.text) IS 'the same as readable text';

CREATE FUNCTION neardup_internal.document_of(guarded neardup.protected, alias text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN ((guarded).expression IS NOT NULL) THEN format('CASE WHEN %1$s.%2$I IS NOT NULL THEN %3$s(CAST(%1$s AS %4$s)) END'::text, alias, (guarded).document, (guarded).expression, (SELECT format_type(c.reltype, NULL::integer) AS format_type FROM pg_class c WHERE (c.oid = ((document_of.guarded).target)::oid))) WHEN (cardinality((guarded).columns) > 1) THEN format('CASE WHEN %1$s.%2$I IS NOT NULL THEN pg_catalog.concat_ws(E''\n'', %3$s) END'::text, alias, (guarded).document, neardup_internal.each((alias || '.%1$I::text'::text), (guarded).columns)) ELSE format('%s.%I::text'::text, alias, (guarded).document) END;

COMMENT ON FUNCTION neardup_internal.document_of(neardup.protected,pg_catalog.text) IS 'SQL expression for the document of a row, as the guard makes it';

CREATE FUNCTION neardup_internal.row_text("row" record)
 RETURNS text
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS 'MODULE_PATHNAME', $function$row_text_wrapper$function$;

COMMENT ON FUNCTION neardup_internal.row_text(pg_catalog.record) IS 'the text of a row, the same as that of a cast, sooner';

CREATE FUNCTION neardup_internal.text_hash(document text)
 RETURNS bigint
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT COST 1000
AS 'MODULE_PATHNAME', $function$text_hash_wrapper$function$;

COMMENT ON FUNCTION neardup_internal.text_hash(pg_catalog.text) IS 'a hash of a text, to see whether it has changed; another version may have another hash';

CREATE FUNCTION neardup_internal.document_hash(guarded neardup.protected, alias text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN format('neardup_internal.text_hash(%s)'::text, neardup_internal.document_of(guarded, alias));

COMMENT ON FUNCTION neardup_internal.document_hash(neardup.protected,pg_catalog.text) IS 'SQL expression for a hash of that document';

CREATE FUNCTION neardup_internal.lock_patiently(target regclass)
 RETURNS void
 LANGUAGE plpgsql
 SET lock_timeout TO '50ms'
AS $function$
BEGIN
    FOR try IN 1 .. 100 LOOP
        BEGIN
            EXECUTE pg_catalog.format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', target);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            IF try = 100 THEN
                RAISE;
            END IF;
        END;
        PERFORM pg_catalog.pg_sleep(0.2);
    END LOOP;
END
$function$;

COMMENT ON FUNCTION neardup_internal.lock_patiently(pg_catalog.regclass) IS 'locks a table for a change to its columns without making others wait for more than a moment';

CREATE OR REPLACE FUNCTION neardup_internal.sign_pages(guarded neardup.protected, part regclass, first bigint, after bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
    signed bigint;
BEGIN
    PERFORM neardup_internal.sign_only(guarded.target);
    -- A document without a token is not touched. Nearly all of them are short, so that others are not signed twice.
    EXECUTE pg_catalog.format(
        'UPDATE ONLY %1$s t SET %2$I = NULL WHERE t.ctid >= %3$L AND t.ctid < %4$L AND t.%2$I IS NULL AND t.%5$I IS NOT NULL '
        'AND (pg_catalog.octet_length(t.%5$I) > 200 OR neardup.analyzer_simhash(%6$s, $1) IS NOT NULL)',
        part, guarded.signature, pg_catalog.concat('(', first, ',0)'), pg_catalog.concat('(', after, ',0)'), guarded.document, neardup_internal.document_of(guarded, 't'))
        USING guarded.analyzer;
    GET DIAGNOSTICS signed = ROW_COUNT;
    RETURN signed;
END
$function$;

CREATE OR REPLACE PROCEDURE neardup_internal.sign_by_pages(IN guarded neardup.protected, IN analyzer text, IN batch integer, IN throttle interval, INOUT signed bigint)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    block bigint := pg_catalog.current_setting('block_size')::bigint;
    part regclass;
    pages bigint;
    page bigint;
    step bigint;
    before bigint := 0;
    total bigint;
    told timestamptz := pg_catalog.clock_timestamp();
BEGIN
    SELECT coalesce(pg_catalog.sum(pg_catalog.pg_relation_size(l) / block), 0) INTO total FROM neardup_internal.leaves(guarded.target) l;
    signed := 0;
    FOR part IN SELECT l FROM neardup_internal.leaves(guarded.target) l LOOP
        pages := pg_catalog.pg_relation_size(part) / block;
        -- A batch is a run of pages, read once and in order; some twenty articles fit one where nothing better is known.
        SELECT greatest('1', batch::float8 / CASE WHEN c.relpages > 0 AND c.reltuples > '0' THEN greatest('1', c.reltuples::float8 / c.relpages::float8) ELSE '20' END)
            INTO step FROM pg_catalog.pg_class c WHERE c.oid = part::oid;
        page := 0;
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        WHILE page < pages LOOP
            signed := signed + CASE WHEN analyzer IS NULL THEN neardup_internal.sign_pages(guarded, part, page, page + step)
                                    ELSE neardup_internal.resign_pages(guarded, analyzer, part, page, page + step) END;
            page := page + step;
            told := neardup_internal.note_work(guarded.target, before + least(page, pages), greatest(total, before + pages), told);
            COMMIT;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            IF throttle > interval '0' THEN
                PERFORM pg_catalog.pg_sleep_for(throttle);
            END IF;
        END LOOP;
        before := before + pages;
    END LOOP;
END
$procedure$;

COMMENT ON PROCEDURE neardup_internal.sign_by_pages(neardup.protected,pg_catalog.text,integer,interval,bigint) IS 'signs a table page by page with a commit after each batch: the guard''s column, or with an analyzer the one beside it';

CREATE OR REPLACE FUNCTION neardup_internal.index_statements(guarded neardup.protected)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH tables AS (
          SELECT c.oid AS relid,
             (c.relkind = 'p'::"char") AS is_root
            FROM pg_class c
           WHERE ((c.oid = ((index_statements.guarded).target)::oid) OR (c.oid IN ( SELECT l.relid
                    FROM neardup_internal.leaves((index_statements.guarded).target) l(relid))))
         ), missing AS (
          SELECT t.relid,
             t.is_root,
             0 AS place,
             format('USING gin (@extschema@.simhash_bands(%I));'::text, (index_statements.guarded).signature) AS definition
            FROM (tables t
              JOIN pg_attribute a ON (((a.attrelid = t.relid) AND (neardup_internal.next_column(a.attname) = (index_statements.guarded).signature))))
           WHERE ((neardup_internal.key_index(t.relid, (a.attname)::text, format('simhash_bands(%I)'::text, a.attname)) IS NOT NULL) AND (neardup_internal.key_index(t.relid, ((index_statements.guarded).signature)::text, format('simhash_bands(%I)'::text, (index_statements.guarded).signature)) IS NULL))
         UNION ALL
          SELECT t.relid,
             t.is_root,
             (1 + band.band),
             format('(@extschema@.simhash_rotated(%I, %s));'::text, (index_statements.guarded).signature, band.band) AS format
            FROM (tables t
              CROSS JOIN generate_series(0, 3) band(band))
           WHERE (((index_statements.guarded).method = 'simhash'::text) AND (neardup_internal.rotated_index(t.relid, ((index_statements.guarded).signature)::text, band.band) IS NULL))
         )
  SELECT format('CREATE INDEX %sON %s %s'::text,
         CASE
             WHEN m.is_root THEN ''::text
             ELSE 'CONCURRENTLY '::text
         END, (m.relid)::regclass, m.definition) AS format
    FROM missing m
   ORDER BY m.is_root, ((m.relid)::regclass)::text, m.place;
END;

CREATE OR REPLACE PROCEDURE neardup.backfill(IN target regclass, IN document name DEFAULT NULL::name, IN batch integer DEFAULT 1000, IN throttle interval DEFAULT NULL::interval, INOUT signed bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document, NULL);
    statements text;
BEGIN
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_committing('backfill');
    IF NOT guarded.enabled THEN
        RAISE EXCEPTION 'the guard of % is disabled', target USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'Its trigger signs the rows.',
            HINT = pg_catalog.format('ALTER TABLE %s ENABLE TRIGGER %I;', target, guarded.trigger);
    END IF;
    PERFORM neardup_internal.start_work(target, 'backfill', 'pages');
    CALL neardup_internal.sign_by_pages(guarded, NULL, batch, throttle, signed);
    PERFORM neardup_internal.end_work(target);
    SELECT pg_catalog.string_agg(s, ' ') INTO statements FROM neardup_internal.index_statements(guarded) s;
    IF statements IS NOT NULL THEN
        RAISE NOTICE 'the signatures of % lack an index, and the guard or a search reads the whole table for each row', target
            USING HINT = pg_catalog.format('Build what is missing: %s', statements);
    END IF;
END
$procedure$;

CREATE OR REPLACE FUNCTION neardup_internal.rank_order(target regclass, rank text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    entry text;
    parts text[];
    list text := '';
BEGIN
    FOREACH entry IN ARRAY coalesce(rank, '{}') LOOP
        parts := pg_catalog.regexp_match(entry, '^\s*("([^"]|"")+"|[^\s"]+)(\s+(asc|desc))?(\s+nulls\s+(first|last))?\s*$', 'i');
        IF parts IS NULL THEN
            RAISE EXCEPTION 'rank must name columns, each with asc or desc if need be: "%"', entry
                USING ERRCODE = 'invalid_parameter_value', HINT = 'rank => ARRAY[''source_rank desc'', ''day'']';
        END IF;
        IF parts[1] LIKE '"%' THEN
            parts[1] := pg_catalog.replace(pg_catalog.substr(parts[1], 2, pg_catalog.length(parts[1]) - 2), '""', '"');
        END IF;
        PERFORM neardup_internal.column_type(target, parts[1]::name);
        list := list || pg_catalog.format('t.%I %s NULLS %s, ', parts[1], pg_catalog.upper(coalesce(parts[4], 'asc')),
                                          pg_catalog.upper(coalesce(parts[6], 'last')));
    END LOOP;
    RETURN list;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.keep_order(guarded neardup.protected, keep text, age name, rank text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    by_rank text := neardup_internal.rank_order(guarded.target, rank);
    by_age text := '';
    by_keep text;
BEGIN
    IF age IS NOT NULL THEN
        PERFORM neardup_internal.column_type(guarded.target, age);
        by_age := pg_catalog.format('t.%I %s NULLS LAST, ', age, CASE keep WHEN 'newest' THEN 'DESC' ELSE 'ASC' END);
    END IF;
    by_keep := CASE keep
        WHEN 'oldest' THEN by_age
        WHEN 'newest' THEN by_age || neardup_internal.each('t.%1$I DESC, ', keys, '')
        WHEN 'longest' THEN pg_catalog.format('pg_catalog.length(%s) DESC, %s', neardup_internal.document_of(guarded, 't'), by_age)
        WHEN 'most_complete' THEN
            pg_catalog.format('%s, %s', neardup_internal.each('(t.%1$I IS NULL)::integer', neardup_internal.column_names(guarded.target), ' + '), by_age)
    END;
    IF by_keep IS NULL THEN
        RAISE EXCEPTION 'keep must be oldest, newest, longest or most_complete: %', keep USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN by_rank || by_keep || neardup_internal.each('t.%1$I', keys);
END
$function$;

ALTER TYPE neardup_internal.choice ADD ATTRIBUTE within interval, ADD ATTRIBUTE timed name;

CREATE OR REPLACE FUNCTION neardup_internal.chosen(guarded neardup.protected, keep text, age name, rank text[], scope name[], since text, until text, verify text, within interval)
 RETURNS neardup_internal.choice
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    choice neardup_internal.choice;
BEGIN
    PERFORM neardup_internal.check_within(within);
    PERFORM neardup_internal.column_type(guarded.target, s) FROM pg_catalog.unnest(scope) s;
    choice.keep := keep;
    choice.age := coalesce(age, guarded.age);
    choice.rank := rank;
    choice.scope := coalesce(scope, guarded.scope);
    choice.since := since;
    choice.until := until;
    choice.verify := neardup_internal.chosen_verify(verify);
    choice.within := coalesce(within, guarded.within);
    -- The guard's window goes by the guard's column, whatever the order goes by.
    choice.timed := CASE WHEN within IS NULL THEN guarded.age ELSE choice.age END;
    IF within IS NOT NULL AND choice.timed IS NULL THEN
        RAISE EXCEPTION 'within wants a column to go by' USING ERRCODE = 'null_value_not_allowed',
            HINT = 'Name it: age => ''column''.';
    END IF;
    IF choice.within IS NOT NULL AND NOT neardup_internal.is_time(neardup_internal.check_column(guarded.target, choice.timed)) THEN
        RAISE EXCEPTION 'column "%" of table % is no time', choice.timed, guarded.target USING ERRCODE = 'datatype_mismatch',
            DETAIL = 'A time is of type timestamp with or without time zone, or date.';
    END IF;
    RETURN choice;
END
$function$;

COMMENT ON FUNCTION neardup_internal.chosen(neardup.protected,pg_catalog.text,pg_catalog.name,pg_catalog.text[],pg_catalog.name[],pg_catalog.text,pg_catalog.text,pg_catalog.text,interval) IS 'the arguments of a clean-up, and the guard''s settings where nothing is said';

CREATE FUNCTION neardup_internal.microseconds(within interval)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (round((EXTRACT(epoch FROM within) * (1000000)::numeric)))::bigint;

COMMENT ON FUNCTION neardup_internal.microseconds(interval) IS 'length of an interval in microseconds';

CREATE OR REPLACE FUNCTION neardup_internal.moment(timed name, alias text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN format('CASE WHEN pg_catalog.isfinite(%1$s.%2$I) THEN (EXTRACT(epoch FROM %1$s.%2$I) OPERATOR(pg_catalog.*) 1000000)::bigint WHEN %1$s.%2$I OPERATOR(pg_catalog.=) ''infinity'' THEN 9223372036854775807 WHEN %1$s.%2$I OPERATOR(pg_catalog.=) ''-infinity'' THEN -9223372036854775807 END'::text, alias, timed);

COMMENT ON FUNCTION neardup_internal.moment(pg_catalog.name,pg_catalog.text) IS 'SQL expression for the time in a column, in microseconds';

CREATE OR REPLACE FUNCTION neardup_internal.choice_filter(guarded neardup.protected, choice neardup_internal.choice)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    -- Unsigned rows are passed over by near_duplicate_of. Left out here, they would let the planner, whose statistics may be older
    -- than the backfill, take the list for empty.
    filter text := 'true';
    type text;
BEGIN
    IF choice.since IS NULL AND choice.until IS NULL THEN
        RETURN filter;
    END IF;
    IF choice.age IS NULL THEN
        RAISE EXCEPTION 'since and until want a column to go by' USING ERRCODE = 'null_value_not_allowed',
            HINT = 'Name it: age => ''column''.';
    END IF;
    type := neardup_internal.column_type(guarded.target, choice.age);
    -- Read here, so that a value that is none gives a plain error.
    EXECUTE pg_catalog.format('SELECT CAST($1 AS %1$s), CAST($2 AS %1$s)', type) USING choice.since, choice.until;
    IF choice.since IS NOT NULL THEN
        filter := filter || pg_catalog.format(' AND t.%I %s CAST(%L AS %s)', choice.age,
            neardup_internal.comparison(guarded.target, choice.age, 4), choice.since, type);
    END IF;
    IF choice.until IS NOT NULL THEN
        filter := filter || pg_catalog.format(' AND t.%I %s CAST(%L AS %s)', choice.age,
            neardup_internal.comparison(guarded.target, choice.age, 1), choice.until, type);
    END IF;
    RETURN filter;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.copies_query(guarded neardup.protected, choice neardup_internal.choice)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    by_scope text := '';
    keep_order text := neardup_internal.keep_order(guarded, choice.keep, choice.age, choice.rank);
    is_judged boolean := choice.verify <> 'none' OR choice.within IS NOT NULL;
    -- Within a statement a row stays where it is: in a table that is one, its place finds it soonest. Whoever may read some columns only
    -- may not read the place.
    has_places boolean := is_judged AND (SELECT c.relkind = 'r' AND NOT c.relhassubclass AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
                                         FROM pg_catalog.pg_class c WHERE c.oid = guarded.target::oid);
    grouping text;
BEGIN
    IF pg_catalog.cardinality(choice.scope) > 0 THEN
        by_scope := neardup_internal.each('t.%1$I', choice.scope) || ', ';
    END IF;
    -- Places are counted over all scopes, near_duplicate_of counts in one: the difference of the two counts leads from one to the other.
    -- BETWEEN, because the planner takes that for few rows, which copies and members of groups are.
    grouping := pg_catalog.format(
        'WITH signed AS MATERIALIZED (SELECT %1$s%11$s, t.%2$I AS signature, pg_catalog.row_number() OVER a AS place, '
        '%8$s@extschema@.near_duplicate_of(t.%2$I, %3$s) OVER %9$s AS first '
        'FROM %4$s t WHERE %5$s WINDOW a AS (ORDER BY %7$s%6$s)%10$s), '
        'copies AS MATERIALIZED (SELECT * FROM signed s WHERE s.place - s.first BETWEEN 1 AND 9223372036854775807), '
        'sizes AS (SELECT c.first, pg_catalog.count(*) + 1 AS size FROM copies c GROUP BY c.first) ',
        neardup_internal.each('t.%1$I AS k%2$s', keys), guarded.signature, guarded.distance, guarded.target,
        neardup_internal.choice_filter(guarded, choice), keep_order, by_scope,
        CASE WHEN by_scope <> '' THEN 'pg_catalog.row_number() OVER a - pg_catalog.row_number() OVER w + ' END,
        CASE WHEN by_scope <> '' THEN 'w' ELSE 'a' END,
        ', w AS (PARTITION BY ' || pg_catalog.rtrim(nullif(by_scope, ''), ', ') || ' ORDER BY ' || keep_order || ')',
        CASE WHEN has_places THEN ', t.ctid AS tid' END);
    IF NOT is_judged THEN
        RETURN grouping || pg_catalog.format(
            'SELECT %1$s, %2$s, @extschema@.hamming_distance(m.signature, r.signature) AS distance, z.size AS group_size, '
            'NULL::text AS verdict, NULL::double precision AS score '
            'FROM copies m JOIN sizes z ON z.first = m.first JOIN signed r ON r.place = m.first ORDER BY m.first, m.place',
            neardup_internal.each('m.k%2$s', keys), neardup_internal.each('r.k%2$s AS r%2$s', keys));
    END IF;
    -- Texts and times of a group decide into which messages it falls apart. Sorted before the texts are there, of which a sort would
    -- carry along a copy, and then left in that order: a sort for each array of each group would take longer than reading the texts.
    RETURN grouping || pg_catalog.format(
        ', members AS MATERIALIZED (SELECT m.* FROM sizes z JOIN signed m ON m.first = z.first AND m.place BETWEEN 1 AND 9223372036854775807), '
        'gathered AS (SELECT m.first, pg_catalog.array_agg(m.place) AS places, '
        'pg_catalog.array_agg(CAST(m.signature AS bigint)) AS signatures, %1$s AS documents, %7$s AS times '
        'FROM (SELECT m.first, m.place, m.signature, %10$s AS document, %11$s AS time '
        'FROM (SELECT * FROM members ORDER BY first, place) m JOIN %2$s t ON %3$s ORDER BY m.first, m.place) m GROUP BY m.first), '
        'judged AS MATERIALIZED (SELECT g.places[j.member] AS place, g.places[j.stays] AS first, %8$s '
        'FROM gathered g CROSS JOIN LATERAL neardup_internal.judge_group(g.signatures, g.documents, %4$s%9$s) j), '
        'counted AS (SELECT j.first, pg_catalog.count(*) AS size FROM judged j GROUP BY j.first) '
        'SELECT %5$s, %6$s, @extschema@.hamming_distance(m.signature, r.signature) AS distance, c.size AS group_size, j.verdict, j.score '
        'FROM judged j JOIN counted c ON c.first = j.first JOIN members m ON m.place = j.place JOIN members r ON r.place = j.first '
        'WHERE j.place <> j.first ORDER BY j.first, j.place',
        CASE choice.verify WHEN 'none' THEN 'NULL::text[]' ELSE 'pg_catalog.array_agg(m.document)' END,
        guarded.target, CASE WHEN has_places THEN 't.ctid OPERATOR(pg_catalog.=) m.tid AND ' ELSE '' END
            || neardup_internal.equal(guarded.target, keys, 't.%1$I', 'm.k%2$s'), guarded.distance,
        neardup_internal.each('m.k%2$s', keys), neardup_internal.each('r.k%2$s AS r%2$s', keys),
        CASE WHEN choice.within IS NULL THEN 'NULL::bigint[]' ELSE 'pg_catalog.array_agg(m.time)' END,
        CASE choice.verify WHEN 'none' THEN 'NULL::text AS verdict, NULL::double precision AS score' ELSE 'j.verdict, j.score' END,
        ', g.times, ' || neardup_internal.microseconds(choice.within)::text,
        CASE choice.verify WHEN 'none' THEN 'NULL' ELSE neardup_internal.document_of(guarded, 't') END,
        CASE WHEN choice.within IS NULL THEN 'NULL' ELSE neardup_internal.moment(choice.timed, 't') END);
END
$function$;

CREATE FUNCTION neardup.duplicates(target regclass, keep text DEFAULT 'oldest'::text, age name DEFAULT NULL::name, document name DEFAULT NULL::name, max_distance integer DEFAULT NULL::integer, rank text[] DEFAULT NULL::text[], scope name[] DEFAULT NULL::name[], since text DEFAULT NULL::text, until text DEFAULT NULL::text, verify text DEFAULT NULL::text, within interval DEFAULT NULL::interval)
 RETURNS TABLE(key text, duplicate_of text, distance integer, group_size bigint, measure text, value double precision, verdict text)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    keys name[] := neardup_internal.key_columns(target);
BEGIN
    guarded.distance := coalesce(max_distance, guarded.distance);
    PERFORM neardup_internal.tell_of_unsigned(guarded);
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT pg_catalog.concat_ws('', '', %s), pg_catalog.concat_ws('', '', %s), c.distance, c.group_size, '
        'CASE WHEN c.verdict IS NULL THEN ''hamming_distance'' ELSE ''same_message'' END, coalesce(c.score, c.distance), c.verdict FROM (%s) c',
        neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', keys),
        neardup_internal.copies_query(guarded, neardup_internal.chosen(guarded, keep, age, rank, scope, since, until, verify, within)));
END
$function$;

COMMENT ON FUNCTION neardup.duplicates(pg_catalog.regclass,pg_catalog.text,pg_catalog.name,pg_catalog.name,integer,pg_catalog.text[],pg_catalog.name[],pg_catalog.text,pg_catalog.text,pg_catalog.text,interval) IS 'copies in a guarded table, within the guard''s distance or another (0 to 11): key, key of the row of its group that would stay, Hamming distance between the two, rows in the group, measure and value that decided, verdict on the texts';

CREATE OR REPLACE FUNCTION neardup_internal.still_copies(guarded neardup.protected, choice neardup_internal.choice, stays_hash text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN concat_ws(' AND '::text, format('@extschema@.hamming_distance(t.%1$I, r.%1$I) <= %2$s'::text, (guarded).signature, (guarded).distance), (SELECT string_agg(format('(t.%1$I %2$s r.%1$I OR t.%1$I IS NULL AND r.%1$I IS NULL)'::text, s.s, neardup_internal.comparison(((still_copies.guarded).target)::oid, s.s)), ' AND '::text) AS string_agg FROM unnest((still_copies.choice).scope) s(s)), CASE WHEN ((choice).within IS NOT NULL) THEN format('coalesce(pg_catalog.abs((%s)::numeric - (%s)::numeric) <= %s::numeric, true)'::text, neardup_internal.moment((choice).timed, 't'::text), neardup_internal.moment((choice).timed, 'r'::text), neardup_internal.microseconds((choice).within)) ELSE NULL::text END, CASE (choice).verify WHEN 'facts'::text THEN format('%s = c.document_hash AND %s = c.stays_hash'::text, neardup_internal.document_hash(guarded, 't'::text), stays_hash) ELSE NULL::text END);

COMMENT ON FUNCTION neardup_internal.still_copies(neardup.protected,neardup_internal.choice,pg_catalog.text) IS 'condition under which a chosen row may still go';

CREATE OR REPLACE FUNCTION neardup_internal.preparing_statements(guarded neardup.protected, choice neardup_internal.choice, on_reference text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
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
$function$;

COMMENT ON FUNCTION neardup_internal.preparing_statements(neardup.protected,neardup_internal.choice,pg_catalog.text) IS 'statements that lock the rows of a batch and see to the foreign keys that point at them';

CREATE FUNCTION neardup_internal.compared_columns(guarded neardup.protected, choice neardup_internal.choice)
 RETURNS name[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ARRAY(SELECT c.name FROM unnest((((compared_columns.guarded).signature || (compared_columns.choice).scope) || (compared_columns.choice).timed)) WITH ORDINALITY c(name, place) WHERE (c.name IS NOT NULL) GROUP BY c.name ORDER BY (min(c.place)));

COMMENT ON FUNCTION neardup_internal.compared_columns(neardup.protected,neardup_internal.choice) IS 'columns that a copy must still have in common with the row that stays, or be near in';

CREATE OR REPLACE FUNCTION neardup_internal.removing_statement(guarded neardup.protected, choice neardup_internal.choice, action text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN format('WITH chosen AS MATERIALIZED (SELECT c.*, %8$s FROM pg_temp.neardup_chosen c JOIN %1$s r ON %2$s
WHERE NOT c.chained AND c.reason IS NULL AND c.place > $1 AND c.place <= $2 FOR KEY SHARE OF r),
gone AS (%6$s CROSS JOIN LATERAL (SELECT %10$s) r WHERE %11$s AND %7$s
RETURNING pg_catalog.concat_ws('', '', %4$s) AS key, pg_catalog.concat_ws('', '', %3$s) AS duplicate_of, c.distance, c.verdict, %9$s AS record)
INSERT INTO neardup.removed (run_id, batch, key, duplicate_of, distance, verdict, columns, record)
SELECT $3, $4, g.key, g.duplicate_of, g.distance, g.verdict,
    (SELECT CASE WHEN n.columns OPERATOR(pg_catalog.=) $5 THEN NULL ELSE n.columns END FROM neardup_internal.column_names(%12$L) n(columns)), g.record
FROM gone g'::text, (guarded).target, neardup_internal.equal(((guarded).target)::oid, neardup_internal.key_columns((guarded).target), 'r.%1$I'::text, 'c.r%2$s'::text), neardup_internal.each('c.r%2$s'::text, neardup_internal.key_columns((guarded).target)), neardup_internal.each('t.%1$I'::text, neardup_internal.key_columns((guarded).target)), neardup_internal.each('c.k%2$s'::text, neardup_internal.key_columns((guarded).target)), CASE action WHEN 'mark'::text THEN format('UPDATE %s t SET %I = CAST(pg_catalog.concat_ws('', '', %s) AS %s) FROM chosen c'::text, (guarded).target, neardup_internal.mark_of(guarded), neardup_internal.each('c.r%2$s'::text, neardup_internal.key_columns((guarded).target)), CASE WHEN (neardup_internal.mark_of(guarded) = ANY (neardup_internal.column_names((guarded).target))) THEN neardup_internal.column_type((guarded).target, neardup_internal.mark_of(guarded)) ELSE 'text'::text END) ELSE format('DELETE FROM %s t USING chosen c'::text, (guarded).target) END, neardup_internal.still_copies(guarded, choice, 'c.neardup_hash'::text), (neardup_internal.each('r.%1$I AS neardup_%2$s'::text, neardup_internal.compared_columns(guarded, choice)) || CASE (choice).verify WHEN 'facts'::text THEN ((', '::text || neardup_internal.document_hash(guarded, 'r'::text)) || ' AS neardup_hash'::text) ELSE ''::text END), CASE action WHEN 'archive'::text THEN 'neardup_internal.row_text(t.*)'::text ELSE 'NULL::text'::text END, neardup_internal.each('c.neardup_%2$s AS %1$I'::text, neardup_internal.compared_columns(guarded, choice)), neardup_internal.equal(((guarded).target)::oid, neardup_internal.key_columns((guarded).target), 't.%1$I'::text, 'c.k%2$s'::text), (guarded).target);

COMMENT ON FUNCTION neardup_internal.removing_statement(neardup.protected,neardup_internal.choice,pg_catalog.text) IS 'statement that removes or marks the rows of a batch and records them';

CREATE FUNCTION neardup_internal.chosen_table()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL RESTRICTED
RETURN CASE WHEN (EXISTS (SELECT FROM pg_class c WHERE ((c.oid = (to_regclass('pg_temp.neardup_chosen'::text))::oid) AND (NOT pg_has_role(c.relowner, 'USAGE'::text))))) THEN format('pg_temp.neardup_chosen_%s'::text, ((CURRENT_USER)::regrole)::oid) ELSE 'pg_temp.neardup_chosen'::text END;

COMMENT ON FUNCTION neardup_internal.chosen_table() IS 'the temporary table that a clean-up lists its copies in';

CREATE FUNCTION neardup_internal.on_chosen(statement text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL RESTRICTED STRICT
RETURN replace(statement, 'pg_temp.neardup_chosen'::text, neardup_internal.chosen_table());

COMMENT ON FUNCTION neardup_internal.on_chosen(pg_catalog.text) IS 'the statement with that table''s name in it';

CREATE OR REPLACE FUNCTION neardup_internal.choose(guarded neardup.protected, choice neardup_internal.choice, action text, OUT chosen bigint, OUT chained bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    marked name := neardup_internal.mark_of(guarded);
    mark_known boolean;
BEGIN
    IF pg_catalog.to_regclass(neardup_internal.chosen_table()) IS NOT NULL THEN
        EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
    END IF;
    mark_known := action = 'mark' AND marked = ANY (neardup_internal.column_names(guarded.target));
    IF mark_known THEN
        -- A row that is marked already does not become the one that stays.
        choice.rank := pg_catalog.array_cat(ARRAY[pg_catalog.quote_ident(marked) || ' nulls first'], choice.rank);
    END IF;
    -- In one statement, hence of one moment: the texts that were judged are those whose hashes are kept.
    EXECUTE pg_catalog.format(
        'CREATE TEMPORARY TABLE %s AS SELECT n.*, %s FROM (SELECT pg_catalog.row_number() OVER () AS place, c.*, '
        'c.distance > %s AND c.verdict IS NULL AS chained, NULL::text AS reason FROM (%s) c) n%s',
        neardup_internal.chosen_table(),
        CASE choice.verify WHEN 'facts' THEN pg_catalog.format('%s AS document_hash, %s AS stays_hash',
            neardup_internal.document_hash(guarded, 't'), neardup_internal.document_hash(guarded, 'r'))
        ELSE 'NULL::bigint AS document_hash, NULL::bigint AS stays_hash' END,
        guarded.distance, neardup_internal.copies_query(guarded, choice),
        CASE choice.verify WHEN 'facts' THEN pg_catalog.format(' JOIN %1$s t ON %2$s JOIN %1$s r ON %3$s', guarded.target,
            neardup_internal.equal(guarded.target, keys, 't.%1$I', 'n.k%2$s'), neardup_internal.equal(guarded.target, keys, 'r.%1$I', 'n.r%2$s')) END);
    IF mark_known THEN
        EXECUTE neardup_internal.on_chosen(pg_catalog.format(
            'DELETE FROM pg_temp.neardup_chosen c USING %s t WHERE %s AND t.%I IS NOT NULL',
            guarded.target, neardup_internal.equal(guarded.target, keys, 't.%1$I', 'c.k%2$s'), marked));
    END IF;
    EXECUTE neardup_internal.on_chosen('ALTER TABLE pg_temp.neardup_chosen ADD PRIMARY KEY (place)');
    EXECUTE neardup_internal.on_chosen('ANALYZE pg_temp.neardup_chosen');
    EXECUTE neardup_internal.on_chosen('SELECT pg_catalog.count(*) FILTER (WHERE NOT c.chained), pg_catalog.count(*) FILTER (WHERE c.chained) '
        'FROM pg_temp.neardup_chosen c') INTO chosen, chained;
END
$function$;

CREATE OR REPLACE PROCEDURE neardup.cleanup(IN target regclass, IN keep text DEFAULT 'oldest'::text, IN dry_run boolean DEFAULT true, IN batch integer DEFAULT 1000, IN age name DEFAULT NULL::name, IN document name DEFAULT NULL::name, IN max_distance integer DEFAULT NULL::integer, IN action text DEFAULT 'archive'::text, IN rank text[] DEFAULT NULL::text[], IN scope name[] DEFAULT NULL::name[], IN since text DEFAULT NULL::text, IN until text DEFAULT NULL::text, IN on_reference text DEFAULT 'skip'::text, IN verify text DEFAULT NULL::text, IN throttle interval DEFAULT NULL::interval, IN within interval DEFAULT NULL::interval, INOUT run_id bigint DEFAULT NULL::bigint, INOUT removed bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    choice neardup_internal.choice := neardup_internal.chosen(guarded, keep, age, rank, scope, since, until, verify, within);
    counts record;
    chosen bigint;
    chained bigint;
    all_places bigint;
    preparing text[];
    removing text;
    arguments text;
    place bigint := 0;
    batches integer := 0;
    left_in_place bigint := 0;
    told timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_cleanup(target, action, on_reference);
    guarded.distance := coalesce(max_distance, guarded.distance);
    PERFORM neardup_internal.tell_of_unsigned(guarded);
    removed := 0;
    preparing := CASE WHEN action = 'mark' THEN '{}' ELSE ARRAY(
        SELECT neardup_internal.on_chosen(s.statement)
        FROM pg_catalog.unnest(neardup_internal.preparing_statements(guarded, choice, on_reference)) WITH ORDINALITY s(statement, place) ORDER BY s.place) END;
    removing := neardup_internal.on_chosen(neardup_internal.removing_statement(guarded, choice, action));

    IF dry_run IS DISTINCT FROM false THEN
        counts := neardup_internal.choose(guarded, choice, action);
        IF counts.chained > 0 THEN
            RAISE NOTICE '% rows of groups are further than % from the row that stays and are left in place', counts.chained, guarded.distance;
        END IF;
        PERFORM neardup_internal.tell_chosen(neardup_internal.key_columns(target), action);
        IF action <> 'mark' THEN
            PERFORM neardup_internal.tell_of_references(target, on_reference);
        END IF;
        arguments := pg_catalog.concat_ws(', ', pg_catalog.quote_literal(target), 'keep => ' || pg_catalog.quote_literal(keep),
            'age => ' || pg_catalog.quote_literal(age), 'document => ' || pg_catalog.quote_literal(document),
            'max_distance => ' || max_distance::text, 'rank => ' || pg_catalog.quote_literal(rank),
            'scope => ' || pg_catalog.quote_literal(scope), 'since => ' || pg_catalog.quote_literal(since),
            'until => ' || pg_catalog.quote_literal(until), 'verify => ' || pg_catalog.quote_literal(verify),
            'within => ' || pg_catalog.quote_literal(within));
        RAISE NOTICE 'dry run: % of the rows of % would %; nothing has been changed', counts.chosen, target,
                CASE action WHEN 'mark' THEN 'be marked' ELSE 'go' END
            USING DETAIL = pg_catalog.format('Each batch runs: %s', pg_catalog.array_to_string(pg_catalog.array_append(preparing, removing), E';\n')),
                  HINT = pg_catalog.format('See them all: SELECT * FROM neardup.duplicates(%s); %s them: CALL neardup.cleanup(%s, dry_run => false);',
                      arguments, CASE action WHEN 'mark' THEN 'mark' ELSE 'remove' END,
                      pg_catalog.concat_ws(', ', arguments, 'action => ' || pg_catalog.quote_literal(nullif(action, 'archive')),
                          'on_reference => ' || pg_catalog.quote_literal(nullif(on_reference, 'skip'))));
        EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
        RETURN;
    END IF;

    PERFORM neardup_internal.check_committing('cleanup');
    PERFORM neardup_internal.start_work(target, 'cleanup', 'rows');
    IF action = 'mark' AND neardup_internal.mark_of(guarded) <> ALL (neardup_internal.column_names(target)) THEN
        PERFORM neardup_internal.lock_patiently(target);
        EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I text', target, neardup_internal.mark_of(guarded));
    END IF;
    counts := neardup_internal.choose(guarded, choice, action);
    chosen := counts.chosen;
    chained := counts.chained;
    IF chained > 0 THEN
        RAISE NOTICE '% rows of groups are further than % from the row that stays and are left in place', chained, guarded.distance;
    END IF;
    IF chosen = 0 THEN
        RAISE NOTICE 'no copies to % in %', CASE action WHEN 'mark' THEN 'mark' ELSE 'remove' END, target;
        EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
        PERFORM neardup_internal.end_work(target);
        RETURN;
    END IF;
    INSERT INTO neardup.runs AS r (target, document, action, mark, keep, distance, columns)
    VALUES (target, guarded.document, action, CASE WHEN action = 'mark' THEN neardup_internal.mark_of(guarded) END, keep, guarded.distance, neardup_internal.column_names(target)) RETURNING r.run_id INTO run_id;
    EXECUTE neardup_internal.on_chosen('SELECT pg_catalog.max(c.place) FROM pg_temp.neardup_chosen c') INTO all_places;
    -- The rate is that of removing, without the choice before it.
    UPDATE neardup.running r SET started = pg_catalog.clock_timestamp(), total = all_places
    WHERE r.target::oid = cleanup.target::oid AND r.role = CURRENT_USER;
    COMMIT;
    WHILE place < all_places LOOP
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        batches := batches + 1;
        counts := neardup_internal.remove_batch(preparing, removing, place, place + batch, run_id, batches, target);
        place := place + batch;
        removed := removed + counts.removed;
        UPDATE neardup.runs r SET removed = r.removed + counts.removed, repointed = r.repointed + counts.repointed WHERE r.run_id = cleanup.run_id;
        told := neardup_internal.note_work(target, place, all_places, told);
        COMMIT;
        IF throttle > interval '0' THEN
            PERFORM pg_catalog.pg_sleep_for(throttle);
            COMMIT;
        END IF;
    END LOOP;
    IF removed < chosen OR chained > 0 THEN
        left_in_place := neardup_internal.tell_skipped(target, run_id, action, guarded.distance);
    END IF;
    UPDATE neardup.runs r SET finished = pg_catalog.clock_timestamp(), skipped = left_in_place WHERE r.run_id = cleanup.run_id;
    EXECUTE 'DROP TABLE ' || neardup_internal.chosen_table();
    PERFORM neardup_internal.end_work(target);
    IF removed < chosen THEN
        RAISE NOTICE '% rows were left in place: SELECT * FROM neardup.skipped WHERE run_id = %', chosen - removed, run_id;
    END IF;
    IF removed > 0 AND action <> 'delete' THEN
        RAISE NOTICE '% rows % %', removed, CASE action WHEN 'mark' THEN 'marked in' ELSE 'removed from' END, target
            USING HINT = pg_catalog.format('%s: CALL neardup.restore(%s);',
                CASE action WHEN 'mark' THEN 'Take the marks off' ELSE 'Bring them back' END, run_id);
    ELSIF removed > 0 THEN
        RAISE NOTICE '% rows removed from %, and not kept', removed, target;
    END IF;
END
$procedure$;

COMMENT ON PROCEDURE neardup.cleanup(pg_catalog.regclass,pg_catalog.text,boolean,integer,pg_catalog.name,pg_catalog.name,integer,pg_catalog.text,pg_catalog.text[],pg_catalog.name[],pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,interval,interval,bigint,bigint) IS 'removes, marks or archives copies, keeping one row of each group; a dry run unless dry_run => false; neardup.restore undoes it';

CREATE OR REPLACE FUNCTION neardup_internal.run_to_restore(run_id bigint)
 RETURNS neardup.runs
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    run neardup.runs;
BEGIN
    SELECT * INTO run FROM neardup.runs r WHERE r.run_id = run_to_restore.run_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', run_id USING ERRCODE = 'undefined_object', HINT = 'SELECT * FROM neardup.runs;';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = run.target::oid) THEN
        RAISE EXCEPTION 'the table of run % is gone', run_id USING ERRCODE = 'undefined_table',
            DETAIL = 'The removed rows are in neardup.removed, each as the text of its record.';
    END IF;
    -- Anybody may write a record by hand, and who brings it back has more rights, perhaps: who wrote it must be able to write there.
    IF EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = run.role) AND NOT (
        pg_catalog.has_table_privilege(run.role, run.target, CASE run.action WHEN 'mark' THEN 'UPDATE' ELSE 'INSERT, DELETE' END)
        AND (SELECT coalesce(pg_catalog.bool_and(pg_catalog.has_any_column_privilege(run.role, p.source, 'UPDATE')), true)
             FROM neardup.repointed p WHERE p.run_id = run_to_restore.run_id)
    ) THEN
        RAISE EXCEPTION 'run % is recorded for role %, which may not write to its tables', run_id, run.role USING ERRCODE = 'insufficient_privilege',
            DETAIL = pg_catalog.format('Bringing it back would write to %s, or to what refers to it, for a role that cannot.', run.target);
    END IF;
    IF run.action = 'delete' THEN
        RAISE EXCEPTION 'run % did not keep what it removed', run_id USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Use action => ''archive'' to keep removed rows.';
    END IF;
    IF run.action = 'archive' AND EXISTS (
        SELECT FROM neardup.removed d WHERE d.run_id = run_to_restore.run_id
            AND (coalesce(d.columns, run.columns) OPERATOR(pg_catalog.=)
                 (neardup_internal.column_names(run.target))[1:pg_catalog.cardinality(coalesce(d.columns, run.columns))]) IS NOT TRUE) THEN
        RAISE EXCEPTION 'the columns of % have changed since run %', run.target, run_id
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'The removed rows are in neardup.removed, each as the text of its record.';
    END IF;
    RETURN run;
END
$function$;

CREATE OR REPLACE PROCEDURE neardup.restore(IN run_id bigint, INOUT restored bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    run neardup.runs := neardup_internal.run_to_restore(run_id);
    number integer;
    part bigint;
    total bigint;
    told timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM neardup_internal.check_committing('restore');
    SELECT pg_catalog.count(*) INTO total FROM neardup.removed d WHERE d.run_id = restore.run_id;
    PERFORM neardup_internal.start_work(run.target, 'restore', 'rows', total);
    COMMIT;
    restored := 0;
    IF run.action = 'mark' THEN
        restored := neardup_internal.take_marks_off(run);
        UPDATE neardup.runs r SET restored = r.restored + restore.restored WHERE r.run_id = restore.run_id;
    ELSE
        -- The last batch first: what it removed may have been pointed at by rows that went before.
        FOR number IN SELECT DISTINCT d.batch FROM neardup.removed d WHERE d.run_id = restore.run_id ORDER BY 1 DESC LOOP
            part := neardup_internal.restore_rows(run, number);
            restored := restored + part;
            UPDATE neardup.runs r SET restored = r.restored + part WHERE r.run_id = restore.run_id;
            told := neardup_internal.note_work(run.target, restored, total, told);
            COMMIT;
        END LOOP;
    END IF;
    PERFORM neardup_internal.end_work(run.target);
    IF EXISTS (SELECT FROM neardup.removed d WHERE d.run_id = restore.run_id) THEN
        RAISE NOTICE 'some rows of run % stay in neardup.removed: their keys are taken again, or rows they refer to are gone', run_id;
    END IF;
    IF EXISTS (SELECT FROM neardup.repointed p WHERE p.run_id = restore.run_id) THEN
        RAISE NOTICE 'some references of run % were not pointed back: SELECT * FROM neardup.repointed WHERE run_id = %', run_id, run_id;
    END IF;
END
$procedure$;

CREATE OR REPLACE PROCEDURE neardup.purge(IN older_than interval, IN batch integer DEFAULT 10000, INOUT purged bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    run bigint;
    affected bigint;
    list name;
BEGIN
    PERFORM neardup_internal.check_batch(batch, NULL);
    IF older_than IS NULL OR older_than < interval '0' THEN
        RAISE EXCEPTION 'older_than must be 0 or more: %', older_than USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF neardup_internal.in_transaction_block() THEN
        RAISE EXCEPTION 'neardup.purge cannot run inside a transaction block' USING ERRCODE = 'active_sql_transaction',
            DETAIL = 'It commits after each batch.', HINT = 'Call it on its own, with autocommit on.';
    END IF;
    PERFORM neardup_internal.check_committing('purge');
    purged := 0;
    FOR run IN
        SELECT r.run_id FROM neardup.runs r
        WHERE coalesce(r.finished, r.started) < pg_catalog.now() - older_than
              AND NOT EXISTS (SELECT FROM neardup.progress p WHERE p.target::oid = r.target::oid)
        ORDER BY 1
    LOOP
        FOREACH list IN ARRAY ARRAY['removed', 'skipped', 'repointed'] LOOP
            LOOP
                EXECUTE pg_catalog.format(
                    'DELETE FROM neardup.%1$I d WHERE d.ctid = ANY (ARRAY(SELECT o.ctid FROM neardup.%1$I o WHERE o.run_id = $1 LIMIT $2))', list)
                    USING run, batch;
                GET DIAGNOSTICS affected = ROW_COUNT;
                purged := purged + affected;
                COMMIT;
                EXIT WHEN affected < batch;
            END LOOP;
        END LOOP;
        DELETE FROM neardup.runs r WHERE r.run_id = run;
        COMMIT;
    END LOOP;
    DELETE FROM neardup.running r WHERE NOT EXISTS (SELECT FROM neardup.progress p WHERE p.target::oid = r.target::oid AND p.pid = r.pid);
END
$procedure$;

CREATE OR REPLACE FUNCTION neardup.report(target regclass, document name DEFAULT NULL::name, max_distance integer DEFAULT NULL::integer, verify text DEFAULT NULL::text, top integer DEFAULT 10)
 RETURNS TABLE(item text, name text, value double precision)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    keys name[] := neardup_internal.key_columns(target);
BEGIN
    IF top < 0 THEN
        RAISE EXCEPTION 'top must be 0 or more: %', top USING ERRCODE = 'invalid_parameter_value';
    END IF;
    guarded.distance := coalesce(max_distance, guarded.distance);
    PERFORM neardup_internal.tell_of_unsigned(guarded);
    RETURN QUERY EXECUTE pg_catalog.format('SELECT ''rows''::text, NULL::text, pg_catalog.count(*)::double precision FROM %s', target);
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT ''signed''::text, NULL::text, pg_catalog.count(t.%I)::double precision FROM %s t', guarded.signature, target);
    RETURN QUERY EXECUTE pg_catalog.format(
        'WITH copies AS MATERIALIZED (SELECT pg_catalog.concat_ws('', '', %s) AS stays, c.distance, c.group_size FROM (%s) c), '
        'groups AS MATERIALIZED (SELECT c.stays, pg_catalog.max(c.group_size) AS size FROM copies c GROUP BY c.stays) '
        'SELECT ''groups'', NULL, pg_catalog.count(*)::double precision FROM groups '
        'UNION ALL SELECT ''duplicates'', NULL, pg_catalog.count(*) FROM copies '
        'UNION ALL SELECT ''share'', NULL, coalesce(pg_catalog.round((SELECT pg_catalog.count(*) FROM copies)::numeric / nullif((SELECT pg_catalog.count(*) FROM %s), 0)::numeric, 4), 0) '
        'UNION ALL SELECT ''distance'', d.distance::text, d.n FROM (SELECT c.distance, pg_catalog.count(*) AS n FROM copies c GROUP BY 1 ORDER BY 1) d '
        'UNION ALL SELECT ''largest group'', g.stays, g.size FROM (SELECT * FROM groups ORDER BY size DESC, stays LIMIT %s) g',
        neardup_internal.each('c.r%2$s', keys),
        neardup_internal.copies_query(guarded, neardup_internal.chosen(guarded, 'oldest', NULL, NULL, NULL, NULL, NULL, verify, NULL)), target, coalesce(top, 10));
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT ''hottest band'', pg_catalog.format(''band %%s, bits %%s'', k.key >> 16, pg_catalog.lpad(pg_catalog.to_hex(k.key & 65535), 4, ''0'')), k.n::double precision '
        'FROM (SELECT b.key, pg_catalog.count(*) AS n FROM %s t CROSS JOIN LATERAL pg_catalog.unnest(@extschema@.simhash_bands(t.%I)) b(key) '
        'GROUP BY b.key ORDER BY n DESC, b.key LIMIT %s) k', target, guarded.signature, coalesce(top, 10));
END
$function$;

CREATE OR REPLACE FUNCTION neardup.report_html(target regclass, document name DEFAULT NULL::name, max_distance integer DEFAULT NULL::integer, verify text DEFAULT NULL::text, samples integer DEFAULT 5)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    keys name[] := neardup_internal.key_columns(target);
    shown jsonb;
    overview jsonb;
BEGIN
    IF samples IS NULL OR samples NOT BETWEEN 0 AND 100 THEN
        RAISE EXCEPTION 'samples must be between 0 and 100: %', samples USING ERRCODE = 'invalid_parameter_value';
    END IF;
    guarded.distance := coalesce(max_distance, guarded.distance);
    -- The largest groups, each with the copy that is furthest from the row that stays: where mistakes would be.
    EXECUTE pg_catalog.format(
        'SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(''stays'', pg_catalog.concat_ws('', '', %1$s), ''copy'', pg_catalog.concat_ws('', '', %2$s), '
        '''said'', pg_catalog.format(''%%sdistance %%s, group of %%s'', c.verdict || '', '', c.distance, c.group_size), '
        '''stays_text'', %3$s, ''copy_text'', %9$s) ORDER BY c.group_size DESC, %1$s) '
        'FROM (SELECT f.* FROM (SELECT DISTINCT ON (%1$s) c.* FROM (%4$s) c ORDER BY %1$s, c.distance DESC, %2$s) f '
        'ORDER BY f.group_size DESC, f.distance DESC LIMIT %5$s) c JOIN %6$s r ON %7$s JOIN %6$s t ON %8$s',
        neardup_internal.each('c.r%2$s', keys), neardup_internal.each('c.k%2$s', keys), neardup_internal.document_of(guarded, 'r'),
        neardup_internal.copies_query(guarded, neardup_internal.chosen(guarded, 'oldest', NULL, NULL, NULL, NULL, NULL, verify, NULL)), samples, target,
        neardup_internal.equal(target, keys, 'r.%1$I', 'c.r%2$s'), neardup_internal.equal(target, keys, 't.%1$I', 'c.k%2$s'),
        neardup_internal.document_of(guarded, 't')) INTO shown;
    SELECT pg_catalog.jsonb_build_object(
               'title', pg_catalog.format('Near-duplicates in %s, column %s', target, guarded.document),
               'numbers', pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(r.item, r.value::text)) FILTER (WHERE r.name IS NULL)
                   || pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_array('analyzer', guarded.analyzer),
                                                   pg_catalog.jsonb_build_array('within distance', guarded.distance::text)),
               'largest', coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(r.name, r.value)) FILTER (WHERE r.item = 'largest group'), '[]'),
               'distances', coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(r.name, r.value)) FILTER (WHERE r.item = 'distance'), '[]'),
               'bands', coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(r.name, r.value)) FILTER (WHERE r.item = 'hottest band'), '[]'),
               'samples', coalesce(shown, '[]'))
        INTO overview FROM neardup.report(target, document, max_distance, verify) r;
    RETURN neardup_internal.render_report(overview::text);
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.sign_next()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
    -- Arguments: document column, signature column, analyzer, and the document of the row $1 where it is more than that column.
    make text := 'SELECT ' || coalesce(TG_ARGV[3], pg_catalog.format('($1).%I::text', TG_ARGV[0]));
    document text;
    old_document text;
    known boolean := false;
BEGIN
    EXECUTE make INTO document USING NEW;
    IF TG_OP = 'UPDATE' THEN
        EXECUTE make INTO old_document USING OLD;
        EXECUTE pg_catalog.format('SELECT ($1).%I IS NOT NULL', TG_ARGV[1]) INTO known USING NEW;
    END IF;
    IF NOT known OR document IS DISTINCT FROM old_document THEN
        NEW := pg_catalog.jsonb_populate_record(
            NEW, pg_catalog.jsonb_build_object(TG_ARGV[1], neardup.analyzer_simhash(document, TG_ARGV[2])));
    END IF;
    RETURN NEW;
END
$function$;

CREATE OR REPLACE VIEW neardup.resigning AS
 SELECT (t.tgrelid)::regclass AS target,
    (a.arguments[1])::name AS document,
    (a.arguments[2])::name AS signature,
    a.arguments[3] AS analyzer,
    p.analyzer AS guard_analyzer,
    t.tgname AS trigger
   FROM ((pg_trigger t
     CROSS JOIN LATERAL ( SELECT array_agg((convert_from(decode(replace(s.digits, ' '::text, ''::text), 'hex'::text), 'UTF8'::name) COLLATE "default") ORDER BY s.place) AS arguments
           FROM unnest(string_to_array(regexp_replace(encode(t.tgargs, 'hex'::text), '(..)'::text, '\1 '::text, 'g'::text), '00 '::text)) WITH ORDINALITY s(digits, place)) a)
     LEFT JOIN neardup.protected p ON ((((p.target)::oid = t.tgrelid) AND (p.document = (a.arguments[1])::name))))
  WHERE ((t.tgfoid = ('neardup_internal.sign_next'::regproc)::oid) AND (t.tgparentid = (0)::oid));

CREATE OR REPLACE FUNCTION neardup.signed_otherwise(target regclass, document name DEFAULT NULL::name)
 RETURNS TABLE(key text)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
BEGIN
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT %s FROM %s t WHERE t.%I IS DISTINCT FROM neardup.analyzer_simhash(%s, $1)',
        neardup_internal.key_expression(target, 't'), target, guarded.signature, neardup_internal.document_of(guarded, 't')) USING guarded.analyzer;
END
$function$;

CREATE FUNCTION neardup_internal.count_otherwise(guarded neardup.protected, OUT unsigned bigint, OUT otherwise bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
BEGIN
    EXECUTE pg_catalog.format(
        'SELECT pg_catalog.count(*) FILTER (WHERE s.signature IS NULL), pg_catalog.count(s.signature) FROM '
        '(SELECT t.%1$I AS signature, neardup.analyzer_simhash(%2$s, $1) AS today FROM %3$s t) s WHERE s.signature IS DISTINCT FROM s.today',
        guarded.signature, neardup_internal.document_of(guarded, 't'), guarded.target) INTO unsigned, otherwise USING guarded.analyzer;
END
$function$;

COMMENT ON FUNCTION neardup_internal.count_otherwise(neardup.protected) IS 'rows without a signature that they should have, and rows signed otherwise';

CREATE OR REPLACE VIEW neardup.outdated AS
 SELECT p.target,
    p.document,
    p.analyzer,
    c.unsigned,
    c.otherwise
   FROM (neardup.protected p
     CROSS JOIN LATERAL neardup_internal.count_otherwise(p.*) c(unsigned, otherwise))
  WHERE ((p.method = 'simhash'::text) AND has_table_privilege((p.target)::oid, 'SELECT'::text));

COMMENT ON VIEW neardup.outdated IS 'for each guard: rows that have no signature and should, and rows whose signature is not what its analyzer gives today; reads and signs every row';

GRANT SELECT ON TABLE neardup.outdated TO public;

CREATE OR REPLACE FUNCTION neardup_internal.begin_resigning(guarded neardup.protected, analyzer text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
    next name := neardup_internal.next_column(guarded.signature);
BEGIN
    PERFORM neardup_internal.lock_patiently(guarded.target);
    EXECUTE pg_catalog.format('ALTER TABLE %s ADD COLUMN %I @extschema@.simhash', guarded.target, next);
    EXECUTE pg_catalog.format(
        'CREATE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION neardup_internal.sign_next(%L, %L, %L, %L)',
        'zzz_' || next::text, guarded.target, guarded.document, next, analyzer, neardup_internal.document_of(guarded, '($1)'));
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.resign_pages(guarded neardup.protected, analyzer text, part regclass, first bigint, after bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
    signed bigint;
BEGIN
    EXECUTE pg_catalog.format(
        'UPDATE ONLY %1$s t SET %2$I = s.signature FROM (SELECT o.ctid AS place, neardup.analyzer_simhash(%3$s, $1) AS signature FROM ONLY %1$s o '
        'WHERE o.ctid >= %4$L AND o.ctid < %5$L AND o.%2$I IS NULL OFFSET 0) s '
        'WHERE t.ctid = s.place AND t.ctid >= %4$L AND t.ctid < %5$L AND s.signature IS NOT NULL',
        part, neardup_internal.next_column(guarded.signature), neardup_internal.document_of(guarded, 'o'), pg_catalog.concat('(', first, ',0)'), pg_catalog.concat('(', after, ',0)')) USING analyzer;
    GET DIAGNOSTICS signed = ROW_COUNT;
    RETURN signed;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.end_resigning(guarded neardup.protected, analyzer text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
    next name := neardup_internal.next_column(guarded.signature);
    guards record;
BEGIN
    PERFORM neardup_internal.lock_patiently(guarded.target);
    EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', 'zzz_' || next::text, guarded.target);
    -- The guard's triggers as they are, but for the analyzer in their settings.
    SELECT pg_catalog.array_agg(t.tgname) AS names, pg_catalog.array_agg(t.tgenabled) AS enabled,
           pg_catalog.array_agg(pg_catalog.regexp_replace(pg_catalog.pg_get_triggerdef(t.oid), ' EXECUTE FUNCTION (.*)\(.*$', ' EXECUTE FUNCTION \1(')
               || CASE WHEN t.tgnargs = 0 THEN '' ELSE pg_catalog.quote_literal(
                      (s.settings || pg_catalog.jsonb_build_object('analyzer', analyzer))::text) END || ')') AS definitions
        INTO guards
    FROM pg_catalog.pg_trigger t
         CROSS JOIN LATERAL (
             SELECT CASE WHEN t.tgnargs = 1 THEN pg_catalog.convert_from(pg_catalog.substr(t.tgargs, 1, pg_catalog.length(t.tgargs) - 1), 'UTF8')::jsonb END AS settings
         ) s
         JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid AND p.pronamespace = 'neardup'::regnamespace::oid
    WHERE t.tgrelid = guarded.target::oid AND t.tgparentid = '0' AND p.proname <> 'sign_next'
          AND (t.tgname = guarded.trigger OR EXISTS (
              SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = guarded.target::oid AND a.attname = guarded.signature AND a.attnum = ANY (t.tgattr)));
    FOR i IN 1 .. pg_catalog.cardinality(guards.names) LOOP
        EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', guards.names[i], guarded.target);
    END LOOP;
    EXECUTE pg_catalog.format('ALTER TABLE %s DROP COLUMN %I', guarded.target, guarded.signature);
    EXECUTE pg_catalog.format('ALTER TABLE %s RENAME COLUMN %I TO %I', guarded.target, next, guarded.signature);
    FOR i IN 1 .. pg_catalog.cardinality(guards.names) LOOP
        EXECUTE guards.definitions[i];
        IF guards.enabled[i] = 'A' THEN
            EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guarded.target, guards.names[i]);
        END IF;
    END LOOP;
END
$function$;

CREATE OR REPLACE PROCEDURE neardup.resign(IN target regclass, IN analyzer text DEFAULT NULL::text, IN document name DEFAULT NULL::name, IN batch integer DEFAULT 1000, IN throttle interval DEFAULT NULL::interval, INOUT signed bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    beside neardup.protected := guarded;
    under_way text;
    statements text;
    missing boolean;
    is_empty boolean;
BEGIN
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_committing('resign');
    SELECT r.analyzer INTO under_way FROM neardup.resigning r WHERE r.target::oid = resign.target::oid AND r.document = guarded.document;
    analyzer := neardup.pinned_analyzer(coalesce(analyzer, under_way, guarded.analyzer));
    PERFORM neardup.analyzer_simhash('', analyzer);
    IF under_way <> analyzer THEN
        RAISE EXCEPTION 'table % is being signed again with analyzer %', target, under_way USING ERRCODE = 'object_in_use',
            HINT = pg_catalog.format('Finish that, or give it up: SELECT neardup.stop_resigning(%L);', target);
    END IF;
    beside.signature := neardup_internal.next_column(guarded.signature);
    PERFORM neardup_internal.start_work(target, 'resign', 'pages');
    IF under_way IS NULL THEN
        PERFORM neardup_internal.begin_resigning(guarded, analyzer);
    END IF;
    CALL neardup_internal.sign_by_pages(guarded, analyzer, batch, throttle, signed);
    EXECUTE pg_catalog.format('SELECT NOT EXISTS (SELECT FROM %s)', target) INTO is_empty;
    SELECT pg_catalog.string_agg(s, ' ') INTO statements FROM neardup_internal.index_statements(beside) s;
    IF statements IS NOT NULL AND NOT is_empty THEN
        PERFORM neardup_internal.end_work(target);
        RAISE NOTICE 'the new signatures of % are complete, and the guard still judges by the old ones', target
            USING HINT = pg_catalog.format('Build the indexes, then call neardup.resign again: %s', statements);
        RETURN;
    END IF;
    EXECUTE pg_catalog.format(
        'SELECT EXISTS (SELECT FROM %s t WHERE t.%I IS NULL AND neardup.analyzer_simhash(%s, $1) IS NOT NULL)',
        target, beside.signature, neardup_internal.document_of(guarded, 't')) INTO missing USING analyzer;
    IF missing THEN
        RAISE EXCEPTION 'some rows of % have no new signature', target USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'They were written while triggers were off; call neardup.resign again.';
    END IF;
    PERFORM neardup_internal.end_resigning(guarded, analyzer);
    IF is_empty THEN
        FOR statements IN SELECT s FROM neardup_internal.index_statements(guarded) s LOOP
            EXECUTE pg_catalog.replace(statements, 'CONCURRENTLY ', '');
        END LOOP;
    END IF;
    PERFORM neardup_internal.end_work(target);
END
$procedure$;

CREATE FUNCTION neardup_internal.rotated_parts(target oid, signature text)
 RETURNS TABLE(part oid, indexes oid[])
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 SELECT c.oid,
     ( SELECT array_agg(i.indexrelid ORDER BY band.band) AS array_agg
            FROM (generate_series(0, 3) band(band)
              JOIN pg_index i ON (((i.indexrelid = neardup_internal.rotated_index(c.oid, rotated_parts.signature, band.band)) AND (NOT i.indcheckxmin))))
           WHERE ((c.relkind = 'r'::"char") AND (NOT (EXISTS ( SELECT
                    FROM pg_inherits h
                   WHERE (h.inhparent = c.oid)))))) AS array_agg
    FROM pg_class c
   WHERE (((c.oid = rotated_parts.target) AND (c.relkind <> 'p'::"char")) OR (c.oid IN ( SELECT l.relid
            FROM pg_partition_tree((rotated_parts.target)::regclass) l(relid, parentrelid, isleaf, level)
           WHERE (l.isleaf AND ((l.relid)::oid <> rotated_parts.target)))));
END;

COMMENT ON FUNCTION neardup_internal.rotated_parts(pg_catalog.oid,pg_catalog.text) IS 'a table, or its partitions, with the indexes on rotated signatures, band by band';

CREATE OR REPLACE FUNCTION neardup_internal.table_of(kind regtype)
 RETURNS regclass
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    relation regclass := (SELECT nullif(t.typrelid, '0') FROM pg_catalog.pg_type t WHERE t.oid = kind::oid);
BEGIN
    IF relation IS NULL THEN
        RAISE EXCEPTION 'target must be a row of a table, not %', kind
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Give NULL::articles for the table articles.';
    END IF;
    RETURN relation;
END
$function$;

COMMENT ON FUNCTION neardup_internal.table_of(pg_catalog.regtype) IS 'the table whose rows are of a type';

CREATE OR REPLACE FUNCTION neardup.nearest(target anyelement, signature_column name, signature @extschema@.simhash, n integer)
 RETURNS SETOF anyelement
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE ROWS 10
AS $function$
DECLARE
    relation regclass := neardup_internal.table_of(pg_catalog.pg_typeof(target));
    reached integer := -1;
    radius integer;
    found bigint;
BEGIN
    IF n IS NULL OR n < 0 THEN
        RAISE EXCEPTION 'n must be 0 or more: %', coalesce(n::text, 'NULL') USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF signature IS NULL OR n = 0 THEN
        RETURN;
    END IF;
    IF neardup_internal.is_rotated(relation, signature_column::text) THEN
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT t.* FROM neardup_internal.nearest_places(%L, %L, %L, 64, $1) p JOIN %s t ON t.ctid = p.place AND t.tableoid = p.part '
            'ORDER BY p.distance', relation::oid, signature_column, signature, relation) USING n;
        RETURN;
    END IF;
    PERFORM neardup_internal.check_signature(relation, signature_column);
    -- The radii at which the number of keys jumps.
    FOREACH radius IN ARRAY '{3,7,11}'::integer[] LOOP
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT t.* FROM %1$s t WHERE @extschema@.simhash_within(t.%2$I, %3$L::@extschema@.simhash, %4$s) AND NOT @extschema@.hamming_within(t.%2$I, %3$L::@extschema@.simhash, %5$s) '
            'ORDER BY @extschema@.hamming_distance(t.%2$I, %3$L::@extschema@.simhash) LIMIT $1',
            relation, signature_column, signature, radius, reached) USING n;
        GET DIAGNOSTICS found = ROW_COUNT;
        n := n - found;
        reached := radius;
        IF n = 0 THEN
            RETURN;
        END IF;
    END LOOP;
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT t.* FROM %1$s t WHERE NOT @extschema@.hamming_within(t.%2$I, %3$L::@extschema@.simhash, %4$s) '
        'ORDER BY @extschema@.hamming_distance(t.%2$I, %3$L::@extschema@.simhash) LIMIT $1',
        relation, signature_column, signature, reached) USING n;
END
$function$;

COMMENT ON FUNCTION neardup.nearest(pg_catalog.anyelement,pg_catalog.name,@extschema@.simhash,integer) IS 'the n rows of a table nearest to a signature, nearest first; exact. By the B-tree indexes on simhash_rotated, which a guard makes, else by the GIN index on simhash_bands and at last by a scan: neardup.nearest(NULL::articles, ''sig'', signature, 10)';

CREATE OR REPLACE FUNCTION neardup.near(target anyelement, signature_column name, signature @extschema@.simhash, distance integer, n integer DEFAULT NULL::integer)
 RETURNS SETOF anyelement
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE ROWS 10
AS $function$
DECLARE
    relation regclass := neardup_internal.table_of(pg_catalog.pg_typeof(target));
BEGIN
    IF n < 0 THEN
        RAISE EXCEPTION 'n must be 0 or more: %', n USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF signature IS NULL OR distance IS NULL THEN
        RETURN;
    END IF;
    PERFORM @extschema@.simhash_probes(signature, distance); -- checks the distance
    IF neardup_internal.is_rotated(relation, signature_column::text) THEN
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT t.* FROM neardup_internal.nearest_places(%L, %L, %L, %s, $1) p JOIN %s t ON t.ctid = p.place AND t.tableoid = p.part '
            'ORDER BY p.distance', relation::oid, signature_column, signature, distance, relation) USING coalesce(n, 2147483647);
    ELSE
        PERFORM neardup_internal.check_signature(relation, signature_column);
        RETURN QUERY EXECUTE pg_catalog.format(
            'SELECT t.* FROM %1$s t WHERE @extschema@.simhash_within(t.%2$I, %3$L::@extschema@.simhash, %4$s) '
            'ORDER BY @extschema@.hamming_distance(t.%2$I, %3$L::@extschema@.simhash) LIMIT $1',
            relation, signature_column, signature, distance) USING n;
    END IF;
END
$function$;

COMMENT ON FUNCTION neardup.near(pg_catalog.anyelement,pg_catalog.name,@extschema@.simhash,integer,integer) IS 'the rows of a table within a distance, 0 to 11, of a signature, nearest first, at most n; exact. By the B-tree indexes on simhash_rotated, else by the GIN index on simhash_bands: neardup.near(NULL::articles, ''sig'', signature, 3)';

CREATE OR REPLACE FUNCTION neardup.exists_within(target regclass, signature_column name, signature @extschema@.simhash, distance integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT
AS $function$
DECLARE
    found boolean;
BEGIN
    IF neardup_internal.is_rotated(target, signature_column::text) THEN
        RETURN neardup_internal.any_rotated_within(target, signature_column::text, signature, distance);
    END IF;
    PERFORM neardup_internal.check_signature(target, signature_column);
    EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM %s t WHERE @extschema@.simhash_within(t.%I, %L::@extschema@.simhash, %s))',
                              target, signature_column, signature, distance) INTO found;
    RETURN found;
END
$function$;

COMMENT ON FUNCTION neardup.exists_within(pg_catalog.regclass,pg_catalog.name,@extschema@.simhash,integer) IS 'whether a table has a row within a distance, 0 to 11, of a signature. With the B-tree indexes on simhash_rotated, which a guard makes, it ends at the first such row, and equal ones are looked for first: neardup.exists_within(''articles'', ''sig'', signature, 3)';

DROP FUNCTION neardup_internal.check_resigning(neardup.protected);

DROP PROCEDURE neardup.cleanup(pg_catalog.regclass,pg_catalog.text,boolean,integer,pg_catalog.name,pg_catalog.name,integer,pg_catalog.text,pg_catalog.text[],pg_catalog.name[],pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,interval,bigint,bigint);

DROP FUNCTION neardup_internal.removing_statement(neardup.protected,pg_catalog.text,pg_catalog.text);

DROP FUNCTION neardup_internal.preparing_statements(neardup.protected,pg_catalog.text,pg_catalog.text);

DROP FUNCTION neardup_internal.still_copies(neardup.protected,pg_catalog.text);

DROP FUNCTION neardup_internal.add_column(pg_catalog.regclass,pg_catalog.name,pg_catalog.text);

DROP FUNCTION neardup.duplicates(pg_catalog.regclass,pg_catalog.text,pg_catalog.name,pg_catalog.name,integer,pg_catalog.text[],pg_catalog.name[],pg_catalog.text,pg_catalog.text,pg_catalog.text);

DROP FUNCTION neardup.protect(pg_catalog.regclass,pg_catalog.name,integer,pg_catalog.text,pg_catalog.text,pg_catalog.text,double precision,pg_catalog.name[],interval,pg_catalog.name,pg_catalog.name[],pg_catalog.regproc,boolean);

DROP FUNCTION neardup_internal.guard_of(pg_catalog.regclass,pg_catalog.name);

CREATE OR REPLACE FUNCTION neardup_internal.tell_of_references(target regclass, on_reference text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
    k record;
    referred bigint;
BEGIN
    FOR k IN SELECT * FROM neardup_internal.foreign_keys(target) LOOP
        EXECUTE neardup_internal.on_chosen(pg_catalog.format(
            'SELECT pg_catalog.count(*) FROM pg_temp.neardup_chosen c JOIN %s t ON %s '
            'WHERE NOT c.chained AND EXISTS (SELECT FROM %s f WHERE %s AND NOT (f.tableoid = t.tableoid AND f.ctid = t.ctid))',
            target, neardup_internal.equal(target, neardup_internal.key_columns(target), 't.%1$I', 'c.k%2$s'), k.source,
            neardup_internal.refers(k.name, k.source))) INTO referred;
        IF referred > 0 THEN
            RAISE NOTICE '% of them are referred to by foreign key "%" of table % and would %', referred, k.name, k.source,
                CASE on_reference WHEN 'skip' THEN 'stay' ELSE 'go, once the references point to the row that stays' END;
        END IF;
    END LOOP;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.remove_batch(preparing text[], removing text, after bigint, last bigint, run_id bigint, batch integer, target regclass, OUT removed bigint, OUT repointed bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET "DateStyle" TO 'ISO, YMD'
 SET "IntervalStyle" TO 'postgres'
 SET "TimeZone" TO 'UTC'
 SET extra_float_digits TO '1'
 SET bytea_output TO 'hex'
 SET lc_monetary TO 'C'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.tell_chosen(keys name[], action text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
    sample text;
BEGIN
    FOR sample IN EXECUTE neardup_internal.on_chosen(pg_catalog.format(
        'SELECT pg_catalog.format(''would %s (%%s), distance %%s from (%%s), which stays%%s'', pg_catalog.concat_ws('', '', %s), c.distance, '
        'pg_catalog.concat_ws('', '', %s), '': '' || c.verdict) FROM pg_temp.neardup_chosen c WHERE NOT c.chained ORDER BY c.place LIMIT 10',
        CASE action WHEN 'mark' THEN 'mark' ELSE 'remove' END, neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', keys)))
    LOOP
        RAISE NOTICE '%', sample;
    END LOOP;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.tell_skipped(target regclass, run_id bigint, action text, distance integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET "DateStyle" TO 'ISO, YMD'
 SET "IntervalStyle" TO 'postgres'
 SET "TimeZone" TO 'UTC'
 SET extra_float_digits TO '1'
 SET bytea_output TO 'hex'
 SET lc_monetary TO 'C'
AS $function$
DECLARE
    keys name[] := neardup_internal.key_columns(target);
    skipped bigint;
    sample record;
BEGIN
    EXECUTE neardup_internal.on_chosen(pg_catalog.format(
        'INSERT INTO neardup.skipped (run_id, key, duplicate_of, reason) SELECT $1, pg_catalog.concat_ws('', '', %1$s), '
        'pg_catalog.concat_ws('', '', %2$s), CASE WHEN c.chained THEN $2 ELSE coalesce(c.reason, ''changed meanwhile'') END '
        'FROM pg_temp.neardup_chosen c WHERE (c.chained OR c.reason IS NOT NULL OR $3) AND EXISTS (SELECT FROM %3$s t WHERE %4$s) ORDER BY c.place',
        neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', keys), target, neardup_internal.equal(target, keys, 't.%1$I', 'c.k%2$s')))
        USING run_id, pg_catalog.format('further than %s from the row that stays', distance), action <> 'mark';
    GET DIAGNOSTICS skipped = ROW_COUNT;
    FOR sample IN SELECT s.* FROM neardup.skipped s WHERE s.run_id = tell_skipped.run_id LIMIT 10 LOOP
        RAISE NOTICE 'skipped (%): %', sample.key, sample.reason;
    END LOOP;
    RETURN skipped;
END
$function$;

CREATE OR REPLACE PROCEDURE neardup.train_profile(IN name text, IN query text, IN keep integer DEFAULT 100000, INOUT version integer DEFAULT NULL::integer)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    newest neardup.profile_versions;
    trained bytea;
BEGIN
    IF query IS NULL OR keep IS NULL THEN
        RAISE EXCEPTION 'query and keep must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT * INTO newest FROM neardup.profile_versions v WHERE v.name = train_profile.name ORDER BY v.version DESC LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'profile "%" does not exist', name USING ERRCODE = 'undefined_object',
            HINT = pg_catalog.format('Make it first: SELECT neardup.create_profile(%L);', name);
    END IF;
    EXECUTE pg_catalog.format(
        E'SELECT neardup_internal.train_statistics(d.document::text, $1, $2) FROM (%s\n) d(document)',
        pg_catalog.rtrim(query, E'; \n\r\t')) INTO trained USING name || '@' || newest.version::text, keep;
    IF trained IS NULL THEN
        RAISE EXCEPTION 'the query gives no document with a token' USING ERRCODE = 'no_data_found';
    END IF;
    INSERT INTO neardup.profile_versions AS v (name, role, analyzer, words, statistics)
    VALUES (name, newest.role, newest.analyzer, newest.words, trained)
    RETURNING v.version INTO train_profile.version;
END
$procedure$;

CREATE OR REPLACE FUNCTION neardup.drop_profile(name text, version integer DEFAULT NULL::integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
    used record;
BEGIN
    SELECT v.version, v.guards[1] AS target INTO used FROM neardup.profiles v
    WHERE v.name = drop_profile.name AND (drop_profile.version IS NULL OR v.version = drop_profile.version) AND v.guards IS NOT NULL
    ORDER BY v.version LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'version % of profile "%" is used by the guard of %', used.version, name, used.target
            USING ERRCODE = 'dependent_objects_still_exist', HINT = 'Take the guard down first: neardup.unprotect.';
    END IF;
    DELETE FROM neardup.profile_versions v
    WHERE v.name = drop_profile.name AND (drop_profile.version IS NULL OR v.version = drop_profile.version);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'profile "%"%', name, CASE WHEN version IS NULL THEN ' does not exist' ELSE ' has no version ' || version::text END
            USING ERRCODE = 'undefined_object';
    END IF;
    DELETE FROM neardup.profile_names n
    WHERE n.name = drop_profile.name AND NOT EXISTS (SELECT FROM neardup.profile_versions v WHERE v.name = n.name);
END
$function$;

CREATE OR REPLACE FUNCTION neardup.hot_bands(target regclass, signature_column name DEFAULT NULL::name, n integer DEFAULT 20, bands integer DEFAULT 4)
 RETURNS TABLE(band integer, key integer, row_count bigint, share double precision, signatures bigint, most_common @extschema@.simhash)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    candidates name[];
BEGIN
    IF signature_column IS NULL THEN
        candidates := coalesce(neardup_internal.signature_columns(target), '{}');
        IF pg_catalog.cardinality(candidates) <> 1 THEN
            RAISE EXCEPTION '% has % columns of type simhash', target, pg_catalog.cardinality(candidates)
                USING ERRCODE = 'invalid_parameter_value', HINT = 'Name the signature column.';
        END IF;
        signature_column := candidates[1];
    END IF;
    PERFORM neardup_internal.check_signature(target, signature_column);
    PERFORM @extschema@.simhash_bands('0000000000000000'::@extschema@.simhash, bands); -- checks the number
    IF n < 0 THEN
        RAISE EXCEPTION 'n must be 0 or more: %', n USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN QUERY EXECUTE pg_catalog.format(
        'WITH key AS (SELECT t.%2$I::@extschema@.simhash AS signature, k.key, (k.band - 1)::integer AS band, pg_catalog.count(*) AS rows '
        '             FROM %1$s t, LATERAL pg_catalog.unnest(@extschema@.simhash_bands(t.%2$I, $1)) WITH ORDINALITY AS k(key, band) '
        '             GROUP BY 1, 2, 3) '
        'SELECT band, key, pg_catalog.sum(rows)::bigint, '
        '       pg_catalog.sum(rows)::double precision / (SELECT pg_catalog.count(t.%2$I) FROM %1$s t)::double precision, pg_catalog.count(*), '
        '       (pg_catalog.array_agg(signature ORDER BY rows DESC, signature))[1] '
        'FROM key GROUP BY band, key ORDER BY 3 DESC, 1, 2 LIMIT $2',
        target, signature_column) USING bands, n;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.column_type(target regclass, name name)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    type text;
BEGIN
    SELECT pg_catalog.format_type(a.atttypid, a.atttypmod) INTO type FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = target::oid AND a.attname = name AND a.attnum > 0 AND NOT a.attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', name, target USING ERRCODE = 'undefined_column';
    END IF;
    RETURN type;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.note_work(target regclass, done bigint, total bigint, told timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
DECLARE
    p neardup.running;
    seconds double precision;
BEGIN
    UPDATE neardup.running r SET done = least(note_work.done, note_work.total), total = note_work.total, seen = pg_catalog.clock_timestamp()
    WHERE r.target::oid = note_work.target::oid AND r.role = CURRENT_USER RETURNING * INTO p;
    IF p.seen < told + interval '3 seconds' THEN
        RETURN told;
    END IF;
    seconds := greatest(pg_catalog.extract('epoch', p.seen - p.started), 0.001);
    RAISE NOTICE '%: % of % %, % a second, about % left', target, p.done, p.total, p.unit, pg_catalog.round((p.done::float8 / seconds)::numeric, 1),
        coalesce(pg_catalog.date_trunc('second', (p.seen - p.started) * ((p.total - p.done)::float8 / nullif(p.done, 0)::float8))::text, 'unknown time');
    RETURN p.seen;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.skip_statement(target regclass, name name, source regclass, columns name[], target_columns name[])
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN format('UPDATE pg_temp.neardup_chosen c SET reason = %1$L FROM %2$s t WHERE c.place > $1 AND c.place <= $2 AND NOT c.chained AND c.reason IS NULL AND %3$s AND EXISTS (SELECT FROM %4$s f WHERE %5$s AND NOT (f.tableoid = t.tableoid AND f.ctid = t.ctid))'::text, format('foreign key "%s" of table %s refers to it'::text, name, source), target, neardup_internal.equal((target)::oid, neardup_internal.key_columns(target), 't.%1$I'::text, 'c.k%2$s'::text), source, neardup_internal.refers(name, source));

CREATE OR REPLACE FUNCTION neardup_internal.repoint_statement(target regclass, name name, source regclass, columns name[], target_columns name[])
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN format('WITH moved AS (UPDATE %1$s f SET %2$s FROM pg_temp.neardup_chosen c, %3$s t, %3$s r WHERE c.place > $1 AND c.place <= $2 AND NOT c.chained AND c.reason IS NULL AND %4$s AND %5$s AND %6$s RETURNING ARRAY[%7$s] AS key, ARRAY[%8$s] AS old_values, ARRAY[%9$s] AS new_values) INSERT INTO neardup.repointed (run_id, batch, source, columns, target_columns, key_columns, key, old_values, new_values) SELECT $3, $4, %10$L::regclass, %11$L::name[], %12$L::name[], %13$L::name[], m.key, m.old_values, m.new_values FROM moved m'::text, source, (SELECT string_agg(format('%I = r.%I'::text, p.mine, p.theirs), ', '::text ORDER BY p.place) AS string_agg FROM UNNEST(repoint_statement.columns, repoint_statement.target_columns) WITH ORDINALITY p(mine, theirs, place)), target, neardup_internal.equal((target)::oid, neardup_internal.key_columns(target), 't.%1$I'::text, 'c.k%2$s'::text), neardup_internal.equal((target)::oid, neardup_internal.key_columns(target), 'r.%1$I'::text, 'c.r%2$s'::text), neardup_internal.refers(name, source), COALESCE(neardup_internal.each('f.%1$I::text'::text, neardup_internal.key_columns(source)), '(f.*)::text'::text), neardup_internal.each('t.%1$I::text'::text, target_columns), neardup_internal.each('r.%1$I::text'::text, target_columns), source, columns, target_columns, neardup_internal.key_columns(source));

CREATE OR REPLACE FUNCTION neardup_internal.check_cleanup(target regclass, action text, on_reference text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    hidden name;
BEGIN
    IF action IS NULL OR action NOT IN ('archive', 'delete', 'mark') THEN
        RAISE EXCEPTION 'action must be archive, delete or mark: %', action USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF on_reference IS NULL OR on_reference NOT IN ('skip', 'repoint') THEN
        RAISE EXCEPTION 'on_reference must be skip or repoint: %', on_reference USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT c.conname INTO hidden FROM pg_catalog.pg_constraint c
    WHERE c.contype = 'f' AND c.confrelid = target::oid AND c.confdeltype IN ('c', 'n', 'd') AND pg_catalog.row_security_active(c.conrelid);
    IF FOUND AND action <> 'mark' THEN
        RAISE EXCEPTION 'row security hides rows that foreign key "%" would change or remove', hidden
            USING ERRCODE = 'insufficient_privilege', HINT = 'Run this as a role that sees all rows of that table.';
    END IF;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.insert_removed(run neardup.runs, batch integer, place tid)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
    columns name[];
    writable name[];
    keys name[] := neardup_internal.key_columns(run.target);
    added integer;
    restored bigint;
BEGIN
    SELECT coalesce(d.columns, run.columns) INTO columns FROM neardup.removed d WHERE d.run_id = run.run_id AND d.batch = insert_removed.batch LIMIT 1;
    SELECT pg_catalog.array_agg(a.attname ORDER BY a.attnum) INTO writable FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = run.target::oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attname = ANY (columns);
    -- Columns that came later get their defaults; the text of the record wants a place for them.
    added := pg_catalog.cardinality(neardup_internal.column_names(run.target)) - pg_catalog.cardinality(columns);
    EXECUTE pg_catalog.format(
        'WITH source AS MATERIALIZED (SELECT d.ctid AS place, CAST(pg_catalog.left(d.record, -1) || %6$L || '')'' AS %1$s) AS r FROM neardup.removed d '
        'WHERE d.run_id = $1 AND d.batch = $2 AND d.role = $3 AND ($4 IS NULL OR d.ctid = $4) AND d.record IS NOT NULL), '
        'inserted AS (INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE SELECT %3$s FROM source s ON CONFLICT DO NOTHING RETURNING %4$s) '
        'DELETE FROM neardup.removed d USING source s, inserted i WHERE d.ctid = s.place AND %5$s',
        run.target, neardup_internal.each('%1$I', writable), neardup_internal.each('(s.r).%1$I', writable), neardup_internal.each('%1$I AS k%2$s', keys),
        neardup_internal.equal(run.target, keys, '(s.r).%1$I', 'i.k%2$s'), pg_catalog.repeat(',', added))
        USING run.run_id, batch, run.role, place;
    GET DIAGNOSTICS restored = ROW_COUNT;
    RETURN restored;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.point_back(run neardup.runs, batch integer)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
    g record;
    changed bigint;
    back bigint := 0;
BEGIN
    FOR g IN
        SELECT DISTINCT p.source, p.columns, p.target_columns, p.key_columns FROM neardup.repointed p
        WHERE p.run_id = run.run_id AND p.batch = point_back.batch AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = p.source::oid)
    LOOP
        EXECUTE pg_catalog.format(
            'WITH log AS MATERIALIZED (SELECT p.*, p.ctid AS place, pg_catalog.row_number() OVER (PARTITION BY p.key) AS n FROM neardup.repointed p '
            'WHERE p.run_id = $1 AND p.batch = $2 AND p.source::oid = $3 AND p.columns OPERATOR(pg_catalog.=) $4 AND p.target_columns OPERATOR(pg_catalog.=) $5), '
            'back AS (UPDATE %1$s f SET %2$s FROM log l%3$s WHERE %4$s AND %5$s AND EXISTS (SELECT FROM %6$s t WHERE %7$s) RETURNING l.place) '
            'DELETE FROM neardup.repointed p USING back b WHERE p.ctid = b.place',
            g.source,
            (SELECT pg_catalog.string_agg(pg_catalog.format('%I = CAST(l.old_values[%s] AS %s)', c.name, c.i, neardup_internal.column_type(g.source, c.name)), ', ')
             FROM pg_catalog.unnest(g.columns) WITH ORDINALITY c(name, i)),
            CASE WHEN g.key_columns IS NULL THEN pg_catalog.format(
                ', (SELECT s.tableoid AS part, s.ctid AS place, (s.*)::text AS record, pg_catalog.row_number() OVER (PARTITION BY (s.*)::text) AS n FROM %s s) s', g.source) END,
            coalesce(
                (SELECT pg_catalog.string_agg(pg_catalog.format('f.%I %s CAST(l.key[%s] AS %s)', c.name, neardup_internal.comparison(g.source, c.name), c.i, neardup_internal.column_type(g.source, c.name)), ' AND ')
                 FROM pg_catalog.unnest(g.key_columns) WITH ORDINALITY c(name, i)),
                'f.tableoid = s.part AND f.ctid = s.place AND s.record = l.key[1] AND s.n = l.n'),
            (SELECT pg_catalog.string_agg(pg_catalog.format('f.%I %s CAST(l.new_values[%s] AS %s)', c.name, neardup_internal.comparison(g.source, c.name), c.i, neardup_internal.column_type(g.source, c.name)), ' AND ')
             FROM pg_catalog.unnest(g.columns) WITH ORDINALITY c(name, i)),
            run.target,
            (SELECT pg_catalog.string_agg(pg_catalog.format('t.%I %s CAST(l.old_values[%s] AS %s)', c.name, neardup_internal.comparison(run.target, c.name), c.i, neardup_internal.column_type(run.target, c.name)), ' AND ')
             FROM pg_catalog.unnest(g.target_columns) WITH ORDINALITY c(name, i)))
            USING run.run_id, batch, g.source::oid, g.columns, g.target_columns;
        GET DIAGNOSTICS changed = ROW_COUNT;
        back := back + changed;
    END LOOP;
    RETURN back;
END
$function$;

CREATE OR REPLACE FUNCTION neardup.stop_resigning(target regclass, document name DEFAULT NULL::name)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    r neardup.resigning;
BEGIN
    SELECT * INTO r FROM neardup.resigning s WHERE s.target::oid = stop_resigning.target::oid AND s.document = guarded.document;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not being signed again', target USING ERRCODE = 'undefined_object';
    END IF;
    EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', r.trigger, target);
    EXECUTE pg_catalog.format('ALTER TABLE %s DROP COLUMN %I', target, r.signature);
END
$function$;

CREATE OR REPLACE PROCEDURE neardup.purge_verdicts(IN older_than interval DEFAULT '30 days'::interval, INOUT purged bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    IF older_than IS NULL OR older_than < interval '0' THEN
        RAISE EXCEPTION 'older_than must be 0 or more: %', older_than USING ERRCODE = 'invalid_parameter_value';
    END IF;
    DELETE FROM neardup.verdicts v WHERE v.at < pg_catalog.now() - older_than;
    GET DIAGNOSTICS purged = ROW_COUNT;
END
$procedure$;

CREATE OR REPLACE FUNCTION neardup_internal.check_column(target regclass, name name)
 RETURNS oid
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.check_document(target regclass, name name)
 RETURNS void
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
    kind oid := neardup_internal.check_column(target, name);
BEGIN
    IF kind::regtype::text NOT IN ('text', 'character varying', 'character') THEN
        RAISE EXCEPTION 'column "%" of table % has type %', name, target, kind::regtype
            USING ERRCODE = 'datatype_mismatch', DETAIL = 'A document is of type text, character varying or character.';
    END IF;
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.add_mark(target regclass, short text)
 RETURNS name
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.add_diverted(target regclass)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.add_counter(target regclass, document name, short text, action text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
    counter text := neardup_internal.free_name(target, short || '_' || action);
    owner name;
BEGIN
    SELECT pg_catalog.pg_get_userbyid(c.relowner) INTO owner FROM pg_catalog.pg_class c WHERE c.oid = target::oid;
    EXECUTE pg_catalog.format('CREATE SEQUENCE %s', counter);
    EXECUTE pg_catalog.format('ALTER SEQUENCE %s OWNER TO %I', counter, owner);
    EXECUTE pg_catalog.format('ALTER SEQUENCE %s OWNED BY %s.%I', counter, target, document);
END
$function$;

CREATE OR REPLACE FUNCTION neardup_internal.free_name(target regclass, ending text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT
AS $function$
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
$function$;

ALTER TABLE neardup.runs ADD COLUMN columns name[];

ALTER TABLE neardup.removed ALTER COLUMN columns DROP NOT NULL;
