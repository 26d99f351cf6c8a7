-- near_duplicate_of over texts: the row of the window that a row repeats, or its own position

CREATE FUNCTION near_duplicate_of(document text, threshold double precision DEFAULT 0.5) RETURNS bigint
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE COST 20000
    AS 'MODULE_PATHNAME', 'near_duplicate_of_text';

COMMENT ON FUNCTION near_duplicate_of(text, double precision) IS 'window function: position of the earlier row, counted from 1 in the window''s order, of which this row is a copy or an excerpt with a score of at least threshold (0.05 to 1), or its own position if it repeats none; to hide repeats: near_duplicate_of(body) OVER w = row_number() OVER w';
