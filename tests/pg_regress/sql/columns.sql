-- Columns beside the document: a title for the verdict, columns that must not differ, excerpts that stay, rows without a scope.
\set VERBOSITY terse
\set SHOW_CONTEXT never

-- A catalogue: one text under many titles, which name other things.
CREATE TABLE catalogue (id int PRIMARY KEY, name text, body text);
SELECT neardup.protect('catalogue', 'body', title => 'name');
SELECT title, differ, excerpts, columns, scope, duplicate_of FROM neardup.protected;
\set ladder '''A sturdy and light ladder for house and garden, with rubber feet, a tool tray and a safety bar. It folds flat and fits into any car. The rungs are ribbed, so that nobody slips even in the rain. Delivered within three working days.'''
INSERT INTO catalogue VALUES (1, 'Ladder 3 m', :ladder), (2, 'Ladder 4 m', :ladder), (3, 'Ladder, 5 m', :ladder);
-- The same title, or none.
INSERT INTO catalogue VALUES (4, ' Ladder 3 m ', :ladder);
INSERT INTO catalogue VALUES (4, NULL, :ladder);
INSERT INTO catalogue VALUES (4, '  ', :ladder);
-- An edited text is compared under its title, too.
INSERT INTO catalogue VALUES (4, 'Ladder 3 m', replace(:ladder, 'working days', 'working days!'));
INSERT INTO catalogue VALUES (4, 'Ladder 6 m', replace(:ladder, 'working days', 'working days!'));
-- A title that becomes another one, or the same as another one, is judged.
UPDATE catalogue SET name = 'Ladder 7 m' WHERE id = 4;
UPDATE catalogue SET name = 'Ladder 3 m' WHERE id = 4;
UPDATE catalogue SET name = name;
SELECT count(*) FROM neardup.duplicates('catalogue');
SELECT key, outcome, verdict, reasons FROM neardup.why('catalogue', key => '2') ORDER BY key;
-- A guard that does not read the title calls them copies.
SELECT neardup.protect('catalogue', 'body', reset => '{all}');
SELECT key, duplicate_of, measure FROM neardup.duplicates('catalogue');

-- The guard follows the column's name; the column cannot be dropped without the guard.
SELECT neardup.protect('catalogue', 'body', title => 'name');
ALTER TABLE catalogue RENAME name TO headline;
SELECT title FROM neardup.protected;
INSERT INTO catalogue VALUES (8, 'Ladder 8 m', :ladder);
INSERT INTO catalogue VALUES (9, 'Ladder 8 m', :ladder);
ALTER TABLE catalogue DROP COLUMN headline;
-- Copies that were let through are listed and removed by their titles.
BEGIN;
SELECT neardup.let_through('catalogue', false);
INSERT INTO catalogue VALUES (11, 'Ladder 3 m', :ladder), (12, NULL, :ladder), (13, 'Ladder 4 m', replace(:ladder, 'working days', 'working days!'));
COMMIT;
SELECT key, duplicate_of, verdict, measure FROM neardup.duplicates('catalogue');
SELECT neardup.reasons('catalogue', '2', '1');
-- A list that compares otherwise reads no title.
SELECT count(*) FROM neardup.duplicates('catalogue', verify => 'overlap', threshold => 0.9);
-- The rows of another table are compared under their titles, and a table without the column is refused.
CREATE TABLE crawl (headline text, body text);
INSERT INTO crawl VALUES ('Ladder 4 m', :ladder), ('Ladder 9 m', :ladder), ('Ladder 9 m', :ladder);
SELECT duplicate_of, is_new, measure FROM neardup.copies_of('catalogue', 'crawl');
CREATE TABLE bare (body text);
SELECT * FROM neardup.copies_of('catalogue', 'bare');
CREATE TABLE known (id int PRIMARY KEY, headline text, body text);
INSERT INTO known VALUES (1, 'Ladder 8 m', :ladder);
SELECT key, duplicate_of FROM neardup.duplicates('catalogue', against => 'known') ORDER BY key;
CALL neardup.cleanup('catalogue', dry_run => false);
SELECT id, headline FROM catalogue ORDER BY id;

