-- what is answered about rows that a clean-up removes passes to the rows that it keeps, whoever cleans
\set SHOW_CONTEXT never
CREATE ROLE regress_passing_owner;
CREATE ROLE regress_passing_cleaner;
GRANT CREATE ON SCHEMA public TO regress_passing_owner;
SET ROLE regress_passing_owner;
CREATE FUNCTION body() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'The ferry to the island leaves at nine from the northern pier on every day of the week in summer.' $$;
CREATE TABLE posts (id int PRIMARY KEY, body text);
INSERT INTO posts VALUES (1, body()), (2, body() || '!'), (3, body() || '.');
SELECT neardup.protect('posts', 'body');
SELECT neardup.answer('posts', '1', '2', false);
SELECT neardup.keep_removed('posts');
GRANT SELECT, UPDATE, DELETE ON posts TO regress_passing_cleaner;

-- a role without any right on the answers cleans: row 3 is a copy of both, and takes one of them
SET ROLE regress_passing_cleaner;
SELECT * FROM posts_answers;
CALL neardup.cleanup('posts', keep => 'newest', dry_run => false);
SELECT id FROM posts ORDER BY id;
SET ROLE regress_passing_owner;
SELECT key, other, is_copy, note, act, role, holds FROM neardup.answers('posts') ORDER BY act;
-- so the other one stays, whichever row a later run would keep
SET ROLE regress_passing_cleaner;
CALL neardup.cleanup('posts', keep => 'newest', dry_run => false);
CALL neardup.cleanup('posts', dry_run => false);
SELECT id FROM posts ORDER BY id;

-- only the owner brings rows back, and with them goes what they passed on
CALL neardup.restore('posts', 1);
SET ROLE regress_passing_owner;
CALL neardup.restore('posts', 1);
SELECT key, other, is_copy, note, act, role, holds FROM neardup.answers('posts') ORDER BY act;

-- an owner who has no right to delete answers is told what stays
SELECT neardup.withdraw('posts', act => 'restore');
SET ROLE regress_passing_cleaner;
CALL neardup.cleanup('posts', keep => 'newest', dry_run => false);
SET ROLE regress_passing_owner;
REVOKE DELETE ON posts_answers FROM regress_passing_owner;
CALL neardup.restore('posts', 4, answer => false);
GRANT DELETE ON posts_answers TO regress_passing_owner;
SELECT key, other, note, act, role FROM neardup.answers('posts') ORDER BY act;
SELECT neardup.withdraw('posts', act => 'cleanup');

-- marks: who takes one off takes back what has passed, too
CREATE TABLE marked (id int PRIMARY KEY, body text);
INSERT INTO marked VALUES (1, body()), (2, body() || '!'), (3, body() || '.');
SELECT neardup.protect('marked', 'body', on_duplicate => 'mark');
SELECT neardup.answer('marked', '2', '3', false);
GRANT SELECT, UPDATE, DELETE ON marked TO regress_passing_cleaner;
SET ROLE regress_passing_cleaner;
CALL neardup.cleanup('marked', action => 'mark', dry_run => false);
SELECT id, duplicate_of FROM marked ORDER BY id;
SET ROLE regress_passing_owner;
SELECT key, other, note, act, role FROM neardup.answers('marked') ORDER BY act;
SET ROLE regress_passing_cleaner;
UPDATE marked SET duplicate_of = NULL WHERE duplicate_of IS NOT NULL;
SET ROLE regress_passing_owner;
SELECT key, other, note, act, role FROM neardup.answers('marked') ORDER BY act;

RESET ROLE;
DROP OWNED BY regress_passing_owner, regress_passing_cleaner;
DROP ROLE regress_passing_owner, regress_passing_cleaner;
