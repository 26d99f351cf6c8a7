-- One step of scale_whole.sql, in a session of its own: `step` is its name, `statement` is measured.
\echo '    ' :statement
\c -
SET work_mem = '64MB';
\setenv STEP :step
SELECT pg_backend_pid() AS process, bench.temporary() AS temporary \gset
\setenv PROCESS :process
\! "$PGBIN/psql" -Xq -c "CALL bench.watch($PROCESS, '$STEP')" >/dev/null 2>&1 &
SELECT clock_timestamp() AS started \gset
:statement;
INSERT INTO bench.steps SELECT :'step', extract(epoch FROM clock_timestamp() - :'started'), bench.temporary() - :temporary;
DO $$
BEGIN
    WHILE NOT EXISTS (SELECT FROM bench.steps JOIN bench.peaks USING (name) HAVING count(*) = (SELECT count(*) FROM bench.steps)) LOOP
        COMMIT;
        PERFORM pg_sleep(0.02);
    END LOOP;
END
$$;
