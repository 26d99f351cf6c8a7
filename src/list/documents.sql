-- documents: which documents of several rows have rows in common (src/list/parents.rs)

CREATE FUNCTION neardup_internal.parents_statement(arguments jsonb, parent text) RETURNS text
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'parents_statement_wrapper';
COMMENT ON FUNCTION neardup_internal.parents_statement(jsonb, text) IS 'the statement that reads primary key and parent of each row that has a document, both as text';

-- A list gives groups of copies. Two documents that share rows are in many groups together, or in few that hold much of one of them. Boilerplate
-- is in a group of thousands of documents, all pairs of which would be too many. So only some of the groups propose pairs: a document that shares
-- the wanted part of its rows with another one is together with it in one of its smaller groups, because its largest groups do not hold as much
-- (prefix filtering, Chaudhuri, Ganti and Kaushik 2006). Rows are counted in all groups.
CREATE FUNCTION neardup_internal.shared_documents(arguments jsonb, parents text, at_least double precision)
    RETURNS TABLE (key text, copies bigint, rows bigint, share double precision,
        other text, other_copies bigint, other_rows bigint, other_share double precision)
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 1000000 ROWS 1000
    -- Compiling takes seconds, during which nothing can be cancelled; its cost is estimated far too high.
    SET jit = off
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C' AS $$
BEGIN
    IF at_least IS NULL OR NOT (at_least > 0 AND at_least <= 1) THEN
        RAISE EXCEPTION 'at_least must be above 0 and at most 1: %', at_least USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN QUERY EXECUTE format(
        'WITH listed AS MATERIALIZED (SELECT c.key, c.stays FROM neardup_internal.copies($1) c), '
        'member AS ('
        '    SELECT l.key, l.stays AS first, 1 AS is_copy FROM listed l '
        '    UNION ALL SELECT DISTINCT l.stays, l.stays, 0 FROM listed l), '
        'parented (key, parent) AS MATERIALIZED (%s), '
        'total AS (SELECT p.parent, count(*) AS rows FROM parented p GROUP BY p.parent), '
        'held AS MATERIALIZED ('
        '    SELECT g.*, t.rows AS total, count(*) OVER (PARTITION BY g.first) AS parents '
        '    FROM (SELECT p.parent, m.first, count(*) AS rows, sum(m.is_copy) AS copies '
        '          FROM member m JOIN parented p ON p.key = m.key COLLATE "C" GROUP BY p.parent, m.first) g JOIN total t ON t.parent = g.parent), '
        'ranked AS ('
        '    SELECT h.parent, h.first, h.total, sum(h.rows) OVER (PARTITION BY h.parent ORDER BY h.parents DESC, h.first) AS rest '
        '    FROM held h WHERE h.parents > 1), '
        'pair AS MATERIALIZED ('
        '    SELECT DISTINCT least(r.parent, h.parent) AS a, greatest(r.parent, h.parent) AS b '
        '    FROM ranked r JOIN held h ON h.first = r.first AND h.parent <> r.parent WHERE r.rest::double precision / r.total >= $2), '
        -- One side first: the planner would join all groups with themselves, and those of boilerplate are large.
        'one AS MATERIALIZED ('
        '    SELECT p.a, p.b, x.first, x.rows, x.copies, x.total FROM pair p JOIN held x ON x.parent = p.a), '
        'shared AS ('
        '    SELECT o.a, o.b, sum(o.rows)::bigint AS a_shares, sum(y.rows)::bigint AS b_shares, sum(o.copies) AS a_copies, sum(y.copies) AS b_copies, '
        '           max(o.total) AS a_rows, max(y.total) AS b_rows '
        '    FROM one o JOIN held y ON y.parent = o.b AND y.first = o.first GROUP BY o.a, o.b), '
        'rated AS ('
        '    SELECT s.*, s.a_shares::double precision / s.a_rows AS a_share, s.b_shares::double precision / s.b_rows AS b_share FROM shared s) '
        'SELECT v.* FROM rated b '
        '     CROSS JOIN LATERAL (VALUES (b.a, b.a_shares, b.a_rows, b.a_share, b.b, b.b_shares, b.b_rows, b.b_share), '
        '                                (b.b, b.b_shares, b.b_rows, b.b_share, b.a, b.a_shares, b.a_rows, b.a_share)) v '
        -- The document that may go comes first: more of its rows are copies or, if it is the same, they came later.
        'WHERE greatest(b.a_share, b.b_share) >= $2 '
        '  AND (v.column1 = b.a) = ((b.a_share, b.a_copies) > (b.b_share, b.b_copies))', parents) USING arguments, at_least;
END
$$;

CREATE FUNCTION neardup.documents(
    target regclass,
    parent name,
    at_least double precision DEFAULT 0.5,
    document name DEFAULT NULL,
    scope name[] DEFAULT NULL,
    verify text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    excerpts text DEFAULT NULL
) RETURNS TABLE (key text, copies bigint, rows bigint, share double precision,
        other text, other_copies bigint, other_rows bigint, other_share double precision)
    LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    -- Both arguments are made under the settings of the caller, so that messages show names as the caller knows them.
    SELECT d.key, d.copies, d.rows, d.share, d.other, d.other_copies, d.other_rows, d.other_share
    FROM pg_catalog.jsonb_build_object('target', target::oid::bigint, 'document', document, 'keep', 'oldest', 'scope', scope,
             'verify', verify, 'threshold', threshold, 'excerpts', excerpts) a
         CROSS JOIN LATERAL neardup_internal.shared_documents(
             neardup_internal.checked_list(a), neardup_internal.parents_statement(a, parent::text), at_least) d;
END;

COMMENT ON FUNCTION neardup_internal.shared_documents(jsonb, text, double precision) IS 'pairs of documents with rows in common: arguments of the list, the statement that reads the parent of each row, and the least share';
COMMENT ON FUNCTION neardup.documents(regclass, name, double precision, name, name[], text, double precision, text) IS 'documents of several rows, such as chunks, that have rows in common: for each pair of values of the column parent, the number of rows that have a copy under the other, of all their rows, and the share of these, for one of the two at least `at_least` (0 to 1). Of each pair, key is the document of which a larger share is copied or, if both shares are the same, the one whose rows are copies of earlier ones. Arguments as those of neardup.duplicates: SELECT * FROM neardup.documents(''chunks'', parent => ''doc_id'')';
