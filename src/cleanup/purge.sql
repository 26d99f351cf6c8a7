-- clean-up: delete old runs for good

CREATE PROCEDURE neardup.purge(older_than interval, batch integer DEFAULT 10000, INOUT purged bigint DEFAULT NULL)
    LANGUAGE plpgsql AS $$
DECLARE
    run bigint;
    affected bigint;
    list pg_catalog.name;
BEGIN
    PERFORM neardup_internal.check_path();
    PERFORM neardup_internal.check_batch(batch, NULL);
    IF older_than IS NULL OR older_than < interval '0' THEN
        RAISE EXCEPTION 'older_than must be 0 or more: %', older_than USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF neardup_internal.in_transaction_block() THEN
        RAISE EXCEPTION 'neardup.purge cannot run inside a transaction block' USING ERRCODE = 'active_sql_transaction',
            DETAIL = 'It commits after each batch.', HINT = 'Call it on its own, with autocommit on.';
    END IF;
    PERFORM neardup_internal.check_committing('purge');
    purged := 0;
    FOR run IN
        SELECT r.run_id FROM neardup.runs r
        WHERE coalesce(r.finished, r.started) < pg_catalog.now() - older_than
              AND NOT EXISTS (SELECT FROM neardup.progress p WHERE p.target::pg_catalog.oid = r.target::pg_catalog.oid)
        ORDER BY 1
    LOOP
        FOREACH list IN ARRAY ARRAY['removed', 'skipped', 'repointed']::pg_catalog.name[] LOOP
            LOOP
                EXECUTE pg_catalog.format(
                    'DELETE FROM neardup.%1$I d '
                    'WHERE d.ctid = ANY (ARRAY(SELECT o.ctid FROM neardup.%1$I o WHERE o.run_id = $1 LIMIT $2))', list)
                    USING run, batch;
                GET DIAGNOSTICS affected = ROW_COUNT;
                purged := purged + affected;
                COMMIT;
                EXIT WHEN affected < batch;
            END LOOP;
        END LOOP;
        DELETE FROM neardup.runs r WHERE r.run_id = run;
        COMMIT;
    END LOOP;
    DELETE FROM neardup.running r
    WHERE NOT EXISTS (SELECT FROM neardup.progress p WHERE p.target::pg_catalog.oid = r.target::pg_catalog.oid AND p.pid = r.pid);
END
$$;

COMMENT ON PROCEDURE neardup.purge(interval, integer, bigint) IS 'deletes the records of clean-ups that ended longer ago than an interval, with the rows they archived, and returns the number of records: CALL neardup.purge(''90 days'')';
