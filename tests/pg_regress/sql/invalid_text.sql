\set SHOW_CONTEXT never
-- Bytes that are no UTF-8, as a damaged page or a function in C may give them (dblink does): an error, and nothing worse.
CREATE CAST (bytea AS text) WITHOUT FUNCTION;
CREATE TABLE raw (id int PRIMARY KEY, body text);
SELECT neardup.protect('raw', 'body', on_duplicate => 'warn');
INSERT INTO raw VALUES (1, (decode(repeat('c0f8bf', 200), 'hex'))::text);
INSERT INTO raw VALUES (1, ('\x416c6c2069732077656c6c80f8'::bytea)::text);
ALTER TABLE raw DISABLE TRIGGER USER;
DROP INDEX raw_sketch_idx;
INSERT INTO raw SELECT n, ('\x416c6c2069732077656c6c80f8'::bytea)::text FROM generate_series(1, 2) n;
SELECT sketch(body) FROM raw;
SELECT simhash(body) FROM raw;
SELECT minhash(body, 'words') FROM raw;
SELECT tokenset(body) FROM raw;
SELECT same_message(body, body) FROM raw;
SELECT near_duplicate(body, body) FROM raw;
SELECT * FROM fact_conflicts(('\xe4b880e4'::bytea)::text, 'one');
SELECT explain_similarity_text('one', ('\xff'::bytea)::text);
SELECT jaccard_similarity(body, body) FROM raw;
SELECT tokens(body, 'words') FROM raw;
SELECT normalize_text(body) FROM raw;
SELECT sentences(body) FROM raw;
SELECT id, near_duplicate_of(body) OVER (ORDER BY id) FROM raw;
CREATE INDEX ON raw USING neardup (sketch(body));
DROP TABLE raw;
DROP CAST (bytea AS text);
