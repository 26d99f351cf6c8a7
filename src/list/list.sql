-- lists: which rows copy which, and which of them stay (src/list/)

-- The arguments of a list are one JSON object, which the SQL functions build from theirs (Arguments in src/list/arguments.rs). They are checked
-- before neardup_internal.copies begins, under the settings of the caller, so that messages show names and values as the caller knows them.
CREATE FUNCTION neardup_internal.checked_list(arguments jsonb) RETURNS jsonb
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'checked_list_wrapper';
COMMENT ON FUNCTION neardup_internal.checked_list(jsonb) IS 'the arguments of a list, times as ISO 8601 in UTC; raises an error if they do not fit the table, the guard or each other';

CREATE FUNCTION neardup_internal.list_settings(arguments jsonb) RETURNS jsonb
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'list_settings_wrapper';
COMMENT ON FUNCTION neardup_internal.list_settings(jsonb) IS 'what a list with these arguments goes by: document, method, analyzer, verify, distance';

-- The settings make the text of a key the same for every session.
CREATE FUNCTION neardup_internal.copies(arguments jsonb)
    RETURNS TABLE (key text[], stays text[], stays_is_new boolean, verdict text, measure text, value double precision,
        group_size bigint, document_hash bigint, stays_hash bigint)
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 1000000 ROWS 1000
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'neardup_copies';

CREATE FUNCTION neardup_internal.reasons(arguments jsonb, key text[], stays text[], stays_is_new boolean)
    RETURNS TABLE (verdict text, score double precision, reasons text[])
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 1
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'reasons_wrapper';
COMMENT ON FUNCTION neardup_internal.reasons(jsonb, text[], text[], boolean) IS 'the verdict on a row of a list and the row that stays, which is new or not, with its reasons; a key is an array of its columns, or of their text as lists show it';

CREATE FUNCTION neardup_internal.measured(arguments jsonb, key text[], other text[]) RETURNS double precision[]
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'measured_wrapper';
COMMENT ON FUNCTION neardup_internal.measured(jsonb, text[], text[]) IS 'what is learned of two rows from an answer: the log odds of the general model, and the numbers that a correction weighs';

-- The reason why a row is a copy, in words.
CREATE FUNCTION neardup_internal.reason(verdict text, measure text, value double precision) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE measure
        WHEN 'identical' THEN 'identical'
        WHEN 'simhash' THEN pg_catalog.format('%s bits apart', value)
        ELSE pg_catalog.format('%s, %s %s', verdict, measure, pg_catalog.round(value::numeric, 2))
    END;

CREATE FUNCTION neardup.duplicates(
    target regclass,
    keep text DEFAULT 'oldest',
    time_column name DEFAULT NULL,
    document name DEFAULT NULL,
    max_distance integer DEFAULT NULL,
    rank text[] DEFAULT NULL,
    scope name[] DEFAULT NULL,
    since text DEFAULT NULL,
    until text DEFAULT NULL,
    verify text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    within interval DEFAULT NULL,
    against regclass DEFAULT NULL,
    excerpts text DEFAULT NULL,
    settled boolean DEFAULT false
) RETURNS TABLE (key text, duplicate_of text, verdict text, measure text, value double precision, group_size bigint)
    LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT neardup_internal.key_text(c.key), neardup_internal.key_text(c.stays), c.verdict, c.measure, c.value, c.group_size
    FROM neardup_internal.copies(neardup_internal.checked_list(pg_catalog.jsonb_build_object(
        'target', target::oid::bigint, 'document', document, 'keep', keep, 'time_column', time_column, 'rank', rank, 'scope', scope,
        'since', since, 'until', until, 'verify', verify, 'threshold', threshold, 'within', within, 'max_distance', max_distance,
        'against', against::oid::bigint, 'excerpts', excerpts, 'settled', settled))) c;
END;

CREATE FUNCTION neardup.copies_of(
    target regclass,
    source regclass,
    document name DEFAULT NULL,
    verify text DEFAULT NULL,
    threshold double precision DEFAULT NULL,
    excerpts text DEFAULT NULL
) RETURNS TABLE (key text, duplicate_of text, is_new boolean, verdict text, measure text, value double precision)
    LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT neardup_internal.key_text(c.key), neardup_internal.key_text(c.stays), c.stays_is_new, c.verdict, c.measure, c.value
    FROM neardup_internal.copies(neardup_internal.checked_list(pg_catalog.jsonb_build_object(
        'target', target::oid::bigint, 'document', document, 'verify', verify, 'threshold', threshold,
        'source', source::oid::bigint, 'excerpts', excerpts))) c;
END;

CREATE FUNCTION neardup.reasons(
    target regclass,
    key text,
    duplicate_of text,
    source regclass DEFAULT NULL,
    is_new boolean DEFAULT false,
    document name DEFAULT NULL,
    verify text DEFAULT NULL,
    against regclass DEFAULT NULL
) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL RESTRICTED COST 100000
BEGIN ATOMIC
    SELECT r.reasons
    FROM neardup_internal.reasons(neardup_internal.checked_list(pg_catalog.jsonb_build_object(
        'target', target::oid::bigint, 'document', document, 'verify', verify, 'against', against::oid::bigint,
        'source', source::oid::bigint)),
        ARRAY[key], ARRAY[duplicate_of], coalesce(is_new, false)) r;
END;

COMMENT ON FUNCTION neardup.reasons(regclass, text, text, regclass, boolean, name, text, regclass) IS 'why a row of a list is a copy of the row that stays, or is not, by the two keys: SELECT *, neardup.reasons(''articles'', key, duplicate_of) FROM neardup.duplicates(''articles''), or neardup.reasons(''articles'', key, duplicate_of, ''crawl'', is_new) for neardup.copies_of(''articles'', ''crawl''). NULL if texts are not compared';
COMMENT ON FUNCTION neardup.duplicates(regclass, text, name, name, integer, text[], name[], text, text, text, double precision, interval, regclass, text, boolean) IS 'copies in a guarded table, or with against copies of rows of that other table: key, key of the row that would stay, verdict on the two texts, measure and value that decided, number of rows in the group: SELECT * FROM neardup.duplicates(''articles''). Arguments as those of neardup.cleanup; threshold: the least score (verify facts or a profile, 0.05 to 1) or the least overlap or cosine (0 to 1); default: that of the guard; settled: list again without the copies that were found, until there are none, as clean-ups do';
COMMENT ON FUNCTION neardup_internal.copies(jsonb) IS 'the copies that a list with these arguments finds: primary key, key of the row that stays, whether that one is new, verdict, measure and value that decided, number of rows in the group, hashes of both texts';
COMMENT ON FUNCTION neardup_internal.reason(text, text, double precision) IS 'why a row is a copy, in words';
COMMENT ON FUNCTION neardup.copies_of(regclass, regclass, name, text, double precision, text) IS 'rows of another table that copy a row of the guarded one, or an earlier one of their own table (is_new): SELECT * FROM neardup.copies_of(''articles'', ''crawl''). Columns are matched by name';
