-- index access method: CREATE INDEX ON articles USING neardup (sketch(body))

CREATE FUNCTION neardup.check_index(index regclass) RETURNS bigint
    LANGUAGE c STRICT COST 1000000 AS 'MODULE_PATHNAME', 'check_index_wrapper';
COMMENT ON FUNCTION neardup.check_index(regclass) IS 'checks an index of access method neardup: pages, links and order, that every row has its keys, and that every key has its row. Returns the number of entries, or raises an error; others may write meanwhile. Only for superusers and, if they grant EXECUTE, for the table''s owner';

CREATE FUNCTION neardup_internal.index_kind_of_sketches() RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'index_kind_of_sketches_wrapper';
COMMENT ON FUNCTION neardup_internal.index_kind_of_sketches() IS 'access method support: marks an operator class of sketches';

CREATE FUNCTION neardup_internal.index_kind_of_simhashes() RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'index_kind_of_simhashes_wrapper';
COMMENT ON FUNCTION neardup_internal.index_kind_of_simhashes() IS 'access method support: marks an operator class of simhash';

CREATE FUNCTION neardup_internal.index_handler(internal) RETURNS index_am_handler
    LANGUAGE c AS 'MODULE_PATHNAME', 'neardup_index_handler';

CREATE ACCESS METHOD neardup TYPE INDEX HANDLER neardup_internal.index_handler;

CREATE OPERATOR CLASS minhash_ops DEFAULT FOR TYPE minhash USING neardup AS
    OPERATOR 1 && (minhash, minhash),
    FUNCTION 1 (minhash, minhash) neardup_internal.index_kind_of_sketches();

CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING neardup AS
    OPERATOR 1 <@ (simhash, hamming_ball),
    OPERATOR 2 <~> (simhash, simhash) FOR ORDER BY pg_catalog.integer_ops,
    FUNCTION 1 (simhash, simhash) neardup_internal.index_kind_of_simhashes();

COMMENT ON ACCESS METHOD neardup IS 'index on sketches or signatures: serves all queries that GIN serves, builds faster, is smaller for sketches; for simhash it also serves any distance and ORDER BY distance';
COMMENT ON OPERATOR CLASS minhash_ops USING neardup IS 'the keys of a signature: serves &&, near_duplicate over sketches, and minhash_within';
COMMENT ON OPERATOR FAMILY minhash_ops USING neardup IS 'the keys of a signature: serves &&, near_duplicate over sketches, and minhash_within';
COMMENT ON OPERATOR CLASS simhash_ops USING neardup IS 'signatures in four orders of their bits: serves <@ and simhash_within at any distance, and ORDER BY <~>, exactly';
COMMENT ON OPERATOR FAMILY simhash_ops USING neardup IS 'signatures in four orders of their bits: serves <@ and simhash_within at any distance, and ORDER BY <~>, exactly';
COMMENT ON FUNCTION neardup_internal.index_handler(internal) IS 'handler of access method neardup';

REVOKE ALL ON FUNCTION neardup.check_index(regclass) FROM PUBLIC;
