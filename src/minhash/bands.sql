-- helper columns: key functions for the user's own SQL

COMMENT ON FUNCTION minhash_bands(minhash, integer, integer) IS 'index keys of a signature, one for each band of rows values: CREATE INDEX ON articles USING gin (minhash_bands(sig, 16, 8))';
COMMENT ON FUNCTION minhash_band_plan(double precision, double precision, integer) IS 'band layouts that find a pair of the given similarity with at least the given recall, best first: bands, rows, the recall reached, the share of less similar pairs found in vain, and the similarity at which half the pairs are found';
COMMENT ON FUNCTION minhash_band_curve(integer, integer) IS 'the S-curve: for each similarity, the probability that two signatures share a band';
COMMENT ON FUNCTION minhash_band_curve_svg(integer, integer) IS 'the S-curve as an SVG drawing';
