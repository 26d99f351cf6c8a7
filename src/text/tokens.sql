-- text analysis: how many rows to expect

ALTER FUNCTION keywords(text, integer, text, text) ROWS 10;
ALTER FUNCTION sentences(text) ROWS 20;
ALTER FUNCTION shared_sentences(text, text, double precision) ROWS 10;
ALTER FUNCTION analyzers() ROWS 11;
