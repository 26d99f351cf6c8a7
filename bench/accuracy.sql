-- How many of the copies in real tables a guard finds, and how many rows it wrongly calls copies, beside other methods on the same pairs
-- in the same run; which labelled pairs fall into one group when whole tables are listed; and how many rows a guard marks. The texts are outside the repository.
SELECT :has_folder AND bench.wants('pairs') AS pairs, :has_folder AND bench.wants('lists') AS lists,
       :has_folder AND bench.wants('tables') AS tables \gset
\if :has_folder
\else
SELECT bench.words('Left out: there is no folder of real texts (`NEARDUP_DATA`).');
\echo '    left out: there is no folder of real texts (NEARDUP_DATA)'
\endif
\if :pairs
-- Each pair goes through a guard, or is judged by another method. A pair is two rows of one scope, the longer text first, so a guard
-- compares only these two with each other. Labels D and P are copies; R, T and U are not. A pair counts with its weight, the number of
-- rows of its corpus that it represents. Pairs with an undoubted label are reported separately.
\echo '    pairs that were read one by one'
CREATE TABLE line (number bigint GENERATED ALWAYS AS IDENTITY, json text);
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/natural_gold.jsonl.xz"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
CREATE TABLE gold AS
SELECT number AS pair, corpus, weight, sure, label IN ('D', 'P') AS is_copy,
       CASE WHEN first THEN text1 ELSE text2 END AS longer, CASE WHEN first THEN text2 ELSE text1 END AS shorter
FROM line, json_to_record(json::json) AS j (corpus text, weight float8, sure boolean, label text, text1 text, text2 text),
     LATERAL (SELECT length(text1) >= length(text2) AS first) AS lengths;
ALTER TABLE gold ADD PRIMARY KEY (pair);
ANALYZE gold;
DROP TABLE line;
-- For Jaccard similarity, the threshold is the one with the best F1 on these pairs.
CREATE TABLE similar_pair AS SELECT pair, jaccard_similarity(longer, shorter, 'chars:5') AS jaccard FROM gold;
SELECT jaccard AS threshold
FROM (SELECT jaccard, sum(weight * is_copy::int) OVER w AS found, sum(weight) OVER w AS called
      FROM gold JOIN similar_pair USING (pair) WINDOW w AS (ORDER BY jaccard DESC)) AS thresholds,
     (SELECT sum(weight) FILTER (WHERE is_copy) AS copies FROM gold) AS total
ORDER BY found / (called + copies) DESC LIMIT 1 \gset

-- A method: its condition for candidates, if it does not compare each pair; the settings of a guard that marks the second row, or a
-- condition.
CREATE TABLE method (method int GENERATED ALWAYS AS IDENTITY, name text, candidate text, guard text, condition text);
\set sketches 'sketch(longer) && sketch(shorter)'
\set within '$$simhash_within(simhash(longer, ''chars:3''), simhash(shorter, ''chars:3''), %s)$$'
\set bands '$$minhash_bands(minhash(longer, ''chars:5''), 16, 8) && minhash_bands(minhash(shorter, ''chars:5''), 16, 8)$$'
INSERT INTO method (name, candidate, guard, condition) VALUES
    ('guard, method sketch', :'sketches', 'method => ''sketch''', NULL),
    ('guard, method simhash, distance 7', format(:within, 7), 'method => ''simhash'', distance => 7', NULL),
    ('guard, method simhash, distance 3', format(:within, 3), 'method => ''simhash'', distance => 3', NULL),
    ('SimHash alone, distance 7', format(:within, 7), 'method => ''simhash'', distance => 7, verify => ''none''', NULL),
    ('SimHash alone, distance 3', format(:within, 3), 'method => ''simhash'', distance => 3, verify => ''none''', NULL),
    ('MinHash bands, same verdict', :bands, NULL, :bands || ' AND neardup_internal.is_near_duplicate(longer, shorter)'),
    ('MinHash bands alone', :bands, NULL, :bands),
    ('Jaccard of character 5-grams, at least ' || bench.figure(:threshold), NULL, NULL,
     format('(SELECT jaccard FROM similar_pair s WHERE s.pair = gold.pair) >= %s', :threshold));

CREATE TABLE judged (method int, pair bigint, is_candidate boolean, is_called boolean);
DO $$
DECLARE
    m method;
