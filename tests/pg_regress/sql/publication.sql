-- With a publication for all tables, Postgres refuses to change rows that it cannot name to a subscriber: answers, clean-ups and what undoes them work all the same
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE PUBLICATION everything FOR ALL TABLES;
RESET client_min_messages;
CREATE TABLE posts (id int PRIMARY KEY, body text);
SELECT neardup.protect('posts', 'body', on_duplicate => 'mark', log => true);
INSERT INTO posts SELECT i, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, the Upper Village crew won, and the prize money goes to the town school.' FROM generate_series(1, 5) i;
-- a mark is taken off, twice, and answers replace others
UPDATE posts SET duplicate_of = NULL WHERE id = 2;
UPDATE posts SET duplicate_of = 1 WHERE id = 2;
UPDATE posts SET duplicate_of = NULL WHERE id = 2;
SELECT neardup.answer('posts', '3', '1', true);
SELECT neardup.answer('posts', '3', '1', false);
SELECT neardup.withdraw('posts', '3', '1');
SELECT key, other, is_copy, act FROM posts_answers ORDER BY key, other;
-- a clean-up, and back
CALL neardup.cleanup('posts', dry_run => false);
SELECT id FROM posts ORDER BY id;
SELECT neardup_run, id FROM posts_removed ORDER BY id;
CALL neardup.restore('posts', 1);
SELECT id FROM posts ORDER BY id;
SELECT count(*) FROM posts_removed;
-- rows that are left, twice
CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER stay BEFORE DELETE ON posts FOR EACH ROW EXECUTE FUNCTION stay();
INSERT INTO posts VALUES (6, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, the Upper Village crew won, and the prize money goes to the town school.'), (7, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, the Upper Village crew won, and the prize money goes to the town school.');
CALL neardup.cleanup('posts', dry_run => false);
CALL neardup.cleanup('posts', dry_run => false);
SELECT run_id, key FROM neardup.skipped ORDER BY run_id, key;
DROP TRIGGER stay ON posts;
CALL neardup.cleanup('posts', dry_run => false);
CALL neardup.purge('posts', '0');
SELECT count(*) FROM posts_removed;
CALL neardup.purge_verdicts('0');
SELECT count(*) FROM neardup.verdicts;
-- what was diverted is looked at and deleted
SELECT neardup.protect('posts', 'body', on_duplicate => 'divert');
INSERT INTO posts VALUES (8, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, the Upper Village crew won, and the prize money goes to the town school.');
DELETE FROM posts_diverted;
-- profiles
SELECT neardup.create_profile('usual');
SELECT neardup.drop_profile('usual');
-- whether any table of the extension would refuse
SELECT c.oid::regclass FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
WHERE c.relkind = 'r' AND c.relreplident <> 'f' AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary);
