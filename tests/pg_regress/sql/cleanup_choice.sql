\set SHOW_CONTEXT never
-- which rows are compared, and which row of a group stays
CREATE TABLE posts (id int PRIMARY KEY, source text, "Source rank" int, day date, title text, body text, note text);
INSERT INTO posts VALUES
    (1, 'blog',   1, '2031-03-03', NULL,     '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。', NULL),
    (2, 'wire',   9, '2031-03-04', NULL,     '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！', NULL),
    (3, 'wire',   9, '2031-03-02', '龙舟赛', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。', 'x'),
    (4, NULL,  NULL, '2031-03-01', NULL,     '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。', NULL),
    (5, 'blog',   1, NULL,         NULL,     '西山隧道提前两个月贯通，预计明年春天通车，届时两地车程缩短到四十分钟，沿线乡镇受益。', NULL),
    (6, NULL,  NULL, '2031-03-07', NULL,     '西山隧道提前两个月贯通，预计明年春天通车，届时两地车程缩短到四十分钟，沿线乡镇受益。', NULL),
    (7, NULL,  NULL, '2031-03-08', NULL,     '西山隧道提前两个月贯通，预计明年春天通车，届时两地车程缩短到四十分钟，沿线乡镇受益。', NULL);
SELECT neardup.protect('posts', 'body');
CREATE FUNCTION stays(keep text DEFAULT 'oldest', time_column name DEFAULT NULL, rank text[] DEFAULT NULL, scope name[] DEFAULT NULL, since text DEFAULT NULL, until text DEFAULT NULL)
    RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(key || '->' || duplicate_of, ' ' ORDER BY key) FROM neardup.duplicates('posts', keep, time_column, NULL, NULL, rank, scope, since, until)
$$;
SELECT stays();
SELECT stays('newest');
SELECT stays('most_complete');
SELECT stays(time_column => 'day');
SELECT stays('newest', 'day');
SELECT stays(rank => '{"\"Source rank\" desc"}', time_column => 'day');
SELECT stays(rank => '{source DESC NULLS FIRST, id desc}');
-- a scope: NULL is one of its own
SELECT stays(scope => '{source}');
SELECT stays(scope => '{source,title}', keep => 'newest');
SELECT stays(scope => '{}');
-- a window of time
SELECT stays(time_column => 'day', since => '2031-03-02', until => '2031-03-08');
SELECT stays(time_column => 'id', since => '2');
SELECT key, duplicate_of, group_size, measure, value, verdict FROM neardup.duplicates('posts', scope => '{source}');

-- not SQL
SELECT stays(rank => '{"id; DROP TABLE posts"}');
SELECT stays(rank => '{"lower(source)"}');
SELECT stays(rank => '{"id desc, day"}');
SELECT stays(rank => '{nothing}');
SELECT stays(rank => ARRAY[NULL]);
SELECT stays(scope => '{nothing}');
SELECT stays(time_column => 'nothing');
SELECT stays(since => '2031-03-02');
SELECT stays(time_column => 'day', since => 'yesterday noon');
SELECT stays(time_column => 'day', since => '2031-03-02'') OR true OR (''1');

-- the texts themselves decide: an update stays, copies of the update join it, an excerpt gives way to what holds it
CREATE TABLE reports (id int PRIMARY KEY, body text);
INSERT INTO reports VALUES
    (1, '清河市疾控中心通报，截至昨日二十四时，全市新增流感病例66例，其中儿童12例，均已居家治疗，提醒市民勤洗手、多通风，如有发热及时就医。'),
    (2, '清河市疾控中心通报，截至昨日二十四时，全市新增流感病例94例，其中儿童12例，均已居家治疗，提醒市民勤洗手、多通风，如有发热及时就医。'),
    (3, '清河市疾控中心通报，截至昨日二十四时，全市新增流感病例94例，其中儿童12例，均已居家治疗，提醒市民勤洗手、多通风，如有发热及时就医！'),
    (4, '清河市疾控中心通报，截至昨日二十四时，全市新增流感病例66例，其中儿童12例，均已居家治疗，提醒市民勤洗手、多通风，如有发热及时就医。');
SELECT neardup.protect('reports', 'body');
SELECT key, duplicate_of, group_size, measure, verdict FROM neardup.duplicates('reports');
SELECT * FROM neardup.duplicates('reports', verify => 'guess');
CALL neardup.cleanup('reports', verify => 'facts', dry_run => false);
SELECT id FROM reports ORDER BY id;
SELECT neardup_key, neardup_duplicate_of, neardup_verdict FROM reports_removed ORDER BY 1;
-- gone for good
INSERT INTO reports SELECT 5, '清河市疾控中心的另一则消息：下周一起恢复夜间门诊，市民可通过电话预约，周末照常接诊，节假日另行通知。';
SELECT neardup.let_through('reports', false);
BEGIN;
SELECT neardup.let_through('reports', false);
INSERT INTO reports SELECT 6, body FROM reports WHERE id = 5;
COMMIT;
INSERT INTO reports SELECT 7, body FROM reports WHERE id = 5;
CALL neardup.cleanup('reports', action => 'delete', dry_run => false);
SELECT run_id, action, found, removed FROM neardup.runs ORDER BY run_id;
CALL neardup.restore('reports', 2, answer => false);

-- partitions: copies across them, cleaned and brought back
CREATE TABLE stories (id int, day date, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE stories_1 PARTITION OF stories FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CREATE TABLE stories_2 (body text, day date NOT NULL, id int NOT NULL);
ALTER TABLE stories ATTACH PARTITION stories_2 FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
CREATE TABLE readers (name text, id int, day date, FOREIGN KEY (id, day) REFERENCES stories ON DELETE CASCADE);
INSERT INTO stories SELECT i, '2031-01-20'::date + i, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。' FROM generate_series(1, 20) i;
INSERT INTO readers SELECT 'ann', id, day FROM stories WHERE id IN (2, 15);
CREATE TEMPORARY TABLE stories_before AS TABLE stories;
SELECT neardup.protect('stories', 'body');
CALL neardup.cleanup('stories', dry_run => false, batch => 3);
SELECT id, day, tableoid::regclass FROM stories;
TABLE readers;
CALL neardup.restore('stories', 1, answer => false);
SELECT count(*) FROM (SELECT id, day, body FROM stories_before EXCEPT SELECT id, day, body FROM stories) d;
SELECT name, id FROM readers ORDER BY id;
DROP TABLE readers, stories, stories_removed, reports, reports_removed, posts;

-- a thousand copies of one row, texts without a token among them
CREATE TABLE crowd (id int PRIMARY KEY, body text);
INSERT INTO crowd SELECT i, CASE WHEN i % 100 = 0 THEN '……' ELSE '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。' END FROM generate_series(1, 1000) i;
SELECT neardup.protect('crowd', 'body');
CALL neardup.cleanup('crowd', dry_run => false, batch => 300, throttle => '1 millisecond');
SELECT count(*) FROM crowd WHERE body <> '……';
CALL neardup.cleanup('crowd', throttle => '-1 s');
DROP TABLE crowd, crowd_removed;

-- what the guard says of scope and marks holds here too
CREATE TABLE leaflets (id int PRIMARY KEY, town text, title text, body text);
SELECT neardup.protect('leaflets', 'body', scope => '{town}', on_duplicate => 'mark', columns => '{title,body}');
INSERT INTO leaflets VALUES
    (1, 'a', 't', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。'),
    (2, 'b', 't', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
BEGIN;
SELECT neardup.let_through('leaflets', false);
INSERT INTO leaflets SELECT id + 2, town, title, body FROM leaflets;
COMMIT;
CALL neardup.cleanup('leaflets', action => 'mark', dry_run => false);
SELECT id, duplicate_of FROM leaflets ORDER BY id;
DROP TABLE leaflets;
