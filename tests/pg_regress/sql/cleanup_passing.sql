-- What was answered about a row that goes passes to the row that stays: how often, of rows with one text, and back.
SET client_min_messages = error;
CREATE FUNCTION body(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'Bicycle for sale, hardly used, with a basket, two lamps and a lock; can be collected at any time after six in the evening' || repeat('!', n)
$$;
CREATE PROCEDURE fresh(ids int[], texts int[]) LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS posts, posts_removed, posts_answers;
    CREATE TABLE posts (id int PRIMARY KEY, body text);
    PERFORM neardup.protect('posts', 'body', on_duplicate => 'warn');
    INSERT INTO posts SELECT u.id, body(u.text) FROM unnest(ids, texts) u(id, text);
END
$$;

-- three rows with one text: the answer is about their keys, and passes by them
CALL fresh('{1,2,14}', '{0,0,0}');
SELECT neardup.answer('posts', '2', '14', false);
CALL neardup.cleanup('posts', dry_run => false);
CALL neardup.cleanup('posts', dry_run => false);
SELECT id FROM posts ORDER BY id;
SELECT key, other, note, act FROM neardup.answers('posts') ORDER BY act;

-- a repost of the row that stays has nothing to pass on: the answer is about its text anyway; one of the row that has gone has, sixteen times
CALL fresh('{1,2,14}', '{1,2,14}');
SELECT neardup.answer('posts', '2', '14', false);
CALL neardup.cleanup('posts', dry_run => false);
INSERT INTO posts SELECT n, body(1) FROM generate_series(100, 109) n;
CALL neardup.cleanup('posts', dry_run => false);
SELECT key, other, note, act FROM neardup.answers('posts') ORDER BY act;
INSERT INTO posts SELECT n, body(2) FROM generate_series(1000, 1039) n;
CALL neardup.cleanup('posts', dry_run => false);
SELECT key, other, act, count(DISTINCT note) FROM neardup.answers('posts') GROUP BY 1, 2, 3 ORDER BY act;
SELECT id FROM posts ORDER BY id;
-- a row that is let through is noted in spite of them
RESET client_min_messages;
BEGIN;
SELECT neardup.let_through('posts');
INSERT INTO posts VALUES (50, body(1));
COMMIT;
SET client_min_messages = error;

-- both rows of an answer go in one batch: it is about those that stay for them
CALL fresh('{1,2}', '{1,2}');
CREATE FUNCTION news(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'BREAKING NEWS: Bicycle for sale, hardly used, with a large basket, two lamps and a good lock; it can be collected on any day after six in the evening from us' || repeat('!', n)
$$;
INSERT INTO posts SELECT n, news(n - 12) FROM unnest('{13,14}'::int[]) n;
SELECT neardup.answer('posts', '2', '14', false);
CALL neardup.cleanup('posts', dry_run => false, threshold => 0.95);
SELECT id FROM posts ORDER BY id;
SELECT DISTINCT least(key, other), greatest(key, other) FROM neardup.answers('posts') WHERE act = 'cleanup' ORDER BY 1, 2;

-- taken back though the row that stays has another key by now, and though the log is gone
CALL fresh('{1,2,14}', '{1,2,14}');
SELECT neardup.answer('posts', '2', '14', false);
CALL neardup.cleanup('posts', dry_run => false);
UPDATE posts SET id = 1000 WHERE id = 1;
RESET client_min_messages;
CALL neardup.restore('posts', key => '2');
SELECT key, other, note, act FROM neardup.answers('posts') ORDER BY act;

-- rows that were restored for one row are no group of another one; and what a person has said of two restored rows stays
SET client_min_messages = error;
CALL fresh('{1,5,10}', '{1,5,10}');
CALL neardup.cleanup('posts', dry_run => false);
CALL neardup.restore('posts', 1);
SELECT key, other, note, act FROM neardup.answers('posts') ORDER BY key, other;
DELETE FROM posts WHERE id = 1;
INSERT INTO posts VALUES (20, body(6));
CALL neardup.cleanup('posts', dry_run => false);
SELECT neardup_key, neardup_duplicate_of FROM posts_removed;
BEGIN;
SELECT neardup.let_through('posts', answer => false);
INSERT INTO posts VALUES (20, body(6));
COMMIT;
SELECT neardup.answer('posts', '5', '20', true);
DELETE FROM posts WHERE id = 20;
CALL neardup.restore('posts', 2);
SELECT key, other, is_copy, note, act FROM neardup.answers('posts') WHERE '20' IN (key, other) ORDER BY key, other;

DROP TABLE posts, posts_removed, posts_answers;
