-- One coordinator and two workers, joined by Citus: signing and searching go to the shards, all copies of a distributed table are found by a
-- table of keys that is distributed by key, judged where the texts are, and removed. The statements are those of docs/citus.md.

-- @worker_0
CREATE EXTENSION citus;

-- @worker_1
CREATE EXTENSION citus;

-- @coordinator
CREATE EXTENSION citus;
SELECT citus_set_coordinator_host(:'coordinator', 5432);
SELECT citus_add_node(:'worker_0', 5432);
SELECT citus_add_node(:'worker_1', 5432);

-- the extension, made on the coordinator, is made on the workers too
CREATE EXTENSION pg_neardup;
SELECT result FROM run_command_on_workers('SELECT extname FROM pg_extension WHERE extname ~ ''neardup''');
--= pg_neardup
--= pg_neardup

CREATE TABLE articles (id bigint PRIMARY KEY, body text);
SELECT create_distributed_table('articles', 'id', shard_count => 4);
CREATE FUNCTION words(first int, last int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(substr('abcdefghijklmnopqrstuvwxyz', 1 + n % 26, 1) || n, ' ' ORDER BY n) FROM generate_series(first, last) n
$$;
CREATE TABLE rows_to_come (id bigint PRIMARY KEY, body text);
-- 500 texts, edited copies and excerpts of a part of them, longer texts that hold them, others with another number, a form with 400 rows,
-- and chains in which each text is a copy of the one before it, but not of the one before that
INSERT INTO rows_to_come SELECT n, words(n * 100, n * 100 + 40) FROM generate_series(1, 500) n;
INSERT INTO rows_to_come SELECT 1000 + n, CASE n % 5 WHEN 0 THEN words(n * 100, n * 100 + 40) WHEN 1 THEN words(n * 100, n * 100 + 38) || ' edited'
    WHEN 2 THEN words(n * 100 + 5, n * 100 + 30) WHEN 3 THEN words(n * 100, n * 100 + 300) ELSE words(n * 100 - 3, n * 100 + 40) END FROM generate_series(1, 200) n;
INSERT INTO rows_to_come SELECT 2000 + n, words(1, 40) || ' ward ' || n * 7 FROM generate_series(1, 400) n;
INSERT INTO rows_to_come SELECT 3000 + 10 * chain + n, words(90000 + chain * 1000 + 4 * n, 90000 + chain * 1000 + 4 * n + 40)
FROM generate_series(1, 20) chain, generate_series(0, 5) n;
INSERT INTO articles TABLE rows_to_come;
CREATE INDEX ON articles USING gin (sketch(body)) WITH (fastupdate = off);
CREATE INDEX ON articles USING gin (simhash(body, 'chars:3'));
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS off) ' || query; END $$;
SET citus.explain_all_tasks = on;
SET enable_seqscan = off;

-- a guard on a distributed table is refused in our words
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT neardup.protect('articles', 'body');
--= ERROR:  table public.articles is distributed
--= DETAIL:  A guard is a row trigger, which Citus refuses on distributed tables; and the copy of a row may be on another node.
--= HINT:  Create the index yourself, CREATE INDEX ON public.articles USING gin (sketch(body)), and find copies by keys: docs/citus.md.

\set VERBOSITY sqlstate
CREATE TABLE everywhere (id bigint PRIMARY KEY, body text);
CREATE TABLE on_one_node (LIKE everywhere INCLUDING ALL);
CREATE TABLE known (LIKE everywhere INCLUDING ALL);
SELECT create_reference_table('everywhere');
SELECT create_distributed_table('on_one_node', NULL);
SELECT citus_add_local_table_to_metadata('known');

-- so is one on a table that is copied to all nodes
SELECT neardup.protect('everywhere', 'body');
--= ERROR:  0A000

-- and one on a table that lies on one of them
SELECT neardup.protect('on_one_node', 'body');
--= ERROR:  0A000

SELECT neardup.protect('known', 'body');
INSERT INTO known VALUES (1, words(1, 40));

-- a table of the coordinator that Citus only knows of has a guard
INSERT INTO known VALUES (2, words(1, 38) || ' edited');
--= ERROR:  23505

