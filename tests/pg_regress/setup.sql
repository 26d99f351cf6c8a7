-- What each database of these tests has beside the extension.

-- A plan as all versions print it: Postgres 17 has another name for what a sub-select gives, 18 says which scans are disabled.
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        CONTINUE WHEN line LIKE '%Disabled: true';
        RETURN NEXT regexp_replace(regexp_replace(line, ' \(returns \$\d\)', ''), '\(InitPlan \d\)\.col1|\$\d', '$n', 'g');
    END LOOP;
END $$;
