-- Measures table corpus (id, body) and drops it: each figure is a ratio of two times of this run. Lists and look-ups are measured by md5, which no change
-- of ours makes faster, and not by signing: otherwise they would seem slower when that has become faster.
ALTER TABLE corpus ADD PRIMARY KEY (id);
SELECT neardup.protect('corpus', 'body', on_duplicate => 'skip');
CREATE TABLE bare (id bigint PRIMARY KEY, body text);
CREATE INDEX ON bare USING neardup (sketch(body));
CREATE TABLE guarded (id bigint PRIMARY KEY, body text);
SELECT neardup.protect('guarded', 'body', on_duplicate => 'skip');
SELECT count(*) AS rows FROM corpus \gset
CREATE TABLE probe AS SELECT body FROM corpus WHERE id % greatest(:rows / 50, 1) = 0;
SELECT count(*) AS probes FROM probe \gset
VACUUM (ANALYZE) corpus, probe;
\echo '   ' :corpus: :rows rows
-- What takes a few milliseconds is done five times.
SELECT best[1] / 5 AS hashing, best[2] / 5 AS signing, best[3] AS listing, best[4] AS indexing, best[5] AS guarding, best[6] / 5 AS looking
FROM bench.best('SELECT count(md5(repeat(body, 10))) FROM corpus, generate_series(1, 5)',
    'SELECT count(sketch(body)) FROM corpus, generate_series(1, 5)',
    'SELECT count(*) FROM neardup.duplicates(''corpus'')',
    'TRUNCATE bare; INSERT INTO bare SELECT id, body FROM corpus ORDER BY id',
    'TRUNCATE guarded; INSERT INTO guarded SELECT id, body FROM corpus ORDER BY id',
    'SELECT count(*) FROM generate_series(1, 5) n, probe p JOIN corpus c ON near_duplicate(c.body, p.body)') best \gset
INSERT INTO bench.quick (name, ratio) VALUES
    (:'corpus' || ': signing / ten times md5', :signing / :hashing),
    (:'corpus' || ': list / ten times md5', :listing / :hashing),
    (:'corpus' || ': guarded insert / index alone', :guarding / :indexing),
    (:'corpus' || ': look-up / ten times md5 of a row', (:looking / :probes) / (:hashing / :rows));
DROP TABLE corpus, bare, guarded, probe;
