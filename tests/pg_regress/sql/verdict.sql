-- Verdicts: a copy is not an update.
\set SHOW_CONTEXT never
\x off

-- one message
SELECT a, b, m.verdict
FROM (VALUES
    ('本市昨日新增病例６６例', '本市昨日新增病例六十六例。'),
    ('语文老师用新系统点名', '老师用新系统点名'),
    ('怎么看待滨河大桥免费通行？', '如何看待滨河大桥免费通行？'),
    ('某社北京5月9日电（记者 李明）大桥今天通车，市民欢迎', '大桥今天通车，市民欢迎(完)【编辑:王芳】'),
    ('赞//@小明:滨河大桥下月起免费通行，大家去看看', '[心]//@小红:滨河大桥下月起免费通行，大家去看看'),
    ('The Riverside Bridge will be free of charge from next month, the city said.', 'Riverside Bridge will be free of charge from next month, the city said')
) AS t (a, b), same_message(a, b) AS m;

-- the same form, other facts
SELECT a, b, m.verdict, m.reasons[1]
FROM (VALUES
    ('本市昨日新增病例66例', '本市昨日新增病例94例'),
    ('如何评价《山海歌》第七集？', '如何评价《山海歌》第8集？'),
    ('临江新增3例本土病例', '上海新增3例本土病例'),
    ('主席下周将会见来访的代表团', '主席下周会见来访的代表团'),
    ('半场：红队1-0蓝队', '全场：红队1-0蓝队'),
    ('央行今天开展4600亿元逆回购操作', '央行今天开展2100亿元逆回购操作'),
    ('Red team beat Blue team 2-1 in the final', 'Red team beat Blue team 3-1 in the final')
) AS t (a, b), same_message(a, b) AS m;

-- nothing to do with each other
SELECT verdict, score < 0.1 AS low FROM same_message('市长昨天出席了大桥的通车仪式', '今天下午将有大雨');
SELECT verdict, reasons FROM same_message('。。。', '！');

-- a verdict may stand in a condition
SELECT b FROM (VALUES ('第七集'), ('第八集')) AS t (b) WHERE (same_message('第7集', b)).verdict = 'copy';

-- titles; a missing one does not count, a missing text leaves nothing to judge
SELECT verdict, score, reasons FROM same_message('第3期', '大桥今天通车', '第3期', '大桥今天通车');
SELECT score < 1 AS titles_differ, reasons FROM same_message('第3期', '大桥今天通车', '第4期', '大桥今天通车');
SELECT verdict, score FROM same_message(NULL, '大桥今天通车', '第4期', '大桥今天通车');
SELECT verdict FROM same_message('第3期', NULL, '第4期', '大桥今天通车');
SELECT verdict FROM same_message(NULL, '大桥今天通车');

-- facts by kind
SELECT c.*
FROM (VALUES
    (1, '新增66例', '新增94例'),
    (2, '涨幅为3.5%', '涨幅为4.5%'),
    (3, '会议5月22日召开', '会议五月二十三日召开'),
    (4, '会议上9点30分开始', '会议上10点开始'),
    (5, '小说第七集', '小说第8集'),
    (6, '红队2:0蓝队', '红队2:1蓝队'),
    (7, '电话13800000001', '电话13800000002'),
    (8, '请看《红河》这本书', '请看《青山》这本书'),
    (9, '新款AbcPhone价格', '新款XyzPad价格'),
    (10, '人口最多的是北京没错', '人口最多的是上海没错'),
    (11, '联系人张建国先生', '联系人李明华先生'),
    (12, '主队追平对手', '主队超越对手'),
    (13, '白皮书将发布', '白皮书发布')
) AS t (n, a, b), fact_conflicts(a, b) AS c
ORDER BY n;

-- by value, and without what does not count
SELECT a, b, count(c.kind)
FROM (VALUES
    ('第九集', '第9集'),
    ('投资1.2万元', '投资12000元'),
    ('12,000人参加', '一万二千人参加'),
    ('某社北京5月9日电 大桥通车', '某社上海5月10日电 大桥通车'),
    ('大桥今日通车 @小明 http://a.example/1', '大桥今日通车 @小红 http://b.example/2'),
    ('会议于2023年5月22日召开', '会议于5月22日召开'),
    ('大桥今天通车（编辑：李明3）', '大桥今天通车（编辑：王芳5）')
) AS t (a, b) LEFT JOIN LATERAL fact_conflicts(a, b) AS c ON true
GROUP BY a, b ORDER BY a COLLATE "C";

