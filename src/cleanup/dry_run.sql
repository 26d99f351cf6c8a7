-- clean-up: the dry run, which shows what a clean-up would do. The statements that name the table are made and run in Rust (src/cleanup/dry_run.rs,
-- differing.rs).

CREATE FUNCTION neardup_internal.beginning(document text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN pg_catalog.length(l.line) > 40 THEN pg_catalog.left(l.line, 40) || '...' ELSE l.line END
    FROM (SELECT pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.left(document, 400), '\s+', ' ', 'g')) AS line) l;
END;
COMMENT ON FUNCTION neardup_internal.beginning(text) IS 'the first 40 characters of a text, on one line';

CREATE FUNCTION neardup_internal.shown_pairs(arguments jsonb)
    RETURNS TABLE (key text, kept text, why text, key_text text, kept_text text, reasons text[], columns text, has_same_words boolean)
    LANGUAGE c VOLATILE STRICT
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'shown_pairs_wrapper';
COMMENT ON FUNCTION neardup_internal.shown_pairs(jsonb) IS 'the least certain pairs of the list of a clean-up, and three with the same words that differ most in other columns, with what differs, the reasons and the columns in which they differ';

CREATE FUNCTION neardup_internal.longer_copies(arguments jsonb) RETURNS TABLE (rows bigint, looked_at bigint)
    LANGUAGE c VOLATILE STRICT
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'longer_copies_wrapper';
COMMENT ON FUNCTION neardup_internal.longer_copies(jsonb) IS 'how many rows of the list of a clean-up have longer texts than the rows that are kept, by a tenth or more, of as many as were looked at';

CREATE FUNCTION neardup_internal.repeated_texts(arguments jsonb) RETURNS TABLE (text text, rows bigint)
    LANGUAGE c VOLATILE STRICT
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'repeated_texts_wrapper';
COMMENT ON FUNCTION neardup_internal.repeated_texts(jsonb) IS 'short texts that many rows of the list of a clean-up have in the very words of the row that is kept, and how many';

CREATE FUNCTION neardup_internal.referenced_copies(arguments jsonb) RETURNS TABLE (name text, source text, rows bigint)
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'referenced_copies_wrapper';
COMMENT ON FUNCTION neardup_internal.referenced_copies(jsonb) IS 'how many rows of the list of a clean-up each foreign key refers to; NULL where the table that refers cannot be read';

CREATE FUNCTION neardup_internal.differing_columns(arguments jsonb) RETURNS TABLE (name text, rows bigint, lacking bigint, looked_at bigint, is_time boolean, is_telling boolean, is_title boolean, hardly_repeats boolean)
    LANGUAGE c VOLATILE STRICT
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC' SET extra_float_digits = 1
    SET bytea_output = 'hex' SET lc_monetary = 'C'
    AS 'MODULE_PATHNAME', 'differing_columns_wrapper';
COMMENT ON FUNCTION neardup_internal.differing_columns(jsonb) IS 'the columns that the guard does not read, or as a title, in which rows of the list of a clean-up differ from those that are kept, or have a value that those lack, with the numbers of such rows among those that were looked at; of columns whose values hardly repeat, texts alone';

