-- how the texts of candidates are compared
\set SHOW_CONTEXT never
CREATE TABLE bulletins (id int PRIMARY KEY, body text);
SELECT neardup.protect('bulletins', 'body');
INSERT INTO bulletins VALUES (1, '市卫健委通报：昨日全市新增确诊病例66例，均在隔离点发现，当日治愈出院12例，现有密切接触者三百余人正在医学观察。');
-- an update is no copy
INSERT INTO bulletins VALUES (2, '市卫健委通报：昨日全市新增确诊病例94例，均在隔离点发现，当日治愈出院15例，现有密切接触者三百余人正在医学观察。');
-- a copy of either is one, and the right original is named
INSERT INTO bulletins VALUES (3, '市卫健委通报：昨日全市新增确诊病例94例，均在隔离点发现，当日治愈出院15例，现有密切接触者三百余人正在医学观察');
INSERT INTO bulletins SELECT 4, body FROM bulletins WHERE id = 1;
-- of an excerpt pair the longer text gets in, and the excerpt of one that is there does not
INSERT INTO bulletins VALUES (5, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO bulletins VALUES (6, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。市民凭身份证入园，周一闭园检修，停车场改到南门外，公交九路延长到园门口。');
INSERT INTO bulletins VALUES (7, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。市民凭身份证入园，周一闭园检修。');
SELECT id FROM bulletins ORDER BY id;

-- surer than by default: an edited copy below the threshold stays; a clean-up that is told nothing goes by the guard
SELECT neardup.protect('bulletins', 'body', threshold => 0.97);
INSERT INTO bulletins VALUES (30, '东湖公园今起免费开放啦，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
SELECT threshold FROM neardup.protected;
SELECT key, duplicate_of, round(value::numeric, 2) AS value FROM neardup.duplicates('bulletins') ORDER BY 1;
SELECT key, duplicate_of, round(value::numeric, 2) AS value FROM neardup.duplicates('bulletins', threshold => 0.75) ORDER BY 1;
SELECT count(*) FROM neardup.duplicates('bulletins', verify => 'overlap');
SELECT count(*) FROM neardup.duplicates('bulletins', verify => 'overlap', threshold => 0.9);
SELECT name, value FROM neardup.report('bulletins', threshold => 1) WHERE item = 'verdict';
CALL neardup.cleanup('bulletins', threshold => 0.75);
DELETE FROM bulletins WHERE id = 30;
-- signatures alone have no threshold
CREATE TABLE signed (id int PRIMARY KEY, body text);
SELECT neardup.protect('signed', 'body', method => 'simhash', threshold => 0.9);
SELECT key FROM neardup.duplicates('signed', verify => 'none');
DROP TABLE signed;

-- overlap and cosine, with a bound
SELECT neardup.protect('bulletins', 'body', verify => 'overlap', threshold => 0.8);
INSERT INTO bulletins VALUES (8, '市卫健委通报：昨日全市新增确诊病例66例，均在隔离点发现，当日治愈出院12例，现有密切接触者三百余人正在医学观察！');
INSERT INTO bulletins VALUES (9, '市卫健委通报：昨日全市新增确诊病例77例，均在隔离点发现，当日治愈出院13例，现有密切接触者四十余人正在医学观察。');
SELECT neardup.protect('bulletins', 'body', verify => 'cosine', threshold => 0.5, on_duplicate => 'warn');
INSERT INTO bulletins VALUES (10, '市卫健委通报：昨日全市新增确诊病例88例，均在隔离点发现，当日治愈出院13例，现有密切接触者三百余人正在医学观察。');
SELECT verify, threshold FROM neardup.protected;
SELECT neardup.protect('bulletins', 'body', verify => 'luck');
SELECT neardup.protect('bulletins', 'body', verify => 'none');
SELECT neardup.protect('bulletins', 'body', verify => 'overlap');
SELECT neardup.protect('bulletins', 'body', verify => 'overlap', threshold => 2);
SELECT neardup.protect('bulletins', 'body', threshold => 0.5);

-- by a profile, which knows a collection's boilerplate; in the version that is the newest now
SELECT neardup.protect('bulletins', 'body', verify => 'profile:press');
SELECT neardup.create_profile('press', words => '{蓝鲸湾公司}') AS version;
SELECT neardup.protect('bulletins', 'body', verify => 'profile:press');
CALL neardup.train_profile('press', 'SELECT body FROM bulletins');
SELECT neardup.protect('bulletins', 'body', verify => 'profile:press', reset => '{all}');
SELECT verify, on_duplicate FROM neardup.protected;
INSERT INTO bulletins SELECT 11, body || '！' FROM bulletins WHERE id = 5;
INSERT INTO bulletins VALUES (12, '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车。');
SELECT id FROM bulletins WHERE id > 7 ORDER BY id;
DROP TABLE bulletins;

-- a refusal says what the table adds: the form that both rows follow
CREATE TABLE programmes (id int PRIMARY KEY, body text);
INSERT INTO programmes
SELECT id, message || '本节目每周由江口镇广播站制作，欢迎听众来信点歌，来信请寄东街八号。'
FROM (VALUES (1, '本周请来了修船的王师傅，他讲木船为什么要晒三年，又怎样把一块弯木头做成船头，最后还唱了一段拉纤时的老调子。'),
             (2, '中学合唱队在录音棚里录了四首新歌，主持人跟着她们走到后台，看见每个人的谱子上都画满了只有自己看得懂的记号。'),
             (3, '渡口的老摆渡人回忆洪水那一年怎样把整条街的人接到山坡上，那时他才十七岁，船桨比他高出半个头。'),
             (4, '茶园的采茶姑娘教大家分辨春茶和秋茶，她说闭上眼睛先闻后尝，连镇长也答错了两回，惹得众人大笑。'),
             (5, '图书馆的管理员推荐了三本写河流的书，其中一本只剩封面，内容是一位读者凭记忆一页一页抄回来的。')) AS messages (id, message);
SELECT neardup.protect('programmes', 'body');
INSERT INTO programmes SELECT 6, replace(body, '。', '！') || '（重播）' FROM programmes WHERE id = 1;
INSERT INTO programmes VALUES (7, '豆腐坊凌晨三点开工，主播守着一口大锅拍下全过程，天亮时第一板豆腐被一位赶早班车的老师买走了。本节目每周由江口镇广播站制作，欢迎听众来信点歌，来信请寄东街八号。');
DROP TABLE programmes;
