-- clean-up: sign what is there already

CREATE FUNCTION neardup_internal.leaves(target regclass) RETURNS SETOF regclass
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT l.relid FROM pg_catalog.pg_partition_tree(target) l JOIN pg_catalog.pg_class c ON c.oid = l.relid WHERE c.relkind = 'r'
    UNION ALL SELECT target WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_partition_tree(target));
END;

-- Signs the unsigned rows of a range of pages: the guard's trigger signs a row whose signature column is touched.
CREATE FUNCTION neardup_internal.sign_pages(guarded neardup.protected, part regclass, first bigint, after bigint) RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    signed bigint;
BEGIN
    PERFORM neardup_internal.sign_only(guarded.target);
    -- A document without a token is not touched. Nearly all of them are short, so that others are not signed twice.
    EXECUTE pg_catalog.format(
        'UPDATE ONLY %1$s t SET %2$I = NULL WHERE t.ctid >= %3$L AND t.ctid < %4$L AND t.%2$I IS NULL AND t.%5$I IS NOT NULL '
        'AND (pg_catalog.octet_length(t.%5$I) > 200 OR neardup.analyzer_simhash(%6$s, $1) IS NOT NULL)',
        part, guarded.signature, pg_catalog.concat('(', first, ',0)'), pg_catalog.concat('(', after, ',0)'), guarded.document, neardup_internal.document_of(guarded, 't'))
        USING guarded.analyzer;
    GET DIAGNOSTICS signed = ROW_COUNT;
    RETURN signed;
END
$$;

-- Signs a table page by page, with a commit and a pause after each batch: the guard's column, or with an analyzer the one beside it.
CREATE PROCEDURE neardup_internal.sign_by_pages(
    guarded neardup.protected, analyzer text, batch integer, throttle interval, INOUT signed bigint
)
    LANGUAGE plpgsql AS $$
DECLARE
    block bigint := pg_catalog.current_setting('block_size')::bigint;
    part regclass;
    pages bigint;
    page bigint;
    step bigint;
    before bigint := 0;
    total bigint;
    told timestamptz := pg_catalog.clock_timestamp();
BEGIN
    SELECT coalesce(pg_catalog.sum(pg_catalog.pg_relation_size(l) / block), 0) INTO total FROM neardup_internal.leaves(guarded.target) l;
    signed := 0;
    FOR part IN SELECT l FROM neardup_internal.leaves(guarded.target) l LOOP
        pages := pg_catalog.pg_relation_size(part) / block;
        -- A batch is a run of pages, read once and in order; some twenty articles fit one where nothing better is known.
        SELECT greatest('1', batch::float8 / CASE WHEN c.relpages > 0 AND c.reltuples > '0' THEN greatest('1', c.reltuples::float8 / c.relpages::float8) ELSE '20' END)
            INTO step FROM pg_catalog.pg_class c WHERE c.oid = part::oid;
        page := 0;
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        WHILE page < pages LOOP
            signed := signed + CASE WHEN analyzer IS NULL THEN neardup_internal.sign_pages(guarded, part, page, page + step)
                                    ELSE neardup_internal.resign_pages(guarded, analyzer, part, page, page + step) END;
            page := page + step;
            told := neardup_internal.note_work(guarded.target, before + least(page, pages), greatest(total, before + pages), told);
            COMMIT;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            IF throttle > interval '0' THEN
                PERFORM pg_catalog.pg_sleep_for(throttle);
            END IF;
        END LOOP;
        before := before + pages;
    END LOOP;
END
$$;

-- The second column of signatures, while neardup.resign is under way.
CREATE FUNCTION neardup_internal.next_column(signature name) RETURNS name
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN pg_catalog.octet_length(signature::text) <= 58 THEN signature::text
                ELSE 'signature_' || pg_catalog.left(pg_catalog.md5(signature::text), 12) END || '_next';

-- Statements that build the indexes where they are missing. They cannot run inside a procedure.
CREATE FUNCTION neardup_internal.index_statements(guarded neardup.protected) RETURNS SETOF text
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    -- A second column of signatures gets what searches use where the first one has it; then what the guard uses; of a partitioned
    -- table last, which takes in what its partitions have.
    WITH tables AS (
        SELECT c.oid AS relid, c.relkind = 'p' AS is_root
        FROM pg_catalog.pg_class c
        WHERE c.oid = guarded.target OR c.oid IN (SELECT l.relid FROM neardup_internal.leaves(guarded.target) l(relid))
    ), missing AS (
        SELECT t.relid, t.is_root, 0 AS place, pg_catalog.format(
                   'USING gin (@extschema@.simhash_bands(%I));', guarded.signature) AS definition
        FROM tables t
             JOIN pg_catalog.pg_attribute a ON a.attrelid = t.relid AND neardup_internal.next_column(a.attname) = guarded.signature
        WHERE neardup_internal.key_index(t.relid, a.attname::text, pg_catalog.format('simhash_bands(%I)', a.attname)) IS NOT NULL
              AND neardup_internal.key_index(t.relid, guarded.signature::text, pg_catalog.format('simhash_bands(%I)', guarded.signature)) IS NULL
        UNION ALL
        SELECT t.relid, t.is_root, 1 + band, pg_catalog.format('(@extschema@.simhash_rotated(%I, %s));', guarded.signature, band)
        FROM tables t CROSS JOIN pg_catalog.generate_series(0, 3) band
        WHERE guarded.method = 'simhash' AND neardup_internal.rotated_index(t.relid, guarded.signature::text, band) IS NULL
    )
    SELECT pg_catalog.format('CREATE INDEX %sON %s %s', CASE WHEN m.is_root THEN '' ELSE 'CONCURRENTLY ' END, m.relid::regclass, m.definition)
    FROM missing m ORDER BY m.is_root, m.relid::regclass::text, m.place;
END;

CREATE PROCEDURE neardup.backfill(
    target regclass, document name DEFAULT NULL, batch integer DEFAULT 1000, throttle interval DEFAULT NULL,
    INOUT signed bigint DEFAULT NULL
)
    LANGUAGE plpgsql AS $$
DECLARE
    guarded neardup.protected := neardup_internal.guard_of(target, document, NULL);
    statements text;
BEGIN
    PERFORM neardup_internal.check_batch(batch, throttle);
    PERFORM neardup_internal.check_committing('backfill');
    IF NOT guarded.enabled THEN
        RAISE EXCEPTION 'the guard of % is disabled', target USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'Its trigger signs the rows.',
            HINT = pg_catalog.format('ALTER TABLE %s ENABLE TRIGGER %I;', target, guarded.trigger);
    END IF;
    PERFORM neardup_internal.start_work(target, 'backfill', 'pages');
    CALL neardup_internal.sign_by_pages(guarded, NULL, batch, throttle, signed);
    PERFORM neardup_internal.end_work(target);
    SELECT pg_catalog.string_agg(s, ' ') INTO statements FROM neardup_internal.index_statements(guarded) s;
    IF statements IS NOT NULL THEN
        RAISE NOTICE 'the signatures of % lack an index, and the guard or a search reads the whole table for each row', target
            USING HINT = pg_catalog.format('Build what is missing: %s', statements);
    END IF;
END
$$;
