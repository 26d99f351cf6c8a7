-- near_duplicate: the guard's rule as a query

CREATE FUNCTION near_duplicate(a text, b text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'near_duplicate_wrapper';
COMMENT ON FUNCTION near_duplicate(text, text) IS 'whether two texts are near-duplicates: their sketches share a key, and one text is a copy or an excerpt of the other. An index on sketch(column) serves it, USING neardup or gin: SELECT id FROM articles WHERE near_duplicate(body, $1)';

CREATE FUNCTION neardup_internal.is_near_duplicate(a text, b text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20000 AS 'MODULE_PATHNAME', 'is_near_duplicate_wrapper';
COMMENT ON FUNCTION neardup_internal.is_near_duplicate(text, text) IS 'the part of near_duplicate that compares the texts';

CREATE FUNCTION neardup.document(VARIADIC parts text[]) RETURNS text
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 2 AS 'MODULE_PATHNAME', 'document_of_parts_wrapper';
COMMENT ON FUNCTION neardup.document(text[]) IS 'joins several columns into one document, one part per line, without NULL parts; NULL if the first part is NULL: neardup.document(title, body)';

CREATE FUNCTION near_duplicate_support(request internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'near_duplicate_support_wrapper';
COMMENT ON FUNCTION near_duplicate_support(internal) IS 'planner support: expands near_duplicate into a condition on an index of sketches and a comparison of the texts';

ALTER FUNCTION near_duplicate(text, text) SUPPORT near_duplicate_support;
