-- hamming_ball type: the query of a search by Hamming distance

CREATE TYPE hamming_ball (
    INPUT = hamming_ball_in,
    OUTPUT = hamming_ball_out,
    RECEIVE = hamming_ball_recv,
    SEND = hamming_ball_send,
    INTERNALLENGTH = 16,
    ALIGNMENT = double
);

COMMENT ON TYPE hamming_ball IS 'all signatures within a Hamming distance of a centre, the query of an index on simhash; written 0123456789abcdef/7';
COMMENT ON FUNCTION hamming_ball_in(cstring) IS 'reads 16 hexadecimal digits, a slash and a distance';
COMMENT ON FUNCTION hamming_ball_out(hamming_ball) IS 'writes 16 hexadecimal digits, a slash and a distance';
COMMENT ON FUNCTION hamming_ball_recv(internal) IS 'reads the signature in 8 bytes and the distance in 4';
COMMENT ON FUNCTION hamming_ball_send(hamming_ball) IS 'writes the signature in 8 bytes and the distance in 4';
