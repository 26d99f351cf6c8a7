-- Marks follow the row that a clean-up keeps, restored rows have none, and tables beside a renamed table are missed.
SET client_min_messages = warning;
CREATE TABLE feed (id int PRIMARY KEY, source text, rank int, body text);
SELECT neardup.protect('feed', 'body', on_duplicate => 'mark');
CREATE FUNCTION story(n int, ending text DEFAULT '') RETURNS text LANGUAGE sql RETURN
    (ARRAY['The North Pier Bakery looks for a baker who starts at four in the morning, works five days a week and bakes rye bread in a stone oven. Apply at the counter.',
           'The harbour office looks for a clerk who keeps the list of berths, answers the telephone and speaks two languages. Apply in writing until the end of May.'])[n] || ending;
INSERT INTO feed VALUES (1, 'agency', 2, story(1)), (2, 'employer', 1, story(1, '!')), (3, 'board', 3, story(1, ' (copied)')), (4, 'agency', 2, story(2)), (5, 'board', 3, story(2, '!'));
SELECT id, duplicate_of FROM feed ORDER BY id;
-- a dry run changes nothing; the employer's own row stays, and stands for its group
CALL neardup.cleanup('feed', rank => ARRAY['rank'], max_rows => 1, on_more => 'surest');
SELECT id, duplicate_of FROM feed WHERE id < 4 ORDER BY id;
INSERT INTO feed VALUES (6, 'board', 3, replace(story(1), 'rye bread in a stone oven', 'rolls and rye bread in an old oven'));
CALL neardup.cleanup('feed', rank => ARRAY['rank'], dry_run => false);
SELECT id, duplicate_of FROM feed ORDER BY id;
INSERT INTO feed VALUES (7, 'board', 3, story(1, ' (again)'));
SELECT id, duplicate_of FROM feed WHERE id = 7;
-- what comes back has no mark, and nothing but its return is an answer
CALL neardup.restore('feed', 1);
SELECT id, duplicate_of FROM feed ORDER BY id;
SELECT DISTINCT act FROM neardup.answers('feed');
-- as it was, if it is a copy after all
CREATE TABLE items (id int PRIMARY KEY, day date, body text);
SELECT neardup.protect('items', 'body', on_duplicate => 'mark', time_column => 'day');
INSERT INTO items VALUES (1, '2026-01-01', story(1)), (2, '2026-01-02', story(1, '!')), (3, '2026-01-03', story(1, ' (copied)'));
CALL neardup.cleanup('items', keep => 'newest', action => 'delete', dry_run => false);
SELECT id, duplicate_of FROM items;
INSERT INTO items VALUES (4, '2026-01-04', story(2)), (5, '2026-01-05', story(2, '!'));
CALL neardup.cleanup('items', dry_run => false);
CALL neardup.restore('items', 2, answer => false);
SELECT id, duplicate_of FROM items ORDER BY id;
-- merged rows
CREATE TABLE merged (id int PRIMARY KEY, day date, body text);
SELECT neardup.protect('merged', 'body', on_duplicate => 'mark', time_column => 'day');
-- a function that fills every column makes no row a copy of itself
CREATE FUNCTION keep(existing merged, new merged) RETURNS merged LANGUAGE sql AS 'SELECT existing.id, existing.day, existing.body, coalesce(existing.duplicate_of, new.duplicate_of)';
INSERT INTO merged VALUES (1, '2026-01-01', story(1)), (2, '2026-01-02', story(1, '!')), (3, '2026-01-03', story(2)), (4, '2026-01-04', story(2, '!'));
CALL neardup.cleanup('merged', max_rows => 1, on_more => 'surest', action => 'merge', merge => 'keep', dry_run => false);
SELECT id, duplicate_of FROM merged ORDER BY id;
CALL neardup.cleanup('merged', keep => 'newest', action => 'merge', merge => 'keep', dry_run => false);
SELECT id, duplicate_of FROM merged ORDER BY id;
-- without removing anything, marks move to the row that the caller prefers, with no answer, and a second run has nothing to move
CREATE TABLE moved (id int PRIMARY KEY, rank int, body text);
SELECT neardup.protect('moved', 'body', on_duplicate => 'mark');
INSERT INTO moved SELECT id, rank, story(n, ending) FROM (VALUES (1, 2, 1, ''), (2, 1, 1, '!'), (3, 3, 1, ' (copied)'), (4, 2, 2, ''), (5, 3, 2, '!'), (6, 1, 2, ' *')) v(id, rank, n, ending);
SELECT id, duplicate_of FROM moved ORDER BY id;
CALL neardup.cleanup('moved', rank => ARRAY['rank'], action => 'mark', batch => 1, dry_run => false);
SELECT id, duplicate_of FROM moved ORDER BY id;
SET client_min_messages = notice;
CALL neardup.cleanup('moved', rank => ARRAY['rank'], action => 'mark');
CALL neardup.cleanup('moved', action => 'mark');
SET client_min_messages = warning;
-- a new row names the row that stands for the group now; marks move back
INSERT INTO moved VALUES (7, 9, story(1, ' (again)')), (8, 0, story(2, ' **'));
SELECT id, duplicate_of FROM moved WHERE id > 6 ORDER BY id;
CALL neardup.cleanup('moved', rank => ARRAY['id'], action => 'mark', max_rows => 1, on_more => 'surest', dry_run => false);
SELECT id, duplicate_of FROM moved ORDER BY id;
CALL neardup.cleanup('moved', rank => ARRAY['id'], action => 'mark', dry_run => false);
SELECT id, duplicate_of FROM moved ORDER BY id;
CALL neardup.cleanup('moved', keep => 'newest', action => 'mark', dry_run => false);
SELECT id, duplicate_of FROM moved ORDER BY id;
SELECT count(*) FROM neardup.answers('moved');
SELECT count(*) AS in_a_circle FROM moved m JOIN moved o ON o.id = m.duplicate_of WHERE o.duplicate_of IS NOT NULL;
-- a row that was answered to be no copy gets no mark
UPDATE moved SET duplicate_of = NULL WHERE id = 1;
CALL neardup.cleanup('moved', keep => 'longest', action => 'mark', dry_run => false);
SELECT id, duplicate_of FROM moved ORDER BY id;
-- a mark that leads to another row stays, if that keeps its own place: it is out of scope, or a trigger will have it so
CREATE TABLE led (id int PRIMARY KEY, rank int, part text, body text);
SELECT neardup.protect('led', 'body', on_duplicate => 'mark');
INSERT INTO led VALUES (1, 5, 'a', story(1)), (2, 1, 'b', story(1, '!')), (3, 9, 'b', story(1, ' (copied)'));
CALL neardup.cleanup('led', rank => '{rank}', action => 'mark', scope => '{part}', dry_run => false);
SELECT id, duplicate_of FROM led ORDER BY id;
CALL neardup.cleanup('led', rank => '{rank}', action => 'mark', max_rows => 1, on_more => 'surest', dry_run => false);
SELECT id, duplicate_of FROM led ORDER BY id;
CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN CASE WHEN OLD.id <> 1 THEN NEW END; END';
CREATE TRIGGER stay BEFORE UPDATE ON led FOR EACH ROW EXECUTE FUNCTION stay();
CALL neardup.cleanup('led', keep => 'newest', action => 'mark', dry_run => false);
SELECT id, duplicate_of FROM led ORDER BY id;
-- a row that becomes like its copy is no copy of itself
CREATE TABLE same (id int, part int, body text, PRIMARY KEY (id, part));
SELECT neardup.protect('same', 'body', on_duplicate => 'mark');
INSERT INTO same VALUES (1, 1, story(1)), (2, 1, story(1, ' (copied)'));
UPDATE same SET body = (SELECT body FROM same WHERE id = 2) WHERE id = 1;
INSERT INTO same VALUES (1, 1, story(1, ' (again)')) ON CONFLICT (id, part) DO UPDATE SET body = excluded.body;
SELECT id, duplicate_of FROM same ORDER BY id;
DELETE FROM same WHERE id = 1;
INSERT INTO same VALUES (1, 1, story(1));
SELECT id, duplicate_of FROM same ORDER BY id;
CALL neardup.cleanup('same', keep => 'newest', action => 'mark', dry_run => false);
SELECT id, duplicate_of FROM same ORDER BY id;
-- nor of a row that is marked as its copy two steps away
CREATE TABLE turned (id int PRIMARY KEY, body text);
SELECT neardup.protect('turned', 'body', on_duplicate => 'mark');
INSERT INTO turned VALUES (2, story(2)), (6, story(1)), (8, story(1, '!'));
UPDATE turned SET body = story(2, '!') WHERE id = 6;
UPDATE turned SET body = story(1, '!') WHERE id = 2;
SELECT id, duplicate_of FROM turned ORDER BY id;
-- a circle that an owner made, or that was made while marks moved, is broken at the end
UPDATE turned SET duplicate_of = CASE id WHEN 2 THEN 6 WHEN 6 THEN 8 ELSE 2 END;
CALL neardup.cleanup('turned', rank => '{id}', action => 'mark', dry_run => false);
SELECT count(*) FILTER (WHERE duplicate_of IS NULL) > 0 AS has_an_end FROM turned;
-- keys in two collations
CREATE TABLE collated (a text COLLATE "C", b text COLLATE "POSIX", rank int, body text, PRIMARY KEY (a, b));
SELECT neardup.protect('collated', 'body', on_duplicate => 'mark');
INSERT INTO collated VALUES ('A', 'x, y', 2, story(1)), ('A', 'X', 1, story(1, '!'));
CALL neardup.cleanup('collated', rank => '{rank}', action => 'mark', dry_run => false);
SELECT a, b, duplicate_of FROM collated ORDER BY rank;
-- moving marks passes no answers on
CREATE TABLE told (id int PRIMARY KEY, body text);
SELECT neardup.protect('told', 'body', on_duplicate => 'mark');
INSERT INTO told VALUES (1, story(1)), (3, story(1, ' (copied)')), (4, story(1, '!'));
UPDATE told SET duplicate_of = NULL WHERE id = 4;
CALL neardup.cleanup('told', keep => 'longest', action => 'mark', dry_run => false);
SELECT key, other, act FROM neardup.answers('told');
DROP TABLE led, same, turned, collated, told, told_answers;
-- so do the marks of clean-ups
CREATE TABLE listed (id int PRIMARY KEY, body text);
SELECT neardup.protect('listed', 'body', on_duplicate => 'warn', log => false);
INSERT INTO listed VALUES (1, story(1)), (2, story(1, ' (copied)')), (3, story(2));
CALL neardup.cleanup('listed', action => 'mark', dry_run => false);
INSERT INTO listed VALUES (4, story(1, ' (copied, again)'));
CALL neardup.cleanup('listed', keep => 'longest', action => 'mark', dry_run => false);
SELECT id, body_duplicate_of FROM listed ORDER BY id;
DROP TABLE moved, moved_answers, listed;
-- a table that is renamed without the tables beside it
ALTER TABLE feed RENAME TO news;
CALL neardup.cleanup('news');
CALL neardup.restore('news', 1);
SELECT * FROM neardup_internal.left_behind('news');
CREATE SCHEMA "Other place";
ALTER TABLE news SET SCHEMA "Other place";
SELECT * FROM neardup_internal.left_behind('"Other place".news');
ALTER TABLE "Other place".news RENAME TO feed;
SELECT * FROM neardup_internal.left_behind('"Other place".feed');
ALTER TABLE public.feed_removed SET SCHEMA "Other place";
CALL neardup.cleanup('"Other place".feed');
ALTER TABLE public.feed_answers SET SCHEMA "Other place";
CALL neardup.cleanup('"Other place".feed', threshold => 0.9, dry_run => false);
SELECT id, duplicate_of FROM "Other place".feed ORDER BY id;
-- a column of that name that is not the guard's stays as it is
CREATE TABLE other (id int PRIMARY KEY, body text, body_duplicate_of boolean);
SELECT neardup.protect('other', 'body', on_duplicate => 'warn');
INSERT INTO other VALUES (1, story(1), true), (2, story(1, '!'), false);
CALL neardup.cleanup('other', dry_run => false);
TABLE other;
-- a role that may not change marks is told so before anything goes; without such marks it need not
CREATE TABLE adverts (id int PRIMARY KEY, rank int, body text, note text);
SELECT neardup.protect('adverts', 'body', on_duplicate => 'mark');
INSERT INTO adverts VALUES (1, 2, story(1)), (2, 1, story(1, '!')), (3, 1, story(2)), (4, 2, story(2, '!'));
CREATE ROLE marks_cleaner;
GRANT SELECT, DELETE, UPDATE (note) ON adverts TO marks_cleaner;
SET ROLE marks_cleaner;
CALL neardup.cleanup('adverts', rank => ARRAY['rank'], dry_run => false, action => 'delete');
RESET ROLE;
SELECT id, duplicate_of FROM adverts ORDER BY id;
SELECT to_regclass('adverts_answers');
UPDATE adverts SET duplicate_of = NULL WHERE id = 2;
DROP TABLE adverts_answers;
SET ROLE marks_cleaner;
CALL neardup.cleanup('adverts', rank => ARRAY['rank'], dry_run => false, action => 'delete');
RESET ROLE;
SELECT id, duplicate_of FROM adverts ORDER BY id;
DROP TABLE adverts, other;
DROP ROLE marks_cleaner;
DROP SCHEMA "Other place" CASCADE;
