-- tokenset type: its values are hashes, so compression would only cost time

CREATE FUNCTION tokenset_in(cstring) RETURNS tokenset
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'tokenset_in_wrapper';
COMMENT ON FUNCTION tokenset_in(cstring) IS 'reads version, fingerprint and hashes with their weights';

CREATE FUNCTION tokenset_out(tokenset) RETURNS cstring
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'tokenset_out_wrapper';
COMMENT ON FUNCTION tokenset_out(tokenset) IS 'writes version, fingerprint and hashes with their weights';

CREATE FUNCTION tokenset_recv(internal) RETURNS tokenset
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'tokenset_recv_wrapper';
COMMENT ON FUNCTION tokenset_recv(internal) IS 'reads the stored bytes';

CREATE FUNCTION tokenset_send(tokenset) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';

CREATE TYPE tokenset (
    INPUT = tokenset_in,
    OUTPUT = tokenset_out,
    RECEIVE = tokenset_recv,
    SEND = tokenset_send,
    INTERNALLENGTH = VARIABLE,
    STORAGE = external
);

-- functions

CREATE FUNCTION tokenset_from_bytea(bytes bytea) RETURNS tokenset
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'tokenset_from_bytea_wrapper';
COMMENT ON FUNCTION tokenset_from_bytea(bytea) IS 'the set with these stored bytes; implements the cast from bytea';

CREATE FUNCTION tokenset_hashes(set tokenset) RETURNS bigint[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'tokenset_hashes_wrapper';
COMMENT ON FUNCTION tokenset_hashes(tokenset) IS 'the tokens'' hashes in ascending unsigned order; bigint shows the upper half as negative';

CREATE FUNCTION tokenset_weights(set tokenset) RETURNS real[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'tokenset_weights_wrapper';
COMMENT ON FUNCTION tokenset_weights(tokenset) IS 'the tokens'' weights in the order of their hashes; 1 each if the set has no weights';

CREATE FUNCTION tokenset(document text, analyzer text DEFAULT 'jieba', weighting text DEFAULT 'none') RETURNS tokenset
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'tokenset_document_wrapper';
COMMENT ON FUNCTION tokenset(text, text, text) IS 'token set of a document under an analyzer; weighting none (no weights), count, log_count, tf, tfidf (jieba''s own table) or textrank; empty if the document has no token';

CREATE FUNCTION tokenset(document unknown, analyzer text DEFAULT 'jieba', weighting text DEFAULT 'none') RETURNS tokenset
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'tokenset_literal_wrapper';
COMMENT ON FUNCTION tokenset(unknown, text, text) IS 'tokenset of a document given as a string literal, which would otherwise be parsed as a token set';

CREATE FUNCTION tokenset(tokens text[], weighting text DEFAULT 'none', label text DEFAULT 'tokens') RETURNS tokenset
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'tokenset_tokens_wrapper';
COMMENT ON FUNCTION tokenset(text[], text, text) IS 'token set of tokens from any other segmenter, taken unchanged; NULL elements are ignored; sets with different labels cannot be compared';

CREATE FUNCTION tokenset(tokens text[], weights double precision[], label text DEFAULT 'tokens') RETURNS tokenset
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'tokenset_weighted_tokens_wrapper';
COMMENT ON FUNCTION tokenset(text[], double precision[], text) IS 'token set of tokens with one weight each, finite and not negative; weights of a repeated token are added; a token is ignored if it or its weight is NULL';

CREATE FUNCTION tokenset(document tsvector, weighting text DEFAULT 'none', label text DEFAULT 'tsvector') RETURNS tokenset
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'tokenset_tsvector_wrapper';
COMMENT ON FUNCTION tokenset(tsvector, text, text) IS 'token set of the lexemes of a text search vector; a lexeme counts once for each of its positions';

CREATE FUNCTION token_count(set tokenset) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'token_count_wrapper';
COMMENT ON FUNCTION token_count(tokenset) IS 'number of distinct tokens';

-- tokenset of other text types: the type has the same name, so without these functions, their values would be cast to it

CREATE FUNCTION tokenset(document character varying, analyzer text DEFAULT 'jieba', weighting text DEFAULT 'none') RETURNS tokenset
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'tokenset_document_wrapper';
CREATE FUNCTION tokenset(document character, analyzer text DEFAULT 'jieba', weighting text DEFAULT 'none') RETURNS tokenset
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'tokenset_document_wrapper';

-- tokenset casts, all explicit: the stored bytes, validated on input

CREATE CAST (tokenset AS bytea) WITHOUT FUNCTION;
CREATE CAST (bytea AS tokenset) WITH FUNCTION tokenset_from_bytea(bytea);

-- tokenset equality: of the bytes, for DISTINCT, GROUP BY, joins and logical replication

CREATE FUNCTION tokenset_eq(tokenset, tokenset) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'byteaeq';
CREATE FUNCTION tokenset_ne(tokenset, tokenset) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'byteane';
CREATE FUNCTION tokenset_hash(tokenset) RETURNS integer LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashvarlena';
CREATE FUNCTION tokenset_hash_extended(tokenset, bigint) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashvarlenaextended';

CREATE OPERATOR = (
    LEFTARG = tokenset, RIGHTARG = tokenset, FUNCTION = tokenset_eq, COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
CREATE OPERATOR <> (
    LEFTARG = tokenset, RIGHTARG = tokenset, FUNCTION = tokenset_ne, COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);

CREATE OPERATOR CLASS tokenset_ops DEFAULT FOR TYPE tokenset USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 tokenset_hash(tokenset),
    FUNCTION 2 tokenset_hash_extended(tokenset, bigint);

-- comments

COMMENT ON TYPE tokenset IS 'the distinct tokens of a text as 64-bit hashes, with or without weights, for exact similarity. docs/internals/signatures.md has the layout';
COMMENT ON FUNCTION tokenset_send(tokenset) IS 'writes the stored bytes';
COMMENT ON FUNCTION tokenset(character varying, text, text) IS 'tokenset of a document of type character varying, which would otherwise be parsed as a token set';
COMMENT ON FUNCTION tokenset(character, text, text) IS 'tokenset of a document of type character(n), which would otherwise be parsed as a token set';
COMMENT ON FUNCTION tokenset_eq(tokenset, tokenset) IS 'equal';
COMMENT ON FUNCTION tokenset_ne(tokenset, tokenset) IS 'not equal';
COMMENT ON FUNCTION tokenset_hash(tokenset) IS 'hash for hash joins, grouping and hash indexes';
COMMENT ON FUNCTION tokenset_hash_extended(tokenset, bigint) IS '64-bit hash with a seed, for hash partitioning';
COMMENT ON OPERATOR = (tokenset, tokenset) IS 'equal';
COMMENT ON OPERATOR <> (tokenset, tokenset) IS 'not equal';
