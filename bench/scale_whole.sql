-- Whole tables of made-up short texts, one in ten an edited copy: the list of all copies in one table, the list of new rows
-- against it, and an INSERT of these through its guard, beside one into a table with the same indexes. Also the peak of the backend's private memory and the size of its
-- temporary files.
CREATE FUNCTION bench.made(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(translate(string_agg(md5(part || ' ' || n), '' ORDER BY part), '0123456789abcdef', 'aeioustnrlmdphgk'), '(.{4})', '\1 ', 'g')
    FROM generate_series(1, 5) part
$$;
CREATE TABLE bench.steps (name text, seconds float8, temporary float8);
CREATE TABLE bench.peaks (name text, megabytes float8);
-- Another session samples the memory of this one until a row of bench.steps tells it to stop.
CREATE PROCEDURE bench.watch(process int, step text) LANGUAGE plpgsql AS $$
DECLARE
    most float8 := 0;
BEGIN
    WHILE NOT EXISTS (SELECT FROM bench.steps WHERE name = step) LOOP
        most := greatest(most, substring(pg_read_file(format('/proc/%s/status', process)) FROM 'RssAnon:\s+(\d+)')::float8);
        COMMIT;
        PERFORM pg_sleep(0.05);
    END LOOP;
    INSERT INTO bench.peaks VALUES (step, most * 1024 / 1e6);
END
$$;
CREATE FUNCTION bench.temporary() RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_stat_force_next_flush();
    PERFORM pg_stat_clear_snapshot();
    RETURN (SELECT temp_bytes FROM pg_stat_database WHERE datname = current_database());
END
$$;

\echo '    two tables of' :signatures_wanted rows
CREATE TABLE whole AS SELECT n AS id, CASE WHEN n % 10 = 0 THEN 'Again: ' || bench.made(n - 1) ELSE bench.made(n) END AS body FROM generate_series(1, :signatures_wanted::bigint) n;
CREATE TABLE coming AS SELECT :signatures_wanted + n AS id, CASE n % 20 WHEN 5 THEN bench.made(n) || ' indeed' WHEN 10 THEN 'Again: ' || bench.made(:signatures_wanted + n - 1)
    ELSE bench.made(:signatures_wanted + n) END AS body FROM generate_series(1, :signatures_wanted::bigint) n;
CREATE TABLE unguarded AS TABLE whole;
ALTER TABLE whole ADD PRIMARY KEY (id);
ALTER TABLE unguarded ADD PRIMARY KEY (id);
CREATE INDEX ON unguarded USING neardup (sketch(body));
SELECT neardup.protect('whole', 'body', on_duplicate => 'skip');
VACUUM (FREEZE, ANALYZE) whole, unguarded, coming;

\set step duplicates
\set statement 'SELECT count(*) FROM neardup.duplicates(''whole'')'
\i bench/scale_step.sql
\set step insert
\set statement 'INSERT INTO unguarded SELECT * FROM coming'
\i bench/scale_step.sql
\set step copies_of
\set statement 'SELECT count(*) FROM neardup.copies_of(''whole'', ''coming'')'
\i bench/scale_step.sql
\set step guard
\set statement 'INSERT INTO whole SELECT * FROM coming'
\i bench/scale_step.sql

SELECT bench.grid('Whole tables', format('%s rows of 200 bytes of made-up words, one in ten an edited copy, and as many new rows; `work_mem` is 64 '
    'MB, without parallel workers. `neardup.copies_of` lists which of the new rows are copies; the guard leaves these out. The other INSERT copies all '
    'of them into a table with the same indexes and no guard. Memory is the peak of the backend''s private memory. Afterwards, the guarded table has %s rows.', bench.grouped(:signatures_wanted), bench.grouped((SELECT count(*) FROM whole))),
    '', 's', 'µs a row', 'memory, MB', 'temporary files, MB');
SELECT bench.row(line, bench.figure(seconds), bench.figure(1e6 * seconds / :signatures_wanted), bench.figure(megabytes), bench.figure(temporary / 1e6))
FROM (VALUES (1, 'duplicates', '`neardup.duplicates`'), (2, 'insert', '`INSERT … SELECT`, no guard'), (3, 'copies_of', '`neardup.copies_of`'), (4, 'guard', '`INSERT … SELECT` through the guard')) v(n, name, line)
     JOIN bench.steps USING (name) JOIN bench.peaks USING (name) ORDER BY n;
SELECT bench.aim('list of new rows, part of their INSERT through the guard', (SELECT seconds FROM bench.steps WHERE name = 'copies_of') / (SELECT seconds FROM bench.steps WHERE name = 'guard'), at_most => 1),
       bench.aim('list of 10 million rows, s', 1e7 * (SELECT seconds FROM bench.steps WHERE name = 'duplicates') / :signatures_wanted, at_most => 30);
DROP TABLE whole, unguarded, coming, bench.steps, bench.peaks;
DROP PROCEDURE bench.watch;
DROP FUNCTION bench.made, bench.temporary;
