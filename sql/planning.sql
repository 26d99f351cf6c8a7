-- planning: how the planner estimates and serves searches by keys

ALTER FUNCTION hamming_within(simhash, simhash, integer) SUPPORT filter_support;
ALTER FUNCTION jaccard_within(minhash, minhash, double precision) SUPPORT filter_support;
ALTER FUNCTION overlap_reaches(integer[], integer[], double precision) SUPPORT filter_support;

CREATE FUNCTION neardup_internal.keys_overlap(integer[], integer[]) RETURNS boolean
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'arrayoverlap';

CREATE OPERATOR neardup.&& (
    LEFTARG = integer[], RIGHTARG = integer[], FUNCTION = neardup_internal.keys_overlap, COMMUTATOR = OPERATOR(neardup.&&),
    RESTRICT = keys_overlap_share, JOIN = keys_overlap_join_share
);

-- A loose member: any GIN index on an integer array serves it, as it serves &&.
ALTER OPERATOR FAMILY pg_catalog.array_ops USING gin ADD OPERATOR 1 neardup.&& (integer[], integer[]);

COMMENT ON FUNCTION filter_support(internal) IS 'planner support: the share of candidates that hamming_within, jaccard_within and overlap_reaches let through';
COMMENT ON FUNCTION minhash_within_support(internal) IS 'planner support: writes minhash_within out as conditions an index can serve';
COMMENT ON FUNCTION overlap_within_support(internal) IS 'planner support: writes overlap_within out as conditions an index can serve';
COMMENT ON FUNCTION simhash_within_support(internal) IS 'planner support: writes simhash_within out as conditions an index can serve';
COMMENT ON FUNCTION keys_overlap_share(internal, oid, internal, integer) IS 'planner support: the share of rows that have one of the keys sought';
COMMENT ON FUNCTION keys_overlap_join_share(internal, oid, internal, smallint, internal) IS 'planner support: the same between two tables';
COMMENT ON FUNCTION neardup_internal.keys_overlap(integer[], integer[]) IS 'behind the operator neardup.&&';
COMMENT ON OPERATOR neardup.&& (integer[], integer[]) IS 'whether two arrays of index keys share one: && with estimates for keys of signatures; a GIN index serves it';
