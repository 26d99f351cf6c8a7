-- clean-ups and restores where triggers and rules refuse, hold or add something
\set SHOW_CONTEXT never
CREATE TABLE offers (id int PRIMARY KEY, seen int NOT NULL DEFAULT 1, touched date NOT NULL DEFAULT '2020-01-01', note text, neardup_is_record boolean, body text);
CREATE FUNCTION again(n int) RETURNS void LANGUAGE sql AS $$
    TRUNCATE offers, offers_removed, offers_answers;
    SELECT neardup.let_through('offers', false);
    INSERT INTO offers (id, note, body) SELECT i, 'n' || i, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' || repeat('！', i % 3) FROM generate_series(1, n) i;
$$;
CREATE FUNCTION merged(existing offers, new offers) RETURNS offers LANGUAGE plpgsql AS $$
BEGIN
    existing.seen := existing.seen + new.seen;
    existing.touched := existing.touched + 1;
    RETURN existing;
END $$;
SET client_min_messages = warning;
SELECT neardup.protect('offers', 'body', on_duplicate => 'warn');
SELECT neardup.keep_removed('offers'), neardup.keep_answers('offers');
RESET client_min_messages;
CREATE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;

-- a trigger that gives a column a value of its own: the others come back, and the records say what it was
SELECT again(3);
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.touched := '2030-01-01'; RETURN NEW; END $$;
CREATE TRIGGER does BEFORE UPDATE ON offers FOR EACH ROW EXECUTE FUNCTION does();
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', :run, answer => false);
SELECT id, seen, touched FROM offers ORDER BY id;
SELECT count(*) FROM offers_removed;
CALL neardup.restore('offers', :run, answer => false);

-- a trigger that holds what the merge made of a column: another restore puts that back, too
SELECT again(3);
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.seen < OLD.seen THEN NEW.seen := OLD.seen; END IF; RETURN NEW; END $$;
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', :run, answer => false);
SELECT id, seen, touched FROM offers ORDER BY id;
DROP TRIGGER does ON offers;
CALL neardup.restore('offers', :run, answer => false);
SELECT id, seen, touched FROM offers ORDER BY id;
SELECT count(*) FROM offers_removed;

-- an UPDATE that is refused, or quietly left out: a later restore takes the records alone, by the run or the key of the kept row
SELECT again(3);
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', key => '1');
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'row % is closed', NEW.id; END $$;
CREATE TRIGGER does BEFORE UPDATE ON offers FOR EACH ROW EXECUTE FUNCTION does();
CALL neardup.restore('offers', :run, answer => false);
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CALL neardup.restore('offers', :run, answer => false);
DROP TRIGGER does ON offers;
CALL neardup.restore('offers', key => '1');
SELECT id, seen FROM offers ORDER BY id;
SELECT removed, restored FROM neardup.runs WHERE target = 'offers'::regclass ORDER BY run_id DESC LIMIT 1;

-- a statement trigger that takes one row at a time: the rows come back, and so does the kept row
SELECT again(3);
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF (SELECT count(*) FROM changed) > TG_ARGV[0]::int THEN RAISE EXCEPTION 'too many rows at once'; END IF; RETURN NULL; END $$;
CREATE TRIGGER few AFTER INSERT ON offers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION few(1);
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', :run, answer => false);
SELECT id, seen FROM offers ORDER BY id;
DROP TRIGGER few ON offers;

-- rows that are refused stay, each with its reason, and so does what was merged with them; the others come back
SELECT again(30);
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
INSERT INTO offers (id) VALUES (7);
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id = 22 THEN RAISE EXCEPTION 'row % is under a legal hold', NEW.id; END IF; RETURN NEW; END $$;
CREATE TRIGGER does BEFORE INSERT ON offers FOR EACH ROW EXECUTE FUNCTION does();
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', :run, answer => false);
SELECT count(*), max(seen) FROM offers;
SELECT neardup_key, neardup_measure FROM offers_removed ORDER BY 2, 1;
DELETE FROM offers WHERE id = 7;
DROP TRIGGER does ON offers;
CALL neardup.restore('offers', :run, answer => false);
SELECT count(*), max(seen) FROM offers;

