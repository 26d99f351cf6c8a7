-- A protected table through pg_dump and back, in its plain and its custom format: same rows, same guard, and it guards.

CREATE SCHEMA "the press";
CREATE TABLE "the press"."Articles" (id text PRIMARY KEY, "Body" text, "Its city" text, title text);
SELECT neardup.protect('"the press"."Articles"', 'Body', on_duplicate => 'mark');
SELECT neardup.protect('"the press"."Articles"', 'Body', log => true, threshold => 0.8, title => 'title', differ => '{Its city}', excerpts => 'keep', reset => '{all}');
INSERT INTO "the press"."Articles" SELECT id, body FROM sample ORDER BY length(body) DESC LIMIT 20;
CREATE TABLE "the press"."It's" (id int PRIMARY KEY, seen int DEFAULT 1, body text);
CREATE FUNCTION "the press"."My merge"(existing "the press"."It's", new "the press"."It's") RETURNS "the press"."It's" LANGUAGE plpgsql AS $$ BEGIN existing.seen := existing.seen + 1; RETURN existing; END $$;
SELECT neardup.protect('"the press"."It''s"', 'body', on_duplicate => 'merge', merge => '"the press"."My merge"');
INSERT INTO "the press"."It's" SELECT row_number() OVER (ORDER BY length(body) DESC), 1, body FROM sample ORDER BY length(body) DESC LIMIT 2;
SELECT neardup.create_profile('house', words => '{江口龙舟赛}');
CALL neardup.train_profile('house', 'SELECT body FROM sample');

-- What a restored table must have as the original had it.
CREATE VIEW state AS
SELECT (SELECT string_agg(a::text, E'\n' ORDER BY id) FROM "the press"."Articles" a) AS rows,
       (SELECT string_agg(pg_get_indexdef(indexrelid), E'\n' ORDER BY indexrelid::regclass::text) FROM pg_index WHERE indrelid = '"the press"."Articles"'::regclass) AS indexes,
       (SELECT string_agg((to_jsonb(p) - 'target')::text, E'\n' ORDER BY on_duplicate) FROM neardup.protected p) AS settings,
       (SELECT string_agg(pg_get_triggerdef(oid), E'\n' ORDER BY tgname) FROM pg_trigger WHERE tgrelid = '"the press"."Articles"'::regclass) AS triggers,
       (SELECT string_agg(v::text, E'\n' ORDER BY version)
        FROM (SELECT name, version, role, words, documents, made, md5(statistics) FROM neardup.profile_versions) v) AS profiles,
       (SELECT string_agg(neardup.p_simhash("Body", 'house')::text, ' ' ORDER BY id) FROM "the press"."Articles") AS signatures;

-- nothing of it is empty
SELECT count(*) FROM state WHERE rows <> '' AND indexes <> '' AND settings <> '' AND triggers <> '' AND profiles <> '' AND signatures <> '';
--= 1

SELECT * FROM state;
--> before

\! psql -Xq -c 'CREATE DATABASE dump_plain' && pg_dump | psql -Xq -v ON_ERROR_STOP=1 -o /dev/null dump_plain

\c dump_plain

-- all that is as it was, after a plain dump
SELECT * FROM state;
--= <before>

-- a copy after a plain dump
INSERT INTO "the press"."Articles" (id, "Body") SELECT 'copy', '快讯：' || "Body" FROM "the press"."Articles" ORDER BY length("Body") DESC LIMIT 1;
--= ERROR:  23505

-- a copy that is merged after a plain dump
INSERT INTO "the press"."It's" SELECT 3, 1, body || '。' FROM "the press"."It's" WHERE id = 1;
SELECT string_agg(seen::text, ' ' ORDER BY id) FROM "the press"."It's";
--= 2 1

-- news after a plain dump
INSERT INTO "the press"."Articles" (id, "Body") VALUES ('news', '海边的灯塔昨夜熄了又亮，守塔的老人说，是换灯泡。');
--=

-- a new version of a profile after a plain dump
SELECT neardup.create_profile('house') > (SELECT max(version) FROM neardup.profile_versions);
--= t

\c dump
\! psql -Xq -c 'CREATE DATABASE dump_custom' && pg_dump -F custom | pg_restore --exit-on-error -d dump_custom

\c dump_custom

