-- helper columns: key functions for the user's own SQL

COMMENT ON FUNCTION simhash_bands(simhash, integer) IS 'index keys of a signature, one for each of 3 to 64 interleaved bands (default 4): CREATE INDEX ON articles USING gin (simhash_bands(sig))';
COMMENT ON FUNCTION simhash_band(simhash, integer, integer) IS 'index key of one band, numbered from 0';
COMMENT ON FUNCTION simhash_probes(simhash, integer, integer) IS 'keys to look up: every signature within the distance (0 to 11) has at least one of them among its simhash_bands';
