-- bloom_filter type: about half of its bits are set, so compression would only cost time

CREATE FUNCTION bloom_filter_in(cstring) RETURNS bloom_filter
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloom_filter_in_wrapper';
COMMENT ON FUNCTION bloom_filter_in(cstring) IS 'reads hexadecimal digits';

CREATE FUNCTION bloom_filter_out(bloom_filter) RETURNS cstring
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloom_filter_out_wrapper';
COMMENT ON FUNCTION bloom_filter_out(bloom_filter) IS 'writes hexadecimal digits';

CREATE FUNCTION bloom_filter_recv(internal) RETURNS bloom_filter
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloom_filter_recv_wrapper';
COMMENT ON FUNCTION bloom_filter_recv(internal) IS 'reads the stored bytes';

CREATE FUNCTION bloom_filter_send(bloom_filter) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';

CREATE TYPE bloom_filter (
    INPUT = bloom_filter_in,
    OUTPUT = bloom_filter_out,
    RECEIVE = bloom_filter_recv,
    SEND = bloom_filter_send,
    INTERNALLENGTH = VARIABLE,
    STORAGE = external
);

-- functions

CREATE FUNCTION bloom_filter_from_bytea(bytes bytea) RETURNS bloom_filter
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloom_filter_from_bytea_wrapper';
COMMENT ON FUNCTION bloom_filter_from_bytea(bytea) IS 'the filter with these stored bytes; implements the cast from bytea';

CREATE FUNCTION bloom_filter_add(state internal, element text, expected bigint, false_positive_rate double precision) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloom_filter_add_wrapper';
COMMENT ON FUNCTION bloom_filter_add(internal, text, bigint, double precision) IS 'step of bloom_filter_agg';

CREATE FUNCTION bloom_filter_combine(internal, internal) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloom_filter_combine_wrapper';
COMMENT ON FUNCTION bloom_filter_combine(internal, internal) IS 'step of bloom_filter_agg: merges the filters of parallel workers';

CREATE FUNCTION bloom_filter_serialize(internal) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloom_filter_serialize_wrapper';
COMMENT ON FUNCTION bloom_filter_serialize(internal) IS 'step of bloom_filter_agg: the filter of a parallel worker as bytes';

CREATE FUNCTION bloom_filter_deserialize(bytea, internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloom_filter_deserialize_wrapper';
COMMENT ON FUNCTION bloom_filter_deserialize(bytea, internal) IS 'step of bloom_filter_agg: reads the bytes of a parallel worker''s filter';

CREATE FUNCTION bloom_filter_final(internal) RETURNS bloom_filter
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'bloom_filter_final_wrapper';
COMMENT ON FUNCTION bloom_filter_final(internal) IS 'step of bloom_filter_agg: gives the filter';

CREATE FUNCTION bloom_contains(filter bloom_filter, element text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'bloom_contains_wrapper';
COMMENT ON FUNCTION bloom_contains(bloom_filter, text) IS 'whether the filter may contain the text; false is certain, true may be wrong';

CREATE FUNCTION bloom_union(a bloom_filter, b bloom_filter) RETURNS bloom_filter
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'bloom_union_wrapper';
COMMENT ON FUNCTION bloom_union(bloom_filter, bloom_filter) IS 'filter that contains the texts of both filters, which must have the same size and number of hashes';

CREATE FUNCTION bloom_estimated_count(filter bloom_filter) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'bloom_estimated_count_wrapper';
COMMENT ON FUNCTION bloom_estimated_count(bloom_filter) IS 'estimate of how many different texts were added';

CREATE FUNCTION bloom_false_positive_rate(filter bloom_filter) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'bloom_false_positive_rate_wrapper';
COMMENT ON FUNCTION bloom_false_positive_rate(bloom_filter) IS 'probability, at the filter''s present fill, that it claims to contain a text that was never added';

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

-- bloom_filter casts, all explicit: the stored bytes, validated on input

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

COMMENT ON TYPE bloom_filter IS 'set of texts with a few bits per text: recognises every text that was added, and rarely one that was not. docs/internals/signatures.md has the layout';
COMMENT ON FUNCTION bloom_filter_send(bloom_filter) IS 'writes the stored bytes';
COMMENT ON AGGREGATE bloom_filter_agg(text, bigint, double precision) IS 'Bloom filter of texts, taken without normalisation, sized for the expected number of texts and a false positive rate (0 to 1); at most 512 MB; NULL for no rows: bloom_filter_agg(url, 1000000, 0.01)';
COMMENT ON FUNCTION bloom_filter_eq(bloom_filter, bloom_filter) IS 'equal';
COMMENT ON FUNCTION bloom_filter_ne(bloom_filter, bloom_filter) IS 'not equal';
COMMENT ON FUNCTION bloom_filter_hash(bloom_filter) IS 'hash for hash joins and grouping';
COMMENT ON OPERATOR = (bloom_filter, bloom_filter) IS 'equal';
COMMENT ON OPERATOR <> (bloom_filter, bloom_filter) IS 'not equal';
