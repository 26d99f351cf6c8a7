-- comments for \df+, \dT+, \do+ and \dn+

COMMENT ON TYPE simhash IS '64-bit SimHash signature of a text, written as 16 hexadecimal digits; similar texts have a small Hamming distance';
COMMENT ON FUNCTION simhash_in(cstring) IS 'reads 16 hexadecimal digits';
COMMENT ON FUNCTION simhash_out(simhash) IS 'writes 16 hexadecimal digits';
COMMENT ON FUNCTION simhash_recv(internal) IS 'reads 8 bytes, most significant first';
COMMENT ON FUNCTION simhash_send(simhash) IS 'writes 8 bytes, most significant first';
COMMENT ON FUNCTION simhash_to_bit(simhash) IS 'the signature as 64 bits, most significant first; implements the cast to bit';
COMMENT ON FUNCTION simhash_from_bit(bit) IS 'the signature of exactly 64 bits, most significant first; implements the cast from bit';
COMMENT ON FUNCTION simhash_eq(simhash, simhash) IS 'equal';
COMMENT ON FUNCTION simhash_ne(simhash, simhash) IS 'not equal';
COMMENT ON FUNCTION simhash_lt(simhash, simhash) IS 'less, in the order of the bigint it casts to';
COMMENT ON FUNCTION simhash_le(simhash, simhash) IS 'less or equal, in the order of the bigint it casts to';
COMMENT ON FUNCTION simhash_gt(simhash, simhash) IS 'greater, in the order of the bigint it casts to';
COMMENT ON FUNCTION simhash_ge(simhash, simhash) IS 'greater or equal, in the order of the bigint it casts to';
COMMENT ON FUNCTION simhash_cmp(simhash, simhash) IS 'B-tree comparison, in the order of the bigint it casts to';
COMMENT ON FUNCTION simhash_hash(simhash) IS 'hash for hash joins, grouping and hash indexes';
COMMENT ON FUNCTION simhash_hash_extended(simhash, bigint) IS '64-bit hash with a seed, for hash partitioning';
COMMENT ON OPERATOR = (simhash, simhash) IS 'equal';
COMMENT ON OPERATOR <> (simhash, simhash) IS 'not equal';
COMMENT ON OPERATOR < (simhash, simhash) IS 'less';
COMMENT ON OPERATOR <= (simhash, simhash) IS 'less or equal';
COMMENT ON OPERATOR > (simhash, simhash) IS 'greater';
COMMENT ON OPERATOR >= (simhash, simhash) IS 'greater or equal';
COMMENT ON OPERATOR <~> (simhash, simhash) IS 'Hamming distance, 0 to 64';

COMMENT ON FUNCTION hamming_distance(simhash, simhash) IS 'number of bits in which two signatures differ, 0 to 64';
COMMENT ON FUNCTION simhash_bands(simhash, integer) IS 'index keys of a signature, one for each of 3 to 64 interleaved bands (default 4): CREATE INDEX ON articles USING gin (simhash_bands(sig))';
COMMENT ON FUNCTION simhash_band(simhash, integer, integer) IS 'index key of one band, numbered from 0';
COMMENT ON FUNCTION simhash_probes(simhash, integer, integer) IS 'keys to look up: every signature within the distance (0 to 11) has at least one of them among its simhash_bands';

COMMENT ON FUNCTION tokens(text, text) IS 'the tokens of a document under an analyzer, in text order';
COMMENT ON FUNCTION normalize_text(text, text[]) IS 'a document after these normalisation steps: html, links, reposts, handles, emoji, control, nfkc, width, casefold, simplified, punctuation, space, nospace; they run in this order, whatever order the list has';
COMMENT ON FUNCTION keywords(text, integer, text, text) IS 'the n (0 to 10000) heaviest words of a document with their weights; method none, count, log_count, tf, tfidf (jieba''s own table) or textrank';
COMMENT ON FUNCTION sentences(text) IS 'the sentences of a document, quotations kept whole; place numbers them, start is the position of the first character, from 1';
COMMENT ON FUNCTION shared_sentences(text, text, double precision) IS 'for each sentence of a, the most similar sentence of b, if the Jaccard similarity of their character pairs is at least similarity, 0 to 1';
COMMENT ON FUNCTION analyzer_info(text) IS 'the JSON object that an analyzer''s name or an incomplete object stands for, with every key of its tokenizer';
COMMENT ON FUNCTION analyzers() IS 'the named analyzers, with the JSON object each stands for';

COMMENT ON VIEW neardup.protected IS 'tables under guard, with their settings';
COMMENT ON FUNCTION neardup.guard() IS 'the trigger behind neardup.protect: judges a new document and acts on a near-duplicate';
COMMENT ON FUNCTION neardup.release_locks() IS 'the trigger that releases the locks of neardup.guard for a row, when the row is stored or its statement ends';
COMMENT ON FUNCTION neardup_internal.row_stored() IS 'the WHEN condition of neardup.release_locks, evaluated just after a row is stored: releases the row''s locks, and is false';
COMMENT ON FUNCTION neardup_internal.key_columns(regclass) IS 'columns of the primary key, in its order';
