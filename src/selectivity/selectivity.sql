-- selectivity of && and <@

CREATE FUNCTION neardup_internal.share_key_selectivity(internal, oid, internal, integer) RETURNS double precision
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'share_key_selectivity_wrapper';
COMMENT ON FUNCTION neardup_internal.share_key_selectivity(internal, oid, internal, integer) IS 'planner support: estimates the share of rows that share a key with a query';

CREATE FUNCTION neardup_internal.share_key_join_selectivity(internal, oid, internal, smallint, internal) RETURNS double precision
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'share_key_join_selectivity_wrapper';
COMMENT ON FUNCTION neardup_internal.share_key_join_selectivity(internal, oid, internal, smallint, internal) IS 'planner support: estimates the share of pairs of rows that share a key';
