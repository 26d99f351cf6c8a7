-- near_duplicate: the guard's rule as a query

ALTER FUNCTION near_duplicate(text, text) SUPPORT near_duplicate_support;

COMMENT ON FUNCTION near_duplicate(text, text) IS 'whether two texts are near-duplicates: their sketches share a key, and one text is a copy or an excerpt of the other. An index on sketch(column) serves it, USING neardup or gin: SELECT id FROM articles WHERE near_duplicate(body, $1)';
COMMENT ON FUNCTION neardup_internal.says_the_same(text, text) IS 'the part of near_duplicate that compares the texts';
COMMENT ON FUNCTION neardup.document(text[]) IS 'joins several columns into one document, one part per line, without NULL parts; NULL if the first part is NULL: neardup.document(title, body)';
COMMENT ON FUNCTION near_duplicate_support(internal) IS 'planner support: expands near_duplicate into a condition on an index of sketches and a comparison of the texts';
