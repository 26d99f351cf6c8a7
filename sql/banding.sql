-- simhash search: a plain GIN index on simhash_bands(column) serves simhash_within.
-- The body says what it means; the support function writes it out so that the index is used whatever the arguments are.

CREATE FUNCTION simhash_within(a simhash, b simhash, distance integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SUPPORT simhash_within_support
    RETURN simhash_bands(a) OPERATOR(neardup.&&) simhash_probes(b, distance)
       AND hamming_within(a, b, distance);

COMMENT ON FUNCTION simhash_probes(simhash, integer, integer, integer, integer) IS 'part number part (from 0) of the keys of simhash_probes, cut into parts';
COMMENT ON FUNCTION hamming_within(simhash, simhash, integer) IS 'whether two signatures differ in at most distance bits; without an index, and for any distance';
