-- CREATE INDEX ... USING neardup: whatever way it is made, it answers as the table and as GIN do
CREATE FUNCTION tokens(n int) RETURNS text[] LANGUAGE sql IMMUTABLE AS
    $$SELECT array_agg(format('%s of %s', (n - i % 3) / (1 + i % 2), i)) FROM generate_series(1, 12) i$$;
CREATE FUNCTION bits(n int) RETURNS simhash LANGUAGE sql IMMUTABLE AS
    $$SELECT (hashint8extended(n / 10, 1) # (1::bigint << n % 61) # (1::bigint << n % 17))::simhash$$;
-- An answer by an index, and whether it is that of a scan; which indexes were used.
CREATE FUNCTION asked(question text) RETURNS TABLE (same boolean, rows bigint, plan text) LANGUAGE plpgsql AS $$
DECLARE line text; by_index text; by_scan text;
BEGIN
    SET LOCAL enable_seqscan = off;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || question LOOP
        plan := coalesce(nullif(concat_ws(', ', plan, substring(line FROM '(?:Index|Bitmap Index) Scan (?:using|on) (\w+)')), ''), plan);
    END LOOP;
    EXECUTE format('SELECT count(*), string_agg(q::text, '','' ORDER BY q::text) FROM (%s) q', question) INTO rows, by_index;
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    EXECUTE format('SELECT string_agg(q::text, '','' ORDER BY q::text) FROM (%s) q', question) INTO by_scan;
    SET LOCAL enable_indexscan = on;
    SET LOCAL enable_bitmapscan = on;
    same := by_index IS NOT DISTINCT FROM by_scan;
    RETURN NEXT;
END $$;

CREATE TABLE doc (id int PRIMARY KEY, sketch minhash, signature simhash);
INSERT INTO doc SELECT i, sketch(tokens(i)), bits(i) FROM generate_series(1, 3000) i;
INSERT INTO doc VALUES (0, NULL, NULL), (-1, NULL, NULL);
CREATE INDEX doc_sketch ON doc USING neardup (sketch);
CREATE INDEX doc_signature ON doc USING neardup (signature) WITH (fillfactor = 60);
SELECT neardup.check_index('doc_sketch'), neardup.check_index('doc_signature');
ANALYZE doc;
SELECT * FROM asked('SELECT id FROM doc WHERE sketch && sketch(tokens(77))');
SELECT * FROM asked('SELECT id FROM doc WHERE minhash_within(sketch, sketch(tokens(77)), 0.3)');
SELECT distance, same, rows, plan FROM (VALUES (0), (3), (7), (11), (12), (30), (64)) v(distance),
    asked(format('SELECT id FROM doc WHERE signature <@ hamming_ball(bits(77), %s)', distance));
SELECT * FROM asked('SELECT id FROM doc WHERE simhash_within(signature, bits(77), 5)');
SELECT * FROM asked('SELECT a.id, b.id FROM doc a JOIN doc b ON a.sketch && b.sketch AND a.id < b.id WHERE a.id BETWEEN 100 AND 130');
SET enable_bitmapscan = off;
SELECT * FROM asked('SELECT id FROM doc WHERE sketch && sketch(tokens(77)) AND sketch && sketch(tokens(78))');
SELECT * FROM asked('SELECT id FROM doc WHERE signature <@ hamming_ball(bits(77), 20) AND signature <@ hamming_ball(bits(78), 21)');
-- Row by row, those that share most come first.
SET enable_seqscan = off;
SELECT array_agg(id) FROM (SELECT id FROM doc WHERE sketch && sketch(tokens(77)) LIMIT 3) d;
RESET enable_seqscan;
RESET enable_bitmapscan;
-- NULL finds nothing, and is found by nothing.
SELECT * FROM asked('SELECT id FROM doc WHERE sketch && NULL');
PREPARE any_ball (simhash) AS SELECT count(*) FROM doc WHERE signature <@ hamming_ball($1, 64);
SET plan_cache_mode = force_generic_plan;
EXECUTE any_ball (NULL);
EXECUTE any_ball (bits(1));
RESET plan_cache_mode;

-- By distance: all rows, those without a signature last.
SELECT plan_of($$SELECT id FROM doc ORDER BY signature <~> bits(77) LIMIT 5$$);
SELECT * FROM asked('SELECT signature <~> bits(77) FROM doc ORDER BY signature <~> bits(77) LIMIT 40');
SELECT * FROM asked('SELECT d FROM (SELECT signature <~> bits(77) AS d, id FROM doc ORDER BY signature <~> bits(77) LIMIT 3001) x');
SELECT count(*), count(d), bool_and(sorted) FROM (SELECT d, d >= lag(d, 1, 0) OVER () IS NOT false AS sorted
    FROM (SELECT signature <~> bits(77) AS d FROM doc ORDER BY signature <~> bits(77)) x) y;
SELECT * FROM asked('SELECT signature <~> bits(77) FROM doc WHERE signature <@ hamming_ball(bits(80), 30) ORDER BY signature <~> bits(77) LIMIT 20');
-- By two distances.
SELECT count(*), bool_and(sorted) FROM (SELECT (a, b) >= lag((a, b)) OVER () IS NOT false AS sorted
    FROM (SELECT signature <~> bits(77) AS a, signature <~> bits(500) AS b FROM doc ORDER BY signature <~> bits(77), signature <~> bits(500)) x) y;
SELECT count(*) FROM (SELECT FROM doc ORDER BY signature <~> NULL LIMIT 3002) d;
SET work_mem = '64kB';
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM doc ORDER BY signature <~> bits(77)) x;
RESET work_mem;

