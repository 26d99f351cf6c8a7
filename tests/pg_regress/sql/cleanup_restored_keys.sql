-- What a restore must not lose where removed rows lack the primary key that the table has by now: they are compared with what the INSERT stored for them.
\set SHOW_CONTEXT never
CREATE FUNCTION body(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'Bicycle for sale, hardly used, with a basket, two lamps and a lock; can be collected at any time after six in the evening' || repeat('!', n) $$;
CREATE TABLE posts (id int PRIMARY KEY, created date, body text);
INSERT INTO posts SELECT n, '2020-01-01'::date + n, body(n) FROM generate_series(1, 4) n;
SELECT neardup.protect('posts', 'body');
CALL neardup.cleanup('posts', dry_run => false);
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id <> 4 THEN NEW.created := '2031-01-01'; END IF; RETURN NEW; END $$;
CREATE TRIGGER stamp BEFORE INSERT ON posts FOR EACH ROW EXECUTE FUNCTION stamp();

-- a deferrable key; another key, which the removed rows do not have, and then as NULL; no key
ALTER TABLE posts DROP CONSTRAINT posts_pkey, ADD PRIMARY KEY (id) DEFERRABLE INITIALLY DEFERRED;
CALL neardup.restore('posts', key => '2');
INSERT INTO posts VALUES (9, '2031-01-01', body(9));
SELECT neardup.protect('posts', 'body');
ALTER TABLE posts DROP CONSTRAINT posts_pkey, ADD COLUMN number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
CALL neardup.restore('posts', key => '2');
SELECT neardup.keep_removed('posts');
CALL neardup.restore('posts', key => '2');
SET client_min_messages = warning;
SELECT neardup.unprotect('posts');
RESET client_min_messages;
ALTER TABLE posts DROP CONSTRAINT posts_pkey;
-- row 4, which the trigger leaves as it was, comes back
CALL neardup.restore('posts', 1);
SELECT id, created FROM posts ORDER BY id;
SELECT id, created FROM posts_removed ORDER BY id;

-- a trigger that changes rows once they are there, or deletes them: they are not found
CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE posts SET created = '2032-01-01' WHERE id = NEW.id AND id = 2;
    DELETE FROM posts WHERE id = NEW.id AND id = 3;
    RETURN NULL;
END $$;
DROP TRIGGER stamp ON posts;
CREATE TRIGGER later AFTER INSERT ON posts FOR EACH ROW EXECUTE FUNCTION later();
CALL neardup.restore('posts', 1);
SELECT id, created FROM posts_removed ORDER BY id;
DROP TRIGGER later ON posts;
CALL neardup.restore('posts', 1);
SELECT id, created FROM posts ORDER BY id;
DROP TABLE posts, posts_removed;
DROP FUNCTION stamp(), later();

-- partitions
CREATE TABLE parted (id int, region text, note text, body text, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
CREATE TABLE parted_north PARTITION OF parted FOR VALUES IN ('north');
CREATE TABLE parted_south PARTITION OF parted FOR VALUES IN ('south');
INSERT INTO parted SELECT n, CASE n % 2 WHEN 0 THEN 'north' ELSE 'south' END, 'note ' || n, body(n) FROM generate_series(1, 6) n;
SELECT neardup.protect('parted', 'body');
CALL neardup.cleanup('parted', dry_run => false);
ALTER TABLE parted DROP CONSTRAINT parted_pkey;
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := 'noted'; RETURN NEW; END $$;
CREATE TRIGGER noted BEFORE INSERT ON parted_north FOR EACH ROW EXECUTE FUNCTION noted();
SET client_min_messages = warning;
SELECT neardup.unprotect('parted');
RESET client_min_messages;
CALL neardup.restore('parted', 1);
SELECT id, region, note FROM parted ORDER BY id;
SELECT id, region, note FROM parted_removed ORDER BY id;
DROP TABLE parted, parted_removed;
DROP FUNCTION noted(), body(int);
