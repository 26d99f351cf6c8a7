-- reasons: why a row of a list is, or is not, a copy of another one
CREATE TABLE articles (id int PRIMARY KEY, day date, body text);
SELECT neardup.protect('articles', 'body', on_duplicate => 'warn', time_column => 'day');
SET client_min_messages = error;
INSERT INTO articles VALUES
    (1, '2031-03-01', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心。'),
    (2, '2031-03-02', '【快讯】清河市中心医院昨日启用了新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心。'),
    (3, '2031-03-02', '清河市中心医院昨日启用新住院楼，四百余名医护人员到场，急诊科将于下周三迁入，原门诊楼改作康复中心。'),
    (4, '2031-03-03', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心。');
RESET client_min_messages;
SELECT key, duplicate_of, verdict, neardup.reasons('articles', key, duplicate_of) FROM neardup.duplicates('articles');
-- any two rows
SELECT neardup.reasons('articles', '3', '1');
-- a row that is not there
SELECT neardup.reasons('articles', '3', '99') IS NULL AS unknown;
-- new rows against old and new ones
CREATE TABLE crawl (id int, day date, body text);
INSERT INTO crawl VALUES
    (11, '2031-03-05', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入，原门诊楼改作康复中心！（转）'),
    (12, '2031-03-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆，周末有导览。'),
    (13, '2031-03-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆，周末有导览！（转）');
SELECT key, duplicate_of, is_new, neardup.reasons('articles', key, duplicate_of, 'crawl', is_new) FROM neardup.copies_of('articles', 'crawl');
-- rows of another table that stay
CREATE TABLE archive (id text PRIMARY KEY, day date, body text);
INSERT INTO archive SELECT 'A-' || id, day, body || '（完）' FROM crawl WHERE id = 11;
SELECT key, duplicate_of, neardup.reasons('articles', key, duplicate_of, against => 'archive') FROM neardup.duplicates('articles', against => 'archive');
-- a key of two columns, partitions
CREATE TABLE news (id int, part int, body text, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE news_1 PARTITION OF news FOR VALUES IN (1);
CREATE TABLE news_2 PARTITION OF news FOR VALUES IN (2);
INSERT INTO news SELECT id, id % 2 + 1, body FROM articles;
SELECT neardup.protect('news', 'body');
SELECT key, duplicate_of, neardup.reasons('news', key, duplicate_of) IS NOT NULL AS is_known FROM neardup.duplicates('news');
-- signatures alone have no reasons
CREATE TABLE essays (id int PRIMARY KEY, body text);
INSERT INTO essays SELECT id, body FROM articles;
SELECT neardup.protect('essays', 'body', method => 'simhash', verify => 'none');
SELECT neardup.reasons('essays', '2', '1', verify => 'none') IS NULL AS none;
SELECT neardup.reasons('essays', '2', '1');
-- a role that may read the documents and keys alone, and one that sees no rows
CREATE ROLE regress_reasons;
GRANT SELECT (id, body, day) ON articles TO regress_reasons;
SET ROLE regress_reasons;
SELECT neardup.reasons('articles', '2', '1');
RESET ROLE;
ALTER TABLE articles ENABLE ROW LEVEL SECURITY;
SET ROLE regress_reasons;
SELECT neardup.reasons('articles', '2', '1') IS NULL AS hidden;
RESET ROLE;
DROP TABLE articles, crawl, archive, news, essays;
DROP ROLE regress_reasons;
-- errors
SELECT neardup.reasons(NULL, '1', '2');
