-- protect: create a guard, or change its settings; unprotect: remove it.

CREATE FUNCTION neardup_internal.checked_guard(target regclass, document text, columns text[], expression regproc, method text, analyzer text, keys integer, distance integer, on_duplicate text, verify text, threshold double precision, scope text[], within interval, time_column text, log boolean, merge regproc, title text, differ text[], agree text[], excerpts text, on_related text, finds_title boolean) RETURNS text
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'checked_guard_wrapper';
COMMENT ON FUNCTION neardup_internal.checked_guard(regclass, text, text[], regproc, text, text, integer, integer, text, text, double precision, text[], interval, text, boolean, regproc, text, text[], text[], text, text, boolean) IS 'checks the arguments of neardup.protect: the settings of the guard''s trigger, its columns and its title, as JSON; finds_title: a column that is called a title is one, if none is named';

CREATE FUNCTION neardup_internal.guard_index(target regclass, settings text, columns text[]) RETURNS regclass
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'guard_index_wrapper';
COMMENT ON FUNCTION neardup_internal.guard_index(regclass, text, text[]) IS 'the index by which a guard with these settings finds candidates';

CREATE FUNCTION neardup_internal.index_statement(target regclass, settings text, columns text[], concurrently boolean) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'index_statement_wrapper';
COMMENT ON FUNCTION neardup_internal.index_statement(regclass, text, text[], boolean) IS 'the statement that creates the index of a guard';

CREATE FUNCTION neardup_internal.keep_out(target regclass) RETURNS boolean
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'keep_out_wrapper';
COMMENT ON FUNCTION neardup_internal.keep_out(regclass) IS 'keeps clean-ups of other sessions off a table until the end of the transaction; false if one is running';

CREATE FUNCTION neardup.protect(
    target regclass,
    document name,
    method text DEFAULT NULL,
    on_duplicate text DEFAULT NULL,
    verify text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    scope name[] DEFAULT NULL,
    within interval DEFAULT NULL,
    time_column name DEFAULT NULL,
    columns name[] DEFAULT NULL,
    expression regproc DEFAULT NULL,
    title name DEFAULT NULL,
    differ name[] DEFAULT NULL,
    agree name[] DEFAULT NULL,
    excerpts text DEFAULT NULL,
    on_related text DEFAULT NULL,
    merge regproc DEFAULT NULL,
    log boolean DEFAULT NULL,
    analyzer text DEFAULT NULL,
    keys integer DEFAULT NULL,
    distance integer DEFAULT NULL,
    reset name[] DEFAULT NULL
) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    short text := neardup_internal.short_name(document);
    checked jsonb;
    settings jsonb;
    named text[];
    guarded neardup.protected;
    kept neardup.protected;
    is_new boolean;
    -- Whether what answers were about is compared in another way now.
    compares_anew boolean;
