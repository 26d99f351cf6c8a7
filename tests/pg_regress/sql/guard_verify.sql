-- texts are compared where signatures are near
CREATE TABLE bulletins (id int PRIMARY KEY, body text);
SELECT neardup.protect('bulletins', 'body', distance => 11, verify => 'facts');
INSERT INTO bulletins VALUES (1, '市卫健委通报：昨日全市新增确诊病例66例，均在隔离点发现，当日治愈出院12例，现有密切接触者三百余人正在医学观察。');
-- an update is no copy
INSERT INTO bulletins VALUES (2, '市卫健委通报：昨日全市新增确诊病例94例，均在隔离点发现，当日治愈出院15例，现有密切接触者三百余人正在医学观察。');
-- a copy of either is one, and the right original is named
INSERT INTO bulletins VALUES (3, '市卫健委通报：昨日全市新增确诊病例94例，均在隔离点发现，当日治愈出院15例，现有密切接触者三百余人正在医学观察');
INSERT INTO bulletins SELECT 4, body FROM bulletins WHERE id = 1;
SELECT id FROM bulletins ORDER BY id;

-- overlap and cosine, with a bound
SELECT neardup.protect('bulletins', 'body', distance => 11, verify => 'overlap', similarity => 0.95);
INSERT INTO bulletins VALUES (5, '市卫健委通报：昨日全市新增确诊病例66例，均在隔离点发现，当日治愈出院12例，现有密切接触者三百余人正在医学观察！');
INSERT INTO bulletins VALUES (6, '市卫健委通报：昨日全市新增确诊病例77例，均在隔离点发现，当日治愈出院13例，现有密切接触者三百余人正在医学观察。');
SELECT neardup.protect('bulletins', 'body', distance => 11, verify => 'cosine', similarity => 0.8, on_duplicate => 'warn');
INSERT INTO bulletins VALUES (7, '市卫健委通报：昨日全市新增确诊病例88例，均在隔离点发现，当日治愈出院13例，现有密切接触者三百余人正在医学观察。');
SELECT verify, similarity FROM neardup.protected;
SELECT neardup.protect('bulletins', 'body', verify => 'luck');
SELECT neardup.protect('bulletins', 'body', verify => 'overlap');
SELECT neardup.protect('bulletins', 'body', verify => 'overlap', similarity => 2);
SELECT neardup.protect('bulletins', 'body', similarity => 0.5);
DROP TABLE bulletins;
