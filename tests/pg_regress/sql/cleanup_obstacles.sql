-- What is in the way of a removal: rows that the caller does not see, collations, types without NULL, triggers, policies, the isolation level.
\set SHOW_CONTEXT never
CREATE FUNCTION body(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'Bicycle for sale, hardly used, with a basket, two lamps and a lock; can be collected at any time after six in the evening' || repeat('!', n)
$$;
CREATE FUNCTION copies(target regclass, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM neardup.let_through(target, false);
    EXECUTE format('INSERT INTO %s (id, body) SELECT n, body(n) FROM generate_series($1, $2) n', target) USING first, last;
END $$;
CREATE ROLE regress_cleaner;
GRANT USAGE ON SCHEMA public TO regress_cleaner;

-- a foreign key to a partition, whose action would delete a row that row security hides
CREATE TABLE posts (id int PRIMARY KEY, body text) PARTITION BY RANGE (id);
CREATE TABLE posts_1 PARTITION OF posts FOR VALUES FROM (0) TO (100);
CREATE TABLE notes (post int REFERENCES posts_1 ON DELETE CASCADE, who text);
INSERT INTO posts SELECT n, body(n) FROM generate_series(1, 2) n;
INSERT INTO notes VALUES (2, 'alice');
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON notes USING (who = CURRENT_USER);
SELECT neardup.protect('posts', 'body');
SELECT neardup.keep_removed('posts');
GRANT SELECT, UPDATE, DELETE ON posts TO regress_cleaner;
GRANT SELECT ON notes TO regress_cleaner;
SET ROLE regress_cleaner;
CALL neardup.cleanup('posts');
CALL neardup.cleanup('posts', dry_run => false);
RESET ROLE;
SELECT * FROM notes;
DROP TABLE posts, posts_removed, notes;

-- a foreign key between columns of two collations
CREATE TABLE collated (id text COLLATE "C" PRIMARY KEY, body text);
CREATE TABLE refers (post text COLLATE "POSIX" REFERENCES collated ON DELETE CASCADE);
INSERT INTO collated SELECT n::text, body(n) FROM generate_series(1, 3) n;
INSERT INTO refers VALUES ('2');
SELECT neardup.protect('collated', 'body');
CALL neardup.cleanup('collated', dry_run => false);
SELECT id FROM collated ORDER BY id;
DROP TABLE collated, collated_removed, refers;

-- a column whose type does not allow NULL: one that the table gets later, and one that a merge does not change
CREATE DOMAIN counted AS int NOT NULL CHECK (VALUE > 0);
CREATE DOMAIN counted_again AS counted;
CREATE TABLE later (id int PRIMARY KEY, body text);
INSERT INTO later SELECT n, body(n) FROM generate_series(1, 2) n;
SELECT neardup.protect('later', 'body');
CALL neardup.cleanup('later', dry_run => false);
ALTER TABLE later ADD COLUMN n counted_again DEFAULT 3;
SELECT copies('later', 3, 3);
CALL neardup.cleanup('later', dry_run => false);
CALL neardup.restore('later', 2);
CALL neardup.restore('later', 1);
SELECT id, n FROM later ORDER BY id;
CREATE TABLE merges (id int PRIMARY KEY, n counted_again, seen int DEFAULT 1, body text);
INSERT INTO merges SELECT n, n, 1, body(n) FROM generate_series(1, 2) n;
CREATE FUNCTION merged(existing merges, new merges) RETURNS merges LANGUAGE plpgsql AS $$
BEGIN
    existing.seen := existing.seen + new.seen;
    existing.n := existing.n + new.n;
    RETURN existing;
END $$;
SELECT neardup.protect('merges', 'body');
CALL neardup.cleanup('merges', action => 'merge', merge => 'merged', dry_run => false);
SELECT id, n, seen FROM merges;
CALL neardup.restore('merges', 1);
SELECT id, n, seen FROM merges ORDER BY id;
-- another type is still another type
ALTER TABLE merges_removed ALTER n TYPE text;
CALL neardup.cleanup('merges', dry_run => false);
DROP TABLE later, later_removed, later_answers, merges, merges_removed, merges_answers CASCADE;
DROP DOMAIN counted_again, counted;

-- triggers that delete the kept row, put the removed row back, or change it before it goes
CREATE TABLE rows (id int PRIMARY KEY, seen int DEFAULT 0, body text);
SELECT neardup.protect('rows', 'body');
SELECT copies('rows', 1, 4);
CREATE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM rows WHERE id = 1; RETURN NULL; END $$;
CREATE TRIGGER does AFTER DELETE ON rows FOR EACH ROW WHEN (OLD.id = 3) EXECUTE FUNCTION does();
CALL neardup.cleanup('rows', dry_run => false);
CALL neardup.cleanup('rows', action => 'delete', dry_run => false);
SELECT id FROM rows ORDER BY id;
SELECT id FROM rows_removed ORDER BY id;
SELECT copies('rows', 5, 6);
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM neardup.let_through('rows', false);
    INSERT INTO rows VALUES (OLD.*);
    RETURN NULL;
END $$;
CALL neardup.cleanup('rows', dry_run => false);
CALL neardup.cleanup('rows', action => 'delete', dry_run => false);
SELECT id FROM rows_removed ORDER BY id;
DROP TRIGGER does ON rows;
SELECT copies('rows', 7, 8);
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE rows SET seen = 1 WHERE id = OLD.id; RETURN OLD; END $$;
CREATE TRIGGER does BEFORE DELETE ON rows FOR EACH ROW WHEN (OLD.id = 3) EXECUTE FUNCTION does();
CALL neardup.cleanup('rows', dry_run => false);
SELECT id FROM rows ORDER BY id;
-- a row that is left every night is in the log once, for whichever row and in whichever words
SELECT run_id, key, duplicate_of, reason FROM neardup.skipped WHERE target = 'rows'::regclass;
SELECT copies('rows', 9, 9);
CREATE OR REPLACE FUNCTION does() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not today, %', clock_timestamp(); END $$;
SET client_min_messages = warning;
CALL neardup.cleanup('rows', keep => 'newest', dry_run => false);
RESET client_min_messages;
SELECT run_id, key, duplicate_of, left(reason, 9) AS reason FROM neardup.skipped WHERE target = 'rows'::regclass;
DROP TABLE rows, rows_removed;

-- policies under which the caller sees rows and may not update or delete them
CREATE TABLE policed (id int PRIMARY KEY, body text);
INSERT INTO policed SELECT n, body(n) FROM generate_series(1, 4) n;
SELECT neardup.protect('policed', 'body');
SELECT neardup.keep_removed('policed');
GRANT SELECT, UPDATE, DELETE ON policed TO regress_cleaner;
ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
CREATE POLICY sees ON policed FOR SELECT USING (true);
CREATE POLICY changes ON policed FOR UPDATE USING (id <> 2);
CREATE POLICY removes ON policed FOR DELETE USING (id <> 3);
SET ROLE regress_cleaner;
CALL neardup.cleanup('policed', dry_run => false);
RESET ROLE;
DROP TABLE policed, policed_removed;

-- sessions whose transactions are not READ COMMITTED
CREATE TABLE isolated (id int PRIMARY KEY, body text);
INSERT INTO isolated SELECT n, body(n) FROM generate_series(1, 4) n;
SELECT neardup.protect('isolated', 'body');
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE;
CALL neardup.cleanup('isolated', batch => 1, throttle => '1 ms', dry_run => false);
CALL neardup.restore('isolated', 1, answer => false);
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ;
CALL neardup.cleanup('isolated', batch => 1, dry_run => false);
DROP TABLE isolated, isolated_removed;
REVOKE ALL ON SCHEMA public FROM regress_cleaner;
DROP ROLE regress_cleaner;
