-- virtual generated columns, which tables have from version 18 on: a guard does not read them, and a clean-up computes them again
SELECT current_setting('server_version_num')::int < 180000 AS is_older \gset
\if :is_older
\quit
\endif
\set SHOW_CONTEXT never
CREATE TABLE news (id int PRIMARY KEY, body text, loud text GENERATED ALWAYS AS (upper(body)) VIRTUAL);
SELECT neardup.protect('news', 'loud');
SELECT neardup.protect('news', 'body', scope => '{loud}');
-- Postgres inlines the function in SQL, and cannot evaluate the column in an index
CREATE FUNCTION news_text(news) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'News: ' || $1.loud;
SELECT neardup.protect('news', 'body', expression => 'news_text');
\set VERBOSITY sqlstate
SELECT neardup.protect('news', 'body', expression => 'news_text');
\set VERBOSITY default
-- one that does not read the column serves
CREATE OR REPLACE FUNCTION news_text(news) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'News: ' || $1.body;
SELECT neardup.protect('news', 'body', expression => 'news_text');
INSERT INTO news VALUES (1, 'The harbour bridge stays closed until Monday, the city said on Friday afternoon.');
INSERT INTO news VALUES (2, 'The harbour bridge stays closed until Monday, the city said on Friday afternoon!');
BEGIN;
SELECT neardup.let_through('news', false);
INSERT INTO news VALUES (2, 'The harbour bridge stays closed until Monday, the city said on Friday afternoon!');
COMMIT;
SELECT id, loud FROM news ORDER BY id;
SELECT key, duplicate_of FROM neardup.duplicates('news');
CALL neardup.cleanup('news', dry_run => false);
SELECT id, loud FROM news ORDER BY id;
CALL neardup.restore('news', 1);
SELECT id, loud FROM news ORDER BY id;
DROP TABLE news_removed;
DROP TABLE news CASCADE;
