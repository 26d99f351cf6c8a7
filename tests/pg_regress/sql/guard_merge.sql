-- on_duplicate => 'merge': a near-duplicate is merged into the row that is there, by a function of the user's
CREATE TABLE articles (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, url text UNIQUE, sources text[], seen int NOT NULL DEFAULT 1,
    first_seen int, last_seen int, body text, length int GENERATED ALWAYS AS (length(body)) STORED
);
CREATE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$
BEGIN
    existing.seen := existing.seen + new.seen;
    existing.last_seen := greatest(existing.last_seen, new.last_seen);
    existing.sources := ARRAY(SELECT DISTINCT s FROM unnest(existing.sources || new.sources) s ORDER BY s);
    IF length(new.body) > length(existing.body) THEN
        existing.body := new.body;
    END IF;
    RETURN existing;
END $$;
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => 'merged');
SELECT on_duplicate, merge FROM neardup.protected;

INSERT INTO articles (url, sources, first_seen, last_seen, body) VALUES
    ('a', '{wire}', 1, 1, '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心。'),
    ('b', '{wire}', 1, 1, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。');
INSERT INTO articles (url, sources, first_seen, last_seen, body)
VALUES ('c', '{blog}', 2, 2, '【快讯】清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心！（转）') RETURNING id;
SELECT id, url, sources, seen, first_seen, last_seen, length, left(body, 4) AS body FROM articles ORDER BY id;
-- the merged text is the one that the next row is compared with; the row keeps its place among the others
INSERT INTO articles (url, sources, last_seen, body) SELECT 'd', '{daily}', 3, body FROM articles WHERE id = 1;
-- several repeats in one statement, of a row that is there and of a row of the same statement: each sees what the one before has left
INSERT INTO articles (url, sources, last_seen, body)
SELECT 'e' || n, ARRAY['s' || n % 3], 10 + n, CASE n % 2 WHEN 0 THEN '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' || repeat('！', n)
                                                          ELSE '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车' || repeat('。', n) END
FROM generate_series(1, 10) n;
SELECT id, url, sources, seen, last_seen, length, left(body, 4) AS body FROM articles ORDER BY id;
COPY articles (url, last_seen, body) FROM stdin;
k	30	望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车。
l	31	白河体育馆的屋顶换成了光伏板，装机四百千瓦，白天够全馆用电，多余的送进电网。
m	32	白河体育馆的屋顶换成了光伏板，装机四百千瓦，白天够全馆用电，多余的送进电网！
\.
SELECT url, seen, last_seen FROM articles ORDER BY url;
-- counted, and logged if wanted
SELECT document, action, count FROM neardup.counters;
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => 'merged', log => true);
INSERT INTO articles (url, body) SELECT 'n', body FROM articles WHERE url = 'b';
SELECT action, duplicate_of, measure FROM neardup.verdicts WHERE target = 'articles'::regclass;
DELETE FROM neardup.verdicts WHERE target = 'articles'::regclass;
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => 'merged', reset => '{all}');

-- an UPDATE that makes a row a copy is refused: there would be two rows to merge
\set SHOW_CONTEXT never
UPDATE articles SET body = (SELECT body FROM articles WHERE url = 'a') WHERE url = 'b';
UPDATE articles SET body = body || '（完）' WHERE url = 'b';
-- an UPDATE of an ON CONFLICT is one, and a row with a unique key of another is not its copy
INSERT INTO articles (url, body) SELECT 'a', body FROM articles WHERE url = 'a';
INSERT INTO articles (url, last_seen, body) SELECT 'a', 40, body FROM articles WHERE url = 'a' ON CONFLICT (url) DO UPDATE SET last_seen = excluded.last_seen;
INSERT INTO articles (url, last_seen, body) SELECT 'o', 41, body FROM articles WHERE url = 'a' ON CONFLICT DO NOTHING;
SELECT url, seen, last_seen FROM articles WHERE url = 'a';
-- what one statement has merged into, it does not update: Postgres's own rule
INSERT INTO articles (url, last_seen, body)
SELECT v.url, 50, a.body FROM articles a, (VALUES (1, 'p'), (2, 'a')) v(n, url) WHERE a.url = 'a' ORDER BY v.n
ON CONFLICT (url) DO UPDATE SET last_seen = excluded.last_seen;
MERGE INTO articles a USING (SELECT v.url, b.body FROM articles b, (VALUES (1, 'q'), (2, 'a')) v(n, url) WHERE b.url = 'a' ORDER BY v.n) v ON a.url = v.url
WHEN MATCHED THEN UPDATE SET last_seen = 60 WHEN NOT MATCHED THEN INSERT (url, body) VALUES (v.url, v.body);

