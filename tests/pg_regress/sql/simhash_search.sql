-- bands and probes
SELECT simhash_bands('0000000000000000'), simhash_bands('ffffffffffffffff'), simhash_bands('0000000000000001', 8);
SELECT simhash_band('ffffffffffffffff', 3), simhash_band('ffffffffffffffff', 4);
SELECT simhash_bands('0000000000000000', 2);
SELECT simhash_bands('0000000000000000', 65);
SELECT k, cardinality(simhash_probes('0123456789abcdef', k)) FROM generate_series(0, 11) k;
SELECT simhash_probes('0123456789abcdef', 12);
SELECT simhash_probes('0123456789abcdef', -1);
SELECT simhash_within('0123456789abcdef', '0123456789abcdef', 65);
SELECT simhash_within('0123456789abcdef', '0123456789abcdef', -1);
SELECT simhash_within('0123456789abcdef', '0123456789abcdee', 0), simhash_within('0123456789abcdef', '0123456789abcdee', 1), simhash_within(NULL, '0123456789abcdee', 1);

-- a ball around a signature
SELECT hamming_ball('0123456789abcdef', 7), '0123456789abcdef/7'::hamming_ball, '0123456789abcdee'::simhash <@ '0123456789abcdef/1' AS inside,
       '0123456789abcdee'::simhash <@ '0123456789abcdef/0' AS outside;
SELECT '0123456789abcdef'::hamming_ball;
SELECT '0123456789abcdef/65'::hamming_ball;
SELECT hamming_ball('0123456789abcdef', 65);

