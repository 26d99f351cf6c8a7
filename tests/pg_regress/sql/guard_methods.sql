-- a guard by overlap: short texts, and what holds them
CREATE TABLE headlines (id int PRIMARY KEY, title text, source text);
SELECT neardup.protect('headlines', 'title', method => 'overlap', similarity => 0.8, analyzer => 'chars:2', verify => 'none', log => true);
SELECT signature, method, similarity, distance, bands, rows, verify FROM neardup.protected;
INSERT INTO headlines VALUES (1, '地铁三号线二期今日开通', 'a');
INSERT INTO headlines VALUES (2, '快讯：地铁三号线二期今日开通', 'b');
INSERT INTO headlines VALUES (3, '东湖公园免费开放', 'a'), (4, '石桥镇年货市集开张', 'a');
SELECT id, title_tokens = token_keys(title, 'chars:2') AS as_documented FROM headlines ORDER BY id;
-- all of one statement; the nearest one is named
INSERT INTO headlines VALUES (5, '东湖公园今起免费开放', 'a'), (6, '东湖公园今起免费开放啦', 'a');
SELECT neardup.protect('headlines', 'title', method => 'overlap', similarity => 0.5, analyzer => 'chars:2', verify => 'none', on_duplicate => 'mark', log => true);
INSERT INTO headlines VALUES (5, '东湖公园今起免费开放', 'a'), (6, '东湖公园今起免费开放啦', 'a'), (7, '望岑县苹果熟得早', 'a') RETURNING id, duplicate_of;
SELECT action, key, duplicate_of, measure, round(value::numeric, 3) AS value FROM neardup.verdicts ORDER BY verdict_id;
-- another bound, another index
SELECT pg_get_indexdef(indexrelid, 1, true) FROM pg_index WHERE indrelid = 'headlines'::regclass AND NOT indisprimary;
-- an update is judged, and other columns are not
UPDATE headlines SET source = 'z' WHERE id = 5 RETURNING duplicate_of;
UPDATE headlines SET title = '望岑县苹果今年熟得早' WHERE id = 6 RETURNING duplicate_of;
-- texts without a token, and none
INSERT INTO headlines VALUES (8, '', 'a'), (9, '！', 'a'), (10, NULL, 'a') RETURNING title_tokens;
-- an index that is missing makes it slow, not wrong; backfill signs
DROP INDEX headlines_overlap_keys_idx;
INSERT INTO headlines VALUES (11, '望岑县苹果熟得早了', 'a') RETURNING duplicate_of;
ALTER TABLE headlines DISABLE TRIGGER USER;
INSERT INTO headlines VALUES (12, '湖滨大道两车相撞', 'a');
ALTER TABLE headlines ENABLE TRIGGER USER;
CALL neardup.backfill('headlines');
INSERT INTO headlines VALUES (13, '湖滨大道两车相撞', 'a') RETURNING duplicate_of;
SELECT count(*) FROM headlines WHERE title_tokens IS DISTINCT FROM nullif(token_keys(title, 'chars:2'), '{}');
-- what works on simhash signatures says so
SELECT * FROM neardup.duplicates('headlines');
CALL neardup.cleanup('headlines');
SELECT neardup.unprotect('headlines');
DROP TABLE headlines;
DELETE FROM neardup.verdicts;

-- a guard by MinHash
CREATE TABLE essays (id int PRIMARY KEY, body text);
SELECT neardup.protect('essays', 'body', method => 'minhash', similarity => 0.7, verify => 'none');
SELECT signature, method, similarity, bands, rows FROM neardup.protected;
INSERT INTO essays SELECT i, string_agg(md5(i || ' ' || j), ' ' ORDER BY j) FROM generate_series(1, 60) i, generate_series(1, 10) j GROUP BY i;
-- a tenth of the text is exchanged
INSERT INTO essays SELECT 101, substr(body, 34) || md5('other') FROM essays WHERE id = 1;
INSERT INTO essays SELECT 102, body FROM essays WHERE id = 2;
SELECT neardup.protect('essays', 'body', method => 'minhash', similarity => 0.7, on_duplicate => 'skip');
-- with the texts compared
INSERT INTO essays SELECT 200 + id, body FROM essays WHERE id <= 40;
INSERT INTO essays SELECT 300 + id, body || ' ' || md5('x' || id) FROM essays WHERE id <= 40;
SELECT count(*) FILTER (WHERE id BETWEEN 200 AND 299) AS same, count(*) FILTER (WHERE id > 300) AS longer FROM essays;
SELECT bool_and(body_minhash = minhash(body, 'chars:3')) AS as_documented FROM essays;
SELECT neardup.protect('essays', 'body', method => 'minhash', similarity => 0.7, on_duplicate => 'skip', verify => 'none');
INSERT INTO essays SELECT 400 + id, body FROM essays WHERE id <= 60;
INSERT INTO essays SELECT 500 + id, substr(body, 34) || md5('other' || id) FROM essays WHERE id <= 60;
SELECT count(*) FROM essays WHERE id > 400;
UPDATE essays SET body = (SELECT body FROM essays WHERE id = 2) WHERE id = 3 RETURNING id;

