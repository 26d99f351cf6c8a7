-- USING neardup: what a search by distance reads, what the planner expects it to cost, and what EXPLAIN counts
SET max_parallel_workers_per_gather = 0;
CREATE TABLE signed AS SELECT left(md5(i::text), 16)::simhash AS signature FROM generate_series(1, 100000) i;
-- Pages that are nearly empty make the trees of a small table three levels high.
CREATE INDEX signed_idx ON signed USING neardup (signature) WITH (fillfactor = 10);
VACUUM (ANALYZE) signed;
-- The node of a plan that scans an index, after it has run.
CREATE FUNCTION index_node(question text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || question INTO plan;
    RETURN jsonb_path_query_first(plan, 'strict $.**?(exists(@."Index Name"))');
END $$;
SET enable_seqscan = off;
CREATE TABLE plan AS SELECT distance, (node ->> 'Total Cost')::float8 AS cost, (node ->> 'Shared Hit Blocks')::int + (node ->> 'Shared Read Blocks')::int AS blocks
FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (20), (60)) v(distance),
    index_node(format($$SELECT FROM signed WHERE signature <@ hamming_ball('0123456789abcdef', %s)$$, distance)) node;

-- A near search reads two pages for each value of a band that can be within the distance, and the root of each tree once. The rows of
-- a value may continue on the next page.
SELECT distance, blocks BETWEEN pages AND pages * 1.1 AS reads_what_it_should
FROM (SELECT distance, blocks, least(distance + 1, 4) + 2 * probes AS pages
    FROM plan JOIN unnest(ARRAY[1, 2, 3, 4, 20, 36, 52, 68, 188, 308, 428, 548]) WITH ORDINALITY p(probes, number) ON number = distance + 1) p ORDER BY distance;
-- A wide one reads the leaves of one tree.
SELECT distance, blocks < pg_relation_size('signed_idx') / current_setting('block_size')::int * 0.26 AS reads_one_tree FROM plan WHERE distance > 11;

-- The planner knows: each distance costs more than the one before, until it costs as much as reading a tree.
SELECT count(*), bool_and(cost > before) AS rises FROM (SELECT cost, lag(cost, 1, 0) OVER (ORDER BY distance) AS before FROM plan WHERE distance <= 11) p;
SELECT count(DISTINCT cost) AS costs, max(cost) < max(relpages) AS less_than_all_pages FROM plan, pg_class WHERE distance > 11 AND relname = 'signed_idx';

-- EXPLAIN counts searches from Postgres 18 on: of a bitmap, row by row, in a loop, by distance.
CREATE FUNCTION is_counted(times int, question text) RETURNS boolean LANGUAGE sql AS $$
    SELECT current_setting('server_version_num')::int < 180000 OR (index_node(question) ->> 'Index Searches')::int = times $$;
SELECT is_counted(1, $$SELECT FROM signed WHERE signature <@ hamming_ball('0123456789abcdef', 7)$$) AS bitmap;
SET enable_bitmapscan = off;
SELECT is_counted(1, $$SELECT FROM signed WHERE signature <@ hamming_ball('0123456789abcdef', 7)$$) AS row_by_row;
SELECT is_counted(3, $$SELECT FROM (VALUES ('0123456789abcdef'::simhash), ('1123456789abcdef'), ('2123456789abcdef')) v(s), LATERAL (SELECT FROM signed WHERE signature <@ hamming_ball(s, 7) OFFSET 0) d$$) AS three_loops;
SELECT is_counted(1, $$SELECT FROM signed ORDER BY signature <~> '0123456789abcdef' LIMIT 1$$) AS by_distance;
DROP FUNCTION is_counted, index_node;
DROP TABLE plan, signed;
