\set SHOW_CONTEXT never
-- rows that other rows refer to are left alone
CREATE FUNCTION news(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT (ARRAY['江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。',
                  '西山隧道提前两个月贯通，预计明年春天通车，届时两地车程缩短到四十分钟，沿线三个乡镇受益。',
                  'The harbour bridge will close for repairs from Monday until the end of the month, the city said.'])[n]
$$;
CREATE TABLE posts (tenant int, id int, code text NOT NULL UNIQUE, parent_tenant int, parent int, body text, PRIMARY KEY (tenant, id),
    FOREIGN KEY (parent_tenant, parent) REFERENCES posts ON DELETE CASCADE);
CREATE TABLE likes (who text, tenant int, post int, PRIMARY KEY (who, tenant, post),
    FOREIGN KEY (tenant, post) REFERENCES posts ON DELETE CASCADE);
CREATE TABLE links (code text REFERENCES posts (code) ON DELETE SET NULL, note text);
CREATE TABLE pins (id int PRIMARY KEY, code text DEFAULT 'c1' REFERENCES posts (code) ON DELETE SET DEFAULT DEFERRABLE INITIALLY DEFERRED);
INSERT INTO posts SELECT 1, i, 'c' || i, NULL, NULL, news(1 + (i - 1) / 3) FROM generate_series(1, 9) i;
-- a cycle of a copy and the row that stays, a copy that is its own parent, a copy whose parent is another copy
UPDATE posts SET parent_tenant = 1, parent = CASE id WHEN 1 THEN 2 WHEN 2 THEN 1 WHEN 3 THEN 3 WHEN 5 THEN 6 END WHERE id IN (1, 2, 3, 5);
INSERT INTO likes VALUES ('ann', 1, 1), ('ann', 1, 2), ('bob', 1, 3), ('bob', 1, 9);
INSERT INTO links VALUES ('c3', 'one'), ('c3', 'one'), ('c1', 'one'), ('c8', NULL);
INSERT INTO pins VALUES (1, 'c6'), (2, 'c4');
SELECT neardup.protect('posts', 'body');
CREATE TEMPORARY TABLE posts_before AS TABLE posts;
CREATE TEMPORARY TABLE likes_before AS TABLE likes;
CREATE TEMPORARY TABLE links_before AS TABLE links;
CREATE TEMPORARY TABLE pins_before AS TABLE pins;
CREATE FUNCTION changed() RETURNS TABLE (what text, lost bigint, invented bigint) LANGUAGE sql AS $$
    SELECT 'posts', (SELECT count(*) FROM (TABLE posts_before EXCEPT ALL TABLE posts) d), (SELECT count(*) FROM (TABLE posts EXCEPT ALL TABLE posts_before) d)
    UNION ALL SELECT 'likes', (SELECT count(*) FROM (TABLE likes_before EXCEPT ALL TABLE likes) d), (SELECT count(*) FROM (TABLE likes EXCEPT ALL TABLE likes_before) d)
    UNION ALL SELECT 'links', (SELECT count(*) FROM (TABLE links_before EXCEPT ALL TABLE links) d), (SELECT count(*) FROM (TABLE links EXCEPT ALL TABLE links_before) d)
    UNION ALL SELECT 'pins', (SELECT count(*) FROM (TABLE pins_before EXCEPT ALL TABLE pins) d), (SELECT count(*) FROM (TABLE pins EXCEPT ALL TABLE pins_before) d)
$$;

-- a dry run says what is referred to
\set VERBOSITY terse
CALL neardup.cleanup('posts');
SELECT * FROM changed();
\set VERBOSITY default

-- skip: what is referred to stays, and nothing cascades
CALL neardup.cleanup('posts', dry_run => false);
SELECT key, duplicate_of, reason FROM neardup.skipped ORDER BY run_id, key;
SELECT tenant, id FROM posts ORDER BY id;
CALL neardup.restore('posts', 1, answer => false);
SELECT * FROM changed();

-- references that are moved first, by whoever may do that
CREATE TABLE copies AS SELECT split_part(d.key, ', ', 2)::int AS id, split_part(d.duplicate_of, ', ', 2)::int AS kept FROM neardup.duplicates('posts') d;
UPDATE links l SET code = k.code FROM copies c JOIN posts p ON p.id = c.id JOIN posts k ON k.id = c.kept WHERE l.code = p.code;
UPDATE pins l SET code = k.code FROM copies c JOIN posts p ON p.id = c.id JOIN posts k ON k.id = c.kept WHERE l.code = p.code;
CALL neardup.cleanup('posts', dry_run => false, batch => 2);
SELECT key, reason FROM neardup.skipped WHERE run_id = 2;
SELECT id, parent FROM posts ORDER BY id;
SELECT found, removed, skipped FROM neardup.runs WHERE run_id = 2;
CALL neardup.restore('posts', 2, answer => false);
SELECT * FROM changed() WHERE what = 'posts';
DROP TABLE copies;

-- marks need no such care
CALL neardup.cleanup('posts', dry_run => false, action => 'mark');
SELECT id, body_duplicate_of FROM posts ORDER BY id;
CALL neardup.cleanup('posts', dry_run => false, action => 'mark', keep => 'newest');
SELECT run_id, action, found, removed FROM neardup.runs ORDER BY run_id;
UPDATE posts SET body_duplicate_of = NULL;

-- errors
CALL neardup.cleanup('posts', action => 'burn');
BEGIN;
CALL neardup.cleanup('posts', dry_run => false);
ROLLBACK;
BEGIN;
CALL neardup.restore('posts', 4, answer => false);
ROLLBACK;
BEGIN;
CALL neardup.purge('posts', '0');
ROLLBACK;

-- a cleaner who sees only some of the rows that refer here
CREATE ROLE regress_cleaner;
GRANT ALL ON posts, likes, links, pins TO regress_cleaner;
ALTER TABLE likes ENABLE ROW LEVEL SECURITY;
SET ROLE regress_cleaner;
CALL neardup.cleanup('posts', dry_run => false);
RESET ROLE;
ALTER TABLE likes DISABLE ROW LEVEL SECURITY;
-- and one whose rights end half-way: what is done is done, nothing is lost
CREATE FUNCTION no_more() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    REVOKE DELETE ON posts FROM regress_cleaner;
    RETURN OLD;
END $$;
CREATE TRIGGER no_more AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION no_more();
SET ROLE regress_cleaner;
CALL neardup.cleanup('posts', dry_run => false, batch => 1);
SELECT run_id, removed, finished FROM neardup.runs WHERE finished IS NULL;
SELECT count(*) FROM posts_removed;
SELECT run_id AS run FROM neardup.runs WHERE finished IS NULL \gset
CALL neardup.restore('posts', :run, answer => false);
RESET ROLE;
DROP TRIGGER no_more ON posts;
SELECT neardup_key, neardup_by FROM posts_removed;
CALL neardup.restore('posts', :run, answer => false);
SELECT count(*) FROM posts;
SELECT * FROM neardup.progress;

-- forget
CALL neardup.cleanup('posts', dry_run => false);
CALL neardup.purge('posts', '1 day');
SELECT count(*) > 0 AS kept FROM neardup.runs;
SELECT count(*) FROM posts_removed;
CALL neardup.purge('posts', '0');
SELECT (SELECT count(*) FROM neardup.runs) AS runs, (SELECT count(*) FROM posts_removed) AS removed, (SELECT count(*) FROM neardup.skipped) AS skipped;

-- another role of the session, which cannot drop the list that the interrupted one left behind
CREATE ROLE regress_second;
GRANT ALL ON posts, likes, links, pins TO regress_second;
SET ROLE regress_second;
\set VERBOSITY terse
CALL neardup.cleanup('posts');
\set VERBOSITY default
CALL neardup.cleanup('posts', dry_run => false);
SET ROLE regress_cleaner;
CALL neardup.cleanup('posts', dry_run => false);
RESET ROLE;
DROP TABLE posts, posts_removed, likes, links, pins;
DROP OWNED BY regress_cleaner, regress_second;
DROP ROLE regress_cleaner, regress_second;

-- keys whose columns read alike without quotation marks are told apart
CREATE TABLE places (area text, street text, body text, PRIMARY KEY (area, street));
SELECT neardup.protect('places', 'body', on_duplicate => 'mark');
INSERT INTO places VALUES ('a, b', 'c', news(3)), ('a', 'b, c', news(2)), ('z"', 'z', news(3) || ' Read more.');
SELECT area, street, duplicate_of FROM places ORDER BY 1;
SELECT key, group_key, size FROM neardup.groups('places') ORDER BY 1;
SELECT key, duplicate_of, neardup.reasons('places', key, duplicate_of) FROM neardup.duplicates('places');
SELECT key, outcome FROM neardup.why('places', key => 'a, "b, c"');
SELECT key, action FROM neardup.insert_or_match('places', '[{"area": "1,", "street": "2", "body": "A text about something else."}]');
DELETE FROM places WHERE area = 'a, b';
INSERT INTO places VALUES ('last', 'one', news(3));
SELECT area, street, duplicate_of FROM places WHERE body LIKE '%harbour%' ORDER BY 1;
CALL neardup.cleanup('places', dry_run => false, threshold => 0.5);
SELECT neardup_key, neardup_duplicate_of FROM places_removed;
CALL neardup.restore('places', key => '"z""", z', answer => false);
