-- what becomes of a near-duplicate: mark and divert; reject, skip and warn are in guard.sql
CREATE TABLE posts (id int PRIMARY KEY, source text, body text);
SELECT neardup.protect('posts', 'body', on_duplicate => 'mark');
INSERT INTO posts VALUES (1, 'a', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入。');
INSERT INTO posts VALUES (2, 'b', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入！') RETURNING id, duplicate_of;
INSERT INTO posts VALUES (3, 'c', '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。') RETURNING id, duplicate_of;
SELECT id, duplicate_of, pg_typeof(duplicate_of) FROM posts ORDER BY id;
-- a mark goes when the text is another
UPDATE posts SET body = '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车。' WHERE id = 2 RETURNING id, duplicate_of;
UPDATE posts SET body = (SELECT body FROM posts WHERE id = 1) WHERE id = 3 RETURNING id, duplicate_of;
-- other columns do not matter, and a user may set the mark
UPDATE posts SET source = 'd', duplicate_of = 7 WHERE id = 3 RETURNING duplicate_of;
-- with another action the column stays, and is left alone
SELECT neardup.protect('posts', 'body', on_duplicate => 'skip');
INSERT INTO posts SELECT 4, 'x', body FROM posts WHERE id = 1;
SELECT duplicate_of FROM neardup.protected;
SELECT id, duplicate_of FROM posts ORDER BY id;

-- divert: the row as it came, for the owner to see
SELECT neardup.protect('posts', 'body', on_duplicate => 'divert');
INSERT INTO posts (id, source, body) SELECT 5, 'y', body || '（转）' FROM posts WHERE id = 1 RETURNING id;
UPDATE posts SET body = (SELECT body FROM posts WHERE id = 1) || '。' WHERE id = 2;
SELECT document, record ->> 'id' AS id, record ->> 'source' AS source, duplicate_of, measure, value
FROM posts_diverted ORDER BY diverted_at;
SELECT id, (jsonb_populate_record(NULL::posts, record)).source FROM posts_diverted, LATERAL (SELECT record ->> 'id' AS id) r ORDER BY 1;
SELECT id, left(body, 3) FROM posts ORDER BY id;
-- a writer needs no right on it, and row security of the table does not keep rows out of it
CREATE ROLE regress_writer;
GRANT INSERT ON posts TO regress_writer;
ALTER TABLE posts ENABLE ROW LEVEL SECURITY;
CREATE POLICY none ON posts FOR INSERT WITH CHECK (true);
SET ROLE regress_writer;
INSERT INTO posts VALUES (6, 'z', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入。');
SELECT * FROM posts_diverted;
RESET ROLE;
SELECT record ->> 'id' AS id FROM posts_diverted ORDER BY diverted_at;
-- renamed tables
ALTER TABLE posts RENAME TO notes;
INSERT INTO notes (id, body) SELECT 7, body FROM notes WHERE id = 1;
ALTER TABLE posts_diverted RENAME TO elsewhere;
INSERT INTO notes (id, body) SELECT 8, body FROM notes WHERE id = 1;
SELECT neardup.protect('notes', 'body', on_duplicate => 'divert');
INSERT INTO notes (id, body) SELECT 8, body FROM notes WHERE id = 1;
SELECT count(*) FROM notes_diverted;

-- all counted, refusals too
SELECT neardup.protect('notes', 'body', reset => '{all}');
INSERT INTO notes (id, body) SELECT 9, body FROM notes WHERE id = 1;
SELECT * FROM neardup.counters;
SELECT neardup.unprotect('notes');
SELECT column_name FROM information_schema.columns WHERE table_name = 'notes' ORDER BY ordinal_position;
SELECT count(*) AS sequences FROM pg_class WHERE relkind = 'S' AND relname LIKE '%body%';
REVOKE ALL ON notes FROM regress_writer;
DROP TABLE notes, notes_diverted, elsewhere;
DROP ROLE regress_writer;

-- a key of several columns is marked as text, and a name that is taken is not
CREATE TABLE two_keys (a int, b text, duplicate_of int, body text, PRIMARY KEY (a, b));
SELECT neardup.protect('two_keys', 'body', on_duplicate => 'mark');
INSERT INTO two_keys VALUES (1, 'x', 0, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台。'), (2, 'y', 0, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台。');
SELECT a, duplicate_of, body_copy_of FROM two_keys ORDER BY a;
DROP TABLE two_keys;

-- what is logged, and for how long
CREATE TABLE logged (id int PRIMARY KEY, body text);
SELECT neardup.protect('logged', 'body', on_duplicate => 'skip', log => true);
INSERT INTO logged VALUES (1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台。');
INSERT INTO logged VALUES (2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台！');
SELECT target, document, action, key, duplicate_of, measure, value, role = current_user AS mine FROM neardup.verdicts;
CREATE ROLE regress_other;
SET ROLE regress_other;
SELECT count(*) FROM neardup.verdicts;
INSERT INTO neardup.verdicts (target, document, action, key, duplicate_of, measure, value, role) VALUES ('pg_class', '', '', '', '', '', 0, '');
SELECT action, count FROM neardup.counters;
RESET ROLE;
DROP ROLE regress_other;
CALL neardup.purge_verdicts();
CALL neardup.purge_verdicts('0 s');
-- whoever is told of a table sees what its guard did, and no more: the owner and his members
SELECT has_table_privilege('public', 'neardup_internal.verdicts', 'SELECT, INSERT, UPDATE, DELETE') AS unlimited;
DROP TABLE logged;

-- names of helpers: a long table's are short, and an ending that is missing is no reason to look for ever
CREATE TABLE a_name_as_long_as_a_name_may_be_and_not_a_letter_longer_than_63 (id int PRIMARY KEY, body text);
SELECT neardup_internal.free_name('a_name_as_long_as_a_name_may_be_and_not_a_letter_longer_than_63', ending) FROM unnest('{diverted,NULL}'::text[]) ending;
-- lists that are none, and windows longer than microseconds can count
\set SHOW_CONTEXT never
ALTER TABLE a_name_as_long_as_a_name_may_be_and_not_a_letter_longer_than_63 RENAME TO plain;
ALTER TABLE plain ADD day date;
SELECT neardup.protect('plain', 'body', columns => '{{body,day}}');
SELECT neardup.protect('plain', 'body', scope => '{{day,id}}');
SELECT neardup.protect('plain', 'body', within => '178000000 years', time_column => 'day');
SELECT neardup.protect('plain', 'body', within => '100000 years', time_column => 'day');
INSERT INTO plain VALUES (1, 'The harbour bridge is closed until Monday.', '-infinity'), (2, 'The new ferry leaves from the old pier.', '4000-01-01');
CALL neardup.purge_verdicts(NULL);
CALL neardup.purge_verdicts('-1 day');
-- a cast to JSON of a column's type does not run as the owner of the table: such values are stored as text, and come back from it
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE TYPE place AS (x int, name text);
CREATE FUNCTION as_json(mood) RETURNS json LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'the cast runs'; RETURN '1'; END $$;
CREATE CAST (mood AS json) WITH FUNCTION as_json;
CREATE TABLE moods (id int PRIMARY KEY, body text, mood mood, moods mood[], place place, rate numeric, tags text[], "a ""b" mood);
SELECT neardup.protect('moods', 'body', on_duplicate => 'divert');
INSERT INTO moods SELECT n, 'The winter market of Stonebridge opens today with more than two hundred stalls along the river.', 'sad', '{glad,sad}', format('(%s,"a, b")', n)::place, 1.50, '{a,b}', NULL FROM generate_series(1, 2) n;
SELECT record FROM moods_diverted;
SELECT m.* FROM moods_diverted d, jsonb_populate_record(NULL::moods, d.record) m;
DROP TABLE moods, moods_diverted;
DROP CAST (mood AS json);
DROP FUNCTION as_json(mood);
DROP TYPE mood, place;
-- diverted values are the same whatever the settings of the session that inserts are
CREATE TABLE measured (id int PRIMARY KEY, body text, days daterange, x float8, at timestamptz);
SELECT neardup.protect('measured', 'body', on_duplicate => 'divert');
SET datestyle = 'SQL, DMY';
SET extra_float_digits = 0;
INSERT INTO measured SELECT n, 'The winter market of Stonebridge opens today with more than two hundred stalls along the river.', '[03/04/2031,06/05/2031)', 0.1::float8 + 0.2::float8, '03/04/2031 12:00+00' FROM generate_series(1, 2) n;
RESET datestyle;
RESET extra_float_digits;
SELECT m.days, m.x, m.at AT TIME ZONE 'UTC' AS at FROM measured_diverted d, jsonb_populate_record(NULL::measured, d.record) m;
DROP TABLE measured, measured_diverted;
