-- text analysis: how many rows to expect

ALTER FUNCTION keywords(text, integer, text, text) ROWS 10;
ALTER FUNCTION sentences(text) ROWS 20;
ALTER FUNCTION shared_sentences(text, text, double precision) ROWS 10;
ALTER FUNCTION analyzers() ROWS 11;
COMMENT ON FUNCTION tokens(text, text) IS 'the tokens of a document under an analyzer, in text order';
COMMENT ON FUNCTION normalize_text(text, text[]) IS 'a document after these normalisation steps: html, links, reposts, handles, emoji, control, nfkc, width, casefold, simplified, punctuation, space, nospace, spelling; they run in this order, whatever order the list has';
COMMENT ON FUNCTION keywords(text, integer, text, text) IS 'the n (0 to 10000) heaviest words of a document with their weights; method none, count, log_count, tf, tfidf (jieba''s own table) or textrank';
COMMENT ON FUNCTION sentences(text) IS 'the sentences of a document, quotations kept whole; place numbers them, start is the position of the first character, from 1';
COMMENT ON FUNCTION shared_sentences(text, text, double precision) IS 'for each sentence of a, the most similar sentence of b, if the Jaccard similarity of their character pairs is at least similarity, 0 to 1';
COMMENT ON FUNCTION analyzer_info(text) IS 'the JSON object that an analyzer''s name or an incomplete object stands for, with every key of its tokenizer';
COMMENT ON FUNCTION analyzers() IS 'the named analyzers, with the JSON object each stands for';
