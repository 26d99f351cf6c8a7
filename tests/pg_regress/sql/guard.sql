SET client_min_messages = warning;
CREATE SCHEMA "Odd ""schema""";
RESET client_min_messages;
CREATE TABLE articles (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text, note text);
SELECT neardup.protect('articles', 'body');
SELECT target, document, method, keys, distance, on_duplicate, verify, analyzer, enabled FROM neardup.protected;
-- no column, one index, the triggers
SELECT string_agg(column_name, ' ' ORDER BY ordinal_position) AS columns FROM information_schema.columns WHERE table_name = 'articles';
SELECT pg_get_indexdef(indexrelid) AS index FROM pg_index WHERE indrelid = 'articles'::regclass AND NOT indisprimary;
SELECT regexp_replace(pg_get_triggerdef(oid), '"since": \d+', '"since": 0') AS trigger FROM pg_trigger WHERE tgrelid = 'articles'::regclass ORDER BY tgname;

-- a copy is refused, and the row it copies is named
INSERT INTO articles (body) VALUES ('昨日下午，清河市中心医院举行新住院楼启用仪式，三百余名医护人员到场。新楼共十二层，设床位八百张，急诊科与影像科将于下周一迁入，原门诊楼改作康复中心。');
INSERT INTO articles (body) VALUES ('昨日下午，清河市中心医院举行新住院楼启用仪式，三百余名医护人员到场。新楼共十二层，设床位八百张，急诊科与影像科将于下周一迁入，原门诊楼改作康复中心。');
INSERT INTO articles (body) VALUES ('（本报讯）昨日下午，清河市中心医院举行了新住院楼启用仪式，三百余名医护人员到场。新楼共十二层，设床位八百张，急诊科与影像科将于下周一迁入，原门诊楼改作康复中心。');
\set SHOW_CONTEXT never
DO $$ BEGIN
    INSERT INTO articles (body) VALUES ('昨日下午，清河市中心医院举行新住院楼启用仪式，三百余名医护人员到场。新楼共十二层，设床位八百张，急诊科与影像科将于下周一迁入，原门诊楼改作康复中心！');
EXCEPTION WHEN unique_violation THEN RAISE NOTICE 'refused with %', SQLSTATE;
END $$;
-- English, edited
INSERT INTO articles (body) VALUES ('The harbour bridge stays closed until Monday, the city said on Friday, because two of its cables have to be replaced. Ferries run every ten minutes.');
INSERT INTO articles (body) VALUES ('Breaking: the harbour bridge stays closed until Monday, the city said on Friday, because two of its cables have to be replaced. Ferries run every ten minutes!');
-- an update of the news is none, nor is something else
INSERT INTO articles (body) VALUES ('The harbour bridge stays closed until Thursday, the city said on Friday, because nine of its cables have to be replaced. Ferries run every ten minutes.');
INSERT INTO articles (body) VALUES ('本报讯 省气象台预计，未来三天北部山区有中到大雨，局部暴雨，气温下降六到八度，提请注意防范山洪。');
-- no text, no verdict
INSERT INTO articles (body) VALUES (NULL), (NULL), (''), (''), ('！'), ('！');
-- two copies in one statement
INSERT INTO articles (body) VALUES
    ('南岭大学附属中学的学生在全国中学生机器人比赛中获得一等奖，这是该校连续第三年进入决赛并获奖。'),
    ('南岭大学附属中学的学生在全国中学生机器人比赛中获得一等奖，这是该校连续第三年进入决赛并获奖。');
-- an update is judged too, against the others only
UPDATE articles SET body = body || ' ' WHERE id = 1;
UPDATE articles SET body = (SELECT body FROM articles WHERE id = 1) WHERE body LIKE '本报讯%';
UPDATE articles SET note = 'read' WHERE id = 1;
SELECT id, left(body, 5) AS body, note FROM articles ORDER BY id;

-- a trigger that changes the document of an UPDATE which does not name it: Postgres does not fire the guard then
CREATE FUNCTION overwrite() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.body := (SELECT body FROM articles WHERE id = 1); RETURN NEW; END $$;
CREATE TRIGGER aa_overwrite BEFORE UPDATE ON articles FOR EACH ROW EXECUTE FUNCTION overwrite();
BEGIN;
UPDATE articles SET note = 'x' WHERE id = 8 RETURNING id;
ROLLBACK;
UPDATE articles SET note = 'x', body = body WHERE id = 8 RETURNING id;
DROP TRIGGER aa_overwrite ON articles;
DROP FUNCTION overwrite;

