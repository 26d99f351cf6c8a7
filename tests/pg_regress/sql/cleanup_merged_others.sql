-- merges and restores where the kept row is changed by others, or is another one by now, or where rows are hidden
\set SHOW_CONTEXT never
\set market '''East Lake Park opens to the public free of charge from today, with four kilometres of new paths, three viewing platforms and a library for children.'''
\set tunnel '''The West Hill tunnel was bored through two months early; traffic should start next spring, and the drive between the two towns then takes forty minutes.'''
CREATE TABLE posts (id int PRIMARY KEY, tenant text, body text, n int NOT NULL DEFAULT 1);
CREATE FUNCTION merged(existing posts, new posts) RETURNS posts LANGUAGE plpgsql AS $$ BEGIN existing.n := existing.n + new.n; RETURN existing; END $$;
CREATE FUNCTION again(text) RETURNS void LANGUAGE sql AS $$
    TRUNCATE posts, posts_removed, posts_answers;
    SELECT neardup.let_through('posts', false);
    INSERT INTO posts (id, tenant, body) SELECT i, CASE i WHEN 3 THEN 'b' ELSE 'a' END, $1 FROM generate_series(1, 3) i;
$$;
SET client_min_messages = warning;
SELECT neardup.protect('posts', 'body');
SELECT neardup.keep_removed('posts'), neardup.keep_answers('posts');
RESET client_min_messages;

-- a trigger on DELETE counts in the kept row: the group stays, because the UPDATE would overwrite that
SELECT again(:market);
CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE posts SET n = n + 100 WHERE id = 1; RETURN NULL; END $$;
CREATE TRIGGER counted AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION counted();
CALL neardup.cleanup('posts', action => 'merge', merge => 'merged', dry_run => false);
SELECT id, n FROM posts ORDER BY id;
SELECT count(*) FROM posts_removed;
-- the same of the function
DROP TRIGGER counted ON posts;
CREATE FUNCTION writes(existing posts, new posts) RETURNS posts LANGUAGE plpgsql AS $$ BEGIN UPDATE posts SET n = n + 100 WHERE id = existing.id; existing.n := existing.n + new.n; RETURN existing; END $$;
CALL neardup.cleanup('posts', action => 'merge', merge => 'writes', dry_run => false);
SELECT id, n FROM posts ORDER BY id;
-- where the merge changes nothing, what a trigger does to the kept row stays
CREATE FUNCTION unchanged(existing posts, new posts) RETURNS posts LANGUAGE sql RETURN existing;
CREATE TRIGGER counted AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION counted();
CALL neardup.cleanup('posts', action => 'merge', merge => 'unchanged', dry_run => false);
SELECT id, n FROM posts ORDER BY id;
DROP TRIGGER counted ON posts;

-- another row has the key of the kept row by now, with the value that the merge had given it
SELECT again(:market);
CALL neardup.cleanup('posts', action => 'merge', merge => 'merged', dry_run => false);
SELECT max(neardup_run) AS run FROM posts_removed \gset
SELECT neardup_measure, neardup_key, split_part(neardup_verdict, ': ', 1) AS form, n FROM posts_removed WHERE neardup_measure LIKE '% merge' ORDER BY neardup_measure DESC;
DELETE FROM posts WHERE id = 1;
INSERT INTO posts (id, body, n) VALUES (1, :tunnel, 3);
CALL neardup.restore('posts', :run, answer => false);
SELECT id, left(body, 9) AS body, n FROM posts ORDER BY id;
CALL neardup.restore('posts', key => '1');
-- with the text of before, it is put back
BEGIN;
SELECT neardup.let_through('posts', false);
UPDATE posts SET body = :market WHERE id = 1;
COMMIT;
CALL neardup.restore('posts', key => '1');
SELECT id, left(body, 9) AS body, n FROM posts ORDER BY id;
SELECT count(*) FROM posts_removed;

