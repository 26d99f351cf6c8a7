-- What was restored is not removed again, whichever row would be kept for it; rows that cannot go do not count; each run is in the log.
SET client_min_messages = notice;
\set SHOW_CONTEXT never
CREATE FUNCTION body(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'Bicycle for sale, hardly used, with a basket, two lamps and a lock; can be collected at any time after six in the evening' || repeat('!', n)
$$;
CREATE FUNCTION pier(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'The north lighthouse has a new lamp; the old one stays in the hut below, where children may turn it by hand' || repeat('!', n)
$$;

-- a row that was left in place is kept for the restored one in the next run
CREATE TABLE posts (id int PRIMARY KEY, body text);
CREATE TABLE comments (post int REFERENCES posts);
INSERT INTO posts VALUES (1, body(0)), (2, body(1)), (3, body(1)), (5, pier(0)), (6, pier(1));
INSERT INTO comments VALUES (2);
SELECT neardup.protect('posts', 'body');
CALL neardup.cleanup('posts', dry_run => false);
CALL neardup.restore('posts', 1);
SELECT key, duplicate_of FROM neardup.duplicates('posts', threshold => 0.95, settled => true);
CALL neardup.cleanup('posts');
CALL neardup.cleanup('posts', dry_run => false);
CALL neardup.cleanup('posts', action => 'mark', dry_run => false);
SELECT run_id, key, duplicate_of, reason FROM neardup.skipped WHERE target = 'posts'::regclass ORDER BY run_id, key;
-- until it is said to be a copy, or has another text
SELECT neardup.answer('posts', '3', '2', true);
CALL neardup.cleanup('posts', dry_run => false);
-- a whole run leaves what was answered, a row that is restored by its key does not
CALL neardup.restore('posts', 4);
SELECT key, other, is_copy, act FROM neardup.answers('posts') WHERE act = 'answer';
CALL neardup.cleanup('posts', dry_run => false);
CALL neardup.restore('posts', key => '3');
SELECT key, other, is_copy, act FROM neardup.answers('posts') WHERE act = 'answer';
CALL neardup.cleanup('posts', dry_run => false);
UPDATE posts SET body = body(2) WHERE id = 3;
CALL neardup.cleanup('posts');
UPDATE posts SET body = body(1) WHERE id = 3;
-- or the owner takes it back
SELECT neardup.withdraw('posts', '3', act => 'restore') > 0 AS withdrawn;
CALL neardup.cleanup('posts', dry_run => false);
SELECT id FROM posts ORDER BY id;
-- a restore that answers nothing says nothing
CALL neardup.restore('posts', key => '3', answer => false);
CALL neardup.cleanup('posts');

-- the row that was kept is not there while the other one comes back
CREATE TABLE days (id int, day date, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CREATE TABLE days_2 PARTITION OF days FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
INSERT INTO days VALUES (1, '2031-01-30', body(0)), (2, '2031-02-02', body(1));
SELECT neardup.protect('days', 'body', time_column => 'day');
CALL neardup.cleanup('days', dry_run => false);
ALTER TABLE days DETACH PARTITION days_1;
CALL neardup.restore('days', 1);
SELECT key, other, is_copy, act, holds FROM neardup.answers('days');
ALTER TABLE days ATTACH PARTITION days_1 FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CALL neardup.cleanup('days', dry_run => false);

-- a row that copied one of another table, and is no copy of the row with that key in its own
CREATE TABLE published (id int PRIMARY KEY, body text);
INSERT INTO published VALUES (2, body(3));
CREATE TABLE crawl (id int PRIMARY KEY, body text);
INSERT INTO crawl VALUES (1, body(0)), (2, pier(0));
SELECT neardup.protect('crawl', 'body');
CALL neardup.cleanup('crawl', against => 'published', dry_run => false);
CALL neardup.restore('crawl', 1);
SELECT key, other, is_copy, act FROM neardup.answers('crawl');
CALL neardup.cleanup('crawl', against => 'published', dry_run => false);

-- a group of very many rows
CREATE TABLE many (id int PRIMARY KEY, body text);
INSERT INTO many SELECT n, body(0) FROM generate_series(1, 120) n;
SELECT neardup.protect('many', 'body');
SET client_min_messages = warning;
CALL neardup.cleanup('many', dry_run => false);
SET client_min_messages = notice;
CALL neardup.restore('many', 1);
SET client_min_messages = warning;
CALL neardup.cleanup('many', dry_run => false);

-- max_rows counts what can go
CREATE TABLE tides (id int PRIMARY KEY, body text);
CREATE TABLE boats (tide int REFERENCES tides);
INSERT INTO tides SELECT n, body(0) FROM generate_series(1, 11) n;
INSERT INTO tides VALUES (20, pier(0)), (21, pier(1)), (22, pier(2));
INSERT INTO boats SELECT n FROM generate_series(1, 11) n;
SELECT neardup.protect('tides', 'body');
CALL neardup.cleanup('tides', dry_run => false, max_rows => 1);
CALL neardup.cleanup('tides', dry_run => false, max_rows => 1, on_more => 'surest');
CALL neardup.cleanup('tides', dry_run => false, max_rows => 1);
SELECT id FROM tides WHERE id > 11;
CALL neardup.cleanup('tides', dry_run => false, max_rows => 0);
-- a row that cannot go is in the log once, under the last run
SELECT run_id, found, removed, skipped FROM neardup.runs WHERE target = 'tides'::regclass ORDER BY run_id;
SELECT run_id, count(*) FROM neardup.skipped WHERE target = 'tides'::regclass GROUP BY run_id;
SET client_min_messages = notice;
CALL neardup.cleanup('tides');

-- a run that is stopped while it lists, or after a batch, is in the log
CREATE TABLE stopped (id int PRIMARY KEY, body text);
CREATE FUNCTION text_of(of stopped) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN IF current_setting('test.stops', true) = 'list' THEN RAISE EXCEPTION 'stopped'; END IF; RETURN of.body; END $$;
CREATE TABLE stopped_by (id int REFERENCES stopped);
INSERT INTO stopped VALUES (1, body(0)), (2, body(1)), (3, body(2)), (4, body(3));
INSERT INTO stopped_by VALUES (2);
SELECT neardup.protect('stopped', 'body', expression => 'text_of');
CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'stopped' USING ERRCODE = '55000'; END$$;
CREATE TRIGGER stop BEFORE DELETE ON stopped FOR EACH ROW WHEN (OLD.id = 4) EXECUTE FUNCTION stop();
SET test.stops = 'list';
CALL neardup.cleanup('stopped', dry_run => false);
RESET test.stops;
CALL neardup.cleanup('stopped', batch => 1, dry_run => false);
SELECT run_id, found, removed, skipped, finished IS NULL AS stopped FROM neardup.runs WHERE target = 'stopped'::regclass ORDER BY run_id;
SELECT run_id, key, reason FROM neardup.skipped WHERE target = 'stopped'::regclass;

-- a table that was renamed, or renamed and moved, without the tables beside it
CREATE TABLE notes (id int PRIMARY KEY, body text);
INSERT INTO notes VALUES (1, body(0)), (2, body(1));
SELECT neardup.protect('notes', 'body');
CALL neardup.cleanup('notes', dry_run => false);
CALL neardup.restore('notes', 1);
ALTER TABLE notes RENAME TO pages;
CALL neardup.cleanup('pages', dry_run => false);
ALTER TABLE notes_answers RENAME TO pages_answers;
ALTER TABLE notes_removed RENAME TO pages_removed;
CALL neardup.cleanup('pages', dry_run => false);
CREATE SCHEMA attic;
ALTER TABLE pages RENAME TO sheets;
ALTER TABLE sheets SET SCHEMA attic;
CALL neardup.cleanup('attic.sheets');
CALL neardup.cleanup('attic.sheets', dry_run => false);
SELECT string_agg(statement, ' ') AS statements FROM neardup_internal.left_behind('attic.sheets') \gset
:statements
CALL neardup.cleanup('attic.sheets', dry_run => false);
-- if they are those of another table
ALTER TABLE attic.sheets RENAME TO leaves;
SET client_min_messages = error;
SELECT neardup.keep_removed('attic.leaves'), neardup.keep_answers('attic.leaves');
CALL neardup.cleanup('attic.leaves', dry_run => false);

-- and if its column was renamed, too
RESET client_min_messages;
CREATE TABLE essays (id int PRIMARY KEY, body text, lead text);
INSERT INTO essays VALUES (1, body(0)), (2, body(1));
SELECT neardup.protect('essays', 'body');
CALL neardup.cleanup('essays', dry_run => false);
CALL neardup.restore('essays', 1);
ALTER TABLE essays RENAME COLUMN body TO content;
ALTER TABLE essays RENAME TO tracts;
CALL neardup.cleanup('tracts', dry_run => false);
DROP TABLE tracts, essays_removed, essays_answers CASCADE;
-- but not if more columns would have other names by now than that table has
CREATE TABLE adverts (id int PRIMARY KEY, headline text, day int);
INSERT INTO adverts VALUES (1, body(0), 1), (2, body(1), 1);
SELECT neardup.protect('adverts', 'headline');
CALL neardup.cleanup('adverts', dry_run => false);
CREATE TABLE mails (id int PRIMARY KEY, body text, sender text, day int);
INSERT INTO mails VALUES (1, body(0), 'a', 1), (2, body(1), 'a', 1);
SELECT neardup.protect('mails', 'body');
CALL neardup.cleanup('mails', dry_run => false);
DROP TABLE adverts, mails_removed CASCADE;
CALL neardup.restore('mails', 1);
CALL neardup.cleanup('mails', dry_run => false);
DROP TABLE mails, adverts_removed CASCADE;
SET client_min_messages = error;

-- statements of batches are not compiled
SELECT proname FROM pg_proc WHERE pronamespace = 'neardup_internal'::regnamespace AND proconfig @> '{jit=off}'
    AND proname IN ('list_copies', 'cleanup_batch', 'merge_batch', 'restore_batch', 'answer_pairs', 'note_restored') ORDER BY proname;
DROP TABLE posts, comments, posts_removed, posts_answers, days, days_removed, days_answers, published, crawl, crawl_removed, crawl_answers, many, many_removed,
    many_answers, tides, boats, tides_removed, stopped, stopped_by, stopped_removed CASCADE;
DROP SCHEMA attic CASCADE;