-- A row whose title has changed since it was chosen stays.
INSERT INTO catalogue VALUES (20, 'Ladder 20 m', :ladder);
BEGIN;
SELECT neardup.let_through('catalogue', false);
INSERT INTO catalogue VALUES (21, 'Ladder 20 m', :ladder), (22, 'Ladder 20 m', :ladder);
COMMIT;
CREATE FUNCTION retitle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE catalogue SET headline = 'Ladder 22 m' WHERE id = 22;
    RETURN NULL;
END $$;
CREATE TRIGGER retitle AFTER DELETE ON catalogue FOR EACH STATEMENT EXECUTE FUNCTION retitle();
CALL neardup.cleanup('catalogue', batch => 1, dry_run => false);
SELECT id, headline FROM catalogue WHERE id > 19 ORDER BY id;
DROP TRIGGER retitle ON catalogue;

-- Arguments.
SELECT neardup.protect('catalogue', 'body', title => 'nothing');
SELECT neardup.protect('catalogue', 'body', title => 'id');
SELECT neardup.protect('catalogue', 'body', title => 'body');
\set VERBOSITY default
SELECT neardup.protect('catalogue', 'body', title => 'headline', verify => 'overlap', threshold => 0.9);
\set VERBOSITY terse
SELECT neardup.protect('catalogue', 'body', differ => ARRAY['nothing']::name[]);
SELECT neardup.protect('catalogue', 'body', differ => ARRAY[NULL]::name[]);
SELECT neardup.protect('catalogue', 'body', differ => ARRAY[ARRAY['headline']]::name[]);
SELECT neardup.protect('catalogue', 'body', title => 'headline', differ => ARRAY['headline']::name[]);
SELECT neardup.protect('catalogue', 'body', excerpts => 'leave');
SELECT * FROM neardup.duplicates('catalogue', excerpts => 'leave');
DROP TABLE catalogue, crawl, bare, known;

-- Columns that must not differ.
CREATE TABLE notices (id int PRIMARY KEY, city text, opened date, body text);
SELECT neardup.protect('notices', 'body', differ => ARRAY['city', 'opened']::name[]);
SELECT title, differ FROM neardup.protected;
\set notice '''We are looking for a nurse who likes to work in a small team, by day and by night, with much experience of wards for children. We pay by the rules of the union and help with finding a flat. Write to us with your papers.'''
INSERT INTO notices VALUES (1, 'Arlington', '2031-03-01', :notice), (2, 'Tampa', '2031-03-01', :notice), (3, 'Tampa', '2031-03-02', :notice);
INSERT INTO notices VALUES (4, 'Tampa ', '2031-03-01', :notice);
INSERT INTO notices VALUES (4, NULL, '2031-03-02', :notice);
INSERT INTO notices VALUES (4, '', NULL, :notice);
INSERT INTO notices VALUES (4, 'Boise', NULL, :notice);
UPDATE notices SET city = 'Arlington' WHERE id = 4;
SELECT key, outcome, verdict, reasons FROM neardup.why('notices', key => '2') ORDER BY key;
SELECT neardup.reasons('notices', '2', '1');
SELECT count(*) FROM neardup.duplicates('notices');
-- A text alone has no city.
SELECT outcome, verdict FROM neardup.why('notices', 'We are looking for a nurse who likes to work in a small team, by day and by night, with much experience of wards for children. We pay by the rules of the union and help with finding a flat. Write to us with your papers.') LIMIT 1;
SELECT neardup.protect('notices', 'body', reset => '{all}');
SELECT count(*) FROM neardup.duplicates('notices');
-- With other ways to compare, and without a comparison of texts.
SELECT neardup.protect('notices', 'body', differ => ARRAY['city']::name[], verify => 'overlap', threshold => 0.8, reset => '{all}');
INSERT INTO notices VALUES (5, 'Reno', NULL, :notice);
INSERT INTO notices VALUES (6, 'Reno', NULL, :notice || ' Thank you.');
SELECT key, duplicate_of FROM neardup.duplicates('notices');
SELECT neardup.protect('notices', 'body', differ => ARRAY['city']::name[], method => 'simhash', verify => 'none', reset => '{all}');
INSERT INTO notices VALUES (7, 'Miami', NULL, :notice);
INSERT INTO notices VALUES (8, 'Miami', NULL, :notice);
SELECT key, duplicate_of FROM neardup.duplicates('notices');
-- A marked row stands for the one it copies only where that is a copy, too.
SELECT neardup.protect('notices', 'body', differ => ARRAY['city']::name[], on_duplicate => 'mark', reset => '{all}');
TRUNCATE notices;
INSERT INTO notices (id, city, body) VALUES (1, 'Tampa', :notice), (2, NULL, :notice), (3, 'Arlington', :notice), (4, 'Tampa', :notice);
SELECT id, city, duplicate_of FROM notices ORDER BY id;
SELECT duplicate_of, differ FROM neardup.protected;
DROP TABLE notices;