-- all that is as it was, after a custom dump
SELECT * FROM state;
--= <before>

-- a copy after a custom dump
INSERT INTO "the press"."Articles" (id, "Body") SELECT 'copy', '快讯：' || "Body" FROM "the press"."Articles" ORDER BY length("Body") DESC LIMIT 1;
--= ERROR:  23505

-- a copy that is merged after a custom dump
INSERT INTO "the press"."It's" SELECT 3, 1, body || '。' FROM "the press"."It's" WHERE id = 1;
SELECT string_agg(seen::text, ' ' ORDER BY id) FROM "the press"."It's";
--= 2 1

-- news after a custom dump
INSERT INTO "the press"."Articles" (id, "Body") VALUES ('news', '海边的灯塔昨夜熄了又亮，守塔的老人说，是换灯泡。');
--=

-- the same by a database's owner who is no superuser: a guarded table, what a clean-up removed, its log, a profile, the guard's log
\c dump
CREATE ROLE dump_owner LOGIN;
CREATE ROLE dump_cleaner;
\! psql -Xq -c 'CREATE DATABASE dump_owned OWNER dump_owner'
\c dump_owned
CREATE EXTENSION pg_neardup;
SET ROLE dump_owner;
CREATE TABLE articles (id int PRIMARY KEY, body text, source regclass);
SELECT neardup.protect('articles', 'body', on_duplicate => 'warn', log => true);
SET client_min_messages = error;
INSERT INTO articles SELECT i, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part.', 'articles' FROM generate_series(1, 4) i;
GRANT SELECT, UPDATE, DELETE ON articles TO dump_cleaner;
SELECT neardup.keep_removed('articles');
SELECT neardup.create_profile('owned', words => '{Rowmouth}');
SET ROLE dump_cleaner;
CALL neardup.cleanup('articles', dry_run => false);
RESET ROLE;
CREATE VIEW state AS
SELECT (SELECT string_agg(a::text, E'\n' ORDER BY id) FROM articles a) AS rows,
       (SELECT string_agg(r::text, E'\n' ORDER BY id) FROM articles_removed r) AS removed,
       (SELECT string_agg(r::text, E'\n' ORDER BY run_id) FROM neardup.runs r) AS runs,
       (SELECT count(*) FROM neardup.verdicts) AS verdicts,
       (SELECT string_agg(v::text, E'\n' ORDER BY version) FROM neardup.profile_versions v) AS profiles,
       (SELECT string_agg(pg_get_triggerdef(oid), E'\n' ORDER BY tgname) FROM pg_trigger WHERE tgrelid = 'articles'::regclass) AS triggers;
ALTER VIEW state OWNER TO dump_owner;

-- nothing of it is empty
SELECT count(*) FROM state WHERE rows <> '' AND removed <> '' AND runs <> '' AND profiles <> '' AND triggers <> '' AND verdicts > 0;
--= 1

SELECT * FROM state;
--> owned

\! psql -Xq -c 'CREATE DATABASE dump_again OWNER dump_owner' && psql -Xq -d dump_again -c 'CREATE EXTENSION pg_neardup' && PGUSER=dump_owner pg_dump -F custom dump_owned | PGUSER=dump_owner pg_restore --no-comments --exit-on-error -d dump_again && psql -Xq -d dump_again -c 'DROP OWNED BY dump_cleaner'

-- all that is as it was, also without the role that cleaned up
\c dump_again
SET ROLE dump_owner;
SELECT * FROM state;
--= <owned>

-- the removed rows come back
CALL neardup.restore('articles', 1, answer => false);
SELECT string_agg(id || ' ' || source, ', ' ORDER BY id) FROM articles;
--= 3
--= 1 articles, 2 articles, 3 articles, 4 articles

-- and the next run has the next number
SET client_min_messages = error;
CALL neardup.cleanup('articles', dry_run => false);
--= 2|3

-- a new version of a profile
SELECT neardup.create_profile('owned') > (SELECT min(version) FROM neardup.profile_versions);
--= t

\c postgres
\! psql -Xq -d postgres -c 'DROP DATABASE dump_owned WITH (FORCE)' -c 'DROP DATABASE dump_again WITH (FORCE)' -c 'DROP ROLE dump_owner' -c 'DROP ROLE dump_cleaner'