BEGIN
    FOR m IN SELECT * FROM method ORDER BY method LOOP
        CREATE TABLE two (id bigint PRIMARY KEY, pair bigint, body text, duplicate_of bigint);
        IF m.guard IS NOT NULL THEN
            ALTER TABLE two DROP duplicate_of;
            EXECUTE format('SELECT neardup.protect(''two'', ''body'', %s, on_duplicate => ''mark'', scope => ''{pair}'')', m.guard);
            INSERT INTO two (id, pair, body)
            SELECT 2 * pair + place, pair, body FROM gold, LATERAL (VALUES (0, longer), (1, shorter)) AS texts (place, body) ORDER BY 1;
            m.condition := '(SELECT bool_or(duplicate_of IS NOT NULL) FROM two WHERE two.pair = gold.pair)';
        END IF;
        EXECUTE format('INSERT INTO judged SELECT %s, pair, coalesce(%s, false), coalesce(%s, false) FROM gold',
                       m.method, coalesce(m.candidate, 'true'), m.condition);
        DROP TABLE two;
    END LOOP;
END
$$;
-- Shares by weight.
CREATE VIEW score AS
SELECT method, corpus, is_sure, count(*) AS pairs,
       sum(weight) FILTER (WHERE is_copy AND is_candidate) / sum(weight) FILTER (WHERE is_copy) AS candidates,
       sum(weight) FILTER (WHERE is_copy AND is_called) / sum(weight) FILTER (WHERE is_called) AS precision,
       coalesce(sum(weight) FILTER (WHERE is_copy AND is_called), 0) / sum(weight) FILTER (WHERE is_copy) AS recall,
       2 * sum(weight) FILTER (WHERE is_copy AND is_called)
       / (coalesce(sum(weight) FILTER (WHERE is_called), 0) + coalesce(sum(weight) FILTER (WHERE is_copy), 0)) AS f1
FROM judged JOIN gold USING (pair), unnest('{f,t}'::boolean[]) is_sure WHERE sure OR NOT is_sure
GROUP BY GROUPING SETS ((method, is_sure), (method, corpus, is_sure));
CREATE FUNCTION pg_temp.share(value float8) RETURNS text LANGUAGE sql RETURN coalesce(to_char(value, 'FM0.000'), '–');
SELECT a.pairs AS all_pairs, s.pairs AS sure_pairs FROM score a JOIN score s USING (method)
WHERE method = 1 AND a.corpus IS NULL AND s.corpus IS NULL AND NOT a.is_sure AND s.is_sure \gset

SELECT bench.grid('Pairs', format('`natural_gold`: %s pairs of real rows, read one by one and weighted by the number of rows they represent; %s of '
    'them have an undoubted label (*sure*). Identical texts are left out. A guard marks the second row of a pair, the shorter text. *Candidates* is '
    'the share of the copies that the method compares. All methods use the same verdict on candidates, except the lines with *alone*. MinHash has '
    '128 values of `chars:5` in 16 bands of 8. Jaccard similarity is exact, with the threshold that gives the best F1 on these pairs.', :all_pairs, :sure_pairs),
    '', 'candidates', 'precision', 'recall', 'F1', 'sure: precision', 'recall', 'F1');
SELECT bench.row(m.name, CASE WHEN m.candidate IS NULL THEN 'each pair' ELSE pg_temp.share(a.candidates) END, pg_temp.share(a.precision), pg_temp.share(a.recall),
                 pg_temp.share(a.f1), pg_temp.share(s.precision), pg_temp.share(s.recall), pg_temp.share(s.f1))
FROM method m JOIN score a USING (method) JOIN score s USING (method)
WHERE a.corpus IS NULL AND s.corpus IS NULL AND NOT a.is_sure AND s.is_sure ORDER BY method;
SELECT bench.grid('Pairs by corpus', 'The guard with method `sketch`.', '', 'pairs', 'candidates', 'precision', 'recall', 'F1', 'sure: precision', 'recall', 'F1');
SELECT bench.row(corpus, a.pairs::text, pg_temp.share(a.candidates), pg_temp.share(a.precision), pg_temp.share(a.recall), pg_temp.share(a.f1),
                 pg_temp.share(s.precision), pg_temp.share(s.recall), pg_temp.share(s.f1))
