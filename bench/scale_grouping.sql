-- Groups of near-duplicates among all rows: by the window function, by a self-join in SQL, by an outside program.
\echo '   ' :table: groups
SELECT count(*) AS rows FROM :table \gset
-- 128 bytes of work_mem per row of the window, so that no statement writes rows to a file: Postgres uses about 56.
SELECT ceil(:rows * 128 / 1048576.0) || 'MB' AS memory, :rows <= 2000000 AS few \gset
SELECT set_config('work_mem', :'memory', false);
SELECT bench.comparison(format('Grouping, %s', :'table'), format('%s rows: %s. Each window statement reads all rows in key order and sums the '
    'results, with `work_mem = ''%s''`. The self-join and simhash-cpp return pairs; forming groups takes additional work.', bench.grouped(:rows), :'what', :'memory'),
    'sum(id) OVER (ORDER BY id)');
-- The plain aggregate uses an index-only scan; the other one reads the signatures, too.
\set calls '''{sum(id) OVER (ORDER BY id),count(signature) OVER (ORDER BY id),"near_duplicate_of(signature, 3) OVER (ORDER BY id)","near_duplicate_of(signature, 7) OVER (ORDER BY id)"}''::text[]'
SELECT bench.race(1, '{floor,floor,ours,ours}', :calls,
                  ARRAY(SELECT format('SELECT sum(answer) FROM (SELECT %s AS answer FROM %s) AS s', call, :'table') FROM unnest(:calls) call));
RESET work_mem;
\if :few
SELECT bench.add('peer', 'self-join over bands, distance 3', bench.seconds(format(
    'SELECT count(*) FROM (WITH band AS MATERIALIZED (SELECT id, signature, unnest(simhash_bands(signature)) AS key FROM %s)
         SELECT DISTINCT a.id, b.id FROM band a JOIN band b ON a.key = b.key AND a.id < b.id WHERE hamming_distance(a.signature, b.signature) <= 3) AS pairs', :'table')), 'pairs');
\else
SELECT bench.add('peer', 'self-join over bands, distance 3', NULL, 'left out: its work grows with the square of the rows');
\endif
\setenv TABLE :table
\! "$PGBIN/psql" -XAtqc "SELECT signature::bigint FROM $TABLE" >"$PEERS.signatures"
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh find_all "$PEERS.signatures"'
SELECT bench.add('peer', 'simhash-cpp find_all, distance 3', seconds, CASE WHEN seconds IS NULL THEN name ELSE 'in C++ and Python outside a database; pairs' END)
FROM bench.measured;
DELETE FROM bench.measured;
SELECT bench.aim(format('%s, groups at distance %s, multiple of a plain window', :'table', distance),
                 bench.ratio(format('near_duplicate_of(signature, %s) OVER (ORDER BY id)', distance), 'sum(id) OVER (ORDER BY id)'), at_most => most)
FROM (VALUES (3, 1.3), (7, 3.0)) v(distance, most);
