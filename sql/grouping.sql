-- grouping: the answer is the position, counted from 1, of the group's first row in the window's order

CREATE FUNCTION near_duplicate_of(signature simhash, distance integer, linkage text DEFAULT 'chain') RETURNS bigint
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE COST 1000
    AS 'MODULE_PATHNAME', 'near_duplicate_of_simhash';
CREATE FUNCTION near_duplicate_of(signature minhash, similarity double precision, linkage text DEFAULT 'chain', bands integer DEFAULT 16, rows integer DEFAULT 8) RETURNS bigint
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE COST 1000
    AS 'MODULE_PATHNAME', 'near_duplicate_of_minhash';

COMMENT ON FUNCTION near_duplicate_of(simhash, integer, text) IS 'window function: position, from 1 in the window''s order, of the first row of the group: with linkage chain all that is connected by steps of at most distance, with star what is within distance of that row itself';
COMMENT ON FUNCTION near_duplicate_of(minhash, double precision, text, integer, integer) IS 'the same for MinHash signatures that share a band and have at least the similarity; pairs are found with the chance of minhash_band_curve';