-- a merge that changes the text: as it was and as it became are both known
CREATE FUNCTION signed(existing posts, new posts) RETURNS posts LANGUAGE plpgsql AS $$ BEGIN existing.n := existing.n + 1; existing.body := existing.body || '!'; RETURN existing; END $$;
SELECT again(:market);
CALL neardup.cleanup('posts', action => 'merge', merge => 'signed', dry_run => false);
SELECT max(neardup_run) AS run FROM posts_removed \gset
SELECT id, right(body, 10) AS body, n FROM posts ORDER BY id;
CALL neardup.restore('posts', :run, answer => false);
SELECT id, right(body, 10) AS body, n FROM posts ORDER BY id;
SELECT count(*) FROM posts_removed;

-- a guard that reads the text in another way by now, or none, knows nothing of the text: the values of the columns decide
SELECT again(:market);
CALL neardup.cleanup('posts', action => 'merge', merge => 'merged', dry_run => false);
SELECT max(neardup_run) AS run FROM posts_removed \gset
SELECT neardup.protect('posts', 'body', columns => '{body,tenant}');
CALL neardup.restore('posts', :run, answer => false);
SELECT id, n FROM posts ORDER BY id;
SELECT neardup.protect('posts', 'body', reset => '{columns}');
SELECT again(:market);
CALL neardup.cleanup('posts', action => 'merge', merge => 'merged', dry_run => false);
SELECT max(neardup_run) AS run FROM posts_removed \gset
SELECT neardup.unprotect('posts');
CALL neardup.restore('posts', :run, answer => false);
SELECT id, n FROM posts ORDER BY id;
SET client_min_messages = warning;
SELECT neardup.protect('posts', 'body');
RESET client_min_messages;

-- a document that a function forms
CREATE FUNCTION form(p posts) RETURNS text LANGUAGE sql IMMUTABLE RETURN p.body;
SELECT neardup.protect('posts', 'body', expression => 'form');
SELECT again(:market);
CALL neardup.cleanup('posts', action => 'merge', merge => 'merged', dry_run => false);
SELECT max(neardup_run) AS run FROM posts_removed \gset
DELETE FROM posts WHERE id = 1;
INSERT INTO posts (id, body, n) VALUES (1, :tunnel, 3);
CALL neardup.restore('posts', :run, answer => false);
SELECT id, left(body, 9) AS body, n FROM posts ORDER BY id;
SELECT neardup_verdict LIKE 'public.form: %' AS form FROM posts_removed;
SELECT neardup.protect('posts', 'body', reset => '{expression}');

-- row security of the removed rows hides one that was merged: what is seen does not say that all have come back
CREATE ROLE regress_merged;
GRANT ALL ON SCHEMA public TO regress_merged;
ALTER TABLE posts OWNER TO regress_merged;
ALTER TABLE posts_removed OWNER TO regress_merged;
ALTER TABLE posts_answers OWNER TO regress_merged;
SET ROLE regress_merged;
SELECT again(:market);
CALL neardup.cleanup('posts', action => 'merge', merge => 'merged', dry_run => false);
SELECT max(neardup_run) AS run FROM posts_removed \gset
ALTER TABLE posts_removed ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON posts_removed USING (tenant IS DISTINCT FROM 'b');
CALL neardup.restore('posts', :run, answer => false);
SELECT id, n FROM posts ORDER BY id;
CALL neardup.restore('posts', key => '1');
-- and where it hides the records
ALTER POLICY own ON posts_removed USING (tenant = 'b');
CALL neardup.restore('posts', :run, answer => false);
SELECT id, n FROM posts ORDER BY id;
ALTER TABLE posts_removed NO FORCE ROW LEVEL SECURITY;
CALL neardup.restore('posts', :run, answer => false);
SELECT id, n FROM posts ORDER BY id;
SELECT count(*) FROM posts_removed;
RESET ROLE;
DROP TABLE posts, posts_removed, posts_answers CASCADE;
DROP OWNED BY regress_merged;
DROP ROLE regress_merged;