FROM score a JOIN score s USING (method, corpus) WHERE method = 1 AND NOT a.is_sure AND s.is_sure ORDER BY corpus;
SELECT bench.aim('candidates, share of the copies', candidates, at_least => 0.98), bench.aim('guard, precision', precision, at_least => 0.96),
       bench.aim('guard, F1', f1, at_least => 0.92)
FROM score WHERE method = 1 AND corpus IS NULL AND NOT is_sure;
DROP VIEW score;
DROP TABLE gold, similar_pair, method, judged;
\endif

\if :lists
-- Labels D and P are one message; T, R and U are not; replies that quote (Q) are left out. Pairs of the `gone` file have ids only; their texts
-- come from the tables.
CREATE TABLE line (set text, json text);
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/natural_gold.jsonl.xz"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
UPDATE line SET set = 'natural' WHERE set IS NULL;
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/natural_gold_2.jsonl.xz"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
UPDATE line SET set = 'natural 2' WHERE set IS NULL;
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/tables/gold.jsonl.xz"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
UPDATE line SET set = 'tables' WHERE set IS NULL;
CREATE TABLE removed (corpus text, id1 text, id2 text, label text, sure text);
\copy removed FROM 'crates/neardup-verdict/examples/labelled/gone.tsv'
CREATE TABLE bench.labelled (pair bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, set text, corpus text, weight float8, sure boolean,
                             is_copy boolean, id1 text, id2 text, text1 text, text2 text);
INSERT INTO bench.labelled (set, corpus, weight, sure, is_copy, id1, id2, text1, text2)
SELECT set, corpus, weight, sure, label IN ('D', 'P'), id1, id2, text1, text2
FROM line, json_to_record(json::json) AS j (corpus text, weight float8, sure boolean, label text, id1 text, id2 text, text1 text, text2 text)
WHERE label <> 'Q'
UNION ALL
SELECT 'gone', corpus, 1, sure = 'sure', label IN ('D', 'P'), id1, id2, NULL, NULL FROM removed WHERE label <> 'Q';
-- Pairs on which a second reader disagrees are not sure.
CREATE TABLE second (corpus text, id1 text, id2 text, label text, sure text);
\copy second FROM 'crates/neardup-verdict/examples/labelled/second.tsv'
UPDATE bench.labelled AS p SET sure = false FROM second AS s
WHERE (p.id1, p.id2) IN ((s.id1, s.id2), (s.id2, s.id1)) AND p.is_copy <> (s.label IN ('D', 'P'));
CREATE TABLE bench.side AS
SELECT pair, side, corpus, key, md5(body) AS hash
FROM bench.labelled, LATERAL (VALUES (1, id1, text1), (2, id2, text2)) AS sides (side, key, body);
DROP TABLE line, removed, second;
CREATE TABLE bench.lists (corpus text, rows float8, gone float8, removed float8, seconds float8);
CREATE TABLE bench.together (pair bigint, is_called boolean, is_removed boolean);
-- The least score of a clean-up.
\set remove 0.85
\set corpus news
\i bench/accuracy_list.sql
\set corpus broadcast
\i bench/accuracy_list.sql
\set corpus sports
\i bench/accuracy_list.sql
\set corpus posts
\i bench/accuracy_list.sql
\set corpus titles
\i bench/accuracy_list.sql
\set corpus reuters
\i bench/accuracy_list.sql
\set corpus tables/ja_sakamichi
\i bench/accuracy_list.sql
\set corpus tables/en_cisa_csaf
\i bench/accuracy_list.sql
\set corpus tables/en_20news
\i bench/accuracy_list.sql
\set corpus tables/ru_telegram
\i bench/accuracy_list.sql
CREATE TEMPORARY VIEW score AS
SELECT set, corpus, is_sure, count(*) AS pairs, count(*) FILTER (WHERE is_copy) AS copies,
       sum(weight) FILTER (WHERE is_copy AND is_called) / sum(weight) FILTER (WHERE is_called) AS precision,
       coalesce(sum(weight) FILTER (WHERE is_copy AND is_called), 0) / sum(weight) FILTER (WHERE is_copy) AS recall,
       2 * coalesce(sum(weight) FILTER (WHERE is_copy AND is_called), 0)
       / nullif(coalesce(sum(weight) FILTER (WHERE is_called), 0) + coalesce(sum(weight) FILTER (WHERE is_copy), 0), 0) AS f1,
       count(*) FILTER (WHERE is_called AND NOT is_copy) AS wrong, count(*) FILTER (WHERE is_called) AS called,
       count(*) FILTER (WHERE is_removed AND NOT is_copy) AS wrongly_removed, count(*) FILTER (WHERE is_removed) AS removed
