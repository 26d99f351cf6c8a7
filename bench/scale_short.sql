-- A table of short real texts and the guard's index on it: time of the build and size, look-ups by `near_duplicate`, and the list of all
-- copies.
\if :own_input
CREATE TABLE corpus AS SELECT id, body FROM article ORDER BY id LIMIT :signatures_wanted;
ALTER TABLE corpus ADD PRIMARY KEY (id);
VACUUM (FREEZE, ANALYZE) corpus;
SELECT count(*) AS rows FROM corpus \gset
\else
\set corpus titles
\set most :signatures_wanted
\i bench/corpus.sql
\endif
\echo '    sketches of short texts'
SELECT bench.seconds('CREATE INDEX sketches ON corpus USING gin (sketch(body)) WITH (fastupdate = off)') AS build \gset
SELECT pg_relation_size('sketches') / 1e6 AS megabytes \gset
-- The probes are edited copies of rows.
CREATE TABLE bench.edited AS
SELECT place AS number, id, left(body, length(body) / 2) || substr(body, length(body) / 2 + 1 + length(body) / 10) AS body
FROM (SELECT row_number() OVER (ORDER BY md5(id::text))::int AS place, id, body FROM corpus WHERE length(body) >= 10) AS shuffled WHERE place <= :probes;
ALTER TABLE bench.edited ADD PRIMARY KEY (number);
TRUNCATE bench.probe;
INSERT INTO bench.probe (number) SELECT number FROM bench.edited;
ANALYZE corpus, bench.probe, bench.edited;
SELECT bench.comparison('Look-ups, sketches of short texts', format('%s texts. Each look-up searches for the original of one of %s copies without a '
    'tenth in the middle. Median time of a look-up, including the sketch of the copy, and the share of look-ups that found the original.', bench.grouped(:rows), :probes), 'near_duplicate(body, text)');
SELECT bench.add('ours', name, (m).median, format('finds %s %%, %s; %s', bench.figure(100 * (m).hits / :probes), bench.within((m).p95), remark))
FROM (SELECT n, name, remark, bench.lookups(format('SELECT count(*) FILTER (WHERE t.id = (SELECT e.id FROM bench.edited e WHERE e.number = p.number)) FROM corpus t WHERE %s',
             format(condition, '(SELECT e.body FROM bench.edited e WHERE e.number = p.number)')), :probes, :probes) AS m
      FROM (VALUES (1, 'near_duplicate(body, text)', 'near_duplicate(t.body, %s)', 'reads the candidates'' texts'),
                   (2, 'sketch(body) && sketch(text)', 'sketch(t.body) && sketch(%s)', 'candidates alone')) v(n, name, condition, remark)
      ORDER BY n OFFSET 0) AS looked_up;
SELECT bench.aim('near_duplicate among short texts, ms', 1e3 * bench.cost('near_duplicate(body, text)'), at_most => 1);
DROP TABLE bench.edited;

\echo '    the list of all copies'
SELECT neardup.protect('corpus', 'body');
SELECT clock_timestamp() AS started \gset
SELECT count(*) AS copies FROM neardup.duplicates('corpus') \gset
SELECT extract(epoch FROM clock_timestamp() - :'started') AS listed \gset
SELECT bench.grid('Sketches of short texts', format('%s texts; the index is `USING gin (sketch(body))`, built without parallel workers. `neardup.duplicates` lists %s '
    'copies.', bench.grouped(:rows), bench.grouped(:copies)), '', '', 'a million rows');
SELECT bench.row(name, bench.figure(figure), bench.figure(figure * 1e6 / :rows))
FROM (VALUES (1, 'CREATE INDEX, s', :build), (2, 'size of the index, MB', :megabytes), (3, 'neardup.duplicates, s', :listed)) v(n, name, figure) ORDER BY n;
SELECT bench.aim('duplicates of a million short texts, s', :listed * 1e6 / :rows, at_most => 30);
DROP TABLE corpus;
