-- purge: deletes removed rows for good.

-- A table must be named: the triggers of a table of removed rows run as the role that deletes from it.
CREATE PROCEDURE neardup.purge(target regclass, older_than interval, batch integer DEFAULT 10000, INOUT purged bigint DEFAULT NULL)
    LANGUAGE plpgsql AS $$
DECLARE
    removed pg_catalog.regclass := neardup_internal.trusted_removed(target);
    began CONSTANT pg_catalog.timestamptz := pg_catalog.now();
    until pg_catalog.timestamptz;
    places pg_catalog.tid[];
    are_records boolean;
    affected bigint;
BEGIN
    PERFORM neardup_internal.check_path();
    until := began - older_than;
    PERFORM neardup_internal.check_batch(batch, NULL);
    IF target IS NULL THEN
        RAISE EXCEPTION 'target must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    ELSIF older_than IS NULL OR older_than < interval '0' THEN
        RAISE EXCEPTION 'older_than must be 0 or more: %', older_than USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF neardup_internal.in_transaction_block() THEN
        RAISE EXCEPTION 'neardup.purge cannot run inside a transaction block' USING ERRCODE = 'active_sql_transaction',
            DETAIL = 'It commits after each batch.', HINT = 'Call it on its own, with autocommit on.';
    END IF;
    PERFORM neardup_internal.check_committing('purge');
    purged := 0;
    IF removed IS NULL AND pg_catalog.to_regclass(neardup_internal.removed_name(target)) IS NOT NULL THEN
        -- What a stranger has put there does not keep the log from being purged.
        RAISE WARNING '% does not hold removed rows of %', neardup_internal.removed_name(target), target;
    END IF;
    IF removed IS NOT NULL THEN
        -- The first commit makes it a list of all batches. Each row is tried once: a trigger, a rule or a policy may keep it. The records of a merge go
        -- before the rows that were merged: once they are alone, they say that all rows have come back.
        FOR places, are_records IN EXECUTE pg_catalog.format(
            'SELECT pg_catalog.array_agg(o.place), o.is_record FROM ('
                'SELECT r.ctid AS place, i.is_record, (pg_catalog.row_number() OVER (PARTITION BY i.is_record) OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog./) $2 AS nth '
                'FROM ONLY %1$s r CROSS JOIN LATERAL ('
                    'SELECT (r.neardup_measure OPERATOR(pg_catalog.=) ANY (''{before merge,after merge}''::pg_catalog.text[])) IS TRUE AS is_record) i '
                'WHERE r.neardup_at OPERATOR(pg_catalog.<) $1 OR i.is_record AND EXISTS ('
                    'SELECT FROM ONLY %1$s m WHERE m.neardup_at OPERATOR(pg_catalog.<) $1 AND m.neardup_run OPERATOR(pg_catalog.=) r.neardup_run '
                    'AND m.neardup_batch OPERATOR(pg_catalog.=) r.neardup_batch AND m.neardup_duplicate_of OPERATOR(pg_catalog.=) r.neardup_duplicate_of)) o '
            'GROUP BY o.is_record, o.nth ORDER BY o.is_record DESC, o.nth', removed) USING until, batch
        LOOP
            -- By now another row may be at the address: a commit lets others rewrite the table.
            EXECUTE pg_catalog.format(
                'DELETE FROM ONLY %1$s d WHERE d.ctid OPERATOR(pg_catalog.=) ANY ($1) AND (d.neardup_at OPERATOR(pg_catalog.<) $2 '
                    'OR d.neardup_measure OPERATOR(pg_catalog.=) ANY (''{before merge,after merge}''::pg_catalog.text[]) AND EXISTS ('
                        'SELECT FROM ONLY %1$s m WHERE m.neardup_at OPERATOR(pg_catalog.<) $2 AND m.neardup_run OPERATOR(pg_catalog.=) d.neardup_run '
                        'AND m.neardup_batch OPERATOR(pg_catalog.=) d.neardup_batch AND m.neardup_duplicate_of OPERATOR(pg_catalog.=) d.neardup_duplicate_of))', removed)
                USING places, until;
            GET DIAGNOSTICS affected = ROW_COUNT;
            purged := purged + CASE WHEN are_records THEN 0 ELSE affected END;
            COMMIT;
        END LOOP;
    END IF;
    DELETE FROM neardup_internal.own_skipped s USING neardup_internal.own_runs r
    WHERE s.target::pg_catalog.oid = r.target::pg_catalog.oid AND s.run_id = r.run_id
          AND r.target::pg_catalog.oid = purge.target::pg_catalog.oid AND coalesce(r.finished, r.started) < until;
    DELETE FROM neardup_internal.own_runs r
    WHERE r.target::pg_catalog.oid = purge.target::pg_catalog.oid AND coalesce(r.finished, r.started) < until;
END
$$;

COMMENT ON PROCEDURE neardup.purge(regclass, interval, integer, bigint) IS 'deletes the rows for good that clean-ups removed from a table longer ago than an interval, with their log, and returns the number of rows: CALL neardup.purge(''articles'', ''90 days'')';