-- all of it
SELECT section, item, in_a, in_b FROM explain_similarity('滨河市昨日新增3例', '昨日新增5例，均为外地输入')
WHERE section IN ('verdict', 'reason', 'conflict', 'difference', 'shared');
SELECT item, in_a, in_b, round(value::numeric, 3) FROM explain_similarity('滨河市昨日新增3例', '昨日新增5例，均为外地输入', 'chars:1')
WHERE section = 'measure';
SELECT split_part(explain_similarity_text('第七集', '第8集'), E'\nmeasure', 1);
SELECT explain_similarity_text('a', 'b', 'nonsense');

-- English: numbers, dates, names, status words
SELECT a, b, m.verdict, m.reasons[1]
FROM (VALUES
    ('Riverside port handled 1.2 million tons last year, the harbour office said', 'Riverside port handled 1.2 billion tons last year, the harbour office said'),
    ('The bridge opens on 5 March 2031, the city said', 'The bridge opens on March 5th, 2031, the city said'),
    ('The bridge opens on March 5, 2031, the city said', 'The bridge opens on March 6, 2031, the city said'),
    ('The council approved the new bridge on Monday', 'The council rejected the new bridge on Monday'),
    ('The bridge will be closed for repairs next week', 'The bridge will not be closed for repairs next week'),
    ('Mayor John Hill opened the bridge', 'Mayor Anna Reed opened the bridge'),
    ('Sales rose 3 percent in the first quarter', 'Sales rose 3 pct in the 1st quarter'),
    ('Sales rose 3 percent in the first quarter', 'Sales rose 3 percent in the second quarter'),
    ('The bank raised its rate to 6-1/4 pct', 'The bank raised its rate to 6-3/8 pct')
) AS t (a, b), same_message(a, b) AS m;

-- by a profile: boilerplate of both does not make a copy
\set note '本网所有文章未经书面授权不得转载，违者将依法追究责任。如需转载请联系编辑部，并注明出处及作者姓名；网友留言只代表个人意见，与本网立场无关。'
CREATE TABLE note AS SELECT :'note'::text AS note;
SELECT neardup.create_profile('bulletins', 'chars:6') > 0 AS made;
CALL neardup.train_profile('bulletins', $$
    SELECT chr(19968 + n * 7) || '镇昨天开通了第' || n || '座桥。' || CASE WHEN n % 2 = 0 THEN note ELSE '' END
    FROM generate_series(1, 200) AS n, note$$, version => NULL);
SELECT neardup.profile_boilerplate('大桥免费了！' || :'note', 'bulletins');
SELECT m.verdict, p.verdict AS by_profile, p.reasons
FROM (VALUES
    ('大桥免费了！' || :'note', '下午有雨。' || :'note'),
    ('滨河大桥从下月起免费通行。' || :'note', '滨河大桥从下月起免费通行。'),
    (:'note', '大桥！' || :'note')
) AS t (a, b), same_message(a, b) AS m, neardup.profile_same_message(a, b, 'bulletins') AS p;
SELECT verdict, reasons FROM neardup.profile_same_message('第3期', '大桥今天通车', '第4期', '大桥今天通车', 'bulletins');
SELECT verdict FROM neardup.profile_same_message('第3期', NULL, '第4期', '大桥今天通车', 'bulletins');
SELECT item, in_a, value FROM neardup.profile_explain_similarity('大桥免费了！' || :'note', '下午有雨。' || :'note', 'bulletins')
WHERE section = 'boilerplate';
SELECT neardup.profile_explain_similarity_text('大桥', '大桥', 'bulletins') LIKE E'verdict\n  copy  1\n%' AS text;
SELECT neardup.create_profile('untrained') > 0 AS made;
SELECT neardup.profile_same_message('大桥', '桥', 'untrained');
SELECT neardup.profile_same_message('大桥', '桥', 'missing');
SELECT neardup.drop_profile('bulletins'), neardup.drop_profile('untrained');
DROP TABLE note;
