-- ALTER TABLE ... OWNER leaves the tables of removed rows and of answers beside the table with the former owner: a clean-up then knows neither. The hints
-- name both, and without the answers nothing is removed that may have been restored.
CREATE ROLE former_owner;
CREATE ROLE new_owner;
GRANT CREATE, USAGE ON SCHEMA public TO former_owner, new_owner;
SET ROLE former_owner;
CREATE TABLE docs (id int PRIMARY KEY, body text);
INSERT INTO docs VALUES
(1, 'The harbour bridge will close for repairs from Monday until the end of the month, the city said. Buses 4 and 9 take the tunnel instead.'),
(2, 'The harbour bridge will close for repairs from Monday until the end of the month, the city said. Buses 4 and 9 take the tunnel instead!'),
(3, 'East Lake Park opens to the public free of charge from today, with four kilometres of new paths, three viewing platforms and a library for children.'),
(4, 'East Lake Park opens to the public free of charge from today, with four kilometres of new paths, three viewing platforms and a library for children!');
SELECT neardup.protect('docs', 'body', on_duplicate => 'warn');
SET client_min_messages = warning;
CALL neardup.cleanup('docs', dry_run => false);
CALL neardup.restore('docs', key => '2');
RESET client_min_messages;
RESET ROLE;
ALTER TABLE docs OWNER TO new_owner;
\set SHOW_CONTEXT never
SET ROLE new_owner;
CALL neardup.cleanup('docs', dry_run => false);
CALL neardup.restore('docs', key => '4');
RESET ROLE;
ALTER TABLE docs_removed OWNER TO new_owner;
SET ROLE new_owner;
-- A dry run warns; what would remove or restore rows does not begin.
SET client_min_messages = warning;
CALL neardup.cleanup('docs');
RESET client_min_messages;
CALL neardup.cleanup('docs', dry_run => false);
CALL neardup.cleanup('docs', action => 'delete', dry_run => false);
CALL neardup.restore('docs', key => '4');
SELECT id FROM docs ORDER BY id;
RESET ROLE;
ALTER TABLE docs_answers OWNER TO new_owner;
SET ROLE new_owner;
CALL neardup.cleanup('docs', dry_run => false);
SET client_min_messages = warning;
CALL neardup.restore('docs', key => '4');
RESET client_min_messages;
SELECT id FROM docs ORDER BY id;
-- A stranger's table of that name says nothing, and stops nothing where none was restored.
CREATE TABLE others (id int PRIMARY KEY, body text);
INSERT INTO others TABLE docs;
SELECT neardup.protect('others', 'body', on_duplicate => 'warn');
SET ROLE former_owner;
CREATE TABLE others_answers (is_copy boolean, other_hash bigint);
SET ROLE new_owner;
CALL neardup.cleanup('others', dry_run => false);
RESET ROLE;
DROP TABLE docs, docs_removed, docs_answers, others, others_removed, others_answers CASCADE;
REVOKE CREATE, USAGE ON SCHEMA public FROM former_owner, new_owner;
DROP ROLE former_owner, new_owner;
