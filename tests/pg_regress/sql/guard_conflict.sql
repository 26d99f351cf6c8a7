-- ON CONFLICT and MERGE: a row that has a unique key of another one is no copy of it, by the index's own idea of what is equal
\set SHOW_CONTEXT never
CREATE COLLATION regress_folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE pages (id numeric PRIMARY KEY, url text UNIQUE, site text, slug text COLLATE regress_folded, code int, live boolean DEFAULT true, body text, seen int DEFAULT 1);
CREATE UNIQUE INDEX pages_slug ON pages (site, lower(slug)) WHERE live;
CREATE UNIQUE INDEX pages_code ON pages (code) NULLS NOT DISTINCT WHERE NOT live;
SELECT neardup.protect('pages', 'body');
INSERT INTO pages (id, url, body) VALUES (1.0, 'u1', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
-- by each key: the row is updated, and is no copy of itself
INSERT INTO pages (id, url, body) VALUES (1.00, 'u2', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！') ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body, seen = pages.seen + 1;
INSERT INTO pages (id, url, body) VALUES (2, 'u1', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。') ON CONFLICT (url) DO UPDATE SET body = EXCLUDED.body, seen = pages.seen + 1;
INSERT INTO pages (id, url, body) VALUES (3, 'u1', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。') ON CONFLICT DO NOTHING;
SELECT id, url, seen FROM pages;
-- an expression, a collation, a predicate
UPDATE pages SET site = 's', slug = 'Lake-Park';
INSERT INTO pages (id, url, site, slug, body) VALUES (4, 'u4', 's', 'LAKE-PARK', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。') ON CONFLICT (site, lower(slug)) WHERE live DO UPDATE SET seen = pages.seen + 1;
INSERT INTO pages (id, url, site, slug, live, body) VALUES (5, 'u5', 's', 'lake-park', false, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。') ON CONFLICT DO NOTHING;
INSERT INTO pages (id, url, site, slug, body) VALUES (6, 'u6', NULL, 'lake-park', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。') ON CONFLICT DO NOTHING;
-- NULLs that are equal
INSERT INTO pages (id, url, live, body) VALUES (7, 'u7', false, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。');
INSERT INTO pages (id, url, live, body) VALUES (8, 'u8', false, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。') ON CONFLICT (code) WHERE NOT live DO UPDATE SET seen = pages.seen + 1;
-- no conflict: a copy is a copy
INSERT INTO pages (id, url, body) VALUES (9, 'u9', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。') ON CONFLICT DO NOTHING;
-- nor without ON CONFLICT: Postgres refuses, and says why
INSERT INTO pages (id, url, body) VALUES (10, 'u1', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
-- the update half is judged like any update
INSERT INTO pages (id, url, body) VALUES (7, 'u7', 'x') ON CONFLICT (id) DO UPDATE SET body = (SELECT body FROM pages WHERE id = 1);
SELECT id, url, seen FROM pages ORDER BY id;
-- nothing is held, whichever way it went
BEGIN;
INSERT INTO pages (id, url, body) VALUES (11, 'u1', 'a text of which nobody has heard before, on ships') ON CONFLICT DO NOTHING;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
INSERT INTO pages (id, url, body) VALUES (1, 'u1', 'a text of which nobody has heard before, on ships') ON CONFLICT (id) DO UPDATE SET seen = 0;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
SAVEPOINT s;
INSERT INTO pages (id, url, body) VALUES (12, 'u1', 'a text of which nobody has heard before, on ships');
ROLLBACK TO s;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
COMMIT;

-- MERGE
MERGE INTO pages p USING (VALUES (1, 'u1', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！'), (20, 'u20', '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车。')) v(id, url, body)
    ON p.url = v.url WHEN MATCHED THEN UPDATE SET body = v.body WHEN NOT MATCHED THEN INSERT (id, url, body) VALUES (v.id, v.url, v.body);
MERGE INTO pages p USING (VALUES (21, 'u21', '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车！')) v(id, url, body)
    ON p.url = v.url WHEN NOT MATCHED THEN INSERT (id, url, body) VALUES (v.id, v.url, v.body);
MERGE INTO pages p USING (VALUES ('u20', (SELECT body FROM pages WHERE id = 7))) v(url, body) ON p.url = v.url WHEN MATCHED THEN UPDATE SET body = v.body;
SELECT neardup.protect('pages', 'body', on_duplicate => 'skip');
MERGE INTO pages p USING (VALUES (21, 'u21', '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车！')) v(id, url, body)
    ON p.url = v.url WHEN NOT MATCHED THEN INSERT (id, url, body) VALUES (v.id, v.url, v.body);
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
SELECT id, url FROM pages ORDER BY id;
DROP TABLE pages;
DROP COLLATION regress_folded;

-- a deferred constraint lets both in for a while, so it decides nothing
CREATE TABLE deferred (id int PRIMARY KEY, url text UNIQUE DEFERRABLE INITIALLY DEFERRED, body text);
SELECT neardup.protect('deferred', 'body');
INSERT INTO deferred VALUES (1, 'u', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
BEGIN;
INSERT INTO deferred VALUES (2, 'u', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
ROLLBACK;
DROP TABLE deferred;

-- a generated column has no value yet when a row is judged
CREATE TABLE generated (id int PRIMARY KEY, url text, address text GENERATED ALWAYS AS (lower(url)) STORED UNIQUE, body text);
SELECT neardup.protect('generated', 'body');
INSERT INTO generated VALUES (1, 'U', DEFAULT, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO generated VALUES (2, 'u', DEFAULT, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。') ON CONFLICT (address) DO NOTHING;
INSERT INTO generated VALUES (2, 'u', DEFAULT, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。') ON CONFLICT (address) DO UPDATE SET url = 'x' RETURNING id, url;
DROP TABLE generated;

-- over partitions a unique key is one of the partition key's, too
CREATE TABLE parted (id int, part int, body text, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
SELECT neardup.protect('parted', 'body');
INSERT INTO parted VALUES (1, 1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO parted VALUES (1, 1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！') ON CONFLICT (id, part) DO UPDATE SET body = EXCLUDED.body RETURNING id, part;
INSERT INTO parted VALUES (1, 2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！') ON CONFLICT (id, part) DO UPDATE SET body = EXCLUDED.body RETURNING id, part;
DROP TABLE parted;
