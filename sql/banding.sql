-- simhash search: inlined by the planner, so that a plain GIN index on simhash_bands(column) serves it.
-- The first argument is the indexed side.

CREATE FUNCTION simhash_within(a simhash, b simhash, distance integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN simhash_bands(a) OPERATOR(pg_catalog.&&) simhash_probes(b, distance)
       AND hamming_distance(a, b) OPERATOR(pg_catalog.<=) distance;
