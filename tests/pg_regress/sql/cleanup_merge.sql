-- action => 'merge': rows that are removed are merged into the row that is kept, by a function of the user's
\set SHOW_CONTEXT never
\set last_run 'SELECT max(neardup_run) AS run FROM articles_removed \\gset'
CREATE TABLE articles (
    id int PRIMARY KEY, url text UNIQUE, sources text[], seen int NOT NULL DEFAULT 1 CHECK (seen < 100), at timestamptz DEFAULT '2031-03-01 08:00+00',
    day date, body text, length int GENERATED ALWAYS AS (length(body)) STORED, number bigint GENERATED ALWAYS AS IDENTITY, gone int
);
ALTER TABLE articles DROP COLUMN gone;
INSERT INTO articles (id, url, sources, body) VALUES
    (1, 'a', '{wire}', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'),
    (2, 'b', '{blog}', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！！'),
    (3, 'c', '{daily}', '【快讯】江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'),
    (4, NULL, '{wire}', 'The harbour bridge will close for repairs from Monday until the end of the month, the city said.'),
    (5, 'e', '{blog}', 'The harbour bridge will close for repairs from Monday until the end of the month, the city said'),
    (6, 'f', NULL, '完全不同的一条消息：西山隧道提前两个月贯通，预计明年春天通车，届时两地车程缩短到四十分钟。'),
    (7, 'g', NULL, NULL);
CREATE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE 'merged(%, %), % so far', existing.id, new.id, existing.sources;
    existing.seen := existing.seen + new.seen;
    existing.sources := ARRAY(SELECT DISTINCT s FROM unnest(existing.sources || new.sources) s ORDER BY s);
    existing.url := coalesce(existing.url, new.url);
    existing.day := new.at::date;
    IF length(new.body) > length(existing.body) THEN
        existing.body := new.body;
    END IF;
    existing.id := new.id;
    existing.number := 0;
    RETURN existing;
END $$;
SELECT neardup.protect('articles', 'body');
CREATE TEMPORARY TABLE before AS TABLE articles;

-- a dry run calls nothing
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged');
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged(articles, articles)'::regprocedure, max_rows => 1);
-- a group is merged whole, whatever the size of a batch; unique values may be taken over; the function has the settings of its caller
SET timezone = 'Pacific/Kiritimati'; SET datestyle = 'German';
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false, batch => 1);
RESET timezone; RESET datestyle;
SELECT id, url, sources, seen, day, left(body, 4) AS body, length, number FROM articles ORDER BY id;
SELECT action, found, removed, skipped FROM neardup.runs;
SELECT neardup_batch, neardup_key, neardup_duplicate_of, neardup_measure, id, url, sources, seen, day, left(body, 4) AS body FROM articles_removed ORDER BY 1, 2, 4;
-- and back
CALL neardup.restore('articles', 1, answer => false);
SELECT count(*) AS lost FROM (TABLE before EXCEPT TABLE articles) d;
SELECT count(*) AS invented FROM (TABLE articles EXCEPT TABLE before) d;
SELECT count(*) FROM articles_removed;
SELECT removed, restored FROM neardup.runs;

-- in one batch; what is changed since stays as it is, and so does a row of which only some come back
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$
BEGIN
    existing.seen := existing.seen + new.seen;
    existing.url := coalesce(existing.url, new.url);
    RETURN existing;
END $$;
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false);
UPDATE articles SET seen = 9, day = '2031-01-01' WHERE id = 4;
UPDATE articles SET day = '2031-01-01' WHERE id = 1;
SELECT id, url, seen, day FROM articles ORDER BY id;
CALL neardup.restore('articles', key => '3', answer => false);
SELECT id, url, seen, day FROM articles ORDER BY id;
-- row 5 has lost its url to row 4
CALL neardup.restore('articles', 2, answer => false);
SELECT id, url, seen, day FROM articles ORDER BY id;
SELECT neardup_key, neardup_measure, url, seen FROM articles_removed ORDER BY 1, 2;
UPDATE articles SET url = NULL WHERE id = 4;
CALL neardup.restore('articles', 2, answer => false);
SELECT id, url, seen, day FROM articles WHERE id IN (4, 5) ORDER BY id;
DELETE FROM articles_removed;
-- run upon run
UPDATE articles SET seen = 1;
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false, until => '4', time_column => 'id');
SELECT neardup.protect('articles', 'body', on_duplicate => 'mark');
INSERT INTO articles (id, body) SELECT 8, body || '！' FROM articles WHERE id = 1;
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false);
SELECT id, url, seen FROM articles ORDER BY id;
CALL neardup.restore('articles', 4, answer => false);
SELECT id, url, seen FROM articles ORDER BY id;
CALL neardup.restore('articles', 3, answer => false);
SELECT id, url, seen FROM articles ORDER BY id;
DELETE FROM articles WHERE id = 8;

