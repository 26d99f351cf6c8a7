-- Errors say what to do.
\set SHOW_CONTEXT never
CREATE TABLE days (id int, at timestamptz, body text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE "News Days" PARTITION OF days DEFAULT;
CREATE VIEW latest AS TABLE days;
SELECT neardup.protect('days', 'body', time_column => 'at', on_duplicate => 'mark');
-- How a key is written, and only to who may read the table.
SELECT * FROM neardup.why('days', key => '2, 2031-01-05 09:00:00+08');
INSERT INTO days VALUES (2, '2031-01-05 09:00+08', 'The ferry to Long Island will not run before Thursday, its owner said, because the harbour is full of ice.');
SET timezone = 'Asia/Shanghai';
SELECT * FROM neardup.why('days', key => '2, 2031-01-05 09:00:00+08');
SELECT neardup.make_first('days', '3, x');
SELECT outcome FROM neardup.why('days', key => '2, 2031-01-05 01:00:00+00');
RESET timezone;
-- What is no table, and what is part of one.
SELECT * FROM neardup.duplicates('latest');
SELECT * FROM neardup.duplicates('"News Days"');
-- Columns are named as they are stored.
CREATE TABLE plain (id int PRIMARY KEY, body text, "Article Body" text);
SELECT neardup.protect('plain', 'Body');
SELECT neardup.protect('plain', '"Article Body"');
SELECT neardup.protect('plain', 'text');
SELECT neardup.protect('plain', 'body', on_duplicate => 'warn');
-- A dry run writes its list.
BEGIN READ ONLY;
CALL neardup.cleanup('plain');
ROLLBACK;
-- Rights: on the table, and on one that refers to it. No run is begun.
CREATE ROLE hint_reader;
GRANT SELECT ON plain TO hint_reader;
CREATE TABLE notes (id int PRIMARY KEY, plain int REFERENCES plain);
SET client_min_messages = warning;
INSERT INTO plain SELECT n, 'The ferry to Long Island will not run before Thursday, its owner said, because the harbour is full of ice.' FROM generate_series(1, 2) n;
RESET client_min_messages;
SET ROLE hint_reader;
CALL neardup.cleanup('plain', dry_run => false);
RESET ROLE;
GRANT UPDATE, DELETE ON plain TO hint_reader;
SELECT neardup.keep_removed('plain') IS NOT NULL AS is_kept;
SET ROLE hint_reader;
CALL neardup.cleanup('plain');
CALL neardup.cleanup('plain', dry_run => false);
RESET ROLE;
SELECT count(*) AS runs FROM neardup.runs;
GRANT SELECT ON notes TO hint_reader;
SET ROLE hint_reader;
CALL neardup.cleanup('plain', dry_run => false);
RESET ROLE;
CALL neardup.restore('plain', key => 'two');
-- Keys that tell nothing of the order of rows.
CREATE TABLE random (id uuid PRIMARY KEY, at timestamptz, body text);
SELECT neardup.protect('random', 'body');
DROP TABLE random;
-- Values that begin alike are shown from where they differ.
CREATE TABLE pages (id int PRIMARY KEY, url text, desk text, body text);
INSERT INTO pages VALUES
(1, 'http://www.example.com/2031/03/05/section/news/ferry-1.html', 'North', 'The ferry to Long Island will not run before Thursday, its owner said, because the harbour is full of ice from the river.'),
(2, 'http://www.example.com/2031/03/05/section/news/ferry-2.html', 'South', 'The ferry to Long Island will not run before Thursday, its owner said, because the harbour is full of ice from the river!'),
(3, 'http://www.example.com/2031/03/05/section/news/pool', 'West', 'The swimming pool of Harwich is open again; the first swimmers came at six in the morning, and the water is as cold as before.'),
(4, 'http://www.example.com/2031/03/05/section/news/pool/2', 'WEST', 'The swimming pool of Harwich is open again; the first swimmers came at six in the morning, and the water is as cold as before!');
SELECT neardup.protect('pages', 'body');
CALL neardup.cleanup('pages');
DROP TABLE days, plain, plain_removed, notes, pages CASCADE;
DROP ROLE hint_reader;
