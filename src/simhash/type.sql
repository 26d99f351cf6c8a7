-- simhash type: stored and sent like a bigint, which the built-in functions already do.

CREATE FUNCTION simhash_recv(internal) RETURNS simhash LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int8recv';
CREATE FUNCTION simhash_send(simhash) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int8send';

CREATE TYPE simhash (
    INPUT = simhash_in,
    OUTPUT = simhash_out,
    RECEIVE = simhash_recv,
    SEND = simhash_send,
    LIKE = int8
);
