-- A million signatures and more: look-ups with recall against brute force, groups, indexes, and alternatives.
--
-- Table `made (id, signature)` has random signatures, one in ten a few bits from another; table `natural_texts` has those of the user's
-- texts, if there are enough of them.
SELECT bench.wants('lookup') AS lookup, bench.wants('grouping') AS grouping, bench.wants('lookup') OR bench.wants('grouping') AS signatures,
       bench.wants('short') AND (:own_input OR :has_folder) AS short, bench.wants('minhash') AS minhash, bench.wants('search') AS search,
       bench.wants('quoted') AS quoted, bench.wants('whole') AS whole, :documents >= 50000 AS real \gset
\if :signatures
\echo '    making' :signatures_wanted signatures
-- Every tenth is its predecessor with 0 to 7 bits changed.
CREATE TABLE made AS
SELECT i::bigint AS id, CASE WHEN i % 10 = 0 THEN bench.changed(left(md5((i - 1)::text), 16)::simhash, i / 10 % 8) ELSE left(md5(i::text), 16)::simhash END AS signature
FROM generate_series(1, :signatures_wanted) i;
ALTER TABLE made ADD PRIMARY KEY (id);
VACUUM (FREEZE, ANALYZE) made;
\if :real
CREATE TABLE natural_texts AS SELECT id, simhash(body, 'chars:3') AS signature FROM article ORDER BY id;
DELETE FROM natural_texts WHERE signature IS NULL;
ALTER TABLE natural_texts ADD PRIMARY KEY (id);
VACUUM (FREEZE, ANALYZE) natural_texts;
\endif
\endif
\if :lookup
\set table made
\set what 'random signatures, one in ten a near-duplicate'
\i bench/scale_lookup.sql
\if :real
\set table natural_texts
\set what 'signatures of the texts, `chars:3`'
\i bench/scale_lookup.sql
\endif
\endif
\if :grouping
\set table made
\set what 'random signatures, one in ten a near-duplicate'
\i bench/scale_grouping.sql
\if :real
\set table natural_texts
\set what 'signatures of the texts, `chars:3`'
\i bench/scale_grouping.sql
\endif
\endif
\if :short
\i bench/scale_short.sql
\endif
\if :minhash
\i bench/scale_minhash.sql
\endif
\if :search
\i bench/scale_search.sql
\endif
\if :quoted
\i bench/scale_quoted.sql
\endif
\if :whole
\i bench/scale_whole.sql
\endif
SELECT bench.words('Not measured here: smlar itself and BK-trees in SP-GiST (pg-spgist_hamming), which Debian does not package. pgvector, which Debian has for '
    'later releases of Postgres, has a table of its own: `cargo xtask bench --vectors --pg 17`.');
DROP TABLE IF EXISTS made, natural_texts;
