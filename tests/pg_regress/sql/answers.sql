-- what the owner of a table says of pairs of its rows
CREATE TABLE posts (id int PRIMARY KEY, body text);
SELECT neardup.protect('posts', 'body');
CREATE FUNCTION body(n int DEFAULT 1) RETURNS text LANGUAGE sql AS $$ SELECT (ARRAY[
    'The harbour office reports that the ferry to the island leaves at nine from the northern pier on every day of the week in summer.',
    'A bakery on Mill Street sells rye bread that is baked in a stone oven, and opens at six; on Sundays it stays closed all day long.'])[n] $$;
-- forty rows of other texts, so that the table is one
INSERT INTO posts SELECT 1000 + i, md5(i::text) || ' ' || md5((-i)::text) FROM generate_series(1, 40) i;
INSERT INTO posts VALUES (1, body()), (10, body(2));
INSERT INTO posts VALUES (2, body() || '!');
-- a row that is let through is no copy, for lists, clean-ups and groups, and in other rows with its text, too
BEGIN;
SELECT neardup.let_through('posts');
INSERT INTO posts VALUES (2, body() || '!');
COMMIT;
SELECT key, other, is_copy, act, role = CURRENT_USER AS own, holds FROM neardup.answers('posts');
SELECT * FROM neardup.duplicates('posts');
CALL neardup.cleanup('posts', dry_run => false);
SELECT key, group_key, size FROM neardup.groups('posts') WHERE key IN ('1', '2') ORDER BY key;
DELETE FROM posts WHERE id = 2;
INSERT INTO posts VALUES (3, body() || '!');
SELECT key, outcome FROM neardup.why('posts', key => '3') WHERE key IN ('1', '3');
-- a text that changes is no longer what was answered about
BEGIN;
SELECT neardup.let_through('posts', false);
UPDATE posts SET id = 2, body = body() || '!!' WHERE id = 3;
SELECT key, other, holds FROM neardup.answers('posts');
SELECT key, duplicate_of FROM neardup.duplicates('posts');
UPDATE posts SET body = body() || '!' WHERE id = 2;
SELECT key, other, holds FROM neardup.answers('posts');
COMMIT;
SELECT neardup.withdraw('posts', '2', '1');
SELECT key, duplicate_of FROM neardup.duplicates('posts');
-- an answer by hand; "a copy" holds whatever the score
CREATE FUNCTION other_hours() RETURNS text LANGUAGE sql AS $$ SELECT replace(replace(body(2), 'six', 'eleven'), 'rye bread', 'rye rolls') $$;
INSERT INTO posts VALUES (11, other_hours());
SELECT outcome FROM neardup.why('posts', key => '11') WHERE key = '10';
SELECT neardup.answer('posts', '10', '11', true, 'the same shop');
SELECT * FROM neardup.duplicates('posts') WHERE key = '11';
INSERT INTO posts VALUES (12, other_hours());
DELETE FROM posts WHERE id = 11;
INSERT INTO posts VALUES (11, other_hours());
-- another answer takes its place
BEGIN;
SELECT neardup.let_through('posts', false);
INSERT INTO posts VALUES (11, other_hours()), (4, body()), (5, body()), (6, body() || '.');
COMMIT;
SELECT neardup.answer('posts', '11', '10', false);
SELECT key, other, is_copy, note FROM neardup.answers('posts');
SELECT (neardup.reasons('posts', '11', '10'))[1], (neardup.reasons('posts', '6', '5'))[1];
-- of rows with one text it is about their keys; no third row joins what is kept apart
SELECT neardup.answer('posts', '4', '1', false), neardup.answer('posts', '6', '5', false);
SELECT key, duplicate_of, measure FROM neardup.duplicates('posts');
SELECT key, duplicate_of, measure FROM neardup.duplicates('posts', keep => 'newest');
SELECT key, group_key, size FROM neardup.groups('posts') WHERE size > 1 OR key IN ('4', '6') ORDER BY key::int;
SELECT keep, count(*) FROM unnest('{oldest,newest,longest,most_complete}'::text[]) keep
CROSS JOIN LATERAL neardup.duplicates('posts', keep => keep) d WHERE (d.key, d.duplicate_of) IN (('1', '4'), ('4', '1'), ('5', '6'), ('6', '5')) GROUP BY 1;
-- restored rows are answers
CALL neardup.cleanup('posts', dry_run => false);
SELECT max(neardup_run) AS run FROM posts_removed \gset
CALL neardup.restore('posts', :run);
SELECT key, other, is_copy, act FROM neardup.answers('posts') WHERE act = 'restore' ORDER BY key, other;
CALL neardup.cleanup('posts', dry_run => false);
SELECT neardup.withdraw('posts', act => 'restore') > 0;
CALL neardup.cleanup('posts', dry_run => false);
SELECT max(neardup_run) AS run FROM posts_removed \gset
CALL neardup.restore('posts', :run, answer => false);
SELECT count(*) FROM neardup.answers('posts') WHERE act = 'restore';
-- only what an editor has confirmed
CREATE VIEW confirmed AS SELECT key, duplicate_of FROM neardup.duplicates('posts') LIMIT 1;
CALL neardup.cleanup('posts', dry_run => false, confirmed => 'confirmed');
CALL neardup.cleanup('posts', confirmed => 'confirmed', against => 'posts_removed');
-- errors
SELECT neardup.answer('posts', '1', '99', true);
SELECT neardup.answer('posts', '1', '1', true);
SELECT neardup.answer('posts', '1', NULL, true);
SELECT neardup.withdraw('posts');
SELECT neardup.withdraw('posts', '98', '99');
-- a mark that is taken off is an answer
CREATE TABLE marked (a text, b boolean, body text, PRIMARY KEY (a, b));
SELECT neardup.protect('marked', 'body', on_duplicate => 'mark');
INSERT INTO marked VALUES ('x', true, body()), ('y', false, body() || '!'), ('z', true, body());
SELECT a, b, duplicate_of FROM marked ORDER BY a;
UPDATE marked SET duplicate_of = NULL WHERE a = 'y';
SELECT key, other, is_copy, act, holds FROM neardup.answers('marked');
SELECT key, duplicate_of FROM neardup.duplicates('marked');
SELECT key, group_key FROM neardup.groups('marked') ORDER BY key;
UPDATE marked SET body = body || ' ' WHERE a = 'y';
UPDATE marked SET body = body() || '!' WHERE a = 'y';
SELECT a, b, duplicate_of FROM marked ORDER BY a;
SELECT neardup.answer('marked', 'z, t', 'x, t', false);
SELECT key, duplicate_of FROM neardup.duplicates('marked');
SELECT key, group_key FROM neardup.groups('marked') ORDER BY key;
-- partitions: a row that moves, and one that comes again
CREATE TABLE news (id int, site text, body text, PRIMARY KEY (id, site)) PARTITION BY LIST (site);
CREATE TABLE news_a PARTITION OF news FOR VALUES IN ('a');
CREATE TABLE news_b PARTITION OF news FOR VALUES IN ('b');
SELECT neardup.protect('news', 'body');
INSERT INTO news VALUES (1, 'a', body());
BEGIN;
SELECT neardup.let_through('news');
INSERT INTO news VALUES (2, 'a', body() || '!');
COMMIT;
UPDATE news SET site = 'b' WHERE id = 2;
DELETE FROM news WHERE id = 1;
INSERT INTO news VALUES (1, 'b', body());
SELECT * FROM neardup.duplicates('news');
-- a table of another role under that name is not read
CREATE TABLE other (id int PRIMARY KEY, body text);
SELECT neardup.protect('other', 'body');
INSERT INTO other VALUES (1, body());
CREATE ROLE regress_answers_mallory;
CREATE TABLE other_answers (LIKE posts_answers);
INSERT INTO other_answers SELECT '1', '2', false, NULL, 'answer', CURRENT_USER, now(), 'body', neardup_internal.text_hash(body()), neardup_internal.text_hash(body() || '!');
INSERT INTO other VALUES (2, body() || '!');
DELETE FROM other WHERE id = 2;
ALTER TABLE other_answers OWNER TO regress_answers_mallory;
INSERT INTO other VALUES (2, body() || '!');
SELECT neardup.answer('other', '1', '2', false);
DROP TABLE other_answers;
-- nor is a view, whose functions would run as whoever looks, and a stranger's table is nothing that stops a clean-up
CREATE FUNCTION springs() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'sprung as %', CURRENT_USER; END $$;
CREATE VIEW other_answers AS SELECT springs() AS key, '2' AS other, NULL::boolean AS is_copy, 'body'::name AS document, 1::bigint AS other_hash;
ALTER VIEW other_answers OWNER TO regress_answers_mallory;
BEGIN;
SELECT neardup.let_through('other', false);
INSERT INTO other VALUES (2, body());
COMMIT;
SELECT neardup.report_html('other') LIKE '%Questions%' AS questions;
SET client_min_messages = warning;
CALL neardup.cleanup('other');
RESET client_min_messages;
DROP VIEW other_answers;
-- nor is a table with columns of other types: casts of their owner might run
CREATE TABLE other_answers (LIKE posts_answers);
ALTER TABLE other_answers ALTER document TYPE text;
SELECT neardup.answers('other');
DROP TABLE other_answers;
-- what is kept apart is told of rows that the role sees, and the numbers say nothing of a text
SELECT neardup.answer('other', '1', '2', false);
SELECT * FROM neardup_internal.kept_apart('other', 'body');
SET ROLE regress_answers_mallory;
SELECT * FROM neardup_internal.kept_apart('other', 'body');
RESET ROLE;
ALTER TABLE other ENABLE ROW LEVEL SECURITY;
CREATE POLICY one ON other USING (id = 1);
GRANT SELECT ON other TO regress_answers_mallory;
SET ROLE regress_answers_mallory;
SELECT * FROM neardup_internal.kept_apart('other', 'body');
SELECT * FROM neardup.groups('other');
RESET ROLE;
-- a role that may only change marks does not replace what neardup.answer was told
SELECT neardup.answer('marked', 'z, t', 'x, t', true);
GRANT SELECT (a), UPDATE (duplicate_of) ON marked TO regress_answers_mallory;
SET ROLE regress_answers_mallory;
UPDATE marked SET duplicate_of = 'x, t' WHERE a = 'z';
UPDATE marked SET duplicate_of = NULL WHERE a = 'z';
RESET ROLE;
SELECT is_copy, act FROM neardup.answers('marked') WHERE key = 'z, t';
UPDATE marked SET duplicate_of = 'x, t' WHERE a = 'z';
UPDATE marked SET duplicate_of = NULL WHERE a = 'z';
SELECT is_copy, act FROM neardup.answers('marked') WHERE key = 'z, t';
-- rows come back even if their old keys are none of the present type
CREATE TABLE coded (code text PRIMARY KEY, id int NOT NULL, body text);
SELECT neardup.protect('coded', 'body', on_duplicate => 'mark');
INSERT INTO coded VALUES ('a', 1, body()), ('b', 2, body());
SET client_min_messages = warning;
CALL neardup.cleanup('coded', dry_run => false);
ALTER TABLE coded DROP CONSTRAINT coded_pkey, ADD PRIMARY KEY (id);
RESET client_min_messages;
CALL neardup.restore('coded', 1);
-- keys of several columns, in another order than the table's, and of types whose casts write other texts than they put out
CREATE TYPE part AS ENUM ('a, b', '"c"');
CREATE TABLE keyed (body text, moment timestamptz, address inet, code char(4), flag boolean, day date, part part, number numeric(6, 2), raw bytea, PRIMARY KEY (number, flag, part, code, address, raw, day, moment));
SELECT neardup.protect('keyed', 'body', on_duplicate => 'mark');
SET datestyle = 'German';
INSERT INTO keyed VALUES (body(), '2031-05-04 12:00+00', '10.0.0.1', 'x', true, '2031-05-04', 'a, b', 1.5, 'a'), (body() || '!', '2031-05-04 12:00+00', '10.0.0.2', 'y', false, '2031-05-04', '"c"', 2, 'b'),
    (body(2), '2031-05-04 12:00+00', '10.0.0.3', 'z', true, '2031-05-04', 'a, b', 3, 'c');
