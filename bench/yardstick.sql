-- The verdict beside what other projects ship, on the same labelled pairs: by set, and by table with its language. The texts are outside
-- the repository. Labels D and P are copies, R, T and U are not; Q, a reply that quotes, is left out. In the set of web pages, labels
-- from 1 to 3 are copies. A pair counts with its weight.
\if :has_folder
\else
SELECT bench.words('Left out: there is no folder of real texts (`NEARDUP_DATA`).');
\echo '    left out: there is no folder of real texts (NEARDUP_DATA)'
\endif
\if :has_folder
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TABLE line (number bigint GENERATED ALWAYS AS IDENTITY, set text DEFAULT 'natural', json text);
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/natural_gold.jsonl.xz"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
ALTER TABLE line ALTER set SET DEFAULT 'natural 2';
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/natural_gold_2.jsonl.xz"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
ALTER TABLE line ALTER set SET DEFAULT 'tables';
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/tables/gold.jsonl.xz"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
ALTER TABLE line ALTER set SET DEFAULT 'web';
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/web_pairs.jsonl.xz"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
CREATE TABLE gold AS
SELECT number AS pair, set, CASE set WHEN 'web' THEN 'web' ELSE corpus END AS corpus, coalesce(weight, 1) AS weight,
       label IN ('D', 'P', '1', '2', '3') AS is_copy,
       CASE WHEN first THEN text1 ELSE text2 END AS a, CASE WHEN first THEN text2 ELSE text1 END AS b
FROM line, json_to_record(json::json) AS j (corpus text, weight float8, label text, text1 text, text2 text),
     LATERAL (SELECT length(text1) >= length(text2) AS first) AS lengths
WHERE label <> 'Q' AND text1 <> text2;
ALTER TABLE gold ADD PRIMARY KEY (pair);
ANALYZE gold;
DROP TABLE line;

-- The value that a method gives a pair, and from which value on it calls the two copies of each other.
CREATE TABLE outside (method text, pair bigint, value float8);
\copy (SELECT json_build_object('pair', pair, 'a', a, 'b', b) FROM gold ORDER BY pair) TO PROGRAM 'mkdir -p "$(dirname "$PEERS")" && cat >"$PEERS.pairs"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
\echo '    datasketch, unisim'
\copy outside FROM PROGRAM 'sh bench/outside.sh judge datasketch "$PEERS.pairs"'
\copy outside FROM PROGRAM 'sh bench/outside.sh judge unisim "$PEERS.pairs"'
INSERT INTO outside SELECT 'pg_trgm', pair, similarity(a, b) FROM gold;
INSERT INTO outside SELECT 'simhash', pair, hamming_distance(simhash(a, 'chars:4'), simhash(b, 'chars:4')) FROM gold;
INSERT INTO outside SELECT 'jaccard', pair, jaccard_similarity(a, b, 'chars:5') FROM gold;
CREATE TABLE judged (nth int, method text, pair bigint, is_called boolean);
INSERT INTO judged SELECT 1, '**near_duplicate**', pair, near_duplicate(a, b) FROM gold;
INSERT INTO judged
SELECT m.nth, m.name, o.pair, CASE WHEN m.method = 'simhash' THEN value <= at ELSE value >= at END
FROM outside o JOIN (
    VALUES (2, 'datasketch MinHashLSH(0.5)', 'datasketch MinHashLSH(0.5)', 1), (3, 'datasketch MinHashLSH(0.7)', 'datasketch MinHashLSH(0.7)', 1),
           (4, 'datasketch MinHashLSH(0.9)', 'datasketch MinHashLSH(0.9)', 1), (5, 'SimHash of character 4-grams, distance 3', 'simhash', 3),
           (6, 'pg_trgm similarity ≥ 0.3', 'pg_trgm', 0.3), (7, 'pg_trgm similarity ≥ 0.5', 'pg_trgm', 0.5),
           (8, 'pg_trgm similarity ≥ 0.7', 'pg_trgm', 0.7), (9, 'pg_trgm similarity ≥ 0.9', 'pg_trgm', 0.9),
           (11, 'RETSim similarity ≥ 0.9 (unisim)', 'retsim', 0.9)) AS m (nth, name, method, at) USING (method);
-- With the threshold that is best on these very pairs, which no user knows beforehand.
CREATE FUNCTION pg_temp.best(of_method text) RETURNS float8 LANGUAGE sql STABLE RETURN (
    SELECT value
    FROM (SELECT value, sum(weight * is_copy::int) OVER w AS found, sum(weight) OVER w AS called
          FROM gold JOIN outside USING (pair) WHERE method = of_method WINDOW w AS (ORDER BY value DESC)) AS t,
         (SELECT sum(weight) FILTER (WHERE is_copy) AS copies FROM gold) AS total
    ORDER BY found / (called + copies) DESC LIMIT 1);
