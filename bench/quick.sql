-- What `cargo xtask bench --quick` compares with the figures in bench/quick.json: four small tables, real ones where the folder of real texts is
-- at hand, otherwise made up in the same way on every machine.
SET work_mem = '64MB';
CREATE TABLE bench.quick (line int GENERATED ALWAYS AS IDENTITY, name text, ratio float8);
\if :has_folder
\set corpus titles
\set most 20000
\i bench/quick_corpus.sql
\i bench/quick_table.sql
\set corpus posts
\set most 12000
\i bench/quick_corpus.sql
\i bench/quick_table.sql
\set corpus sports
\set most 4000
\i bench/quick_corpus.sql
\i bench/quick_table.sql
\set corpus reuters
\set most 4000
\i bench/quick_corpus.sql
\i bench/quick_table.sql
\else
CREATE TABLE sentence (number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
\copy sentence (body) FROM PROGRAM 'cat "$SENTENCES"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
SELECT count(*) AS sentences FROM sentence \gset
-- Sentences of the sample in an order of their own, each with a figure that no other text has there.
CREATE FUNCTION bench.made_up(text bigint, many int) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT string_agg(overlay(s.body PLACING to_char(abs(hashint8(text * 100 + part)::bigint) % 997, 'FM000') FROM 1 + length(s.body) / 2 FOR 1), '' ORDER BY part)
    FROM generate_series(1, many) part
    JOIN sentence s ON s.number = 1 + abs(hashint8(text * 1000 + part)::bigint) % (SELECT count(*) FROM sentence)
$$;
-- Titles of some hundred forms that differ in a number; every fifth is an edited copy of the one before.
\set corpus 'made-up titles'
CREATE TABLE corpus AS SELECT n AS id, CASE WHEN n % 5 = 0 THEN '快讯：' ELSE '' END || s.body || '第' || (n - (n % 5 = 0)::int) % 4999 || '期' AS body
FROM generate_series(1::bigint, 10000) n JOIN sentence s ON s.number = 1 + (n - (n % 5 = 0)::int) % least(:sentences, 400);
\i bench/quick_table.sql
\set corpus 'made-up posts'
CREATE TABLE corpus AS SELECT n AS id, CASE WHEN n % 4 = 0 THEN '转发：' || bench.made_up(n - 1, 2) ELSE bench.made_up(n, 2) END AS body FROM generate_series(1::bigint, 8000) n;
\i bench/quick_table.sql
\set corpus 'made-up news'
CREATE TABLE corpus AS SELECT n AS id, CASE WHEN n % 6 = 0 THEN bench.made_up(n - 1, 20) || '（完）' ELSE bench.made_up(n, 20) END AS body FROM generate_series(1::bigint, 3000) n;
\i bench/quick_table.sql
-- One form of all sentences' beginnings, filled in anew for each row; every tenth row is an edited copy.
\set corpus 'made-up forms'
CREATE TABLE corpus AS SELECT n AS id, CASE WHEN n % 10 = 0 THEN '通知。' ELSE '' END || (
    SELECT string_agg(s.body || '（编号' || abs(hashint8((n - (n % 10 = 0)::int) * 100 + s.number)::bigint) % 9973 || '）', E'\n' ORDER BY s.number) FROM sentence s WHERE s.number <= 30) AS body
FROM generate_series(1::bigint, 400) n;
\i bench/quick_table.sql
\endif
