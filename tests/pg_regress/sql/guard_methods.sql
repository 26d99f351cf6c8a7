-- how candidates are found: by the keys of sketches, or by SimHash within a distance, all of them
\set SHOW_CONTEXT never
CREATE TABLE essays (id int PRIMARY KEY, body text);
SELECT neardup.protect('essays', 'body', method => 'simhash');
SELECT method, analyzer, keys, distance, verify FROM neardup.protected;
SELECT pg_get_indexdef(indexrelid, 1, true) AS key FROM pg_index WHERE indrelid = 'essays'::regclass AND NOT indisprimary;
INSERT INTO essays VALUES (1, '鹭湾区图书馆本周起延长夜间开放时间，三楼自习室每晚开到十一点，读者凭证件在自助机上预约座位即可入内，儿童阅览区仍在六点闭馆。');
INSERT INTO essays VALUES (2, '鹭湾区图书馆本周起延长夜间开放时间，三楼自习室每晚开到十一点，读者凭证件在自助机上预约座位即可入内，儿童阅览区仍在六点闭馆。（完）');
-- the signature alone decides, exactly: within the distance nothing gets in, beyond it everything
SELECT neardup.protect('essays', 'body', method => 'simhash', distance => 3, verify => 'none', on_duplicate => 'skip', log => true);
INSERT INTO essays VALUES (3, '鹭湾区图书馆本周起延长夜间开放时间，三楼自习室每晚开到十一点，读者凭证件在自助机上预约座位即可入内，儿童阅览区仍在六点闭馆。（完）');
INSERT INTO essays SELECT 100 + i, 'The museum of the river shows boat number ' || i || ' from Sunday on, a ferry of the year ' || 1700 + i FROM generate_series(1, 200) i;
SELECT count(*) FROM essays a JOIN essays b ON a.id < b.id WHERE simhash(a.body, 'chars:3') <~> simhash(b.body, 'chars:3') <= 3;
SELECT count(*) > 0 AS some, max(value) <= 3 AS within, min(measure) AS measure FROM neardup.verdicts;
SELECT bool_and(EXISTS (SELECT FROM essays e WHERE e.id::text = v.duplicate_of AND simhash(e.body, 'chars:3') <~>
    simhash('The museum of the river shows boat number ' || v.key::int - 100 || ' from Sunday on, a ferry of the year ' || 1600 + v.key::int, 'chars:3') = v.value)) AS as_logged
FROM neardup.verdicts v WHERE v.key::int > 100;
SELECT neardup.protect('essays', 'body', method => 'simhash', distance => 0, verify => 'none', reset => '{all}');
INSERT INTO essays SELECT 500, body FROM essays WHERE id = 1;
INSERT INTO essays SELECT 501, body || '（完）' FROM essays WHERE id = 1;
-- to sketches and back: each has its index, and both stay
SELECT neardup.protect('essays', 'body', keys => 12, analyzer => 'shingles:3', reset => '{all}');
INSERT INTO essays SELECT 502, '快讯：' || body FROM essays WHERE id = 1;
SELECT neardup.protect('essays', 'body', method => 'simhash', distance => 5, verify => 'none', reset => '{all}');
SELECT pg_get_indexdef(indexrelid, 1, true) AS key FROM pg_index WHERE indrelid = 'essays'::regclass AND NOT indisprimary ORDER BY 1;
DELETE FROM neardup.verdicts;
DROP TABLE essays;

-- two guards on one table, one of each kind; the row is judged by both
CREATE TABLE papers (id int PRIMARY KEY, title text, body text);
SELECT neardup.protect('papers', 'body', method => 'simhash', on_duplicate => 'skip'), neardup.protect('papers', 'title', on_duplicate => 'mark');
INSERT INTO papers VALUES (1, '地铁三号线二期今日开通试运营', '鹭湾区图书馆本周起延长夜间开放时间，三楼自习室每晚开到十一点，读者凭证件在自助机上预约座位即可入内。');
INSERT INTO papers VALUES (2, '另一个标题，与前面的毫不相干', '鹭湾区图书馆本周起延长夜间开放时间，三楼自习室每晚开到十一点，读者凭证件在自助机上预约座位即可入内。');
INSERT INTO papers VALUES (3, '地铁三号线二期今日开通试运营', '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖，镇上还请来戏班唱了三天大戏。');
SELECT id, duplicate_of FROM papers ORDER BY id;
SELECT document, action, count FROM neardup.counters ORDER BY 1;
SELECT neardup.unprotect('papers', 'title');
SELECT document FROM neardup.protected;
INSERT INTO papers VALUES (4, '地铁三号线二期今日开通试运营', '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车，发往三百公里外的批发市场。') RETURNING id;
SELECT neardup.unprotect('papers');

-- tables that inherit are not covered, and it is said
CREATE TABLE below () INHERITS (papers);
SELECT neardup.protect('papers', 'body', reset => '{all}');
ALTER TABLE below ADD PRIMARY KEY (id);
SELECT neardup.protect('below', 'body');
INSERT INTO below SELECT 5, title, body FROM ONLY papers WHERE id = 4;
INSERT INTO below SELECT 6, title, body FROM ONLY papers WHERE id = 4;
DROP TABLE below, papers;

-- what does not fit
CREATE TABLE essays (id int PRIMARY KEY, body text);
SELECT neardup.protect('essays', 'body', method => 'luck');
SELECT neardup.protect('essays', 'body', method => 'minhash');
SELECT neardup.protect('essays', 'body', distance => 3);
SELECT neardup.protect('essays', 'body', keys => 0);
SELECT neardup.protect('essays', 'body', keys => 65);
SELECT neardup.protect('essays', 'body', method => 'simhash', keys => 8);
SELECT neardup.protect('essays', 'body', method => 'simhash', distance => 12);
SELECT neardup.protect('essays', 'body', method => 'simhash', distance => -1);
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'essays'::regclass;
DROP TABLE essays;
