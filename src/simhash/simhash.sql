-- simhash type: stored and sent like a bigint, which the built-in functions already do.

CREATE FUNCTION simhash_in(cstring) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'simhash_in_wrapper';
COMMENT ON FUNCTION simhash_in(cstring) IS 'reads 16 hexadecimal digits';

CREATE FUNCTION simhash_out(simhash) RETURNS cstring
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'simhash_out_wrapper';
COMMENT ON FUNCTION simhash_out(simhash) IS 'writes 16 hexadecimal digits';

CREATE FUNCTION simhash_recv(internal) RETURNS simhash LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int8recv';
CREATE FUNCTION simhash_send(simhash) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int8send';

CREATE TYPE simhash (
    INPUT = simhash_in,
    OUTPUT = simhash_out,
    RECEIVE = simhash_recv,
    SEND = simhash_send,
    LIKE = int8
);

-- functions

CREATE FUNCTION simhash_from_bit(bits bit) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'simhash_from_bit_wrapper';
COMMENT ON FUNCTION simhash_from_bit(bit) IS 'the signature of exactly 64 bits, most significant first; implements the cast from bit';

CREATE FUNCTION hamming_distance(a simhash, b simhash) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'hamming_distance_wrapper';
COMMENT ON FUNCTION hamming_distance(simhash, simhash) IS 'number of bits in which two signatures differ, 0 to 64';

CREATE FUNCTION simhash(document text, analyzer text DEFAULT 'jieba', weighting text DEFAULT 'count', bits integer DEFAULT 64) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'simhash_document_wrapper';
COMMENT ON FUNCTION simhash(text, text, text, integer) IS 'SimHash signature of a document under an analyzer; weighting count, none, log_count, tf, tfidf (jieba''s own table) or textrank; the low 1 to 64 bits. NULL if no token has a positive weight: simhash(body, ''chars:3'')';

CREATE FUNCTION simhash(document unknown, analyzer text DEFAULT 'jieba', weighting text DEFAULT 'count', bits integer DEFAULT 64) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'simhash_literal_wrapper';
COMMENT ON FUNCTION simhash(unknown, text, text, integer) IS 'simhash of a document given as a string literal, which would otherwise be parsed as a signature';

CREATE FUNCTION simhash(tokens text[], weighting text DEFAULT 'count', bits integer DEFAULT 64) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'simhash_tokens_wrapper';
COMMENT ON FUNCTION simhash(text[], text, integer) IS 'SimHash signature of tokens from any other segmenter, taken unchanged; NULL elements are ignored';

CREATE FUNCTION simhash(tokens text[], weights double precision[], bits integer DEFAULT 64) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'simhash_weighted_tokens_wrapper';
COMMENT ON FUNCTION simhash(text[], double precision[], integer) IS 'SimHash signature of tokens with one weight each, finite and not negative; a token is ignored if it or its weight is NULL';

CREATE FUNCTION simhash(document tsvector, weighting text DEFAULT 'count', bits integer DEFAULT 64) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'simhash_tsvector_wrapper';
COMMENT ON FUNCTION simhash(tsvector, text, integer) IS 'SimHash signature of the lexemes of a text search vector; a lexeme counts once for each of its positions';