UPDATE keyed SET duplicate_of = NULL WHERE NOT flag;
RESET datestyle;
SELECT key, other, act, holds FROM neardup.answers('keyed');
SELECT neardup.withdraw('keyed', act => 'unmark');
SELECT key, duplicate_of FROM neardup.duplicates('keyed');
SELECT a.key AS key, b.key AS other FROM neardup.groups('keyed') a JOIN neardup.groups('keyed') b USING (group_key) WHERE a.key LIKE '1.50%' AND b.key LIKE '2.00%' \gset
SELECT neardup.answer('keyed', :'key', :'other', false);
SELECT is_copy, act, holds FROM neardup.answers('keyed');
SELECT key, duplicate_of FROM neardup.duplicates('keyed');
SELECT neardup.answer('keyed', :'other', :'key', true);
SELECT is_copy, act, holds FROM neardup.answers('keyed');
SELECT neardup.withdraw('keyed', :'key');
SELECT neardup.answer('keyed', '1.50', :'key', false);
-- keys that are none of the present type, or of no row, are passed over, and so are numbers that are none
CREATE TABLE stale (code text, id int NOT NULL, day date NOT NULL, body text, PRIMARY KEY (code));
SELECT neardup.protect('stale', 'body', on_duplicate => 'mark');
INSERT INTO stale VALUES ('a', 1, '2031-05-01', body()), ('b', 2, '2031-05-02', body() || '!'), ('c', 3, '2031-05-03', body() || '.');
UPDATE stale SET duplicate_of = NULL;
SELECT neardup.answer('stale', 'a', 'b', false), neardup.answer('stale', 'a', 'c', true);
ALTER TABLE stale DROP CONSTRAINT stale_pkey, ADD PRIMARY KEY (id);
UPDATE stale_answers SET numbers = NULL WHERE other = 'b';
UPDATE stale_answers SET numbers = '{NaN,1,1,1,1,1,1}', stratum = 'removed', pairs = 'Infinity', score = 'NaN', asked = now() WHERE other = 'c';
SELECT key, other, holds FROM neardup.answers('stale') ORDER BY other;
SELECT key, duplicate_of FROM neardup.duplicates('stale');
SELECT key, group_key FROM neardup.groups('stale') ORDER BY key;
SELECT neardup.answer('stale', 'a', '2', true);
SELECT neardup.answer('stale', '1', '99999999999', true);
SELECT * FROM neardup.estimate('stale');
SELECT * FROM neardup.learn('stale');
SELECT length(neardup.report_html('stale')) > 0 AS report;
SET client_min_messages = warning;
CALL neardup.cleanup('stale');
RESET client_min_messages;
ALTER TABLE stale DROP CONSTRAINT stale_pkey, ADD PRIMARY KEY (day);
SELECT key, other, holds FROM neardup.answers('stale') ORDER BY other;
SELECT neardup.answer('stale', '2031-05-01', '2', true);
SELECT neardup.answer('stale', '2031-05-01', '2031-05-02', true);
SELECT key, other, is_copy, holds FROM neardup.answers('stale') ORDER BY other;
ALTER TABLE stale DROP CONSTRAINT stale_pkey, ADD PRIMARY KEY (id, code);
SELECT key, other, holds FROM neardup.answers('stale') ORDER BY other;
-- a temporary table
CREATE TEMP TABLE brief (id int PRIMARY KEY, body text);
SELECT neardup.protect('brief', 'body');
INSERT INTO brief VALUES (1, body());
BEGIN;
SELECT neardup.let_through('brief');
INSERT INTO brief VALUES (2, body() || '!');
COMMIT;
SELECT key, other, holds FROM neardup.answers('brief');
SELECT * FROM neardup.duplicates('brief');
-- keys and values are the same for sessions with other settings
CREATE TABLE dated (day date, part real, due timestamptz, body text, PRIMARY KEY (day, part));
SELECT neardup.protect('dated', 'body', on_duplicate => 'mark', differ => '{due}');
INSERT INTO dated VALUES ('2031-05-04', 0.1, '2031-06-01 00:00+00', body()), ('2031-05-05', 0.1, '2031-06-01 00:00+00', body() || '!');
SET datestyle = 'German';
SET timezone = 'Asia/Tokyo';
SET extra_float_digits = -5;
SELECT neardup.answer('dated', '2031-05-04, 0.1', '2031-05-05, 0.1', false);
DELETE FROM dated WHERE day = '2031-05-05';
INSERT INTO dated VALUES ('2031-05-05', 0.1, '2031-06-01 00:00+00', body() || '!'), ('2031-05-06', 0.1, '2031-06-01 00:00+00', body() || ' ');
RESET ALL;
SELECT day, duplicate_of FROM dated ORDER BY day;
SELECT key, other, holds FROM neardup.answers('dated');
-- names
CREATE TABLE "$1 'a" (id int PRIMARY KEY, "$1" text);
SELECT neardup.protect('"$1 ''a"', '$1', on_duplicate => 'mark');
INSERT INTO "$1 'a" VALUES (1, body()), (2, body() || '!');
SELECT neardup.answer('"$1 ''a"', '1', '2', false);
SELECT key, other, holds FROM neardup.answers('"$1 ''a"');
UPDATE "$1 'a_answers" SET is_copy = NULL;
SELECT neardup.report_html('"$1 ''a"') LIKE '%Questions%' AS questions;
-- a text with many equal rows
CREATE TABLE many (id int PRIMARY KEY, body text);
SELECT neardup.protect('many', 'body');
BEGIN;
SET LOCAL client_min_messages = warning;
SELECT neardup.let_through('many');
INSERT INTO many SELECT i, body() FROM generate_series(1, 1000) i;
COMMIT;
SELECT count(*) < 300 AS bounded FROM many_answers;
DROP OWNED BY regress_answers_mallory;
DROP ROLE regress_answers_mallory;
-- a guard that marks asks for rows by keys that were answered about, which may be of another type by now
CREATE TABLE rekeyed (code text PRIMARY KEY, id int NOT NULL, body text);
SELECT neardup.protect('rekeyed', 'body', on_duplicate => 'mark');
INSERT INTO rekeyed VALUES ('a', 1, body()), ('b', 2, 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn.');
SELECT neardup.answer('rekeyed', 'a', 'b', false);
ALTER TABLE rekeyed DROP CONSTRAINT rekeyed_pkey, ADD PRIMARY KEY (id);
INSERT INTO rekeyed VALUES ('c', 3, body());
SELECT id, duplicate_of FROM rekeyed WHERE code = 'c';
DROP TABLE rekeyed, rekeyed_answers;
-- a NULL that no caller passes
SELECT neardup_internal.answered_rows(NULL, NULL);
SELECT neardup_internal.parents_statement(NULL, NULL);
