-- load: the rows of another table as rows of the guarded one: its columns by their names, NULL where the other table has none

CREATE FUNCTION neardup_internal.as_target(target regclass, source regclass) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.format('(SELECT s.ctid AS neardup_tid, %s FROM %s s)', pg_catalog.string_agg(pg_catalog.format('CAST(%s AS %s) AS %I',
                   CASE WHEN a.attname = ANY (neardup_internal.column_names(source)) THEN pg_catalog.format('s.%I', a.attname) ELSE 'NULL' END,
                   neardup_internal.cast_type(target, a.attname), a.attname), ', ' ORDER BY a.attnum), source)
        FROM pg_catalog.pg_attribute a WHERE a.attrelid = target AND a.attnum > 0 AND NOT a.attisdropped
    );

-- The columns that are loaded.
CREATE FUNCTION neardup_internal.shared_columns(target regclass, source regclass) RETURNS name[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT pg_catalog.array_agg(a.attname ORDER BY a.attnum) FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = target AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
              AND a.attname = ANY (neardup_internal.column_names(source))
    );

-- The document of such a row.
CREATE FUNCTION neardup_internal.new_document(guarded neardup.protected, alias text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN guarded.expression IS NULL THEN neardup_internal.document_of(guarded, alias)
                ELSE pg_catalog.format('%s(CAST(ROW(%s) AS %s))', guarded.expression,
                    neardup_internal.each(alias || '.%1$I', neardup_internal.column_names(guarded.target)), neardup_internal.row_type(guarded.target)) END;

CREATE FUNCTION neardup_internal.check_source(guarded neardup.protected, source regclass) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    missing name;
BEGIN
    IF guarded.method <> 'sketch' THEN
        RAISE EXCEPTION 'column "%" of table % is guarded by method %', guarded.document, guarded.target, guarded.method
            USING ERRCODE = 'feature_not_supported', DETAIL = 'Tables are compared by the keys of sketches.';
    END IF;
    IF source::oid = guarded.target::oid THEN
        RAISE EXCEPTION 'table % is compared with itself', source USING ERRCODE = 'invalid_parameter_value',
            HINT = format('SELECT * FROM neardup.duplicates(%L);', source);
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = source::oid AND c.relkind = 'r' AND NOT c.relhassubclass) THEN
        RAISE EXCEPTION '% is not an ordinary table', source USING ERRCODE = 'wrong_object_type',
            DETAIL = 'New rows come from a table without partitions.';
    END IF;
    SELECT c INTO missing FROM unnest(guarded.columns || guarded.scope || guarded.time_column) c
    WHERE c IS NOT NULL AND c <> ALL (neardup_internal.column_names(source)) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', missing, source USING ERRCODE = 'undefined_column',
            DETAIL = format('The guard of table %s goes by it.', guarded.target);
    END IF;
END
$$;

-- load: which new row copies which row that is there, or which earlier new one. The keys of both tables are sorted together; rows that are
-- there come first and stay, whatever they are to each other; a new row that is one stays for none.

