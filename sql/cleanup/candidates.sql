-- clean-up: copies in a whole table by their sketches. Rows that share a key are candidates, and sorting the keys brings them together;
-- so the cost goes with the size of the table and the copies in it, and nothing is looked up.

CREATE FUNCTION neardup_internal.first_row(key bigint, place bigint, moment bigint, within bigint) RETURNS bigint
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'neardup_first_row';

CREATE FUNCTION neardup_internal.earlier_rows(key bigint, place bigint, moment bigint, within bigint) RETURNS bigint[]
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'neardup_earlier_rows';

CREATE TYPE neardup_internal.joined AS (stays bigint, verdict text, score double precision, holds boolean);

CREATE FUNCTION neardup_internal.join_star(
    later bigint, earlier bigint, kept text, other text, verify text, analyzer text, similarity double precision
) RETURNS neardup_internal.joined
    LANGUAGE c STABLE WINDOW PARALLEL RESTRICTED COST 20000 AS 'MODULE_PATHNAME', 'neardup_join_star';

-- Within a statement a row stays where it is: in a table that is one, its tid finds it soonest. Whoever may read some columns only may
-- not read it.
CREATE FUNCTION neardup_internal.has_tids(target regclass) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT c.relkind = 'r' AND NOT c.relhassubclass AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
            FROM pg_catalog.pg_class c WHERE c.oid = target);

