-- A user's own trigger says by what rows are better, and the better one becomes the first of its group.
SET client_min_messages = warning;
CREATE FUNCTION story(ending text DEFAULT '', n int DEFAULT 1) RETURNS text LANGUAGE sql RETURN
    (ARRAY['The North Pier Bakery looks for a baker who starts at four in the morning, works five days a week and bakes rye bread in a stone oven. Apply at the counter.',
           'The harbour office looks for a clerk who keeps the list of berths, answers the telephone and speaks two languages. Apply in writing until the end of May.'])[n] || ending;
CREATE TABLE feed (id int PRIMARY KEY, rank int, body text);
SELECT neardup.protect('feed', 'body', on_duplicate => 'mark');
CREATE FUNCTION prefer_better() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM neardup.make_first(TG_RELID, NEW.id::text, rank => ARRAY['rank']);
    RETURN NULL;
END
$$;
CREATE TRIGGER prefer_better AFTER INSERT ON feed FOR EACH ROW WHEN (NEW.duplicate_of IS NOT NULL) EXECUTE FUNCTION prefer_better();
INSERT INTO feed VALUES (1, 3, story()), (2, 4, story('!'));
SELECT id, rank, duplicate_of FROM feed ORDER BY id;
INSERT INTO feed VALUES (3, 2, story(' (copied)'));
SELECT id, rank, duplicate_of FROM feed ORDER BY id;
-- rows of one statement; the second one is better than the first of before, but not than the third
INSERT INTO feed VALUES (4, 0, story(' (again)')), (5, 1, story(' (once more)')), (6, 9, story('', 2));
SELECT id, rank, duplicate_of FROM feed ORDER BY id;
-- later copies name it, and no answer was noted
INSERT INTO feed VALUES (7, 9, story('?'));
SELECT id, duplicate_of FROM feed WHERE id = 7;
SELECT count(*) FROM neardup.answers('feed');
SELECT key, group_key, size FROM neardup.groups('feed') ORDER BY key;
-- a row that was not stored moves nothing
INSERT INTO feed VALUES (7, -1, story('??')) ON CONFLICT DO NOTHING;
SELECT id, duplicate_of FROM feed WHERE duplicate_of IS NULL ORDER BY id;
-- by hand: a row without a mark, a missing one, a text that is no key, nothing
SELECT neardup.make_first('feed', '4'), neardup.make_first('feed', '6'), neardup.make_first('feed', NULL), neardup.make_first(NULL, '4');
SELECT neardup.make_first('feed', '99');
SELECT neardup.make_first('feed', 'x');
SELECT neardup.make_first('feed', ' 2');
SELECT neardup.make_first('feed', '2', rank => '{colour}'), neardup.make_first('feed', '2', rank => ARRAY[NULL]);
SELECT neardup.make_first('feed', '2', rank => '{rank; DROP TABLE feed}');
-- an equal row changes nothing, whatever the direction; one without a value is the last
INSERT INTO feed VALUES (8, 0, story(' (equal)')), (9, NULL, story(' (none)'));
SELECT neardup.make_first('feed', '8', rank => '{rank desc}'), neardup.make_first('feed', '9', rank => '{rank}'), neardup.make_first('feed', '9', rank => '{rank desc nulls first}');
SELECT id, duplicate_of FROM feed WHERE duplicate_of IS NULL ORDER BY id;
SELECT neardup.make_first('feed', '4');
DELETE FROM feed WHERE id > 7;
SELECT neardup.make_first('feed', '2', document => 'title');
SELECT neardup.make_first('pg_class', '2');
CREATE TABLE refused (id int PRIMARY KEY, body text);
SELECT neardup.protect('refused', 'body');
SELECT neardup.make_first('refused', '2');
-- a group whose first row was deleted
DELETE FROM feed WHERE id = 4;
SELECT neardup.make_first('feed', '2');
SELECT id, duplicate_of FROM feed ORDER BY id;
-- with rank, the best row takes its place
DELETE FROM feed WHERE id = 2;
INSERT INTO feed VALUES (10, 8, story(' (late)'));
SELECT id, rank, duplicate_of FROM feed ORDER BY id;
DELETE FROM feed WHERE id = 10;
INSERT INTO feed VALUES (2, 4, story('!'));
-- marks in a circle, and marks that lead on
ALTER TABLE feed DISABLE TRIGGER USER;
UPDATE feed SET duplicate_of = 1 WHERE id = 2;
UPDATE feed SET duplicate_of = 2 WHERE id = 1;
UPDATE feed SET duplicate_of = 1 WHERE id = 3;
UPDATE feed SET duplicate_of = 3 WHERE id = 5;
ALTER TABLE feed ENABLE TRIGGER USER;
SELECT key, group_key FROM neardup.groups('feed') ORDER BY key;
SELECT neardup.make_first('feed', '5');
SELECT id, duplicate_of FROM feed ORDER BY id;
-- a row that is not better names the row at the end of the marks from now on
ALTER TABLE feed DISABLE TRIGGER USER;
UPDATE feed SET duplicate_of = 3 WHERE id = 7;
ALTER TABLE feed ENABLE TRIGGER USER;
SELECT key, group_key FROM neardup.groups('feed') ORDER BY key;
SELECT neardup.make_first('feed', '7', rank => '{rank}');
SELECT id, duplicate_of FROM feed ORDER BY id;
-- a long chain
CREATE TABLE chain (id int PRIMARY KEY, body text);
SELECT neardup.protect('chain', 'body', on_duplicate => 'mark');
ALTER TABLE chain DISABLE TRIGGER USER;
INSERT INTO chain (id, body, duplicate_of) SELECT n, story(), nullif(n - 1, 0) FROM generate_series(1, 300) n;
ALTER TABLE chain ENABLE TRIGGER USER;
SELECT neardup.make_first('chain', '300');
SELECT duplicate_of, count(*), min(id), max(id) FROM chain GROUP BY 1 ORDER BY 1;
-- a key of several columns, in a table with partitions
CREATE TABLE parts (site text COLLATE "C", id int, rank int, body text, PRIMARY KEY (site, id)) PARTITION BY LIST (site);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN ('a', 'a b');
CREATE TABLE parts_b PARTITION OF parts DEFAULT;
SELECT neardup.protect('parts', 'body', on_duplicate => 'mark');
INSERT INTO parts VALUES ('a', 1, 2, story()), ('b', 1, 1, story('!')), ('a b', 2, 3, story(' (copied)'));
SELECT site, id, duplicate_of FROM parts ORDER BY site, id;
SELECT neardup.make_first('parts', neardup_internal.key_text(ARRAY['a b', '2']));
SELECT site, id, duplicate_of FROM parts ORDER BY site, id;
SELECT neardup.make_first('parts_b', neardup_internal.key_text(ARRAY['b', '1']));
SELECT neardup.make_first('parts', neardup_internal.key_text(ARRAY['b', '1']));
SELECT site, id, duplicate_of FROM parts ORDER BY site, id;
-- a key whose text depends on the session; triggers of the table see the session's own settings
SET datestyle = 'SQL, DMY';
SET timezone = 'Asia/Tokyo';
CREATE TABLE dated (seen timestamptz PRIMARY KEY, body text, note text);
SELECT neardup.protect('dated', 'body', on_duplicate => 'mark');
INSERT INTO dated VALUES ('01/02/2026 10:00', story()), ('03/04/2026 10:00', story('!'));
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := current_setting('datestyle') || ' ' || NEW.seen; RETURN NEW; END $$;
CREATE TRIGGER note BEFORE UPDATE ON dated FOR EACH ROW EXECUTE FUNCTION note();
SELECT seen, duplicate_of FROM dated ORDER BY seen;
SELECT neardup.make_first('dated', 'never');
SELECT neardup.make_first('dated', '03/04/2026 10:00');
SELECT seen, duplicate_of, note FROM dated ORDER BY seen;
SELECT neardup.make_first('dated', (SELECT key FROM neardup.duplicates('dated') UNION SELECT duplicate_of FROM neardup.duplicates('dated') ORDER BY 1 LIMIT 1));
SELECT seen, duplicate_of FROM dated ORDER BY seen;
RESET datestyle;
RESET timezone;
-- a mark that equals a key but is written otherwise
CREATE TABLE measured (id numeric PRIMARY KEY, body text);
SELECT neardup.protect('measured', 'body', on_duplicate => 'mark');
INSERT INTO measured VALUES (1.0, story()), (2.0, story('!')), (3.0, story(' (copied)'));
UPDATE measured SET duplicate_of = 1 WHERE id = 2;
SELECT neardup.make_first('measured', '2');
SELECT id, duplicate_of FROM measured ORDER BY id;
-- a trigger that keeps a mark: nothing moves
CREATE TABLE kept (id int PRIMARY KEY, body text);
SELECT neardup.protect('kept', 'body', on_duplicate => 'mark');
INSERT INTO kept VALUES (1, story()), (2, story('!')), (3, story(' (copied)'));
CREATE FUNCTION keep_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN NEW.id <> TG_ARGV[0]::int THEN NEW END; END $$;
CREATE TRIGGER keep_one BEFORE UPDATE ON kept FOR EACH ROW EXECUTE FUNCTION keep_one(1);
SELECT neardup.make_first('kept', '2');
DROP TRIGGER keep_one ON kept;
CREATE TRIGGER keep_one BEFORE UPDATE ON kept FOR EACH ROW EXECUTE FUNCTION keep_one(2);
SELECT neardup.make_first('kept', '2');
SELECT id, duplicate_of FROM kept ORDER BY id;
DROP TRIGGER keep_one ON kept;
CREATE OR REPLACE FUNCTION keep_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id = TG_ARGV[0]::int THEN NEW.duplicate_of := OLD.duplicate_of; END IF; RETURN NEW; END $$;
CREATE TRIGGER keep_one BEFORE UPDATE ON kept FOR EACH ROW EXECUTE FUNCTION keep_one(1);
SELECT neardup.make_first('kept', '2');
DROP TRIGGER keep_one ON kept;
CREATE TRIGGER keep_one BEFORE UPDATE ON kept FOR EACH ROW EXECUTE FUNCTION keep_one(2);
SELECT neardup.make_first('kept', '2');
DROP TRIGGER keep_one ON kept;
CREATE OR REPLACE FUNCTION keep_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.id := NEW.id + 100; RETURN NEW; END $$;
CREATE TRIGGER keep_one BEFORE UPDATE ON kept FOR EACH ROW EXECUTE FUNCTION keep_one();
SELECT neardup.make_first('kept', '2');
DROP TRIGGER keep_one ON kept;
SELECT id, duplicate_of FROM kept ORDER BY id;
-- an owner's answer in a trigger counts
CREATE FUNCTION unmark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE kept SET duplicate_of = NULL WHERE id = 4; RETURN NULL; END $$;
INSERT INTO kept VALUES (4, story(' (again)'));
CREATE TRIGGER unmark AFTER UPDATE ON kept FOR EACH ROW WHEN (NEW.id = 1 AND NEW.duplicate_of IS NOT NULL) EXECUTE FUNCTION unmark();
BEGIN;
SELECT neardup.make_first('kept', '2');
SELECT key, is_copy, act FROM neardup.answers('kept');
ROLLBACK;
DROP TRIGGER unmark ON kept;
DELETE FROM kept WHERE id = 4;
-- rights: those of an UPDATE; a row that row security hides stays the first
CREATE ROLE make_first_writer;
GRANT USAGE ON SCHEMA public TO make_first_writer;
GRANT SELECT ON kept TO make_first_writer;
SET ROLE make_first_writer;
SELECT neardup.make_first('kept', '2');
RESET ROLE;
GRANT UPDATE (duplicate_of) ON kept TO make_first_writer;
SET ROLE make_first_writer;
SELECT neardup.make_first('kept', '2');
RESET ROLE;
SELECT id, duplicate_of FROM kept ORDER BY id;
ALTER TABLE kept ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON kept TO make_first_writer USING (id <> 2);
SET ROLE make_first_writer;
SELECT neardup.make_first('kept', '3');
SELECT neardup.make_first('kept', '2');
-- nor does it say whether there is such a row
UPDATE kept SET duplicate_of = 99 WHERE id = 3;
SELECT neardup.make_first('kept', '3');
UPDATE kept SET duplicate_of = 2 WHERE id = 3;
RESET ROLE;
SELECT id, duplicate_of FROM kept ORDER BY id;
DROP TABLE kept;
REVOKE USAGE ON SCHEMA public FROM make_first_writer;
DROP ROLE make_first_writer;
-- a key whose type has changed cannot be written into marks of the old type
CREATE TABLE retyped (id int PRIMARY KEY, body text);
SELECT neardup.protect('retyped', 'body', on_duplicate => 'mark');
INSERT INTO retyped VALUES (1, story()), (2, story('!'));
ALTER TABLE retyped ALTER COLUMN id TYPE text;
UPDATE retyped SET id = 'b2' WHERE id = '2';
SELECT neardup.make_first('retyped', 'b2');
SELECT neardup.protect('retyped', 'body');
SELECT neardup.make_first('retyped', 'b2');
SELECT id, duplicate_of FROM retyped ORDER BY id;
