-- selectivity of && and <@

COMMENT ON FUNCTION neardup_internal.share_key_selectivity(internal, oid, internal, integer) IS 'planner support: estimates the share of rows that share a key with a query';
COMMENT ON FUNCTION neardup_internal.share_key_join_selectivity(internal, oid, internal, smallint, internal) IS 'planner support: estimates the share of pairs of rows that share a key';
