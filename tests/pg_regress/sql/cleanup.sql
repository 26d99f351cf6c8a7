\set SHOW_CONTEXT never
-- rows that were there before the guard
CREATE TABLE posts (id int PRIMARY KEY, day date, body text, tags text[], extra jsonb);
INSERT INTO posts VALUES
    (1, '2026-03-03', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。', '{a,NULL,"b c"}', 'null'),
    (2, '2026-03-02', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！！', NULL, NULL),
    (3, '2026-03-01', '【快讯】江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。', '{}', '{"k": [1, null]}'),
    (4, '2026-03-05', 'The harbour bridge will close for repairs from Monday until the end of the month, the city said.', NULL, NULL),
    (5, '2026-03-04', 'The harbour bridge will close for repairs from Monday until the end of the month, the city said', NULL, NULL),
    (6, '2026-03-06', '完全不同的一条消息：西山隧道提前两个月贯通，预计明年春天通车，届时两地车程缩短到四十分钟。', NULL, NULL),
    (7, '2026-03-06', NULL, NULL, NULL);
SELECT neardup.protect('posts', 'body');
SELECT key, duplicate_of, verdict, measure, round(value::numeric, 2) AS value, group_size FROM neardup.duplicates('posts');
SELECT key, duplicate_of, group_size FROM neardup.duplicates('posts');
SELECT key, duplicate_of, group_size FROM neardup.duplicates('posts', keep => 'newest');
SELECT key, duplicate_of, group_size FROM neardup.duplicates('posts', time_column => 'day');
SELECT key, duplicate_of, group_size FROM neardup.duplicates('posts', keep => 'longest');
SELECT * FROM neardup.duplicates('posts', max_distance => 3);
SELECT * FROM neardup.duplicates('posts', verify => 'overlap');
CALL neardup.cleanup('posts', max_distance => 3);
SELECT * FROM neardup.duplicates('posts', keep => 'prettiest');
SELECT * FROM neardup.duplicates('posts', document => 'title');

-- a dry run is the default, and changes nothing
CALL neardup.cleanup('posts');
CALL neardup.cleanup('posts', dry_run => NULL, time_column => 'day', document => 'body');
SELECT count(*) FROM posts;
SELECT count(*) FROM neardup.runs;

-- the real one, one row a batch; a row that others refer to stays
CREATE TABLE comments (post int REFERENCES posts);
INSERT INTO comments VALUES (5);
CREATE TEMPORARY TABLE before AS TABLE posts;
CALL neardup.cleanup('posts', dry_run => false, batch => 1);
SELECT id FROM posts ORDER BY id;
SELECT target, run_id, keep, verify, threshold, found, removed, skipped, restored, finished IS NOT NULL AS finished FROM neardup.runs;
SELECT id, neardup_run, neardup_key, neardup_duplicate_of, neardup_verdict, neardup_measure, round(neardup_value::numeric, 2) AS value, neardup_by = current_user AS by FROM posts_removed ORDER BY id;
ALTER TABLE posts ADD COLUMN seen boolean DEFAULT false;
ALTER TABLE before ADD COLUMN seen boolean DEFAULT false;

-- and back, every value as it was
CALL neardup.restore('posts', 1, answer => false);
SELECT count(*) AS lost FROM (TABLE before EXCEPT TABLE posts) d;
SELECT count(*) AS invented FROM (TABLE posts EXCEPT TABLE before) d;
SELECT removed, restored FROM neardup.runs;
CALL neardup.restore('posts', 1, answer => false);
CALL neardup.restore('posts', 99, answer => false);
CALL neardup.restore('comments', 1, answer => false);
CALL neardup.restore('posts', answer => false);
-- the guard stands again
INSERT INTO posts (id, body) SELECT 8, body FROM posts WHERE id = 1;

-- settings that change how values are written do not change what comes back; a deferred foreign key is heeded
CREATE TABLE moments (at timestamptz PRIMARY KEY, day date, f float8, span interval, money money, body text);
SET datestyle = 'SQL, DMY'; SET extra_float_digits = -5; SET timezone = 'Asia/Shanghai'; SET intervalstyle = 'iso_8601';
SELECT neardup.protect('moments', 'body');
ALTER TABLE moments DISABLE TRIGGER zz_neardup_body;
INSERT INTO moments SELECT '2026-05-04 12:00+00'::timestamptz + i * interval '1 hour', '2026-05-04', pi() * i, '1 day 02:03:04', 12.5,
    '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。' FROM generate_series(1, 4) i;
ALTER TABLE moments ENABLE ALWAYS TRIGGER zz_neardup_body;
CREATE TABLE notes (at timestamptz REFERENCES moments DEFERRABLE INITIALLY DEFERRED);
INSERT INTO notes VALUES ('2026-05-04 15:00+00');
CREATE TEMPORARY TABLE moments_before AS TABLE moments;
CALL neardup.cleanup('moments', dry_run => false);
RESET datestyle; RESET extra_float_digits; RESET timezone; RESET intervalstyle;
ALTER TABLE moments RENAME TO instants;
ALTER TABLE moments_removed RENAME TO instants_removed;
CALL neardup.restore('instants', 1, answer => false);
SELECT count(*) AS lost FROM (TABLE moments_before EXCEPT TABLE instants) d;
SELECT tgenabled FROM pg_trigger WHERE tgrelid = 'instants'::regclass AND tgname = 'zz_neardup_body';
DROP TABLE notes, instants;
-- nothing to remove: the log says so
CREATE TABLE lonely (id int PRIMARY KEY, body text);
SELECT neardup.protect('lonely', 'body');
CALL neardup.cleanup('lonely', dry_run => false);
SELECT run_id, found, removed, finished IS NOT NULL AS finished FROM neardup.runs WHERE target = 'lonely'::regclass;
DROP TABLE lonely;
-- nobody else gets at removed rows or the log
CREATE ROLE regress_other;
SET ROLE regress_other;
INSERT INTO posts_removed (neardup_run, id) VALUES (1, 9);
SELECT count(*) FROM posts_removed;
SELECT count(*) FROM neardup.runs;
INSERT INTO neardup_internal.own_runs (target, run_id, document, action, keep, verify, found, started, role) VALUES ('posts', 99, 'body', 'archive', 'oldest', 'facts', 0, '2031-01-01', current_user);
RESET ROLE;
DROP ROLE regress_other;

-- errors
CALL neardup.cleanup('comments');
CALL neardup.cleanup('posts', batch => 0);
CALL neardup.cleanup('posts', keep => NULL);
DROP TABLE comments, posts, posts_removed;

-- method simhash: by the guard's distance or another one; without the texts each row is near the one that stays
CREATE TABLE notices (id int PRIMARY KEY, body text);
INSERT INTO notices VALUES
    (1, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'),
    (2, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！！'),
    (3, '【快讯】江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'),
    (4, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。');
SELECT neardup.protect('notices', 'body', method => 'simhash', distance => 11);
SELECT key, duplicate_of, verdict, measure, round(value::numeric, 2) AS value, group_size FROM neardup.duplicates('notices');
SELECT * FROM neardup.duplicates('notices', verify => 'none');
SELECT * FROM neardup.duplicates('notices', verify => 'none', max_distance => 3);
SELECT * FROM neardup.duplicates('notices', max_distance => 12);
CALL neardup.cleanup('notices', verify => 'none', dry_run => false);
SELECT id FROM notices ORDER BY id;
DROP TABLE notices;

-- whoever may read the columns that a list is made of, and no others, may make it
CREATE TABLE leaks (id bigint PRIMARY KEY, source text, body text);
SELECT neardup.protect('leaks', 'body', on_duplicate => 'mark');
INSERT INTO leaks VALUES (1, 'a', '江口镇今日举行龙舟赛，十二支队伍参加。'), (2, 'b', '江口镇今日举行龙舟赛，十二支队伍参加！');
CREATE ROLE regress_reader;
GRANT SELECT (id, body) ON leaks TO regress_reader;
SET ROLE regress_reader;
SELECT key, duplicate_of, verdict FROM neardup.duplicates('leaks');
SELECT key FROM neardup.duplicates('leaks', rank => ARRAY['source']);
RESET ROLE;
DROP TABLE leaks;
DROP ROLE regress_reader;
