-- clean-up: which rows of one table copy rows of another. The keys of both are sorted together; rows of the other table come first, and
-- all of them stay. In a load, new rows can also stay for later ones; in a clean-up against a table, they cannot. If the guard stores
-- copies, these can have copies in turn: a later row that resembles no other row is a copy of such a copy.

-- One of the two tables: how its rows are read, under alias t, and which.
CREATE TYPE neardup_internal.side AS (
    relation text,
    keys name[],
    tid text,
    document text,
    sort text,
    filter text
);

CREATE FUNCTION neardup_internal.side_of(guarded neardup.protected, relation regclass, sort text) RETURNS neardup_internal.side
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ROW(relation::text, neardup_internal.key_columns(relation), CASE WHEN neardup_internal.has_tids(relation) THEN 't.ctid' END,
        neardup_internal.document_in(guarded, relation, 't'), sort, 'true')::neardup_internal.side;

CREATE FUNCTION neardup_internal.copies_between(
    guarded neardup.protected, choice neardup_internal.choice, stay neardup_internal.side, go neardup_internal.side, together boolean
) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    has_tids boolean := stay.tid IS NOT NULL AND go.tid IS NOT NULL;
    chains boolean := together AND guarded.on_duplicate IN ('mark', 'warn');
    within text := coalesce(neardup_internal.microseconds(choice.within)::text, 'NULL');
    moment text := CASE WHEN choice.within IS NULL THEN 'NULL::bigint' ELSE neardup_internal.moment(choice.timed, 't') END;
    -- An identical text goes where the first of them went, and that may be too far in time.
    near text := neardup_internal.meet_still(choice);
    scopes text := coalesce(', ' || neardup_internal.each('t.%1$I AS s%2$s', choice.scope), '');
    -- The columns that are read of a row of either table. Its key is k1, k2, ... if the row may go, and r1, r2, ... if it may stay.
    read text := 'SELECT %1$s, %2$s AS number, %3$s AS is_new, %4$s AS moment%5$s, row_number() OVER (ORDER BY %6$s) AS nth, x.* FROM %7$s t '
        'CROSS JOIN LATERAL (SELECT neardup_internal.text_hash(d.document) AS hash, pg_catalog.octet_length(d.document) AS bytes, '
        '@extschema@.sketch_keys(@extschema@.sketch(d.document, %8$L::pg_catalog.text, %9$s)) AS signed%10$s FROM (SELECT %11$s AS document OFFSET 0) d OFFSET 0) x '
        'WHERE x.signed IS NOT NULL AND %12$s';
    with_document text := CASE WHEN NOT has_tids THEN ', d.document' END;
    -- Greater than all tids of a table.
    first_new text := '''2251799813685248''::bigint';
    read_at text := 'SELECT %1$s AS document FROM %2$s t WHERE %3$s OPERATOR(pg_catalog.=) neardup_internal.number_tid(%4$s)';
    found text := CASE WHEN has_tids THEN concat(
        'SELECT m.place, m.number AS later, u.number AS earlier, e.document AS kept, m.document AS text FROM (SELECT n.*, l.document FROM '
        '(SELECT n.place, n.number, n.earlier FROM numbered n WHERE n.is_new AND n.earlier[1] OPERATOR(pg_catalog.>) ''0''::bigint ORDER BY n.place OFFSET 0) n '
        'CROSS JOIN LATERAL (', format(read_at, go.document, go.relation, go.tid, 'n.number'), ' OFFSET 0) l OFFSET 0) m '
        'CROSS JOIN LATERAL pg_catalog.unnest(m.earlier) u(number) CROSS JOIN LATERAL (', format(read_at, stay.document, stay.relation, stay.tid, 'u.number'),
        CASE WHEN together THEN format(' AND u.number OPERATOR(pg_catalog.<) %s UNION ALL %s AND u.number OPERATOR(pg_catalog.>=) %1$s', first_new,
            format(read_at, go.document, go.relation, go.tid, 'u.number')) END, ' OFFSET 0) e')
    ELSE
        'SELECT p.place, p.later, p.earlier, e.document AS kept, p.document AS text FROM (SELECT n.place, n.number AS later, n.document, u.earlier, u.nth '
        'FROM numbered n CROSS JOIN LATERAL pg_catalog.unnest(n.earlier) WITH ORDINALITY u(earlier, nth) WHERE n.is_new AND n.earlier[1] OPERATOR(pg_catalog.>) ''0''::bigint) p '
        'JOIN numbered e ON e.number OPERATOR(pg_catalog.=) p.earlier ORDER BY p.place, p.nth OFFSET 0'
    END;
BEGIN
    RETURN concat(
        'WITH numbered AS MATERIALIZED (SELECT * FROM (SELECT ', neardup_internal.each('r.k%2$s', go.keys), ', ', neardup_internal.each('r.r%2$s', stay.keys),
        ', r.is_new, r.hash, r.moment', CASE WHEN NOT has_tids THEN ', r.document' END,
        ', coalesce(r.number, pg_catalog.row_number() OVER ()) AS number, pg_catalog.row_number() OVER () AS place, '
        'neardup_internal.earlier_rows(r.number, r.scope, r.hash, r.moment, ', within, ', r.signed, r.is_new, ', CASE WHEN together THEN 'true' ELSE 'NOT r.is_new' END,
        ', r.bytes, ', chains::text, ') OVER () AS earlier FROM (SELECT b.*, ',
        coalesce('pg_catalog.dense_rank() OVER (ORDER BY ' || neardup_internal.each('b.s%2$s', choice.scope) || ')', '0::bigint'), ' AS scope FROM (',
        format(read, concat_ws(', ', neardup_internal.each('NULL AS k%2$s', go.keys), neardup_internal.each('t.%1$I AS r%2$s', stay.keys)),
            CASE WHEN has_tids THEN format('neardup_internal.tid_number(%s)', stay.tid) ELSE 'NULL::bigint' END, 'false', moment, scopes, stay.sort, stay.relation,
            guarded.analyzer, guarded.keys, with_document, stay.document, stay.filter),
        ' UNION ALL ',
        format(read, concat_ws(', ', neardup_internal.each('t.%1$I AS k%2$s', go.keys),
                CASE WHEN together THEN neardup_internal.each('t.%1$I AS r%2$s', go.keys) ELSE neardup_internal.each('NULL AS r%2$s', stay.keys) END),
            coalesce('neardup_internal.tid_number(' || go.tid || ') OPERATOR(pg_catalog.+) ' || first_new, 'NULL::bigint'), 'true', moment, scopes,
            go.sort, go.relation, guarded.analyzer, guarded.keys, with_document, go.document, go.filter),
        ') b ORDER BY b.is_new, b.nth OFFSET 0) r) n WHERE n.earlier IS NOT NULL), ',
        'same AS MATERIALIZED (SELECT n.number AS later, OPERATOR(pg_catalog.-) n.earlier[1] AS earlier FROM numbered n '
        'WHERE n.is_new AND n.earlier[1] OPERATOR(pg_catalog.<) ''0''::bigint), '
        'judged AS MATERIALIZED (SELECT ', CASE WHEN chains THEN 'DISTINCT ON (j.later) ' END, 'j.later, (j.joined).* FROM (SELECT p.later, neardup_internal.join_star(p.later, p.earlier, p.kept, p.text, ',
        format('%L::pg_catalog.text, %L::pg_catalog.text, %L::double precision', choice.verify, guarded.analyzer, choice.threshold), ', 64, ', chains::text, ') OVER () AS joined FROM (',
        found, ') p) j WHERE (j.joined).stays IS NOT NULL AND NOT (j.joined).holds', CASE WHEN chains THEN ' ORDER BY j.later, (j.joined).chained' END, '), '
        'copies AS (SELECT j.later AS number, j.stays, j.verdict, j.score AS value FROM judged j UNION ALL ',
        -- In a time window, the original of an identical row may be too far from this one; if that identical row is stored, it is the
        -- original.
        CASE WHEN chains AND choice.within IS NOT NULL THEN 'SELECT s.later, s.earlier, ''copy'', ''1'' FROM same s) '
        ELSE 'SELECT s.later, coalesce(j.stays, s.earlier), coalesce(j.verdict, ''copy''), coalesce(j.score, ''1'') '
            'FROM same s LEFT JOIN judged j ON j.later OPERATOR(pg_catalog.=) s.earlier) ' END,
        'SELECT ', neardup_internal.each('m.k%2$s', go.keys), ', ', neardup_internal.each('r.r%2$s', stay.keys), ', c.verdict, ',
        format('CASE WHEN m.hash OPERATOR(pg_catalog.=) r.hash THEN ''identical'' ELSE %L END AS measure, c.value, ',
            neardup_internal.measured(choice.verify)),
        CASE WHEN together THEN concat('r.is_new AS of_new, neardup_internal.number_tid(m.number) AS tid, ', near, ' AS is_near, ')
             ELSE 'pg_catalog.count(*) OVER (PARTITION BY r.place) + 1 AS group_size, ' END,
        'm.hash AS document_hash, r.hash AS stays_hash FROM copies c JOIN numbered m ON m.number OPERATOR(pg_catalog.=) c.number '
        'JOIN numbered r ON r.number OPERATOR(pg_catalog.=) c.stays',
        CASE WHEN NOT together THEN ' WHERE ' || near END, ' ORDER BY m.place');
END
$$;

CREATE FUNCTION neardup_internal.against_copies(guarded neardup.protected, choice neardup_internal.choice) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    go neardup_internal.side := neardup_internal.side_of(guarded, guarded.target, neardup_internal.each('t.%1$I', neardup_internal.key_columns(guarded.target)));
BEGIN
    go.filter := neardup_internal.choice_filter(guarded, choice);
    RETURN neardup_internal.copies_between(guarded, choice,
        neardup_internal.side_of(guarded, choice.against, neardup_internal.each('t.%1$I', neardup_internal.key_columns(choice.against))), go, false);
END
$$;
