-- groups: a group is named after its first row, whatever becomes of that
\set SHOW_CONTEXT never
CREATE TABLE items (id int PRIMARY KEY, day date, body text);
SELECT neardup.protect('items', 'body', on_duplicate => 'mark', time_column => 'day');
INSERT INTO items VALUES
    (1, '2031-03-01', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。'),
    (2, '2031-03-02', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！'),
    (3, '2031-03-03', '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。'),
    (4, '2031-03-04', '【快讯】东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
SELECT * FROM neardup.groups('items') ORDER BY key;
-- the first row is deleted: the group keeps its name, also for edited copies to come
DELETE FROM items WHERE id = 1;
INSERT INTO items VALUES (5, '2031-03-05', '（本报讯）东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。'),
                         (6, '2031-03-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
SELECT * FROM neardup.groups('items') ORDER BY key;
SELECT key, outcome FROM neardup.why('items', key => '5') ORDER BY key;
-- a copy becomes another text: it is in a group of its own
UPDATE items SET body = '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车。' WHERE id = 2;
-- a longer text about the same that says it otherwise: its own, too
INSERT INTO items VALUES (7, '2031-03-06', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。公园管理处说，夜间开放到十点，周末有乐队在湖边演出，停车场增加两百个车位，公交十七路在东门设站。');
SELECT * FROM neardup.groups('items') ORDER BY key;
-- the first row gets another text: its copies keep the mark, new ones are compared with what there is
INSERT INTO items VALUES (8, '2031-03-07', '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖！');
UPDATE items SET body = '白河体育馆的屋顶换成了光伏板，装机四百千瓦，白天够全馆用电，多余的送进电网。' WHERE id = 3;
INSERT INTO items VALUES (9, '2031-03-07', '【快讯】石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。');
SELECT id, duplicate_of FROM items ORDER BY id;
-- the first row itself, edited, is no copy of its copies
INSERT INTO items VALUES (10, '2031-03-08', '南岭隧道今天凌晨贯通，全长七公里，两边的施工队在中间握手。'), (11, '2031-03-08', '南岭隧道今天凌晨贯通，全长七公里，两边的施工队在中间握手！');
UPDATE items SET body = body || '（完）' WHERE id = 10;
SELECT id, duplicate_of FROM items WHERE id > 9 ORDER BY id;
-- a longer text that contains the first row joins the group, and its copies with it
INSERT INTO items VALUES
    (20, '2031-04-01', '西山索道今天恢复运行，票价不变，早上八点发车，末班下午五点半，学生凭证半价。'),
    (21, '2031-04-01', '西山索道今天恢复运行，票价不变，早上八点发车，末班下午五点半，学生凭证半价！'),
    (22, '2031-04-02', '西山索道今天恢复运行，票价不变，早上八点发车，末班下午五点半，学生凭证半价。索道公司介绍，检修期间更换了全部钢缆和六十个车厢，山顶平台新建了茶室，游客可以在那里等日落。'),
    (23, '2031-04-02', '西山索道今天恢复运行，票价不变，早上八点发车，末班下午五点半，学生凭证半价。索道公司介绍，检修期间更换了全部钢缆和六十个车厢，山顶平台新建了茶室，游客可以在那里等日落！');
SELECT id, duplicate_of FROM items WHERE id >= 20 ORDER BY id;
SELECT key, group_key, size FROM neardup.groups('items') WHERE key >= '20' AND length(key) = 2 ORDER BY key;
DELETE FROM items WHERE id = 20;
SELECT key, group_key, size FROM neardup.groups('items') WHERE key >= '20' AND length(key) = 2 ORDER BY key;
DELETE FROM items WHERE id > 20;
-- without marks they are computed
SELECT neardup.unprotect('items');
SELECT neardup.protect('items', 'body', reset => '{all}');
SELECT key, group_key, size, first_seen FROM neardup.groups('items') WHERE size > 1 ORDER BY key;
-- what there is to watch
SELECT pg_stat_force_next_flush();
SELECT target, document, on_duplicate, found, searches > 0 AS searches, entries > 0 AS entries, hot_keys, bytes > 0 AS bytes FROM neardup.statistics;
-- the keys of a text that hundreds of rows have are hot: one row more meets each of them
CREATE TABLE notes (id int PRIMARY KEY, body text);
INSERT INTO notes SELECT i, '本站定于周六凌晨停机维护，其间无法登录和投稿，请提前保存草稿。' FROM generate_series(1, 400) i;
SELECT neardup.protect('notes', 'body', on_duplicate => 'skip');
INSERT INTO notes SELECT 401, body FROM notes WHERE id = 1;
SELECT pg_stat_force_next_flush();
SELECT found, hot_keys > 0 AS hot_keys, hot_keys = searches AS of_all FROM neardup.statistics WHERE target = 'notes'::regclass;
DROP TABLE notes;
-- a key of two columns, and errors
CREATE TABLE news (id int, part text, body text, PRIMARY KEY (id, part));
SELECT neardup.protect('news', 'body', on_duplicate => 'mark');
INSERT INTO news SELECT i, 'x', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆' || repeat('！', i) FROM generate_series(1, 3) i;
SELECT * FROM neardup.groups('news') ORDER BY key;
DELETE FROM news WHERE id = 1;
INSERT INTO news SELECT 4, 'x', '【快讯】' || body FROM news WHERE id = 2;
SELECT key, group_key, size FROM neardup.groups('news') ORDER BY key;
-- a mark from elsewhere is no error
UPDATE news SET duplicate_of = 'none' WHERE id > 2;
UPDATE news SET duplicate_of = '99999999999, x' WHERE id = 2;
INSERT INTO news SELECT 5, 'x', '（本报讯）' || body FROM news WHERE id = 2;
SELECT id, duplicate_of FROM news ORDER BY id;
-- within a time window, the earliest row that is left stands for the first one: a group does not grow without end
CREATE TABLE briefs (id int PRIMARY KEY, day date, body text);
SELECT neardup.protect('briefs', 'body', on_duplicate => 'mark', time_column => 'day', within => '3 days');
INSERT INTO briefs VALUES
    (1, '2031-05-01', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。'),
    (2, '2031-05-03', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
INSERT INTO briefs SELECT 3, '2031-05-05', '【快讯】' || body FROM briefs WHERE id = 1;
SELECT id, duplicate_of FROM briefs ORDER BY id;
DELETE FROM briefs WHERE id IN (1, 3);
INSERT INTO briefs SELECT 4, '2031-05-05', '【快讯】' || body FROM briefs WHERE id = 2;
INSERT INTO briefs SELECT 5, '2031-05-07', '（本报讯）' || body FROM briefs WHERE id = 2;
INSERT INTO briefs SELECT 6, '2031-05-08', body FROM briefs WHERE id = 2;
SELECT id, day, duplicate_of FROM briefs ORDER BY id;
SELECT key, group_key, size FROM neardup.groups('briefs') ORDER BY key;
-- keys are written as lists write them
CREATE TABLE coded (code char(8), live boolean, body text, PRIMARY KEY (code, live));
SELECT neardup.protect('coded', 'body', on_duplicate => 'warn');
INSERT INTO coded SELECT k.code, true, k.head || body FROM news, (VALUES ('a', ''), ('b', '【快讯】')) k(code, head) WHERE id = 2;
SELECT key, group_key, size FROM neardup.groups('coded') ORDER BY key;
SELECT neardup.protect('coded', 'body', on_duplicate => 'mark');
INSERT INTO coded SELECT 'c', true, '（本报讯）' || body FROM coded WHERE code = 'a';
SELECT code, duplicate_of FROM coded ORDER BY code;
SELECT key, group_key, size FROM neardup.groups('coded') ORDER BY key;
SELECT count(*) FROM neardup.why('coded', key => 'b       , t');
-- a schema of others before pg_catalog
SET search_path = public, pg_catalog;
SELECT * FROM neardup.groups('coded');
SELECT * FROM neardup.insert_or_match('coded', '{}');
CALL neardup.cleanup('coded');
CALL neardup.purge('coded', '1 day');
RESET search_path;
DROP TABLE coded;
SELECT * FROM neardup.groups('pg_class');
SELECT * FROM neardup.groups('news', document => 'part');
CREATE ROLE regress_grouper;
SET ROLE regress_grouper;
SELECT * FROM neardup.groups('news');
RESET ROLE;
DROP ROLE regress_grouper;
DROP TABLE items, news, briefs;
