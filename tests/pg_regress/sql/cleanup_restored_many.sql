-- of many rows that were removed for one, a restore looks up the note of each by itself, and does not read those of all for each of them
CREATE TABLE posts (id int PRIMARY KEY, body text);
INSERT INTO posts SELECT i, 'East Lake Park opens to the public free of charge from today, with four kilometres of new paths, three viewing platforms and a library for children.'
    || CASE i % 2 WHEN 0 THEN '!' ELSE '' END || CASE i % 3 WHEN 0 THEN ' (shared)' ELSE '' END
FROM generate_series(1, 2000) i;
SET client_min_messages = error;
SELECT neardup.protect('posts', 'body');
CALL neardup.cleanup('posts', dry_run => false, threshold => 0.9, batch => 10000);
CALL neardup.restore('posts', 1);
SELECT pg_stat_force_next_flush();
-- read by indexes
SELECT sum(s.idx_tup_read) BETWEEN 1 AND 20000 AS is_linear FROM pg_stat_user_indexes s WHERE s.relname = 'posts_answers';
DROP TABLE posts, posts_removed, posts_answers;