-- an article, found on whichever node it is
SELECT id FROM articles WHERE near_duplicate(body, words(30300, 30338) || ' anew');
--= 303

-- tasks, and index scans among them, of a search by sketch
SELECT count(*) FILTER (WHERE l LIKE '%Node: %'), count(*) FILTER (WHERE l ~ 'Bitmap Index Scan on articles_sketch')
FROM plan('SELECT id FROM articles WHERE near_duplicate(body, ''the ferry will run again from Monday, and the old boat becomes a tea house'')') l;
--= 4|4

-- and by SimHash
SELECT count(*) FILTER (WHERE l LIKE '%Node: %'), count(*) FILTER (WHERE l ~ 'Bitmap Index Scan on articles_simhash')
FROM plan('SELECT id FROM articles WHERE simhash_within(simhash(body, ''chars:3''), ''0123456789abcdef'', 3)') l;
--= 4|4

CREATE INDEX own_sketch ON articles USING neardup (sketch(body));
DROP INDEX articles_sketch_idx;

-- tasks and index scans with an index of our own access method
SELECT count(*) FILTER (WHERE l LIKE '%Node: %'), count(*) FILTER (WHERE l ~ 'Index Scan (on|using) own_sketch')
FROM plan('SELECT id FROM articles WHERE near_duplicate(body, ''the ferry will run again from Monday, and the old boat becomes a tea house'')') l;
--= 4|4

-- what it finds
SELECT id FROM articles WHERE near_duplicate(body, words(30300, 30338) || ' anew');
--= 303

-- Keys, signed on the workers: a table distributed by key.
CREATE TABLE keys (key bigint, id bigint);
SELECT create_distributed_table('keys', 'key', shard_count => 4);

-- the rows go from worker to worker
SELECT count(*) FROM plan('INSERT INTO keys SELECT key, id FROM articles CROSS JOIN LATERAL unnest(sketch_keys(sketch(body))) key') l WHERE l LIKE '%repartition%';
--= 1

INSERT INTO keys SELECT key, id FROM articles CROSS JOIN LATERAL unnest(sketch_keys(sketch(body))) key;
CREATE TABLE pairs (earlier bigint, later bigint);
SELECT create_distributed_table('pairs', 'earlier', colocate_with => 'articles');
CREATE TABLE halves (later bigint, earlier bigint, kept text);
SELECT create_distributed_table('halves', 'later', colocate_with => 'articles');
CREATE TABLE copies (later bigint, earlier bigint);
SELECT create_distributed_table('copies', 'later', colocate_with => 'articles');

