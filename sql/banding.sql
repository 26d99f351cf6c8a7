-- simhash search: a plain GIN index on simhash_bands(column) serves simhash_within.
-- The body says what it means; the support function writes it out so that the index is used whatever the arguments are.

CREATE FUNCTION simhash_within(a simhash, b simhash, distance integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SUPPORT simhash_within_support
    RETURN simhash_bands(a) OPERATOR(neardup.&&) simhash_probes(b, distance)
       AND hamming_within(a, b, distance);

-- minhash search: a plain GIN index on minhash_bands(column, bands, rows), with the same numbers, serves minhash_within

CREATE FUNCTION minhash_within(a minhash, b minhash, similarity double precision, bands integer DEFAULT 16, rows integer DEFAULT 8) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SUPPORT minhash_within_support
    RETURN minhash_bands(a, bands, rows) OPERATOR(neardup.&&) minhash_bands(b, bands, rows)
       AND jaccard_within(a, b, similarity);

COMMENT ON FUNCTION minhash_bands(minhash, integer, integer) IS 'index keys of a signature, one for each band of rows values: CREATE INDEX ON articles USING gin (minhash_bands(sig, 16, 8))';
COMMENT ON FUNCTION minhash_within(minhash, minhash, double precision, integer, integer) IS 'whether two signatures share a band and have at least the Jaccard similarity; a GIN index on minhash_bands of the first argument, with the same bands and rows, serves it';
COMMENT ON FUNCTION jaccard_within(minhash, minhash, double precision) IS 'whether the estimated Jaccard similarity is at least the bound; without an index and without bands';
COMMENT ON FUNCTION minhash_band_plan(double precision, double precision, integer) IS 'ways to cut a MinHash into bands that find a pair of the similarity with at least the recall, best first: bands, rows, the recall reached, the share of less similar pairs found in vain, and the similarity of which half is found';
COMMENT ON FUNCTION minhash_band_curve(integer, integer) IS 'the S-curve: for each similarity the chance that two signatures share a band';
COMMENT ON FUNCTION minhash_band_curve_svg(integer, integer) IS 'the S-curve as an SVG drawing';
COMMENT ON FUNCTION simhash_probes(simhash, integer, integer, integer, integer) IS 'part number part (from 0) of the keys of simhash_probes, cut into parts';
COMMENT ON FUNCTION hamming_within(simhash, simhash, integer) IS 'whether two signatures differ in at most distance bits; without an index, and for any distance';
