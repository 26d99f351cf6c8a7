-- what a restore makes of merges that cannot be undone as a whole, and rows that are brought back one by one
CREATE TABLE offers (id int PRIMARY KEY, sources text[], seen int NOT NULL DEFAULT 1, note text, body text);
CREATE TABLE offers_at_first (LIKE offers);
INSERT INTO offers_at_first (id, sources, seen, note, body) VALUES
(1, '{wire}', 1, 'keep me', '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。'),
(2, '{blog}', 1, NULL, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖'),
(3, '{daily}', 1, NULL, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖！');
INSERT INTO offers SELECT * FROM offers_at_first;
SELECT neardup.protect('offers', 'body', on_duplicate => 'warn');
CREATE FUNCTION merged(existing offers, new offers) RETURNS offers LANGUAGE plpgsql AS $$
BEGIN
    existing.seen := existing.seen + new.seen;
    existing.note := 'merged';
    RETURN existing;
END $$;
CREATE FUNCTION again() RETURNS void LANGUAGE sql AS $$
    TRUNCATE offers, offers_removed, offers_answers;
    SELECT neardup.let_through('offers', false);
    INSERT INTO offers SELECT * FROM offers_at_first;
$$;
SET client_min_messages = warning;
SELECT neardup.keep_removed('offers'), neardup.keep_answers('offers');
RESET client_min_messages;

-- rows of one group that come back one by one, or in several batches, stay
CALL neardup.cleanup('offers', dry_run => false);
CALL neardup.restore('offers', key => '2');
CALL neardup.restore('offers', key => '3');
CALL neardup.cleanup('offers', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM offers;
SELECT again();
CALL neardup.cleanup('offers', dry_run => false, batch => 1);
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', :run);
CALL neardup.cleanup('offers', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM offers;

-- a trigger that keeps the column: what it was is not forgotten
SELECT again();
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
CREATE FUNCTION once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := OLD.note; RETURN NEW; END $$;
CREATE TRIGGER once BEFORE UPDATE ON offers FOR EACH ROW EXECUTE FUNCTION once();
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', :run, answer => false);
SELECT id, seen, note FROM offers ORDER BY id;
SELECT neardup_measure, id, seen, note FROM offers_removed ORDER BY neardup_measure;

-- a trigger that undid all that the merge changed
SELECT again();
CREATE OR REPLACE FUNCTION once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := OLD.note; NEW.seen := OLD.seen; RETURN NEW; END $$;
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', :run, answer => false);
SELECT id, seen, note FROM offers ORDER BY id;
SELECT count(*) FROM offers_removed;
DROP TRIGGER once ON offers;

-- a column that the table no longer has, with a value that only the kept row had
SELECT again();
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
ALTER TABLE offers RENAME note TO remark;
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', :run, answer => false);
CALL neardup.restore('offers', key => '2', answer => false);
ALTER TABLE offers_removed RENAME note TO remark;
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', :run, answer => false);
SELECT id, seen, remark FROM offers ORDER BY id;
ALTER TABLE offers RENAME remark TO note;
ALTER TABLE offers_removed RENAME remark TO note;

-- the value that the kept row had is somebody else's by now: the removed row comes back without it
SELECT again();
ALTER TABLE offers ADD UNIQUE (note);
DELETE FROM offers WHERE id = 3;
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
INSERT INTO offers (id, note, body) VALUES (4, 'keep me', '上游村的小学昨天收到一笔捐款，校长说要用来修缮操场，并给每个班级添置新的图书。');
SELECT max(neardup_run) AS run FROM offers_removed \gset
CALL neardup.restore('offers', :run, answer => false);
SELECT id, seen, note FROM offers ORDER BY id;
ALTER TABLE offers DROP CONSTRAINT offers_note_key;

-- a trigger or the function that refuses: the group stays, and the clean-up goes on
SELECT again();
INSERT INTO offers SELECT id + 10, sources, seen, note, translate(body, '石桥年货', '江口龙舟') || '两岸站满了看热闹的乡亲。' FROM offers_at_first;
CREATE OR REPLACE FUNCTION once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id = 1 THEN RAISE EXCEPTION 'row 1 is closed'; END IF; RETURN NEW; END $$;
CREATE TRIGGER once BEFORE UPDATE ON offers FOR EACH ROW EXECUTE FUNCTION once();
CALL neardup.cleanup('offers', action => 'merge', merge => 'merged', dry_run => false);
SELECT id, seen, note FROM offers ORDER BY id;
SELECT key, duplicate_of, reason FROM neardup.skipped WHERE target = 'offers'::regclass ORDER BY key;

-- a row that a trigger leaves in place is named as such
SELECT again();
DROP TRIGGER once ON offers;
CREATE OR REPLACE FUNCTION once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN OLD.id <> 3 THEN OLD END; END $$;
CREATE TRIGGER once BEFORE DELETE ON offers FOR EACH ROW EXECUTE FUNCTION once();
CALL neardup.cleanup('offers', dry_run => false);
SELECT found, removed, skipped FROM neardup.runs WHERE target = 'offers'::regclass ORDER BY run_id DESC LIMIT 1;
SELECT key, duplicate_of, reason FROM neardup.skipped WHERE target = 'offers'::regclass ORDER BY run_id DESC, key LIMIT 1;

-- what has passed on from two rows is taken back for the one that comes back
SELECT again();
DROP TRIGGER once ON offers;
INSERT INTO offers (id, body) SELECT 14, body || '！！' FROM offers_at_first WHERE id = 3;
SELECT neardup.answer('offers', '2', '14', false), neardup.answer('offers', '3', '14', false);
CALL neardup.cleanup('offers', dry_run => false, until => '3', time_column => 'id', batch => 1);
CALL neardup.cleanup('offers', dry_run => false);
CALL neardup.restore('offers', key => '2');
CALL neardup.cleanup('offers', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM offers;
DROP TABLE offers, offers_removed, offers_answers, offers_at_first CASCADE;

-- a key that is generated from a column which the merge changes, or that a trigger sets: the group stays
CREATE TABLE doubled (n int, id int GENERATED ALWAYS AS (n * 2) STORED PRIMARY KEY, body text);
INSERT INTO doubled (n, body) SELECT n, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' || repeat('！', n) FROM generate_series(1, 3) n;
CREATE FUNCTION doubled_merged(existing doubled, new doubled) RETURNS doubled LANGUAGE sql RETURN new;
SELECT neardup.protect('doubled', 'body', on_duplicate => 'warn');
CALL neardup.cleanup('doubled', action => 'merge', merge => 'doubled_merged', dry_run => false);
SELECT n, id FROM doubled ORDER BY id;
SELECT count(*) FROM doubled_removed;
DROP TABLE doubled, doubled_removed CASCADE;

-- the function that a guard names runs as whoever cleans up: another role's has to be named
CREATE ROLE regress_merges;
GRANT CREATE ON SCHEMA public TO regress_merges;
SET ROLE regress_merges;
CREATE TABLE posts (id int PRIMARY KEY, seen int DEFAULT 1, body text);
CREATE FUNCTION posts_merged(existing posts, new posts) RETURNS posts LANGUAGE sql RETURN existing;
SELECT neardup.protect('posts', 'body', on_duplicate => 'merge', merge => 'posts_merged');
RESET ROLE;
CALL neardup.cleanup('posts', action => 'merge', dry_run => false);
CALL neardup.cleanup('posts', action => 'merge', merge => 'posts_merged', dry_run => false);
SET ROLE regress_merges;
CALL neardup.cleanup('posts', action => 'merge', dry_run => false);
RESET ROLE;
DROP TABLE posts CASCADE;
DROP OWNED BY regress_merges;
DROP ROLE regress_merges;

-- a trigger that changes the kept row after it was put back: what it was is kept
CREATE TABLE sold (id int PRIMARY KEY, sources text[], seen int NOT NULL DEFAULT 1, body text);
INSERT INTO sold SELECT n, ARRAY['s' || n], n * 10, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' || repeat('！', n) FROM generate_series(1, 3) n;
CREATE FUNCTION sold_merged(existing sold, new sold) RETURNS sold LANGUAGE plpgsql AS $$
BEGIN existing.seen := existing.seen + new.seen; existing.sources := existing.sources || new.sources; RETURN existing; END $$;
SELECT neardup.protect('sold', 'body', on_duplicate => 'warn');
CALL neardup.cleanup('sold', action => 'merge', merge => 'sold_merged', dry_run => false);
CREATE FUNCTION sold_again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE sold SET sources = '{changed}' WHERE id = NEW.id AND sources <> '{changed}'; RETURN NULL; END $$;
CREATE TRIGGER sold_again AFTER UPDATE ON sold FOR EACH ROW EXECUTE FUNCTION sold_again();
CALL neardup.restore('sold', 1, answer => false);
SELECT id, sources, seen FROM sold ORDER BY id;
SELECT neardup_measure, id, sources, seen FROM sold_removed ORDER BY neardup_measure;
CALL neardup.restore('sold', 1, answer => false);
-- and one that changes it when the removed rows come back
DROP TRIGGER sold_again ON sold;
TRUNCATE sold, sold_removed;
BEGIN;
SELECT neardup.let_through('sold', false);
INSERT INTO sold SELECT n, ARRAY['s' || n], n * 10, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' || repeat('！', n) FROM generate_series(1, 3) n;
COMMIT;
CALL neardup.cleanup('sold', action => 'merge', merge => 'sold_merged', dry_run => false);
CREATE OR REPLACE FUNCTION sold_again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE sold SET sources = '{changed}' WHERE id = 1; RETURN NULL; END $$;
CREATE TRIGGER sold_again AFTER INSERT ON sold FOR EACH ROW EXECUTE FUNCTION sold_again();
SELECT max(neardup_run) AS run FROM sold_removed \gset
CALL neardup.restore('sold', :run, answer => false);
SELECT id, sources, seen FROM sold ORDER BY id;
SELECT neardup_measure, id, sources, seen FROM sold_removed ORDER BY neardup_measure;
DROP TABLE sold, sold_removed CASCADE;
DROP FUNCTION sold_again();

-- the kept row refers to a removed one, so its merge is undone after that has come back, by an UPDATE whose trigger changes what has come back
CREATE TABLE linked (id int PRIMARY KEY, ref int, note text, body text);
INSERT INTO linked SELECT n, CASE n WHEN 1 THEN 2 END, 'note ' || n, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' || repeat('！', n) FROM generate_series(1, 3) n;
CREATE FUNCTION linked_merged(existing linked, new linked) RETURNS linked LANGUAGE plpgsql AS $$ BEGIN existing.ref := NULL; RETURN existing; END $$;
SELECT neardup.protect('linked', 'body', on_duplicate => 'warn');
CALL neardup.cleanup('linked', action => 'merge', merge => 'linked_merged', dry_run => false);
ALTER TABLE linked ADD FOREIGN KEY (ref) REFERENCES linked;
CREATE FUNCTION wipe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE linked SET note = 'wiped' WHERE id <> NEW.id; RETURN NULL; END $$;
CREATE TRIGGER wipe AFTER UPDATE OF ref ON linked FOR EACH ROW EXECUTE FUNCTION wipe();
CALL neardup.restore('linked', 1, answer => false);
SELECT id, ref, note FROM linked ORDER BY id;
ALTER TABLE linked DISABLE TRIGGER wipe;
CALL neardup.restore('linked', 1, answer => false);
SELECT id, ref, note FROM linked ORDER BY id;
SELECT count(*) FROM linked_removed;
DROP TABLE linked, linked_removed CASCADE;
DROP FUNCTION wipe();

-- a column that the merge changed is generated by now: what it was is known from the record alone, which stays
CREATE TABLE counted (id int PRIMARY KEY, body text, n int);
CREATE FUNCTION counted_merged(existing counted, new counted) RETURNS counted LANGUAGE plpgsql AS $$ BEGIN existing.n := 7; RETURN existing; END $$;
INSERT INTO counted SELECT i, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖', CASE i WHEN 1 THEN 1 END FROM generate_series(1, 3) i;
SELECT neardup.protect('counted', 'body');
CALL neardup.cleanup('counted', action => 'merge', merge => 'counted_merged', dry_run => false);
ALTER TABLE counted DROP COLUMN n, ADD COLUMN n int GENERATED ALWAYS AS (id * 100) STORED;
CALL neardup.restore('counted', 1, answer => false);
SELECT id, n FROM counted ORDER BY id;
SELECT neardup_measure, id, n FROM counted_removed ORDER BY neardup_measure;
DROP TABLE counted, counted_removed CASCADE;

-- a purge takes the records of a kept row with the first of the rows that were merged into it: alone, they would say that all have come back
CREATE TABLE pooled (id int PRIMARY KEY, sources text[], body text);
CREATE FUNCTION pooled_merged(existing pooled, new pooled) RETURNS pooled LANGUAGE plpgsql AS $$ BEGIN existing.sources := existing.sources || new.sources; RETURN existing; END $$;
INSERT INTO pooled SELECT i, ARRAY['s' || i], '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' FROM generate_series(1, 3) i;
SELECT neardup.protect('pooled', 'body');
CALL neardup.cleanup('pooled', action => 'merge', merge => 'pooled_merged', dry_run => false);
UPDATE pooled_removed SET neardup_at = neardup_at - interval '2 days' WHERE id = 2;
CALL neardup.purge('pooled', '1 day');
SELECT neardup_measure, id FROM pooled_removed;
CALL neardup.restore('pooled', 1, answer => false);
SELECT id, sources FROM pooled ORDER BY id;
DROP TABLE pooled, pooled_removed CASCADE;

-- a restore that only puts the kept row back says so
CREATE TABLE backed (id int PRIMARY KEY, seen int, body text);
CREATE FUNCTION backed_merged(existing backed, new backed) RETURNS backed LANGUAGE plpgsql AS $$ BEGIN existing.seen := existing.seen + new.seen; RETURN existing; END $$;
INSERT INTO backed SELECT i, i, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' FROM generate_series(1, 2) i;
SELECT neardup.protect('backed', 'body');
CALL neardup.cleanup('backed', action => 'merge', merge => 'backed_merged', dry_run => false);
UPDATE backed SET seen = 9;
CALL neardup.restore('backed', 1, answer => false);
UPDATE backed SET seen = 3 WHERE id = 1;
CALL neardup.restore('backed', 1, answer => false);
SELECT id, seen FROM backed ORDER BY id;
DROP TABLE backed, backed_removed CASCADE;

-- a purge ends, and goes on, behind rows that a trigger or a rule keeps; a rule may write down what goes
CREATE TABLE kept (id int PRIMARY KEY, body text);
INSERT INTO kept SELECT i, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' FROM generate_series(1, 8) i;
SELECT neardup.protect('kept', 'body');
CALL neardup.cleanup('kept', dry_run => false);
CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN OLD.id > 4 THEN OLD END; END $$;
CREATE TRIGGER hold BEFORE DELETE ON kept_removed FOR EACH ROW EXECUTE FUNCTION hold();
SET statement_timeout = '60s';
CALL neardup.purge('kept', '0', 2);
SELECT id FROM kept_removed ORDER BY id;
DROP TRIGGER hold ON kept_removed;
CREATE TABLE gone (key text);
CREATE RULE log AS ON DELETE TO kept_removed WHERE OLD.id > 2 DO ALSO INSERT INTO gone VALUES (OLD.neardup_key);
CREATE RULE hold AS ON DELETE TO kept_removed WHERE OLD.id = 2 DO INSTEAD NOTHING;
CALL neardup.purge('kept', '0', 1);
RESET statement_timeout;
SELECT id FROM kept_removed ORDER BY id;
SELECT key FROM gone ORDER BY key;
CALL neardup.purge(NULL, '0');
CALL neardup.restore(NULL, 1);
ALTER TABLE kept_removed ADD note text DEFAULT 'by hand';
CALL neardup.restore('kept', 1);
DROP TABLE kept, kept_removed, gone CASCADE;
DROP FUNCTION hold();
