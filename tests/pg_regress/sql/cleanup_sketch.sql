\set SHOW_CONTEXT never
-- candidates by the keys of sketches, a whole table at once
CREATE FUNCTION words(first int, last int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(substr('abcdefghijklmnopqrstuvwxyz', 1 + n % 26, 1) || n, ' ' ORDER BY n) FROM generate_series(first, last) n
$$;
CREATE TABLE texts (id int PRIMARY KEY, site text, at timestamptz, body text);
CREATE VIEW listed AS SELECT key::int, duplicate_of::int, verdict, measure, round(value::numeric, 2) AS value, group_size FROM neardup.duplicates('texts');

-- a chain of small changes: whoever goes is judged against the row that stays, so what is unlike it stays, too
INSERT INTO texts SELECT n, 'a', '2031-01-01', words(n * 4, n * 4 + 59) FROM generate_series(1, 60) n;
SELECT neardup.protect('texts', 'body', verify => 'overlap', threshold => 0.5);
SELECT count(*) > 30 AS many, max(key - duplicate_of) <= 7 AS near, bool_and(duplicate_of NOT IN (SELECT key FROM listed)) AS stay FROM listed;
SELECT bool_and(value >= 0.5) AS alike FROM listed;
TRUNCATE texts;

-- an excerpt gives way to the longer text, with all that joined it; which one stays does not matter to that
SELECT neardup.protect('texts', 'body', reset => '{all}');
ALTER TABLE texts DISABLE TRIGGER USER;
INSERT INTO texts VALUES
    (1, 'a', NULL, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'),
    (2, 'a', NULL, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'),
    (3, 'a', NULL, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！'),
    (4, 'a', NULL, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。比赛从上午九时开始，沿江两岸站满了看热闹的乡亲，锣鼓队也来助阵，散场时天已经黑了，孩子们还在岸边学着划桨的样子，老人们说起从前的赛事。');
SELECT key, duplicate_of, verdict, group_size FROM listed;
SELECT key, duplicate_of, verdict FROM neardup.duplicates('texts', keep => 'longest');
TRUNCATE texts;

-- one text ten thousand times, edited copies of it among them, and texts without a token
INSERT INTO texts SELECT n, 'a', NULL, CASE n % 100
    WHEN 50 THEN '……' WHEN 99 THEN '【快讯】东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。' || n
    ELSE '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。' END FROM generate_series(1, 10000) n;
SELECT duplicate_of, measure, count(*), max(group_size) FROM listed GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 2;
TRUNCATE texts;

-- a template with other facts each time is no copy, however hot its keys are
INSERT INTO texts SELECT n, 'a', NULL, format('清河市疾控中心通报，截至昨日二十四时，全市新增流感病例%s例，其中儿童%s例，均已居家治疗，提醒市民勤洗手、多通风，如有发热及时就医。', n * 7, n * 3 + 1)
FROM generate_series(1, 500) n;
SELECT count(*) FROM listed;
TRUNCATE texts;

-- scope and time: as many of a text as there are sites and days
INSERT INTO texts SELECT n, CASE WHEN n % 7 > 0 THEN 's' || n % 3 END, '2031-01-01'::timestamptz + n * interval '1 hour',
    '西山隧道提前两个月贯通，预计明年春天通车，届时两地车程缩短到四十分钟，沿线乡镇受益' || CASE n % 2 WHEN 0 THEN '。' ELSE '！' END FROM generate_series(1, 480) n;
SELECT site, count(*) - count(d.key) AS stay FROM texts t LEFT JOIN neardup.duplicates('texts', scope => '{site}') d ON d.key = t.id::text GROUP BY 1 ORDER BY 1;
SELECT count(*) AS go, bool_and(abs(extract(epoch FROM t.at - r.at)) <= 86400) AS near
FROM neardup.duplicates('texts', within => '1 day', time_column => 'at') d JOIN texts t ON t.id::text = d.key JOIN texts r ON r.id::text = d.duplicate_of;
SELECT count(*) AS go, bool_and(abs(extract(epoch FROM t.at - r.at)) <= 86400) AS near
FROM neardup.duplicates('texts', keep => 'longest', within => '1 day', time_column => 'at') d JOIN texts t ON t.id::text = d.key JOIN texts r ON r.id::text = d.duplicate_of;
TRUNCATE texts;

-- who has nothing to clean there may not hold a table; a pass ends with its transaction, also within one message, or with its savepoint
CREATE ROLE regress_nobody;
SET ROLE regress_nobody;
SELECT neardup_internal.hold_table('texts');
CALL neardup.cleanup('texts', dry_run => false);
RESET ROLE;
ALTER TABLE texts ENABLE TRIGGER USER;
INSERT INTO texts VALUES (1, 'a', NULL, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
BEGIN\; SELECT neardup.let_through('texts', false)\; COMMIT\; INSERT INTO texts SELECT 2, site, at, body FROM texts;
BEGIN;
SAVEPOINT s;
SELECT neardup.let_through('texts', false);
INSERT INTO texts SELECT 3, site, at, body FROM texts;
ROLLBACK TO s;
INSERT INTO texts SELECT 4, site, at, body FROM texts;
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT neardup.let_through('texts', false);
RELEASE s;
INSERT INTO texts SELECT 5, site, at, body FROM texts;
COMMIT;

-- types that shadow Postgres's own are not taken, in a session that has not called the functions before
\c -
\set SHOW_CONTEXT never
DO $$
DECLARE
    type text;
BEGIN
    FOREACH type IN ARRAY '{text,name,oid,regclass,int8,int4,bool,float8,numeric,timestamptz,interval,record,tid,jsonb,texts}'::text[] LOOP
        EXECUTE format('CREATE DOMAIN pg_temp.%I AS pg_catalog.int4 CHECK (false)', type);
    END LOOP;
END
$$;
SELECT key, duplicate_of FROM neardup.duplicates('texts');
SELECT count(*) FROM neardup.report('texts');
SELECT length(neardup.report_html('texts')) > 100 AS page;
CALL neardup.cleanup('texts');
CALL neardup.cleanup('texts', dry_run => false);
CALL neardup.restore('texts', 1, answer => false);
CALL neardup.cleanup('texts', action => 'mark', dry_run => false);
SELECT id, body_duplicate_of FROM texts ORDER BY id;
CALL neardup.purge('texts', '0 s');
DISCARD TEMP;
DROP TABLE texts CASCADE;
DROP FUNCTION words;
DROP ROLE regress_nobody;
