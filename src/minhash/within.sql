-- minhash search: CREATE INDEX ON articles USING gin (sig)

CREATE FUNCTION minhash_within(a minhash, b minhash, similarity double precision) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_within_wrapper';
COMMENT ON FUNCTION minhash_within(minhash, minhash, double precision) IS 'whether the estimated Jaccard similarity of two signatures is at least similarity, above 0 and at most 1; an index on either signature serves it, USING neardup or gin';

CREATE FUNCTION minhash_within_support(request internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_within_support_wrapper';
COMMENT ON FUNCTION minhash_within_support(internal) IS 'planner support: gives minhash_within its condition on an index of signatures';

ALTER FUNCTION minhash_within(minhash, minhash, double precision) SUPPORT minhash_within_support;
