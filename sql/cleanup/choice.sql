-- clean-up: what is compared and which row stays, if neither the guard's settings nor the arguments say so

CREATE TYPE neardup_internal.choice AS (
    keep text,
    time_column name,
    rank text[],
    scope name[],
    since text,
    until text,
    verify text,
    threshold double precision,
    within interval,
    timed name,
    distance integer,
    against regclass
);

-- Rows are removed without comparing their texts only if the caller asks for that; a guard that does not verify is not enough.
CREATE FUNCTION neardup_internal.chosen_verify(guarded neardup.protected, verify text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    verify := coalesce(verify, nullif(guarded.verify, 'none'), 'facts');
    IF verify NOT IN ('none', 'facts', 'overlap', 'cosine') AND verify !~ '^profile:.' THEN
        RAISE EXCEPTION 'verify must be none, facts, overlap, cosine or profile:NAME: %', verify USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF verify = 'none' AND guarded.method <> 'simhash' THEN
        RAISE EXCEPTION 'verify none goes with method simhash' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Rows that share a key of their sketches are candidates, most of them no copies.';
    END IF;
    RETURN verify;
END
$$;

-- The measure that decides between two texts, by its name in lists.
CREATE FUNCTION neardup_internal.measured(verify text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN verify OPERATOR(pg_catalog.=) ANY (ARRAY['overlap', 'cosine']) THEN verify ELSE 'facts' END;

-- The guard's threshold applies only to the guard's measure: a score by facts or by a profile, or overlap or cosine. Signatures alone have
-- none.
CREATE FUNCTION neardup_internal.chosen_threshold(guarded neardup.protected, verify text, threshold double precision) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF threshold IS NULL AND verify <> 'none' AND neardup_internal.measured(verify) = neardup_internal.measured(guarded.verify) THEN
        threshold := guarded.threshold;
    END IF;
    PERFORM neardup_internal.check_threshold(verify, threshold);
    RETURN threshold;
END
$$;

-- Whether two tables share rows: one is a partition or child of the other, or both have one in common.
CREATE FUNCTION neardup_internal.overlap(a regclass, b regclass) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN EXISTS (
        WITH RECURSIVE parts (root, part) AS (
            SELECT a::oid, a::oid UNION SELECT b::oid, b::oid
            UNION SELECT p.root, i.inhrelid FROM parts p JOIN pg_catalog.pg_inherits i ON i.inhparent = p.part
        )
        SELECT FROM parts p WHERE p.part = a::oid AND p.root = b::oid OR p.root = a::oid AND p.part IN (SELECT q.part FROM parts q WHERE q.root = b::oid)
    );

CREATE FUNCTION neardup_internal.check_by_sketch(guarded neardup.protected) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF guarded.method <> 'sketch' THEN
        RAISE EXCEPTION 'column "%" of table % is guarded by method %', guarded.document, guarded.target, guarded.method
            USING ERRCODE = 'feature_not_supported', DETAIL = 'Tables are compared by the keys of sketches.';
    END IF;
END
$$;

-- Only the compared columns of the other table are read, and nothing is converted except strings to text, so no type's cast runs.
CREATE FUNCTION neardup_internal.check_against(guarded neardup.protected, choice neardup_internal.choice) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    other regclass := choice.against;
    name name;
BEGIN
    PERFORM neardup_internal.check_by_sketch(guarded);
    IF choice.keep IS DISTINCT FROM 'oldest' OR choice.rank IS NOT NULL THEN
        RAISE EXCEPTION 'keep and rank do not go with against' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('All rows of %s stay.', other);
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = other::oid AND c.relkind IN ('r', 'p')) THEN
        RAISE EXCEPTION '% is not a table', other USING ERRCODE = 'wrong_object_type';
    END IF;
    IF neardup_internal.overlap(guarded.target, other) THEN
        RAISE EXCEPTION 'tables % and % have rows in common', guarded.target, other USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Each of these would be a copy of itself.';
    END IF;
    IF neardup_internal.key_columns(other) IS NULL THEN
        RAISE EXCEPTION 'table % has no primary key', other USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'A clean-up names the row that stays by its primary key.';
    END IF;
    FOREACH name IN ARRAY guarded.columns LOOP
        IF guarded.expression IS NULL AND neardup_internal.column_type(other, name) IS NOT NULL AND NOT EXISTS (
            SELECT FROM pg_attribute a WHERE a.attrelid = other::oid AND a.attname = name AND a.atttypid IN ('text'::regtype::oid, 'varchar'::regtype::oid, 'bpchar'::regtype::oid)
        ) THEN
            RAISE EXCEPTION 'column "%" of table % has type %', name, other, neardup_internal.column_type(other, name)
                USING ERRCODE = 'datatype_mismatch', DETAIL = 'A document is of type text, character varying or character.';
        END IF;
    END LOOP;
    FOR name IN SELECT c FROM unnest(choice.scope || choice.timed || CASE WHEN guarded.expression IS NOT NULL THEN guarded.columns END) c WHERE c IS NOT NULL LOOP
        PERFORM neardup_internal.column_type(other, name);
        IF NOT neardup_internal.same_type(guarded.target, other, name) THEN
            RAISE EXCEPTION 'column "%" has not the same type in % and %', name, guarded.target, other USING ERRCODE = 'datatype_mismatch';
        END IF;
    END LOOP;
END
$$;

CREATE FUNCTION neardup_internal.chosen(
    guarded neardup.protected, keep text, time_column name, rank text[], scope name[], since text, until text, verify text, within interval,
    max_distance integer, against regclass DEFAULT NULL, threshold double precision DEFAULT NULL
) RETURNS neardup_internal.choice
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    choice neardup_internal.choice;
BEGIN
    PERFORM neardup_internal.check_within(within);
    PERFORM neardup_internal.column_type(guarded.target, s) FROM pg_catalog.unnest(scope) s;
    IF max_distance IS NOT NULL AND guarded.method OPERATOR(pg_catalog.<>) 'simhash' THEN
        RAISE EXCEPTION 'max_distance goes with method simhash' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = pg_catalog.format('Column "%s" of table %s is guarded by method %s.', guarded.document, guarded.target, guarded.method);
    END IF;
    choice.keep := keep;
    choice.time_column := coalesce(time_column, guarded.time_column);
    choice.rank := rank;
    choice.scope := coalesce(scope, guarded.scope);
    choice.since := since;
    choice.until := until;
    choice.verify := neardup_internal.chosen_verify(guarded, verify);
    choice.threshold := neardup_internal.chosen_threshold(guarded, choice.verify, threshold);
    choice.within := coalesce(within, guarded.within);
    choice.distance := coalesce(max_distance, guarded.distance);
    -- The guard's time window applies to the guard's column, whatever column gives the order.
    choice.timed := CASE WHEN within IS NULL THEN guarded.time_column ELSE choice.time_column END;
    IF within IS NOT NULL AND choice.timed IS NULL THEN
        RAISE EXCEPTION 'within wants a column to go by' USING ERRCODE = 'null_value_not_allowed',
            HINT = 'Name it: time_column => ''column''.';
    END IF;
    IF choice.within IS NOT NULL AND NOT neardup_internal.is_time(neardup_internal.check_column(guarded.target, choice.timed)) THEN
        RAISE EXCEPTION 'column "%" of table % is no time', choice.timed, guarded.target USING ERRCODE = 'datatype_mismatch',
            DETAIL = 'A time is of type timestamp with or without time zone, or date.';
    END IF;
    IF against IS NOT NULL THEN
        choice.against := against;
        PERFORM neardup_internal.check_against(guarded, choice);
    END IF;
    RETURN choice;
END
$$;

-- clean-up: times in microseconds, as the guard counts them

CREATE FUNCTION neardup_internal.microseconds(within interval) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.round(EXTRACT(epoch FROM within) * 1000000)::bigint;

CREATE FUNCTION neardup_internal.moment(timed name, alias text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.format(
        'CASE WHEN pg_catalog.isfinite(%1$s.%2$I) THEN (EXTRACT(epoch FROM %1$s.%2$I) OPERATOR(pg_catalog.*) 1000000)::bigint '
        'WHEN %1$s.%2$I OPERATOR(pg_catalog.=) ''infinity'' THEN 9223372036854775807 WHEN %1$s.%2$I OPERATOR(pg_catalog.=) ''-infinity'' THEN -9223372036854775807 END', alias, timed);

-- Whether two such times are near; a row without a time is near all others.
CREATE FUNCTION neardup_internal.meet(a text, b text, within interval) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.format('coalesce(pg_catalog.abs((%s)::numeric OPERATOR(pg_catalog.-) (%s)::numeric) OPERATOR(pg_catalog.<=) %s::numeric, true)',
                             a, b, neardup_internal.microseconds(within));

-- The condition on the join of copies c with both of their rows, m and r, that a pair is within the time window: a copy may have reached
-- its row through another one. The condition mentions c, because otherwise the planner would use it to join all rows with all rows.
CREATE FUNCTION neardup_internal.meet_still(choice neardup_internal.choice) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce('CASE WHEN c.stays IS NOT NULL THEN ' || neardup_internal.meet('m.moment', 'r.moment', choice.within) || ' END', 'true');

-- clean-up: the rows that are compared

CREATE FUNCTION neardup_internal.choice_filter(guarded neardup.protected, choice neardup_internal.choice) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    filter pg_catalog.text := 'true';
    type pg_catalog.text;
BEGIN
    IF choice.since IS NULL AND choice.until IS NULL THEN
        RETURN filter;
    END IF;
    IF choice.time_column IS NULL THEN
        RAISE EXCEPTION 'since and until want a column to go by' USING ERRCODE = 'null_value_not_allowed',
            HINT = 'Name it: time_column => ''column''.';
    END IF;
    PERFORM neardup_internal.column_type(guarded.target, choice.time_column); -- raises an error if the column does not exist
    type := neardup_internal.cast_type(guarded.target, choice.time_column);
    -- Read here, so that an invalid value raises a plain error.
    EXECUTE pg_catalog.format('SELECT CAST($1 AS %1$s), CAST($2 AS %1$s)', type) USING choice.since, choice.until;
    IF choice.since IS NOT NULL THEN
        filter := pg_catalog.concat(filter, pg_catalog.format(' AND t.%I %s CAST(%L AS %s)', choice.time_column,
            neardup_internal.comparison(guarded.target, choice.time_column, 4), choice.since, type));
    END IF;
    IF choice.until IS NOT NULL THEN
        filter := pg_catalog.concat(filter, pg_catalog.format(' AND t.%I %s CAST(%L AS %s)', choice.time_column,
            neardup_internal.comparison(guarded.target, choice.time_column, 1), choice.until, type));
    END IF;
    RETURN filter;
END
$$;