-- Columns in which copies agree: the same value speaks for a copy, another one against it, and neither decides.
CREATE TABLE jobs (id int PRIMARY KEY, employer text, branch int, body text);
SELECT neardup.protect('jobs', 'body', agree => ARRAY['employer', 'branch']::name[], on_duplicate => 'warn');
SELECT title, differ, agree FROM neardup.protected;
INSERT INTO jobs VALUES (1, 'Acme', 1, :notice);
\set edited '''We are looking for a friendly nurse who likes to work in a small team, by day and by night, with experience of wards for children. We pay by the rules of the union and help with finding a flat. Write to us soon with your papers.'''
\set VERBOSITY default
-- Two columns agree; none; one, where the other says nothing; one of two.
INSERT INTO jobs VALUES (2, 'Acme ', 1, :edited);
SELECT key, outcome, verdict, reasons[array_length(reasons, 1) - 1:] FROM neardup.why('jobs', key => '2') WHERE key = '1';
DELETE FROM jobs WHERE id = 2;
INSERT INTO jobs VALUES (2, 'Bolt', 2, :edited);
SELECT key, outcome, verdict, reasons[array_length(reasons, 1) - 1:] FROM neardup.why('jobs', key => '2') WHERE key = '1';
DELETE FROM jobs WHERE id = 2;
INSERT INTO jobs VALUES (2, NULL, 1, :edited);
SELECT neardup.reasons('jobs', '2', '1');
DELETE FROM jobs WHERE id = 2;
INSERT INTO jobs VALUES (2, 'Acme', 2, :edited);
\set VERBOSITY terse
-- Two identical texts are copies without a verdict only if all columns agree.
INSERT INTO jobs VALUES (5, 'Bolt', 1, :notice), (6, 'Acme', 1, :notice);
SELECT key, duplicate_of, measure, round(value::numeric, 2) AS value FROM neardup.duplicates('jobs') WHERE key IN ('5', '6') ORDER BY key;
-- A row that changes its employer is judged again.
UPDATE jobs SET employer = 'Bolt' WHERE id = 2;
UPDATE jobs SET employer = employer;
-- Verdicts by tokens do not weigh a column.
SELECT DISTINCT measure FROM neardup.duplicates('jobs', verify => 'overlap', threshold => 0.5) ORDER BY measure;
-- Answers hold there, too.
SELECT neardup.answer('jobs', '2', '1', false);
SELECT key, duplicate_of FROM neardup.duplicates('jobs', verify => 'overlap', threshold => 0.5) ORDER BY key;
DELETE FROM jobs_answers;
\set VERBOSITY default
SELECT neardup.protect('jobs', 'body', verify => 'overlap', threshold => 0.9);
\set VERBOSITY terse
SELECT neardup.protect('jobs', 'body', agree => ARRAY['nothing']::name[]);
SELECT neardup.protect('jobs', 'body', agree => ARRAY[ARRAY['employer']]::name[]);
SELECT neardup.protect('jobs', 'body', differ => ARRAY['employer']::name[]);
SELECT neardup.protect('jobs', 'body', differ => ARRAY['branch']::name[], agree => ARRAY['employer']::name[]);
SELECT neardup.protect('jobs', 'body', on_duplicate => 'reject');
SELECT title, differ, agree FROM neardup.protected;
SELECT neardup.protect('jobs', 'body', reset => '{agree,differ}');
SELECT title, differ, agree FROM neardup.protected;
DROP TABLE jobs;

