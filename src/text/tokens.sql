-- text analysis: how many rows to expect

CREATE FUNCTION tokens(document text, analyzer text DEFAULT 'jieba') RETURNS text[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'tokens_wrapper';
COMMENT ON FUNCTION tokens(text, text) IS 'the tokens of a document under an analyzer, in text order';

CREATE FUNCTION normalize_text(document text, steps text[] DEFAULT '{control,nfkc,casefold,punctuation,space}') RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'normalize_text_wrapper';
COMMENT ON FUNCTION normalize_text(text, text[]) IS 'a document after these normalisation steps: html, links, reposts, handles, emoji, control, nfkc, width, casefold, simplified, joined, skeleton, punctuation, space, nospace, spelling; they run in this order, whatever order the list has';

CREATE FUNCTION keywords(document text, n integer DEFAULT 10, method text DEFAULT 'tfidf', analyzer text DEFAULT '{"tokenizer": "jieba", "stop_words": "chinese", "min_length": 2}') RETURNS TABLE (token text, weight double precision)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'keywords_of_wrapper';
COMMENT ON FUNCTION keywords(text, integer, text, text) IS 'the n (0 to 10000) heaviest words of a document with their weights; method none, count, log_count, tf, tfidf (jieba''s own table) or textrank';

CREATE FUNCTION sentences(document text) RETURNS TABLE (place integer, sentence text, start integer)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'sentences_of_wrapper';
COMMENT ON FUNCTION sentences(text) IS 'the sentences of a document, quotations kept whole; place numbers them, start is the position of the first character, from 1';

CREATE FUNCTION shared_sentences(a text, b text, similarity double precision DEFAULT 0.8) RETURNS TABLE (place_a integer, place_b integer, similarity double precision, sentence_a text, sentence_b text)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'shared_sentences_wrapper';
COMMENT ON FUNCTION shared_sentences(text, text, double precision) IS 'for each sentence of a, the most similar sentence of b, if the Jaccard similarity of their character pairs is at least similarity, 0 to 1';

CREATE FUNCTION analyzer_info(analyzer text) RETURNS json
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'analyzer_info_wrapper';
COMMENT ON FUNCTION analyzer_info(text) IS 'the JSON object that an analyzer''s name or an incomplete object stands for, with every key of its tokenizer';

CREATE FUNCTION analyzers() RETURNS TABLE (name text, definition json, purpose text)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'analyzers_wrapper';
COMMENT ON FUNCTION analyzers() IS 'the named analyzers, with the JSON object each stands for';

ALTER FUNCTION keywords(text, integer, text, text) ROWS 10;
ALTER FUNCTION sentences(text) ROWS 20;
ALTER FUNCTION shared_sentences(text, text, double precision) ROWS 10;
ALTER FUNCTION analyzers() ROWS 11;
