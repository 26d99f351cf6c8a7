-- containment: a plain GIN index on overlap_keys(tokens, similarity), with the same number, serves overlap_within

CREATE FUNCTION token_keys(document text, analyzer text DEFAULT 'jieba') RETURNS integer[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'token_keys_wrapper';
COMMENT ON FUNCTION token_keys(text, text) IS 'the set of a document''s tokens as sorted integers, which overlap_within compares; longer tokens, which are rarer, come first';

CREATE FUNCTION fingerprints(document text, analyzer text DEFAULT 'chars:10', "window" integer DEFAULT 41) RETURNS integer[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'fingerprints_wrapper';
COMMENT ON FUNCTION fingerprints(text, text, integer) IS 'winnowed fingerprints of a document, sorted: documents that share a run of window consecutive tokens share a fingerprint; with chars:10 and window 41 that is any shared passage of 50 characters';

CREATE FUNCTION overlap_keys(tokens integer[], similarity double precision) RETURNS integer[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2 AS 'MODULE_PATHNAME', 'overlap_keys_wrapper';
COMMENT ON FUNCTION overlap_keys(integer[], double precision) IS 'index keys of a set: CREATE INDEX ON posts USING gin (overlap_keys(tokens, 0.8)) serves overlap_within(tokens, ..., 0.8)';

CREATE FUNCTION overlap_probes(tokens integer[], similarity double precision) RETURNS integer[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2 AS 'MODULE_PATHNAME', 'overlap_probes_wrapper';
COMMENT ON FUNCTION overlap_probes(integer[], double precision) IS 'keys to look up: every set with at least that overlap has one of them among its overlap_keys';

CREATE FUNCTION overlap_similarity(a integer[], b integer[]) RETURNS double precision
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5 AS 'MODULE_PATHNAME', 'overlap_similarity_wrapper';
COMMENT ON FUNCTION overlap_similarity(integer[], integer[]) IS 'overlap coefficient of two sets of integers, shared elements over those of the smaller set: 1 if one set contains the other, 0 if either is empty';

CREATE FUNCTION overlap_reaches(a integer[], b integer[], similarity double precision) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5 AS 'MODULE_PATHNAME', 'overlap_reaches_wrapper';
COMMENT ON FUNCTION overlap_reaches(integer[], integer[], double precision) IS 'whether overlap_similarity is at least similarity; uses no index';

CREATE FUNCTION overlap_within_support(request internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'overlap_within_support_wrapper';
COMMENT ON FUNCTION overlap_within_support(internal) IS 'planner support: expands overlap_within into a condition on an index of overlap_keys';

CREATE FUNCTION overlap_within(a integer[], b integer[], similarity double precision) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SUPPORT overlap_within_support
    RETURN @extschema@.overlap_keys(a, similarity) OPERATOR(pg_catalog.&&) @extschema@.overlap_probes(b, similarity)
       AND @extschema@.overlap_reaches(a, b, similarity);

COMMENT ON FUNCTION overlap_within(integer[], integer[], double precision) IS 'whether the overlap coefficient of two sets is at least the similarity; a GIN index on overlap_keys of the first argument, with the same similarity, serves it';