-- a trigger that refuses a number of rows is not evaded by smaller parts, whether or not a row is refused for itself
SELECT again(40);
CREATE TRIGGER few AFTER DELETE ON offers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION few(3);
CALL neardup.cleanup('offers', dry_run => false);
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.id IN (22, 23) THEN RAISE EXCEPTION 'row % is under a legal hold', OLD.id; END IF; RETURN OLD; END $$;
CREATE TRIGGER does BEFORE DELETE ON offers FOR EACH ROW EXECUTE FUNCTION does();
CALL neardup.cleanup('offers', dry_run => false);
SELECT count(*) FROM offers;
CALL neardup.cleanup('offers', dry_run => false, batch => 3);
SELECT count(*) FROM offers;
DROP TRIGGER few ON offers;

-- of a large batch, only the rows that are refused stay
SELECT again(40);
CALL neardup.cleanup('offers', dry_run => false);
SELECT count(*) FROM offers;
DROP TRIGGER does ON offers;

-- groups of a merge, one of which is refused
SELECT again(40);
INSERT INTO offers (id, body) SELECT i, (ARRAY['江口县的龙舟赛今天开赛，二十四支队伍参加，上游村夺冠。', '西山隧道提前两个月贯通，明年春天通车，两镇车程四十分钟。', '城南旧书市本周末移到体育馆，三百多个摊位，学生凭证免费停车。'])[i % 3 + 1]
FROM generate_series(101, 109) i;
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id = 102 THEN RAISE EXCEPTION 'row % is closed', NEW.id; END IF; RETURN NEW; END $$;
CREATE TRIGGER does BEFORE UPDATE ON offers FOR EACH ROW EXECUTE FUNCTION does();
SET client_min_messages = warning;
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
RESET client_min_messages;
SELECT id, seen FROM offers ORDER BY id;
SELECT key, reason FROM neardup.skipped WHERE target = 'offers'::regclass ORDER BY run_id DESC, key LIMIT 2;
SELECT max(neardup_run) AS run FROM offers_removed \gset
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id = 101 THEN RAISE EXCEPTION 'row % is closed', NEW.id; END IF; RETURN NEW; END $$;
CALL neardup.restore('offers', :run, answer => false);
SELECT count(*), array_agg(id) FILTER (WHERE seen > 1) FROM offers;
DROP TRIGGER does ON offers;

-- rows that a trigger leaves unmarked are named, and what is no copy of them passes to no other row
SELECT again(2);
INSERT INTO offers (id, body) SELECT 14, body || '！！' FROM offers WHERE id = 2;
SELECT neardup.answer('offers', '2', '14', false);
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER does BEFORE UPDATE ON offers FOR EACH ROW EXECUTE FUNCTION does();
CALL neardup.cleanup('offers', action => 'mark', dry_run => false);
SELECT key, other, is_copy, act FROM neardup.answers('offers') WHERE act = 'cleanup';
SELECT key, duplicate_of, reason FROM neardup.skipped WHERE target = 'offers'::regclass ORDER BY run_id DESC, key LIMIT 2;
SELECT found, removed, skipped FROM neardup.runs WHERE target = 'offers'::regclass ORDER BY run_id DESC LIMIT 1;
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.body_duplicate_of := 'something else'; RETURN NEW; END $$;
CALL neardup.cleanup('offers', action => 'mark', dry_run => false);
DROP TRIGGER does ON offers;
UPDATE offers SET body_duplicate_of = NULL;
CALL neardup.cleanup('offers', action => 'mark', dry_run => false);
SELECT id, body_duplicate_of FROM offers ORDER BY id;

-- marks of other types: the key as it is stored there
ALTER TABLE offers ALTER body_duplicate_of TYPE numeric(8, 2) USING NULL;
CALL neardup.cleanup('offers', action => 'mark', dry_run => false);
ALTER TABLE offers ALTER body_duplicate_of TYPE char(8) COLLATE "C" USING NULL;
CALL neardup.cleanup('offers', action => 'mark', dry_run => false);
SELECT id, body_duplicate_of FROM offers ORDER BY id;

DROP TABLE offers, offers_removed, offers_answers CASCADE;

