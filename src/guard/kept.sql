-- protect: the settings that a guard keeps when some are given and some go back to their defaults; NULL in the others. A setting that has
-- its meaning from another one does not outlive it: analyzer, keys, distance and verify none belong to a method, threshold to a scale,
-- merge to an action, within to a time column.

CREATE FUNCTION neardup_internal.kept_settings(guarded neardup.protected, method text, on_duplicate text, verify text, reset name[]) RETURNS neardup.protected
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known text[] := (SELECT p.proargnames[3:cardinality(p.proargnames) - 1] FROM pg_proc p WHERE p.oid = 'neardup.protect'::regproc::oid);
    unknown text := (SELECT coalesce(r.name::text, '<NULL>') FROM unnest(reset) r(name) WHERE (r.name::text = ANY (known || 'all'::text)) IS NOT TRUE LIMIT 1);
    lost text[] := CASE WHEN 'all'::name = ANY (reset) THEN known ELSE coalesce(reset::text[], '{}') END;
BEGIN
    IF unknown IS NOT NULL THEN
        RAISE EXCEPTION 'reset must name settings of a guard: %', unknown USING ERRCODE = 'invalid_parameter_value',
            HINT = format('They are %s, or all of them: all.', array_to_string(known, ', '));
    END IF;
    method := coalesce(method, CASE WHEN 'method' = ANY (lost) THEN 'sketch' ELSE guarded.method END);
    on_duplicate := coalesce(on_duplicate, CASE WHEN 'on_duplicate' = ANY (lost) THEN 'reject' ELSE guarded.on_duplicate END);
    verify := coalesce(verify, CASE WHEN 'verify' = ANY (lost) THEN 'facts' ELSE guarded.verify END);
    IF method <> guarded.method THEN
        lost := lost || '{analyzer,keys,distance}'::text[] || CASE WHEN guarded.verify = 'none' THEN 'verify'::text END;
    END IF;
    -- The score of a verdict means the same with facts and with a profile.
    IF split_part(replace(verify, 'profile:', 'facts:'), ':', 1) <> split_part(replace(guarded.verify, 'profile:', 'facts:'), ':', 1) THEN
        lost := lost || 'threshold'::text;
    END IF;
    IF split_part(verify, ':', 1) NOT IN ('facts', 'profile') THEN
        lost := lost || 'title'::text;
    END IF;
    IF on_duplicate <> 'merge' THEN
        lost := lost || 'merge'::text;
    END IF;
    IF 'time_column' = ANY (lost) THEN
        lost := lost || 'within'::text;
    END IF;
    RETURN jsonb_populate_record(NULL::neardup.protected, to_jsonb(guarded) - lost);
END
$$;

-- protect: the function that forms the document of a row, by its schema and name; other functions may have the same name

CREATE FUNCTION neardup_internal.function_of_row(target regclass, name text) RETURNS regproc
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN coalesce(
        (SELECT p.oid::regproc
         FROM pg_catalog.pg_proc p
              JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
              JOIN pg_catalog.pg_class c ON p.pronargs = 1 AND c.reltype = p.proargtypes[0]
         WHERE c.oid = target::oid AND pg_catalog.format('%I.%I', n.nspname, p.proname) = name),
        name::regproc);

-- protect: keeps other calls of protect, and clean-ups of other sessions, off a table until the end of the transaction, so that settings
-- that are kept are the last ones. Writers do not wait for this lock.

CREATE FUNCTION neardup_internal.lock_guards(target regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_class c WHERE c.oid = target::oid AND c.relkind IN ('r', 'p')) THEN
        PERFORM neardup_internal.keep_cleanups_out(target);
        EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', target);
    END IF;
END
$$;

COMMENT ON FUNCTION neardup_internal.kept_settings(neardup.protected, text, text, text, name[]) IS 'the settings that a guard keeps when these are given and reset';
COMMENT ON FUNCTION neardup_internal.function_of_row(regclass, text) IS 'the function of a row of a table with this schema and name';
COMMENT ON FUNCTION neardup_internal.lock_guards(regclass) IS 'keeps other calls of neardup.protect, and clean-ups, off a table until the end of the transaction';
