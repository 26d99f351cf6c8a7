-- insert_or_match: what became of each row
\set SHOW_CONTEXT never
CREATE TABLE articles (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, url text UNIQUE, tags text[], seen int NOT NULL DEFAULT 1, body text);
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
SELECT * FROM neardup.insert_or_match('articles', '{"url": "a", "tags": ["x", "y"], "body": "东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。"}');
CREATE VIEW three AS SELECT '[
    {"url": "b", "body": "石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。"},
    {"url": "c", "body": "东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！"},
    {"url": "d", "body": "【快讯】石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。"}]'::jsonb AS rows;
SELECT place, key, duplicate_of, action, measure FROM three, neardup.insert_or_match('articles', rows) ORDER BY place;
SELECT id, url, tags, seen FROM articles ORDER BY id;
-- the other actions
SELECT neardup.protect('articles', 'body', reset => '{all}');
SELECT place, key, duplicate_of, action, measure FROM neardup.insert_or_match('articles', (SELECT rows #- '{0}' FROM three));
-- nothing is lost of a transaction by a refusal
BEGIN;
SELECT place, action FROM neardup.insert_or_match('articles', '[{"body": "望岑县的苹果今年熟得早，果农在合作社门口排起长队。"}, {"body": "望岑县的苹果今年熟得早，果农在合作社门口排起长队！"}]');
COMMIT;
SELECT count(*) FROM articles;
SELECT neardup.protect('articles', 'body', on_duplicate => 'mark');
SELECT place, key, duplicate_of, action, measure FROM neardup.insert_or_match('articles', (SELECT rows #- '{0}' FROM three));
CREATE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$ BEGIN existing.seen := existing.seen + 1; RETURN existing; END $$;
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => 'merged');
SELECT place, key, duplicate_of, action, measure FROM neardup.insert_or_match('articles', '{"url": "z", "body": "东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆……"}');
-- another unique key, another trigger, other constraints: as in any INSERT
SELECT * FROM neardup.insert_or_match('articles', '{"url": "a", "body": "another text, quite another one, about a harbour and a bridge"}');
SELECT * FROM neardup.insert_or_match('articles', '{"seen": null}');
SELECT * FROM neardup.insert_or_match('articles', '{"nothing": 1}');
SELECT key IS NOT NULL AS stored, action FROM neardup.insert_or_match('articles', '{}');
SELECT * FROM neardup.insert_or_match('articles', '[]');
SELECT * FROM neardup.insert_or_match('articles', '[1]');
SELECT * FROM neardup.insert_or_match('articles', '"x"');
SELECT * FROM neardup.insert_or_match('articles', NULL);
CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER aa BEFORE INSERT ON articles FOR EACH ROW EXECUTE FUNCTION leave_out();
SELECT * FROM neardup.insert_or_match('articles', '{"body": "x"}');
DROP TABLE articles CASCADE;
-- triggers that write to guarded tables themselves: each row's outcome is that of its own guard
CREATE TABLE stories (id int PRIMARY KEY, body text);
CREATE TABLE archive (id int PRIMARY KEY, body text);
SELECT neardup.protect('stories', 'body', on_duplicate => 'skip');
SELECT neardup.protect('archive', 'body');
CREATE FUNCTION archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO archive SELECT id, body FROM stories ORDER BY id DESC LIMIT 1;
    RETURN NULL;
EXCEPTION WHEN unique_violation THEN RETURN NULL;
END $$;
CREATE TRIGGER archived AFTER INSERT ON stories FOR EACH STATEMENT EXECUTE FUNCTION archived();
CREATE FUNCTION again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() = 1 THEN
        INSERT INTO stories VALUES (NEW.id + 100, NEW.body);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER again AFTER INSERT ON stories FOR EACH ROW EXECUTE FUNCTION again();
SELECT * FROM neardup.insert_or_match('stories', '[
    {"id": 1, "body": "The ferry to the northern islands runs twice a day from the first of May until the end of September."},
    {"id": 2, "body": "The ferry to the northern islands runs twice a day from the first of May until the end of September!"}]');
SELECT id FROM stories;
SELECT id FROM archive;
DROP TABLE stories, archive;
DROP FUNCTION archived, again;
-- functions of the row that write to its table: a DEFAULT before, a CHECK after the row's guard
CREATE TABLE logs (id int PRIMARY KEY, body text);
SELECT neardup.protect('logs', 'body', on_duplicate => 'skip');
INSERT INTO logs VALUES (1, 'The ferry to the northern islands runs twice a day from the first of May until the end of September.');
CREATE FUNCTION inserts_copy() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO logs (id, body, is_inner) SELECT 100, body, true FROM logs WHERE id = 1;
    RETURN false;
END $$;
ALTER TABLE logs ADD is_inner boolean;
ALTER TABLE logs ALTER is_inner SET DEFAULT inserts_copy();
SELECT * FROM neardup.insert_or_match('logs', '{"id": 2, "body": "The town hall is closed on Friday because the heating is being replaced on all three floors."}');
ALTER TABLE logs ALTER is_inner DROP DEFAULT;
SELECT neardup.protect('logs', 'body', on_duplicate => 'mark');
CREATE FUNCTION inserts_other() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO logs (id, body, is_inner) SELECT 101, body || ' Lights too.', true FROM logs WHERE id = 2;
    RETURN true;
END $$;
ALTER TABLE logs ADD CHECK (is_inner OR inserts_other()) NOT VALID;
SELECT key, duplicate_of, action FROM neardup.insert_or_match('logs', '{"id": 3, "is_inner": false, "body": "The ferry to the northern islands runs twice a day from the first of May until the end of September!"}');
SELECT id, duplicate_of FROM logs ORDER BY id;
DROP TABLE logs;
DROP FUNCTION inserts_copy, inserts_other;
-- no guard, no key; partitions and a key of two columns; odd names
CREATE TABLE plain (id int PRIMARY KEY, "it's ""x""" text);
SELECT * FROM neardup.insert_or_match('plain', '{"id": 1, "it''s \"x\"": "y"}');
CREATE TABLE keyless (body text);
SELECT * FROM neardup.insert_or_match('keyless', '{"body": "x"}');
CREATE TABLE news (id int, part int, body text, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE news_1 PARTITION OF news FOR VALUES IN (1);
SELECT neardup.protect('news', 'body', on_duplicate => 'skip');
SELECT * FROM neardup.insert_or_match('news', '{"id": 1, "part": 1, "body": "one two three four five six seven eight"}');
SELECT * FROM neardup.insert_or_match('news_1', '{"id": 2, "part": 1, "body": "one two three four five six seven eight"}');
-- rights: those of an INSERT with RETURNING; the key of a row that the role may not read is not shown
CREATE ROLE regress_loader;
GRANT INSERT, SELECT (id, part) ON news TO regress_loader;
SET ROLE regress_loader;
SELECT * FROM neardup.insert_or_match('news', '{"id": 2, "part": 1, "body": "one two three four five six seven eight"}');
SELECT * FROM neardup.insert_or_match('plain', '{"id": 2}');
RESET ROLE;
-- a guard on one partition
SELECT neardup.unprotect('news');
SELECT neardup.protect('news_1', 'body');
SELECT * FROM neardup.insert_or_match('news', '{"id": 2, "part": 1, "body": "one two three four five six seven eight"}');
DROP TABLE plain, keyless, news;
DROP FUNCTION leave_out;
DROP ROLE regress_loader;