CREATE FUNCTION simhash_totals(document text, analyzer text DEFAULT 'jieba', weighting text DEFAULT 'count', bits integer DEFAULT 64) RETURNS real[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'totals_of_document_wrapper';
COMMENT ON FUNCTION simhash_totals(text, text, text, integer) IS 'the totals whose signs are the SimHash signature, one for each bit from the lowest, for cosine_similarity (SimHashCosine); casts to pgvector''s vector';

CREATE FUNCTION simhash_totals(tokens text[], weighting text DEFAULT 'count', bits integer DEFAULT 64) RETURNS real[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'totals_of_tokens_wrapper';
COMMENT ON FUNCTION simhash_totals(text[], text, integer) IS 'the totals behind the SimHash signature of given tokens';

CREATE FUNCTION simhash_totals(tokens text[], weights double precision[], bits integer DEFAULT 64) RETURNS real[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'totals_of_weighted_tokens_wrapper';
COMMENT ON FUNCTION simhash_totals(text[], double precision[], integer) IS 'the totals behind the SimHash signature of given tokens with one weight each';

CREATE FUNCTION simhash_totals(document tsvector, weighting text DEFAULT 'count', bits integer DEFAULT 64) RETURNS real[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'totals_of_tsvector_wrapper';
COMMENT ON FUNCTION simhash_totals(tsvector, text, integer) IS 'the totals behind the SimHash signature of a text search vector';

-- simhash casts: all explicit, so that a signature never passes for a number by accident

CREATE CAST (simhash AS bigint) WITHOUT FUNCTION;
CREATE CAST (bigint AS simhash) WITHOUT FUNCTION;

-- The body is a string. Postgres would not record that a parsed body uses the cast above, so pg_upgrade would restore the function before
-- the cast.
CREATE FUNCTION simhash_to_bit(signature simhash) RETURNS bit(64)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT CAST(CAST(signature AS bigint) AS bit(64))';

CREATE CAST (simhash AS bit) WITH FUNCTION simhash_to_bit(simhash);
CREATE CAST (bit AS simhash) WITH FUNCTION simhash_from_bit(bit);

-- simhash comparison: the order of the bigint it casts to, for DISTINCT, GROUP BY, joins and indexes

CREATE FUNCTION simhash_eq(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8eq';
CREATE FUNCTION simhash_ne(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8ne';
CREATE FUNCTION simhash_lt(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8lt';
CREATE FUNCTION simhash_le(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8le';
CREATE FUNCTION simhash_gt(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8gt';
CREATE FUNCTION simhash_ge(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8ge';
CREATE FUNCTION simhash_cmp(simhash, simhash) RETURNS integer LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'btint8cmp';
CREATE FUNCTION simhash_hash(simhash) RETURNS integer LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashint8';
CREATE FUNCTION simhash_hash_extended(simhash, bigint) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashint8extended';

CREATE OPERATOR = (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_eq, COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_ne, COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR < (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_lt, COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_le, COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR > (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_gt, COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR >= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_ge, COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);

CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 simhash_cmp(simhash, simhash),
    FUNCTION 2 pg_catalog.btint8sortsupport(internal),
    FUNCTION 4 pg_catalog.btequalimage(oid);

CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 simhash_hash(simhash),
    FUNCTION 2 simhash_hash_extended(simhash, bigint);

-- simhash of other text types: the type has the same name, so without these functions, their values would be cast to it

CREATE FUNCTION simhash(document character varying, analyzer text DEFAULT 'jieba', weighting text DEFAULT 'count', bits integer DEFAULT 64) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'simhash_document_wrapper';
CREATE FUNCTION simhash(document character, analyzer text DEFAULT 'jieba', weighting text DEFAULT 'count', bits integer DEFAULT 64) RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'simhash_document_wrapper';

-- simhash distance

CREATE OPERATOR <~> (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = hamming_distance, COMMUTATOR = <~>
);

-- comments

COMMENT ON TYPE simhash IS '64-bit SimHash signature of a text, written as 16 hexadecimal digits; similar texts have a small Hamming distance';
COMMENT ON FUNCTION simhash_recv(internal) IS 'reads 8 bytes, most significant first';
COMMENT ON FUNCTION simhash_send(simhash) IS 'writes 8 bytes, most significant first';
COMMENT ON FUNCTION simhash_to_bit(simhash) IS 'the signature as 64 bits, most significant first; implements the cast to bit';
COMMENT ON FUNCTION simhash_eq(simhash, simhash) IS 'equal';
COMMENT ON FUNCTION simhash_ne(simhash, simhash) IS 'not equal';
COMMENT ON FUNCTION simhash_lt(simhash, simhash) IS 'less, in the order of the bigint it casts to';
COMMENT ON FUNCTION simhash_le(simhash, simhash) IS 'less or equal, in the order of the bigint it casts to';
COMMENT ON FUNCTION simhash_gt(simhash, simhash) IS 'greater, in the order of the bigint it casts to';
COMMENT ON FUNCTION simhash_ge(simhash, simhash) IS 'greater or equal, in the order of the bigint it casts to';
COMMENT ON FUNCTION simhash_cmp(simhash, simhash) IS 'B-tree comparison, in the order of the bigint it casts to';
COMMENT ON FUNCTION simhash_hash(simhash) IS 'hash for hash joins, grouping and hash indexes';
COMMENT ON FUNCTION simhash_hash_extended(simhash, bigint) IS '64-bit hash with a seed, for hash partitioning';
COMMENT ON OPERATOR = (simhash, simhash) IS 'equal';
COMMENT ON OPERATOR <> (simhash, simhash) IS 'not equal';
COMMENT ON OPERATOR < (simhash, simhash) IS 'less';
COMMENT ON OPERATOR <= (simhash, simhash) IS 'less or equal';
COMMENT ON OPERATOR > (simhash, simhash) IS 'greater';
COMMENT ON OPERATOR >= (simhash, simhash) IS 'greater or equal';
COMMENT ON OPERATOR <~> (simhash, simhash) IS 'Hamming distance, 0 to 64';
COMMENT ON FUNCTION simhash(character varying, text, text, integer) IS 'simhash of a document of type character varying, which would otherwise be parsed as a signature';
COMMENT ON FUNCTION simhash(character, text, text, integer) IS 'simhash of a document of type character(n), which would otherwise be parsed as a signature';
