-- Who may refer to a table makes the table that refers. A clean-up runs neither its policies nor its casts, and removes nothing that the key keeps.
SET client_min_messages = error;
CREATE ROLE regress_owner;
CREATE ROLE regress_stranger;
GRANT CREATE, USAGE ON SCHEMA public TO regress_owner, regress_stranger;
SET ROLE regress_owner;
CREATE TABLE posts (id int PRIMARY KEY, body text);
INSERT INTO posts SELECT n, 'Bicycle for sale, hardly used, with a basket, two lamps and a lock; can be collected at any time after six in the evening' || repeat('!', n) FROM generate_series(1, 4) n;
SELECT neardup.protect('posts', 'body');
GRANT REFERENCES ON posts TO regress_stranger;
SET ROLE regress_stranger;
CREATE FUNCTION sprung() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'regress_stranger' THEN
        RAISE WARNING 'a stranger''s code runs as %', current_user;
    END IF;
    RETURN true;
END $$;
CREATE TABLE policed (post int REFERENCES posts);
INSERT INTO policed VALUES (3);
ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON policed USING (sprung());
CREATE TYPE number AS (value int);
CREATE FUNCTION as_int(number) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM public.sprung(); RETURN $1.value; END';
CREATE CAST (number AS int) WITH FUNCTION as_int AS IMPLICIT;
CREATE TABLE casting (post number REFERENCES posts);
INSERT INTO casting VALUES (ROW(4));
-- Two casts lead from this type to a number; the key takes the one to int.
CREATE TYPE level AS ENUM ('1', '7');
CREATE FUNCTION as_bigint(level) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM public.sprung(); RETURN 7; END';
CREATE CAST (level AS int) WITH INOUT AS IMPLICIT;
CREATE CAST (level AS bigint) WITH FUNCTION as_bigint AS IMPLICIT;
CREATE TABLE levels (post level REFERENCES posts);
INSERT INTO levels VALUES ('1');
-- Of an index on an expression, a plan runs functions of constants.
CREATE FUNCTION constant() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM public.sprung(); RETURN 1; END';
CREATE TABLE indexed (post int REFERENCES posts);
CREATE INDEX ON indexed ((post + constant()));
GRANT SELECT ON policed, casting, levels, indexed TO public;
SET ROLE regress_owner;
RESET client_min_messages;
CALL neardup.cleanup('posts', action => 'mark');
CALL neardup.cleanup('posts');
CALL neardup.cleanup('posts', dry_run => false);
SELECT id FROM posts ORDER BY id;
-- what is changed when a row goes must be read
SET ROLE regress_stranger;
SET client_min_messages = error;
ALTER TABLE casting DROP CONSTRAINT casting_post_fkey;
-- Postgres itself checks a new key as the owner of the table that it refers to.
ALTER TABLE casting ADD CONSTRAINT cascades FOREIGN KEY (post) REFERENCES posts ON DELETE CASCADE;
RESET client_min_messages;
SET ROLE regress_owner;
CALL neardup.cleanup('posts');
-- the cast of another role, in a table of one's own
RESET ROLE;
ALTER TABLE casting OWNER TO regress_owner;
SET ROLE regress_owner;
CALL neardup.cleanup('posts');
-- that somebody makes the owner a member of that role changes nothing
RESET ROLE;
GRANT regress_stranger TO regress_owner;
SET ROLE regress_owner;
CALL neardup.cleanup('posts');
-- a role that may act as the owner may run code as the owner
RESET ROLE;
REVOKE regress_stranger FROM regress_owner;
GRANT regress_owner TO regress_stranger;
SET ROLE regress_owner;
CALL neardup.cleanup('posts');
-- the owner of a schema can put another table in the place of one
RESET ROLE;
REVOKE regress_owner FROM regress_stranger;
DROP TABLE policed, casting, levels, indexed;
CREATE SCHEMA regress_theirs AUTHORIZATION regress_stranger;
CREATE TABLE regress_theirs.own (post int REFERENCES posts);
ALTER TABLE regress_theirs.own OWNER TO regress_owner;
GRANT USAGE ON SCHEMA regress_theirs TO regress_owner;
SET ROLE regress_owner;
CALL neardup.cleanup('posts');
RESET ROLE;
DROP SCHEMA regress_theirs CASCADE;
-- one of the owner's own can not
CREATE SCHEMA regress_own AUTHORIZATION regress_owner;
SET ROLE regress_owner;
CREATE TABLE regress_own.refers (post int REFERENCES posts ON DELETE CASCADE);
INSERT INTO regress_own.refers SELECT max(id) FROM posts;
CALL neardup.cleanup('posts');
RESET ROLE;
CALL neardup.cleanup('posts');
DROP SCHEMA regress_own CASCADE;
DROP TABLE posts, posts_removed;
DROP CAST (number AS int);
DROP CAST (level AS int);
DROP CAST (level AS bigint);
DROP FUNCTION as_int(number), as_bigint(level), constant(), sprung();
DROP TYPE number, level;
REVOKE ALL ON SCHEMA public FROM regress_owner, regress_stranger;
DROP ROLE regress_owner, regress_stranger;
