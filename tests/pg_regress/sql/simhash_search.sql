-- bands and probes
SELECT simhash_bands('0000000000000000'), simhash_bands('ffffffffffffffff'), simhash_bands('0000000000000001', 8);
SELECT simhash_band('ffffffffffffffff', 3), simhash_band('ffffffffffffffff', 4);
SELECT simhash_bands('0000000000000000', 2);
SELECT simhash_bands('0000000000000000', 65);
SELECT k, cardinality(simhash_probes('0123456789abcdef', k)) FROM generate_series(0, 11) k;
SELECT simhash_probes('0123456789abcdef', 12);
SELECT simhash_probes('0123456789abcdef', -1);
SELECT simhash_within('0123456789abcdef', '0123456789abcdef', 12);
SELECT simhash_within('0123456789abcdef', '0123456789abcdef', -1);
SELECT simhash_within('0123456789abcdef', '0123456789abcdee', 0), simhash_within('0123456789abcdef', '0123456789abcdee', 1), simhash_within(NULL, '0123456789abcdee', 1);

-- exact for every distance, against brute force
CREATE TABLE signed (id int PRIMARY KEY, sig simhash);
INSERT INTO signed
SELECT i, (('x' || md5((i / 10)::text))::bit(64)
           # coalesce((SELECT bit_or(1::bit(64) << ((i * 31 + j * 17) % 64)) FROM generate_series(1, i % 13) j), 0::bit(64)))::simhash
FROM generate_series(1, 1500) i;
INSERT INTO signed VALUES (0, NULL);
CREATE INDEX signed_bands ON signed USING gin (simhash_bands(sig));
ANALYZE signed;
SET enable_seqscan = off;
SELECT k,
       (SELECT count(*) FROM signed a JOIN signed b ON simhash_within(a.sig, b.sig, k)) AS by_index,
       (SELECT count(*) FROM signed a JOIN signed b ON hamming_distance(a.sig, b.sig) <= k) AS by_force
FROM generate_series(0, 11) k;

-- the index serves a WHERE, a join and a prepared statement
EXPLAIN (COSTS OFF) SELECT id FROM signed WHERE simhash_within(sig, '0123456789abcdef', 3);
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM signed b JOIN signed a ON simhash_within(a.sig, b.sig, 3) WHERE b.id = 7;
SET plan_cache_mode = force_generic_plan;
PREPARE near(simhash, int) AS SELECT id FROM signed WHERE simhash_within(sig, $1, $2);
EXPLAIN (COSTS OFF) EXECUTE near('0123456789abcdef', 7);
DEALLOCATE near;
RESET plan_cache_mode;
RESET enable_seqscan;
DROP TABLE signed;

-- groups: the position of the group's first row, in the window's order
SELECT id, near_duplicate_of(sig, 1) OVER (ORDER BY id), near_duplicate_of(sig, 1) OVER (ORDER BY id DESC) AS backwards
FROM (VALUES (1, '0000000000000000'::simhash), (2, 'ffffffffffffffff'), (3, '0000000000000001'), (4, NULL), (5, '0000000000000003'), (6, 'fffffffffffffffe')) v(id, sig)
ORDER BY id;
SELECT lang, id, near_duplicate_of(sig, 0) OVER (PARTITION BY lang ORDER BY id)
FROM (VALUES ('en', 1, '00000000000000aa'::simhash), ('zh', 2, '00000000000000aa'), ('zh', 3, '00000000000000aa')) v(lang, id, sig);
SELECT near_duplicate_of('00000000000000aa'::simhash, 12) OVER ();
SELECT near_duplicate_of('00000000000000aa'::simhash, NULL) OVER ();
SELECT near_duplicate_of('00000000000000aa'::simhash, 3);
