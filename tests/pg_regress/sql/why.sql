-- why: the rows that share a key with a text or a row, as the guard tests them
CREATE TABLE articles (id int PRIMARY KEY, url text UNIQUE, tenant text, day date, body text);
SELECT neardup.protect('articles', 'body', scope => '{tenant}', time_column => 'day', within => '3 days');
INSERT INTO articles VALUES
    (1, 'a', 'x', '2031-03-01', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心。'),
    (2, 'b', 'x', '2031-03-01', '市卫健委通报：昨日全市新增确诊病例66例，均在隔离点发现，当日治愈出院12例，现有密切接触者三百余人正在医学观察。'),
    (3, 'c', 'y', '2031-03-01', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心。（转）'),
    (4, 'd', 'x', '2031-03-09', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心！');
-- a text: its scope and time are any
SELECT key, shared_keys > 0 AS shares, outcome, verdict, round(score::numeric, 2) AS score, round(overlap::numeric, 2) AS overlap, reasons[1]
FROM neardup.why('articles', '市卫健委通报：昨日全市新增确诊病例94例，均在隔离点发现，当日治愈出院15例，现有密切接触者三百余人正在医学观察。');
SELECT key, outcome, verdict FROM neardup.why('articles', '【快讯】清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心。');
-- a row: why it got in
SELECT key, shared_keys = keys AS all_keys, outcome, verdict FROM neardup.why('articles', key => '3') ORDER BY key;
SELECT key, outcome, verdict FROM neardup.why('articles', key => '4') ORDER BY key;
-- a longer text that contains another one is no copy, but the other one is
SELECT key, outcome, verdict FROM neardup.why('articles', (SELECT body || '院方说，新楼的药房和检验科本月底搬完，停车场有六百个车位，公交十七路明天起在院门口设站，老院区的食堂照常开放。' FROM articles WHERE id = 1)) WHERE key = '1';
SELECT key, outcome, verdict FROM neardup.why('articles', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场') WHERE key = '1';
-- the text of a stored row
SELECT key, outcome, verdict FROM neardup.why('articles', (SELECT body FROM articles WHERE id = 2));
-- nothing shares a key, or there is nothing to share
SELECT * FROM neardup.why('articles', '望岑县的苹果今年熟得早，果农在合作社门口排起长队。');
SELECT * FROM neardup.why('articles', '……');
-- it does what the guard does, and locks nothing
SELECT key FROM neardup.why('articles', (SELECT body || '。' FROM articles WHERE id = 1)) WHERE outcome = 'original';
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
-- less sure than the threshold; tokens
SELECT neardup.protect('articles', 'body', threshold => 1, reset => '{all}');
SELECT key, outcome, verdict FROM neardup.why('articles', '清河市中心医院昨日启用了新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原来的门诊楼改作康复中心。') WHERE key = '1';
SELECT neardup.protect('articles', 'body', verify => 'overlap', threshold => 0.99);
SELECT key, outcome, verdict, reasons FROM neardup.why('articles', '清河市中心医院昨日启用了新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心。') ORDER BY key;
-- templates: hot keys and bounds
CREATE TABLE many (id int PRIMARY KEY, body text);
SELECT neardup.protect('many', 'body', on_duplicate => 'warn');
SET client_min_messages = error;
INSERT INTO many SELECT i, format('沪深股市今日收盘，成交活跃，板块涨跌互现，大盘报%s点，%s领涨', 3000 + i, md5(i::text)) FROM generate_series(1, 400) i;
RESET client_min_messages;
SELECT outcome, count(*) > 0 AS some FROM neardup.why('many', '沪深股市今日收盘，成交活跃，板块涨跌互现，大盘报2999点，银行股领涨') GROUP BY outcome ORDER BY outcome;
-- marks
SELECT neardup.protect('many', 'body', on_duplicate => 'mark');
TRUNCATE many;
INSERT INTO many SELECT i, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆' || repeat('！', i) FROM generate_series(1, 3) i;
SELECT key, outcome FROM neardup.why('many', key => '3') ORDER BY key;
-- method simhash
CREATE TABLE essays (id int PRIMARY KEY, body text);
SELECT neardup.protect('essays', 'body', method => 'simhash', verify => 'none');
INSERT INTO essays SELECT 1, body FROM many WHERE id = 1;
SELECT key, keys, outcome, verdict FROM neardup.why('essays', (SELECT body || '。' FROM many WHERE id = 1));
-- partitions, a key of two columns
CREATE TABLE news (id int, part int, body text, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE news_1 PARTITION OF news FOR VALUES IN (1);
CREATE TABLE news_2 PARTITION OF news FOR VALUES IN (2);
SELECT neardup.protect('news', 'body', on_duplicate => 'warn');
SET client_min_messages = error;
INSERT INTO news SELECT i, i, body FROM many, generate_series(1, 2) i WHERE id = 1;
RESET client_min_messages;
SELECT key, outcome FROM neardup.why('news', key => '2, 2') ORDER BY key;
SELECT key, outcome FROM neardup.why('news_1', (SELECT body FROM many WHERE id = 1)) ORDER BY key;
-- errors
SELECT * FROM neardup.why('articles');
SELECT * FROM neardup.why('articles', 'a', key => '1');
SELECT * FROM neardup.why('articles', key => '77');
SELECT * FROM neardup.why('articles', key => 'x');
SELECT * FROM neardup.why('pg_class', 'a');
SELECT * FROM neardup.why('articles', 'a', document => 'url');
SELECT * FROM neardup.why(NULL, 'a');
SELECT * FROM neardup.why(0, 'a');
SELECT * FROM neardup.why(999999, 'a');
ALTER TABLE articles ADD COLUMN title text;
SELECT neardup.protect('articles', 'title');
SELECT * FROM neardup.why('articles', 'a');
SELECT * FROM neardup.why('articles', 'a', document => 'title');
-- the guard sees rows that row security hides
CREATE ROLE regress_asker;
GRANT SELECT ON articles TO regress_asker;
ALTER TABLE articles ENABLE ROW LEVEL SECURITY;
SET ROLE regress_asker;
SELECT * FROM neardup.why('articles', 'a', document => 'body');
RESET ROLE;
ALTER TABLE articles DISABLE ROW LEVEL SECURITY;
SET ROLE regress_asker;
SELECT count(*) > 0 AS may FROM neardup.why('articles', key => '1', document => 'body');
RESET ROLE;
DROP TABLE articles, many, essays, news;
DROP ROLE regress_asker;
-- the row itself, behind its original
CREATE TABLE again (id int PRIMARY KEY, body text);
SET client_min_messages = error;
SELECT neardup.protect('again', 'body', on_duplicate => 'warn');
INSERT INTO again SELECT n, '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心。' FROM generate_series(1, 4) n;
RESET client_min_messages;
SELECT key, outcome FROM neardup.why('again', key => '3') ORDER BY key;
SELECT key, outcome FROM neardup.why('again', (SELECT body FROM again WHERE id = 3)) ORDER BY key;
DROP TABLE again;

-- In a table of forms, a text with less in common than four that were compared in vain gets no verdict; short texts always do.
CREATE TABLE notices (id int PRIMARY KEY, body text);
SELECT neardup.protect('notices', 'body');
CREATE FUNCTION notice(n int, rest text DEFAULT ' Lost property is kept at desk %s for %s days.') RETURNS text LANGUAGE sql BEGIN ATOMIC
    SELECT format('Visitors to hall %s are asked to keep their tickets ready and to leave large bags at the counter beside the main entrance. Doors open at %s, '
        'the concert begins at %s and ends at about %s; drinks are sold in the foyer until %s.' || rest, n, n + 3, n + 5, n + 8, n + 9, n + 11, n + 20);
END;
INSERT INTO notices VALUES (0, notice(31, ' The car park of the north gate is closed, take the bus to the stadium.'));
INSERT INTO notices SELECT n, notice(n) FROM generate_series(1, 6) n;
SELECT key, outcome, overlap::numeric(3, 2) FROM neardup.why('notices', notice(12));
-- With two of them it does.
DELETE FROM notices WHERE id > 2;
SELECT key, outcome, overlap::numeric(3, 2) FROM neardup.why('notices', notice(12)) WHERE key <> '';
DROP TABLE notices;
DROP FUNCTION notice;
