-- Rows go into the tables beside a guarded one by acts of others: nothing that is attached to such a table may run as its owner.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE ROLE regress_owner;
CREATE ROLE regress_writer;
GRANT CREATE ON SCHEMA public TO regress_owner;
CREATE FUNCTION body() RETURNS text LANGUAGE sql IMMUTABLE
RETURN 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.';
SET ROLE regress_owner;
CREATE TABLE authors (id int PRIMARY KEY);
CREATE TABLE posts (id int PRIMARY KEY, author int, body text);
SELECT neardup.protect('posts', 'body', on_duplicate => 'divert');
GRANT SELECT, INSERT, UPDATE, DELETE ON posts TO regress_writer;
INSERT INTO posts VALUES (1, 1, body());

-- a trigger, even of the owner's function: who has created it is not known. The owner's own acts count as those of others, who may bring them about
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER audit AFTER INSERT ON posts_diverted FOR EACH ROW EXECUTE FUNCTION audit();
SET ROLE regress_writer;
INSERT INTO posts VALUES (2, 1, body());
SET ROLE regress_owner;
INSERT INTO posts VALUES (2, 1, body());
ALTER TABLE posts_diverted DISABLE TRIGGER audit;
INSERT INTO posts VALUES (2, 1, body());
DROP TRIGGER audit ON posts_diverted;

-- a check, a default, a domain, an index on a function, forced row security, a rule, a foreign key, a parent
CREATE FUNCTION whatever(text) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN true;
ALTER TABLE posts_diverted ADD CONSTRAINT whatever CHECK (whatever(duplicate_of));
INSERT INTO posts VALUES (2, 1, body());
ALTER TABLE posts_diverted DROP CONSTRAINT whatever, ADD COLUMN n text DEFAULT now()::text;
INSERT INTO posts VALUES (2, 1, body());
CREATE DOMAIN word AS text CHECK (whatever(VALUE));
ALTER TABLE posts_diverted DROP COLUMN n, ADD COLUMN n word;
INSERT INTO posts VALUES (2, 1, body());
-- a type to which its owner may make a cast; statistics, whose functions of constants run when a statement is planned
CREATE TYPE mood AS ENUM ('x');
ALTER TABLE posts_diverted DROP COLUMN n, ALTER duplicate_of TYPE mood USING 'x'::mood;
INSERT INTO posts VALUES (2, 1, body());
ALTER TABLE posts_diverted ALTER duplicate_of TYPE text, ADD COLUMN n int;
DROP TYPE mood;
CREATE STATISTICS of_function ON (whatever(duplicate_of)), n FROM posts_diverted;
INSERT INTO posts VALUES (2, 1, body());
DROP STATISTICS of_function;
CREATE INDEX by_function ON posts_diverted ((whatever(duplicate_of)));
INSERT INTO posts VALUES (2, 1, body());
DROP INDEX by_function;
CREATE INDEX by_condition ON posts_diverted (duplicate_of) WHERE whatever(duplicate_of);
INSERT INTO posts VALUES (2, 1, body());
DROP INDEX by_condition;
ALTER TABLE posts_diverted ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
INSERT INTO posts VALUES (2, 1, body());
ALTER TABLE posts_diverted DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
CREATE RULE nothing AS ON INSERT TO posts_diverted DO INSTEAD NOTHING;
INSERT INTO posts VALUES (2, 1, body());
DROP RULE nothing ON posts_diverted;
ALTER TABLE posts_diverted ADD FOREIGN KEY (n) REFERENCES authors;
INSERT INTO posts VALUES (2, 1, body());
ALTER TABLE posts_diverted DROP CONSTRAINT posts_diverted_n_fkey, DROP COLUMN n;

-- indexes by functions of Postgres and a key of its own are no obstacle
CREATE INDEX by_length ON posts_diverted ((record ->> 'id'), length(duplicate_of)) WHERE length(duplicate_of) < 100;
ALTER TABLE posts_diverted ADD PRIMARY KEY (diverted_at);
SET ROLE regress_writer;
INSERT INTO posts VALUES (2, 1, body());
RESET ROLE;
SELECT record, role FROM posts_diverted;

-- removed rows and answers
SET ROLE regress_owner;
SELECT neardup.protect('posts', 'body', on_duplicate => 'mark');
INSERT INTO posts VALUES (3, 1, body()), (4, 1, body());
SELECT neardup.keep_removed('posts'), neardup.keep_answers('posts');
ALTER TABLE posts_removed ADD CONSTRAINT whatever CHECK (whatever(body));
CALL neardup.cleanup('posts', dry_run => false);
ALTER TABLE posts_removed DROP CONSTRAINT whatever;
CREATE TYPE mood AS ENUM ('x');
ALTER TABLE posts_removed ALTER body TYPE mood USING 'x'::mood, ADD COLUMN gone mood;
CALL neardup.cleanup('posts', dry_run => false);
ALTER TABLE posts_removed ALTER body TYPE text;
CREATE TRIGGER audit AFTER INSERT ON posts_answers FOR EACH ROW EXECUTE FUNCTION audit();
SELECT neardup.answer('posts', '1', '3', false);
SET client_min_messages = notice;
SET ROLE regress_writer;
UPDATE posts SET duplicate_of = NULL WHERE id = 3;
-- who may not read the table is told no keys
RESET ROLE;
REVOKE SELECT ON posts FROM regress_writer;
GRANT SELECT (id) ON posts TO regress_writer;
SET ROLE regress_writer;
UPDATE posts SET duplicate_of = NULL WHERE id = 4;
RESET ROLE;
SET client_min_messages = warning;
SELECT id, duplicate_of FROM posts ORDER BY id;

-- a column of marks that removed rows have values in stays, and they come back
DROP TRIGGER audit ON posts_answers;
UPDATE posts SET duplicate_of = 1 WHERE id > 1;
CALL neardup.cleanup('posts', dry_run => false);
SELECT neardup.unprotect('posts', 'body');
CALL neardup.restore('posts', 1);
SELECT id, duplicate_of FROM posts ORDER BY id;

-- a guard whose extension was dropped: the next one writes into its column
SELECT neardup.protect('posts', 'body', on_duplicate => 'mark');
DROP TABLE posts_removed, posts_answers, posts_diverted;
CREATE TABLE notes (id int PRIMARY KEY, body text);
SELECT neardup.protect('notes', 'body', on_duplicate => 'mark');
COMMENT ON COLUMN notes.duplicate_of IS 'duplicate_of, by the guard on column body';
DO $$ DECLARE t text; BEGIN FOR t IN SELECT tgname FROM pg_trigger WHERE tgrelid = 'notes'::regclass LOOP EXECUTE format('DROP TRIGGER %I ON notes', t); END LOOP; END $$;
SELECT neardup.protect('notes', 'body', on_duplicate => 'mark');
SELECT attname FROM pg_attribute WHERE attrelid = 'notes'::regclass AND attnum > 0 ORDER BY attnum;
DROP TABLE posts, notes, authors CASCADE;
DROP TYPE mood;
DROP DOMAIN word;
DROP FUNCTION body(), audit(), whatever(text);
REVOKE CREATE ON SCHEMA public FROM regress_owner;
DROP ROLE regress_owner, regress_writer;
