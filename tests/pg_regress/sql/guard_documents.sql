-- a title beside the body: they are one document
\set SHOW_CONTEXT never
CREATE TABLE stories (id int PRIMARY KEY, title varchar(100), body text, seen int DEFAULT 0);
SELECT neardup.protect('stories', 'body', columns => ARRAY['body', 'title']::name[]);
INSERT INTO stories VALUES (1, '新住院楼启用', '三百余名医护人员到场，急诊科将于下周一迁入。');
INSERT INTO stories VALUES (2, '新住院楼启用', '三百余名医护人员到场，急诊科将于下周一迁入。');
INSERT INTO stories VALUES (3, '石桥镇年货市集开张，两百多个摊位沿河排开', '镇上还请来戏班唱了三天大戏，河边的茶馆座无虚席。');
SELECT pg_get_indexdef(indexrelid, 1, true) AS key FROM pg_index WHERE indrelid = 'stories'::regclass AND NOT indisprimary;
-- any of the columns is judged when it changes, others are not
UPDATE stories SET title = '新住院楼启用', body = '三百余名医护人员到场，急诊科将于下周一迁入！' WHERE id = 3;
UPDATE stories SET seen = 1 WHERE id = 3;
-- a part that is missing is left out; without the document column there is none
INSERT INTO stories VALUES (4, NULL, '望岑县的苹果今年熟得早，果农在合作社门口排起长队。'), (5, '望岑县的苹果今年熟得早', NULL), (6, '望岑县的苹果今年熟得早', NULL);
INSERT INTO stories VALUES (7, NULL, '望岑县的苹果今年熟得早，果农在合作社门口排起长队！');
SELECT id FROM stories ORDER BY id;
SELECT document, columns FROM neardup.protected;
-- an index on the columns in another order is none of this guard, the other columns make another document
SELECT neardup.protect('stories', 'body', reset => '{all}');
SELECT neardup.protect('stories', 'body', columns => ARRAY['title']::name[]);
SELECT neardup.protect('stories', 'body', columns => ARRAY['body', 'id']::name[]);
SELECT neardup.unprotect('stories');
CREATE INDEX turned ON stories USING neardup (sketch(neardup.document(title, body)));
CREATE INDEX straight ON stories USING neardup (sketch(neardup.document(body, title)));
DROP INDEX stories_sketch_idx;
SELECT neardup.protect('stories', 'body', columns => ARRAY['body', 'title']::name[]);
SELECT indexrelid::regclass AS index FROM pg_index WHERE indrelid = 'stories'::regclass AND NOT indisprimary ORDER BY indexrelid::regclass::text;
INSERT INTO stories VALUES (8, '新住院楼启用', '三百余名医护人员到场，急诊科将于下周一迁入。');
SELECT neardup.unprotect('stories');