CREATE FUNCTION neardup_internal.new_copies(guarded neardup.protected, source regclass, choice neardup_internal.choice) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    keys name[] := neardup_internal.key_columns(guarded.target);
    has_tids boolean := neardup_internal.has_tids(guarded.target);
    how text := format('%L::pg_catalog.text, %L::pg_catalog.text, %L::double precision', choice.verify, guarded.analyzer, guarded.similarity);
    within text := coalesce(neardup_internal.microseconds(choice.within)::text, 'NULL');
    side text := 'SELECT %1$s, %2$s AS number, %3$s AS is_new, %4$s AS moment%5$s, pg_catalog.row_number() OVER (ORDER BY %6$s) AS nth, x.* FROM %7$s t '
        'CROSS JOIN LATERAL (SELECT neardup_internal.text_hash(d.document) AS hash, '
        '@extschema@.sketch_keys(@extschema@.sketch(d.document, %8$L::pg_catalog.text, %9$s)) AS signed%10$s FROM (SELECT %11$s AS document OFFSET 0) d OFFSET 0) x '
        'WHERE x.signed IS NOT NULL';
    moment text := CASE WHEN choice.within IS NULL THEN 'NULL::bigint' ELSE neardup_internal.moment(choice.timed, 't') END;
    key_list text := neardup_internal.each('t.%1$I AS k%2$s', keys);
    scopes text := coalesce(', ' || neardup_internal.each('t.%1$I AS s%2$s', choice.scope), '');
    found text := CASE WHEN has_tids THEN
        'SELECT m.place, m.number AS later, u.number AS earlier, e.document AS kept, m.document AS text FROM (SELECT n.*, l.document FROM '
        '(SELECT n.place, n.number, n.earlier FROM numbered n WHERE n.is_new AND n.earlier[1] OPERATOR(pg_catalog.>) ''0''::bigint ORDER BY n.place OFFSET 0) n '
        'CROSS JOIN LATERAL (SELECT %1$s AS document FROM %2$s t WHERE t.neardup_tid OPERATOR(pg_catalog.=) neardup_internal.number_tid(n.number) OFFSET 0) l OFFSET 0) m '
        'CROSS JOIN LATERAL pg_catalog.unnest(m.earlier) u(number) CROSS JOIN LATERAL ('
        'SELECT %3$s AS document FROM %4$s t WHERE u.number OPERATOR(pg_catalog.<) %5$s AND t.ctid OPERATOR(pg_catalog.=) neardup_internal.number_tid(u.number) UNION ALL '
        'SELECT %1$s FROM %2$s t WHERE u.number OPERATOR(pg_catalog.>=) %5$s AND t.neardup_tid OPERATOR(pg_catalog.=) neardup_internal.number_tid(u.number) OFFSET 0) e'
    ELSE
        'SELECT p.place, p.later, p.earlier, e.document AS kept, p.document AS text FROM (SELECT n.place, n.number AS later, n.document, u.earlier, u.nth '
        'FROM numbered n CROSS JOIN LATERAL pg_catalog.unnest(n.earlier) WITH ORDINALITY u(earlier, nth) WHERE n.is_new AND n.earlier[1] OPERATOR(pg_catalog.>) ''0''::bigint) p '
        'JOIN numbered e ON e.number OPERATOR(pg_catalog.=) p.earlier ORDER BY p.place, p.nth OFFSET 0'
    END;
    -- Beyond all tids of a table.
    first_new text := '''2251799813685248''::bigint';
BEGIN
    RETURN concat(
        'WITH numbered AS MATERIALIZED (SELECT ', neardup_internal.each('r.k%2$s', keys), ', r.is_new, r.hash, r.moment', CASE WHEN NOT has_tids THEN ', r.document' END,
        ', coalesce(r.number, pg_catalog.row_number() OVER ()) AS number, pg_catalog.row_number() OVER () AS place, '
        'neardup_internal.earlier_rows(r.number, r.scope, r.hash, r.moment, ', within, ', r.signed, r.is_new) OVER () AS earlier FROM (SELECT b.*, ',
        coalesce('pg_catalog.dense_rank() OVER (ORDER BY ' || neardup_internal.each('b.s%2$s', choice.scope) || ')', '0::bigint'), ' AS scope FROM (',
        format(side, key_list, CASE WHEN has_tids THEN 'neardup_internal.tid_number(t.ctid)' ELSE 'NULL::bigint' END, 'false', moment, scopes,
            neardup_internal.keep_order(guarded, 'oldest', choice.time_column, NULL), guarded.target, guarded.analyzer, guarded.keys,
            CASE WHEN NOT has_tids THEN ', d.document' END, neardup_internal.document_of(guarded, 't')),
        ' UNION ALL ',
        format(side, key_list, 'neardup_internal.tid_number(t.neardup_tid) OPERATOR(pg_catalog.+) ' || first_new, 'true', moment, scopes,
            neardup_internal.keep_order(guarded, 'oldest', choice.time_column, NULL) || ', t.neardup_tid',
            neardup_internal.as_target(guarded.target, source), guarded.analyzer, guarded.keys,
            CASE WHEN NOT has_tids THEN ', d.document' END, neardup_internal.new_document(guarded, 't')),
        ') b ORDER BY b.is_new, b.nth OFFSET 0) r), ',
        'same AS MATERIALIZED (SELECT n.number AS later, OPERATOR(pg_catalog.-) n.earlier[1] AS earlier FROM numbered n '
        'WHERE n.is_new AND n.earlier[1] OPERATOR(pg_catalog.<) ''0''::bigint), '
        'judged AS MATERIALIZED (SELECT j.later, (j.joined).* FROM (SELECT p.later, '
        'neardup_internal.join_star(p.later, p.earlier, p.kept, p.text, ', how, ') OVER () AS joined FROM (',
        format(found, neardup_internal.new_document(guarded, 't'), neardup_internal.as_target(guarded.target, source),
            neardup_internal.document_of(guarded, 't'), guarded.target, first_new),
        ') p) j WHERE (j.joined).stays IS NOT NULL AND NOT (j.joined).holds), '
        'copies AS (SELECT j.later AS number, j.stays, j.verdict, j.score AS value FROM judged j UNION ALL '
        'SELECT s.later, coalesce(j.stays, s.earlier), coalesce(j.verdict, ''copy''), coalesce(j.score, ''1'') '
        'FROM same s LEFT JOIN judged j ON j.later OPERATOR(pg_catalog.=) s.earlier) '
        'SELECT ', neardup_internal.each('m.k%2$s', keys), ', ', neardup_internal.each('r.k%2$s AS r%2$s', keys),
        ', r.is_new AS of_new, neardup_internal.number_tid(m.number) AS tid, CASE WHEN r.is_new THEN neardup_internal.number_tid(r.number) END AS stays_tid, c.verdict, ',
        format('CASE WHEN m.hash OPERATOR(pg_catalog.=) r.hash THEN ''identical'' ELSE %L END AS measure, ',
            CASE WHEN choice.verify IN ('overlap', 'cosine') THEN choice.verify ELSE 'facts' END),
        'c.value, m.hash AS document_hash, r.hash AS stays_hash FROM copies c JOIN numbered m ON m.number OPERATOR(pg_catalog.=) c.number '
        'JOIN numbered r ON r.number OPERATOR(pg_catalog.=) c.stays',
        CASE WHEN choice.within IS NOT NULL THEN ' WHERE ' || neardup_internal.meet('m.moment', 'r.moment', choice.within) END, ' ORDER BY m.place');
END
$$;

CREATE FUNCTION neardup.copies_of(target regclass, source regclass, document name DEFAULT NULL, verify text DEFAULT NULL)
    RETURNS TABLE (key text, duplicate_of text, is_new boolean, verdict text, measure text, value double precision)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_nestloop = off SET enable_hashagg = off SET enable_memoize = off SET jit = off AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document);
    keys name[] := neardup_internal.key_columns(target);
BEGIN
    PERFORM neardup_internal.check_source(guarded, source);
    RETURN QUERY EXECUTE format(
        'SELECT pg_catalog.concat_ws('', '', %s), pg_catalog.concat_ws('', '', %s), c.of_new, c.verdict, c.measure, c.value FROM (%s) c',
        neardup_internal.each('c.k%2$s', keys), neardup_internal.each('c.r%2$s', keys),
        neardup_internal.new_copies(guarded, source, neardup_internal.chosen(guarded, 'oldest', NULL, NULL, NULL, NULL, NULL, verify, NULL, NULL)));
END
$$;