BEGIN
    IF neardup_internal.is_distributed(target) THEN
        RAISE EXCEPTION 'table % is distributed', target USING ERRCODE = 'feature_not_supported',
            DETAIL = 'A guard is a row trigger, which Citus refuses on distributed tables; and the copy of a row may be on another node.',
            HINT = format('Create the index yourself, CREATE INDEX ON %s USING gin (sketch(%I)), and find copies by keys: docs/citus.md.',
                target, document);
    END IF;
    IF array_ndims(columns) > 1 OR array_ndims(scope) > 1 OR array_ndims(differ) > 1 OR array_ndims(agree) > 1 THEN
        RAISE EXCEPTION '% must be a plain list of names',
            CASE WHEN array_ndims(columns) > 1 THEN 'columns' WHEN array_ndims(scope) > 1 THEN 'scope'
                 WHEN array_ndims(differ) > 1 THEN 'differ' ELSE 'agree' END
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM neardup_internal.lock_guards(target);
    SELECT * INTO guarded FROM neardup.protected p WHERE p.target::oid = protect.target::oid AND p.document = protect.document;
    is_new := NOT FOUND;
    kept := neardup_internal.kept_settings(guarded, method, on_duplicate, verify, reset);
    method := coalesce(method, kept.method, 'sketch');
    on_duplicate := coalesce(on_duplicate, kept.on_duplicate, 'reject');
    verify := coalesce(verify, kept.verify, 'facts');
    threshold := coalesce(threshold, kept.threshold);
    scope := coalesce(scope, kept.scope);
    within := coalesce(within, kept.within);
    time_column := coalesce(time_column, kept.time_column);
    columns := coalesce(columns, kept.columns);
    expression := coalesce(expression, neardup_internal.function_of_row(target, kept.expression));
    differ := coalesce(differ, kept.differ);
    agree := coalesce(agree, kept.agree);
    title := coalesce(title, CASE WHEN kept.title <> ALL (coalesce(array_remove(columns || scope || differ || agree || time_column, NULL), '{}')) THEN kept.title END);
    excerpts := coalesce(excerpts, kept.excerpts, 'remove');
    on_related := coalesce(on_related, kept.on_related, 'store');
    merge := coalesce(merge, kept.merge::oid::regproc);
    log := coalesce(log, kept.log);
    analyzer := coalesce(analyzer, kept.analyzer);
    keys := coalesce(keys, kept.keys);
    distance := coalesce(distance, kept.distance);
    checked := neardup_internal.checked_guard(target, document::text, columns::text[], expression, method, analyzer, keys, distance,
        on_duplicate, verify, threshold, scope::text[], within, time_column::text, log, merge, title::text, differ::text[], agree::text[], excerpts, on_related,
        -- A verify that reads no title has dropped it.
        (is_new OR guarded.verify <> verify AND guarded.verify = ANY ('{overlap,cosine,none}')) AND NOT coalesce(reset && '{title,all}', false));
    settings := checked -> 'settings';
    named := ARRAY(SELECT jsonb_array_elements_text(checked -> 'columns'));

    IF title IS NULL AND guarded.title IS NOT NULL AND NOT coalesce(reset && '{title,all}', false) THEN
        RAISE NOTICE 'the guard of % reads no title any more', target
            USING DETAIL = CASE WHEN kept.title IS NULL THEN format('verify %s reads none.', verify) ELSE format('Column %I has another role now.', guarded.title) END;
    END IF;
    IF threshold IS NULL AND guarded.threshold IS NOT NULL AND NOT coalesce(reset && '{threshold,all}', false) THEN
        RAISE NOTICE 'threshold % was for verify %, and is not kept', guarded.threshold, guarded.verify;
    END IF;
    -- Rows without a time would give way to those that have one.
    IF is_new AND (SELECT c.missing * 10 <= c.counted FROM neardup_internal.count_missing(target, (checked ->> 'proposed_time')::name) c
                   WHERE checked ->> 'proposed_time' IS NOT NULL) THEN
        RAISE NOTICE 'the guard of % has no time column', target
            USING DETAIL = 'The distance in time helps to tell a copy from a later text of the same form.' || CASE WHEN EXISTS (
                      SELECT FROM pg_attribute a WHERE a.attrelid = target::oid AND a.attname = (neardup_internal.key_columns(target))[1]
                          AND a.atttypid IN ('uuid'::regtype, 'text'::regtype, 'varchar'::regtype))
                      THEN ' Without it, the row with the smaller key counts as the older one and is kept.' ELSE '' END,
                  HINT = format('Column %1$I is a time: SELECT neardup.protect(%2$L, %3$L, time_column => %4$L);',
                      checked ->> 'proposed_time', target, document, checked ->> 'proposed_time');
    END IF;
    IF title IS NULL AND checked ->> 'title' IS NOT NULL THEN
        title := checked ->> 'title';
        RAISE NOTICE 'the guard of % reads column "%" as the title of a text', target, title
            USING DETAIL = 'Where many texts follow one form, what decides stands in the title. The same text under another title may be another row, and is then stored.',
                  HINT = format('If it is none: SELECT neardup.protect(%L, %L, reset => ''{title}'');', target, document);
    END IF;
    IF is_new THEN
        PERFORM neardup_internal.check_alone(target, document);
    END IF;
    guarded.target := target;
    guarded.document := document;
    -- Steps that read the table come before steps that lock others out, which are the triggers at the end.
    PERFORM neardup_internal.make_index(target, settings, named);
    IF on_duplicate = 'mark' AND guarded.duplicate_of IS NULL THEN
        guarded.duplicate_of := neardup_internal.add_mark(target, document);
    END IF;
    IF on_related = 'mark' AND guarded.related_to IS NULL THEN
        SELECT a.columns[1], a.columns[2] INTO guarded.related_to, guarded.related_as FROM neardup_internal.add_related(target, document) a(columns);
    END IF;
    IF on_duplicate = 'divert' AND (guarded.diverted_to IS NULL OR to_regclass(guarded.diverted_to) IS NULL) THEN
        guarded.diverted_to := neardup_internal.add_diverted(target);
    END IF;
    IF neardup_internal.guard_counter(guarded, on_duplicate) IS NULL THEN
        PERFORM neardup_internal.add_counter(target, document, short, on_duplicate);
    END IF;
    compares_anew := NOT is_new AND (
        (guarded.title, coalesce(guarded.columns, '{}'), coalesce(guarded.differ, '{}'), coalesce(guarded.agree, '{}'))
            IS DISTINCT FROM (title, coalesce(columns, '{}'), coalesce(differ, '{}'), coalesce(agree, '{}'))
        -- By name: the function that it had may be gone.
        OR guarded.expression IS DISTINCT FROM (
            SELECT format('%I.%I', n.nspname, f.proname) FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace WHERE f.oid = expression::oid));
    settings := settings || jsonb_strip_nulls(jsonb_build_object(
        'marks', nullif(guarded.duplicate_of IS NOT NULL, false),
        'relates', nullif(guarded.related_to IS NOT NULL, false),
        'correction', CASE WHEN guarded.verify = verify AND NOT compares_anew THEN neardup_internal.guard_correction(guarded) END,
        'answers_since', EXTRACT(epoch FROM CASE WHEN compares_anew THEN clock_timestamp() WHEN NOT is_new THEN nullif(neardup_internal.answers_since(guarded), '-infinity') END),
        'divert', neardup_internal.name_parts(to_regclass(guarded.diverted_to)),
        'counter', neardup_internal.name_parts(neardup_internal.guard_counter(guarded, on_duplicate)),
        'since', floor(EXTRACT(epoch FROM coalesce(guarded.since, now())))));
    IF NOT is_new THEN
        PERFORM neardup_internal.drop_triggers(guarded);
        PERFORM neardup_internal.retype_mark(target, document, m.name) FROM unnest(ARRAY[guarded.duplicate_of, guarded.related_to]) m(name) WHERE m.name IS NOT NULL;
    END IF;
    PERFORM neardup_internal.make_triggers(target, 'zz_neardup_' || short, named || ARRAY[guarded.duplicate_of, guarded.related_to, guarded.related_as]::text[], settings, merge);

    PERFORM neardup_internal.tell_unscoped(target, scope);
    PERFORM neardup_internal.tell_untimed(target, time_column);
    IF compares_anew THEN
        PERFORM neardup_internal.tell_answered(target, document);
    END IF;
    IF EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
               WHERE target::oid IN (i.inhparent, i.inhrelid) AND NOT c.relispartition) THEN
        RAISE NOTICE 'rows of tables that % inherits from, or that inherit from it, are neither guarded nor compared', target
            USING HINT = 'Triggers are not inherited. Each such table may have a guard of its own; make them partitions to have one for all.';
    END IF;
