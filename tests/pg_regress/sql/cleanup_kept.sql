\set SHOW_CONTEXT never
\set VERBOSITY terse
-- What a table of removed rows has to bear: triggers, changed columns, strangers. No row is lost.
SET client_min_messages = warning;
CREATE FUNCTION body() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'The central hospital of Clearwater opened its new wing yesterday afternoon before three hundred doctors and nurses.' $$;
CREATE ROLE kept_owner;
CREATE ROLE kept_stranger;
GRANT CREATE ON SCHEMA public TO kept_owner, kept_stranger;
SET ROLE kept_owner;

-- a trigger or a rule of the table of removed rows: no row goes there
CREATE TABLE a (id int PRIMARY KEY, body text);
INSERT INTO a SELECT i, body() FROM generate_series(1, 3) i;
SELECT neardup.protect('a', 'body');
SELECT neardup.keep_removed('a');
CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER leave_out BEFORE INSERT ON a_removed FOR EACH ROW EXECUTE FUNCTION leave_out();
CALL neardup.cleanup('a', dry_run => false);
SELECT id FROM a ORDER BY id;
DROP TRIGGER leave_out ON a_removed;
CREATE RULE leave_out AS ON INSERT TO a_removed DO INSTEAD NOTHING;
CALL neardup.cleanup('a', dry_run => false);
SELECT id FROM a ORDER BY id;

-- rows of tables that inherit have the same keys, and are not touched
CREATE TABLE b (id int PRIMARY KEY, body text);
INSERT INTO b SELECT i, body() FROM generate_series(1, 3) i;
SELECT neardup.protect('b', 'body');
CREATE TABLE b_child (more text) INHERITS (b);
INSERT INTO b_child VALUES (2, 'Another text about apple trees.', 'more'), (1, 'A third one about the sea.', 'more');
CALL neardup.cleanup('b', dry_run => false, action => 'mark');
SELECT tableoid::regclass, id, body_duplicate_of FROM b ORDER BY 1, 2;
CALL neardup.cleanup('b', dry_run => false);
SELECT tableoid::regclass, id FROM b ORDER BY 1, 2;
CREATE TABLE b_removed_child () INHERITS (b_removed);
INSERT INTO b_removed_child SELECT * FROM b_removed;
CALL neardup.restore('b', 2, answer => false);
SELECT tableoid::regclass, id FROM b ORDER BY 1, 2;
SELECT id FROM b_removed;

-- columns that the table got after the removal, and after the next one
CREATE TABLE c (id int PRIMARY KEY, body text);
INSERT INTO c SELECT i, body() FROM generate_series(1, 3) i;
SELECT neardup.protect('c', 'body');
CALL neardup.cleanup('c', dry_run => false);
ALTER TABLE c ADD COLUMN flag boolean NOT NULL DEFAULT true, ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN low text GENERATED ALWAYS AS (left(lower(body), 3)) STORED, ADD COLUMN note text DEFAULT 'none';
CALL neardup.restore('c', key => '3', answer => false);
CALL neardup.cleanup('c', dry_run => false);
SELECT id, flag, number, low, note FROM c_removed ORDER BY id;
CALL neardup.restore('c', 1, answer => false);
CALL neardup.restore('c', 2, answer => false);
SELECT id, flag, number, low, note FROM c ORDER BY id;

-- a column called like those of a record is one of the table's
CREATE TABLE d (id int PRIMARY KEY, body text, neardup_note text);
INSERT INTO d SELECT i, body(), i FROM generate_series(1, 3) i;
SELECT neardup.protect('d', 'body');
CALL neardup.cleanup('d', dry_run => false);
ALTER TABLE d DROP COLUMN neardup_note;
CALL neardup.restore('d', 1, answer => false);
ALTER TABLE d_removed DROP COLUMN neardup_note;
CALL neardup.restore('d', 1, answer => false);

-- of two removed rows of one key, the last one comes back
CREATE TABLE e (id int PRIMARY KEY, body text, version int);
INSERT INTO e SELECT i, body(), 1 FROM generate_series(1, 2) i;
SELECT neardup.protect('e', 'body');
CALL neardup.cleanup('e', dry_run => false);
BEGIN;
SELECT neardup.let_through('e', false);
INSERT INTO e VALUES (2, body(), 2);
COMMIT;
CALL neardup.cleanup('e', dry_run => false);
CALL neardup.restore('e', key => '2', answer => false);
SELECT id, version FROM e ORDER BY id;
SELECT neardup_run, id, version FROM e_removed;
SELECT run_id, restored FROM neardup.runs WHERE target = 'e'::regclass ORDER BY run_id;

-- a deferred foreign key keeps one row back, not the batch
CREATE TABLE f (id int PRIMARY KEY, parent int REFERENCES f DEFERRABLE INITIALLY DEFERRED, body text);
INSERT INTO f SELECT i, nullif(i - 1, 0), body() FROM generate_series(1, 3) i;
SELECT neardup.protect('f', 'body');
CALL neardup.cleanup('f', dry_run => false);
CALL neardup.cleanup('f', dry_run => false);
CALL neardup.restore('f', 1, answer => false);
SELECT id FROM f ORDER BY id;
CALL neardup.restore('f', 2, answer => false);
CALL neardup.restore('f', 1, answer => false);
SELECT id FROM f ORDER BY id;