-- what does not fit
SELECT neardup.protect('essays', 'body');
SELECT neardup.protect('essays', 'body', method => 'minhash');
SELECT neardup.protect('essays', 'body', method => 'minhash', similarity => 1);
SELECT neardup.protect('essays', 'body', method => 'minhash', similarity => 0.01);
SELECT neardup.protect('essays', 'body', method => 'minhash', similarity => 0.8, verify => 'cosine');
SELECT neardup.protect('essays', 'body', method => 'minhash', similarity => 0.8, distance => 3);
SELECT neardup.protect('essays', 'body', method => 'minhash', similarity => 0.8, search_index => true);
SELECT neardup.protect('essays', 'body', method => 'luck');
DROP TABLE essays;

-- the index that searches use is made where it is asked for, also later, and stays
CREATE TABLE searched (id int PRIMARY KEY, body text);
SELECT neardup.protect('searched', 'body');
SELECT neardup.protect('searched', 'body', search_index => true);
SELECT neardup.protect('searched', 'body');
SELECT pg_get_indexdef(indexrelid, 1, true) FROM pg_index WHERE indrelid = 'searched'::regclass AND NOT indisprimary ORDER BY 1;
-- of an excerpt pair the longer text gets in, and the excerpt of one that is there does not
SELECT neardup.unprotect('searched');
SELECT neardup.protect('searched', 'body', method => 'overlap', similarity => 0.8);
INSERT INTO searched VALUES (1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO searched VALUES (2, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。市民凭身份证入园，周一闭园检修。');
INSERT INTO searched VALUES (3, '市民凭身份证入园，周一闭园检修。东湖公园今起免费开放，设有三处观景台和一座儿童图书馆。');
SELECT neardup.unprotect('searched');
-- tables that inherit are not covered, and it is said
CREATE TABLE below () INHERITS (searched);
SELECT neardup.protect('searched', 'body');
ALTER TABLE below ADD PRIMARY KEY (id);
SELECT neardup.protect('below', 'body');
INSERT INTO searched VALUES (4, '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车。');
INSERT INTO below SELECT 5, body FROM ONLY searched WHERE id = 4;
INSERT INTO below SELECT 6, body FROM ONLY searched WHERE id = 4;
SELECT neardup.unprotect('below');
SELECT count(*) FROM pg_index WHERE indrelid = 'below'::regclass;
SELECT neardup.unprotect('searched');
DROP TABLE below, searched;

-- another bound: the guard's own index goes, somebody else's on the same column stays
CREATE TABLE notes (id int PRIMARY KEY, body text);
SELECT neardup.protect('notes', 'body', method => 'overlap', similarity => 0.8);
CREATE INDEX own ON notes USING gin (overlap_keys(body_tokens, 0.6));
SELECT neardup.protect('notes', 'body', method => 'overlap', similarity => 0.9);
SELECT indexrelid::regclass AS index, pg_get_indexdef(indexrelid, 1, true) AS expression
FROM pg_index WHERE indrelid = 'notes'::regclass AND NOT indisprimary ORDER BY 1::text;
DROP TABLE notes;
-- an index with other bands is not the one to search by
CREATE TABLE notes (id int PRIMARY KEY, body text);
SELECT neardup.protect('notes', 'body');
CREATE INDEX own ON notes USING gin (simhash_bands(body_simhash, 8));
SELECT neardup.protect('notes', 'body', search_index => true);
SELECT pg_get_indexdef(i.indexrelid, 1, true) AS expression
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
WHERE i.indrelid = 'notes'::regclass AND m.amname = 'gin' ORDER BY 1;
DROP TABLE notes;
