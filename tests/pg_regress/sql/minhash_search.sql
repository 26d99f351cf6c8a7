-- bands
SELECT minhash_bands(minhash(ARRAY['甲', '乙'], 16), 4, 4), minhash_bands(minhash(ARRAY['甲', '乙'], 16, bits => 16), 2, 8);
SELECT cardinality(minhash_bands(minhash('任意一段文字', 'chars:2')));
SELECT minhash_bands(minhash(ARRAY['甲'], 16), 4, 8);
SELECT minhash_bands(minhash(ARRAY['甲'], 16), 0, 8);
SELECT minhash_bands(minhash(ARRAY['甲'], 16), 4, 129);
SELECT minhash_bands(minhash(ARRAY['甲'], 16, 'bottom_k'), 4, 4);

-- documents: five topics, in each ten versions that share more or fewer of 40 words
CREATE TABLE signed AS
SELECT i AS id, minhash((SELECT array_agg(CASE WHEN w <= i % 10 THEN i || '-' ELSE i / 10 || ' ' END || w) FROM generate_series(1, 40) w)) AS sig
FROM generate_series(0, 49) i;
INSERT INTO signed VALUES (50, NULL);
CREATE INDEX signed_sig ON signed USING gin (sig);
ANALYZE signed;
SET enable_seqscan = off;
SELECT similarity,
       (SELECT count(*) FROM signed a JOIN signed b ON minhash_within(a.sig, b.sig, similarity)) AS by_index,
       (SELECT count(*) FROM signed a JOIN signed b ON jaccard_similarity(a.sig, b.sig) >= similarity) AS by_force
FROM unnest(ARRAY[0.01, 0.3, 0.7, 0.8, 0.9, 1]) similarity;
SELECT plan_of($$SELECT id FROM signed WHERE minhash_within(sig, (SELECT sig FROM signed WHERE id = 7), 0.8)$$);
SELECT plan_of($$SELECT a.id, b.id FROM signed b JOIN signed a ON minhash_within(a.sig, b.sig, 0.8) WHERE b.id = 7$$);
SET plan_cache_mode = force_generic_plan;
PREPARE near(text) AS SELECT id FROM signed WHERE minhash_within(sig, minhash($1), 0.8);
SELECT plan_of($$EXECUTE near('新闻')$$);
DEALLOCATE near;
RESET plan_cache_mode;
RESET enable_seqscan;
-- signatures made otherwise cannot be compared
SELECT minhash_within(minhash('新闻'), minhash('新闻', 'chars:2'), 0.1);
SELECT minhash_within(NULL, minhash('新闻'), 0.8) IS NULL AS unknown;
SELECT minhash_within(minhash('新闻'), minhash('新闻'), 0);

-- helper columns: keys for SQL of one's own
SELECT count(*) FROM signed a JOIN signed b ON minhash_bands(a.sig, 32, 4) && minhash_bands(b.sig, 32, 4) AND minhash_within(a.sig, b.sig, 0.8);

-- groups
SELECT near_duplicate_of(sig, 0.8, 'chain', 32, 4) OVER (ORDER BY id) AS first, array_agg(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND CURRENT ROW) AS id
FROM signed WHERE id < 12 OR id = 50 ORDER BY id;
SELECT chain, star, count(*) FROM (
    SELECT near_duplicate_of(sig, 0.8, 'chain', 32, 4) OVER w AS chain, near_duplicate_of(sig, 0.8, 'star', 32, 4) OVER w AS star FROM signed WINDOW w AS (ORDER BY id)
) g GROUP BY 1, 2 ORDER BY 1, 2;
SELECT near_duplicate_of(sig, 0) OVER () FROM signed;
SELECT near_duplicate_of(sig, 1.5) OVER () FROM signed;
SELECT near_duplicate_of(sig, NULL) OVER () FROM signed;
SELECT near_duplicate_of(sig, 0.8, 'ring') OVER () FROM signed;
SELECT near_duplicate_of(sig, 0.8, 'chain', 64, 4) OVER () FROM signed;
SELECT near_duplicate_of(sig, 0.8) OVER () FROM (VALUES (minhash('新闻')), (minhash('新闻', 'chars:2'))) v(sig);
SELECT near_duplicate_of(minhash('新闻', scheme => 'bottom_k'), 0.8) OVER ();
DROP TABLE signed;

-- which bands to choose, and what they find
SELECT bands, rows, round(recall::numeric, 3) AS recall, round(excess::numeric, 4) AS excess, round(half_at::numeric, 3) AS half_at FROM minhash_band_plan(0.7) LIMIT 3;
SELECT count(*) FROM minhash_band_plan(0.1, 0.999, 8);
SELECT * FROM minhash_band_plan(1.0);
SELECT * FROM minhash_band_plan(0.7, 0.95, 0);
SELECT similarity, round(found::numeric, 3) AS found FROM minhash_band_curve() WHERE similarity >= 0.4;
SELECT * FROM minhash_band_curve(0, 8);
SELECT left(svg, 4) AS start, svg LIKE '%32 bands of 4 rows%' AS titled, svg LIKE '%</svg>%' AS complete FROM minhash_band_curve_svg(32, 4) svg;
