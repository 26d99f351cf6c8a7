-- verdicts: how many rows to expect, and comments

ALTER FUNCTION fact_conflicts(text, text) ROWS 5;
ALTER FUNCTION explain_similarity(text, text, text) ROWS 50;

COMMENT ON FUNCTION same_message(text, text) IS 'the relation of two texts: verdict copy, excerpt, update (same form, other facts), rewrite or different; score, 0 to 1, the probability that keeping only one loses nothing (a copy or excerpt has at least 0.75); reasons: SELECT * FROM same_message(a, b)';
COMMENT ON FUNCTION same_message(text, text, text, text) IS 'same_message for two texts with titles: title and text of the one, title and text of the other; a NULL title counts as none';
COMMENT ON FUNCTION fact_conflicts(text, text) IS 'facts that two texts state differently, as written in each: numbers by value, dates, quoted titles, names, places, status words';
COMMENT ON FUNCTION explain_similarity(text, text, text) IS 'how two texts compare, in rows: verdict, reasons, measures on the tokens of an analyzer, conflicting facts, sentences that only one text has, differences, shared passages, and what each feature adds to the log odds';
COMMENT ON FUNCTION explain_similarity_text(text, text, text) IS 'the rows of explain_similarity as readable text';
