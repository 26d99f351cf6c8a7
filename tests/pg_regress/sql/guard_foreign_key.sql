-- An UPDATE that a foreign key makes is never left out: the key would not hold, and Postgres does not look
\set SHOW_CONTEXT never
\set body '''The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, the Upper Village crew won, and the prize money goes to the town school.'''
CREATE TABLE authors (id int PRIMARY KEY);
CREATE TABLE posts (id int PRIMARY KEY, author int DEFAULT 9 REFERENCES authors ON DELETE SET NULL ON UPDATE CASCADE, body text);
CREATE VIEW dangling AS SELECT p.id, p.author FROM posts p WHERE p.author IS NOT NULL AND NOT EXISTS (SELECT FROM authors a WHERE a.id = p.author);

-- skip, ON DELETE SET NULL
SELECT neardup.protect('posts', 'body', on_duplicate => 'skip', scope => '{author}', log => true);
INSERT INTO authors VALUES (1), (2), (3);
INSERT INTO posts VALUES (1, 1, :body), (2, 2, :body);
DELETE FROM authors WHERE id < 3;
SELECT id, author FROM posts ORDER BY id;
TABLE dangling;
-- it was not left out, and is neither counted nor logged as if it were
SELECT action, count FROM neardup.counters;
SELECT action, key FROM neardup.verdicts;
SELECT key, duplicate_of FROM neardup.duplicates('posts');
-- the same by hand is
INSERT INTO authors VALUES (1), (2);
UPDATE posts SET author = id;
UPDATE posts SET author = 1 WHERE id = 2;
SELECT id, author FROM posts ORDER BY id;

-- divert, ON DELETE SET DEFAULT
ALTER TABLE posts DROP CONSTRAINT posts_author_fkey, ADD FOREIGN KEY (author) REFERENCES authors ON DELETE SET DEFAULT ON UPDATE CASCADE;
INSERT INTO authors VALUES (9);
SELECT neardup.protect('posts', 'body', on_duplicate => 'divert', scope => '{author}');
DELETE FROM authors WHERE id < 3;
SELECT id, author FROM posts ORDER BY id;
TABLE dangling;
SELECT count(*) FROM posts_diverted;

-- mark: the row gets its mark as by any UPDATE
UPDATE posts SET author = 3 WHERE id = 2;
SELECT neardup.protect('posts', 'body', on_duplicate => 'mark', scope => '{author}');
DELETE FROM authors WHERE id = 3;
SELECT id, author, duplicate_of FROM posts ORDER BY id;
SELECT neardup.unprotect('posts');

-- ON UPDATE CASCADE: the document is the key itself
DROP TABLE posts CASCADE;
CREATE TABLE texts (body text PRIMARY KEY);
CREATE TABLE posts (id int PRIMARY KEY, body text REFERENCES texts ON UPDATE CASCADE);
SELECT neardup.protect('posts', 'body', on_duplicate => 'skip');
INSERT INTO texts VALUES (:body), ('The museum of glass opens its new wing on Saturday, with a furnace at which visitors may blow a cup of their own.');
INSERT INTO posts SELECT row_number() OVER (ORDER BY body DESC), body FROM texts;
UPDATE texts SET body = :body || ' ' WHERE body LIKE 'The museum%';
SELECT id, left(body, 20) AS body FROM posts ORDER BY id;
SELECT count(*) FROM posts p WHERE NOT EXISTS (SELECT FROM texts t WHERE t.body = p.body);

-- merge and reject refuse, and the key holds
SELECT neardup.protect('posts', 'body', on_duplicate => 'reject');
UPDATE texts SET body = 'The museum of glass opens its new wing on Saturday, with a furnace at which visitors may blow a cup of their own.' WHERE body LIKE '% ';
UPDATE texts SET body = :body || '  ' WHERE body LIKE 'The museum%';
CREATE FUNCTION merged(existing posts, new posts) RETURNS posts LANGUAGE sql AS 'SELECT existing';
SELECT neardup.protect('posts', 'body', on_duplicate => 'merge', merge => 'merged');
UPDATE texts SET body = :body || '  ' WHERE body LIKE 'The museum%';
SELECT id, left(body, 20) AS body FROM posts ORDER BY id;
