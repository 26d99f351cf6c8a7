-- planning: how the planner reaches an index

COMMENT ON FUNCTION near_duplicate_support(internal) IS 'planner support: expands near_duplicate into a condition on an index of sketches and a comparison of the texts';
COMMENT ON FUNCTION simhash_within_support(internal) IS 'planner support: gives simhash_within its condition on an index of signatures';
COMMENT ON FUNCTION minhash_within_support(internal) IS 'planner support: gives minhash_within its condition on an index of signatures';
COMMENT ON FUNCTION overlap_within_support(internal) IS 'planner support: expands overlap_within into a condition on an index of overlap_keys';
