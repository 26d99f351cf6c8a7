-- A table that gets another owner: the tables beside it have to get that owner, too, or what was restored is not known
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE ROLE regress_former;
CREATE ROLE regress_present;
GRANT CREATE ON SCHEMA public TO regress_former, regress_present;
SET ROLE regress_former;
CREATE TABLE docs (id int PRIMARY KEY, body text);
INSERT INTO docs SELECT i, 'Apples ripened early in the valley; growers queue at the cooperative before dawn, and the press runs until late.' FROM generate_series(1, 3) i;
SELECT neardup.protect('docs', 'body', on_duplicate => 'warn');
CALL neardup.cleanup('docs', dry_run => false);
CALL neardup.restore('docs', 1);
RESET ROLE;
ALTER TABLE docs OWNER TO regress_present;
SET ROLE regress_present;
-- both statements are said
CALL neardup.cleanup('docs', dry_run => false);
RESET ROLE;
ALTER TABLE docs_removed OWNER TO regress_present;
SET ROLE regress_present;
CALL neardup.cleanup('docs', dry_run => false);
SELECT count(*) FROM docs;
CALL neardup.cleanup('docs');
RESET ROLE;
ALTER TABLE docs_answers OWNER TO regress_present;
SET ROLE regress_present;
CALL neardup.cleanup('docs', dry_run => false);
SELECT count(*) FROM docs;
RESET ROLE;
DROP TABLE docs, docs_removed, docs_answers;
REVOKE CREATE ON SCHEMA public FROM regress_former, regress_present;
DROP ROLE regress_former, regress_present;
