-- grouping: returns the position, counted from 1, of the group's first row in the window's order

CREATE FUNCTION near_duplicate_of(signature simhash, distance integer, linkage text DEFAULT 'chain') RETURNS bigint
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE COST 1000
    AS 'MODULE_PATHNAME', 'near_duplicate_of_simhash';
CREATE FUNCTION near_duplicate_of(signature minhash, similarity double precision, linkage text DEFAULT 'chain', bands integer DEFAULT 16, rows integer DEFAULT 8) RETURNS bigint
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE COST 1000
    AS 'MODULE_PATHNAME', 'near_duplicate_of_minhash';

COMMENT ON FUNCTION near_duplicate_of(simhash, integer, text) IS 'window function: position of the first row of the group, counted from 1 in the window''s order. With linkage chain a group is all rows connected by steps of at most distance (0 to 11); with star, the rows within distance of that first row: near_duplicate_of(sig, 3) OVER (ORDER BY id)';
COMMENT ON FUNCTION near_duplicate_of(minhash, double precision, text, integer, integer) IS 'window function: the same as near_duplicate_of for simhash, for MinHash signatures that share a band and have at least the similarity (0 to 1); pairs are found with the probability that minhash_band_curve gives';
