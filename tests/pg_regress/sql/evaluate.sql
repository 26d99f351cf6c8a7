CREATE TABLE pair (id int, a text, b text, same boolean);
INSERT INTO pair VALUES
(1, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台。', '快讯：东湖公园今起免费开放，园内新增步道四公里，设有三处观景台。', true),
(2, '西山隧道提前两个月贯通，预计明年春天通车，车程缩短到四十分钟。', '西山隧道提前两个月贯通，预计明年春天通车，车程缩短到四十分钟！', true),
(3, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，上游村队夺冠。', '江口镇今日举办龙舟赛，二十四支队伍参加。', true),
(4, '昨日新增病例 66 例，其中本土 12 例，治愈出院 30 例。', '昨日新增病例 94 例，其中本土 20 例，治愈出院 41 例。', false),
(5, '省气象台预计，未来三天北部山区有中到大雨。', '石桥镇的年货市集今天开张，两百多个摊位沿河排开。', false),
(6, 'The harbour bridge is closed for repairs.', '海边的灯塔昨夜熄了又亮。', false),
(7, NULL, '海边的灯塔昨夜熄了又亮。', false),
(8, '海边的灯塔昨夜熄了又亮。', '海边的灯塔昨夜熄了又亮。', NULL);
-- every measure at its best; pairs that are not whole do not count
SELECT DISTINCT ON (measure) measure, analyzer, threshold, called, correct, round("precision"::numeric, 2) AS p, round(recall::numeric, 2) AS r, round(f1::numeric, 2) AS f1, milliseconds >= 0 AS timed
FROM neardup.evaluate('SELECT a, b, same FROM pair', analyzers => '{chars:2}') WHERE measure <> 'same_message' ORDER BY measure, f1 DESC, threshold;
SELECT DISTINCT ON (measure) measure, analyzer, round(f1::numeric, 2) AS f1
FROM neardup.evaluate('SELECT a, b, same FROM pair;', '{same_message}') ORDER BY measure, f1 DESC, threshold;
-- a curve: the laxer, the more are called
SELECT threshold, called, correct FROM neardup.evaluate('SELECT a, b, same FROM pair', '{overlap}', '{chars:2}') WHERE called BETWEEN 1 AND 5;
SELECT count(*), min(threshold), max(threshold) FROM neardup.evaluate('SELECT a, b, same FROM pair', '{simhash}', '{chars:2}');
-- what to take
SELECT measure, analyzer, threshold, "precision", round(recall::numeric, 2) AS recall, basis FROM neardup.suggest('SELECT a, b, same FROM pair', 1, measures => '{overlap,jaccard}', analyzers => '{chars:2}') ORDER BY measure;
SELECT measure, threshold, "precision", recall, basis FROM neardup.suggest('SELECT a FROM pair UNION ALL SELECT b FROM pair', 0.9, measures => '{jaccard}', analyzers => '{chars:5}');
SELECT count(DISTINCT measure) AS measures, bool_or(measure = 'same_message') AS facts FROM neardup.suggest('SELECT b FROM pair UNION ALL SELECT a FROM pair', analyzers => '{chars:2}');
-- pictures
SELECT svg LIKE '<svg%</svg>%' AS whole, svg LIKE '%overlap, chars:2%' AS named FROM neardup.curves_svg('SELECT a, b, same FROM pair', '{overlap,jaccard}', '{chars:2}') svg;
SELECT neardup.curves_svg('SELECT a, b, same FROM pair', '{simhash}', '{chars:2}') LIKE '%Hamming distance%' AS distance;
SELECT histogram_svg('{0,0,1,NULL,7}', 'distances') LIKE '%distances%' AS titled, histogram_svg(ARRAY[0.1, 0.25, 0.9], bins => 3) LIKE '<svg%' AS shares;
SELECT word_cloud_svg(a) LIKE '%免费开放%' OR word_cloud_svg(a) LIKE '%公园%' AS words FROM pair WHERE id = 1;
SELECT word_cloud_svg('{灯塔,<b>,NULL}'::text[], '{3,1,1}') LIKE '%灯塔%&lt;b&gt;%' AS escaped;
-- what is refused
SELECT * FROM neardup.evaluate('SELECT a, b FROM pair');
SELECT * FROM neardup.evaluate('SELECT a, b, id::text FROM pair');
SELECT * FROM neardup.evaluate('SELECT a, b, same FROM pair WHERE false');
SELECT * FROM neardup.evaluate('SELECT a, b, same FROM nowhere');
SELECT * FROM neardup.evaluate('SELECT a, b, same FROM pair', '{Jaccard}');
SELECT * FROM neardup.evaluate('SELECT a, b, same FROM pair', '{jaccard}', '{klingon}');
SELECT * FROM neardup.evaluate('SELECT a, b, same FROM pair', '{cosine}', '{words}', 'heavy');
SELECT * FROM neardup.evaluate('DELETE FROM pair RETURNING a, b, same');
SELECT * FROM neardup.suggest('SELECT a, b, same FROM pair', 1.5);
SELECT * FROM neardup.suggest('SELECT a FROM pair', sample => 1);
SELECT * FROM neardup.suggest('SELECT a FROM pair WHERE id = 1');
SELECT neardup.curves_svg('SELECT a, b, same FROM pair', '{simhash,jaccard}');
SELECT histogram_svg('{}');
SELECT histogram_svg('{NaN}');
SELECT histogram_svg('{1}', bins => 0);
SELECT word_cloud_svg('{a,b}'::text[], '{1}');
SELECT count(*) FROM pair;
DROP TABLE pair;
-- a query of other columns
\set SHOW_CONTEXT never
SELECT count(*) FROM neardup.evaluate('SELECT 1');
SELECT length(neardup.curves_svg('SELECT a, b FROM (VALUES (1, 2)) v (a, b)'));
