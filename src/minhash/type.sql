-- minhash type: its values are random bits, so compression would only cost time

CREATE FUNCTION minhash_send(minhash) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';

CREATE TYPE minhash (
    INPUT = minhash_in,
    OUTPUT = minhash_out,
    RECEIVE = minhash_recv,
    SEND = minhash_send,
    INTERNALLENGTH = VARIABLE,
    STORAGE = external
);
