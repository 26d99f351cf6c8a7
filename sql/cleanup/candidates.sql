-- clean-up: copies in a whole table by their sketches. Rows that share a key are candidates, and sorting by key makes them adjacent. So
-- the cost grows with the size of the table and its copies, and there are no index lookups.

CREATE FUNCTION neardup_internal.earlier_rows(number bigint, scope bigint, hash bigint, moment bigint, within bigint, keys bigint[], asks boolean, answers boolean, bytes integer, chains boolean) RETURNS bigint[]
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'neardup_earlier_rows';

CREATE TYPE neardup_internal.joined AS (stays bigint, verdict text, score double precision, holds boolean, chained boolean);

CREATE FUNCTION neardup_internal.join_star(
    later bigint, earlier bigint, kept text, other text, verify text, analyzer text, threshold double precision, most integer, chains boolean
) RETURNS neardup_internal.joined
    LANGUAGE c STABLE WINDOW PARALLEL RESTRICTED COST 20000 AS 'MODULE_PATHNAME', 'neardup_join_star';

-- Within a statement, a row keeps its tid, so in a table without partitions or children the tid is the fastest way to find it again. A
-- role that may read only some columns may not read the tid.
CREATE FUNCTION neardup_internal.has_tids(target regclass) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT c.relkind = 'r' AND NOT c.relhassubclass AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
            FROM pg_catalog.pg_class c WHERE c.oid = target);

