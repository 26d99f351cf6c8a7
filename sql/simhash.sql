-- simhash casts: all explicit, so that a signature never passes for a number by accident

CREATE CAST (simhash AS bigint) WITHOUT FUNCTION;
CREATE CAST (bigint AS simhash) WITHOUT FUNCTION;

CREATE FUNCTION simhash_to_bit(signature simhash) RETURNS bit(64)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CAST(CAST(signature AS bigint) AS bit(64));

CREATE CAST (simhash AS bit) WITH FUNCTION simhash_to_bit(simhash);
CREATE CAST (bit AS simhash) WITH FUNCTION simhash_from_bit(bit);

-- simhash comparison: the order of the bigint it casts to, for DISTINCT, GROUP BY, joins and indexes

CREATE FUNCTION simhash_eq(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8eq';
CREATE FUNCTION simhash_ne(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8ne';
CREATE FUNCTION simhash_lt(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8lt';
CREATE FUNCTION simhash_le(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8le';
CREATE FUNCTION simhash_gt(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8gt';
CREATE FUNCTION simhash_ge(simhash, simhash) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'int8ge';
CREATE FUNCTION simhash_cmp(simhash, simhash) RETURNS integer LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'btint8cmp';
CREATE FUNCTION simhash_hash(simhash) RETURNS integer LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashint8';
CREATE FUNCTION simhash_hash_extended(simhash, bigint) RETURNS bigint LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'hashint8extended';

CREATE OPERATOR = (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_eq, COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_ne, COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR < (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_lt, COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_le, COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR > (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_gt, COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR >= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_ge, COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);

CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 simhash_cmp(simhash, simhash),
    FUNCTION 2 pg_catalog.btint8sortsupport(internal),
    FUNCTION 4 pg_catalog.btequalimage(oid);

CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 simhash_hash(simhash),
    FUNCTION 2 simhash_hash_extended(simhash, bigint);

-- simhash of other text types: the type has the same name, so without a function of their own they would be cast to it

CREATE FUNCTION simhash(document character varying, analyzer text DEFAULT 'jieba') RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'simhash_document_wrapper';
CREATE FUNCTION simhash(document character, analyzer text DEFAULT 'jieba') RETURNS simhash
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'simhash_document_wrapper';

-- simhash distance

CREATE OPERATOR <~> (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = hamming_distance, COMMUTATOR = <~>
);
