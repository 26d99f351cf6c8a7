-- sketch: CREATE INDEX ON articles USING gin (sketch(body))

CREATE FUNCTION sketch(document text, analyzer text DEFAULT 'shingles:5', keys integer DEFAULT 10) RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'sketch_document_wrapper';
COMMENT ON FUNCTION sketch(text, text, integer) IS 'the keys (1 to 1024) smallest 64-bit hashes of a document''s shingles, and one of its opening: texts with much in common are likely to share one. NULL if the document has no token. CREATE INDEX ON articles USING neardup (sketch(body)) serves near_duplicate(body, ...)';

CREATE FUNCTION sketch(tokens text[], keys integer DEFAULT 10, label text DEFAULT 'tokens') RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'sketch_tokens_wrapper';
COMMENT ON FUNCTION sketch(text[], integer, text) IS 'sketch of tokens from any other segmenter, taken unchanged; NULL elements are ignored; sketches with different labels share no key';

CREATE FUNCTION sketch(document tsvector, keys integer DEFAULT 10, label text DEFAULT 'tsvector') RETURNS minhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'sketch_tsvector_wrapper';
COMMENT ON FUNCTION sketch(tsvector, integer, text) IS 'sketch of the lexemes of a text search vector';

CREATE FUNCTION sketch_keys(signature minhash) RETURNS bigint[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1 AS 'MODULE_PATHNAME', 'sketch_keys_wrapper';
COMMENT ON FUNCTION sketch_keys(minhash) IS 'the keys that an index on the signature holds: two signatures made in the same way share a key if they share a value. Also a key to join or distribute by';

CREATE FUNCTION neardup_internal.sketches_share_key(a minhash, b minhash) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sketches_share_key_wrapper';
COMMENT ON FUNCTION neardup_internal.sketches_share_key(minhash, minhash) IS 'implements the operator &&';

CREATE FUNCTION neardup_internal.minhash_extract_value(minhash, internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_extract_value_wrapper';
COMMENT ON FUNCTION neardup_internal.minhash_extract_value(minhash, internal) IS 'GIN support: the keys of a signature';

CREATE FUNCTION neardup_internal.minhash_extract_query(minhash, internal, smallint, internal, internal, internal, internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'minhash_extract_query_wrapper';
COMMENT ON FUNCTION neardup_internal.minhash_extract_query(minhash, internal, smallint, internal, internal, internal, internal) IS 'GIN support: the keys of a query';

CREATE OPERATOR && (
    LEFTARG = minhash, RIGHTARG = minhash, FUNCTION = neardup_internal.sketches_share_key, COMMUTATOR = &&,
    RESTRICT = neardup_internal.share_key_selectivity, JOIN = neardup_internal.share_key_join_selectivity
);

-- A row matches if it has one of the keys, as with the overlap of arrays, whose strategy has the same number. So Postgres's own function
-- for arrays serves here: it reads only the keys, never the query. GIN calls it for each row, where a typed Rust function would cost
-- several times as much.
CREATE FUNCTION neardup_internal.minhash_tri_consistent(internal, smallint, minhash, integer, internal, internal, internal)
RETURNS "char" IMMUTABLE STRICT PARALLEL SAFE LANGUAGE internal AS 'ginarraytriconsistent';

CREATE OPERATOR CLASS minhash_gin_ops DEFAULT FOR TYPE minhash USING gin AS
    OPERATOR 1 && (minhash, minhash),
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 neardup_internal.minhash_extract_value(minhash, internal),
    FUNCTION 3 neardup_internal.minhash_extract_query(minhash, internal, smallint, internal, internal, internal, internal),
    FUNCTION 6 neardup_internal.minhash_tri_consistent(internal, smallint, minhash, integer, internal, internal, internal),
    STORAGE bigint;

COMMENT ON OPERATOR && (minhash, minhash) IS 'whether two signatures share a key, false if they were made differently; an index on either serves it, USING neardup or gin';
COMMENT ON OPERATOR CLASS minhash_gin_ops USING gin IS 'the keys of a signature: serves &&, near_duplicate over sketches, and minhash_within';
COMMENT ON OPERATOR FAMILY minhash_gin_ops USING gin IS 'the keys of a signature: serves &&, near_duplicate over sketches, and minhash_within';
COMMENT ON FUNCTION neardup_internal.minhash_tri_consistent(internal, smallint, minhash, integer, internal, internal, internal) IS 'GIN support: a row that has one of the keys matches; if some keys are not known yet, it may match';