-- What finds a numbered row again: its tid or its key, as columns that begin so.
CREATE FUNCTION neardup_internal.address(guarded neardup.protected, alias text, prefix text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN neardup_internal.has_tids(guarded.target) THEN pg_catalog.format('%s.tid AS %stid', alias, prefix)
                ELSE neardup_internal.each(alias || '.k%2$s AS ' || prefix || 'k%2$s', neardup_internal.key_columns(guarded.target)) END;

-- The document of a row that is found so. As a subquery of its own it is read row by row, in the order of the rows that ask.
CREATE FUNCTION neardup_internal.document_at(guarded neardup.protected, address text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.format('(SELECT %s AS document FROM %s t WHERE %s OFFSET 0)', neardup_internal.document_of(guarded, 't'), guarded.target,
        CASE WHEN neardup_internal.has_tids(guarded.target) THEN pg_catalog.format('t.ctid OPERATOR(pg_catalog.=) %stid', address)
             ELSE neardup_internal.equal(guarded.target, neardup_internal.key_columns(guarded.target), 't.%1$I', address || 'k%2$s') END);

-- The rows in the order of who stays, with their keys, scope and time, and what is computed of each document: beside the scan, so that
-- no sort carries documents along.
CREATE FUNCTION neardup_internal.numbered(guarded neardup.protected, choice neardup_internal.choice, computed text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.format(
        'SELECT %1$s%2$s, %3$s AS moment, %4$s AS scope, pg_catalog.row_number() OVER (ORDER BY %5$s) AS place, x.* '
        'FROM %6$s t CROSS JOIN LATERAL (SELECT %7$s FROM (SELECT %8$s AS document OFFSET 0) d OFFSET 0) x WHERE %9$s',
        neardup_internal.each('t.%1$I AS k%2$s', neardup_internal.key_columns(guarded.target)),
        CASE WHEN neardup_internal.has_tids(guarded.target) THEN ', t.ctid AS tid' END,
        CASE WHEN choice.within IS NULL THEN 'NULL::bigint' ELSE neardup_internal.moment(choice.timed, 't') END,
        coalesce('pg_catalog.dense_rank() OVER (ORDER BY ' || neardup_internal.each('t.%1$I', choice.scope) || ')', '0::bigint'),
        neardup_internal.keep_order(guarded, choice.keep, choice.time_column, choice.rank),
        guarded.target, computed, neardup_internal.document_of(guarded, 't'), neardup_internal.choice_filter(guarded, choice));

-- The WITH list of a guard by sketches: `numbered`, and `copies`, each with its place, that of the row that stays, verdict and value.
CREATE FUNCTION neardup_internal.sketch_copies(guarded neardup.protected, choice neardup_internal.choice) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    within text := coalesce(neardup_internal.microseconds(choice.within)::text, 'NULL');
    has_scope boolean := cardinality(choice.scope) > 0;
    how text := format('%L::pg_catalog.text, %L::pg_catalog.text, %L::double precision', choice.verify, guarded.analyzer, guarded.similarity);
BEGIN
    RETURN concat(
        'WITH numbered AS MATERIALIZED (', neardup_internal.numbered(guarded, choice, format(
            'neardup_internal.text_hash(d.document) AS hash, @extschema@.sketch_keys(@extschema@.sketch(d.document, %L::pg_catalog.text, %s)) AS keys',
            guarded.analyzer, guarded.keys)), ' AND x.keys IS NOT NULL), ',
        -- Identical texts join the first of them, and only that one goes on: reposts by the thousand cost nothing.
        'same AS MATERIALIZED (SELECT s.place AS later, s.first AS earlier FROM (SELECT n.place, '
        'neardup_internal.first_row(n.hash, n.place, n.moment, ', within, ') OVER (PARTITION BY n.scope ORDER BY n.hash, n.place) AS first '
        'FROM numbered n) s WHERE s.first IS NOT NULL), ',
        -- The others meet rows that share a key with them,
        'met AS (SELECT s.place, s.enough, neardup_internal.earlier_rows(s.key, s.place, s.moment, ', within, ') OVER (ORDER BY s.key, s.place) AS rows '
        'FROM (SELECT n.place, n.moment, least(2, pg_catalog.cardinality(n.keys)) AS enough, ', CASE WHEN has_scope THEN 'pg_catalog.hashint8extended(k.key, n.scope)' ELSE 'k.key' END, ' AS key '
        'FROM numbered n CROSS JOIN LATERAL pg_catalog.unnest(n.keys) k(key) '
        'WHERE NOT EXISTS (SELECT FROM same s WHERE s.later OPERATOR(pg_catalog.=) n.place)) s), '
        -- each with a bit that says whether the key is hot, in which case sharing it alone is not enough,
        'pairs AS (SELECT p.later, p.earlier, pg_catalog.sum(p.weight) AS shared '
        'FROM (SELECT r.later, r.enough, r.packed OPERATOR(pg_catalog.>>) 1 AS earlier, '
        '2 OPERATOR(pg_catalog.-) CAST(r.packed OPERATOR(pg_catalog.&) ''1''::bigint AS integer) AS weight '
        'FROM (SELECT m.place AS later, m.enough, pg_catalog.unnest(m.rows) AS packed FROM met m WHERE m.rows IS NOT NULL) r) p '
        'GROUP BY p.later, p.earlier HAVING pg_catalog.sum(p.weight) OPERATOR(pg_catalog.>=) pg_catalog.min(p.enough)), ',
        -- and are judged, those with most shared keys first, until one of them stays for them.
        'judged AS MATERIALIZED (SELECT j.later, (j.joined).* FROM (SELECT p.later, '
        'neardup_internal.join_star(p.later, p.earlier, e.document, l.document, ', how, ') OVER (ORDER BY p.later, p.shared DESC, p.earlier) AS joined '
        'FROM (SELECT p.*, ', neardup_internal.address(guarded, 'l', 'later_'), ', ', neardup_internal.address(guarded, 'e', 'earlier_'), ' FROM pairs p '
        'JOIN numbered l ON l.place OPERATOR(pg_catalog.=) p.later JOIN numbered e ON e.place OPERATOR(pg_catalog.=) p.earlier',
        CASE WHEN has_scope THEN ' WHERE l.scope OPERATOR(pg_catalog.=) e.scope' END, ' ORDER BY p.later, p.shared DESC, p.earlier OFFSET 0) p '
        'CROSS JOIN LATERAL ', neardup_internal.document_at(guarded, 'p.earlier_'), ' e CROSS JOIN LATERAL ', neardup_internal.document_at(guarded, 'p.later_'),
        ' l) j WHERE (j.joined).stays IS NOT NULL), ',
        -- A row that stays and is an excerpt of a later one goes for that, if all that joined it can follow.
        'longer AS (SELECT DISTINCT ON (h.stays) h.stays AS short, h.later AS long FROM judged h WHERE h.holds '
        'AND NOT EXISTS (SELECT FROM judged j WHERE NOT j.holds AND j.later OPERATOR(pg_catalog.=) h.later) '
        'AND NOT EXISTS (SELECT FROM judged j WHERE j.holds AND j.stays OPERATOR(pg_catalog.=) h.later) ORDER BY h.stays, h.score DESC, h.later), '
        'followers AS (SELECT l.short, l.long, l.short AS place FROM longer l UNION ALL '
        'SELECT l.short, l.long, j.later FROM longer l JOIN judged j ON j.stays OPERATOR(pg_catalog.=) l.short WHERE NOT j.holds), '
        'moved AS MATERIALIZED (SELECT m.place, m.long AS stays, m.verdict, m.score FROM (SELECT f.place, f.long, v.verdict, v.score, '
        'pg_catalog.bool_and(coalesce(NOT v.loses, false)', CASE WHEN choice.within IS NOT NULL THEN
            ' AND ' || neardup_internal.meet('f.moment', 'f.long_moment', choice.within) END, ') OVER (PARTITION BY f.short) AS all_can '
        'FROM (SELECT f.*, n.moment, g.moment AS long_moment, ', neardup_internal.address(guarded, 'n', ''), ', ', neardup_internal.address(guarded, 'g', 'long_'),
        ' FROM followers f JOIN numbered n ON n.place OPERATOR(pg_catalog.=) f.place JOIN numbered g ON g.place OPERATOR(pg_catalog.=) f.long OFFSET 0) f '
        'CROSS JOIN LATERAL ', neardup_internal.document_at(guarded, 'f.long_'), ' e CROSS JOIN LATERAL ', neardup_internal.document_at(guarded, 'f.'),
        ' l CROSS JOIN LATERAL neardup_internal.judge(e.document, l.document, ', how, ') v) m WHERE m.all_can), '
        'stars AS MATERIALIZED (SELECT j.later AS place, j.stays, j.verdict, j.score FROM judged j WHERE NOT j.holds '
        'AND NOT EXISTS (SELECT FROM moved m WHERE m.place OPERATOR(pg_catalog.=) j.later) UNION ALL SELECT * FROM moved), ',
        -- Identical texts go where the first of them went. One that is too far in time from there stays, until the next clean-up.
        'copies AS (SELECT s.place, s.stays, s.verdict, s.score AS value FROM stars s UNION ALL '
        'SELECT s.later, coalesce(j.stays, s.earlier), coalesce(j.verdict, ''copy''), coalesce(j.score, ''1'') '
        'FROM same s LEFT JOIN stars j ON j.place OPERATOR(pg_catalog.=) s.earlier) ');
END
$$;
