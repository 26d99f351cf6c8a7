-- verdicts: how many rows to expect, and comments

ALTER FUNCTION fact_conflicts(text, text) ROWS 5;
ALTER FUNCTION explain_similarity(text, text, text) ROWS 50;

COMMENT ON FUNCTION same_message(text, text) IS 'what two texts are to each other: copy, excerpt, update (same form, other facts), rewrite or different; the score, 0 to 1, that keeping one loses nothing; the reasons';
COMMENT ON FUNCTION same_message(text, text, text, text) IS 'the same for two texts with titles: title and text of the one, title and text of the other; a NULL title counts as none';
COMMENT ON FUNCTION fact_conflicts(text, text) IS 'facts that two texts state differently, as written in each: numbers by value, dates, quoted titles, names, places, status words';
COMMENT ON FUNCTION explain_similarity(text, text, text) IS 'all about the likeness of two texts, in rows: verdict, reasons, measures on the tokens of an analyzer, conflicts, sentences of one side, differences, shared passages, and what each feature adds to the log odds';
COMMENT ON FUNCTION explain_similarity_text(text, text, text) IS 'the same as readable text';
