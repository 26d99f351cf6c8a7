-- UPDATE: a pair that stood before is accepted; what would be a copy anew is not, and is never lost without a word
\set SHOW_CONTEXT never
CREATE TABLE news (id int PRIMARY KEY, url text UNIQUE, source text, body text);
SELECT neardup.protect('news', 'body');
INSERT INTO news VALUES
    (1, 'u1', 'wire', 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn, and the cider press runs until late in the evening on all days but Sunday.'),
    (2, 'u2', 'wire', 'The mayor opened the new bridge over the river yesterday evening, and hundreds of people walked across it with lanterns until the rain came at ten.');
-- a longer text after the shorter one is accepted
INSERT INTO news SELECT 3, 'u3', 'paper', body || ' The cooperative has hired twelve more hands for the press, and the first bottles will be sold at the harvest fair, where the band of the fire brigade plays on both days.' FROM news WHERE id = 1;
-- so both may be edited, as long as they are copies of no other row
UPDATE news SET body = replace(body, '; growers', ', growers') WHERE id = 1;
UPDATE news SET body = body || ' (Corrected.)' WHERE id = 3;
UPDATE news SET body = (SELECT body FROM news WHERE id = 1) || '.' WHERE id = 2;
-- a row that was let through, too
BEGIN;
SELECT neardup.let_through('news', false);
INSERT INTO news SELECT 4, 'u4', 'wire', body FROM news WHERE id = 2;
COMMIT;
UPDATE news SET body = body || '!' WHERE id IN (2, 4);
UPDATE news SET body = (SELECT body FROM news WHERE id = 1) WHERE id = 4;
-- a teaser that becomes the whole article is no teaser any more
UPDATE news SET body = (SELECT body FROM news WHERE id = 3) WHERE id = 1;
INSERT INTO news SELECT 1, 'u1', 'wire', body FROM news WHERE id = 3 ON CONFLICT (id) DO UPDATE SET body = excluded.body;
-- what was answered to be no copy may be edited, but not come nearer; what was answered to be a copy may be, too
SELECT neardup.answer('news', '2', '4', false);
UPDATE news SET body = body || '!' WHERE id = 4;
UPDATE news SET body = (SELECT body FROM news WHERE id = 2) WHERE id = 4;
SELECT neardup.withdraw('news', '2');
SELECT neardup.answer('news', '2', '4', true);
UPDATE news SET body = body || '!' WHERE id = 4;
SELECT neardup.withdraw('news', '2');
-- in another scope, nothing stood before
SELECT neardup.protect('news', 'body', scope => '{source}');
INSERT INTO news SELECT 5, 'u5', 'radio', body FROM news WHERE id = 2;
UPDATE news SET source = 'wire' WHERE id = 5;
SELECT neardup.protect('news', 'body', on_duplicate => 'skip', reset => '{scope}');

-- left out, with a notice, and with what it says of other columns
UPDATE news SET source = 'blog', body = (SELECT body FROM news WHERE id = 1) || '.' WHERE id = 2;
-- an INSERT that a unique key makes an update is judged as one
INSERT INTO news VALUES (2, 'u2', 'blog', (SELECT body FROM news WHERE id = 1) || '.') ON CONFLICT (id) DO UPDATE SET body = excluded.body, source = excluded.source;
INSERT INTO news VALUES (2, 'u2', 'blog', (SELECT body FROM news WHERE id = 1) || '.') ON CONFLICT (id) DO UPDATE SET source = excluded.source;
INSERT INTO news VALUES (6, 'u2', 'blog', (SELECT body FROM news WHERE id = 1) || '.') ON CONFLICT DO NOTHING;
INSERT INTO news VALUES (6, 'u2', 'blog', (SELECT body FROM news WHERE id = 1) || '.');
INSERT INTO news VALUES (6, 'u6', 'blog', (SELECT body FROM news WHERE id = 1) || '.');
SELECT id, source, left(body, 20) AS body FROM news ORDER BY id;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
-- with merge, too: no row is merged into another one for an update of a third
CREATE FUNCTION longer(news, news) RETURNS news LANGUAGE sql IMMUTABLE RETURN CASE WHEN length(($2).body) > length(($1).body) THEN $2 ELSE $1 END;
SELECT neardup.protect('news', 'body', on_duplicate => 'merge', merge => 'longer');
INSERT INTO news VALUES (2, 'u2', 'blog', (SELECT body FROM news WHERE id = 1) || '.') ON CONFLICT (id) DO UPDATE SET body = excluded.body;
-- a mark stays as long as the row is a copy
SELECT neardup.protect('news', 'body', on_duplicate => 'mark');
UPDATE news SET body = body || '!' WHERE id = 4;
SELECT id, duplicate_of FROM news WHERE id IN (2, 4) ORDER BY id;
DROP TABLE news, news_answers CASCADE;

-- several guards, of which an update fires the second only
CREATE TABLE two (id int PRIMARY KEY, a text, b text);
SELECT neardup.protect('two', 'a'), neardup.protect('two', 'b');
INSERT INTO two VALUES (1, 'Rain is expected on Tuesday in all districts along the river, with strong wind in the afternoon.', 'The ferry to the island stops running at nine in the evening until the end of the month.');
INSERT INTO two VALUES (1, 'The library opens until eleven from this week on; seats are booked at the machines.', 'Apples ripened early in the valley; growers queue before dawn.') ON CONFLICT (id) DO UPDATE SET b = excluded.b;
INSERT INTO two VALUES (1, 'The library opens until eleven from this week on; seats are booked at the machines.', 'x') ON CONFLICT (id) DO UPDATE SET a = excluded.a;
SELECT left(a, 11) AS a, left(b, 6) AS b FROM two;
DROP TABLE two;

-- rows that seem to have the key of another one to the guard, and are stored: keys that read generated columns, or that a later trigger changes
CREATE TABLE pages (id int, url text, archived_at timestamptz, archived bool GENERATED ALWAYS AS (archived_at IS NOT NULL) STORED, body text);
CREATE UNIQUE INDEX ON pages (url) WHERE archived IS NOT TRUE;
ALTER TABLE pages ADD PRIMARY KEY (id);
SELECT neardup.protect('pages', 'body');
INSERT INTO pages VALUES (1, 'u', NULL, DEFAULT, 'Rain is expected on Tuesday in all districts along the river, with strong wind in the afternoon.');
INSERT INTO pages VALUES (2, 'u', '2031-01-01', DEFAULT, 'The ferry to the island stops running at nine in the evening until the end of the month.');
INSERT INTO pages VALUES (3, 'u', '2031-01-01', DEFAULT, 'The ferry to the island stops running at nine in the evening until the end of the month!');
CREATE FUNCTION next_id() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.id := (SELECT coalesce(max(id), 0) + 1 FROM pages); RETURN NEW; END $$;
CREATE TRIGGER zzz_id BEFORE INSERT ON pages FOR EACH ROW EXECUTE FUNCTION next_id();
INSERT INTO pages VALUES (1, 'v', NULL, DEFAULT, 'The library opens until eleven from this week on; seats are booked at the machines.');
INSERT INTO pages VALUES (1, 'w', NULL, DEFAULT, 'The library opens until eleven from this week on; seats are booked at the machines!');
SELECT id, url, left(body, 11) AS body FROM pages ORDER BY id;
ALTER TABLE pages DISABLE TRIGGER zzz_id;
INSERT INTO pages VALUES (1, 'x', NULL, DEFAULT, 'The mayor opened the new bridge over the river.') ON CONFLICT (id) DO UPDATE SET body = excluded.body;
SELECT id, url, left(body, 11) AS body FROM pages ORDER BY id;
DROP TABLE pages;
DROP FUNCTION next_id();

-- duplicates that go to another table than before are no secret
CREATE TABLE mail (id int PRIMARY KEY, body text);
SELECT neardup.protect('mail', 'body', on_duplicate => 'divert');
SELECT neardup.unprotect('mail', 'body');
SELECT neardup.protect('mail', 'body', on_duplicate => 'divert');
DROP TABLE mail, mail_diverted, mail_diverted_1;
