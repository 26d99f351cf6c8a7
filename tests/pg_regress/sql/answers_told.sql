-- what was answered before stays where a run is restored, and a notice says so, whatever the key of the row that was kept is by now
CREATE TABLE posts (id int PRIMARY KEY, body text);
\set market '''East Lake Park opens to the public free of charge from today, with four kilometres of new paths, three viewing platforms and a library for children.'''
INSERT INTO posts VALUES (1, :market), (2, :market || '!');
SET client_min_messages = warning;
SELECT neardup.protect('posts', 'body');
RESET client_min_messages;
SELECT neardup.answer('posts', '2', '1', true);
CALL neardup.cleanup('posts', dry_run => false);
UPDATE posts SET id = 0 WHERE id = 1;
CALL neardup.restore('posts', 1);
SELECT key, other, is_copy, act FROM neardup.answers('posts') ORDER BY key, other, act;
CALL neardup.cleanup('posts', dry_run => false);
SELECT id FROM posts;
-- the key is another row's by now; what was answered of other rows does not count
CALL neardup.restore('posts', 2);
INSERT INTO posts VALUES (1, 'The West Hill tunnel was bored through two months early; traffic should start next spring, and the drive between the two towns then takes forty minutes.');
CALL neardup.cleanup('posts', dry_run => false);
UPDATE posts SET id = -10 WHERE id = 0;
SELECT neardup.answer('posts', '1', '-10', false);
CALL neardup.restore('posts', 3);
-- by its key, what was told is withdrawn
CALL neardup.cleanup('posts', dry_run => false);
CALL neardup.restore('posts', key => '2');
SELECT key, other, is_copy, act FROM neardup.answers('posts') ORDER BY key, other, act;
DROP TABLE posts, posts_removed, posts_answers;