-- The columns that find a numbered row again: its number, which encodes its tid, or its key, with this prefix.
CREATE FUNCTION neardup_internal.address(guarded neardup.protected, alias text, prefix text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN neardup_internal.has_tids(guarded.target) THEN pg_catalog.format('%s.number AS %snumber', alias, prefix)
                ELSE neardup_internal.each(alias || '.k%2$s AS ' || prefix || 'k%2$s', neardup_internal.key_columns(guarded.target)) END;

-- The document of the row at such an address. As a separate subquery, it is read row by row, in the order of the rows that need it.
CREATE FUNCTION neardup_internal.document_at(guarded neardup.protected, address text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.format('(SELECT %s AS document FROM %s t WHERE %s OFFSET 0)', neardup_internal.document_of(guarded, 't'), guarded.target,
        CASE WHEN neardup_internal.has_tids(guarded.target) THEN pg_catalog.format('t.ctid OPERATOR(pg_catalog.=) neardup_internal.number_tid(%snumber)', address)
             ELSE neardup_internal.equal(guarded.target, neardup_internal.key_columns(guarded.target), 't.%1$I', address || 'k%2$s') END);

-- The rows in order of preference, with their keys, scope and time, and the values computed from each document. These are computed next
-- to the scan, so that no sort carries documents. Each row has a place in that order and a number by which it is found again.
CREATE FUNCTION neardup_internal.numbered(guarded neardup.protected, choice neardup_internal.choice, signed text, computed text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN pg_catalog.format(
        'SELECT %1$s, r.moment, r.scope, r.hash, %3$s AS number, pg_catalog.row_number() OVER () AS place, %2$s FROM ('
        'SELECT %4$s%5$s, %6$s AS moment, %7$s AS scope, x.* '
        'FROM %8$s t CROSS JOIN LATERAL (SELECT neardup_internal.text_hash(d.document) AS hash, %9$s FROM (SELECT %10$s AS document OFFSET 0) d OFFSET 0) x '
        'WHERE %11$s AND x.signed IS NOT NULL ORDER BY %12$s OFFSET 0) r',
        neardup_internal.each('r.k%2$s', neardup_internal.key_columns(guarded.target)), computed,
        CASE WHEN neardup_internal.has_tids(guarded.target) THEN 'r.number' ELSE 'pg_catalog.row_number() OVER ()' END,
        neardup_internal.each('t.%1$I AS k%2$s', neardup_internal.key_columns(guarded.target)),
        CASE WHEN neardup_internal.has_tids(guarded.target) THEN ', neardup_internal.tid_number(t.ctid) AS number' END,
        CASE WHEN choice.within IS NULL THEN 'NULL::bigint' ELSE neardup_internal.moment(choice.timed, 't') END,
        coalesce('pg_catalog.dense_rank() OVER (ORDER BY ' || neardup_internal.each('t.%1$I', choice.scope) || ')', '0::bigint'),
        guarded.target, signed, neardup_internal.document_of(guarded, 't'), neardup_internal.choice_filter(guarded, choice),
        neardup_internal.keep_order(guarded, choice.keep, choice.time_column, choice.rank));

-- The WITH list for a guard by sketches: `numbered`, and `copies`, each with its number, the number of the row that stays, verdict and
-- value.
CREATE FUNCTION neardup_internal.sketch_copies(guarded neardup.protected, choice neardup_internal.choice) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    has_tids boolean := neardup_internal.has_tids(guarded.target);
    how text := format('%L::pg_catalog.text, %L::pg_catalog.text, %L::double precision', choice.verify, guarded.analyzer, choice.threshold);
BEGIN
    RETURN concat(
        -- Leaves out rows that share nothing with another one, so that no sort carries them.
        'WITH numbered AS MATERIALIZED (SELECT * FROM (', neardup_internal.numbered(guarded, choice,
            format('@extschema@.sketch_keys(@extschema@.sketch(d.document, %L::pg_catalog.text, %s)) AS signed', guarded.analyzer, guarded.keys),
            format('neardup_internal.earlier_rows(%s, r.scope, r.hash, r.moment, %s, r.signed, true, true, NULL, false) OVER () AS earlier',
                CASE WHEN has_tids THEN 'r.number' ELSE 'NULL' END, coalesce(neardup_internal.microseconds(choice.within)::text, 'NULL'))), ') n WHERE n.earlier IS NOT NULL), '
        -- Identical texts join the first of them, and only that one is compared: thousands of reposts cost next to nothing.
        'same AS MATERIALIZED (SELECT n.number AS later, OPERATOR(pg_catalog.-) n.earlier[1] AS earlier FROM numbered n '
        'WHERE n.earlier[1] OPERATOR(pg_catalog.<) ''0''::bigint), '
        -- The others are compared, with the rows that share the most keys first, until they find an earlier row that stays for them.
        'judged AS MATERIALIZED (SELECT j.place, j.later, (j.joined).* FROM (SELECT p.place, p.later, '
        'neardup_internal.join_star(p.later, p.earlier, p.kept, p.text, ', how, ', NULL, false) OVER () AS joined FROM (',
        CASE WHEN has_tids THEN
            'SELECT m.place, m.number AS later, u.number AS earlier, e.document AS kept, m.document AS text FROM (SELECT n.*, l.document FROM '
            '(SELECT n.place, n.number, n.earlier FROM numbered n WHERE n.earlier[1] OPERATOR(pg_catalog.>) ''0''::bigint ORDER BY n.place OFFSET 0) n '
            'CROSS JOIN LATERAL ' || neardup_internal.document_at(guarded, 'n.') || ' l OFFSET 0) m CROSS JOIN LATERAL pg_catalog.unnest(m.earlier) u(number) '
            'CROSS JOIN LATERAL ' || neardup_internal.document_at(guarded, 'u.') || ' e'
        ELSE
            'SELECT p.place, p.later, p.earlier, e.document AS kept, l.document AS text FROM (SELECT p.*, '
            || neardup_internal.address(guarded, 'l', 'later_') || ', ' || neardup_internal.address(guarded, 'e', 'earlier_') || ' FROM '
            '(SELECT n.place, n.number AS later, u.earlier, u.nth FROM numbered n CROSS JOIN LATERAL pg_catalog.unnest(n.earlier) WITH ORDINALITY u(earlier, nth) '
            'WHERE n.earlier[1] OPERATOR(pg_catalog.>) ''0''::bigint) p JOIN numbered l ON l.number OPERATOR(pg_catalog.=) p.later '
            'JOIN numbered e ON e.number OPERATOR(pg_catalog.=) p.earlier ORDER BY p.place, p.nth OFFSET 0) p '
            'CROSS JOIN LATERAL ' || neardup_internal.document_at(guarded, 'p.earlier_') || ' e CROSS JOIN LATERAL '
            || neardup_internal.document_at(guarded, 'p.later_') || ' l'
        END, ') p) j WHERE (j.joined).stays IS NOT NULL), ',
        -- A row that stays but is an excerpt of a later one is replaced by that one, if all rows that joined it can follow.
        'longer AS (SELECT DISTINCT ON (h.stays) h.stays AS short, h.later AS long FROM judged h WHERE h.holds '
        'AND NOT EXISTS (SELECT FROM judged j WHERE NOT j.holds AND j.later OPERATOR(pg_catalog.=) h.later) '
        'AND NOT EXISTS (SELECT FROM judged j WHERE j.holds AND j.stays OPERATOR(pg_catalog.=) h.later) ORDER BY h.stays, h.score DESC, h.place), '
        'followers AS (SELECT l.short, l.long, l.short AS number FROM longer l UNION ALL '
        'SELECT l.short, l.long, j.later FROM longer l JOIN judged j ON j.stays OPERATOR(pg_catalog.=) l.short WHERE NOT j.holds), '
        'moved AS MATERIALIZED (SELECT m.number, m.long AS stays, m.verdict, m.score FROM (SELECT f.follower AS number, f.long, v.verdict, v.score, '
        'pg_catalog.bool_and(coalesce(NOT v.loses, false)', CASE WHEN choice.within IS NOT NULL THEN
            ' AND ' || neardup_internal.meet('f.moment', 'f.long_moment', choice.within) END, ') OVER (PARTITION BY f.short) AS all_can '
        'FROM (SELECT f.short, f.long, f.number AS follower, ',
        -- These joins sort all rows twice, so they run only if more than the rows' tids is needed.
        CASE WHEN has_tids AND choice.within IS NULL THEN 'f.number, f.long AS long_number FROM followers f' ELSE concat('n.moment, g.moment AS long_moment, ',
            neardup_internal.address(guarded, 'n', ''), ', ', neardup_internal.address(guarded, 'g', 'long_'),
            ' FROM followers f JOIN numbered n ON n.number OPERATOR(pg_catalog.=) f.number JOIN numbered g ON g.number OPERATOR(pg_catalog.=) f.long') END, ' OFFSET 0) f '
        'CROSS JOIN LATERAL ', neardup_internal.document_at(guarded, 'f.long_'), ' e CROSS JOIN LATERAL ', neardup_internal.document_at(guarded, 'f.'),
        ' l CROSS JOIN LATERAL neardup_internal.judge(e.document, l.document, ', how, ') v) m WHERE m.all_can), '
        'stars AS MATERIALIZED (SELECT j.later AS number, j.stays, j.verdict, j.score FROM judged j WHERE NOT j.holds '
        'AND NOT EXISTS (SELECT FROM moved m WHERE m.number OPERATOR(pg_catalog.=) j.later) UNION ALL SELECT * FROM moved), ',
        -- Identical texts follow the first of them. One that is too far in time from the new row stays until the next clean-up.
        'copies AS (SELECT s.number, s.stays, s.verdict, s.score AS value FROM stars s UNION ALL '
        'SELECT s.later, coalesce(j.stays, s.earlier), coalesce(j.verdict, ''copy''), coalesce(j.score, ''1'') '
        'FROM same s LEFT JOIN stars j ON j.number OPERATOR(pg_catalog.=) s.earlier) ');
END
$$;
