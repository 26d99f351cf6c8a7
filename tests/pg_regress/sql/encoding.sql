-- another encoding is refused, and the way out is named
CREATE DATABASE neardup_latin1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0;
\c neardup_latin1
\set SHOW_CONTEXT never
CREATE EXTENSION pg_neardup;
\c regression
DROP DATABASE neardup_latin1;
