-- A type that has the name of a table of answers or of removed rows: an error that says so
\set SHOW_CONTEXT never
CREATE TABLE posts (id int PRIMARY KEY, body text);
SELECT neardup.protect('posts', 'body', on_duplicate => 'warn');
INSERT INTO posts SELECT i, 'Apples ripened early in the valley; growers queue at the cooperative before dawn, and the press runs until late.' FROM generate_series(1, 2) i;
CREATE TYPE posts_answers AS ENUM ();
CREATE TYPE posts_removed AS ENUM ();
SELECT neardup.keep_answers('posts');
SELECT neardup.answer('posts', '2', '1', true);
SELECT neardup.keep_removed('posts');
CALL neardup.cleanup('posts', dry_run => false);
SELECT count(*) FROM posts;
-- as a composite type, too
DROP TYPE posts_answers, posts_removed;
CREATE TYPE posts_answers AS (x int);
CREATE TYPE posts_removed AS (x int);
SELECT neardup.keep_answers('posts');
SELECT neardup.keep_removed('posts');
-- and once they are renamed, all works
ALTER TYPE posts_answers RENAME TO other_answers;
ALTER TYPE posts_removed RENAME TO other_removed;
SELECT neardup.answer('posts', '2', '1', true);
CALL neardup.cleanup('posts', dry_run => false);
SELECT id FROM posts_removed;
-- other names have room for a number
CREATE TYPE posts_diverted AS ENUM ();
CREATE TYPE posts_body_divert AS ENUM ();
SELECT neardup.protect('posts', 'body', on_duplicate => 'divert');
SELECT diverted_to FROM neardup.protected WHERE target = 'posts'::regclass;