-- what stays: rows that others refer to, rows that answers keep apart, groups whose merged row a constraint, a trigger or the guard refuses
SELECT neardup.protect('articles', 'body', reset => '{all}');
CREATE TABLE comments (article int REFERENCES articles ON DELETE CASCADE);
INSERT INTO comments VALUES (2);
SELECT neardup.answer('articles', '4', '5', false);
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged');
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false);
SELECT id, url, seen FROM articles ORDER BY id;
:last_run
CALL neardup.restore('articles', :run, answer => false);
SELECT neardup.withdraw('articles', since => '-infinity');
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$
BEGIN
    existing.seen := CASE existing.id WHEN 1 THEN 100 ELSE 50 END;
    RETURN existing;
END $$;
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false);
SELECT key, duplicate_of, reason FROM neardup.skipped WHERE run_id = (SELECT max(run_id) FROM neardup.runs) ORDER BY key;
SELECT id, url, seen FROM articles ORDER BY id;
:last_run
CALL neardup.restore('articles', :run, answer => false);
-- row 2, which is referred to, is a copy of the merged text
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$
BEGIN
    existing.body := new.body;
    RETURN existing;
END $$;
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false);
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
:last_run
CALL neardup.restore('articles', :run, answer => false);
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false);
:last_run
CALL neardup.restore('articles', :run, answer => false);
DROP TABLE comments;
CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN OLD.id = 3 THEN NULL ELSE OLD END; END $$;
CREATE TRIGGER stays BEFORE DELETE ON articles FOR EACH ROW EXECUTE FUNCTION stays();
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false);
SELECT id, url, seen, left(body, 4) AS body FROM articles ORDER BY id;
DROP TRIGGER stays ON articles;
:last_run
CALL neardup.restore('articles', :run, answer => false);
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM articles WHERE id = existing.id;
    RETURN CASE existing.id WHEN 1 THEN NULL ELSE new END;
END $$;
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false);
-- errors of the function that are not about single rows end the clean-up; batches before remain
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$
BEGIN
    IF existing.id = 4 THEN
        RAISE EXCEPTION 'no' USING ERRCODE = '55000', HINT = 'Ask.';
    END IF;
    RETURN NULL;
END $$;
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', dry_run => false, batch => 1);
SELECT id, url, seen, left(body, 4) AS body FROM articles ORDER BY id;
:last_run
CALL neardup.restore('articles', :run, answer => false);
SELECT count(*) AS lost FROM (SELECT id, body FROM before EXCEPT SELECT id, body FROM articles) d;

-- the function of the guard, unless another is named
CREATE OR REPLACE FUNCTION merged(existing articles, new articles) RETURNS articles LANGUAGE plpgsql AS $$ BEGIN existing.url := 'of the guard'; RETURN existing; END $$;
CREATE FUNCTION other(existing articles, new articles) RETURNS articles LANGUAGE sql RETURN new;
SELECT neardup.protect('articles', 'body', on_duplicate => 'merge', merge => 'merged');
CALL neardup.cleanup('articles', action => 'merge', dry_run => false, until => '4', time_column => 'id');
SELECT id, url FROM articles ORDER BY id;
-- the row that is kept has all from the last one, but the key and what Postgres fills in
CALL neardup.cleanup('articles', action => 'merge', merge => 'other', dry_run => false);
SELECT id, url, seen, length, number FROM articles ORDER BY id;
:last_run
CALL neardup.restore('articles', :run, answer => false);
:last_run
CALL neardup.restore('articles', :run, answer => false);

-- errors
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
CALL neardup.cleanup('articles', action => 'merge');
CALL neardup.cleanup('articles', action => 'merge', merge => 'missing');
CALL neardup.cleanup('articles', action => 'merge', merge => 0);
CALL neardup.cleanup('articles', action => 'merge', merge => 'lower', dry_run => false);
CALL neardup.cleanup('articles', action => 'merge', merge => 'stays');
CALL neardup.cleanup('articles', merge => 'merged');
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', against => 'before');
CREATE TABLE archive (id int PRIMARY KEY, body text);
CALL neardup.cleanup('articles', action => 'merge', merge => 'merged', against => 'archive');
CALL neardup.cleanup('articles', action => 'combine');
DROP TABLE archive;