-- A row that moves to another partition is not judged again, unless it changes; partitions may have the columns in another order.
CREATE TABLE parted (id int, part int, city text, title text, body text, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 (body text, title text, city text, part int NOT NULL, id int NOT NULL, PRIMARY KEY (id, part));
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES IN (2);
SELECT neardup.protect('parted', 'body', title => 'title', differ => ARRAY['city']::name[]);
INSERT INTO parted VALUES (1, 1, 'Tampa', 'Nurse', :notice), (2, 2, 'Boise', 'Nurse', :notice);
INSERT INTO parted VALUES (3, 2, 'Tampa', 'Nurse', :notice);
UPDATE parted SET part = 2 WHERE id = 1;
UPDATE parted SET part = 1, city = 'Boise' WHERE id = 1;
SELECT tableoid::regclass, id, city FROM parted ORDER BY id;
DROP TABLE parted;

-- Excerpts.
CREATE TABLE posts (id int PRIMARY KEY, body text);
\set start '''East Lake Park opens to the public free of charge from today, with four kilometres of new paths, three viewing platforms and a library for children.'''
\set more ''' The mayor thanked the gardeners, who planted two thousand trees within a year. A small train carries visitors from the station to the lake at weekends, and the cafe by the water is open until late in the evening.'''
SELECT neardup.protect('posts', 'body', excerpts => 'keep');
SELECT excerpts FROM neardup.protected;
INSERT INTO posts VALUES (1, :start || :more), (2, :start);
-- A copy is refused as before.
INSERT INTO posts VALUES (3, upper(:start));
SELECT key, outcome, verdict FROM neardup.why('posts', key => '2');
SELECT key, duplicate_of, verdict FROM neardup.duplicates('posts');
SELECT key, duplicate_of, verdict FROM neardup.duplicates('posts', excerpts => 'remove');
CALL neardup.cleanup('posts', threshold => 0.5, dry_run => false);
SELECT neardup.protect('posts', 'body', reset => '{all}');
SELECT key, duplicate_of, verdict FROM neardup.duplicates('posts');
SELECT key, duplicate_of, verdict FROM neardup.duplicates('posts', excerpts => 'keep');
CREATE TABLE more (body text);
INSERT INTO more VALUES (:start);
SELECT count(*), count(*) FILTER (WHERE verdict = 'excerpt') AS excerpts FROM neardup.copies_of('posts', 'more');
DELETE FROM posts WHERE id = 2;
SELECT count(*) FROM neardup.copies_of('posts', 'more', excerpts => 'keep');
SELECT count(*) FROM neardup.copies_of('posts', 'more', excerpts => 'remove');
INSERT INTO posts SELECT 2, body FROM more;
BEGIN;
SELECT neardup.let_through('posts', false);
INSERT INTO posts SELECT 2, body FROM more;
COMMIT;
\set VERBOSITY default
CALL neardup.cleanup('posts', excerpts => 'keep', dry_run => true);
\set VERBOSITY terse
CALL neardup.cleanup('posts', threshold => 0.5, dry_run => false);
SELECT id FROM posts;
DROP TABLE posts, more;

-- Rows without a scope.
CREATE TABLE scoped (id int PRIMARY KEY, tenant text, body text);
INSERT INTO scoped SELECT n, CASE WHEN n % 3 > 0 THEN 'a' END, 'text ' || n FROM generate_series(1, 30) n;
\set VERBOSITY default
SELECT neardup.protect('scoped', 'body', scope => ARRAY['tenant']::name[]);
\set VERBOSITY terse
UPDATE scoped SET tenant = 'a';
SELECT neardup.protect('scoped', 'body', scope => ARRAY['tenant']::name[]);
DROP TABLE scoped;

-- Rights: who may not read the title reads no list; the guard compares titles for everybody, and says nothing of them.
CREATE TABLE private (id int PRIMARY KEY, name text, body text);
SELECT neardup.protect('private', 'body', title => 'name', differ => ARRAY[]::name[]);
INSERT INTO private VALUES (1, 'Ladder 3 m', :ladder);
CREATE ROLE columns_writer;
GRANT INSERT ON private TO columns_writer;
GRANT SELECT (id, body) ON private TO columns_writer;
SET ROLE columns_writer;
INSERT INTO private VALUES (2, 'Ladder 4 m', :ladder);
\set VERBOSITY default
INSERT INTO private VALUES (3, 'Ladder 3 m', :ladder);
\set VERBOSITY terse
SELECT * FROM neardup.duplicates('private');
SELECT * FROM neardup.why('private', key => '2');
RESET ROLE;
GRANT SELECT (name) ON private TO columns_writer;
SET ROLE columns_writer;
SELECT * FROM neardup.duplicates('private');
RESET ROLE;
DROP TABLE private;
DROP ROLE columns_writer;
-- answers are about rows with their title and the columns that are compared
CREATE TABLE desks (id int PRIMARY KEY, name text, body text);
SELECT neardup.protect('desks', 'body', on_duplicate => 'warn');
INSERT INTO desks VALUES (1, 'oak', 'The harbour office looks for a clerk who keeps the list of berths, answers the telephone and speaks two languages. Apply in writing until the end of May.');
INSERT INTO desks SELECT 2, 'elm', body || '!' FROM desks;
SELECT neardup.answer('desks', '2', '1', false);
SELECT neardup.protect('desks', 'body', title => 'name');
SELECT neardup.protect('desks', 'body', title => 'name', differ => '{}');
SELECT neardup.protect('desks', 'body', reset => '{title}');
SELECT key, duplicate_of FROM neardup.duplicates('desks');
DROP TABLE desks, desks_answers;
-- A column that is called a title is read as one, unless it has another role, the verdict reads none, or the owner wants none.
CREATE TABLE bugs (id int PRIMARY KEY, betreff text, bug_title text, body text);
SELECT neardup.protect('bugs', 'body', differ => '{betreff}');
SELECT title, differ FROM neardup.protected WHERE target = 'bugs'::regclass;
INSERT INTO bugs VALUES (1, NULL, 'Saving a file fails', 'Please describe the problem, and what you did before it.'), (2, NULL, 'Menu opens twice', 'Please describe the problem, and what you did before it.');
SELECT neardup.protect('bugs', 'body', columns => '{body,bug_title}');
SELECT title, columns FROM neardup.protected WHERE target = 'bugs'::regclass;
SELECT neardup.unprotect('bugs');
SELECT neardup.protect('bugs', 'body');
SELECT neardup.protect('bugs', 'body', verify => 'overlap', threshold => 0.9);
SELECT title, verify FROM neardup.protected WHERE target = 'bugs'::regclass;
-- with a verify that reads titles, it is found again
SELECT neardup.protect('bugs', 'body', verify => 'facts', reset => '{threshold}');
SELECT title, verify FROM neardup.protected WHERE target = 'bugs'::regclass;
SELECT neardup.unprotect('bugs');
SELECT neardup.protect('bugs', 'body', reset => '{title}');
SELECT neardup.unprotect('bugs');
SELECT neardup.protect('bugs', 'body', verify => 'none', method => 'simhash');
SELECT title FROM neardup.protected WHERE target = 'bugs'::regclass;
DROP TABLE bugs;