INSERT INTO judged
SELECT nth, format('%s ≥ %s, the best threshold on these pairs', name, bench.figure(at)), pair, value >= at
FROM outside JOIN (SELECT *, pg_temp.best(method) AS at
                   FROM (VALUES (10, 'Jaccard of character 5-grams', 'jaccard'), (12, 'RETSim similarity', 'retsim')) AS t (nth, name, method)) AS m USING (method);
SELECT bench.words('Not measured: ' || method) FROM outside WHERE pair IS NULL;

CREATE VIEW score AS
SELECT nth, method, set, corpus, count(*) AS pairs, count(*) FILTER (WHERE is_copy) AS copies,
       sum(weight) FILTER (WHERE is_copy AND is_called) / nullif(sum(weight) FILTER (WHERE is_called), 0) AS precision,
       coalesce(sum(weight) FILTER (WHERE is_copy AND is_called), 0) / nullif(sum(weight) FILTER (WHERE is_copy), 0) AS recall,
       2 * coalesce(sum(weight) FILTER (WHERE is_copy AND is_called), 0)
       / nullif(coalesce(sum(weight) FILTER (WHERE is_called), 0) + coalesce(sum(weight) FILTER (WHERE is_copy), 0), 0) AS f1
FROM judged JOIN gold USING (pair) GROUP BY GROUPING SETS ((nth, method, set), (nth, method, corpus));
CREATE FUNCTION pg_temp.share(value float8) RETURNS text LANGUAGE sql RETURN coalesce(to_char(value, 'FM0.000'), '–');

SELECT bench.grid('By set', format('The sets *natural* (%s pairs), *natural 2* (%s), *tables* (%s) and *web* (%s) of [accuracy.md](accuracy.md), texts without titles. '
    'Each method sees the two texts and nothing else; RETSim, the first 4,096 characters of each. Pairs are weighted by the rows that they represent. The verdict was trained on the first three sets: '
    'its figures for tables that it has not seen are those of [accuracy.md](accuracy.md#figures). *web* was never trained on.',
    count(*) FILTER (WHERE set = 'natural'), count(*) FILTER (WHERE set = 'natural 2'), count(*) FILTER (WHERE set = 'tables'), count(*) FILTER (WHERE set = 'web')),
    '', 'natural: precision', 'recall', 'F1', 'natural 2: precision', 'recall', 'F1', 'tables: precision', 'recall', 'F1', 'web: precision', 'recall', 'F1') FROM gold;
SELECT bench.row(VARIADIC ARRAY[method] || array_agg(pg_temp.share(value) ORDER BY array_position('{natural,natural 2,tables,web}', set), n))
FROM score, unnest(ARRAY[precision, recall, f1]) WITH ORDINALITY AS v (value, n) WHERE set IS NOT NULL GROUP BY nth, method ORDER BY nth;

CREATE TABLE language (corpus text, language text);
INSERT INTO language VALUES ('news', 'zh'), ('posts', 'zh'), ('titles', 'zh'), ('sports', 'zh'), ('broadcast', 'zh'), ('reuters', 'en'), ('web', 'en'), ('ru_telegram', 'ru'),
    ('en_20news', 'en'), ('en_cisa_csaf', 'en'), ('ja_sakamichi', 'ja');
SELECT bench.grid('By table: F1', 'All pairs of a table, of whatever set. F1 is 0 where a method finds none of the copies.',
    VARIADIC '{""}' || array_agg(format('%s (%s): %s pairs, %s copies', corpus, language, pairs, copies) ORDER BY array_position('{zh,en,ru}', language), corpus))
FROM score JOIN language USING (corpus) WHERE nth = 1 AND copies > 0;
SELECT bench.row(VARIADIC ARRAY[method] || array_agg(pg_temp.share(f1) ORDER BY array_position('{zh,en,ru}', language), corpus))
FROM score JOIN language USING (corpus) WHERE copies > 0 GROUP BY nth, method ORDER BY nth;
SELECT bench.grid('Tables without a copy: pairs wrongly called copies', 'Forms with other facts in each row; in *en_20news*, posts on one subject.',
    VARIADIC '{""}' || array_agg(format('%s (%s): %s pairs', corpus, language, pairs) ORDER BY language, corpus))
FROM score JOIN language USING (corpus) WHERE nth = 1 AND copies = 0;
SELECT bench.row(VARIADIC ARRAY[method] || array_agg(called::text ORDER BY language, corpus))
FROM (SELECT nth, method, language, corpus, count(*) FILTER (WHERE is_called) AS called
      FROM judged JOIN gold USING (pair) JOIN language USING (corpus)
      WHERE corpus IN (SELECT corpus FROM gold GROUP BY corpus HAVING NOT bool_or(is_copy)) GROUP BY 1, 2, 3, 4) AS wrong
GROUP BY nth, method ORDER BY nth;
DROP VIEW score;
DROP FUNCTION pg_temp.best;
DROP TABLE gold, outside, judged, language;
\endif
