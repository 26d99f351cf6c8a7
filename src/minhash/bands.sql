-- helper columns: key functions for the user's own SQL

CREATE FUNCTION minhash_bands(signature minhash, bands integer DEFAULT 16, rows integer DEFAULT 8) RETURNS integer[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2 AS 'MODULE_PATHNAME', 'minhash_bands_wrapper';
COMMENT ON FUNCTION minhash_bands(minhash, integer, integer) IS 'index keys of a signature, one for each band of rows values: CREATE INDEX ON articles USING gin (minhash_bands(sig, 16, 8))';

CREATE FUNCTION minhash_band_plan(similarity double precision, recall double precision DEFAULT 0.95, hashes integer DEFAULT 128) RETURNS TABLE (bands integer, rows integer, recall double precision, excess double precision, half_at double precision)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_band_plan_wrapper';
COMMENT ON FUNCTION minhash_band_plan(double precision, double precision, integer) IS 'band layouts that find a pair of the given similarity with at least the given recall, best first: bands, rows, the recall reached, the share of less similar pairs found in vain, and the similarity at which half the pairs are found';

CREATE FUNCTION minhash_band_curve(bands integer DEFAULT 16, rows integer DEFAULT 8) RETURNS TABLE (similarity double precision, found double precision)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_band_curve_wrapper';
COMMENT ON FUNCTION minhash_band_curve(integer, integer) IS 'the S-curve: for each similarity, the probability that two signatures share a band';

CREATE FUNCTION minhash_band_curve_svg(bands integer DEFAULT 16, rows integer DEFAULT 8) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_band_curve_svg_wrapper';
COMMENT ON FUNCTION minhash_band_curve_svg(integer, integer) IS 'the S-curve as an SVG drawing';
