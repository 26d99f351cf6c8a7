-- texts kept out of line, compressed or not: always the text that Postgres reads
CREATE VIEW wanted AS SELECT n, repeat(md5(n::text) || chr(19968 + n), 30 + n * n * 37 % 700) AS body FROM generate_series(1, 120) n;
CREATE TABLE texts (n int PRIMARY KEY, body text);
ALTER TABLE texts ALTER body SET STORAGE EXTERNAL;
INSERT INTO texts SELECT * FROM wanted;
CREATE TABLE others (LIKE texts INCLUDING STORAGE);
INSERT INTO others SELECT n, reverse(body) FROM wanted ORDER BY md5(n::text);
SELECT min(chunks), max(chunks), count(*) AS texts FROM (SELECT ceil(octet_length(body) / 1996.0) AS chunks FROM texts) c;
\set wrong 'count(*) AS texts, count(*) FILTER (WHERE simhash(body, ''chars:5'') IS DISTINCT FROM simhash(body || '''', ''chars:5'')) AS wrong'
\set both 'count(*) AS texts, count(*) FILTER (WHERE text_digest(a.body) = text_digest(reverse(b.body || '''')) AND text_digest(reverse(b.body)) = text_digest(a.body || '''')) AS right'
-- in the order written, backwards, in any order, by turns with another table
SELECT :wrong FROM texts;
SELECT :wrong FROM (SELECT body FROM texts ORDER BY n DESC OFFSET 0) t;
SELECT :wrong FROM (SELECT body FROM texts ORDER BY md5(n::text) OFFSET 0) t;
SELECT :both FROM texts a JOIN others b USING (n);
-- with holes, and with what was put into them
DELETE FROM texts WHERE n % 3 = 0;
VACUUM texts;
UPDATE texts SET body = body || 'more' WHERE n % 2 = 0;
INSERT INTO texts SELECT * FROM wanted WHERE n % 3 = 0;
SELECT :wrong FROM texts;
SELECT :wrong FROM others;
-- of rows that are no more
BEGIN;
DECLARE old CURSOR FOR SELECT :wrong FROM texts GROUP BY n % 2 ORDER BY 1;
DELETE FROM texts WHERE n > 10;
FETCH ALL FROM old;
SELECT :wrong FROM texts;
ROLLBACK;
-- in a table that has become shorter since: the same file, another file, a savepoint undone
BEGIN;
CREATE TABLE shorter (LIKE texts INCLUDING STORAGE);
INSERT INTO shorter SELECT * FROM wanted;
SELECT :wrong FROM shorter;
TRUNCATE shorter;
INSERT INTO shorter SELECT * FROM wanted WHERE n = 119;
SELECT :wrong FROM shorter;
SAVEPOINT s;
TRUNCATE texts;
INSERT INTO texts SELECT * FROM wanted WHERE n < 4;
SELECT :wrong FROM texts;
ROLLBACK TO s;
SELECT :wrong FROM texts;
COMMIT;
DELETE FROM texts WHERE n > 5;
VACUUM texts;
SELECT :wrong FROM texts;
-- made anew with its index, and the index alone
VACUUM FULL texts;
SELECT :wrong FROM texts;
SELECT reltoastrelid::regclass AS toast FROM pg_class WHERE oid = 'texts'::regclass \gset
REINDEX TABLE :toast;
SELECT :wrong FROM texts;
-- compressed by pglz, in several chunks
ALTER TABLE others ALTER body SET STORAGE EXTENDED;
UPDATE others SET body = (SELECT string_agg('第' || n * m || '条消息说' || md5(m::text), '，') FROM generate_series(1, 10 * n) m);
SELECT :wrong, count(*) FILTER (WHERE pg_column_compression(body) = 'pglz' AND pg_column_size(body) > 1996) > 50 AS chunks FROM others;
