-- Inserts one corpus under a guard and counts the rows it marks.
SELECT least(CASE :'corpus' WHEN 'titles' THEN 150000 ELSE 1::bigint << 40 END, :corpus_rows) AS most \gset
\i bench/corpus.sql
CREATE TABLE held (id bigint PRIMARY KEY, body text);
SELECT neardup.protect('held', 'body', on_duplicate => 'mark');
INSERT INTO held (id, body) SELECT id, body FROM corpus ORDER BY id;
INSERT INTO bench.marked (corpus, rows, marked) SELECT :'corpus', count(*), count(duplicate_of) FROM held;
DROP TABLE held, corpus;
