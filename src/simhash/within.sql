-- hamming_ball type: the query of a search by Hamming distance

CREATE FUNCTION hamming_ball_in(cstring) RETURNS hamming_ball
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hamming_ball_in_wrapper';
COMMENT ON FUNCTION hamming_ball_in(cstring) IS 'reads 16 hexadecimal digits, a slash and a distance';

CREATE FUNCTION hamming_ball_out(hamming_ball) RETURNS cstring
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hamming_ball_out_wrapper';
COMMENT ON FUNCTION hamming_ball_out(hamming_ball) IS 'writes 16 hexadecimal digits, a slash and a distance';

CREATE FUNCTION hamming_ball_recv(internal) RETURNS hamming_ball
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hamming_ball_recv_wrapper';
COMMENT ON FUNCTION hamming_ball_recv(internal) IS 'reads the signature in 8 bytes and the distance in 4';

CREATE FUNCTION hamming_ball_send(hamming_ball) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hamming_ball_send_wrapper';
COMMENT ON FUNCTION hamming_ball_send(hamming_ball) IS 'writes the signature in 8 bytes and the distance in 4';

CREATE TYPE hamming_ball (
    INPUT = hamming_ball_in,
    OUTPUT = hamming_ball_out,
    RECEIVE = hamming_ball_recv,
    SEND = hamming_ball_send,
    INTERNALLENGTH = 16,
    ALIGNMENT = double
);

COMMENT ON TYPE hamming_ball IS 'all signatures within a Hamming distance of a centre, the query of an index on simhash; written 0123456789abcdef/7';

-- functions

CREATE FUNCTION neardup_internal.simhash_extract_value(simhash, internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'simhash_extract_value_wrapper';
COMMENT ON FUNCTION neardup_internal.simhash_extract_value(simhash, internal) IS 'GIN support: the bands of a signature';

CREATE FUNCTION neardup_internal.simhash_extract_query(simhash, internal, smallint, internal, internal, internal, internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'simhash_extract_query_wrapper';
COMMENT ON FUNCTION neardup_internal.simhash_extract_query(simhash, internal, smallint, internal, internal, internal, internal) IS 'GIN support: the bands of all signatures in a ball';

CREATE FUNCTION neardup_internal.simhash_tri_consistent(internal, smallint, simhash, integer, internal, internal, internal) RETURNS "char"
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'simhash_tri_consistent_wrapper';
COMMENT ON FUNCTION neardup_internal.simhash_tri_consistent(internal, smallint, simhash, integer, internal, internal, internal) IS 'GIN support: a row that has one of the bands may match';

CREATE FUNCTION hamming_ball(center simhash, distance integer) RETURNS hamming_ball
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hamming_ball_wrapper';
COMMENT ON FUNCTION hamming_ball(simhash, integer) IS 'all signatures within a Hamming distance, 0 to 64, of center: WHERE sig <@ hamming_ball(q, 7)';

CREATE FUNCTION neardup_internal.simhash_in_ball(signature simhash, ball hamming_ball) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'simhash_in_ball_wrapper';
COMMENT ON FUNCTION neardup_internal.simhash_in_ball(simhash, hamming_ball) IS 'implements the operator <@';

CREATE FUNCTION simhash_within(a simhash, b simhash, distance integer) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'simhash_within_wrapper';
COMMENT ON FUNCTION simhash_within(simhash, simhash, integer) IS 'whether two signatures differ in at most distance bits, 0 to 64; an index on either signature serves it, USING neardup at any distance, USING gin best up to distance 11';

CREATE FUNCTION simhash_within_support(request internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'simhash_within_support_wrapper';
COMMENT ON FUNCTION simhash_within_support(internal) IS 'planner support: gives simhash_within its condition on an index of signatures';

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

COMMENT ON OPERATOR <@ (simhash, hamming_ball) IS 'whether a signature is within the distance of the ball''s centre; an index on the signature serves it, USING neardup or gin';
COMMENT ON OPERATOR CLASS simhash_gin_ops USING gin IS 'four bands of a signature: serves <@ and simhash_within, exactly';
COMMENT ON OPERATOR FAMILY simhash_gin_ops USING gin IS 'four bands of a signature: serves <@ and simhash_within, exactly';