END
$$;

-- Says that answers hold no more, because they are about rows with their title and the columns that were compared.
CREATE FUNCTION neardup_internal.tell_answered(target regclass, document name) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    answers regclass := neardup_internal.trusted_answers(target);
    given bigint;
BEGIN
    IF answers IS NOT NULL THEN
        SELECT count(*) INTO given FROM neardup.answers(target) a WHERE a.document = tell_answered.document AND NOT a.holds;
        IF given > 0 THEN
            RAISE NOTICE '% answers on % hold no more', given, target
                USING DETAIL = 'They were given with another title, columns, expression, differ or agree. What was learned from them is forgotten.',
                      HINT = 'With the settings of before, they hold again.';
        END IF;
    END IF;
END
$$;

-- Says how many rows have no value in a scope column. They are compared with each other, which is seldom meant. Only the first rows of
-- the table are counted.
CREATE FUNCTION neardup_internal.tell_unscoped(target regclass, scope name[]) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name name;
    counted bigint;
    missing bigint;
BEGIN
    FOREACH name IN ARRAY coalesce(scope, '{}') LOOP
        SELECT c.* INTO counted, missing FROM neardup_internal.count_missing(target, name) c;
        IF missing > 0 THEN
            RAISE NOTICE '% of % rows of % have no value in the scope column "%"', missing,
                CASE WHEN counted < 10000 THEN counted::text ELSE 'the first ' || counted::text END, target, name
                USING DETAIL = 'Rows without a value are compared with each other, but not with those that have one.';
        END IF;
    END LOOP;