-- other actions, without another index
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
INSERT INTO articles (body) SELECT body FROM articles WHERE id = 1 RETURNING id;
SELECT neardup.protect('articles', 'body', on_duplicate => 'warn');
INSERT INTO articles (body) SELECT body FROM articles WHERE id = 1 RETURNING body IS NOT NULL AS stored;
SELECT on_duplicate, (SELECT count(*) FROM pg_index WHERE indrelid = target AND NOT indisprimary) AS indexes FROM neardup.protected;

-- renames are followed
ALTER TABLE articles RENAME COLUMN body TO content;
ALTER TABLE articles RENAME TO pieces;
ALTER TABLE pieces SET SCHEMA "Odd ""schema""";
ALTER TRIGGER zz_neardup_body ON "Odd ""schema""".pieces RENAME TO "zz ""guard""";
INSERT INTO "Odd ""schema""".pieces (content) SELECT content FROM "Odd ""schema""".pieces WHERE id = 1;
SELECT target, document, trigger FROM neardup.protected;
SELECT neardup.protect('"Odd ""schema""".pieces', 'content');
SELECT tgname FROM pg_trigger WHERE tgrelid = '"Odd ""schema""".pieces'::regclass ORDER BY tgname;
-- the columns cannot go from under it
ALTER TABLE "Odd ""schema""".pieces DROP COLUMN content;
SELECT neardup.unprotect('"Odd ""schema""".pieces');
SELECT count(*) AS guards FROM neardup.protected;
SELECT tgname FROM pg_trigger WHERE tgrelid = '"Odd ""schema""".pieces'::regclass;
SELECT column_name FROM information_schema.columns WHERE table_name = 'pieces' ORDER BY ordinal_position;
SELECT neardup.unprotect('"Odd ""schema""".pieces');

