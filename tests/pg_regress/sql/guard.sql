SET client_min_messages = warning;
CREATE SCHEMA "Odd ""schema""";
RESET client_min_messages;
CREATE TABLE articles (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text, note text);
SELECT neardup.protect('articles', 'body');
SELECT target, document, signature, distance, on_duplicate, analyzer, enabled FROM neardup.protected;

-- a copy is refused, and the row it copies is named
INSERT INTO articles (body) VALUES ('昨日下午，清河市中心医院举行新住院楼启用仪式，三百余名医护人员到场。新楼共十二层，设床位八百张，急诊科与影像科将于下周一迁入，原门诊楼改作康复中心。');
INSERT INTO articles (body) VALUES ('昨日下午，清河市中心医院举行新住院楼启用仪式，三百余名医护人员到场。新楼共十二层，设床位八百张，急诊科与影像科将于下周一迁入，原门诊楼改作康复中心。');
\set SHOW_CONTEXT never
DO $$ BEGIN
    INSERT INTO articles (body) VALUES ('昨日下午，清河市中心医院举行新住院楼启用仪式，三百余名医护人员到场。新楼共十二层，设床位八百张，急诊科与影像科将于下周一迁入，原门诊楼改作康复中心！');
EXCEPTION WHEN unique_violation THEN RAISE NOTICE 'refused with %', SQLSTATE;
END $$;
\set VERBOSITY default
-- something else is not
INSERT INTO articles (body) VALUES ('本报讯 省气象台预计，未来三天北部山区有中到大雨，局部暴雨，气温下降六到八度，提请注意防范山洪。');
-- no text, no verdict
INSERT INTO articles (body) VALUES (NULL), (NULL), (''), ('');
SELECT id, body_simhash IS NULL AS unsigned FROM articles ORDER BY id;
-- two copies in one statement
INSERT INTO articles (body) VALUES
    ('南岭大学附属中学的学生在全国中学生机器人比赛中获得一等奖，这是该校连续第三年进入决赛并获奖。'),
    ('南岭大学附属中学的学生在全国中学生机器人比赛中获得一等奖，这是该校连续第三年进入决赛并获奖。');
-- an update is judged too, against the others only
UPDATE articles SET body = body || ' ' WHERE id = 1;
UPDATE articles SET body = (SELECT body FROM articles WHERE id = 1) WHERE body LIKE '本报讯%';
UPDATE articles SET note = 'read' WHERE id = 1;
-- nobody but the guard writes signatures
UPDATE articles SET body_simhash = '0000000000000000' WHERE id = 1;
SELECT body_simhash = simhash(body, 'chars:3') AS signed FROM articles WHERE id = 1;

-- other actions, without a rewrite
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
INSERT INTO articles (body) SELECT body FROM articles WHERE id = 1 RETURNING id;
SELECT neardup.protect('articles', 'body', distance => 3, on_duplicate => 'warn');
INSERT INTO articles (body) SELECT body FROM articles WHERE id = 1 RETURNING body_simhash IS NOT NULL AS signed;
SELECT distance, on_duplicate FROM neardup.protected;
SELECT neardup.protect('articles', 'body', analyzer => 'jieba');

-- renames are followed
ALTER TABLE articles RENAME COLUMN body TO content;
ALTER TABLE articles RENAME TO pieces;
ALTER TABLE pieces SET SCHEMA "Odd ""schema""";
INSERT INTO "Odd ""schema""".pieces (content) SELECT content FROM "Odd ""schema""".pieces WHERE id = 1;
SELECT target, document FROM neardup.protected;
-- the columns cannot go from under it
ALTER TABLE "Odd ""schema""".pieces DROP COLUMN content;
SELECT neardup.unprotect('"Odd ""schema""".pieces');
SELECT count(*) AS guards FROM neardup.protected;
SELECT column_name FROM information_schema.columns WHERE table_name = 'pieces' ORDER BY ordinal_position;
SELECT neardup.unprotect('"Odd ""schema""".pieces');

-- odd names
CREATE TABLE "Odd ""schema"""."it's; DROP" ("the ""key""" int, "k2" text, "bo%dy" varchar(200), PRIMARY KEY ("the ""key""", k2));
SELECT neardup.protect('"Odd ""schema"""."it''s; DROP"', 'bo%dy', analyzer => 'chars:2');
INSERT INTO "Odd ""schema"""."it's; DROP" VALUES (1, 'a', 'one two three four five six seven');
INSERT INTO "Odd ""schema"""."it's; DROP" VALUES (2, 'b', 'one two three four five six seven!');
SELECT * FROM neardup.duplicates('"Odd ""schema"""."it''s; DROP"');