-- what a function makes of the row, in SQL and in PL/pgSQL; Postgres writes SQL functions out in an index
CREATE FUNCTION story_text(stories) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN $1.seen < 0 THEN NULL ELSE split_part($1.body, '（', 1) || coalesce($1.title, '') END;
SELECT neardup.protect('stories', 'body', columns => ARRAY['body', 'title', 'seen']::name[], expression => 'story_text', verify => 'overlap', threshold => 0.9);
INSERT INTO stories VALUES (9, '新住院楼启用', '三百余名医护人员到场，急诊科将于下周一迁入。（记者甲乙丙丁戊己庚辛，通讯员东南西北春夏秋冬）');
INSERT INTO stories VALUES (10, '新住院楼启用', '三百余名医护人员到场，急诊科将于下周一迁入。', -1);
UPDATE stories SET seen = 2 WHERE id = 10;
SELECT id FROM stories WHERE id > 7 ORDER BY id;
SELECT expression, columns FROM neardup.protected;
ALTER FUNCTION story_text RENAME TO tale;
UPDATE stories SET seen = 3 WHERE id = 1;
ALTER FUNCTION tale RENAME TO story_text;
UPDATE stories SET seen = 3 WHERE id = 1;
CREATE FUNCTION loud(stories) RETURNS text LANGUAGE sql STABLE RETURN $1.body;
SELECT neardup.protect('stories', 'body', expression => 'loud');
SELECT neardup.protect('stories', 'body', expression => 'nothing');
-- a generated column has no value yet when the function is called
CREATE TABLE counted (id int PRIMARY KEY, body text, words text GENERATED ALWAYS AS (lower(body)) STORED);
CREATE FUNCTION counted_text(counted) RETURNS text LANGUAGE sql IMMUTABLE RETURN $1.body || ': ' || $1.words;
SELECT neardup.protect('counted', 'body', expression => 'counted_text');
DROP TABLE counted CASCADE;
-- what Postgres evaluates to inline a function, it evaluates as the owner of the table, as for an index, and for nobody else
CREATE ROLE regress_owner;
CREATE ROLE regress_stranger;
CREATE TABLE theirs (id int PRIMARY KEY, body text);
ALTER TABLE theirs OWNER TO regress_owner;
CREATE FUNCTION who() RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF current_user <> 'regress_owner' OR current_setting('role') <> 'none' THEN RAISE 'as %', current_user; END IF; RETURN ''; END $$;
CREATE FUNCTION their_text(theirs) RETURNS text LANGUAGE sql IMMUTABLE RETURN who() || $1.body;
SELECT neardup_internal.checked_guard('theirs', 'body', NULL, 'their_text', 'sketch', NULL, NULL, NULL, 'reject', 'facts', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'remove', 'store', false)::jsonb -> 'columns' AS columns;
SET ROLE regress_stranger;
SELECT neardup_internal.checked_guard('theirs', 'body', NULL, 'their_text', 'sketch', NULL, NULL, NULL, 'reject', 'facts', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'remove', 'store', false)::jsonb -> 'columns' AS columns;
RESET ROLE;
DROP TABLE theirs CASCADE;
DROP FUNCTION who;
DROP ROLE regress_owner, regress_stranger;
-- its writer needs the right to call it, as for an index, and none on its schema; it runs as the writer
CREATE ROLE regress_writer;
CREATE SCHEMA closed;
CREATE FUNCTION closed.who(stories) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'as %, with search_path %', current_user, current_setting('search_path'); RETURN $1.body; END $$;
SELECT neardup.unprotect('stories');
TRUNCATE stories;
SELECT neardup.protect('stories', 'body', expression => 'closed.who');
GRANT INSERT ON stories TO regress_writer;
SET ROLE regress_writer;
INSERT INTO stories VALUES (1, 'a', 'The harbour bridge stays closed until Monday, the city said on Friday.');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION closed.who FROM public;
SET ROLE regress_writer;
INSERT INTO stories VALUES (2, 'a', 'The harbour bridge stays closed until Monday, the city said on Friday.');
RESET ROLE;
DROP TABLE stories CASCADE;
DROP SCHEMA closed CASCADE;
DROP ROLE regress_writer;

-- and of the row of a partition that has its columns in another order
CREATE TABLE parted (id int, body text, title text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE parted_1 (title text, junk int, body text, id int NOT NULL);
ALTER TABLE parted_1 DROP COLUMN junk;
ALTER TABLE parted ATTACH PARTITION parted_1 FOR VALUES FROM (0) TO (10);
CREATE FUNCTION parted_text(parted) RETURNS text LANGUAGE sql IMMUTABLE RETURN $1.title || '：' || $1.body;
SELECT neardup.protect('parted', 'body', columns => ARRAY['body', 'title']::name[], expression => 'parted_text', verify => 'cosine', threshold => 0.9);
INSERT INTO parted (id, body, title) VALUES (1, '三百余名医护人员到场，急诊科将于下周一迁入。', '新住院楼启用');
INSERT INTO parted (id, body, title) VALUES (2, '三百余名医护人员到场，急诊科将于下周一迁入。', '新住院楼启用');
INSERT INTO parted_1 (id, body, title) VALUES (3, '三百余名医护人员到场，急诊科将于下周一迁入。', '新住院楼启用');
SELECT id FROM parted;
-- whoever deletes needs no right on the function, and can do so where it is gone
CREATE ROLE regress_deleter;
GRANT SELECT, DELETE ON parted TO regress_deleter;
REVOKE EXECUTE ON FUNCTION parted_text FROM public;
SET ROLE regress_deleter;
DELETE FROM parted RETURNING id;
RESET ROLE;
ALTER FUNCTION parted_text RENAME TO gone;
INSERT INTO parted (id, body, title) VALUES (2, '三百余名医护人员到场，急诊科将于下周一迁入。', '新住院楼启用');
ALTER TABLE parted DISABLE TRIGGER USER;
INSERT INTO parted (id, body, title) VALUES (2, '三百余名医护人员到场，急诊科将于下周一迁入。', '新住院楼启用');
ALTER TABLE parted ENABLE TRIGGER USER;
DELETE FROM parted RETURNING id;
REVOKE ALL ON parted FROM regress_deleter;
DROP ROLE regress_deleter;
DROP TABLE parted CASCADE;

-- a column has one part in a guard
CREATE TABLE twice (id int PRIMARY KEY, site text, body text, at date);
SELECT neardup.protect('twice', 'body', columns => '{body,site}', scope => '{site}');
SELECT neardup.protect('twice', 'body', scope => '{site,site}');
DROP TABLE twice;