-- NULL keeps the row as it is, and so does an equal row: no trigger of an UPDATE fires
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% % of %', TG_WHEN, TG_OP, NEW.url; RETURN NEW; END $$;
CREATE TRIGGER before_note BEFORE UPDATE ON articles FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER after_note AFTER UPDATE ON articles FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER body_note BEFORE UPDATE OF body ON articles FOR EACH ROW EXECUTE FUNCTION note();
INSERT INTO articles (url, body) SELECT 'r', body FROM articles WHERE url = 'a';
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE sql RETURN NULL::articles;
INSERT INTO articles (url, body) SELECT 'r', body FROM articles WHERE url = 'a';
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE sql RETURN existing;
INSERT INTO articles (url, body) SELECT 'r', body FROM articles WHERE url = 'a';
-- the new row in place of the one that is there, which keeps its key
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE sql RETURN new;
INSERT INTO articles (url, body) SELECT 'r', body FROM articles WHERE url = 'a';
SELECT id, url, seen, length FROM articles WHERE id = 1;
DROP TRIGGER before_note ON articles;
DROP TRIGGER after_note ON articles;
DROP TRIGGER body_note ON articles;
-- unique keys and other constraints hold for the UPDATE
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$ BEGIN existing.url := 'b'; RETURN existing; END $$;
INSERT INTO articles (url, body) SELECT 's', body FROM articles WHERE url = 'r';
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$ BEGIN existing.seen := NULL; RETURN existing; END $$;
INSERT INTO articles (url, body) SELECT 's', body FROM articles WHERE url = 'r';
-- a merged text may be a copy of a third row: refused like any UPDATE
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$ BEGIN existing.body := (SELECT body FROM articles WHERE url = 'b') || '。'; RETURN existing; END $$;
INSERT INTO articles (url, body) SELECT 's', body FROM articles WHERE url = 'r';
-- the function's own errors keep their fields
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'ZZ001', HINT = 'Ask.', COLUMN = 'c'; END $$;
DO $$ BEGIN
    INSERT INTO articles (url, body) SELECT 's', body FROM articles WHERE url = 'r';
EXCEPTION WHEN SQLSTATE 'ZZ001' THEN RAISE NOTICE 'caught %', SQLSTATE;
END $$;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();