-- a row that stays in the table of removed rows, because a trigger keeps it there or another session has changed it: its merge is not undone
CREATE TABLE small (id int PRIMARY KEY, seen int NOT NULL DEFAULT 1, body text);
INSERT INTO small SELECT i, 1, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' || repeat('！', i) FROM generate_series(1, 3) i;
CREATE FUNCTION small_merged(existing small, new small) RETURNS small LANGUAGE plpgsql AS $$ BEGIN existing.seen := existing.seen + new.seen; RETURN existing; END $$;
SELECT neardup.protect('small', 'body');
CALL neardup.cleanup('small', action => 'merge', merge => 'small_merged', dry_run => false);
CREATE FUNCTION keeps() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN OLD.neardup_key <> '2' THEN OLD END; END $$;
CREATE TRIGGER keeps BEFORE DELETE ON small_removed FOR EACH ROW EXECUTE FUNCTION keeps();
CALL neardup.restore('small', 1, answer => false);
SELECT id, seen FROM small ORDER BY id;
DROP TRIGGER keeps ON small_removed;
CALL neardup.restore('small', 1, answer => false);
SELECT id, seen FROM small ORDER BY id;

-- a large group behind small ones: it is divided from them, and stays as a whole where one of its rows is refused
BEGIN;
SELECT neardup.let_through('small', false);
TRUNCATE small, small_removed;
INSERT INTO small SELECT i, 1, (ARRAY['江口县的龙舟赛今天开赛，二十四支队伍参加，上游村夺冠。', '西山隧道提前两个月贯通，明年春天通车，两镇车程四十分钟。', '城南旧书市本周末移到体育馆，三百多个摊位，学生凭证免费停车。'])[i % 3 + 1]
FROM generate_series(1, 6) i;
INSERT INTO small SELECT i, 1, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' FROM generate_series(101, 140) i;
COMMIT;
CREATE OR REPLACE FUNCTION small_merged(existing small, new small) RETURNS small LANGUAGE plpgsql AS $$
BEGIN
    IF new.id = 120 THEN
        RAISE EXCEPTION 'row % is not merged', new.id;
    END IF;
    existing.seen := existing.seen + new.seen;
    RETURN existing;
END $$;
SET client_min_messages = warning;
CALL neardup.cleanup('small', action => 'merge', merge => 'small_merged', dry_run => false, batch => 4);
RESET client_min_messages;
SELECT count(*), sum(seen), count(*) FILTER (WHERE seen > 1) FROM small;
SELECT reason, count(*) FROM neardup.skipped WHERE target = 'small'::regclass GROUP BY 1;
DROP TABLE small, small_removed CASCADE;

-- a rule that adds a statement to each UPDATE
CREATE TABLE posts (id int PRIMARY KEY, seen int NOT NULL DEFAULT 1, body text);
INSERT INTO posts SELECT i, 1, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' || repeat('！', i) FROM generate_series(1, 3) i;
CREATE TABLE audit (id int, seen int);
CREATE RULE audits AS ON UPDATE TO posts DO ALSO INSERT INTO audit VALUES (OLD.id, NEW.seen);
CREATE FUNCTION posts_merged(existing posts, new posts) RETURNS posts LANGUAGE plpgsql AS $$ BEGIN existing.seen := existing.seen + new.seen; RETURN existing; END $$;
SELECT neardup.protect('posts', 'body');
CALL neardup.cleanup('posts', action => 'merge', merge => 'posts_merged', dry_run => false);
CALL neardup.restore('posts', 1, answer => false);
SELECT id, seen FROM posts ORDER BY id;
SELECT * FROM audit;
DROP TABLE posts, posts_removed, audit CASCADE;

-- a table of so many columns that twice as many are too many
DO $$ BEGIN
    EXECUTE (SELECT format('CREATE TABLE wide (id int PRIMARY KEY, body text, %s)', string_agg(format('c%s int', i), ', ')) FROM generate_series(1, 900) i);
    EXECUTE (SELECT format('CREATE FUNCTION wide_merged(existing wide, new wide) RETURNS wide LANGUAGE plpgsql AS %L',
        format('BEGIN %s; RETURN existing; END', string_agg(format('existing.c%s := new.id', i), '; '))) FROM generate_series(1, 900) i);
END $$;
INSERT INTO wide (id, body) SELECT i, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' || repeat('！', i) FROM generate_series(1, 3) i;
SELECT neardup.protect('wide', 'body');
CALL neardup.cleanup('wide', action => 'merge', merge => 'wide_merged', dry_run => false);
SELECT id, c1, c900 FROM wide;
CALL neardup.restore('wide', 1, answer => false);
SELECT id, c1, c900 FROM wide ORDER BY id;
SELECT count(*) FROM wide_removed;
DROP TABLE wide, wide_removed CASCADE;
