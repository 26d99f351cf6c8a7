-- What `cargo xtask bench --quick` compares with the figures in bench/quick.json: five tables, real ones where the folder of real texts is
-- at hand, otherwise made up in the same way on every machine.
-- Times are processor times of this session, from Linux: other load changes them much less than what a clock says.
SET work_mem = '64MB';
SET max_parallel_workers_per_gather = 0;
SET max_parallel_maintenance_workers = 0;
CREATE OR REPLACE FUNCTION bench.on_processor() RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    -- The count is brought up to date when the process gives the processor away.
    PERFORM pg_sleep(0.001);
    RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9;
END
$$;
CREATE OR REPLACE FUNCTION bench.seconds(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    started float8 := bench.on_processor();
BEGIN
    EXECUTE statement;
    RETURN bench.on_processor() - started;
END
$$;
DROP TABLE IF EXISTS bench.quick, sentence;
CREATE TABLE bench.quick (line int GENERATED ALWAYS AS IDENTITY, name text, ratio float8);
\if :has_folder
\set corpus titles
\set most 20000
\i bench/quick_corpus.sql
\i bench/quick_table.sql
\set corpus posts
\set most 12000
\i bench/quick_corpus.sql
\i bench/quick_answers.sql
\i bench/quick_table.sql
\set corpus sports
\set most 4000
\i bench/quick_corpus.sql
\i bench/quick_table.sql
\set corpus reuters
\set most 4000
\i bench/quick_corpus.sql
\i bench/quick_table.sql
-- More of it, because what a list costs grows with the rows that are alike, which are few among the first of a table.
\set corpus news
\set most 20000
\i bench/quick_corpus.sql
\i bench/quick_table.sql
\else
CREATE TABLE sentence (number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
\copy sentence (body) FROM PROGRAM 'cat "$SENTENCES"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
-- Made-up articles of a seed, a number, a length in characters, and every how-many-th is an edited copy.
\set corpus 'made-up titles'
CREATE TABLE corpus (id bigint, body text);
\copy corpus FROM PROGRAM '"$XTASK" articles "$SENTENCES" 1 2000 30 5'
\i bench/quick_table.sql
\set corpus 'made-up posts'
CREATE TABLE corpus (id bigint, body text);
\copy corpus FROM PROGRAM '"$XTASK" articles "$SENTENCES" 2 2000 100 4'
\i bench/quick_answers.sql
\i bench/quick_table.sql
\set corpus 'made-up news'
CREATE TABLE corpus (id bigint, body text);
\copy corpus FROM PROGRAM '"$XTASK" articles "$SENTENCES" 3 1000 700 6'
\i bench/quick_table.sql
-- One form, filled in anew for each row; every tenth row is an edited copy.
\set corpus 'made-up forms'
CREATE TABLE corpus AS SELECT n AS id, CASE WHEN n % 10 = 0 THEN '通知。' ELSE '' END || (
    SELECT string_agg(s.body || '（编号' || abs(hashint8((n - (n % 10 = 0)::int) * 100 + s.number)::bigint) % 9973 || '）', E'\n' ORDER BY s.number) FROM sentence s WHERE s.number <= 12) AS body
FROM generate_series(1::bigint, 60) n;
\i bench/quick_table.sql
\endif
