-- Loads table corpus (id, key, body, day) with real texts from outside the repository, `:corpus` of the folder; they belong to third parties and
-- never enter the repository. At most `:most` of them, evenly spread.
\setenv CORPUS :corpus
CREATE TABLE line (number bigint GENERATED ALWAYS AS IDENTITY, json text);
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/$CORPUS.jsonl.xz"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
CREATE TABLE corpus AS
SELECT row_number() OVER (ORDER BY number) AS id, json::json ->> 'id' AS key, json::json ->> 'text' AS body,
       to_date(substr(regexp_replace(json::json ->> 'date', '[^0-9]', '', 'g'), 1, 8), 'YYYYMMDD')::timestamp AS day
FROM (SELECT *, least(:most, count(*) OVER ()) AS wanted, count(*) OVER () AS there FROM line) AS counted
WHERE number * wanted / there <> (number - 1) * wanted / there;
DROP TABLE line;
ALTER TABLE corpus ADD PRIMARY KEY (id);
VACUUM (FREEZE, ANALYZE) corpus;
SELECT count(*) AS rows FROM corpus \gset
\echo '   ' :corpus: :rows rows
