-- The cost of a guard for a writer, beside the same statement into the same table with the same index and no guard: whole corpora in
-- large INSERTs, single rows, and many sessions at once.
SELECT bench.wants('writers') AS writers, bench.wants('sessions') AS sessions \gset
\if :writers
CREATE TABLE bench.corpora (name text, inserted float8, left_out float8, bare float8, guarded float8, rows_there float8, plain_median float8, plain_p99 float8,
                            median float8, p99 float8, n int GENERATED ALWAYS AS IDENTITY);
\if :own
\set corpus :origin
\i bench/guard_corpus.sql
\else
\set corpus news
\i bench/guard_corpus.sql
\set corpus posts
\i bench/guard_corpus.sql
\set corpus sports
\i bench/guard_corpus.sql
\set corpus broadcast
\i bench/guard_corpus.sql
\set corpus titles
\i bench/guard_corpus.sql
\endif
SELECT bench.grid('Loads', 'Real texts in the order of their corpus, inserted by 10 statements `INSERT INTO ... SELECT ... ORDER BY id`; the tables '
    'take turns. Both tables have an index on `sketch(body)`, the second one also a guard with `on_duplicate => '
    '''skip''`. Times are by the server''s clock.',
    '', 'rows', 'left out', 'no guard, rows/s', 'guard, rows/s', 'times as long');
SELECT bench.row(name, bench.grouped(inserted), bench.grouped(left_out), bench.figure(inserted / bare), bench.figure(inserted / guarded), bench.figure(guarded / bare))
FROM bench.corpora ORDER BY n;
SELECT bench.grid('Single rows', 'Further texts of the same corpora, evenly spread, are inserted one by one into the tables of the loads: pgbench, '
    'one session, prepared statements, one commit per row, `fsync = off`. Times include the transfer to the client.',
    '', 'rows there', 'no guard: median, ms', 'p99, ms', 'guard: median, ms', 'p99, ms');
SELECT bench.row(name, bench.grouped(rows_there), bench.figure(1e3 * plain_median), bench.figure(1e3 * plain_p99), bench.figure(1e3 * median), bench.figure(1e3 * p99))
FROM bench.corpora ORDER BY n;
-- Among broadcasts, nearly all candidates are templates with other facts; the guard has to read them to tell them apart.
SELECT bench.aim(name || ', speed of the INSERT without guard', bare / guarded, at_least => CASE name WHEN 'broadcast' THEN 0.2 ELSE 1 / 3.0 END),
       bench.aim(name || ', p99 of a single row, ms', 1e3 * p99, at_most => 10)
FROM bench.corpora ORDER BY n;
DROP TABLE bench.corpora;
\endif

\if :sessions
-- Many sessions insert edited copies of the same articles.
\echo '    16 sessions for' :seconds 's, three times'
\setenv SECONDS_EACH :seconds
CREATE TABLE original (n bigint PRIMARY KEY, body text);
\copy original FROM PROGRAM '"$XTASK" articles "$SENTENCES" 4 1000 500'
ANALYZE original;
CREATE TABLE hashed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
CREATE TABLE bare (LIKE hashed INCLUDING ALL);
CREATE TABLE guarded (LIKE hashed INCLUDING ALL);
CREATE INDEX ON hashed (hashtextextended(body, 0));
CREATE INDEX ON bare USING neardup (sketch(body));
SELECT neardup.protect('guarded', 'body', on_duplicate => 'skip');
CREATE TEMP TABLE told (n int, what text, figure float8);
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh sessions 16 "-T$SECONDS_EACH" bench/guard_sessions.sql hashed'
WITH gone AS (DELETE FROM bench.measured RETURNING name, seconds) INSERT INTO told SELECT 1, * FROM gone;
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh sessions 16 "-T$SECONDS_EACH" bench/guard_sessions.sql bare'
WITH gone AS (DELETE FROM bench.measured RETURNING name, seconds) INSERT INTO told SELECT 2, * FROM gone;
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh sessions 16 "-T$SECONDS_EACH" bench/guard_sessions.sql guarded'
WITH gone AS (DELETE FROM bench.measured RETURNING name, seconds) INSERT INTO told SELECT 3, * FROM gone;
SELECT count(*) AS stored FROM guarded \gset
VACUUM (ANALYZE) guarded;
SELECT count(*) FILTER (WHERE verdict = 'copy') AS copies
FROM (SELECT (same_message(a.body, b.body)).verdict FROM guarded a JOIN guarded b ON near_duplicate(a.body, b.body) AND a.id < b.id) AS pairs \gset
SELECT count(*) AS named, count(*) FILTER (WHERE value >= 0.95) AS removable FROM neardup.duplicates('guarded') \gset
SELECT bench.grid('16 sessions', format('Each insert is one of 1,000 made-up articles of 500 characters, with 1 to 20 characters removed at a random '
    'position; the sessions run for %s s. The guard leaves copies out. It stored %s rows: most lost a fact, such as a number, with the removed '
    'characters. Of all rows together, a list names %s as copies or excerpts of others, because what the table says of a pair changes as it grows, '
    'and a clean-up would remove %s. The verdict on two texts alone, which knows no table, calls %s pairs copies.', :seconds, bench.grouped(:stored),
    bench.grouped(:named), bench.grouped(:removable), bench.grouped(:copies)),
    '', 'inserts/s', 'median, ms', 'p99, ms', 'failed');
SELECT bench.row((ARRAY['B-tree on hashtextextended(body, 0), no guard', 'the guard''s index, no guard', 'guard'])[n],
                 bench.figure(max(figure) FILTER (WHERE what = 'tps')),
                 bench.figure(1e3 * percentile_cont(0.5) WITHIN GROUP (ORDER BY figure) FILTER (WHERE what = 'latency')),
                 bench.figure(1e3 * percentile_cont(0.99) WITHIN GROUP (ORDER BY figure) FILTER (WHERE what = 'latency')),
                 bench.grouped(max(figure) FILTER (WHERE what = 'failed')))
FROM told GROUP BY n ORDER BY n;
SELECT bench.aim('pairs left that two texts alone would call copies', :copies, at_most => 0),
       bench.aim('rows left that a clean-up would remove', :removable, at_most => 0),
       bench.aim('inserts of the sessions that failed', (SELECT figure FROM told WHERE n = 3 AND what = 'failed'), at_most => 0);
DROP TABLE original, hashed, bare, guarded;
\endif
