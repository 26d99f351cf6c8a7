-- why: what the guard finds for a text or a stored row, and why

CREATE FUNCTION neardup.why(target regclass, text text DEFAULT NULL, key text DEFAULT NULL, document name DEFAULT NULL)
    RETURNS TABLE (key text, shared_keys integer, keys integer, outcome text, verdict text, score double precision, overlap double precision, reasons text[])
    LANGUAGE c VOLATILE COST 10000 AS 'MODULE_PATHNAME', 'why_wrapper';
COMMENT ON FUNCTION neardup.why(regclass, text, text, name) IS 'why a text, or the stored row with a key, is or is not a copy for the guard: the rows that share a key with it, in the order of the search, each with the verdict and what left it out: SELECT * FROM neardup.why(''articles'', ''a text''), or neardup.why(''articles'', key => ''5''). outcome: original, uncommitted, verdict, contains, threshold, overlap, excerpt, distance, scope, time, differ, answered, marked, unique key, bound, hot key, itself, deleted or not reached';
