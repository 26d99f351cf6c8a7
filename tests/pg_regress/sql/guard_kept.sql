-- protect called again: what is not given is kept, what reset names goes back to its default
\set VERBOSITY terse
\set SHOW_CONTEXT never
CREATE TABLE posts (id int PRIMARY KEY, title text, city text, site int, at timestamptz, body text);
CREATE FUNCTION merged(existing posts, new posts) RETURNS posts LANGUAGE sql RETURN existing;
CREATE FUNCTION said(posts) RETURNS text LANGUAGE sql IMMUTABLE RETURN $1.body;
CREATE FUNCTION said(text) RETURNS text LANGUAGE sql IMMUTABLE RETURN $1;
CREATE VIEW settings AS
SELECT method, analyzer, keys, distance, on_duplicate, verify, threshold, columns, expression, scope, differ, title, excerpts, time_column, within, duplicate_of, merge, log
FROM neardup.protected WHERE target = 'posts'::regclass;
\x
SELECT neardup.protect('posts', 'body', analyzer => 'shingles:4', keys => 12, on_duplicate => 'merge', merge => 'merged', threshold => 0.9, expression => 'said(posts)'::regprocedure,
                       scope => '{site}', differ => '{city}', title => 'title', excerpts => 'keep', time_column => 'at', within => '36:30:00.25', log => true);
CREATE TABLE before AS SELECT * FROM settings;
SELECT neardup.protect('posts', 'body');
SELECT * FROM settings;
SELECT count(*) FROM (TABLE settings INTERSECT TABLE before) s;
-- One setting at a time.
SELECT neardup.protect('posts', 'body', threshold => 0.95, scope => '{}');
SELECT neardup.protect('posts', 'body', reset => '{title,excerpts}');
SELECT * FROM settings;
-- A setting ends with the one that it belongs to: merge, within, threshold, keys.
SELECT neardup.protect('posts', 'body', on_duplicate => 'skip', reset => '{time_column}');
SELECT neardup.protect('posts', 'body', verify => 'overlap', threshold => 0.5);
SELECT neardup.protect('posts', 'body', verify => 'cosine');
SELECT neardup.protect('posts', 'body', verify => 'facts');
SELECT neardup.protect('posts', 'body', method => 'simhash', verify => 'none', distance => 3);
SELECT * FROM settings;
SELECT neardup.protect('posts', 'body', method => 'sketch');
SELECT * FROM settings;
-- What is given holds, also of a setting that is reset.
SELECT neardup.protect('posts', 'body', on_duplicate => 'mark', differ => '{title}', reset => '{all}');
SELECT * FROM settings;
\x
-- The threshold of a verdict is on one scale with and without a profile, whose version is kept.
SELECT neardup.create_profile('kept', 'words') > 0 AS made;
CALL neardup.train_profile('kept', 'SELECT ''The ferry to the northern islands runs twice a day.''', version => NULL) \gset
SELECT neardup.protect('posts', 'body', threshold => 0.8);
SELECT neardup.protect('posts', 'body', verify => 'profile:kept');
CALL neardup.train_profile('kept', 'SELECT ''The ferry to the southern islands runs once a day.''', version => NULL) \gset
SELECT neardup.protect('posts', 'body', log => true);
SELECT verify, threshold, log FROM settings;
SELECT neardup.protect('posts', 'body', verify => 'profile:kept');
SELECT verify, threshold, log FROM settings;
-- Arguments.
\set VERBOSITY default
SELECT neardup.protect('posts', 'body', reset => '{document}');
SELECT neardup.protect('posts', 'body', reset => ARRAY[NULL]::name[]);
SELECT neardup.protect('posts', 'body', title => 'title', reset => '{all}');
SELECT neardup.protect('posts', 'body', verify => 'overlap', threshold => 0.9);
\set VERBOSITY terse
-- A new guard has nothing to keep.
SELECT neardup.protect('posts', 'title', reset => '{all}');
SELECT on_duplicate, threshold FROM neardup.protected WHERE document = 'title';
SELECT neardup.unprotect('posts');
DROP TABLE posts CASCADE;
SELECT neardup.drop_profile('kept');
