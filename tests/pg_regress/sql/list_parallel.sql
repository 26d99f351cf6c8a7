-- Lists whose verdicts are given in parallel workers: the same rows as without them.
CREATE TABLE stories (id int PRIMARY KEY, body text NOT NULL);
-- Eleven hundred stories of thirty words, three times each; the second and the third time with other words somewhere.
INSERT INTO stories
SELECT nth, (SELECT string_agg(CASE WHEN word = copy * 7 THEN 'edited' || copy ELSE substr(md5(format('%s %s', story, word)), 1, 6) END, ' ' ORDER BY word) FROM generate_series(1, 30) word)
FROM (SELECT copy * 1100 + story AS nth, story, copy FROM generate_series(1, 1100) story, generate_series(0, 2) copy) made;
SELECT neardup.protect('stories', 'body', on_duplicate => 'warn');

CREATE FUNCTION list(workers int, settled boolean DEFAULT false, relation regclass DEFAULT 'stories') RETURNS TABLE (copies bigint, digest text)
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
    SET LOCAL client_min_messages = debug1;
    RETURN QUERY SELECT count(*), md5(string_agg(d::text, ',' ORDER BY d::text)) FROM neardup.duplicates(relation, settled => settled) d;
    RESET client_min_messages;
END $$;

CREATE TABLE results AS SELECT 'alone' AS what, * FROM list(0);
INSERT INTO results SELECT 'one worker', * FROM list(1);
INSERT INTO results SELECT 'three', * FROM list(3);
INSERT INTO results SELECT 'settled, alone', * FROM list(0, true);
INSERT INTO results SELECT 'settled, two', * FROM list(2, true);
SELECT what, copies, digest = first_value(digest) OVER (PARTITION BY what LIKE 'settled%') AS is_same FROM results;

-- What workers cannot read or run is compared here: temporary tables, and functions that are not safe there.
CREATE TEMP TABLE passing AS SELECT * FROM stories;
ALTER TABLE passing ADD PRIMARY KEY (id);
SELECT neardup.protect('passing', 'body', on_duplicate => 'warn');
-- Its pages are filled otherwise, so other rows are spread over it.
SELECT copies > 1000 AS has_copies FROM list(2, false, 'passing');

CREATE FUNCTION whole(stories) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1.body; END';
SELECT neardup.unprotect('stories', 'body');
SELECT neardup.protect('stories', 'body', on_duplicate => 'warn', expression => 'whole');
SELECT copies FROM list(2);
ALTER FUNCTION whole(stories) PARALLEL SAFE;
SELECT copies FROM list(2);

-- Row security is that of the caller, in each process. An error of a policy in a worker ends the list, with its fields.
CREATE ROLE regress_lister;
GRANT SELECT ON stories TO regress_lister;
CREATE FUNCTION shown(id int) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF current_setting('test.leader', true) <> pg_backend_pid()::text THEN
        RAISE EXCEPTION 'no story for strangers' USING ERRCODE = 'ZZ001', CONSTRAINT = 'some_constraint', HINT = 'Ask.';
    END IF;
    RETURN id <= 3250;
END $$;
ALTER TABLE stories ENABLE ROW LEVEL SECURITY;
CREATE POLICY first_ones ON stories USING (shown(id));
GRANT SELECT, INSERT ON results TO regress_lister;
SET ROLE regress_lister;
INSERT INTO results SELECT 'row security, alone', * FROM list(0);
INSERT INTO results SELECT 'row security, two', * FROM list(2);
SELECT what, copies, digest = first_value(digest) OVER () AS is_same FROM results WHERE what LIKE 'row%';
SELECT set_config('test.leader', pg_backend_pid()::text, false) IS NOT NULL;
DO $$
DECLARE state text; message text; hint text; "constraint" text;
BEGIN
    PERFORM * FROM list(2);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT, "constraint" = CONSTRAINT_NAME;
    RAISE NOTICE '% % % %', state, message, hint, "constraint";
    -- The transaction writes again, which it must not while there are workers.
    INSERT INTO results VALUES ('after an error', 0, '');
END $$;
INSERT INTO results SELECT 'alone again', * FROM list(0);
RESET ROLE;
SELECT what, copies FROM results WHERE what IN ('after an error', 'alone again');

DROP TABLE stories CASCADE;
DROP TABLE results;
DROP FUNCTION shown;
DROP ROLE regress_lister;
