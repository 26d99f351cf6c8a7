-- verdicts: how many rows to expect, and comments

CREATE FUNCTION same_message(a text, b text, OUT verdict text, OUT score double precision, OUT reasons text[])
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'same_message_wrapper';
COMMENT ON FUNCTION same_message(text, text) IS 'the relation of two texts: verdict copy, excerpt, update (same form, other facts), rewrite or different; score, 0 to 1, the probability that keeping only one loses nothing (a copy or excerpt has at least 0.5); reasons: SELECT * FROM same_message(a, b)';

CREATE FUNCTION same_message(title_a text, a text, title_b text, b text, OUT verdict text, OUT score double precision, OUT reasons text[])
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'same_message_titled_wrapper';
COMMENT ON FUNCTION same_message(text, text, text, text) IS 'same_message for two texts with titles: title and text of the one, title and text of the other; a NULL title counts as none';

CREATE FUNCTION fact_conflicts(a text, b text) RETURNS TABLE (kind text, in_a text, in_b text)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'fact_conflicts_wrapper';
COMMENT ON FUNCTION fact_conflicts(text, text) IS 'facts that two texts state differently, as written in each: numbers by value, dates, quoted titles, names, places, status words';

CREATE FUNCTION neardup_internal.difference(a text, b text) RETURNS text[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'difference_wrapper';

CREATE FUNCTION neardup_internal.whole_difference(a text, b text) RETURNS TABLE (in_a text, in_b text)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 ROWS 5 AS 'MODULE_PATHNAME', 'whole_difference_wrapper';
COMMENT ON FUNCTION neardup_internal.whole_difference(text, text) IS 'all that differs between two texts, whole: what each has at a place where they differ';

CREATE FUNCTION explain_similarity(a text, b text, analyzer text DEFAULT 'chars:2') RETURNS TABLE (section text, item text, in_a text, in_b text, value double precision)
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50000 AS 'MODULE_PATHNAME', 'explain_similarity_wrapper';
COMMENT ON FUNCTION explain_similarity(text, text, text) IS 'how two texts compare, in rows: verdict, reasons, measures on the tokens of an analyzer, conflicting facts, sentences that only one text has, differences, shared passages, and what each feature adds to the log odds';

CREATE FUNCTION explain_similarity_text(a text, b text, analyzer text DEFAULT 'chars:2') RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50000 AS 'MODULE_PATHNAME', 'explain_similarity_text_wrapper';
COMMENT ON FUNCTION explain_similarity_text(text, text, text) IS 'the rows of explain_similarity as readable text';

ALTER FUNCTION fact_conflicts(text, text) ROWS 5;
ALTER FUNCTION explain_similarity(text, text, text) ROWS 50;

COMMENT ON FUNCTION neardup_internal.difference(text, text) IS 'what differs between two texts, quoted from each with the text around it; NULL if their letters and digits are the same';
