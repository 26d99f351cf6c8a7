-- 0.1.0 to 0.2.0
--
-- No signature, band or lock key changes: tables, indexes and guards stay as they are.

-- pg_upgrade failed on a body that was parsed at once and used a cast of ours.
CREATE OR REPLACE FUNCTION @extschema@.simhash_to_bit(signature @extschema@.simhash) RETURNS bit(64)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT CAST(CAST(signature AS bigint) AS bit(64))';
