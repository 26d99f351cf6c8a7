-- Lists one whole table, `:corpus` of the folder, as a user would, and notes which labelled pairs of its rows fell into one group, and of which
-- labelled copies the row that may go is named, be it as a copy of a third row. Where rows have dates, the guard knows them.
SELECT :corpus_rows AS most \gset
\i bench/corpus.sql
CREATE TABLE listed AS SELECT id, body, day FROM corpus;
ALTER TABLE listed ADD PRIMARY KEY (id);
SELECT CASE WHEN count(day) > 0 THEN '''day''' ELSE 'NULL' END AS time_column FROM listed \gset
SELECT neardup.protect('listed', 'body', on_duplicate => 'warn', time_column => :time_column);
SELECT clock_timestamp() AS started \gset
CREATE TABLE copy AS
SELECT key::bigint AS id, duplicate_of::bigint AS stays, measure = 'identical' AS is_identical, value FROM neardup.duplicates('listed');
INSERT INTO bench.lists
SELECT :'corpus', (SELECT count(*) FROM corpus), count(*) FILTER (WHERE NOT is_identical),
       count(*) FILTER (WHERE NOT is_identical AND value >= :remove), extract(epoch FROM clock_timestamp() - :'started'::timestamptz)
FROM copy;
-- A row is found by its id, or else by its text. It is in the group of the row that would stay.
INSERT INTO bench.together
SELECT pair, is_together OR is_copy AND is_settled, is_together, (is_together OR is_copy AND is_settled) AND least_value >= :remove
FROM (SELECT pair, count(DISTINCT stays) = 1 AS is_together,
             bool_or(is_named AND (label = 'D' OR length = shortest)) AS is_settled,
             coalesce(min(value) FILTER (WHERE is_named), 1) AS least_value
      FROM (SELECT DISTINCT ON (pair, side) pair, side, coalesce(stays, id) AS stays, stays IS NOT NULL AS is_named, length(body) AS length,
                   min(length(body)) OVER (PARTITION BY pair) AS shortest, CASE WHEN is_identical THEN 1 ELSE value END AS value
            FROM (SELECT pair, side, c.id, body, 1 AS place FROM bench.side s JOIN corpus c USING (key) WHERE corpus = regexp_replace(:'corpus', '.*/', '')
                  UNION ALL
                  SELECT pair, side, c.id, body, 2 FROM bench.side s JOIN corpus c ON md5(body) = hash WHERE corpus = regexp_replace(:'corpus', '.*/', '')) AS found
                 LEFT JOIN copy USING (id)
            ORDER BY pair, side, place, id) AS row
           JOIN bench.labelled USING (pair)
      GROUP BY pair HAVING count(*) = 2) AS sides JOIN bench.labelled USING (pair);
UPDATE bench.labelled SET text1 = a.body, text2 = b.body FROM corpus a, corpus b WHERE text1 IS NULL AND a.key = id1 AND b.key = id2
    AND labelled.corpus = regexp_replace(:'corpus', '.*/', '');
DROP TABLE copy, listed, corpus;
