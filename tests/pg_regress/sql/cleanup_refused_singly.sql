-- rows that go or come back, or do not, by errors of all kinds: those that may be about one row leave that row where it is, and the others end the call
\set SHOW_CONTEXT never
CREATE TABLE posts (id int PRIMARY KEY, body text, big text);
INSERT INTO posts SELECT i, 'East Lake Park opens to the public free of charge from today, with four kilometres of new paths, three viewing platforms and a library for children.',
    CASE i WHEN 35 THEN (SELECT string_agg(md5(g::text), '') FROM generate_series(1, 200) g) ELSE i::text END FROM generate_series(1, 40) i;
SET client_min_messages = warning;
SELECT neardup.protect('posts', 'body');
RESET client_min_messages;
CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(NEW.id, OLD.id) = 25 THEN
        RAISE EXCEPTION 'not this one' USING ERRCODE = current_setting('test.state');
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER fails BEFORE INSERT OR DELETE ON posts FOR EACH ROW EXECUTE FUNCTION fails();

-- a clean-up
SET test.state = '22023';
CALL neardup.cleanup('posts', dry_run => false, batch => 10);
SELECT array_agg(id ORDER BY id) FROM posts;
SELECT key, duplicate_of, reason FROM neardup.skipped WHERE target = 'posts'::regclass;
SET test.state = 'P0002';
CALL neardup.cleanup('posts', dry_run => false);
-- errors that are not about a row: deadlocks, locks, resources, names, rights, features, bugs
DO $$
DECLARE
    state text;
BEGIN
    FOREACH state IN ARRAY '{08006,0A000,25006,40001,40P01,42501,42703,53200,55P03,57014,58030,XX000,54011,54000,22012,27000,38000,P0003}'::text[] LOOP
        RAISE NOTICE '% %', state, neardup_internal.may_be_about_rows(state);
    END LOOP;
END $$;
SET test.state = '40P01';
CALL neardup.cleanup('posts', dry_run => false);
SET test.state = '42703';
CALL neardup.cleanup('posts', dry_run => false);
SET test.state = '57014';
CALL neardup.cleanup('posts', dry_run => false);
SELECT array_agg(id ORDER BY id) FROM posts;
ALTER TABLE posts DISABLE TRIGGER fails;
CALL neardup.cleanup('posts', dry_run => false);
ALTER TABLE posts ENABLE TRIGGER fails;

-- a restore: an index that does not take a value, and a trigger
CREATE INDEX posts_big ON posts (big);
SET test.state = '22023';
CALL neardup.restore('posts', 1, answer => false);
SELECT count(*) FROM posts;
SELECT id FROM posts_removed ORDER BY id;
SET test.state = '40001';
SELECT max(neardup_run) AS run FROM posts_removed \gset
CALL neardup.restore('posts', :run, answer => false);
SET test.state = '57014';
CALL neardup.restore('posts', :run, answer => false);
SELECT id FROM posts_removed ORDER BY id;
DROP INDEX posts_big;
DROP TRIGGER fails ON posts;
CALL neardup.restore('posts', 1, answer => false);
CALL neardup.restore('posts', :run, answer => false);
SELECT count(*) FROM posts;
SELECT count(*) FROM posts_removed;

-- a function that merges: the group stays
DROP TABLE posts, posts_removed;
CREATE TABLE posts (id int PRIMARY KEY, body text, n int);
CREATE FUNCTION divided(existing posts, new posts) RETURNS posts LANGUAGE plpgsql AS $$ BEGIN existing.n := new.n / existing.n; RETURN existing; END $$;
INSERT INTO posts SELECT g * 2 + i, 'Bicycle ' || repeat(chr(96 + g), 6) || ' for sale, hardly used, with a basket, two lamps and a lock; the ' || repeat(chr(106 + g), 7) || ' can be collected after six' || repeat('!', i), g - 2
FROM generate_series(1, 3) g, generate_series(0, 1) i;
SET client_min_messages = warning;
SELECT neardup.protect('posts', 'body');
RESET client_min_messages;
CALL neardup.cleanup('posts', action => 'merge', merge => 'divided', dry_run => false);
SELECT id, n FROM posts ORDER BY id;
DROP TABLE posts, posts_removed CASCADE;
