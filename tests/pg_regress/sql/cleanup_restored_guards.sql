-- Restored rows are noted for each guard that the table has, whichever the clean-up went by.
CREATE FUNCTION body(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'Bicycle for sale, hardly used, with a basket, two lamps and a lock; can be collected at any time after six in the evening' || repeat('!', n) $$;
-- the guard of the clean-up is gone, and another one is there
CREATE TABLE adverts (id int PRIMARY KEY, body text, summary text);
INSERT INTO adverts SELECT n, body(n), 'In short: ' || body(n) FROM generate_series(1, 3) n;
SELECT neardup.protect('adverts', 'body'), neardup.protect('adverts', 'summary');
CALL neardup.cleanup('adverts', document => 'body', dry_run => false);
SELECT neardup.unprotect('adverts', 'body');
CALL neardup.restore('adverts', 1);
CALL neardup.cleanup('adverts', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM adverts;
-- two others are there
CREATE TABLE offers (id int PRIMARY KEY, body text, summary text, note text);
INSERT INTO offers SELECT n, body(n), 'In short: ' || body(n), 'Note: ' || body(n) FROM generate_series(1, 3) n;
SELECT neardup.protect('offers', 'body'), neardup.protect('offers', 'summary'), neardup.protect('offers', 'note');
CALL neardup.cleanup('offers', document => 'body', dry_run => false);
SELECT neardup.unprotect('offers', 'body');
CALL neardup.restore('offers', 1);
CALL neardup.cleanup('offers', document => 'note', dry_run => false);
CALL neardup.cleanup('offers', document => 'summary', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM offers;
-- the column has another name by now, and the guard marks
CREATE TABLE marked (id int PRIMARY KEY, body text);
SELECT neardup.protect('marked', 'body', on_duplicate => 'mark');
INSERT INTO marked SELECT n, body(n) FROM generate_series(1, 3) n;
CALL neardup.cleanup('marked', dry_run => false);
ALTER TABLE marked RENAME body TO content;
ALTER TABLE marked_removed RENAME body TO content;
CALL neardup.restore('marked', 1);
SELECT id, duplicate_of FROM marked ORDER BY id;
CALL neardup.cleanup('marked', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM marked;
-- a title and columns that tell rows apart, which the guard gets after the restore, end no note; nor is one ended by a guard that is made later. Another text ends it.
CREATE TABLE news (id int PRIMARY KEY, title text, city text, body text, summary text);
INSERT INTO news SELECT n, 'Bicycles', 'Rowmouth', body(n), 'In short: ' || body(n) FROM generate_series(1, 4) n;
SELECT neardup.protect('news', 'body', on_duplicate => 'warn');
CALL neardup.cleanup('news', dry_run => false);
CALL neardup.restore('news', 1);
SELECT neardup.protect('news', 'body', on_duplicate => 'warn', title => 'title', differ => '{city}');
UPDATE news SET body = body(9) WHERE id = 4;
SELECT key, note, holds FROM neardup.answers('news') WHERE note = 'no clean-up removes it' ORDER BY key;
CALL neardup.cleanup('news', dry_run => false);
SELECT neardup.protect('news', 'summary', on_duplicate => 'warn');
CALL neardup.cleanup('news', document => 'summary', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM news;
SELECT neardup.withdraw('news', act => 'restore') > 0;
CALL neardup.cleanup('news', document => 'summary', dry_run => false);
-- a guard that the restorer cannot use keeps no other one from noting
SET client_min_messages = error;
CREATE ROLE regress_owner;
GRANT CREATE ON SCHEMA public TO regress_owner;
SET ROLE regress_owner;
CREATE TABLE letters (id int PRIMARY KEY, body text, summary text);
CREATE FUNCTION of_letter(letters) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT $1.summary || '.' $$;
SELECT neardup.protect('letters', 'body');
SELECT neardup.protect('letters', 'summary', expression => 'of_letter');
INSERT INTO letters VALUES (1, body(1), 'The harbour bridge will close for repairs from Monday until the end of the month, the city said.');
BEGIN;
SELECT neardup.let_through('letters', false);
INSERT INTO letters VALUES (2, body(2), 'The West Hill tunnel was bored through two months early; traffic should start next spring.');
COMMIT;
RESET ROLE;
CALL neardup.cleanup('letters', document => 'body', dry_run => false);
RESET client_min_messages;
CALL neardup.restore('letters', 1);
CALL neardup.cleanup('letters', document => 'body', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM letters;
-- an answer about another row with the same text does not end a note
CREATE TABLE posts (id int PRIMARY KEY, body text);
INSERT INTO posts SELECT n, body(CASE WHEN n = 1 THEN 0 ELSE 2 END) FROM generate_series(1, 4) n;
SELECT neardup.protect('posts', 'body');
SET client_min_messages = error;
CALL neardup.cleanup('posts', dry_run => false);
CALL neardup.restore('posts', 1);
SELECT neardup.answer('posts', '3', '1', true);
CALL neardup.cleanup('posts', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM posts;
-- a whole run that is undone says nothing of what was answered, and says so of the row alone that it was answered of
SELECT neardup.withdraw('posts', act => 'restore') > 0;
CALL neardup.cleanup('posts', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM posts;
SELECT max(run_id) AS run FROM neardup.runs WHERE target = 'posts'::regclass \gset
RESET client_min_messages;
CALL neardup.restore('posts', :run);
SET client_min_messages = error;
CALL neardup.cleanup('posts', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM posts;
-- a large group is noted without its rows being compared with each other or, of one text, with the row that was kept, however many batches it was removed in, and it is said once
CREATE TABLE many (id int PRIMARY KEY, body text);
INSERT INTO many SELECT n, body(1) || CASE WHEN n BETWEEN 101 AND 110 THEN ' ' || chr(n - 36) ELSE '' END FROM generate_series(1, 250) n;
SELECT neardup.protect('many', 'body', on_duplicate => 'warn');
CALL neardup.cleanup('many', dry_run => false, batch => 110);
RESET client_min_messages;
CALL neardup.restore('many', 1);
SELECT note, count(*) FROM neardup.answers('many') GROUP BY 1 ORDER BY 1;
CALL neardup.cleanup('many', dry_run => false, batch => 400);
SET client_min_messages = error;
SELECT neardup.withdraw('many', '7', act => 'restore');
CALL neardup.cleanup('many', dry_run => false);
RESET client_min_messages;
CALL neardup.restore('many', 3);
DROP TABLE adverts, adverts_removed, adverts_answers, offers, offers_removed, offers_answers, marked, marked_removed, marked_answers, letters, letters_removed, letters_answers,
    posts, posts_removed, posts_answers, many, many_removed, many_answers, news, news_removed, news_answers CASCADE;
DROP FUNCTION body(int);
REVOKE ALL ON SCHEMA public FROM regress_owner;
DROP ROLE regress_owner;