-- the function is held by its number: renamed with the guard, not dropped without it, and in the guard's definition by its name
ALTER FUNCTION merged(articles, articles) RENAME TO "My merge";
SELECT merge FROM neardup.protected;
SELECT regexp_replace(pg_get_triggerdef(oid), '''\{.*', '...') AS trigger FROM pg_trigger WHERE tgname = 'zz_neardup_body';
CREATE OR REPLACE FUNCTION "My merge"(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$ BEGIN existing.seen := existing.seen + 1; RETURN existing; END $$;
INSERT INTO articles (url, body) SELECT 's', body FROM articles WHERE url = 'r';
SELECT seen FROM articles WHERE url = 'r';
DROP FUNCTION "My merge"(articles, articles);
-- with it goes the whole guard, and unprotect has nothing left to do
BEGIN;
DROP FUNCTION "My merge"(articles, articles) CASCADE;
SELECT tgname FROM pg_trigger WHERE tgrelid = 'articles'::regclass;
INSERT INTO articles (url, body) SELECT 's', body FROM articles WHERE url = 'r';
ROLLBACK;
-- columns come and go
ALTER TABLE articles ADD COLUMN note text DEFAULT 'none', DROP COLUMN first_seen;
INSERT INTO articles (url, body, note) SELECT 's', body, 'x' FROM articles WHERE url = 'r';
CREATE OR REPLACE FUNCTION "My merge"(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$ BEGIN existing.seen := existing.seen + 1; existing.note := new.note; RETURN existing; END $$;
INSERT INTO articles (url, body, note) SELECT 's', body, 'x' FROM articles WHERE url = 'r';
SELECT seen, note FROM articles WHERE url = 'r';

-- what is no such function
CREATE FUNCTION one_row(articles) RETURNS articles LANGUAGE sql RETURN $1;
CREATE FUNCTION no_row(articles, articles) RETURNS text LANGUAGE sql RETURN '';
CREATE FUNCTION rows(articles, articles) RETURNS SETOF articles LANGUAGE sql RETURN $1;
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => 'one_row');
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => 'no_row');
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => 'rows');
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => 'missing');
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => 0);
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', reset => '{merge}');
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip', merge => '"My merge"');
-- one of several of a name
CREATE FUNCTION "My merge"(articles) RETURNS articles LANGUAGE sql RETURN $1;
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => '"My merge"');
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => '"My merge"(articles, articles)'::regprocedure);
-- a guard made by hand
CREATE TRIGGER hand BEFORE INSERT OR UPDATE OF url ON articles FOR EACH ROW EXECUTE FUNCTION neardup.guard('{"keys":8,"on_duplicate":"merge","analyzer":"shingles:5"}');
INSERT INTO articles (url, body) VALUES ('t', 'x');
DROP TRIGGER hand ON articles;
CREATE TRIGGER hand BEFORE INSERT OR UPDATE OF url ON articles FOR EACH ROW WHEN (neardup_internal.merges_by('no_row'::regproc)) EXECUTE FUNCTION neardup.guard('{"keys":8,"on_duplicate":"merge","analyzer":"shingles:5"}');
INSERT INTO articles (url, body) VALUES ('t', 'x');
DROP TABLE articles CASCADE;

-- rights: the writer reads and updates the row, by the rules for him
CREATE ROLE regress_merger;
CREATE TABLE posts (id int PRIMARY KEY, author text, seen int DEFAULT 1, who text, body text);
CREATE FUNCTION merged(existing posts, new posts) RETURNS posts LANGUAGE plpgsql AS $$ BEGIN existing.seen := existing.seen + 1; existing.who := current_user; RETURN existing; END $$;
SELECT neardup.protect('posts', 'body', on_duplicate => 'merge', merge => 'merged');
INSERT INTO posts VALUES (1, 'a', 1, '', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
GRANT INSERT ON posts TO regress_merger;
SET ROLE regress_merger;
INSERT INTO posts (id, body) VALUES (2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
RESET ROLE;
GRANT SELECT ON posts TO regress_merger;
SET ROLE regress_merger;
INSERT INTO posts (id, body) VALUES (2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
RESET ROLE;
GRANT UPDATE (seen) ON posts TO regress_merger;
SET ROLE regress_merger;
INSERT INTO posts (id, body) VALUES (2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
RESET ROLE;
GRANT UPDATE (seen, who) ON posts TO regress_merger;
REVOKE EXECUTE ON FUNCTION merged(posts, posts) FROM public;
SET ROLE regress_merger;
INSERT INTO posts (id, body) VALUES (2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
RESET ROLE;
GRANT EXECUTE ON FUNCTION merged(posts, posts) TO public;
SET ROLE regress_merger;
INSERT INTO posts (id, body) VALUES (2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
RESET ROLE;
SELECT seen, who FROM posts;
ALTER TABLE posts ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_in ON posts FOR INSERT WITH CHECK (true);
SET ROLE regress_merger;
INSERT INTO posts (id, author, body) VALUES (3, 'b', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
BEGIN ISOLATION LEVEL REPEATABLE READ;
INSERT INTO posts (id, author, body) VALUES (3, 'b', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
ROLLBACK;
RESET ROLE;
CREATE POLICY own ON posts USING (author = 'a') WITH CHECK (seen < 4);
SET ROLE regress_merger;
INSERT INTO posts (id, author, body) VALUES (3, 'a', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
INSERT INTO posts (id, author, body) VALUES (3, 'a', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！');
RESET ROLE;
SELECT seen FROM posts;
DROP TABLE posts CASCADE;
DROP ROLE regress_merger;

-- partitions with columns in another order, and a key of two columns; what refers to a row goes on doing so
CREATE TABLE news (id int, day date, seen int DEFAULT 1, kind text COLLATE "C", body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE news_1 PARTITION OF news FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CREATE TABLE news_2 (body text, gone int, kind text COLLATE "C", day date NOT NULL, seen int DEFAULT 1, id int NOT NULL, PRIMARY KEY (id, day));
ALTER TABLE news_2 DROP COLUMN gone;
ALTER TABLE news ATTACH PARTITION news_2 FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
CREATE TABLE readers (id int, day date, FOREIGN KEY (id, day) REFERENCES news);
CREATE FUNCTION merged(existing news, new news) RETURNS news LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE 'existing %, new %', existing, new;
    new.seen := existing.seen + new.seen;
    RETURN new;
END $$;
SELECT neardup.protect('news', 'body', on_duplicate => 'merge', merge => 'merged', scope => '{kind}');
INSERT INTO news VALUES (1, '2031-02-05', 1, 'x', '东湖公园今起免费开放，园内新增步道四公里。');
INSERT INTO readers VALUES (1, '2031-02-05');
INSERT INTO news VALUES (2, '2031-01-05', 1, 'x', '东湖公园今起免费开放，园内新增步道四公里！');
INSERT INTO news_2 (id, day, kind, body) VALUES (3, '2031-02-06', 'x', '东湖公园今起免费开放，园内新增步道四公里。');
INSERT INTO news VALUES (4, '2031-02-05', 1, 'y', '东湖公园今起免费开放，园内新增步道四公里。');
SELECT tableoid::regclass, * FROM news ORDER BY id;
-- rows that an UPDATE moves are not merged, nor lost
UPDATE news SET day = '2031-01-07' WHERE id = 4;
UPDATE news SET kind = 'x', day = '2031-02-07' WHERE id = 4;
SELECT tableoid::regclass, id, day, kind FROM news ORDER BY id;
CREATE FUNCTION merged_1(news_1, news_1) RETURNS news_1 LANGUAGE sql RETURN $1;
SELECT neardup.protect('news_1', 'body', on_duplicate => 'merge', merge => 'merged_1');
DROP TABLE news, readers CASCADE;

-- the function may write elsewhere, and deferred triggers are queued; a temporary table of the writer's is his own affair
CREATE TABLE texts (id int PRIMARY KEY, seen int DEFAULT 1, body text);
CREATE TABLE sources (text int REFERENCES texts DEFERRABLE INITIALLY DEFERRED, name text);
CREATE FUNCTION merged(existing texts, new texts) RETURNS texts LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO sources VALUES (existing.id, 'of ' || new.id);
    existing.seen := existing.seen + 1;
    RETURN existing;
END $$;
SELECT neardup.protect('texts', 'body', on_duplicate => 'merge', merge => 'merged');
INSERT INTO texts SELECT n, 1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。' FROM generate_series(1, 3) n;
SELECT id, seen, (SELECT array_agg(name ORDER BY name) FROM sources WHERE text = id) AS sources FROM texts;
-- a function that deletes the row that it shall change, and a trigger that keeps it as it is
BEGIN;
CREATE OR REPLACE FUNCTION merged(existing texts, new texts) RETURNS texts LANGUAGE plpgsql AS $$
BEGIN DELETE FROM sources; DELETE FROM texts WHERE id = existing.id; existing.seen := 0; RETURN existing; END $$;
INSERT INTO texts SELECT 4, 1, body FROM texts;
ROLLBACK;
BEGIN;
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER keep BEFORE UPDATE ON texts FOR EACH ROW EXECUTE FUNCTION keep();
INSERT INTO texts SELECT 4, 1, body FROM texts;
SELECT id, seen FROM texts;
ROLLBACK;
-- savepoints
BEGIN;
SAVEPOINT s;
INSERT INTO texts SELECT 4, 1, body FROM texts;
ROLLBACK TO s;
SELECT seen FROM texts;
INSERT INTO texts SELECT 5, 1, body FROM texts;
COMMIT;
SELECT seen FROM texts;
-- SERIALIZABLE
BEGIN ISOLATION LEVEL SERIALIZABLE;
INSERT INTO texts SELECT 6, 1, body FROM texts;
INSERT INTO texts SELECT 7, 1, body FROM texts;
COMMIT;
SELECT seen FROM texts;
-- two guards: the one that merges leaves the row out
ALTER TABLE texts ADD COLUMN abstract text;
SELECT neardup.protect('texts', 'abstract', on_duplicate => 'warn');
INSERT INTO texts SELECT 8, 1, body, 'Short is the abstract of a text on the park by the lake.' FROM texts;
SELECT id, seen, abstract FROM texts;
-- other methods
SELECT neardup.unprotect('texts', 'abstract');
SELECT neardup.protect('texts', 'body', method => 'simhash', on_duplicate => 'merge', merge => 'merged');
INSERT INTO texts SELECT 9, 1, body || '。' FROM texts;
SELECT neardup.unprotect('texts');
DROP TABLE texts, sources CASCADE;

-- a function that deletes the row that is there would lose the new one, too, whatever it returns; one that has updated it itself loses nothing
CREATE TABLE lone (id int PRIMARY KEY, seen int DEFAULT 1, body text);
CREATE FUNCTION lone_merged(existing lone, new lone) RETURNS lone LANGUAGE plpgsql AS $$
BEGIN
    IF new.id = 4 THEN
        UPDATE lone SET seen = 10 WHERE id = existing.id;
        RETURN NULL;
    END IF;
    DELETE FROM lone WHERE id = existing.id;
    RETURN CASE new.id WHEN 2 THEN existing END;
END $$;
SELECT neardup.protect('lone', 'body', on_duplicate => 'merge', merge => 'lone_merged');
INSERT INTO lone (id, body) VALUES (1, 'The ferry to the northern islands runs twice a day from the first of May until the end of September.');
INSERT INTO lone (id, body) SELECT 2, body FROM lone WHERE id = 1;
INSERT INTO lone (id, body) SELECT 3, body FROM lone WHERE id = 1;
INSERT INTO lone (id, body) SELECT 4, body FROM lone WHERE id = 1;
SELECT id, seen FROM lone;
DROP TABLE lone CASCADE;
-- a trigger that leaves the original as it was: what the new row has would be lost
CREATE TABLE counted (id int PRIMARY KEY, body text, seen int DEFAULT 1);
CREATE FUNCTION add_seen(existing counted, new counted) RETURNS counted LANGUAGE plpgsql AS $$ BEGIN existing.seen := existing.seen + new.seen; RETURN existing; END $$;
CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
SELECT neardup.protect('counted', 'body', on_duplicate => 'merge', merge => 'add_seen');
INSERT INTO counted VALUES (1, 'The winter market of Stonebridge opens today with more than two hundred stalls along the river.');
CREATE TRIGGER leave BEFORE UPDATE ON counted FOR EACH ROW EXECUTE FUNCTION leave();
INSERT INTO counted VALUES (2, 'The winter market of Stonebridge opens today with more than two hundred stalls along the river.');
DROP TRIGGER leave ON counted;
INSERT INTO counted VALUES (2, 'The winter market of Stonebridge opens today with more than two hundred stalls along the river.');
SELECT * FROM counted;
DROP TABLE counted CASCADE;
DROP FUNCTION leave();
