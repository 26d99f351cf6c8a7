\set SHOW_CONTEXT never
-- Whoever lists runs no code of the owner of what is read: no cast, no CHECK, no function that a plain SELECT would not run.
CREATE ROLE regress_mallory;
CREATE SCHEMA m AUTHORIZATION regress_mallory;
CREATE FUNCTION words(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'The central hospital of Clearwater opened its new wing yesterday afternoon before three hundred doctors; number ' || n $$;
CREATE TABLE articles (id int PRIMARY KEY, body text, note text);
SELECT neardup.protect('articles', 'body');
SET ROLE regress_mallory;
CREATE TYPE m.thing AS (x text);
CREATE TYPE m.k AS (x int);
CREATE FUNCTION m.evil(m.thing) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'code of mallory runs as %', current_user; RETURN ($1).x; END $$;
CREATE FUNCTION m.evil(m.k) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'code of mallory runs as %', current_user; RETURN ($1).x::text; END $$;
CREATE FUNCTION m.evil(text) RETURNS m.k LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'code of mallory runs as %', current_user; RETURN ROW(1)::m.k; END $$;
CREATE CAST (m.thing AS text) WITH FUNCTION m.evil(m.thing) AS IMPLICIT;
CREATE CAST (m.k AS text) WITH FUNCTION m.evil(m.k) AS IMPLICIT;
CREATE CAST (text AS m.k) WITH FUNCTION m.evil(text) AS IMPLICIT;

-- a table of new rows: its document, another column that nobody needs, an array
CREATE TABLE m.crawl (id int, body m.thing);
INSERT INTO m.crawl VALUES (1, ROW(public.words(1)));
CREATE TABLE m.noted (id int, body text, note m.thing);
INSERT INTO m.noted VALUES (1, public.words(1), ROW('x')), (2, public.words(1), ROW('y'));
RESET ROLE;
SELECT * FROM m.crawl;
SELECT * FROM neardup.copies_of('articles', 'm.crawl');
SELECT key, duplicate_of, is_new FROM neardup.copies_of('articles', 'm.noted');

-- a guarded table whose key is of such a type
SET ROLE regress_mallory;
CREATE TABLE m.t (id m.k PRIMARY KEY, body text);
SELECT neardup.protect('m.t', 'body', on_duplicate => 'warn');
INSERT INTO m.t VALUES (ROW(1), public.words(1));
RESET ROLE;
SELECT * FROM m.t;
SELECT * FROM neardup.duplicates('m.t');
SELECT key, outcome FROM neardup.why('m.t', key => '(1)');
SELECT * FROM neardup.groups('m.t');
SELECT count(*) FROM neardup.report('m.t');
CALL neardup.cleanup('m.t');

-- a guard made by hand on a column that is no text
SET ROLE regress_mallory;
CREATE TABLE m.by_hand (id int PRIMARY KEY, body m.thing);
CREATE TRIGGER zz_neardup_body BEFORE INSERT OR UPDATE OF body ON m.by_hand FOR EACH ROW EXECUTE FUNCTION neardup.guard('{"keys": 10, "analyzer": "shingles:5", "on_duplicate": "skip"}');
RESET ROLE;
SELECT * FROM neardup.duplicates('m.by_hand');

-- the same by a function of Postgres that calls the casts of the value's type
SET ROLE regress_mallory;
CREATE TYPE m.state AS ENUM ('x', 'y');
CREATE FUNCTION m.evil(m.state) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'code of mallory runs as %', current_user; RETURN '"x"'; END $$;
CREATE CAST (m.state AS json) WITH FUNCTION m.evil(m.state) AS IMPLICIT;
CREATE CAST (m.state AS jsonb) WITH FUNCTION pg_catalog.to_jsonb(anyelement) AS ASSIGNMENT;
CREATE TABLE m.told (id int, body text, about m.state);
INSERT INTO m.told VALUES (1, public.words(1), 'x');
RESET ROLE;
CREATE TABLE told (id int PRIMARY KEY, body text, about jsonb);
SELECT neardup.protect('told', 'body', differ => '{about}');
SELECT key, duplicate_of FROM neardup.copies_of('told', 'm.told');
DROP TABLE told;

-- an array whose elements become those of a domain with a CHECK, and a row with such a column, of which a trusted function forms documents
SET ROLE regress_mallory;
CREATE FUNCTION m.holds(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF current_user <> 'regress_mallory' THEN RAISE WARNING 'code of mallory runs as %', current_user; END IF; RETURN true; END $$;
CREATE DOMAIN m.word AS text CHECK (m.holds(value));
CREATE TABLE m.tagged (id int PRIMARY KEY, body text, tags m.word[]);
SELECT neardup.protect('m.tagged', 'body', scope => '{tags}');
CREATE TABLE m.rated (id int PRIMARY KEY, body text, note text, rating m.word);
RESET ROLE;
CREATE TABLE coming (id int PRIMARY KEY, body text, note text, rating text, tags text[]);
INSERT INTO coming VALUES (1, public.words(1), 'x', 'y', '{a}');
SELECT key, duplicate_of FROM neardup.copies_of('m.tagged', 'coming');
CREATE FUNCTION whole(m.rated) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT concat_ws(' ', $1.body, $1.note) $$;
SET ROLE regress_mallory;
SELECT neardup.protect('m.rated', 'body', expression => 'public.whole');
RESET ROLE;
SELECT key, duplicate_of FROM neardup.copies_of('m.rated', 'coming');
SELECT key, duplicate_of FROM neardup.duplicates('m.rated', against => 'coming');
DROP TABLE coming;
DROP FUNCTION whole CASCADE;

-- a time column that has another type by now
SET ROLE regress_mallory;
CREATE TYPE m.day AS ENUM ('x', 'y');
CREATE FUNCTION m.evil(m.day) RETURNS timestamp LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'code of mallory runs as %', current_user; RETURN '2031-01-01'; END $$;
CREATE CAST (m.day AS timestamp) WITH FUNCTION m.evil(m.day);
CREATE TABLE m.dated (id int PRIMARY KEY, body text, at timestamptz);
INSERT INTO m.dated SELECT i, public.words(1) FROM generate_series(1, 2) i;
SELECT neardup.protect('m.dated', 'body', time_column => 'at');
SELECT pg_get_triggerdef(oid) AS trigger FROM pg_trigger WHERE tgrelid = 'm.dated'::regclass AND tgname = 'zz_neardup_body' \gset
SET client_min_messages = error;
ALTER TABLE m.dated DROP COLUMN at CASCADE, ADD at m.day DEFAULT 'x';
RESET client_min_messages;
:trigger;
RESET ROLE;
SELECT * FROM neardup.groups('m.dated');

-- a column of such a type where marks would be
SET ROLE regress_mallory;
CREATE TABLE m.marked (id int PRIMARY KEY, body text, body_duplicate_of m.k);
INSERT INTO m.marked SELECT i, public.words(1) FROM generate_series(1, 2) i;
SELECT neardup.protect('m.marked', 'body');
RESET ROLE;
CALL neardup.cleanup('m.marked');
CALL neardup.cleanup('m.marked', action => 'mark', keep => 'newest');

-- a function that forms documents: its owner may list; a superuser becomes the owner first, and so does a member, whoever made it one
SET ROLE regress_mallory;
CREATE TABLE m.formed (id int PRIMARY KEY, body text);
CREATE FUNCTION m.form(m.formed) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'code of mallory runs as %', current_user; RETURN $1.body; END $$;
SET client_min_messages = error;
SELECT neardup.protect('m.formed', 'body', expression => 'm.form', on_duplicate => 'warn');
INSERT INTO m.formed SELECT i, public.words(1) FROM generate_series(1, 2) i;
RESET client_min_messages;
RESET ROLE;
SELECT * FROM neardup.duplicates('m.formed');
SELECT count(*) FROM neardup.why('m.formed', key => '1');
CALL neardup.cleanup('m.formed');
CREATE ROLE regress_member;
GRANT regress_mallory TO regress_member;
SET ROLE regress_member;
SELECT * FROM neardup.duplicates('m.formed');
RESET ROLE;
DROP ROLE regress_member;
SET ROLE regress_mallory;
SET client_min_messages = error;
SELECT key, duplicate_of FROM neardup.duplicates('m.formed');
RESET client_min_messages;
RESET ROLE;

-- bounds of a column whose type reads a text by code of mallory's
SET ROLE regress_mallory;
CREATE DOMAIN m.checked AS int CHECK (m.evil(ROW(value)::m.k) IS NOT NULL);
CREATE TYPE m.pair AS (a m.checked);
CREATE TABLE m.timed (id int PRIMARY KEY, body text, at m.pair);
SELECT neardup.protect('m.timed', 'body');
RESET ROLE;
SELECT * FROM neardup.duplicates('m.timed', time_column => 'at', since => '(1)');

-- a view where answers on a table would be
INSERT INTO articles VALUES (101, 'A text about a garden and its apple trees'), (102, 'Another one about ships on the sea');
GRANT CREATE ON SCHEMA public TO regress_mallory;
SET ROLE regress_mallory;
CREATE VIEW public.articles_answers AS
SELECT m.evil(ROW('101')::m.thing) AS key, '102'::text AS other, NULL::boolean AS is_copy, 'body'::name AS document, 1::bigint AS hash, 2::bigint AS other_hash;
GRANT SELECT ON public.articles_answers TO public;
RESET ROLE;
SELECT neardup.report_html('articles') LIKE '%</html>%';
SELECT count(*) FROM neardup.duplicates('articles');
DROP VIEW articles_answers;
DELETE FROM articles WHERE id > 100;
REVOKE CREATE ON SCHEMA public FROM regress_mallory;

-- a key of such a type
SET ROLE regress_mallory;
SET client_min_messages = error;
CREATE TABLE m.keyed (id m.checked PRIMARY KEY, body text);
INSERT INTO m.keyed SELECT i, public.words(1) FROM generate_series(1, 2) i;
SELECT neardup.protect('m.keyed', 'body');
RESET client_min_messages;
RESET ROLE;
SELECT key, duplicate_of FROM neardup.duplicates('m.keyed', settled => true);
SELECT count(*) FROM neardup.why('m.keyed', key => '1');
SELECT neardup.reasons('m.keyed', '1', '2');
SELECT count(*) FROM neardup.groups('m.keyed');
SELECT * FROM neardup.groups(NULL);
SELECT neardup_internal.only_guard(NULL, NULL);

-- an index whose expression has a call that Postgres runs as it reads it, in a view over all guards
SET ROLE regress_mallory;
CREATE FUNCTION m.analyzer(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF current_user <> 'regress_mallory' THEN RAISE WARNING 'code of mallory runs as %', current_user; END IF; RETURN $1; END $$;
CREATE TABLE m.indexed (id int PRIMARY KEY, body text);
CREATE INDEX ON m.indexed USING neardup (public.sketch(body, m.analyzer('shingles:5'), 10));
SELECT neardup.protect('m.indexed', 'body');
\c
SELECT count(*) > 0 FROM neardup.statistics;
SET client_min_messages = error;
DROP OWNED BY regress_mallory CASCADE;
DROP ROLE regress_mallory;
