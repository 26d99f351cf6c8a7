-- clean-up: what is a copy and which row stays

CREATE TYPE neardup_internal.choice AS (
    keep text,
    age name,
    rank text[],
    scope name[],
    since text,
    until text,
    verify text,
    within interval,
    timed name
);

-- The one place that says whether clean-ups look at the texts themselves where nothing is said.
CREATE FUNCTION neardup_internal.default_verify() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 'facts';

CREATE FUNCTION neardup_internal.chosen_verify(verify text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    verify := coalesce(verify, neardup_internal.default_verify());
    IF verify NOT IN ('none', 'facts') THEN
        RAISE EXCEPTION 'verify must be none or facts: %', verify USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN verify;
END
$$;

-- clean-up: what is chosen where nothing is said: the guard's scope, column of times and window

CREATE FUNCTION neardup_internal.chosen(
    guarded neardup.protected, keep text, age name, rank text[], scope name[], since text, until text, verify text, within interval
) RETURNS neardup_internal.choice
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
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

-- clean-up: the rows that are compared

CREATE FUNCTION neardup_internal.choice_filter(guarded neardup.protected, choice neardup_internal.choice) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
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
$$;

-- clean-up: the query that lists all copies (its key as k1, k2, ...), each with the row of its group that stays (r1, r2, ...)

CREATE FUNCTION neardup_internal.copies_query(guarded neardup.protected, choice neardup_internal.choice) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
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
$$;

-- clean-up: list copies

CREATE FUNCTION neardup.duplicates(
    target regclass,
    keep text DEFAULT 'oldest',
    age name DEFAULT NULL,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    rank text[] DEFAULT NULL,
    scope name[] DEFAULT NULL,
    since text DEFAULT NULL,
    until text DEFAULT NULL,
    verify text DEFAULT NULL,
    within interval DEFAULT NULL
) RETURNS TABLE (
    key text, duplicate_of text, distance integer, group_size bigint, measure text, value double precision, verdict text
)
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    keys name[] := neardup_internal.key_columns(target);
BEGIN
    guarded.distance := coalesce(max_distance, guarded.distance);
    RETURN QUERY EXECUTE pg_catalog.format(
        'SELECT pg_catalog.concat_ws('', '', %s), pg_catalog.concat_ws('', '', %s), c.distance, c.group_size, '
        'CASE WHEN c.verdict IS NULL THEN ''hamming_distance'' ELSE ''same_message'' END, coalesce(c.score, c.distance), c.verdict FROM (%s) c',
        neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', keys),
        neardup_internal.copies_query(guarded, neardup_internal.chosen(guarded, keep, age, rank, scope, since, until, verify, within)));
END
$$;