-- Never without a condition.
SET enable_seqscan = off;
CREATE INDEX doc_part ON doc USING neardup (sketch) WHERE id > 2000;
SELECT plan_of($$SELECT count(*) FROM doc WHERE id > 2000$$);
SELECT plan_of($$SELECT count(sketch) FROM doc$$);
RESET enable_seqscan;
-- A partial index.
DROP INDEX doc_sketch;
SELECT * FROM asked('SELECT id FROM doc WHERE id > 2000 AND sketch && sketch(tokens(2077))');
SELECT neardup.check_index('doc_part');
DROP INDEX doc_part;

-- As GIN does.
CREATE INDEX doc_gin ON doc USING gin (sketch);
CREATE TABLE by_gin AS SELECT a.id AS a, b.id AS b FROM doc a JOIN doc b ON a.sketch && b.sketch;
DROP INDEX doc_gin;
CREATE INDEX CONCURRENTLY doc_sketch ON doc USING neardup (sketch);
SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT FROM doc a, doc b WHERE a.id = g.a AND b.id = g.b AND a.sketch && b.sketch)) AS wrong FROM by_gin g;
SET enable_seqscan = off;
SELECT count(*) FROM doc a JOIN doc b ON a.sketch && b.sketch;
RESET enable_seqscan;

-- Changes, VACUUM, reuse.
UPDATE doc SET sketch = sketch(tokens(id + 1)), signature = bits(id + 5) WHERE id % 3 = 0;
DELETE FROM doc WHERE id % 4 = 0;
SELECT neardup.check_index('doc_sketch') > 0 AS sketches, neardup.check_index('doc_signature') > 0 AS signatures;
SELECT * FROM asked('SELECT id FROM doc WHERE sketch && sketch(tokens(77))');
VACUUM doc;
SELECT neardup.check_index('doc_sketch') = (SELECT sum(cardinality(ARRAY(SELECT DISTINCT unnest(sketch_keys(sketch))))) FROM doc) AS exact,
       neardup.check_index('doc_signature') = (SELECT 4 * count(signature) + count(*) FILTER (WHERE signature IS NULL) FROM doc) AS exact_too;
-- The planner is told of rows, not of entries.
SELECT i.reltuples = t.reltuples AS rows_of_the_table FROM pg_class i, pg_class t WHERE i.relname IN ('doc_sketch', 'doc_signature') AND t.relname = 'doc';
SELECT * FROM asked('SELECT id FROM doc WHERE signature <@ hamming_ball(bits(82), 6)');
INSERT INTO doc SELECT i, sketch(tokens(i)), bits(i) FROM generate_series(10000, 30000) i;
SELECT pg_relation_size('doc_sketch') AS size \gset
DELETE FROM doc WHERE id >= 10000;
VACUUM doc;
INSERT INTO doc SELECT i, sketch(tokens(i)), bits(i) FROM generate_series(40000, 60000) i;
SELECT pg_relation_size('doc_sketch') <= :size * 1.1 AS pages_are_reused;
SELECT neardup.check_index('doc_sketch') > 0 AS sketches, neardup.check_index('doc_signature') > 0 AS signatures;
REINDEX INDEX CONCURRENTLY doc_sketch;
REINDEX TABLE doc;
SELECT neardup.check_index('doc_sketch') > 0 AS sketches, neardup.check_index('doc_signature') > 0 AS signatures;
SELECT * FROM asked('SELECT id FROM doc WHERE sketch && sketch(tokens(40077))');
DROP TABLE by_gin;
DELETE FROM doc WHERE id >= 10000;

