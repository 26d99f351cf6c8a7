-- Lists table corpus (id, body) and drops it. Some rows are left for single inserts into it, without a guard and with one.
SELECT count(*) AS rows FROM corpus \gset
SELECT greatest(:rows / :inserts, 10) AS stride \gset
CREATE TABLE fresh AS SELECT row_number() OVER (ORDER BY id) AS number, id, body FROM corpus WHERE id % :stride = 5;
ALTER TABLE fresh ADD PRIMARY KEY (number);
DELETE FROM corpus USING fresh WHERE corpus.id = fresh.id;
CREATE TABLE bare (id bigint PRIMARY KEY, body text);
INSERT INTO bare SELECT id, body FROM corpus;
CREATE INDEX ON bare USING neardup (sketch(body));
SELECT neardup.protect('corpus', 'body', on_duplicate => 'skip');
VACUUM (ANALYZE) corpus, bare, fresh;
SELECT count(*) AS rows, avg(length(body)) AS characters FROM corpus \gset
\echo '   ' :corpus: :rows rows
SELECT bench.seconds($$CREATE TABLE listed AS SELECT * FROM neardup.duplicates('corpus')$$) AS listed,
       bench.seconds($$CREATE TABLE overlapping AS SELECT * FROM neardup.duplicates('corpus', verify => 'overlap', threshold => 0.75)$$) AS by_overlap \gset
SELECT (SELECT count(*) FROM listed) AS copies, (SELECT count(*) FROM overlapping) AS overlaps \gset
SELECT count(*) AS singles FROM fresh \gset
\setenv SINGLES :singles
CREATE SEQUENCE next_number;
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh sessions 1 "-t$SINGLES" bench/guard_single.sql bare'
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS bare_median, percentile_cont(0.99) WITHIN GROUP (ORDER BY seconds) AS bare_p99
FROM bench.measured WHERE name = 'latency' \gset
DELETE FROM bench.measured;
ALTER SEQUENCE next_number RESTART;
\copy bench.measured (name, amount, seconds) FROM PROGRAM 'sh bench/outside.sh sessions 1 "-t$SINGLES" bench/guard_single.sql corpus'
INSERT INTO bench.forms
SELECT :'corpus', :rows, :characters, :listed, :copies, :by_overlap, :overlaps, :bare_median, :bare_p99,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds), percentile_cont(0.99) WITHIN GROUP (ORDER BY seconds)
FROM bench.measured WHERE name = 'latency';
DELETE FROM bench.measured;
DROP TABLE corpus, bare, fresh, listed, overlapping;
DROP SEQUENCE next_number;
