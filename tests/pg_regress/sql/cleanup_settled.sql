\set SHOW_CONTEXT never
\set VERBOSITY terse
-- A row is kept in a first list and is an excerpt of another one; its own copy is none of that one. A settled list keeps that copy, so that a
-- second clean-up finds nothing, and each removed row was compared with the row in its place.
CREATE TABLE notes (id int PRIMARY KEY, body text);
INSERT INTO notes VALUES
(1, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won.'),
(2, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won. Read more on our page.'),
(3, 'The river town of Rowmouth held its tenth boat race today; twenty-four teams took part, and the Upper Village crew won. The prize money goes to the town school, which needs a new roof before the winter comes; the mayor thanked the crews, and the drummers from the county played until midnight.');
SELECT neardup.protect('notes', 'body');
SELECT key, duplicate_of, verdict, group_size FROM neardup.duplicates('notes');
SELECT key, duplicate_of, verdict, group_size FROM neardup.duplicates('notes', settled => true);
CALL neardup.cleanup('notes', threshold => 0.5);
CALL neardup.cleanup('notes', threshold => 0.5, dry_run => false);
SELECT id FROM notes ORDER BY id;
CALL neardup.cleanup('notes', threshold => 0.5, dry_run => false);
-- What was answered to be a copy of a row goes with it.
CALL neardup.restore('notes', 1, answer => false);
SELECT neardup.answer('notes', '2', '1', true);
SELECT key, duplicate_of, verdict, measure, round(value::numeric, 2), group_size FROM neardup.duplicates('notes', settled => true);
CALL neardup.cleanup('notes', threshold => 0.5, dry_run => false);
CALL neardup.cleanup('notes', threshold => 0.5, dry_run => false);
CALL neardup.restore('notes', 3, answer => false);
SELECT neardup.answer('notes', '2', '3', false);
SELECT key, duplicate_of FROM neardup.duplicates('notes', settled => true);
SELECT neardup.withdraw('notes', since => '-infinity');
CALL neardup.cleanup('notes', threshold => 0.5, dry_run => false);

-- What the dry run's HINT lists is what goes, whatever the arguments.
CREATE TABLE feed (id int PRIMARY KEY, site text, day date, body text);
INSERT INTO feed
SELECT i, (ARRAY['north', 'south'])[1 + i % 2], date '2031-05-01' + i,
       CASE WHEN i % 4 < 2 THEN 'BREAKING: ' ELSE '' END ||
       (ARRAY['The harbour bridge will close for repairs from Monday until the end of the month, the city said.',
              'The second-hand book market south of the city moves to the sports hall this weekend, with more than three hundred stalls.',
              'The health office asks everybody to wash their hands, open the windows, and see a doctor if they have a fever.'])[1 + i % 3]
FROM generate_series(1, 36) i;
CREATE TABLE published (id int PRIMARY KEY, site text, day date, body text);
INSERT INTO published SELECT id, site, day, body || ' (as printed)' FROM feed WHERE id IN (5, 6, 7);
SELECT neardup.protect('feed', 'body', time_column => 'day');
CREATE FUNCTION usual(target regclass) RETURNS float8 LANGUAGE sql AS $$ SELECT neardup_internal.cleanup_threshold(jsonb_build_object('target', target::oid::bigint)) $$;
SET client_min_messages = warning;
SELECT count(*) FROM neardup.duplicates('feed', keep => 'newest', scope => '{site}', threshold => usual('feed'), settled => true);
CALL neardup.cleanup('feed', keep => 'newest', scope => '{site}', dry_run => false);
CALL neardup.restore('feed', 1, answer => false);
SELECT count(*) FROM neardup.duplicates('feed', keep => 'longest', within => '3 days', threshold => 0.5, settled => true);
CALL neardup.cleanup('feed', keep => 'longest', within => '3 days', threshold => 0.5, dry_run => false);
CALL neardup.restore('feed', 2, answer => false);
SELECT count(*) FROM neardup.duplicates('feed', rank => '{"site desc"}', since => '2031-05-10', until => '2031-05-20', excerpts => 'keep', threshold => usual('feed'), settled => true);
CALL neardup.cleanup('feed', rank => '{site desc}', since => '2031-05-10', until => '2031-05-20', excerpts => 'keep', dry_run => false);
CALL neardup.restore('feed', 3, answer => false);
SELECT count(*) FROM neardup.duplicates('feed', against => 'published', threshold => 0.7, settled => true);
CALL neardup.cleanup('feed', against => 'published', threshold => 0.7, dry_run => false);
CALL neardup.restore('feed', 4, answer => false);
SELECT count(*) FROM neardup.duplicates('feed', verify => 'overlap', threshold => 0.8, settled => true);
CALL neardup.cleanup('feed', verify => 'overlap', threshold => 0.8, action => 'mark', dry_run => false);
CALL neardup.cleanup('feed', verify => 'overlap', threshold => 0.8, action => 'mark', dry_run => false);
RESET client_min_messages;

-- A guard's threshold raises a clean-up's, and never lowers it.
SELECT usual('feed') AS usual \gset
SELECT neardup.protect('feed', 'body', time_column => 'day', threshold => 0.6);
SELECT usual('feed') = :usual AS usual;
SELECT neardup.protect('feed', 'body', time_column => 'day', threshold => 0.995);
SELECT usual('feed');

-- By SimHash, and as a role that may not read addresses.
CREATE TABLE drafts (id int PRIMARY KEY, body text, secret text);
INSERT INTO drafts SELECT id, body FROM feed;
SELECT neardup.protect('drafts', 'body', method => 'simhash');
SELECT count(*) FROM neardup.duplicates('drafts', settled => true);
SELECT count(*) FROM neardup.duplicates('drafts', verify => 'none', settled => true);
CREATE ROLE settled_reader;
GRANT SELECT (id, body) ON notes, drafts TO settled_reader;
CALL neardup.restore('notes', 5, answer => false);
SET ROLE settled_reader;
SELECT key, duplicate_of, verdict, group_size FROM neardup.duplicates('notes', settled => true);
SELECT count(*) FROM neardup.duplicates('drafts', settled => true);
RESET ROLE;
DROP OWNED BY settled_reader;
DROP ROLE settled_reader;
