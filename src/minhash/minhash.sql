-- minhash type: its values are random bits, so compression would only cost time

CREATE FUNCTION minhash_in(cstring) RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_in_wrapper';
COMMENT ON FUNCTION minhash_in(cstring) IS 'reads hexadecimal digits';

CREATE FUNCTION minhash_out(minhash) RETURNS cstring
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_out_wrapper';
COMMENT ON FUNCTION minhash_out(minhash) IS 'writes hexadecimal digits';

CREATE FUNCTION minhash_recv(internal) RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_recv_wrapper';
COMMENT ON FUNCTION minhash_recv(internal) IS 'reads the stored bytes';

CREATE FUNCTION minhash_send(minhash) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';

CREATE TYPE minhash (
    INPUT = minhash_in,
    OUTPUT = minhash_out,
    RECEIVE = minhash_recv,
    SEND = minhash_send,
    INTERNALLENGTH = VARIABLE,
    STORAGE = external
);

-- functions

CREATE FUNCTION minhash_from_bytea(bytes bytea) RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_from_bytea_wrapper';
COMMENT ON FUNCTION minhash_from_bytea(bytea) IS 'the signature with these stored bytes; implements the cast from bytea';

CREATE FUNCTION minhash_values(signature minhash) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_values_wrapper';
COMMENT ON FUNCTION minhash_values(minhash) IS 'the raw values of a signature, 2, 4 or 8 bytes each, least significant byte first';

CREATE FUNCTION minhash_from_values(raw bytea, scheme text DEFAULT 'many_hash', bits integer DEFAULT 32, hashes integer DEFAULT 0, label text DEFAULT 'values') RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_from_values_wrapper';
COMMENT ON FUNCTION minhash_from_values(bytea, text, integer, integer, text) IS 'signature of raw values made by another program, 16 or 32 bits each (bottom_k: 32 or 64), least significant byte first; hashes: the number requested, if a bottom_k signature has fewer values (0: as many as there are); signatures with different labels cannot be compared';

CREATE FUNCTION minhash(document text, analyzer text DEFAULT 'jieba', hashes integer DEFAULT 128, scheme text DEFAULT 'many_hash', bits integer DEFAULT 32, seed bigint DEFAULT 0) RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'minhash_document_wrapper';
COMMENT ON FUNCTION minhash(text, text, integer, text, integer, bigint) IS 'MinHash signature of a document under an analyzer: hashes 8 to 1024; scheme many_hash or bottom_k; bits per value 16 or 32, or for bottom_k 64; any seed. NULL if the document has no token: minhash(body, ''chars:5'')';

CREATE FUNCTION minhash(document unknown, analyzer text DEFAULT 'jieba', hashes integer DEFAULT 128, scheme text DEFAULT 'many_hash', bits integer DEFAULT 32, seed bigint DEFAULT 0) RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'minhash_literal_wrapper';
COMMENT ON FUNCTION minhash(unknown, text, integer, text, integer, bigint) IS 'minhash of a document given as a string literal, which would otherwise be parsed as a signature';

CREATE FUNCTION minhash(tokens text[], hashes integer DEFAULT 128, scheme text DEFAULT 'many_hash', bits integer DEFAULT 32, seed bigint DEFAULT 0, label text DEFAULT 'tokens') RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'minhash_tokens_wrapper';
COMMENT ON FUNCTION minhash(text[], integer, text, integer, bigint, text) IS 'MinHash signature of tokens from any other segmenter, taken unchanged; NULL elements are ignored; signatures with different labels cannot be compared';

CREATE FUNCTION minhash(document tsvector, hashes integer DEFAULT 128, scheme text DEFAULT 'many_hash', bits integer DEFAULT 32, seed bigint DEFAULT 0, label text DEFAULT 'tsvector') RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'minhash_tsvector_wrapper';
COMMENT ON FUNCTION minhash(tsvector, integer, text, integer, bigint, text) IS 'MinHash signature of the lexemes of a text search vector';

CREATE FUNCTION jaccard_similarity(a minhash, b minhash) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'jaccard_similarity_wrapper';
COMMENT ON FUNCTION jaccard_similarity(minhash, minhash) IS 'estimate of the Jaccard similarity of the token sets, 0 to 1; an error if the signatures were made differently';

CREATE FUNCTION jaccard_distance(a minhash, b minhash) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'jaccard_distance_wrapper';
COMMENT ON FUNCTION jaccard_distance(minhash, minhash) IS '1 - jaccard_similarity, 0 to 1';

-- minhash of other text types: the type has the same name, so without these functions, their values would be cast to it

CREATE FUNCTION minhash(document character varying, analyzer text DEFAULT 'jieba', hashes integer DEFAULT 128, scheme text DEFAULT 'many_hash', bits integer DEFAULT 32, seed bigint DEFAULT 0) RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'minhash_document_wrapper';
CREATE FUNCTION minhash(document character, analyzer text DEFAULT 'jieba', hashes integer DEFAULT 128, scheme text DEFAULT 'many_hash', bits integer DEFAULT 32, seed bigint DEFAULT 0) RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'minhash_document_wrapper';

-- minhash casts, all explicit: the stored bytes, validated on input

CREATE CAST (minhash AS bytea) WITHOUT FUNCTION;
CREATE CAST (bytea AS minhash) WITH FUNCTION minhash_from_bytea(bytea);

-- minhash distance

CREATE OPERATOR <%> (
    LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = jaccard_distance, COMMUTATOR = <%>
);

-- minhash equality: of the bytes, for DISTINCT, GROUP BY, joins and logical replication

CREATE FUNCTION minhash_eq(minhash, minhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'byteaeq';
CREATE FUNCTION minhash_ne(minhash, minhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'byteane';
CREATE FUNCTION minhash_hash(minhash) RETURNS integer LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashvarlena';
CREATE FUNCTION minhash_hash_extended(minhash, bigint) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashvarlenaextended';

CREATE OPERATOR = (
    LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_eq, COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
CREATE OPERATOR <> (
    LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = minhash_ne, COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);

CREATE OPERATOR CLASS minhash_ops DEFAULT FOR TYPE minhash USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 minhash_hash(minhash),
    FUNCTION 2 minhash_hash_extended(minhash, bigint);

-- comments

COMMENT ON TYPE minhash IS 'MinHash signature of the set of a text''s tokens, which estimates Jaccard similarity; written as hexadecimal digits. docs/internals/signatures.md has the layout';
COMMENT ON FUNCTION minhash_send(minhash) IS 'writes the stored bytes';
COMMENT ON FUNCTION minhash(character varying, text, integer, text, integer, bigint) IS 'minhash of a document of type character varying, which would otherwise be parsed as a signature';
COMMENT ON FUNCTION minhash(character, text, integer, text, integer, bigint) IS 'minhash of a document of type character(n), which would otherwise be parsed as a signature';
COMMENT ON FUNCTION minhash_eq(minhash, minhash) IS 'equal';
COMMENT ON FUNCTION minhash_ne(minhash, minhash) IS 'not equal';
COMMENT ON FUNCTION minhash_hash(minhash) IS 'hash for hash joins, grouping and hash indexes';
COMMENT ON FUNCTION minhash_hash_extended(minhash, bigint) IS '64-bit hash with a seed, for hash partitioning';
COMMENT ON OPERATOR = (minhash, minhash) IS 'equal';
COMMENT ON OPERATOR <> (minhash, minhash) IS 'not equal';
COMMENT ON OPERATOR <%> (minhash, minhash) IS 'Jaccard distance, 1 - jaccard_similarity';
