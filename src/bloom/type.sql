-- bloom_filter type: about half of its bits are set, so compression would only cost time

CREATE FUNCTION bloom_filter_send(bloom_filter) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteasend';

CREATE TYPE bloom_filter (
    INPUT = bloom_filter_in,
    OUTPUT = bloom_filter_out,
    RECEIVE = bloom_filter_recv,
    SEND = bloom_filter_send,
    INTERNALLENGTH = VARIABLE,
    STORAGE = external
);
