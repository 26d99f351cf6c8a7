\set SHOW_CONTEXT never
-- Whoever may create triggers on a table can make a guard by hand, with any settings and columns. It gets no right by that, and breaks nothing for others.
CREATE ROLE regress_mallory;
CREATE SCHEMA m AUTHORIZATION regress_mallory;
CREATE SCHEMA lib AUTHORIZATION regress_mallory;
GRANT CREATE ON SCHEMA lib TO public;
CREATE TABLE news (id int PRIMARY KEY, body text);
SELECT neardup.protect('news', 'body');
INSERT INTO news VALUES (1, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.');
GRANT TRIGGER, INSERT ON news TO regress_mallory;
SET ROLE regress_mallory;
CREATE FUNCTION m.evil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'code of mallory runs as %', current_user; RETURN NULL; END $$;

-- a table of diverted rows that belongs to somebody else
CREATE TABLE m.evil (document name, record jsonb, duplicate_of text, measure text, value float8, role name);
CREATE TRIGGER t BEFORE INSERT ON m.evil FOR EACH ROW EXECUTE FUNCTION m.evil();
CREATE TRIGGER g BEFORE INSERT OR UPDATE OF body ON public.news FOR EACH ROW EXECUTE FUNCTION
  neardup.guard('{"analyzer":"shingles:5","keys":10,"on_duplicate":"divert","divert":["m","evil"]}');
INSERT INTO public.news VALUES (2, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.');
RESET ROLE;
DROP TRIGGER g ON news;
-- no other role has a right on the table that protect makes, whatever the default privileges are
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO regress_mallory;
SELECT neardup.protect('news', 'body', on_duplicate => 'divert');
SELECT count(*) FROM pg_class c, aclexplode(c.relacl) a WHERE c.relname = 'news_diverted' AND a.grantee <> c.relowner;
ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM regress_mallory;
-- one of a former owner
ALTER TABLE news_diverted OWNER TO regress_mallory;
INSERT INTO news VALUES (2, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.');
ALTER TABLE news_diverted OWNER TO CURRENT_USER;
-- what a trigger or a rule leaves out would be nowhere
CREATE RULE nothing AS ON INSERT TO news_diverted DO INSTEAD NOTHING;
INSERT INTO news VALUES (2, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.');
DROP RULE nothing ON news_diverted;
INSERT INTO news VALUES (2, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.');
SELECT record FROM news_diverted;
DROP TABLE news, news_diverted;

-- a column for relations of another type than text
SET ROLE regress_mallory;
CREATE TABLE m.t (id int PRIMARY KEY, body text, r int, a bigint);
SELECT neardup.protect('m.t', 'body', on_duplicate => 'warn');
CREATE TRIGGER zzz BEFORE INSERT OR UPDATE OF body, r, a ON m.t FOR EACH ROW EXECUTE FUNCTION
  neardup.guard('{"analyzer":"shingles:5","keys":10,"on_duplicate":"warn","on_related":"mark","relates":true}');
INSERT INTO m.t VALUES (1, 'The health office reports 66 new cases in the city yesterday, all found in quarantine.');
DROP TRIGGER zzz ON m.t;
-- settings that are null
CREATE TRIGGER zzz BEFORE INSERT OR UPDATE OF body ON m.t FOR EACH ROW EXECUTE FUNCTION
  neardup.guard('{"analyzer":"shingles:5","keys":10,"on_duplicate":"warn","correction":null}');
RESET ROLE;
SELECT target, trigger, learned FROM neardup.protected ORDER BY 2;
SELECT target, count FROM neardup.counters;
-- an index whose expression runs code when Postgres simplifies it
SET ROLE regress_mallory;
DROP TABLE m.t;
CREATE TABLE m.t (id int PRIMARY KEY, body text);
SELECT neardup.protect('m.t', 'body', on_duplicate => 'warn');
CREATE FUNCTION m.f(int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN ''; END $$;
CREATE INDEX ON m.t USING neardup (sketch(m.f(0) || body));
CREATE OR REPLACE FUNCTION m.f(int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'code of mallory runs as %', current_user; END $$;
RESET ROLE;
SELECT target, bytes > 0 AS has_index FROM neardup.statistics;
-- progress that no clean-up makes
SET ROLE regress_mallory;
INSERT INTO neardup.running (target, procedure, unit, total, done, started, seen) VALUES ('m.t', 'x', 'y', 1, 1, now(), 'infinity');
INSERT INTO neardup.running (target, procedure, unit, total, done, started, seen) VALUES ('m.t', 'x', 'y', 9223372036854775807, 1, '2000-01-02', '9998-01-01');
BEGIN;
SELECT neardup_internal.hold_table('m.t');
RESET ROLE;
SELECT target, time_left FROM neardup.progress;
COMMIT;
DELETE FROM neardup.running;
DROP TABLE m.t;

-- a column of others, named as one for keys: it is neither given another type nor dropped
CREATE TABLE people (id int PRIMARY KEY, body text, phone text, fax text);
INSERT INTO people VALUES (1, 'one text of a person', '0049', NULL);
GRANT TRIGGER ON people TO regress_mallory;
SET ROLE regress_mallory;
CREATE TRIGGER zz_neardup_body BEFORE INSERT OR UPDATE OF body, phone ON people FOR EACH ROW EXECUTE FUNCTION
  neardup.guard('{"analyzer":"shingles:5","keys":10,"on_duplicate":"mark","marks":true}');
RESET ROLE;
SELECT neardup.protect('people', 'body', on_duplicate => 'mark');
SELECT id, phone, pg_typeof(phone) FROM people;
UPDATE people SET phone = NULL;
SELECT neardup.unprotect('people', 'body');
SELECT count(*) FROM pg_attribute WHERE attrelid = 'people'::regclass AND attname = 'phone';
DROP TABLE people;

-- a type of another role, who can make casts of it
SET ROLE regress_mallory;
CREATE TYPE m.lang AS ENUM ('a', 'b');
CREATE FUNCTION m.to_text(m.lang) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'code of mallory runs as %', current_user; RETURN '1'; END $$;
CREATE CAST (m.lang AS text) WITH FUNCTION m.to_text(m.lang) AS ASSIGNMENT;
RESET ROLE;
CREATE TABLE terms (id m.lang PRIMARY KEY, body text);
SELECT neardup.protect('terms', 'body', on_duplicate => 'mark');
DROP TABLE terms;
-- nor is a column of the type added by its name, which its owner can give to a domain
SET ROLE regress_mallory;
CREATE TABLE m.kept (id int PRIMARY KEY, body text);
SELECT neardup.protect('m.kept', 'body', on_duplicate => 'warn');
SELECT neardup.keep_removed('m.kept');
ALTER TABLE m.kept ADD COLUMN lang m.lang;
RESET ROLE;
SELECT neardup.keep_removed('m.kept');
SET ROLE regress_mallory;
SELECT neardup.keep_removed('m.kept');
RESET ROLE;
-- a scope of such a type: lists and clean-ups compare it without its name
SET ROLE regress_mallory;
CREATE TABLE m.scoped (id int PRIMARY KEY, lang m.lang, body text);
SELECT neardup.protect('m.scoped', 'body', scope => '{lang}', on_duplicate => 'warn');
CREATE TABLE m.more (LIKE m.scoped);
SET client_min_messages = error;
INSERT INTO m.scoped SELECT n, (ARRAY['a', 'b'])[n % 2 + 1]::m.lang, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.' FROM generate_series(1, 4) n;
RESET client_min_messages;
INSERT INTO m.more VALUES (9, 'a', 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.');
RESET ROLE;
SELECT key, duplicate_of FROM neardup.duplicates('m.scoped') ORDER BY 1;
SELECT key, duplicate_of, is_new FROM neardup.copies_of('m.scoped', 'm.more');
CALL neardup.cleanup('m.scoped', action => 'delete', dry_run => false);
SELECT id FROM m.scoped ORDER BY id;
-- a trigger on a table beside the guarded one, by a role that was given TRIGGER: it would run as the owner whenever somebody inserts a copy
CREATE TABLE posts (id int PRIMARY KEY, body text);
SELECT neardup.protect('posts', 'body', on_duplicate => 'divert');
SELECT neardup.keep_removed('posts');
GRANT ALL ON posts_diverted, posts_removed TO regress_mallory;
CREATE ROLE regress_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON posts TO regress_writer;
SET ROLE regress_mallory;
CREATE TRIGGER t BEFORE INSERT ON posts_diverted FOR EACH ROW EXECUTE FUNCTION m.evil();
CREATE FUNCTION m.is_so() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'code of mallory runs as %', current_user; RETURN false; END $$;
CREATE TRIGGER t BEFORE INSERT ON posts_removed FOR EACH ROW WHEN (m.is_so()) EXECUTE FUNCTION suppress_redundant_updates_trigger();
RESET ROLE;
SET ROLE regress_writer;
INSERT INTO posts SELECT n, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.' FROM generate_series(1, 2) n;
RESET ROLE;
DROP TRIGGER t ON posts_diverted;
-- by a function of Postgres that runs what it is given
SET ROLE regress_mallory;
CREATE TRIGGER t BEFORE INSERT ON posts_diverted FOR EACH ROW WHEN (query_to_xml('SELECT m.is_so()', true, false, '') IS NULL) EXECUTE FUNCTION suppress_redundant_updates_trigger();
RESET ROLE;
SET ROLE regress_writer;
INSERT INTO posts SELECT n, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.' FROM generate_series(1, 2) n;
RESET ROLE;
DROP TRIGGER t ON posts_diverted;
SELECT neardup.protect('posts', 'body', on_duplicate => 'warn');
SET client_min_messages = error;
INSERT INTO posts SELECT n, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.' FROM generate_series(1, 2) n;
RESET client_min_messages;
SET ROLE regress_writer;
CALL neardup.cleanup('posts', dry_run => false);
RESET ROLE;
SELECT count(*) FROM posts;
DROP TABLE posts, posts_diverted, posts_removed;
DROP OWNED BY regress_writer;
DROP ROLE regress_writer;
-- a domain over such a type
SET ROLE regress_mallory;
CREATE DOMAIN m.tongue AS m.lang;
CREATE TABLE m.told (id int PRIMARY KEY, lang m.tongue, body text);
SELECT neardup.protect('m.told', 'body', scope => '{lang}', on_duplicate => 'warn');
SET client_min_messages = error;
INSERT INTO m.told SELECT n, (ARRAY['a', 'b', NULL])[n % 3 + 1]::m.lang, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.' FROM generate_series(1, 6) n;
RESET client_min_messages;
CREATE FUNCTION m.merged(m.told, m.told) RETURNS m.told LANGUAGE sql AS 'SELECT ($1).id, CASE ($1).id WHEN 1 THEN NULL ELSE ($1).lang END, ($1).body';
SELECT neardup.keep_removed('m.told');
RESET ROLE;
CALL neardup.cleanup('m.told', action => 'merge', merge => 'm.merged', dry_run => false);
SELECT id, lang FROM m.told ORDER BY id;
SELECT run_id FROM neardup.runs WHERE target = 'm.told'::regclass \gset
CALL neardup.restore('m.told', :run_id);
SELECT id, lang FROM m.told ORDER BY id;

-- a domain whose owner adds a CHECK later: removed rows are kept as the type behind it
SET ROLE regress_mallory;
CREATE DOMAIN m.label AS varchar(9);
RESET ROLE;
CREATE TABLE labelled (id int PRIMARY KEY, label m.label, body text);
SELECT neardup.protect('labelled', 'body', on_duplicate => 'warn');
SELECT neardup.keep_removed('labelled');
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'labelled_removed'::regclass AND attname = 'label';
DROP TABLE labelled, labelled_removed;

-- a function in the schema of another role, who can put another one in its place
CREATE TABLE docs (id int PRIMARY KEY, body text);
CREATE FUNCTION lib.doc(docs) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1.body';
SELECT neardup.protect('docs', 'body', expression => 'lib.doc', on_duplicate => 'warn');
SELECT * FROM neardup.duplicates('docs');
CALL neardup.cleanup('docs');
ALTER FUNCTION lib.doc(docs) SET SCHEMA public;
SELECT * FROM neardup.duplicates('docs');
SELECT neardup.protect('docs', 'body', expression => 'public.doc', on_duplicate => 'warn');
SELECT * FROM neardup.duplicates('docs');
DROP TABLE docs CASCADE;
DROP SCHEMA m, lib CASCADE;
DROP ROLE regress_mallory;
