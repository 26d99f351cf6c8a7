\set SHOW_CONTEXT never
-- the overview of a table, as rows and as one page
CREATE TABLE posts (id text PRIMARY KEY, body text);
INSERT INTO posts VALUES
    ('a', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'),
    ('b', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！'),
    ('c', '【快讯】江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'),
    ('<script>alert(1)</script>', '<b onclick="x()">西山隧道提前两个月贯通</b>，预计明年春天通车，届时两地车程缩短到四十分钟 & 沿线乡镇受益。'),
    ('z&', '<b onclick="x()">西山隧道提前两个月贯通</b>，预计明年春天通车，届时两地车程缩短到四十分钟 & 沿线乡镇受益'''),
    ('d', '……'),
    ('e', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
SELECT neardup.protect('posts', 'body');
SELECT item, name, value FROM neardup.report('posts');
SELECT item, name, value FROM neardup.report('posts', top => 1) WHERE item = 'largest group';
SELECT neardup.report_html('posts') AS page \gset
SELECT :'page' LIKE '<!DOCTYPE html>%</html>_' AS whole,
       :'page' ~ '<script|<b |https?://(?!www.w3.org/2000/svg)' AS anything_alive,
       (SELECT count(*) FROM regexp_matches(:'page', '<rect ', 'g')) >= 4 AS bars,
       (SELECT count(*) FROM regexp_matches(:'page', '<table class="pair">', 'g')) AS pairs,
       :'page' ~ '<ins>|<del>' AS differences;
SELECT unnest(regexp_matches(:'page', '<th>([^<]*) stays</th>', 'g'));
SELECT neardup.report_html('posts', samples => 0) ~ '<table class="pair">' AS pairs;
-- nothing there
CREATE TABLE empty (id int PRIMARY KEY, body text);
SELECT neardup.protect('empty', 'body');
SELECT item, name, value FROM neardup.report('empty');
SELECT neardup.report_html('empty') ~ 'svg' AS bars;
-- errors
SELECT neardup.report_html('posts', samples => 101);
SELECT neardup.report('posts', document => 'title');
SELECT neardup_internal.render_report('{}');
DROP TABLE posts, empty;