END
$$;

-- Says how many rows have no time. They come last where the oldest, or the newest, of several copies is kept, which is seldom meant.
CREATE FUNCTION neardup_internal.tell_untimed(target regclass, time_column name) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted bigint;
    missing bigint;
BEGIN
    IF time_column IS NOT NULL THEN
        SELECT c.* INTO counted, missing FROM neardup_internal.count_missing(target, time_column) c;
        IF missing > 0 THEN
            RAISE NOTICE '% of % rows of % have no value in the time column "%"', missing,
                CASE WHEN counted < 10000 THEN counted::text ELSE 'the first ' || counted::text END, target, time_column
                USING DETAIL = 'Of two copies, one with a time stays rather than one without, whether keep is oldest or newest.';
        END IF;
    END IF;
END
$$;

-- How many of the first rows of a table have no value in a column.
CREATE FUNCTION neardup_internal.count_missing(target regclass, name name, OUT counted bigint, OUT missing bigint)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('SELECT count(*), count(*) FILTER (WHERE num_nulls(x.value) > 0) FROM (SELECT t.%I AS value FROM %s t LIMIT 10000) x',
        name, target) INTO counted, missing;
END
$$;

-- Whether Citus's catalog says that a table is on several nodes. A local table that Citus only knows of is not.
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