FROM bench.labelled JOIN bench.together USING (pair), unnest('{f,t}'::boolean[]) is_sure WHERE sure OR NOT is_sure
GROUP BY GROUPING SETS ((set, is_sure), (set, corpus, is_sure));
CREATE FUNCTION pg_temp.ratio(value float8) RETURNS text LANGUAGE sql RETURN coalesce(to_char(value, 'FM0.000'), '–');
SELECT bench.grid('Whole tables, listed', 'Each table is listed once, as a user would (`neardup.duplicates`), and each labelled pair of its rows is called a copy '
    'if both rows fell into one group. Precision, recall and F1 count a pair with its rows. *Removed*: pairs in one group whose score a clean-up '
    'requires. The model was trained on these pairs; docs/accuracy.md has the figures of models that were not.',
    '', 'pairs', 'copies', 'precision', 'recall', 'F1', 'sure: pairs', 'F1', 'wrong of called', 'wrong of removed');
SELECT bench.row(a.set || coalesce(', ' || a.corpus, ''), a.pairs::text, a.copies::text, pg_temp.ratio(a.precision), pg_temp.ratio(a.recall), pg_temp.ratio(a.f1),
                 coalesce(s.pairs, 0)::text, pg_temp.ratio(s.f1), format('%s of %s', a.wrong, a.called), format('%s of %s', a.wrongly_removed, a.removed))
FROM score a LEFT JOIN score s ON s.set = a.set AND s.corpus IS NOT DISTINCT FROM a.corpus AND s.is_sure
WHERE NOT a.is_sure ORDER BY a.set, a.corpus NULLS FIRST;
SELECT bench.grid('Whole tables, rows', 'Rows that a list names and that are not identical to the row that stays, and those of them that a clean-up removes.',
    '', 'rows', 'named', 'removed', 'seconds');
SELECT bench.row(corpus, bench.grouped(rows), bench.grouped(gone), bench.grouped(removed), bench.figure(seconds)) FROM bench.lists;
-- A guard has nothing to learn from when the second row of a form comes: it judges by the two texts.
SELECT bench.grid('The second row of its form', 'How often two rows that are not copies are called so if the table has no other rows: the share of the pairs with '
    'labels T, R and U that the verdict on the two texts calls a copy; and beside it, if the whole table is known.', '', 'pairs', 'two texts', 'whole table');
SELECT bench.row(corpus, count(*)::text, count(*) FILTER (WHERE neardup_internal.is_near_duplicate(text1, text2))::text, count(*) FILTER (WHERE is_called)::text)
FROM bench.labelled JOIN bench.together USING (pair) WHERE NOT is_copy GROUP BY corpus ORDER BY corpus;
DROP VIEW score;
DROP TABLE bench.labelled, bench.side, bench.lists, bench.together;
\endif

\if :tables
CREATE TABLE bench.marked (n int GENERATED ALWAYS AS IDENTITY, corpus text, rows float8, marked float8);
\set corpus news
\i bench/accuracy_corpus.sql
\set corpus posts
\i bench/accuracy_corpus.sql
\set corpus sports
\i bench/accuracy_corpus.sql
\set corpus broadcast
\i bench/accuracy_corpus.sql
\set corpus titles
\i bench/accuracy_corpus.sql
\set corpus reuters
\i bench/accuracy_corpus.sql
SELECT bench.grid('Whole tables', 'Each corpus is inserted row by row under a guard with `on_duplicate => ''mark''`; of the titles, 150,000 evenly '
    'spread ones.',
                  '', 'rows', 'marked', 'share');
SELECT bench.row(corpus, bench.grouped(rows), bench.grouped(marked), to_char(marked / rows, 'FM0.000')) FROM bench.marked ORDER BY n;
DROP TABLE bench.marked;
\endif
