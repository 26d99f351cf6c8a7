-- a title beside the body: they are one document
CREATE TABLE stories (id int PRIMARY KEY, title varchar(100), body text, seen int DEFAULT 0);
SELECT neardup.protect('stories', 'body', columns => ARRAY['body', 'title']::name[]);
INSERT INTO stories VALUES (1, '新住院楼启用', '三百余名医护人员到场，急诊科将于下周一迁入。');
INSERT INTO stories VALUES (2, '新住院楼启用', '三百余名医护人员到场，急诊科将于下周一迁入。');
INSERT INTO stories VALUES (3, '石桥镇年货市集开张，两百多个摊位沿河排开', '三百余名医护人员到场，急诊科将于下周一迁入。');
SELECT body_simhash = simhash(body || E'\n' || title, 'chars:3') AS together FROM stories ORDER BY id;
-- any of the columns is judged when it changes, others are not
UPDATE stories SET title = '新住院楼启用' WHERE id = 3;
UPDATE stories SET seen = 1 WHERE id = 3;
-- a part that is missing is left out; without the document column there is none
INSERT INTO stories VALUES (4, NULL, '望岑县的苹果今年熟得早，果农在合作社门口排起长队。'), (5, '望岑县的苹果今年熟得早', NULL);
SELECT id, body_simhash IS NOT NULL AS signed FROM stories ORDER BY id;
SELECT document, columns FROM neardup.protected;
SELECT neardup.protect('stories', 'body');
SELECT neardup.protect('stories', 'body', columns => ARRAY['title']::name[]);
SELECT neardup.protect('stories', 'body', columns => ARRAY['body', 'id']::name[]);
SELECT neardup.unprotect('stories');

-- what a function makes of the row
CREATE FUNCTION story_text(stories) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN $1.seen < 0 THEN NULL ELSE split_part($1.body, '（', 1) || coalesce($1.title, '') END;
SELECT neardup.protect('stories', 'body', columns => ARRAY['body', 'title', 'seen']::name[], expression => 'story_text', verify => 'overlap', similarity => 0.9);
CALL neardup.backfill('stories');
INSERT INTO stories VALUES (6, '新住院楼启用', '三百余名医护人员到场，急诊科将于下周一迁入。（记者甲乙丙丁戊己庚辛，通讯员东南西北春夏秋冬）');
INSERT INTO stories VALUES (7, '新住院楼启用', '三百余名医护人员到场，急诊科将于下周一迁入。', -1);
UPDATE stories SET seen = 2 WHERE id = 7;
SELECT id, body_simhash = simhash(story_text(stories), 'chars:3') AS signed FROM stories ORDER BY id;
SELECT expression, columns FROM neardup.protected;
ALTER FUNCTION story_text RENAME TO tale;
UPDATE stories SET seen = 3 WHERE id = 1;
ALTER FUNCTION tale RENAME TO story_text;
UPDATE stories SET seen = 3 WHERE id = 1;
CREATE FUNCTION loud(stories) RETURNS text LANGUAGE sql STABLE RETURN $1.body;
SELECT neardup.protect('stories', 'body', expression => 'loud');
SELECT neardup.protect('stories', 'body', expression => 'nothing');
DROP TABLE stories CASCADE;

-- and of the row of a partition that has its columns in another order
CREATE TABLE parted (id int, body text, title text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE parted_1 (title text, junk int, body text, id int NOT NULL);
ALTER TABLE parted_1 DROP COLUMN junk;
ALTER TABLE parted ATTACH PARTITION parted_1 FOR VALUES FROM (0) TO (10);
CREATE FUNCTION parted_text(parted) RETURNS text LANGUAGE sql IMMUTABLE RETURN $1.title || '：' || $1.body;
SELECT neardup.protect('parted', 'body', columns => ARRAY['body', 'title']::name[], expression => 'parted_text', verify => 'cosine', similarity => 0.9);
INSERT INTO parted (id, body, title) VALUES (1, '三百余名医护人员到场，急诊科将于下周一迁入。', '新住院楼启用');
INSERT INTO parted (id, body, title) VALUES (2, '三百余名医护人员到场，急诊科将于下周一迁入。', '新住院楼启用');
SELECT body_simhash = simhash('新住院楼启用：三百余名医护人员到场，急诊科将于下周一迁入。', 'chars:3') AS signed FROM parted;
DROP TABLE parted CASCADE;

-- signed under a profile, in the version that is the newest now
SELECT neardup.create_profile('press', words => '{蓝鲸湾公司}') AS version;
CREATE TABLE papers (id int PRIMARY KEY, body text);
SELECT neardup.protect('papers', 'body', analyzer => 'profile:press', verify => 'overlap', similarity => 0.9);
SELECT analyzer FROM neardup.protected;
INSERT INTO papers VALUES (1, '蓝鲸湾公司昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入。');
INSERT INTO papers VALUES (2, '蓝鲸湾公司昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入！');
SELECT body_simhash = neardup.profile_simhash(body, 'press') AS signed FROM papers;
SELECT guards FROM neardup.profiles;
DROP TABLE papers;

-- a column has one part in a guard
CREATE TABLE twice (id int PRIMARY KEY, site text, body text, at date);
SELECT neardup.protect('twice', 'body', columns => '{body,site}', scope => '{site}');
SELECT neardup.protect('twice', 'body', scope => '{site,site}');
DROP TABLE twice;