-- A clean-up of another session goes by the guard as it was when it began.
CREATE FUNCTION neardup_internal.keep_cleanups_out(target regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT neardup_internal.keep_out(target) THEN
        RAISE EXCEPTION 'another session is working on table %', target USING ERRCODE = 'object_in_use',
            DETAIL = 'It uses the guard as it was when it began.', HINT = 'SELECT * FROM neardup.progress;';
    END IF;
END
$$;

-- A guard of a partitioned table is one of its partitions, too.
CREATE FUNCTION neardup_internal.check_alone(target regclass, document name) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    other regclass;
BEGIN
    SELECT p.target INTO other FROM neardup.protected p
    WHERE p.document = check_alone.document AND p.target::oid <> check_alone.target::oid
          AND p.target::oid IN (SELECT t.relid::oid FROM pg_catalog.pg_partition_tree(check_alone.target) t
                                UNION ALL SELECT a.relid::oid FROM pg_catalog.pg_partition_ancestors(check_alone.target) a(relid))
    ORDER BY p.target::oid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'table % has a guard on column "%" already', other, document USING ERRCODE = 'duplicate_object',
            DETAIL = pg_catalog.format('Of a partitioned table and its partitions, %s and %s, either has the guard.', other, target),
            HINT = pg_catalog.format('To guard %s instead, remove that guard: SELECT neardup.unprotect(%L, %L);', target, other, document);
    END IF;
END
$$;

-- Removes a guard.
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
        PERFORM neardup_internal.keep_cleanups_out(target);
        PERFORM neardup_internal.drop_triggers(guarded);
        FOR counter IN
            SELECT c.counter FROM pg_catalog.unnest(ARRAY['reject', 'skip', 'warn', 'mark', 'divert', 'merge']) a(action)
                 CROSS JOIN LATERAL (SELECT neardup_internal.guard_counter(guarded, a.action)::regclass AS counter) c
            WHERE c.counter IS NOT NULL
        LOOP
            EXECUTE pg_catalog.format('DROP SEQUENCE %s', counter);
        END LOOP;
        PERFORM neardup_internal.drop_or_keep(target, guarded.document, ARRAY[guarded.duplicate_of], '{duplicate_of}');
        PERFORM neardup_internal.drop_or_keep(target, guarded.document, ARRAY[guarded.related_to, guarded.related_as], '{related_to,related_as}');
        RAISE NOTICE 'the index on %(%) was kept for near_duplicate and other searches', guarded.method, guarded.document
            USING HINT = pg_catalog.format('Drop it if nothing else needs it: \d %s', target);
    END LOOP;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % has no guard%', target, coalesce(' on column "' || document::text || '"', '')
            USING ERRCODE = 'undefined_object';
    END IF;
END
$$;

COMMENT ON FUNCTION neardup.protect(regclass, name, text, text, text, double precision, name[], interval, name, name[], regproc, name, name[], name[], text, text, regproc, boolean, text, integer, integer, name[]) IS 'guards a table against near-duplicate documents: uses or creates an index on sketch(document) and adds triggers, but no column: SELECT neardup.protect(''articles'', ''body''). Call it again to change settings: those that are not given are kept, and reset => ''{title}'' gives some back to their defaults, ''{all}'' all. method: sketch (the default) or simhash, which finds all rows within a Hamming distance, 0 to 11. on_duplicate: reject (the default), skip, warn, mark, divert or merge; merge: the function of two rows that merges a near-duplicate into its original. verify: facts (the default), profile:NAME, overlap, cosine or none. threshold: the least score of a copy by facts or a profile, 0.05 to 1, 0.5 by default; or the least overlap or cosine, 0 to 1, required for these. scope, within, time_column: only rows with equal columns, within a time window, are compared. title: a column that verdicts read as the title of the text; by default one whose name ends in title, headline, subject or such a word of another language, and reset => ''{title}'' reads none. differ: rows that both have a value in such a column, and not the same, are no copies. agree: columns in which copies agree, such as an employer or an author: the same value speaks for a copy, another one against it. excerpts: remove (the default), or keep if an excerpt is no copy; on_related: store (the default), or mark: a row that is an update of another one, contains it or is another filling of its form is stored with its key in related_to, and with what it is to it in related_as';
COMMENT ON FUNCTION neardup.unprotect(regclass, name) IS 'removes the guard on a column, or all guards of a table: triggers and counters, and the columns of marks if they are empty. The index stays';
COMMENT ON FUNCTION neardup_internal.keep_cleanups_out(regclass) IS 'keeps clean-ups off a table until the end of the transaction; raises an error if one is running';
COMMENT ON FUNCTION neardup_internal.tell_untimed(regclass, name) IS 'says how many rows have no value in a time column, among the first 10,000';
COMMENT ON FUNCTION neardup_internal.count_missing(regclass, name) IS 'how many rows have no value in a column, among the first 10,000';
COMMENT ON FUNCTION neardup_internal.tell_answered(regclass, name) IS 'says how many answers were given with other settings, and hold no more';
COMMENT ON FUNCTION neardup_internal.tell_unscoped(regclass, name[]) IS 'reports how many rows have no value in a scope column';
COMMENT ON FUNCTION neardup_internal.is_distributed(regclass) IS 'whether Citus has distributed a table over nodes';
COMMENT ON FUNCTION neardup_internal.check_alone(regclass, name) IS 'raises an error if a partition of a table, or the table that it is a partition of, has a guard on that column';