-- whatever a stranger has put there is not taken for it
CREATE TABLE g (id int PRIMARY KEY, body text);
INSERT INTO g SELECT i, body() FROM generate_series(1, 3) i;
SELECT neardup.protect('g', 'body');
SET ROLE kept_stranger;
CREATE VIEW g_removed AS SELECT 1::bigint AS neardup_run;
SET ROLE kept_owner;
CALL neardup.cleanup('g', dry_run => false);
CALL neardup.restore('g', 1, answer => false);
CALL neardup.purge('g', '0 days');
SET ROLE kept_stranger;
DROP VIEW g_removed;
CREATE TABLE g_removed (neardup_run bigint, id int, body text);
GRANT ALL ON g_removed TO kept_owner;
CREATE RULE steal AS ON INSERT TO g_removed DO INSTEAD NOTHING;
SET ROLE kept_owner;
CALL neardup.cleanup('g', dry_run => false);
SET ROLE kept_stranger;
DROP TABLE g_removed;
SET ROLE kept_owner;
SELECT id FROM g ORDER BY id;
CALL neardup.cleanup('g', dry_run => false);
SELECT id FROM g ORDER BY id;
-- nor does it stop clean-ups that keep no rows, which neither read it nor write there
CREATE TABLE j (id int PRIMARY KEY, body text);
INSERT INTO j SELECT i, body() FROM generate_series(1, 3) i;
SELECT neardup.protect('j', 'body');
SET ROLE kept_stranger;
CREATE FUNCTION spring() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'sprung as %', CURRENT_USER; END $$;
CREATE VIEW j_removed AS SELECT spring() AS neardup_run, now() - interval '1 day' AS neardup_at;
GRANT ALL ON j_removed TO kept_owner;
SET ROLE kept_owner;
CALL neardup.cleanup('j', action => 'mark', dry_run => false);
CALL neardup.cleanup('j', action => 'delete', dry_run => false);
SELECT run_id, action, removed FROM neardup.runs WHERE target = 'j'::regclass ORDER BY run_id;
CALL neardup.purge('j', '0 days');
SELECT count(*) FROM neardup.runs WHERE target = 'j'::regclass;

-- columns that must not be NULL, also after another text
CREATE TABLE k (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL, title varchar(20) NOT NULL, note text NOT NULL DEFAULT 'it''s', number serial);
INSERT INTO k (body, title) SELECT body(), 'x' FROM generate_series(1, 3);
SELECT neardup.protect('k', 'body');
CALL neardup.cleanup('k', dry_run => false);
CALL neardup.restore('k', 1);
SELECT neardup.withdraw('k', act => 'restore');
CALL neardup.cleanup('k', dry_run => false);
UPDATE k SET body = 'Another text by now, of a ship that sails at noon.';
CALL neardup.restore('k', 2);
SELECT id, left(body, 7), title, note, number FROM k ORDER BY id;

-- a list that a failed clean-up of another role has left in this session
CREATE TABLE i (id int PRIMARY KEY, body text);
INSERT INTO i SELECT n, body() FROM generate_series(1, 3) n;
SELECT neardup.protect('i', 'body');
SELECT neardup.keep_removed('i');
GRANT SELECT, UPDATE, DELETE ON i TO kept_stranger;
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '55000'; END $$;
CREATE TRIGGER fail BEFORE DELETE ON i FOR EACH ROW EXECUTE FUNCTION fail();
CALL neardup.cleanup('i', dry_run => false);
SET ROLE kept_stranger;
CALL neardup.cleanup('i', dry_run => false);
SET ROLE kept_owner;
DROP TRIGGER fail ON i;
CALL neardup.cleanup('i', dry_run => false);

-- names that leave no room, and temporary tables
CREATE TABLE xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx (id int PRIMARY KEY, body text);
INSERT INTO xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx SELECT i, body() FROM generate_series(1, 3) i;
SELECT neardup.protect('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'body');
CALL neardup.cleanup('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', dry_run => false);
CALL neardup.restore('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 1, answer => false);
CREATE TEMPORARY TABLE scratch (id int PRIMARY KEY, body text);
INSERT INTO scratch SELECT i, body() FROM generate_series(1, 3) i;
SELECT neardup.protect('scratch', 'body');
CALL neardup.cleanup('scratch', dry_run => false);
CALL neardup.restore('scratch', 1, answer => false);

-- a partition that went away takes its rows with it; they wait
CREATE TABLE h (id int, day date, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE h_1 PARTITION OF h FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CREATE TABLE h_2 PARTITION OF h FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
INSERT INTO h SELECT i, date '2031-01-30' + i, body() FROM generate_series(1, 4) i;
SELECT neardup.protect('h', 'body');
CALL neardup.cleanup('h', dry_run => false);
ALTER TABLE h DETACH PARTITION h_2;
CALL neardup.restore('h', 1, answer => false);
SELECT neardup_key FROM h_removed ORDER BY 1;
ALTER TABLE h ATTACH PARTITION h_2 FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
CALL neardup.restore('h', 1, answer => false);

RESET ROLE;
DROP OWNED BY kept_owner, kept_stranger;
DROP ROLE kept_owner, kept_stranger;
