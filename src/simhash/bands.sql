-- helper columns: key functions for the user's own SQL

CREATE FUNCTION simhash_bands(signature simhash, bands integer DEFAULT 4) RETURNS integer[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1 AS 'MODULE_PATHNAME', 'simhash_bands_wrapper';
COMMENT ON FUNCTION simhash_bands(simhash, integer) IS 'index keys of a signature, one for each of 3 to 64 interleaved bands (default 4): CREATE INDEX ON articles USING gin (simhash_bands(sig))';

CREATE FUNCTION simhash_band(signature simhash, i integer, bands integer DEFAULT 4) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1 AS 'MODULE_PATHNAME', 'simhash_band_wrapper';
COMMENT ON FUNCTION simhash_band(simhash, integer, integer) IS 'index key of one band, numbered from 0';

CREATE FUNCTION simhash_probes(signature simhash, distance integer, bands integer DEFAULT 4) RETURNS integer[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2 AS 'MODULE_PATHNAME', 'simhash_probes_wrapper';
COMMENT ON FUNCTION simhash_probes(simhash, integer, integer) IS 'keys to look up: every signature within the distance (0 to 11) has at least one of them among its simhash_bands';
