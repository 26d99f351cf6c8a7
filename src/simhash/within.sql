-- simhash search: CREATE INDEX ON articles USING gin (sig)

CREATE OPERATOR <@ (
    LEFTARG = simhash, RIGHTARG = hamming_ball, FUNCTION = neardup_internal.simhash_in_ball,
    RESTRICT = neardup_internal.share_key_selectivity, JOIN = neardup_internal.share_key_join_selectivity
);

CREATE OPERATOR CLASS simhash_gin_ops DEFAULT FOR TYPE simhash USING gin AS
    OPERATOR 1 <@ (simhash, hamming_ball),
    FUNCTION 1 btint4cmp(integer, integer),
    FUNCTION 2 neardup_internal.simhash_extract_value(simhash, internal),
    FUNCTION 3 neardup_internal.simhash_extract_query(simhash, internal, smallint, internal, internal, internal, internal),
    FUNCTION 6 neardup_internal.simhash_tri_consistent(internal, smallint, simhash, integer, internal, internal, internal),
    STORAGE integer;

ALTER FUNCTION simhash_within(simhash, simhash, integer) SUPPORT simhash_within_support;

COMMENT ON FUNCTION hamming_ball(simhash, integer) IS 'all signatures within a Hamming distance, 0 to 64, of center: WHERE sig <@ hamming_ball(q, 7)';
COMMENT ON FUNCTION simhash_within(simhash, simhash, integer) IS 'whether two signatures differ in at most distance bits, 0 to 64; an index on either signature serves it, USING neardup at any distance, USING gin best up to distance 11';
COMMENT ON FUNCTION neardup_internal.simhash_in_ball(simhash, hamming_ball) IS 'implements the operator <@';
COMMENT ON OPERATOR <@ (simhash, hamming_ball) IS 'whether a signature is within the distance of the ball''s centre; an index on the signature serves it, USING neardup or gin';
COMMENT ON OPERATOR CLASS simhash_gin_ops USING gin IS 'four bands of a signature: serves <@ and simhash_within, exactly';
COMMENT ON OPERATOR FAMILY simhash_gin_ops USING gin IS 'four bands of a signature: serves <@ and simhash_within, exactly';
COMMENT ON FUNCTION neardup_internal.simhash_extract_value(simhash, internal) IS 'GIN support: the bands of a signature';
COMMENT ON FUNCTION neardup_internal.simhash_extract_query(simhash, internal, smallint, internal, internal, internal, internal) IS 'GIN support: the bands of all signatures in a ball';
COMMENT ON FUNCTION neardup_internal.simhash_tri_consistent(internal, smallint, simhash, integer, internal, internal, internal) IS 'GIN support: a row that has one of the bands may match';
COMMENT ON FUNCTION simhash_within_support(internal) IS 'planner support: gives simhash_within its condition on an index of signatures';
