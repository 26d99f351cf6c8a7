-- clean-up: the query that lists all copies, each with the row that stays for it

-- The WITH list for a guard by SimHash, of the same form as that by sketches: groups within the distance, split by texts and times.
-- Without texts and times, each row of a group is within the distance of the one that stays.
CREATE FUNCTION neardup_internal.simhash_copies(guarded neardup.protected, choice neardup_internal.choice) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    has_texts boolean := choice.verify <> 'none';
    is_split boolean := has_texts OR choice.within IS NOT NULL;
BEGIN
    RETURN concat(
        'WITH signed AS (', neardup_internal.numbered(guarded, choice,
            format('neardup.analyzer_simhash(d.document, %L::pg_catalog.text) AS signed', guarded.analyzer), 'r.signed AS signature'), '), '
        'numbered AS MATERIALIZED (SELECT s.*, @extschema@.near_duplicate_of(s.signature, ', choice.distance, CASE WHEN NOT is_split THEN ', ''star''' END,
        ') OVER (PARTITION BY s.scope ORDER BY s.place) AS together FROM signed s), '
        'groups AS (SELECT n.scope, n.together, pg_catalog.min(n.place) AS first FROM numbered n WHERE n.together IS NOT NULL GROUP BY n.scope, n.together '
        'HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 1), '
        'members AS MATERIALIZED (SELECT g.first, n.place, n.signature, n.moment, ', neardup_internal.address(guarded, 'n', ''),
        ' FROM groups g JOIN numbered n ON n.scope OPERATOR(pg_catalog.=) g.scope AND n.together OPERATOR(pg_catalog.=) g.together), ',
        CASE WHEN is_split THEN concat(
            -- Sorts before documents are read, because the sort would carry a copy of each; the rows then keep that order.
            'gathered AS (SELECT m.first, pg_catalog.array_agg(m.place) AS places, pg_catalog.array_agg(CAST(m.signature AS bigint)) AS signatures, ',
            CASE WHEN has_texts THEN 'pg_catalog.array_agg(m.document)' ELSE 'NULL::pg_catalog.text[]' END, ' AS documents, ',
            CASE WHEN choice.within IS NOT NULL THEN 'pg_catalog.array_agg(m.moment)' ELSE 'NULL::bigint[]' END, ' AS times '
            'FROM (SELECT m.*', CASE WHEN has_texts THEN ', d.document' END, ' FROM (SELECT * FROM members ORDER BY first, place OFFSET 0) m',
            CASE WHEN has_texts THEN ' CROSS JOIN LATERAL ' || neardup_internal.document_at(guarded, 'm.') || ' d' END,
            ' ORDER BY m.first, m.place) m GROUP BY m.first), '
            'copies AS (SELECT g.places[j.member] AS place, g.places[j.stays] AS stays, ',
            CASE WHEN has_texts THEN 'j.verdict, j.score' ELSE 'NULL::pg_catalog.text AS verdict, NULL::double precision' END, ' AS value FROM gathered g '
            'CROSS JOIN LATERAL neardup_internal.judge_group(g.signatures, g.documents, ', choice.distance, ', g.times, ',
            coalesce(neardup_internal.microseconds(choice.within)::text, 'NULL'),
            format(', %L::pg_catalog.text, %L::pg_catalog.text, %L::double precision', choice.verify, guarded.analyzer, choice.threshold),
            ') j WHERE j.member OPERATOR(pg_catalog.<>) j.stays) ')
        ELSE
            'copies AS (SELECT m.place, m.first AS stays, NULL::pg_catalog.text AS verdict, NULL::double precision AS value FROM members m '
            'WHERE m.place OPERATOR(pg_catalog.<>) m.first) '
        END);
END
$$;

-- All copies: key (k1, k2, ...), key of the row that stays (r1, r2, ...), verdict, measure and its value, rows of the group, and hashes
-- of both documents as they were judged.
CREATE FUNCTION neardup_internal.copies_query(guarded neardup.protected, choice neardup_internal.choice) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    by_distance boolean := guarded.method = 'simhash' AND choice.verify = 'none';
    known name := CASE guarded.method WHEN 'simhash' THEN 'place' ELSE 'number' END;
BEGIN
    IF choice.against IS NOT NULL THEN
        RETURN neardup_internal.against_copies(guarded, choice);
    END IF;
    RETURN concat(
        CASE guarded.method WHEN 'simhash' THEN neardup_internal.simhash_copies(guarded, choice) ELSE neardup_internal.sketch_copies(guarded, choice) END,
        'SELECT ', neardup_internal.each('m.k%2$s', keys), ', ', neardup_internal.each('r.k%2$s AS r%2$s', keys), ', c.verdict, ',
        format('CASE WHEN m.hash OPERATOR(pg_catalog.=) r.hash THEN ''identical'' ELSE %L END AS measure, ', CASE WHEN by_distance THEN 'simhash' ELSE neardup_internal.measured(choice.verify) END),
        CASE WHEN by_distance THEN 'CAST(CASE WHEN m.hash OPERATOR(pg_catalog.=) r.hash THEN 1 ELSE @extschema@.hamming_distance(m.signature, r.signature) END AS double precision)'
             ELSE 'c.value' END, ' AS value, '
        'pg_catalog.count(*) OVER (PARTITION BY r.place) + 1 AS group_size, m.hash AS document_hash, r.hash AS stays_hash ',
        format('FROM copies c JOIN numbered m ON m.%1$I OPERATOR(pg_catalog.=) c.%1$I JOIN numbered r ON r.%1$I OPERATOR(pg_catalog.=) c.stays', known),
        ' WHERE ', neardup_internal.meet_still(choice), ' ORDER BY r.place, m.place');
END
$$;

-- clean-up: list copies

-- The planner has no statistics on rows that are made within the statement. A hash join planned for 10^12 rows takes very long even if
-- there are none; sorting and merging takes n log n, whatever the estimate. So only these are allowed here, in choose and in the reports.

CREATE FUNCTION neardup.duplicates(
    target regclass,
    keep text DEFAULT 'oldest',
    time_column name DEFAULT NULL,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    rank text[] DEFAULT NULL,
    scope name[] DEFAULT NULL,
    since text DEFAULT NULL,
    until text DEFAULT NULL,
    verify text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    within interval DEFAULT NULL,
    against regclass DEFAULT NULL
) RETURNS TABLE (key text, duplicate_of text, verdict text, measure text, value double precision, group_size bigint)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_nestloop = off SET enable_hashagg = off SET enable_memoize = off SET jit = off AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    keys name[] := neardup_internal.key_columns(target);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT pg_catalog.concat_ws('', '', %s), pg_catalog.concat_ws('', '', %s), c.verdict, c.measure, c.value, c.group_size FROM (%s) c',
        neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', neardup_internal.key_columns(coalesce(against, target))),
        neardup_internal.copies_query(guarded, neardup_internal.chosen(guarded, keep, time_column, rank, scope, since, until, verify, within, max_distance, against, threshold)));
END
$$;
