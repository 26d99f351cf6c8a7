-- row security: what guards and clean-ups tell a role of rows that it may not see
\set SHOW_CONTEXT never
CREATE ROLE tenant_a;
CREATE ROLE loader;
CREATE TABLE notes (id int PRIMARY KEY, tenant name DEFAULT current_user, body text);
SELECT neardup.protect('notes', 'body', on_related => 'mark', on_duplicate => 'mark');
INSERT INTO notes VALUES (77, 'tenant_b', 'The health office reports 66 new cases in the city yesterday, all found in quarantine; 12 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation.');
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON notes TO tenant_a USING (tenant = current_user);
CREATE POLICY load ON notes FOR INSERT TO loader WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO tenant_a;
GRANT INSERT ON notes TO loader;
-- marks name no row that the writer does not see
SET ROLE tenant_a;
INSERT INTO notes VALUES (1, DEFAULT, 'The health office reports 94 new cases in the city yesterday, all found in quarantine; 15 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation.')
RETURNING related_to, related_as, duplicate_of;
INSERT INTO notes VALUES (2, DEFAULT, 'BREAKING: The health office reports 66 new cases in the city yesterday, all found in quarantine; 12 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation!')
RETURNING related_to, related_as, duplicate_of;
DELETE FROM notes WHERE id = 2;
-- but those that they see
INSERT INTO notes VALUES (3, DEFAULT, 'BREAKING: The health office reports 94 new cases in the city yesterday, all found in quarantine; 15 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation!')
RETURNING related_to, related_as, duplicate_of;
RESET ROLE;
-- a writer who may read nothing marks rows as before
SET ROLE loader;
INSERT INTO notes VALUES (4, 'tenant_b', 'BREAKING: The health office reports 66 new cases in the city yesterday, all found in quarantine; 12 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation!'),
    (5, 'tenant_b', 'The health office reports 51 new cases in the city yesterday, all found in quarantine; 17 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation.');
RESET ROLE;
SELECT id, duplicate_of, related_to IS NOT NULL AS is_related FROM notes WHERE id IN (4, 5) ORDER BY id;
-- a key of two columns, of which one has a type whose texts are not known here
CREATE TABLE bills (day date, id int, tenant name DEFAULT current_user, body text, PRIMARY KEY (day, id));
SELECT neardup.protect('bills', 'body', on_duplicate => 'mark');
INSERT INTO bills VALUES ('2031-05-04', 1, 'tenant_b', 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn, and the cider press runs late.'),
    ('2031-05-04', 2, 'tenant_a', 'The roof of the sports hall now carries solar panels with four hundred kilowatts, enough for the lamps and the pumps at noon.');
ALTER TABLE bills ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON bills USING (tenant = current_user);
GRANT SELECT, INSERT ON bills TO tenant_a;
SET ROLE tenant_a;
INSERT INTO bills VALUES ('2031-05-05', 1, DEFAULT, 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn, and the cider press runs late!'),
    ('2031-05-05', 2, DEFAULT, 'The roof of the sports hall now carries solar panels with four hundred kilowatts, enough for the lamps and the pumps at noon!')
RETURNING id, duplicate_of;
RESET ROLE;
-- a clean-up does not tell whether answers are about a text: the role makes the list itself, puts hashes of texts that it guesses in, and keeps by a
-- trigger what finds out that they are not those of its rows
CREATE TABLE memos (id int PRIMARY KEY, tenant name, body text);
SELECT neardup.protect('memos', 'body', on_duplicate => 'warn');
SET client_min_messages = error;
INSERT INTO memos VALUES (1, 'tenant_b', 'The merger of the two houses will be announced on Monday at noon in the hotel by the lake by both chairmen.'),
    (2, 'tenant_b', 'The merger of the two houses will be announced on Monday at noon in the hotel by the lake by both chairmen!'),
    (11, 'tenant_a', 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn, and the cider press runs late.'),
    (12, 'tenant_a', 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn, and the cider press runs late!');
RESET client_min_messages;
SELECT neardup.answer('memos', '1', '2', false);
ALTER TABLE memos ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON memos USING (tenant = current_user);
GRANT SELECT, UPDATE, DELETE ON memos TO tenant_a;
SET ROLE tenant_a;
SELECT jsonb_build_object('target', 'memos'::regclass::oid::bigint, 'keep', 'oldest', 'settled', true) AS arguments \gset
SELECT neardup_internal.list_copies(:'arguments', 'delete');
UPDATE neardup_chosen SET document_hash = neardup_internal.text_hash('The merger of the two houses will be announced on Monday at noon in the hotel by the lake by both chairmen!'),
    stays_hash = neardup_internal.text_hash('The merger of the two houses will be announced on Monday at noon in the hotel by the lake by both chairmen.');
CREATE FUNCTION pg_temp.stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN NEW.reason = 'changed meanwhile' THEN NULL ELSE NEW END; END $$;
CREATE TRIGGER stays BEFORE UPDATE ON neardup_chosen FOR EACH ROW EXECUTE FUNCTION pg_temp.stays();
SELECT neardup_internal.begin_run(:'arguments', 'delete', 'oldest', 1) AS run \gset
BEGIN;
SELECT neardup_internal.cleanup_batch(:'arguments', 'delete', :run, 1, 0, 1);
SELECT k1, reason FROM neardup_chosen;
RESET ROLE;
SELECT key, other, act, hash = neardup_internal.text_hash('Apples ripened early in the valley this year; growers queue at the cooperative before dawn, and the cider press runs late.') AS of_her_row FROM memos_answers;
ROLLBACK;
SET ROLE tenant_a;
-- a clean-up of its own rows goes by the answers about them
DROP TABLE neardup_chosen;
RESET ROLE;
SELECT neardup.answer('memos', '11', '12', false);
SET ROLE tenant_a;
CALL neardup.cleanup('memos', dry_run => false, action => 'delete');
RESET ROLE;
SELECT id FROM memos ORDER BY id;
DROP TABLE notes, bills, memos, memos_answers;
DROP OWNED BY tenant_a, loader;
DROP ROLE tenant_a, loader;