-- partitions: a copy is found across them
CREATE TABLE parted (id int, day date, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
SELECT neardup.protect('parted', 'body');
-- a later partition, with its columns in another order
CREATE TABLE parted_2 (body text, junk int, day date NOT NULL, id int NOT NULL, body_simhash simhash);
ALTER TABLE parted_2 DROP COLUMN junk;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
INSERT INTO parted VALUES (1, '2026-01-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO parted VALUES (2, '2026-02-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO parted_2 (id, day, body) VALUES (2, '2026-02-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
UPDATE parted SET day = '2026-02-07' WHERE id = 1;
SELECT id, day, body_simhash IS NOT NULL AS signed FROM parted;

-- a role that may only insert is told nothing of other rows, and refused all the same
CREATE ROLE regress_loader;
GRANT INSERT ON parted TO regress_loader;
SET ROLE regress_loader;
INSERT INTO parted VALUES (3, '2026-02-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
RESET ROLE;
REVOKE ALL ON parted FROM regress_loader;
DROP ROLE regress_loader;

-- ON CONFLICT meets the row itself, not a copy
CREATE TABLE upserts (id int PRIMARY KEY, body varchar(300), seen int DEFAULT 1);
SELECT neardup.protect('upserts', 'body');
INSERT INTO upserts VALUES (1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO upserts VALUES (1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。')
    ON CONFLICT (id) DO UPDATE SET seen = upserts.seen + 1, body = EXCLUDED.body;
INSERT INTO upserts VALUES (1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。') ON CONFLICT DO NOTHING;
INSERT INTO upserts VALUES (2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。') ON CONFLICT DO NOTHING;
SELECT id, seen, body_simhash = simhash(body, 'chars:3') AS signed FROM upserts;
DROP TABLE upserts;

-- names are counted in bytes
CREATE TABLE long_names (id int PRIMARY KEY, "一二三四五六七八九十一二三四五六七八九十甲" text, "一二三四五六七八九十一二三四五六七八九十乙" text);
SELECT neardup.protect('long_names', "column") FROM unnest(ARRAY['一二三四五六七八九十一二三四五六七八九十甲', '一二三四五六七八九十一二三四五六七八九十乙']::name[]) "column";
SELECT document, signature, trigger FROM neardup.protected WHERE target = 'long_names'::regclass ORDER BY 1;
SELECT * FROM neardup.duplicates('long_names');
SELECT neardup.unprotect('long_names');
DROP TABLE long_names;

-- a transaction of many rows takes the whole column
CREATE TABLE many (id int PRIMARY KEY, body text);
SELECT neardup.protect('many', 'body');
BEGIN;
INSERT INTO many SELECT i, md5(i::text) || md5((-i)::text) FROM generate_series(1, 200) i;
SELECT count(*) < 100 AS bounded FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
COMMIT;
DROP TABLE many;

-- what cannot be guarded
CREATE TABLE keyless (body text);
SELECT neardup.protect('keyless', 'body');
SELECT neardup.protect('parted', 'missing');
SELECT neardup.protect('parted', 'id');
SELECT neardup.protect('nowhere', 'body');
CREATE VIEW seen AS SELECT * FROM parted;
SELECT neardup.protect('seen', 'body');
SELECT neardup.protect('parted', 'body', distance => 12);
SELECT neardup.protect('parted', 'body', distance => -1);
SELECT neardup.protect('parted', 'body', on_duplicate => 'explode');
SELECT neardup.protect('parted', 'body', analyzer => 'klingon');
SELECT neardup.protect('parted', 'body', analyzer => NULL);
CREATE TABLE made (id int PRIMARY KEY, a text, body text GENERATED ALWAYS AS (a || '!') STORED);
SELECT neardup.protect('made', 'body');
SELECT neardup.protect(NULL, 'body');
-- and nothing is left half-done
SELECT attname FROM pg_attribute WHERE attrelid IN ('keyless'::regclass, 'made'::regclass) AND attnum > 0 ORDER BY attrelid, attnum;

-- a trigger made by hand
CREATE TRIGGER bare BEFORE INSERT ON keyless FOR EACH ROW EXECUTE FUNCTION neardup.guard();
INSERT INTO keyless VALUES ('x');
DROP TRIGGER bare ON keyless;
CREATE TRIGGER odd BEFORE INSERT OR UPDATE OF body ON keyless FOR EACH ROW EXECUTE FUNCTION neardup.guard('{"distance": 1}');
INSERT INTO keyless VALUES ('x');
DROP TRIGGER odd ON keyless;
CREATE TRIGGER late AFTER INSERT ON keyless FOR EACH ROW EXECUTE FUNCTION neardup.guard('{}');
INSERT INTO keyless VALUES ('x');
SELECT neardup.guard();

DROP TABLE keyless, made, parted CASCADE;
DROP SCHEMA "Odd ""schema""" CASCADE;