-- partitions, keys of several columns, types without equality, a column that came later
CREATE TABLE stories (day date, id bigint, note json, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE stories_1 PARTITION OF stories FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CREATE TABLE stories_2 (note json, body text, day date NOT NULL, id bigint NOT NULL);
ALTER TABLE stories ATTACH PARTITION stories_2 FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
INSERT INTO stories SELECT '2031-01-20'::date + n, n, json_build_object('n', n), '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆' || repeat('！', n::int % 3) FROM generate_series(10, 15) n;
CREATE FUNCTION stories_merged(existing stories, new stories) RETURNS stories LANGUAGE plpgsql AS $$ BEGIN existing.note := json_build_object('of', existing.id, 'and', new.id); existing.day := new.day; RETURN existing; END $$;
SELECT neardup.protect('stories', 'body');
ALTER TABLE stories ADD COLUMN weight numeric DEFAULT 1.50;
CREATE TEMPORARY TABLE stories_before AS TABLE stories;
CALL neardup.cleanup('stories', action => 'merge', merge => 'stories_merged', dry_run => false, keep => 'newest', time_column => 'day');
SELECT tableoid::regclass AS part, id, day, note, weight FROM stories;
ALTER TABLE stories ADD COLUMN later int DEFAULT 3;
CALL neardup.restore('stories', 1, answer => false);
SELECT count(*) AS lost FROM (SELECT day, id, note::text, body, weight FROM stories_before EXCEPT SELECT day, id, note::text, body, weight FROM stories) d;
DROP TABLE stories, stories_removed CASCADE;

-- long texts, out of line
CREATE TABLE pages (id int PRIMARY KEY, body text, all_bodies text);
ALTER TABLE pages ALTER COLUMN body SET STORAGE external, ALTER COLUMN all_bodies SET STORAGE external;
INSERT INTO pages SELECT n, (SELECT string_agg(md5(i::text), ' ' ORDER BY i) FROM generate_series(1, 300) i) || repeat('!', n) FROM generate_series(1, 4) n;
CREATE FUNCTION pages_merged(existing pages, new pages) RETURNS pages LANGUAGE plpgsql AS $$
BEGIN
    existing.all_bodies := concat(existing.all_bodies, new.body);
    existing.body := new.body;
    RETURN existing;
END $$;
SELECT neardup.protect('pages', 'body');
CALL neardup.cleanup('pages', action => 'merge', merge => 'pages_merged', dry_run => false);
SELECT id, length(body), length(all_bodies), right(body, 4) FROM pages;
CALL neardup.restore('pages', 1, answer => false);
SELECT id, length(body), all_bodies FROM pages ORDER BY id;
-- a function that closes all cursors gets an error, as in a loop of PL/pgSQL, and its group stays
CREATE OR REPLACE FUNCTION pages_merged(existing pages, new pages) RETURNS pages LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'CLOSE ALL'; RETURN existing; END $$;
\set VERBOSITY sqlstate
CALL neardup.cleanup('pages', action => 'merge', merge => 'pages_merged', dry_run => false);
CALL neardup.cleanup('pages', dry_run => false);
\set VERBOSITY default
SELECT count(*) FROM pages;
DROP TABLE pages, pages_removed CASCADE;

-- rights: all as the caller, who must be allowed to call the function and to write what it changes, and to whom row security applies
CREATE ROLE regress_merger;
CREATE ROLE regress_keeper;
GRANT CREATE ON SCHEMA public TO regress_keeper;
SET ROLE regress_keeper;
CREATE TABLE posts (id int PRIMARY KEY, tenant text, seen int DEFAULT 1, who text, body text);
CREATE FUNCTION posts_merged(existing posts, new posts) RETURNS posts LANGUAGE plpgsql AS $$ BEGIN existing.seen := existing.seen + new.seen; existing.who := current_user; RETURN existing; END $$;
SELECT neardup.protect('posts', 'body', on_duplicate => 'warn');
SET client_min_messages = error;
INSERT INTO posts SELECT n, CASE WHEN n < 4 THEN 'a' ELSE 'b' END, 1, NULL, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖' || repeat('。', n) FROM generate_series(1, 6) n;
RESET client_min_messages;
REVOKE EXECUTE ON FUNCTION posts_merged(posts, posts) FROM public;
SELECT neardup.keep_removed('posts');
GRANT SELECT, DELETE, UPDATE (seen) ON posts TO regress_merger;
SET ROLE regress_merger;
CALL neardup.cleanup('posts', action => 'merge', merge => 'posts_merged');
CALL neardup.cleanup('posts', action => 'merge', merge => 'posts_merged', dry_run => false);
SET ROLE regress_keeper;
GRANT EXECUTE ON FUNCTION posts_merged(posts, posts) TO regress_merger;
SET ROLE regress_merger;
CALL neardup.cleanup('posts', action => 'merge', merge => 'posts_merged', dry_run => false);
SET ROLE regress_keeper;
GRANT UPDATE ON posts TO regress_merger;
ALTER TABLE posts ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON posts TO regress_merger USING (tenant = 'b');
SET ROLE regress_merger;
CALL neardup.cleanup('posts', action => 'merge', merge => 'posts_merged', dry_run => false);
SELECT count(*) FROM posts_removed;
CALL neardup.restore('posts', 1);
SET ROLE regress_keeper;
SELECT id, tenant, seen, who FROM posts ORDER BY id;
SELECT neardup_by, neardup_key, neardup_duplicate_of, neardup_measure, id, tenant, seen, who FROM posts_removed ORDER BY neardup_measure, id;
CALL neardup.restore('posts', 2, answer => false);
SELECT id, tenant, seen, who FROM posts ORDER BY id;
RESET ROLE;
DROP FUNCTION posts_merged(posts, posts), merged(articles, articles), other(articles, articles);
DROP TABLE posts, posts_removed, articles, articles_removed;
DROP OWNED BY regress_merger, regress_keeper;
DROP ROLE regress_merger, regress_keeper;
