\set SHOW_CONTEXT never
-- what the guard calls a copy, clean-ups call one: its scope and its window of time
CREATE TABLE feed (id int PRIMARY KEY, source text, published timestamptz, crawled date, body text);
INSERT INTO feed SELECT n, CASE WHEN n = 6 THEN 'b' ELSE 'a' END, '2031-03-01 08:00+00'::timestamptz + day * interval '1 day', '2031-03-09'::date - n,
    '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'
FROM (VALUES (1, 9.0), (2, 0.0), (3, 1.5), (4, 3.0), (5, NULL), (6, 0.1)) v(n, day);
SELECT neardup.protect('feed', 'body', scope => ARRAY['source'], within => '2 days', time_column => 'published');
-- by published: 2 and 3 within two days, 4 too far from 2, 1 far from all; 5, which has no time, is at any time
SELECT key, duplicate_of, group_size, verdict FROM neardup.duplicates('feed');
SELECT key, duplicate_of, group_size, verdict FROM neardup.duplicates('feed', verify => 'none');
SELECT item, value FROM neardup.report('feed') WHERE item IN ('groups', 'duplicates', 'largest group');
-- an argument overrides
SELECT key, duplicate_of FROM neardup.duplicates('feed', within => '12 hours');
SELECT key, duplicate_of FROM neardup.duplicates('feed', within => '1000 years');
SELECT key, duplicate_of FROM neardup.duplicates('feed', scope => '{}');
SELECT key, duplicate_of FROM neardup.duplicates('feed', time_column => 'crawled');
SELECT key, duplicate_of FROM neardup.duplicates('feed', time_column => 'crawled', within => '1 day');
SELECT key, duplicate_of FROM neardup.duplicates('feed', since => '2031-03-02');
SELECT key, duplicate_of FROM neardup.duplicates('feed', within => '-1 day');
SELECT key, duplicate_of FROM neardup.duplicates('feed', within => '1 day', time_column => 'source');
SET client_min_messages = warning;
CALL neardup.cleanup('feed', dry_run => false);
RESET client_min_messages;
SELECT id FROM feed ORDER BY id;
CALL neardup.cleanup('feed', within => '1000 years', scope => '{}');
DROP TABLE feed;
-- infinite times, and dates
CREATE TABLE plans (id int PRIMARY KEY, day date, body text);
INSERT INTO plans SELECT n, day::date, '西山隧道提前两个月贯通，预计明年春天通车，届时两地车程缩短到四十分钟，沿线乡镇受益。'
FROM (VALUES (1, '-infinity'), (2, 'infinity'), (3, 'infinity'), (4, '2031-01-01'), (5, '2031-01-02')) v(n, day);
SELECT neardup.protect('plans', 'body', within => '1 day', time_column => 'day');
SELECT key, duplicate_of FROM neardup.duplicates('plans');
CALL neardup.cleanup('plans', dry_run => false);
SELECT id FROM plans ORDER BY id;
DROP TABLE plans;
-- a date that is later than any timestamp: its microseconds do not fit into 64 bits, and what would be left of them is near another date
CREATE TABLE aeons (id int PRIMARY KEY, day date, body text);
SELECT neardup.protect('aeons', 'body', within => '1 day', time_column => 'day', on_duplicate => 'warn');
INSERT INTO aeons SELECT n, day, 'The harbour bridge will close for repairs from Monday until the end of the month, the city said. Buses 4 and 9 take the tunnel instead.'
FROM (VALUES (1, '2031-01-01'::date), (2, '2031-01-01'::date + 213503982)) v(n, day);
SELECT key, duplicate_of FROM neardup.duplicates('aeons');
DROP TABLE aeons;
CREATE TABLE untimed (id int PRIMARY KEY, body text);
SELECT neardup.protect('untimed', 'body');
SELECT * FROM neardup.duplicates('untimed', within => '1 day');
DROP TABLE untimed;

-- a document of several columns: its texts are compared whole
CREATE TABLE 传单 (编号 int PRIMARY KEY, 标题 text, 正文 text);
INSERT INTO 传单 VALUES
    (1, '每日简讯', '清河市疾控中心通报，截至昨日二十四时，全市新增流感病例66例，其中儿童12例，均已居家治疗，提醒市民勤洗手、多通风，如有发热及时就医。'),
    (2, '每日简讯', '清河市疾控中心通报，截至昨日二十四时，全市新增流感病例94例，其中儿童12例，均已居家治疗，提醒市民勤洗手、多通风，如有发热及时就医。'),
    (3, '每日简讯', '清河市疾控中心通报，截至昨日二十四时，全市新增流感病例94例，其中儿童12例，均已居家治疗，提醒市民勤洗手、多通风，如有发热及时就医！'),
    (4, '……', NULL), (5, NULL, '没有标题的一则');
