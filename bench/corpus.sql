-- Loads table corpus (id, key, body, day) with real texts from outside the repository, `:corpus` of the folder; they belong to third parties and
-- never enter the repository. At most `:most` of them, evenly spread.
\setenv CORPUS :corpus
CREATE TABLE line (number bigint GENERATED ALWAYS AS IDENTITY, json text);
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/$CORPUS.jsonl.xz"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
CREATE TABLE corpus AS
SELECT row_number() OVER (ORDER BY number) AS id, json::json ->> 'id' AS key, json::json ->> 'text' AS body,
       CASE WHEN digits ~ '^\d{4}(0[1-9]|1[0-2])\d\d' THEN make_date(left(digits, 4)::int, substr(digits, 5, 2)::int, 1) + (substr(digits, 7, 2)::int - 1) END::timestamp AS day
FROM (SELECT *, regexp_replace(json::json ->> 'date', '[^0-9]', '', 'g') AS digits, least(:most, count(*) OVER ()) AS wanted, count(*) OVER () AS there FROM line) AS counted
WHERE number * wanted / there <> (number - 1) * wanted / there;
DROP TABLE line;
ALTER TABLE corpus ADD PRIMARY KEY (id);
VACUUM (FREEZE, ANALYZE) corpus;
SELECT count(*) AS rows FROM corpus \gset
\echo '   ' :corpus: :rows rows
