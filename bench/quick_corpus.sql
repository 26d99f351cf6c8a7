-- Loads the first `:most` texts of `:corpus` of the folder of real texts into table corpus (id, body).
\setenv CORPUS :corpus
\setenv MOST :most
CREATE TABLE line (number bigint GENERATED ALWAYS AS IDENTITY, json text);
\copy line (json) FROM PROGRAM 'xz -dc "$DATA/$CORPUS.jsonl.xz" | head -n "$MOST"' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
CREATE TABLE corpus AS SELECT number AS id, json::json ->> 'text' AS body FROM line;
DROP TABLE line;
