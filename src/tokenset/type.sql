-- tokenset type: its values are hashes, so compression would only cost time

CREATE FUNCTION tokenset_send(tokenset) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';

CREATE TYPE tokenset (
    INPUT = tokenset_in,
    OUTPUT = tokenset_out,
    RECEIVE = tokenset_recv,
    SEND = tokenset_send,
    INTERNALLENGTH = VARIABLE,
    STORAGE = external
);
