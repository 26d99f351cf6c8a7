-- another encoding is refused, and the way out is named
CREATE DATABASE neardup_latin1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0;
\c neardup_latin1
\set SHOW_CONTEXT never
CREATE EXTENSION pg_neardup;
\c regression
DROP DATABASE neardup_latin1;
-- also where a character of the extension's script would not be one
CREATE DATABASE neardup_euc_cn ENCODING 'EUC_CN' LOCALE 'C' TEMPLATE template0;
\c neardup_euc_cn
\set SHOW_CONTEXT never
CREATE EXTENSION pg_neardup;
\c regression
DROP DATABASE neardup_euc_cn;
-- a dry run says nothing that a client with another encoding cannot be told
CREATE TABLE adverts (id int PRIMARY KEY, body text);
INSERT INTO adverts SELECT n, 'Bicycle for sale, hardly used, with a basket, two lamps and a lock; can be collected at any time after six in the evening' || repeat('!', n) FROM generate_series(1, 2) n;
SELECT neardup.protect('adverts', 'body');
SET client_encoding = 'LATIN1';
CALL neardup.cleanup('adverts');
RESET client_encoding;
DROP TABLE adverts;