-- One key with very many rows.
CREATE TABLE same (id int, sketch minhash);
INSERT INTO same SELECT i, sketch(ARRAY['template', i::text]) FROM generate_series(1, 5000) i;
CREATE INDEX same_sketch ON same USING neardup (sketch);
INSERT INTO same SELECT i, sketch(ARRAY['template', i::text]) FROM generate_series(5001, 10000) i;
SELECT neardup.check_index('same_sketch');
SET enable_seqscan = off;
SELECT count(*) FROM same WHERE sketch && sketch(ARRAY['template'], 10);
RESET enable_seqscan;

-- Unlogged, temporary, partitioned, on an expression.
CREATE UNLOGGED TABLE unlogged_doc AS SELECT * FROM doc;
CREATE INDEX unlogged_sketch ON unlogged_doc USING neardup (sketch);
CREATE INDEX unlogged_signature ON unlogged_doc USING neardup (signature);
INSERT INTO unlogged_doc SELECT * FROM doc;
SELECT neardup.check_index('unlogged_sketch') > 0 AS sketches, neardup.check_index('unlogged_signature') > 0 AS signatures;
ALTER TABLE unlogged_doc SET LOGGED;
SELECT neardup.check_index('unlogged_sketch') > 0 AS logged;
CREATE TEMPORARY TABLE temporary_doc AS SELECT * FROM doc;
CREATE INDEX temporary_sketch ON temporary_doc USING neardup (sketch);
INSERT INTO temporary_doc SELECT * FROM doc;
SELECT neardup.check_index('temporary_sketch') > 0 AS sketches;
CREATE TABLE parted (id int, body text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (100);
CREATE INDEX parted_sketch ON parted USING neardup (sketch(body));
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (100) TO (200);
INSERT INTO parted SELECT i, format('page %s of the almanac, and what it says of the weather in year %s', i / 2, i / 2) FROM generate_series(0, 199) i;
SET enable_seqscan = off;
SELECT plan_of($$SELECT id FROM parted WHERE near_duplicate(body, 'page 60 of the almanac, and what it says of the weather in year 60')$$);
SELECT id FROM parted WHERE near_duplicate(body, 'page 60 of the almanac, and what it says of the weather in year 60') ORDER BY id;
RESET enable_seqscan;
SELECT neardup.check_index('parted_1_sketch_idx') > 0 AS first, neardup.check_index('parted_2_sketch_idx') > 0 AS second;
-- A rollback, a savepoint and TRUNCATE.
BEGIN;
INSERT INTO doc SELECT i, sketch(tokens(i)), bits(i) FROM generate_series(50000, 50100) i;
SAVEPOINT s;
TRUNCATE doc;
INSERT INTO doc SELECT i, sketch(tokens(i)), bits(i) FROM generate_series(50000, 50100) i;
SELECT neardup.check_index('doc_signature');
ROLLBACK TO s;
COMMIT;
SELECT neardup.check_index('doc_sketch') > 0 AS sketches, neardup.check_index('doc_signature') > 0 AS signatures;

-- The guard takes an index of this kind.
CREATE TABLE article (id int PRIMARY KEY, body text);
CREATE INDEX article_sketch ON article USING neardup (sketch(body));
SELECT neardup.protect('article', 'body');
SELECT indexrelid::regclass AS index FROM pg_index WHERE indrelid = 'article'::regclass AND NOT indisprimary;
INSERT INTO article VALUES (1, 'The mayor opened the new bridge over the river on Friday, after nine years and three elections.');
INSERT INTO article VALUES (2, 'The mayor opened the new bridge over the river on Friday, after nine years and three elections!');
INSERT INTO article VALUES (3, 'Snow is expected in the northern valleys by the end of the week, forecasters say.');
SELECT neardup.check_index('article_sketch') > 0 AS sound;

-- Scans are counted: of queries, of a bitmap, of the guard, of a list.
CREATE FUNCTION counted(index regclass) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN
    PERFORM pg_stat_clear_snapshot();
    RETURN (SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelid = index);
END$$;
SELECT pg_stat_force_next_flush();
SELECT counted('article_sketch') > 0 AS guard;
SET enable_seqscan = off;
SELECT counted('doc_sketch') AS scans, counted('doc_signature') AS signature_scans \gset
SELECT count(*) > 0 AS found FROM doc WHERE sketch && sketch(tokens(40077));
SELECT id > 0 AS found FROM doc ORDER BY signature <~> bits(77) LIMIT 1;
SELECT pg_stat_force_next_flush();
SELECT counted('doc_sketch') - :scans AS bitmap, counted('doc_signature') - :signature_scans AS by_distance;
SET enable_bitmapscan = off;
SELECT count(*) > 0 AS found FROM doc a JOIN doc b ON a.sketch && b.sketch WHERE a.id IN (50001, 50002, 50003);
SELECT pg_stat_force_next_flush();
SELECT counted('doc_sketch') - :scans AS and_three_loops;
RESET enable_bitmapscan;
RESET enable_seqscan;
DROP FUNCTION counted;

-- The validator: only our own classes are sound, whatever else another one says.
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'neardup') ORDER BY 1;
CREATE OPERATOR CLASS the_same FOR TYPE minhash USING neardup AS OPERATOR 1 && (minhash, minhash), FUNCTION 1 (minhash, minhash) neardup_internal.index_kind_of_sketches();
CREATE OPERATOR CLASS no_kind FOR TYPE integer USING neardup AS OPERATOR 1 = (integer, integer);
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcname IN ('the_same', 'no_kind') ORDER BY 1;
-- An index of another class cannot be.
CREATE INDEX ON doc USING neardup (sketch the_same);
CREATE INDEX ON doc USING neardup (id no_kind);
DROP OPERATOR FAMILY the_same USING neardup;
DROP OPERATOR FAMILY no_kind USING neardup;