SELECT neardup.protect('传单', '标题', columns => ARRAY['标题', '正文']);
SELECT key, duplicate_of, verdict FROM neardup.duplicates('传单');
SELECT key, duplicate_of FROM neardup.duplicates('传单', keep => 'longest');
DROP TABLE 传单;
-- made by a function, in partitions of other column orders
CREATE TABLE letters (id int, day date, head text, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE FUNCTION letter(l letters) RETURNS text LANGUAGE sql IMMUTABLE RETURN l.head || ' / ' || l.body;
CREATE TABLE letters_1 PARTITION OF letters FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CREATE TABLE letters_2 (body text, head text, day date NOT NULL, id int NOT NULL);
ALTER TABLE letters ATTACH PARTITION letters_2 FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
SELECT neardup.protect('letters', 'body', columns => ARRAY['body', 'head'], expression => 'letter', on_duplicate => 'warn');
ALTER TABLE letters DISABLE TRIGGER zz_neardup_body;
INSERT INTO letters VALUES
    (1, '2031-01-05', '江口镇今日举办第十届龙舟赛', '二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'),
    (2, '2031-02-05', '江口镇今日举办第十届龙舟赛', '二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！');
ALTER TABLE letters ENABLE TRIGGER zz_neardup_body;
SELECT key, duplicate_of, verdict FROM neardup.duplicates('letters');
CALL neardup.cleanup('letters', dry_run => false);
SELECT count(*) FROM letters;
DROP TABLE letters CASCADE;

CREATE TABLE marks (id int PRIMARY KEY, body text);
SELECT neardup.protect('marks', 'body');
-- where a procedure cannot commit
CREATE FUNCTION night() RETURNS void LANGUAGE plpgsql AS $$DECLARE n bigint; r bigint; BEGIN CALL neardup.cleanup('marks', dry_run => false, run_id => r, removed => n); END$$;
SELECT night();
DO $$DECLARE n bigint; r bigint; BEGIN CALL neardup.cleanup('marks', dry_run => false, run_id => r, removed => n); EXCEPTION WHEN no_data_found THEN NULL; END$$;
DO $$DECLARE n bigint; BEGIN CALL neardup.purge('marks', '1 day', purged => n); EXCEPTION WHEN no_data_found THEN NULL; END$$;
SELECT neardup.keep_removed('marks');
CREATE FUNCTION undo() RETURNS void LANGUAGE plpgsql AS $$DECLARE n bigint; BEGIN CALL neardup.restore('marks', 2, restored => n, answer => false); END$$;
SELECT undo();
\set VERBOSITY sqlstate
SELECT night();
BEGIN;
CALL neardup.cleanup('marks', dry_run => false);
ROLLBACK;
\set VERBOSITY default
-- and where it can: a dry run anywhere, the rest from a block
BEGIN;
CALL neardup.cleanup('marks');
COMMIT;
DO $$DECLARE n bigint; r bigint; BEGIN
    CALL neardup.cleanup('marks', dry_run => false, run_id => r, removed => n);
END$$;
DROP FUNCTION night, undo;
DROP TABLE marks;

-- a trigger of the table releases advisory locks, but not the one that keeps out a second clean-up
CREATE TABLE notes (id int PRIMARY KEY, body text);
INSERT INTO notes SELECT n, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。' FROM generate_series(1, 2) n;
SELECT neardup.protect('notes', 'body');
CREATE FUNCTION release() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
    PERFORM pg_advisory_unlock_all();
    RAISE NOTICE 'locks held: %', (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 16 AND pid = pg_backend_pid());
    RETURN OLD;
END$$;
CREATE TRIGGER release BEFORE DELETE ON notes FOR EACH ROW EXECUTE FUNCTION release();
DO $$DECLARE n bigint; r bigint; BEGIN CALL neardup.cleanup('notes', dry_run => false, run_id => r, removed => n); END$$;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 16;
DROP TABLE notes;
DROP FUNCTION release;