-- Shows what a clean-up would do, and how to run it.
CREATE FUNCTION neardup_internal.try_out(
    target regclass, against regclass, arguments jsonb, action text, merge regproc, max_rows bigint, on_more text, confirmed regclass
) RETURNS void
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    found bigint := neardup_internal.list_copies(arguments, action);
    -- Copies that are left in place whatever happens, and those of them that were restored.
    held bigint;
    restored bigint;
    verb pg_catalog.text := CASE action WHEN 'mark' THEN 'be marked' WHEN 'merge' THEN 'be merged' ELSE 'be removed' END;
    merging pg_catalog.regproc := neardup_internal.merging_function(arguments, action, merge);
    sample pg_catalog.record;
    -- How many of the pairs that are shown have the same words and other values in columns.
    same_words bigint := 0;
    -- Whether other columns may tell copies apart, those whose values hardly repeat, and whether titles differ in most pairs.
    differs boolean;
    numbers pg_catalog.text;
    titles_differ boolean;
    -- The arguments that are not the default.
    whole pg_catalog.text := (
        SELECT pg_catalog.concat_ws(', ', pg_catalog.quote_literal(target),
            pg_catalog.string_agg(pg_catalog.format('%s => %L', a.key, CASE
                WHEN a.key = 'against'::pg_catalog.text THEN against::pg_catalog.text
                WHEN pg_catalog.jsonb_typeof(a.value) = 'array'::pg_catalog.text THEN ARRAY(SELECT pg_catalog.jsonb_array_elements_text(a.value))::pg_catalog.text
                ELSE a.value #>> '{}'::pg_catalog.text[] END), ', '),
            'threshold => ' || neardup_internal.cleanup_threshold(arguments)::pg_catalog.text)
        FROM pg_catalog.jsonb_each(arguments) a
        WHERE a.key <> ALL (ARRAY['target', 'threshold', 'settled']) AND a.value <> 'null'::pg_catalog.jsonb
              AND (a.key <> 'keep'::pg_catalog.text OR a.value <> '"oldest"'::pg_catalog.jsonb));
BEGIN
    IF confirmed IS NOT NULL THEN
        found := neardup_internal.keep_named(target, confirmed);
    END IF;
    SELECT pg_catalog.count(*) FILTER (WHERE c.reason IS NOT NULL), pg_catalog.count(*) FILTER (WHERE c.reason = 'it was restored') INTO held, restored
    FROM pg_temp.neardup_chosen c;
    found := found - held;
    FOR sample IN SELECT p.* FROM neardup_internal.shown_pairs(arguments) p LOOP
        same_words := same_words + sample.has_same_words::pg_catalog.int4::bigint;
        RAISE NOTICE '(%) would %(%)%: %', sample.key, verb || CASE action WHEN 'merge' THEN ' into ' ELSE ', ' END, sample.kept,
            coalesce(' of ' || against::pg_catalog.text, '') || CASE action WHEN 'merge' THEN '' ELSE ' is kept' END, sample.why
            USING DETAIL = pg_catalog.concat_ws(E'\n',
                pg_catalog.format(CASE WHEN sample.key_text = sample.kept_text THEN '(%1$s) and (%3$s): %2$s' ELSE E'(%1$s) %2$s\n(%3$s) %4$s' END,
                    sample.key, sample.key_text, sample.kept, sample.kept_text),
                'Reasons: ' || nullif(pg_catalog.array_to_string(sample.reasons, '; '), '') || '.', 'Other columns: ' || sample.columns || '.');
    END LOOP;
    FOR sample IN SELECT r.* FROM neardup_internal.referenced_copies(arguments) r WHERE (r.rows > 0 OR r.rows IS NULL) AND action <> 'mark' LOOP
        IF sample.rows IS NULL THEN
            RAISE NOTICE 'copies that foreign key "%" of table % refers to cannot be counted', sample.name, sample.source
                USING DETAIL = 'Row security hides rows of that table, or code of another role might run: its owner''s, or a cast. Copies that are referenced would be left in place.';
            CONTINUE;
        END IF;
        RAISE NOTICE '%', pg_catalog.format(CASE sample.rows WHEN 1 THEN '%s copy is referenced by foreign key "%s" of table %s and would be left in place'
            ELSE '%s copies are referenced by foreign key "%s" of table %s and would be left in place' END, sample.rows, sample.name, sample.source);
    END LOOP;
    IF restored > 0 THEN
        RAISE NOTICE '%', pg_catalog.format(CASE restored WHEN 1 THEN '%s copy was restored and would be left in place'
            ELSE '%s copies were restored and would be left in place' END, restored);
    END IF;
    SELECT pg_catalog.string_agg(pg_catalog.format(CASE WHEN d.is_time THEN '%I by more than a day, %s' ELSE '%I, %s' END, d.name, d.rows), '; ' ORDER BY d.nth)
               FILTER (WHERE d.rows > 0 AND NOT d.hardly_repeats AND d.differs <= 8) AS columns,
           pg_catalog.string_agg(pg_catalog.format('%I, %s', d.name, d.lacking), '; ' ORDER BY d.nth) FILTER (WHERE d.lacking > 0 AND d.lacks <= 8) AS lacking,
           pg_catalog.max(d.looked_at) AS looked_at,
           -- Of the columns in which copies agree more often than chance, the one that keeps most of them; otherwise any, but a column with another value
           -- in most of them may tell where they come from, and no more.
           (pg_catalog.array_agg(d.name ORDER BY d.is_telling DESC, CASE WHEN d.is_telling THEN -d.rows END, d.rows * 2 > d.looked_at, d.nth)
               FILTER (WHERE d.rows > 0 AND NOT d.is_time AND NOT d.is_title AND NOT d.hardly_repeats))[1]::pg_catalog.name AS first,
           (pg_catalog.array_agg(d.name ORDER BY d.nth) FILTER (WHERE d.rows > 0 AND d.is_title))[1]::pg_catalog.name AS title,
           pg_catalog.max(d.rows) FILTER (WHERE d.is_title) AS titles,
           (pg_catalog.array_agg(d.name ORDER BY d.nth) FILTER (WHERE d.rows > 0 AND d.is_time))[1]::pg_catalog.name AS "time",
           pg_catalog.string_agg(pg_catalog.format('%I', d.name), ', ' ORDER BY d.nth) FILTER (WHERE d.rows > 0 AND d.is_telling) AS telling,
           pg_catalog.string_agg(pg_catalog.format('%I', d.name), ', ' ORDER BY d.nth) FILTER (WHERE d.rows > 0 AND d.hardly_repeats) AS numbers
    INTO sample
    FROM (SELECT c.*, pg_catalog.count(*) FILTER (WHERE c.rows > 0 AND NOT c.hardly_repeats) OVER w AS differs, pg_catalog.count(*) FILTER (WHERE c.lacking > 0) OVER w AS lacks
          FROM (SELECT c.*, pg_catalog.row_number() OVER () AS nth FROM neardup_internal.differing_columns(arguments) c) c WINDOW w AS (ORDER BY c.nth)) d;
    differs := sample.columns IS NOT NULL;
    numbers := sample.numbers;
    titles_differ := coalesce(sample.titles * 2 > sample.looked_at, false);
    IF differs THEN
        RAISE NOTICE 'columns in which they differ from the rows that are kept: %', sample.columns
            USING DETAIL = pg_catalog.format(CASE sample.looked_at WHEN 1 THEN 'Of %s row that was looked at.' ELSE 'Of %s rows that were looked at.' END, sample.looked_at)
                      || coalesce(' The others agree far more often than by chance in ' || sample.telling || ', as if that belonged to the message.', ''),
                  HINT = coalesce((
                      SELECT nullif(pg_catalog.concat_ws(' ',
                          CASE WHEN c.proposes_title THEN pg_catalog.format('If %3$I is the title of the texts, let verdicts read it: SELECT neardup.protect(%1$L, %2$L, title => %3$L).', p.target, p.document, sample.title) END,
                          CASE WHEN sample.first IS NOT NULL
                              THEN pg_catalog.format('If rows with another value there are no copies, name the column: SELECT neardup.protect(%L, %L, differ => %L)%s.',
                                  p.target, p.document, pg_catalog.array_append(p.differ, sample.first), CASE WHEN p.title IS NULL AND NOT c.proposes_title THEN '; a headline goes to title' END)
                              WHEN sample."time" IS NOT NULL
                              THEN pg_catalog.format('If rows of other days are no copies: SELECT neardup.protect(%L, %L, time_column => %L, within => ''1 day'').', p.target, p.document, sample."time") END), '')
                      FROM neardup.protected p
                           CROSS JOIN LATERAL (
                               SELECT sample.title IS NOT NULL AND p.title IS NULL AND p.expression IS NULL AND p.verify <> ALL ('{none,overlap,cosine}'::pg_catalog.text[]) AS proposes_title) c
                      WHERE p.target::pg_catalog.oid = try_out.target::pg_catalog.oid AND p.document = coalesce((arguments ->> 'document'::pg_catalog.text)::pg_catalog.name, p.document)
                      LIMIT 1), 'Another title is evidence, and decides nothing alone.');
    END IF;
    IF sample.lacking IS NOT NULL AND action IN ('archive', 'delete') THEN
        RAISE NOTICE 'columns in which only the removed row has a value: %', sample.lacking
            USING DETAIL = pg_catalog.format(CASE sample.looked_at WHEN 1 THEN 'Of %s row that was looked at.' ELSE 'Of %s rows that were looked at.' END, sample.looked_at),
                  HINT = CASE WHEN against IS NULL THEN 'To keep the rows with more values: keep => ''most_complete''. A clean-up that merges rows can keep the values.'
                              ELSE 'Rows of the other table stay as they are.' END;
    END IF;
    SELECT pg_catalog.string_agg(pg_catalog.format('"%s", %s', t.text, t.rows), '; ' ORDER BY t.rows DESC, t.text) AS texts INTO sample
    FROM neardup_internal.repeated_texts(arguments) t;
    IF sample.texts IS NOT NULL THEN
        RAISE NOTICE 'short texts that many rows have: %', sample.texts
            USING DETAIL = 'They would go as copies, and no score says that a heading, a rubric or a greeting is no message.',
                  HINT = 'If they are to stay: a column (differ) or the time between them (within) can tell them apart, see neardup.protect.';
    END IF;
    SELECT l.rows, l.looked_at INTO sample FROM neardup_internal.longer_copies(arguments) l;
    IF sample.rows > 0 AND arguments ->> 'keep'::pg_catalog.text IS DISTINCT FROM 'longest' THEN
        RAISE NOTICE '%', pg_catalog.format(CASE sample.rows WHEN 1 THEN '%s copy has a longer text than the row that is kept, by a tenth or more'
            ELSE '%s copies have longer texts than the rows that are kept, by a tenth or more' END, sample.rows)
            USING DETAIL = pg_catalog.format(CASE sample.looked_at WHEN 1 THEN 'Of %s row with other words that was looked at.' ELSE 'Of %s rows with other words that were looked at.' END, sample.looked_at),
                  HINT = CASE WHEN against IS NULL THEN 'To keep the longest text of each group: keep => ''longest''.' ELSE 'Rows of the other table stay as they are.' END;
    END IF;
    -- A score is the probability that the verdict is right.
    SELECT pg_catalog.string_agg(pg_catalog.format('%s: %s', v.why, v.n), ', ' ORDER BY v.n DESC, v.why) AS verdicts, pg_catalog.sum(v.wrong) AS wrong, pg_catalog.sum(v.same)::bigint AS same
    INTO sample
    FROM (SELECT pg_catalog.count(*) AS n, pg_catalog.sum(1::double precision - c.value) FILTER (WHERE c.measure = 'facts') AS wrong,
                 CASE c.measure WHEN 'identical' THEN 'identical' WHEN 'simhash' THEN 'by simhash'
                      ELSE pg_catalog.concat_ws(' by ', c.verdict, c.measure) END AS why,
                 pg_catalog.count(*) FILTER (WHERE c.measure = 'identical' OR c.measure = 'facts' AND c.value >= 1::double precision) AS same
          FROM pg_temp.neardup_chosen c WHERE c.reason IS NULL GROUP BY 3) v;
    RAISE NOTICE 'dry run: % of the rows of % would %; nothing has been changed', found, target,
        verb || coalesce(' into the rows that are kept, by ' || merging::pg_catalog.oid::pg_catalog.regprocedure::pg_catalog.text, '')
        USING DETAIL = CASE WHEN found > 0 THEN pg_catalog.concat(sample.verdicts, '.', CASE WHEN found > 10 THEN ' The 10 least certain ones are shown'
                                    || CASE WHEN same_words > 0 THEN pg_catalog.format(', and %s with the same words', same_words) ELSE '' END || '.' END,
                                ' ' || coalesce(neardup_internal.estimated_wrong(target, (arguments ->> 'document'::pg_catalog.text)::pg_catalog.name, neardup_internal.cleanup_threshold(arguments)),
                                    'Of 100 such rows, the scores expect ' || pg_catalog.round((100::double precision * sample.wrong / found::double precision)::pg_catalog.numeric, 1)::pg_catalog.text || ' to be no copies'
                                    || CASE WHEN titles_differ AND sample.same * 2 > found THEN ', by their texts alone, not by other columns such as titles.' ELSE '.' END),
                                CASE WHEN (differs OR numbers IS NOT NULL) AND sample.same > 0 THEN pg_catalog.format(CASE sample.same WHEN 1 THEN ' %s of them has' ELSE ' %s of them have' END
                                    || ' the same words as the row that is kept: whether another column makes them two, no score says.', sample.same)
                                    || coalesce(' Nearly all differ in ' || numbers || ': if that names what a text is about, and does not number rows, they are no copies.', '') END,
                                CASE WHEN found > max_rows THEN pg_catalog.format(' That is more than max_rows, %s: %s.', max_rows,
                                    CASE on_more WHEN 'stop' THEN 'it would stop' ELSE 'it would take the surest' END) END)
                            WHEN held > 0 THEN 'All copies would be left in place.'
                            WHEN action = 'mark' THEN 'All copies have a mark already, or there are none.'
                            ELSE pg_catalog.concat('The table has no copies', ' of rows of ' || against::pg_catalog.text,
                                ' from threshold ' || neardup_internal.cleanup_threshold(arguments)::pg_catalog.text || ' on', '.') END,
              HINT = CASE WHEN found + held = 0 AND action <> 'mark' AND against IS NULL
                               AND neardup_internal.cleanup_threshold(arguments) > neardup_internal.least_threshold(target, (arguments ->> 'document'::pg_catalog.text)::pg_catalog.name, arguments ->> 'verify'::pg_catalog.text)
                          THEN pg_catalog.format('Copies that score less, if there are any: SELECT * FROM neardup.duplicates(%L); a lower threshold removes more.', target)
              ELSE pg_catalog.format(
                  'See them all: SELECT * FROM neardup.duplicates(%s, settled => true); %s them: CALL neardup.cleanup(%s, dry_run => false);',
                  whole, CASE action WHEN 'mark' THEN 'mark' WHEN 'merge' THEN 'merge' ELSE 'remove' END,
                  pg_catalog.concat_ws(', ', whole, 'action => ' || pg_catalog.quote_literal(nullif(action, 'archive')),
                      'merge => ' || pg_catalog.quote_literal(merge::pg_catalog.oid::pg_catalog.regprocedure) || '::regprocedure',
                      'confirmed => ' || pg_catalog.quote_literal(confirmed), 'max_rows => ' || max_rows::pg_catalog.text, 'on_more => ' || pg_catalog.quote_literal(nullif(on_more, 'stop')))) END;
    DROP TABLE pg_temp.neardup_chosen, pg_temp.neardup_followers;
END
$$;

COMMENT ON FUNCTION neardup_internal.try_out(regclass, regclass, jsonb, text, regproc, bigint, text, regclass) IS 'the dry run: reports what a clean-up would do, and how to run it';