-- an index that is there is taken over, whatever its name; so it can be made without locking writers out
CREATE TABLE taken (id int PRIMARY KEY, body text);
INSERT INTO taken VALUES (1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
-- an index USING gin does not serve a guard
CREATE INDEX by_gin ON taken USING gin (sketch(body));
CREATE INDEX CONCURRENTLY "any name" ON taken USING neardup (sketch(body));
SELECT neardup.protect('taken', 'body');
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'taken'::regclass AND NOT indisprimary;
INSERT INTO taken VALUES (2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
SELECT neardup.unprotect('taken');
-- but none that would miss copies: on part of the text or of the rows, with other keys, by another's function
DROP INDEX "any name";
CREATE FUNCTION public.sketch(body text, a text, k int, also int) RETURNS minhash LANGUAGE sql IMMUTABLE RETURN sketch($1, 'shingles:2', $3);
CREATE INDEX beginning ON taken USING neardup (sketch(left(body, 10)));
CREATE INDEX lower ON taken USING neardup (sketch(lower(body)));
CREATE INDEX fewer ON taken USING neardup (sketch(body, 'shingles:5', 4));
CREATE INDEX other ON taken USING neardup (sketch(body, 'shingles:3', 8));
CREATE INDEX partial ON taken USING neardup (sketch(body)) WHERE id > 5;
CREATE INDEX somebody ON taken USING neardup (public.sketch(body, 'shingles:5', 8, 1));
SELECT neardup.protect('taken', 'body');
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'taken'::regclass AND NOT indisprimary ORDER BY indexrelid::regclass::text;
INSERT INTO taken VALUES (3, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
-- without its index no row gets in, and protect makes it again
DROP INDEX taken_sketch_idx;
INSERT INTO taken VALUES (4, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。');
UPDATE taken SET body = '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。' WHERE id = 1;
SELECT neardup.protect('taken', 'body');
INSERT INTO taken VALUES (4, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。');
REINDEX TABLE CONCURRENTLY taken;
VACUUM FULL taken;
CLUSTER taken USING taken_pkey;
INSERT INTO taken VALUES (5, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖！');
TRUNCATE taken;
INSERT INTO taken VALUES (5, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖！');
DROP TABLE taken;
DROP FUNCTION public.sketch(text, text, int, int);

-- odd names
CREATE TABLE "Odd ""schema"""."it's; DROP" ("the ""key""" int, "k2" text, "bo%dy" varchar(200), PRIMARY KEY ("the ""key""", k2));
SELECT neardup.protect('"Odd ""schema"""."it''s; DROP"', 'bo%dy');
INSERT INTO "Odd ""schema"""."it's; DROP" VALUES (1, 'a', 'one two three four five six seven');
INSERT INTO "Odd ""schema"""."it's; DROP" VALUES (2, 'b', 'one two three four five six seven!');
-- names are counted in bytes
CREATE TABLE long_names (id int PRIMARY KEY, "一二三四五六七八九十一二三四五六七八九十甲" text, "一二三四五六七八九十一二三四五六七八九十乙" char(90));
SELECT neardup.protect('long_names', "column") FROM unnest(ARRAY['一二三四五六七八九十一二三四五六七八九十甲', '一二三四五六七八九十一二三四五六七八九十乙']::name[]) "column";
SELECT document, trigger FROM neardup.protected WHERE target = 'long_names'::regclass ORDER BY 1;
SELECT count(DISTINCT tgname) AS triggers FROM pg_trigger WHERE tgrelid = 'long_names'::regclass;
INSERT INTO long_names VALUES (1, NULL, '东湖公园今起免费开放，园内新增步道四公里'), (2, NULL, '东湖公园今起免费开放，园内新增步道四公里');
SELECT neardup.unprotect('long_names');
DROP TABLE long_names;

-- a role that may only insert is told nothing of other rows, and refused all the same
CREATE TABLE posts (id int PRIMARY KEY, body text);
SELECT neardup.protect('posts', 'body');
INSERT INTO posts VALUES (1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
CREATE ROLE regress_loader;
GRANT INSERT ON posts TO regress_loader;
SET ROLE regress_loader;
INSERT INTO posts VALUES (3, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
RESET ROLE;
REVOKE ALL ON posts FROM regress_loader;
DROP ROLE regress_loader;

-- short texts and templates, thousands of them: an identical one is refused all the same
CREATE TABLE many (id int PRIMARY KEY, body text);
INSERT INTO many SELECT i, '今日天气晴好' FROM generate_series(1, 1000) i;
INSERT INTO many SELECT 1000 + i, format('沪深股市今日收盘，成交活跃，板块涨跌互现，大盘报%s点', 3000 + i) FROM generate_series(1, 1000) i;
SELECT neardup.protect('many', 'body');
INSERT INTO many VALUES (5000, '今日天气晴好');
INSERT INTO many VALUES (5001, '沪深股市今日收盘，成交活跃，板块涨跌互现，大盘报3003点');
-- no lock of a row outlasts it
BEGIN;
INSERT INTO many SELECT 10000 + i, md5(i::text) || md5((-i)::text) FROM generate_series(1, 200) i;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
COMMIT;
-- what was left out is not there when the next one comes; what was deleted, neither
BEGIN;
DELETE FROM many WHERE id = 10001;
INSERT INTO many SELECT 20001, md5('1') || md5('-1');
SAVEPOINT s;
INSERT INTO many SELECT 20002, md5('a') || md5('-a');
ROLLBACK TO s;
INSERT INTO many SELECT 20003, md5('a') || md5('-a');
COMMIT;
SELECT id FROM many WHERE id > 20000 ORDER BY id;
-- COPY, with FREEZE too
BEGIN;
TRUNCATE many;
COPY many FROM stdin WITH (FREEZE);
1	one two three four five six seven eight
2	one two three four five six seven eight
\.
ROLLBACK;
BEGIN;
TRUNCATE many;
COPY many FROM stdin WITH (FREEZE);
1	one two three four five six seven eight
2	nine ten eleven twelve thirteen fourteen fifteen
\.
COMMIT;
COPY many (id, body) FROM stdin;
3	sixteen seventeen eighteen nineteen twenty twenty-one
4	one two three four five six seven eight
\.
SELECT * FROM many ORDER BY id;
DROP TABLE many, posts;

-- what cannot be guarded
CREATE TABLE parted (id int PRIMARY KEY, body text) PARTITION BY RANGE (id);
CREATE TABLE keyless (body text);
SELECT neardup.protect('keyless', 'body');
SELECT neardup.protect('parted', 'missing');
SELECT neardup.protect('parted', 'id');
SELECT neardup.protect('parted', NULL);
SELECT neardup.protect('nowhere', 'body');
CREATE VIEW seen AS SELECT * FROM parted;
SELECT neardup.protect('seen', 'body');
SELECT neardup.protect('parted', 'body', on_duplicate => 'explode');
SELECT neardup.protect('parted', 'body', analyzer => 'klingon');
SELECT neardup.protect('parted', 'body', analyzer => 'profile:press');
CREATE TABLE made (id int PRIMARY KEY, a text, body text GENERATED ALWAYS AS (a || '!') STORED);
SELECT neardup.protect('made', 'body');
SELECT neardup.protect(NULL, 'body');
CREATE TABLE part PARTITION OF parted FOR VALUES FROM (1) TO (9);
SELECT neardup.protect('part', 'body', on_duplicate => 'skip');
-- and nothing is left half-done
SELECT count(*) FROM pg_trigger WHERE tgrelid IN ('keyless'::regclass, 'made'::regclass, 'parted'::regclass, 'part'::regclass);

-- a trigger made by hand
CREATE TRIGGER bare BEFORE INSERT ON keyless FOR EACH ROW EXECUTE FUNCTION neardup.guard();
INSERT INTO keyless VALUES ('x');
DROP TRIGGER bare ON keyless;
CREATE TRIGGER odd BEFORE INSERT OR UPDATE OF body ON keyless FOR EACH ROW EXECUTE FUNCTION neardup.guard('{"distance": 1}');
INSERT INTO keyless VALUES ('x');
DROP TRIGGER odd ON keyless;
CREATE TRIGGER odd BEFORE INSERT OR UPDATE OF body ON keyless FOR EACH ROW EXECUTE FUNCTION neardup.guard('{"analyzer":"chars:3","keys":10,"on_duplicate":"skip","expression":["",""]}');
INSERT INTO keyless VALUES ('x');
SELECT count(*) FROM neardup.statistics WHERE target = 'keyless'::regclass;
DROP TRIGGER odd ON keyless;
CREATE TRIGGER late AFTER INSERT ON keyless FOR EACH ROW EXECUTE FUNCTION neardup.guard('{}');
INSERT INTO keyless VALUES ('x');
DROP TRIGGER late ON keyless;
CREATE TRIGGER early BEFORE INSERT ON keyless FOR EACH ROW EXECUTE FUNCTION neardup.release_locks();
INSERT INTO keyless VALUES ('x');
SELECT neardup.guard();
SELECT neardup.release_locks();
-- settings that are none do not show, and do not keep others from being shown
DROP TRIGGER early ON keyless;
DO $$ DECLARE settings text; BEGIN
    FOREACH settings IN ARRAY ARRAY['x', '', '[]', '{"keys":8,"on_duplicate":"skip","analyzer":"a\u0000b"}', '{"keys":8,"on_duplicate":"skip","analyzer":"a","counter":["\u0000","x"]}',
        '{"keys":8,"on_duplicate":"skip","analyzer":"shingles:5","threshold":1e-100000}', '{"keys":8,"on_duplicate":"skip","analyzer":"shingles:5","since":1e308}',
        '{"keys":4294967295,"on_duplicate":"skip","analyzer":"shingles:5"}', '{"keys":8,"on_duplicate":"skip","analyzer":"shingles:5","columns":18446744073709551615}',
        '{"keys":8,"on_duplicate":"skip","analyzer":"shingles:5","window":9223372036854775807,"since":99999999999}', '{"keys":8,"on_duplicate":"skip","analyzer":"' || repeat('名', 9000) || '"}'] LOOP
        EXECUTE format('CREATE TRIGGER hand BEFORE INSERT OR UPDATE OF body ON keyless FOR EACH ROW EXECUTE FUNCTION neardup.guard(%L)', settings);
        RAISE NOTICE '% shown: %', left(settings, 60), (SELECT string_agg(format('%s %s %s', target, threshold, within), ',') FROM neardup.protected WHERE target = 'keyless'::regclass);
        BEGIN
            INSERT INTO keyless VALUES ('x');
        EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%: %', SQLSTATE, SQLERRM;
        END;
        DROP TRIGGER hand ON keyless;
    END LOOP;
END $$;
DROP VIEW seen;
DROP TABLE keyless, made, parted;
DROP SCHEMA "Odd ""schema""" CASCADE;
