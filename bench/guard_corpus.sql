-- Inserts one corpus into tables without a guard, and with one. Some rows, `fresh (number, id, body)`, are left
-- for single inserts.
\if :own
CREATE TABLE corpus AS SELECT id, body FROM article;
ALTER TABLE corpus ADD PRIMARY KEY (id);
SELECT count(*) AS rows FROM corpus \gset
\else
SELECT least(CASE :'corpus' WHEN 'titles' THEN 150000 ELSE 1::bigint << 40 END, :corpus_rows) AS most \gset
\i bench/corpus.sql
\endif
SELECT greatest(:rows / :inserts, 2) AS stride \gset
CREATE TABLE fresh AS SELECT row_number() OVER (ORDER BY id) AS number, id, body FROM corpus WHERE id % :stride = 0 LIMIT :inserts;
ALTER TABLE fresh ADD PRIMARY KEY (number);
DELETE FROM corpus USING fresh WHERE corpus.id = fresh.id;
VACUUM (ANALYZE) corpus, fresh;
CREATE SEQUENCE next_number;
CREATE TABLE bare (id bigint PRIMARY KEY, body text);
CREATE INDEX ON bare USING neardup (sketch(body));
CREATE TABLE guarded (id bigint PRIMARY KEY, body text);
SELECT neardup.protect('guarded', 'body', on_duplicate => 'skip');
-- Ten statements for each table; the tables take turns, in reverse order every other turn.
CREATE TABLE bench.turns (target text, seconds float8);
SELECT format('INSERT INTO bench.turns SELECT %L, bench.seconds(%L)', target,
              format('INSERT INTO %s SELECT id, body FROM corpus WHERE id > %s AND id <= %s ORDER BY id', target, :rows * turn / 10, :rows * (turn + 1) / 10))
FROM generate_series(0::bigint, 9) turn, unnest('{bare,guarded}'::text[]) WITH ORDINALITY t(target, place)
ORDER BY turn, CASE WHEN turn % 2 = 0 THEN place ELSE -place END \gexec
VACUUM (ANALYZE) bare, guarded;
SELECT count(*) AS inserted FROM bare \gset
SELECT count(*) AS let_in FROM guarded \gset
SELECT count(*) AS singles FROM fresh \gset
\setenv SINGLES :singles
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh sessions 1 "-t$SINGLES" bench/guard_single.sql bare'
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS plain_median, percentile_cont(0.99) WITHIN GROUP (ORDER BY seconds) AS plain_p99
FROM bench.measured WHERE name = 'latency' \gset
DELETE FROM bench.measured;
ALTER SEQUENCE next_number RESTART;
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh sessions 1 "-t$SINGLES" bench/guard_single.sql guarded'
INSERT INTO bench.corpora
SELECT :'corpus', :inserted, :inserted - :let_in, t.bare, t.guarded, :let_in, :plain_median, :plain_p99,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY m.seconds), percentile_cont(0.99) WITHIN GROUP (ORDER BY m.seconds)
FROM bench.measured m, (SELECT sum(seconds) FILTER (WHERE target = 'bare') AS bare, sum(seconds) FILTER (WHERE target = 'guarded') AS guarded
                        FROM bench.turns) t
WHERE m.name = 'latency' GROUP BY t.bare, t.guarded;
DELETE FROM bench.measured;
DROP TABLE corpus, fresh, bare, guarded, bench.turns;
DROP SEQUENCE next_number;