-- An exclusion constraint: no two rows share a key.
\set VERBOSITY terse
CREATE TABLE single (id int, sketch minhash, CONSTRAINT no_key_twice EXCLUDE USING neardup (sketch WITH &&));
INSERT INTO single SELECT i, sketch(ARRAY['first ' || i, 'second ' || i]) FROM generate_series(1, 1000) i;
INSERT INTO single VALUES (0, sketch(ARRAY['first 77', 'third']));
DELETE FROM single WHERE id = 77;
INSERT INTO single VALUES (0, sketch(ARRAY['first 77', 'third'])), (0, NULL), (0, NULL);
UPDATE single SET sketch = sketch(ARRAY['second 78']) WHERE id = 79;
INSERT INTO single VALUES (1000, sketch(ARRAY['first 77'])) ON CONFLICT DO NOTHING;
SELECT count(*) FROM single;
ALTER TABLE doc ADD EXCLUDE USING neardup (sketch WITH &&);
\set VERBOSITY sqlstate
ALTER TABLE doc ADD EXCLUDE USING neardup (signature WITH <~>);
\set VERBOSITY default
SELECT neardup.check_index('no_key_twice') > 0 AS sound;

-- An expression that fails in the check, which runs it as the owner and by the search path of maintenance.
CREATE FUNCTION by_path(n int) RETURNS minhash LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN public.sketch(public.tokens(n)); END$$;
CREATE INDEX doc_by_path ON doc USING neardup (by_path(id));
CREATE OR REPLACE FUNCTION by_path(n int) RETURNS minhash LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN sketch(tokens(n)); END$$;
SELECT neardup.check_index('doc_by_path');
DROP INDEX doc_by_path;

-- It holds for the next build.
ALTER INDEX doc_sketch SET (fillfactor = 50);

-- What cannot be.
CREATE INDEX ON doc USING neardup (id);
CREATE INDEX ON doc USING neardup (sketch, signature);
CREATE UNIQUE INDEX ON doc USING neardup (sketch);
CREATE INDEX ON doc USING neardup (sketch) WITH (fillfactor = 5);
CREATE INDEX ON doc USING neardup (sketch) WITH (fastupdate = off);
SELECT neardup.check_index('doc_pkey');
SELECT neardup.check_index('doc');
SELECT neardup.check_index('parted_sketch');
CREATE ROLE index_reader;
GRANT SELECT ON article TO index_reader;
GRANT EXECUTE ON FUNCTION neardup.check_index(regclass) TO index_reader;
GRANT USAGE ON SCHEMA neardup TO index_reader;
SET ROLE index_reader;
SELECT neardup.check_index('article_sketch');
RESET ROLE;
DROP OWNED BY index_reader;
DROP ROLE index_reader;
