\set SHOW_CONTEXT never
-- another analyzer, while the guard stands
CREATE TABLE posts (id int PRIMARY KEY, body text, note text);
SELECT neardup.protect('posts', 'body', on_duplicate => 'reject', distance => 5);
INSERT INTO posts VALUES
    (1, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'),
    (2, '西山隧道提前两个月贯通，预计明年春天通车，届时两地车程缩短到四十分钟，沿线乡镇受益。'),
    (3, '……');
SELECT count(*) FROM neardup.signed_otherwise('posts');
CALL neardup.resign('posts', 'chars:4');
SELECT * FROM neardup.resigning;
-- meanwhile: the guard judges by the old signatures, writers fill both
INSERT INTO posts VALUES (4, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！');
INSERT INTO posts VALUES (5, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
UPDATE posts SET body = body || '（完）' WHERE id = 2;
UPDATE posts SET note = 'seen';
SELECT id, body_simhash = simhash(body, 'chars:3') AS old, body_simhash_next = simhash(body, 'chars:4') AS new FROM posts ORDER BY id;
SELECT analyzer FROM neardup.protected;
-- it goes on where it was
CALL neardup.resign('posts');
CALL neardup.resign('posts', 'jieba');
CREATE INDEX ON posts USING gin (simhash_bands(body_simhash_next)) WITH (fastupdate = off);
SELECT format('CREATE INDEX ON posts (simhash_rotated(body_simhash_next, %s))', band) FROM generate_series(0, 3) band \gexec
CALL neardup.resign('posts');
SELECT document, signature, distance, on_duplicate, analyzer, enabled FROM neardup.protected;
SELECT id, body_simhash = simhash(body, 'chars:4') AS new FROM posts ORDER BY id;
SELECT * FROM neardup.resigning;
SELECT column_name FROM information_schema.columns WHERE table_name = 'posts' ORDER BY ordinal_position;
INSERT INTO posts VALUES (6, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！');
SELECT count(*) FROM neardup.signed_otherwise('posts');
-- begun and given up
CALL neardup.resign('posts', 'chars:5');
SELECT neardup.stop_resigning('posts');
SELECT neardup.stop_resigning('posts');
SELECT count(*) FROM neardup.resigning;
INSERT INTO posts VALUES (7, '清河市疾控中心的另一则消息：下周一起恢复夜间门诊，市民可通过电话预约，周末照常接诊。');
-- partitions, and a table without rows
CREATE TABLE stories (id int, day date, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE stories_1 PARTITION OF stories FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CREATE TABLE stories_2 (body text, day date NOT NULL, id int NOT NULL);
ALTER TABLE stories ATTACH PARTITION stories_2 FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
SELECT neardup.protect('stories', 'body');
CALL neardup.resign('stories', 'chars:2');
SELECT analyzer FROM neardup.protected WHERE target = 'stories'::regclass;
INSERT INTO stories VALUES (1, '2031-01-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
CALL neardup.resign('stories', 'chars:3');
CREATE INDEX ON stories USING gin (simhash_bands(body_simhash_next)) WITH (fastupdate = off);
SELECT format('CREATE INDEX ON stories (simhash_rotated(body_simhash_next, %s))', band) FROM generate_series(0, 3) band \gexec
CALL neardup.resign('stories');
INSERT INTO stories VALUES (2, '2031-02-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
-- errors
CALL neardup.resign('posts', 'runes');
BEGIN;
CALL neardup.resign('posts', 'chars:3');
ROLLBACK;
DROP TABLE posts, stories;
