-- containment: a plain GIN index on overlap_keys(tokens, similarity), with the same number, serves overlap_within

CREATE FUNCTION overlap_within(a integer[], b integer[], similarity double precision) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SUPPORT overlap_within_support
    RETURN overlap_keys(a, similarity) OPERATOR(pg_catalog.&&) overlap_probes(b, similarity)
       AND overlap_reaches(a, b, similarity);

COMMENT ON FUNCTION token_keys(text, text) IS 'the set of a document''s tokens as sorted integers, which overlap_within compares; longer tokens, which are rarer, come first';
COMMENT ON FUNCTION fingerprints(text, text, integer) IS 'winnowed fingerprints of a document, sorted: documents that share a run of window consecutive tokens share a fingerprint; with chars:10 and window 41 that is any shared passage of 50 characters';
COMMENT ON FUNCTION overlap_keys(integer[], double precision) IS 'index keys of a set: CREATE INDEX ON posts USING gin (overlap_keys(tokens, 0.8)) serves overlap_within(tokens, ..., 0.8)';
COMMENT ON FUNCTION overlap_probes(integer[], double precision) IS 'keys to look up: every set with at least that overlap has one of them among its overlap_keys';
COMMENT ON FUNCTION overlap_similarity(integer[], integer[]) IS 'overlap coefficient of two sets of integers, shared elements over those of the smaller set: 1 if one set contains the other, 0 if either is empty';
COMMENT ON FUNCTION overlap_reaches(integer[], integer[], double precision) IS 'whether overlap_similarity is at least similarity; uses no index';
COMMENT ON FUNCTION overlap_within(integer[], integer[], double precision) IS 'whether the overlap coefficient of two sets is at least the similarity; a GIN index on overlap_keys of the first argument, with the same similarity, serves it';
COMMENT ON FUNCTION overlap_within_support(internal) IS 'planner support: expands overlap_within into a condition on an index of overlap_keys';