-- exact for every distance, against brute force
CREATE TABLE signed (id int PRIMARY KEY, sig simhash);
INSERT INTO signed
SELECT i, (('x' || md5((i / 10)::text))::bit(64)
           # coalesce((SELECT bit_or(1::bit(64) << ((i * 31 + j * 17) % 64)) FROM generate_series(1, i % 13) j), 0::bit(64)))::simhash
FROM generate_series(1, 1500) i;
INSERT INTO signed VALUES (0, NULL);
CREATE INDEX signed_sig ON signed USING gin (sig);
ANALYZE signed;
SET enable_seqscan = off;
SELECT k,
       (SELECT count(*) FROM signed a JOIN signed b ON simhash_within(a.sig, b.sig, k)) AS by_index,
       (SELECT count(*) FROM signed a JOIN signed b ON hamming_distance(a.sig, b.sig) <= k) AS by_force
FROM unnest('{0,1,3,7,8,11,12,20,64}'::int[]) k;

-- the index serves a WHERE, a join and a prepared statement
SELECT plan_of($$SELECT id FROM signed WHERE simhash_within(sig, '0123456789abcdef', 3)$$);
SELECT plan_of($$SELECT id FROM signed WHERE sig <@ hamming_ball('0123456789abcdef', 3)$$);
SELECT plan_of($$SELECT a.id, b.id FROM signed b JOIN signed a ON simhash_within(a.sig, b.sig, 3) WHERE b.id = 7$$);
SET plan_cache_mode = force_generic_plan;
PREPARE near(simhash, int) AS SELECT id FROM signed WHERE simhash_within(sig, $1, $2);
SELECT plan_of($$EXECUTE near('0123456789abcdef', 7)$$);
DEALLOCATE near;
RESET plan_cache_mode;

-- whatever the argument is: a subquery, an expensive call, the column on the other side
SELECT plan_of($$SELECT id FROM signed WHERE simhash_within(sig, (SELECT sig FROM signed WHERE id = 7), 3)$$);
SET plan_cache_mode = force_generic_plan;
PREPARE near_text(text) AS SELECT id FROM signed WHERE simhash_within(sig, simhash($1, 'chars:3'), 3);
SELECT plan_of($$EXECUTE near_text('灯塔换下了旧灯')$$);
DEALLOCATE near_text;
RESET plan_cache_mode;
SELECT plan_of($$SELECT id FROM signed WHERE simhash_within('0123456789abcdef', sig, 2)$$);
SELECT plan_of($$SELECT b.id FROM signed a JOIN signed b ON simhash_within(b.sig, a.sig, 5) WHERE a.id = 7$$);
-- a volatile argument runs once a row, so no index can serve it
SELECT plan_of($$SELECT id FROM signed WHERE simhash_within(sig, (random() * 0)::bigint::simhash, 3)$$);
RESET enable_seqscan;
-- an index on the expression, without a column of signatures
CREATE TABLE notes (id int, body text);
CREATE INDEX notes_simhash ON notes USING gin (simhash(body, 'chars:3'));
INSERT INTO notes VALUES (1, '灯塔换下了旧灯，新灯明天起亮'), (2, 'the harbour office moved to the other bank of the river');
SET enable_seqscan = off;
SELECT plan_of($$SELECT id FROM notes WHERE simhash_within(simhash(body, 'chars:3'), simhash('灯塔换下了旧灯，新灯明天起亮！', 'chars:3'), 7)$$);
SELECT id FROM notes WHERE simhash_within(simhash(body, 'chars:3'), simhash('灯塔换下了旧灯，新灯明天起亮！', 'chars:3'), 7);
RESET enable_seqscan;
DROP TABLE notes, signed;

-- with the planner left to itself: the index for one row, for a join with few rows, in partitions
CREATE TABLE many (id int, day int, sig simhash) PARTITION BY RANGE (day);
CREATE TABLE many_1 PARTITION OF many FOR VALUES FROM (0) TO (10);
CREATE TABLE many_2 PARTITION OF many FOR VALUES FROM (10) TO (20);
INSERT INTO many SELECT i, i % 20, ('x' || md5(i::text))::bit(64)::simhash FROM generate_series(1, 20000) i;
CREATE INDEX many_sig ON many USING gin (sig);
ANALYZE many;
SELECT plan_of($$SELECT id FROM many WHERE simhash_within(sig, '0123456789abcdef', 3)$$);
SELECT plan_of($$SELECT id FROM many WHERE day = 3 AND simhash_within(sig, '0123456789abcdef', 3)$$);
SELECT plan_of($$SELECT m.id FROM (SELECT sig FROM many LIMIT 3) few JOIN many_1 m ON simhash_within(m.sig, few.sig, 3)$$);
DROP TABLE many;

-- groups: the position of the group's first row, in the window's order
SELECT id, near_duplicate_of(sig, 1) OVER (ORDER BY id), near_duplicate_of(sig, 1) OVER (ORDER BY id DESC) AS backwards
FROM (VALUES (1, '0000000000000000'::simhash), (2, 'ffffffffffffffff'), (3, '0000000000000001'), (4, NULL), (5, '0000000000000003'), (6, 'fffffffffffffffe')) v(id, sig)
ORDER BY id;
SELECT lang, id, near_duplicate_of(sig, 0) OVER (PARTITION BY lang ORDER BY id)
FROM (VALUES ('en', 1, '00000000000000aa'::simhash), ('zh', 2, '00000000000000aa'), ('zh', 3, '00000000000000aa')) v(lang, id, sig);
SELECT near_duplicate_of('00000000000000aa'::simhash, 12) OVER ();
SELECT near_duplicate_of('00000000000000aa'::simhash, NULL) OVER ();
SELECT near_duplicate_of('00000000000000aa'::simhash, 3);

-- a chain, and what is near its first row
WITH chain(id, sig) AS (VALUES (1, '0000000000000000'::simhash), (2, '0000000000000007'), (3, '000000000000003f'), (4, '00000000000001ff'), (5, NULL), (6, '0000000000000007'))
SELECT id, near_duplicate_of(sig, 3) OVER w AS chain, near_duplicate_of(sig, 3, 'star') OVER w AS star FROM chain WINDOW w AS (ORDER BY id) ORDER BY id;
SELECT near_duplicate_of('00000000000000aa'::simhash, 3, 'ring') OVER ();
SELECT near_duplicate_of('00000000000000aa'::simhash, 3, NULL) OVER ();
-- an expression as the signature; a partition without any
SELECT n, near_duplicate_of(simhash(CASE WHEN n % 3 > 0 THEN '第' || n % 2 || '条' END, 'chars:1'), 0) OVER (ORDER BY n) FROM generate_series(1, 6) n;
-- an error in the last row: what was kept for the partition is given back, however often that happens
CREATE FUNCTION resident() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT (regexp_match(pg_read_file('/proc/self/status'), 'RssAnon:\s*(\d+) kB'))[1]::bigint $$;
CREATE TABLE sigs AS SELECT i, (i::bigint * 7919)::simhash AS sig FROM generate_series(1, 200000) i;
DO $$
DECLARE
    errors int := 0;
    after_five bigint;
BEGIN
    FOR run IN 1 .. 50 LOOP
        BEGIN
            PERFORM near_duplicate_of(CASE WHEN 1 / (200000 - i) >= 0 THEN sig END, 3) OVER (ORDER BY i) FROM sigs;
        EXCEPTION WHEN division_by_zero THEN
            errors := errors + 1;
        END;
        after_five := CASE WHEN run = 5 THEN resident() ELSE after_five END;
    END LOOP;
    RAISE NOTICE '% errors, and less than 20 MB more than after five of them: %', errors, resident() - after_five < 20000;
END
$$;
DROP TABLE sigs;
DROP FUNCTION resident();
