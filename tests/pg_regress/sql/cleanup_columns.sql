-- A dry run says in which columns that the guard does not read the rows differ from those that are kept.
CREATE TABLE adverts (id int PRIMARY KEY, "Home city" varchar(20), level smallint, open boolean, link text UNIQUE, posted date, extra jsonb,
    title text, body text, slug text GENERATED ALWAYS AS (lower(title)) STORED);
SELECT neardup.protect('adverts', 'body', on_duplicate => 'warn');
SET client_min_messages = warning;
INSERT INTO adverts SELECT n, (ARRAY['Tampa', 'Arlington', ' Tampa ', NULL])[n], n % 2, true, 'link ' || n, '2031-01-01'::date + n, '{}', 'Nurse',
    'We are looking for a registered nurse with two years of practice who likes to work in a small team on the night shift; the clinic pays for training and moving.'
    FROM generate_series(1, 4) n;
RESET client_min_messages;
CALL neardup.cleanup('adverts');
-- What the guard reads is not counted, and it stays named.
SELECT neardup.protect('adverts', 'body', differ => ARRAY['level'], title => 'title');
CALL neardup.cleanup('adverts');
-- A title is read as evidence; where another title is another row, it must not differ.
UPDATE adverts SET title = 'Nurse (m/f/d)' WHERE id = 3;
CALL neardup.cleanup('adverts', threshold => 0.5);
SELECT neardup.protect('adverts', 'body', reset => '{title}', differ => '{level,title}');
CALL neardup.cleanup('adverts', threshold => 0.5);
UPDATE adverts SET title = 'Nurse' WHERE id = 3;
SELECT neardup.protect('adverts', 'body', differ => '{level}', title => 'title');
-- Nothing to say.
SELECT neardup.protect('adverts', 'body', differ => ARRAY['level', 'Home city']);
CALL neardup.cleanup('adverts');
-- Only columns that the caller may read.
SELECT neardup.protect('adverts', 'body', differ => '{}', reset => '{title}');
CREATE ROLE regress_columns;
GRANT SELECT (id, level, body, posted), DELETE ON adverts TO regress_columns;
SET ROLE regress_columns;
CALL neardup.cleanup('adverts', action => 'delete');
RESET ROLE;
-- Another table: columns of the same name and type.
CREATE TABLE known (id int PRIMARY KEY, "Home city" text, level smallint, body text);
INSERT INTO known SELECT 1, 'Reno', 7, body FROM adverts WHERE id = 1;
CALL neardup.cleanup('adverts', against => 'known');
-- Of many rows about 1,000 are looked at.
SET client_min_messages = error;
INSERT INTO adverts (id, level, title, body) SELECT n, n % 2, 'Cook', (SELECT body FROM adverts WHERE id = 1) FROM generate_series(5, 2600) n;
RESET client_min_messages;
CALL neardup.cleanup('adverts', document => 'body');
-- A value is long by its length, not by what is stored of it.
CREATE TABLE long (id int PRIMARY KEY, body text, short text, exact text, packed text, fixed char(3000));
INSERT INTO long SELECT n, (SELECT body FROM adverts WHERE id = 1), n, n || repeat('-', 1999), n || repeat('-', 2000), n FROM generate_series(1, 2) n;
SELECT bool_and(pg_column_size(packed) < 500 AND pg_column_size(fixed) < 500) AS packed FROM long;
SELECT neardup.protect('long', 'body', on_duplicate => 'warn');
CALL neardup.cleanup('long');
-- Names and values are not SQL.
CREATE TABLE "it's" ("i d" int PRIMARY KEY, "a""b; DROP TABLE known" text, "d'oc" text);
SELECT neardup.protect('"it''s"', 'd''oc', on_duplicate => 'mark');
INSERT INTO "it's" SELECT n, '''' || n, 'The night ferry from Willow Quay stops running next Monday; an electric bus takes its place at the same fare.' FROM generate_series(1, 2) n;
CALL neardup.cleanup('"it''s"');
DROP TABLE adverts, known, long, "it's";
DROP ROLE regress_columns;

-- values that only the removed rows have, of any type, and rows without a time
CREATE TABLE plans (id int PRIMARY KEY, published date, decision text, decided timestamptz, tags text[], body text);
INSERT INTO plans SELECT n, NULL, 'Permitted', now(), '{a}', 'Erection of a replacement dwelling number ' || n || ' with detached garage and vehicular access at the farm, field ' || (134000 + n) || ', Ramsey' FROM generate_series(1, 3) n;
INSERT INTO plans SELECT 100 + n, '2031-01-01'::date + n, CASE n WHEN 1 THEN 'Refused' END, NULL, NULL, 'Erection of a replacement dwelling number ' || n || ' with detached garage and vehicular access at the farm, field ' || (134000 + n) || ', Ramsey.' FROM generate_series(1, 3) n;
-- a column that half of the rows lack is not proposed as the time
SELECT neardup.protect('plans', 'body');
SELECT neardup.protect('plans', 'body', time_column => 'published');
CALL neardup.cleanup('plans');
CALL neardup.cleanup('plans', keep => 'most_complete');
CALL neardup.cleanup('plans', action => 'mark');
DROP TABLE plans;
