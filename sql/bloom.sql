-- bloom_filter aggregate

CREATE AGGREGATE bloom_filter_agg(element text, expected bigint, false_positive_rate double precision) (
    SFUNC = bloom_filter_add,
    STYPE = internal,
    FINALFUNC = bloom_filter_final,
    COMBINEFUNC = bloom_filter_combine,
    SERIALFUNC = bloom_filter_serialize,
    DESERIALFUNC = bloom_filter_deserialize,
    PARALLEL = SAFE
);

-- bloom_filter casts, all explicit: the stored bytes, checked on the way in

CREATE CAST (bloom_filter AS bytea) WITHOUT FUNCTION;
CREATE CAST (bytea AS bloom_filter) WITH FUNCTION bloom_filter_from_bytea(bytea);

-- bloom_filter equality: of the bytes

CREATE FUNCTION bloom_filter_eq(bloom_filter, bloom_filter) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'byteaeq';
CREATE FUNCTION bloom_filter_ne(bloom_filter, bloom_filter) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'byteane';
CREATE FUNCTION bloom_filter_hash(bloom_filter) RETURNS integer LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashvarlena';

CREATE OPERATOR = (
    LEFTARG = bloom_filter, RIGHTARG = bloom_filter, FUNCTION = bloom_filter_eq, COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
CREATE OPERATOR <> (
    LEFTARG = bloom_filter, RIGHTARG = bloom_filter, FUNCTION = bloom_filter_ne, COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);

CREATE OPERATOR CLASS bloom_filter_ops DEFAULT FOR TYPE bloom_filter USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 bloom_filter_hash(bloom_filter);

-- comments

COMMENT ON TYPE bloom_filter IS 'set of texts in a few bits each, which never denies a text it holds and rarely claims another; layout in docs/internals/signatures.md';
COMMENT ON FUNCTION bloom_filter_in(cstring) IS 'reads hexadecimal digits';
COMMENT ON FUNCTION bloom_filter_out(bloom_filter) IS 'writes hexadecimal digits';
COMMENT ON FUNCTION bloom_filter_recv(internal) IS 'reads the stored bytes';
COMMENT ON FUNCTION bloom_filter_send(bloom_filter) IS 'writes the stored bytes';
COMMENT ON AGGREGATE bloom_filter_agg(text, bigint, double precision) IS 'Bloom filter of texts, taken as they are, sized for the expected number of them and a false positive rate; at most 512 MB; NULL for no rows';
COMMENT ON FUNCTION bloom_filter_add(internal, text, bigint, double precision) IS 'step of bloom_filter_agg';
COMMENT ON FUNCTION bloom_filter_combine(internal, internal) IS 'step of bloom_filter_agg: joins what parallel workers have';
COMMENT ON FUNCTION bloom_filter_serialize(internal) IS 'step of bloom_filter_agg: what a parallel worker sends';
COMMENT ON FUNCTION bloom_filter_deserialize(bytea, internal) IS 'step of bloom_filter_agg: what a parallel worker has sent';
COMMENT ON FUNCTION bloom_filter_final(internal) IS 'step of bloom_filter_agg: the filter';
COMMENT ON FUNCTION bloom_filter_from_bytea(bytea) IS 'the filter whose stored bytes these are; behind the cast from bytea';
COMMENT ON FUNCTION bloom_contains(bloom_filter, text) IS 'whether the filter may hold the text: surely not if false';
COMMENT ON FUNCTION bloom_union(bloom_filter, bloom_filter) IS 'filter that holds what either holds; both must be sized alike';
COMMENT ON FUNCTION bloom_estimated_count(bloom_filter) IS 'estimate of how many different texts were added';
COMMENT ON FUNCTION bloom_false_positive_rate(bloom_filter) IS 'share of other texts that the filter would claim, as full as it is';
COMMENT ON FUNCTION bloom_filter_eq(bloom_filter, bloom_filter) IS 'equal';
COMMENT ON FUNCTION bloom_filter_ne(bloom_filter, bloom_filter) IS 'not equal';
COMMENT ON FUNCTION bloom_filter_hash(bloom_filter) IS 'hash for hash joins and grouping';
COMMENT ON OPERATOR = (bloom_filter, bloom_filter) IS 'equal';
COMMENT ON OPERATOR <> (bloom_filter, bloom_filter) IS 'not equal';