-- rows that share a key are joined where the key is: one task a shard, no step between nodes
SELECT count(*) FILTER (WHERE l LIKE '%Task Count: 4%'), count(*) FILTER (WHERE l ~ 'MapMerge')
FROM plan('WITH ranked AS (SELECT key, id, row_number() OVER (PARTITION BY key ORDER BY id) AS n FROM keys)
    SELECT DISTINCT a.id, b.id FROM ranked a JOIN ranked b ON a.key = b.key AND a.n < b.n AND (a.n <= 4 OR b.n - a.n <= 12)') l;
--= 1|0

INSERT INTO pairs
WITH ranked AS (SELECT key, id, row_number() OVER (PARTITION BY key ORDER BY id) AS n FROM keys)
SELECT DISTINCT a.id, b.id FROM ranked a JOIN ranked b ON a.key = b.key AND a.n < b.n AND (a.n <= 4 OR b.n - a.n <= 12);
INSERT INTO halves SELECT p.later, p.earlier, a.body FROM pairs p JOIN articles a ON a.id = p.earlier;

-- the verdicts are made where the texts are
SELECT count(*) FILTER (WHERE l LIKE '%Task Count: 4%'), count(*) FILTER (WHERE l ~ 'MapMerge')
FROM plan('INSERT INTO copies SELECT h.later, h.earlier FROM halves h JOIN articles a ON a.id = h.later CROSS JOIN LATERAL same_message(h.kept, a.body) m
    WHERE near_duplicate(h.kept, a.body) AND (m.verdict = ''copy'' OR length(a.body) <= length(h.kept))') l;
--= 1|0

INSERT INTO copies SELECT h.later, h.earlier FROM halves h JOIN articles a ON a.id = h.later CROSS JOIN LATERAL same_message(h.kept, a.body) m
WHERE near_duplicate(h.kept, a.body) AND (m.verdict = 'copy' OR length(a.body) <= length(h.kept));

-- rows that are copies of copies only: the chains make a clean-up of several rounds
SELECT count(*) >= 20 FROM (SELECT later FROM copies GROUP BY later HAVING bool_and(earlier IN (SELECT later FROM copies))) chained;
--= t

-- Clean-up: copies go where the row that they copy is none itself, and what is a copy of a removed row alone is none any more.
CREATE PROCEDURE clean() LANGUAGE plpgsql AS $$
BEGIN
    WHILE EXISTS (SELECT 1 FROM copies) LOOP
        DELETE FROM articles a USING copies c WHERE a.id = c.later AND c.earlier NOT IN (SELECT later FROM copies);
        DELETE FROM copies WHERE earlier IN (SELECT c.later FROM copies c WHERE NOT EXISTS (SELECT 1 FROM articles a WHERE a.id = c.later));
        DELETE FROM copies c WHERE NOT EXISTS (SELECT 1 FROM articles a WHERE a.id = c.later);
        COMMIT;
    END LOOP;
END
$$;
CALL clean();

-- The same rows through a guard, in a table of one machine.
CREATE TABLE by_guard (id bigint PRIMARY KEY, body text);
SELECT neardup.protect('by_guard', 'body', on_duplicate => 'skip');
INSERT INTO by_guard SELECT * FROM rows_to_come ORDER BY id;
CREATE TABLE cleaned AS SELECT id FROM articles;

-- a table that has a guard is not distributed
\set VERBOSITY terse
SELECT create_distributed_table('by_guard', 'id');
--= ERROR:  cannot distribute relation "by_guard" because it has triggers

\set VERBOSITY sqlstate
-- rows that the clean-up left, and rows removed
SELECT count(*), (SELECT count(*) FROM rows_to_come) - count(*) FROM cleaned;
--= 1000|220

-- rows that the clean-up kept and the guard kept out, and the other way round
SELECT count(*) FILTER (WHERE g.id IS NULL), count(*) FILTER (WHERE c.id IS NULL) FROM cleaned c FULL JOIN by_guard g USING (id);
--= 0|0

-- New rows: stored, their keys added, and only pairs made of which the later one is new.
INSERT INTO articles SELECT 5000 + n, CASE n % 2 WHEN 0 THEN words(n * 100, n * 100 + 38) || ' anew' ELSE words(500000 + n * 100, 500000 + n * 100 + 40) END FROM generate_series(1, 100) n;
INSERT INTO keys SELECT key, id FROM articles CROSS JOIN LATERAL unnest(sketch_keys(sketch(body))) key WHERE id > 5000;
TRUNCATE pairs, halves;
INSERT INTO pairs
WITH ranked AS (SELECT key, id, row_number() OVER (PARTITION BY key ORDER BY id) AS n FROM keys)
SELECT DISTINCT a.id, b.id FROM ranked a JOIN ranked b ON a.key = b.key AND a.n < b.n AND (a.n <= 4 OR b.n - a.n <= 12) WHERE b.id > 5000;
INSERT INTO halves SELECT p.later, p.earlier, a.body FROM pairs p JOIN articles a ON a.id = p.earlier;
INSERT INTO copies SELECT h.later, h.earlier FROM halves h JOIN articles a ON a.id = h.later CROSS JOIN LATERAL same_message(h.kept, a.body) m
WHERE near_duplicate(h.kept, a.body) AND (m.verdict = 'copy' OR length(a.body) <= length(h.kept));
CALL clean();

-- those that are left, and those of them that are copies
SELECT count(*), count(*) FILTER (WHERE id % 2 = 0) FROM articles WHERE id > 5000;
--= 50|0
