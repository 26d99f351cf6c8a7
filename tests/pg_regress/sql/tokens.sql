-- every analyzer by name
SELECT name, purpose FROM analyzers();
SELECT name, definition FROM analyzers() WHERE name IN ('jieba', 'ik_smart', 'n_shortest_path', 'chars:5');
SELECT name, tokens('南京市长江大桥今年通车一百二十万辆次。', name) FROM analyzers();
SELECT tokens('The U.S. economy grew 3.5% in 2025, 中国增长5%。', name) FROM (VALUES ('words'), ('jieba'), ('chars:3')) v(name);
SELECT analyzer_info('jieba_search');
SELECT analyzer_info('{"tokenizer": "ik", "stop_words": ["的"]}');

-- filters
SELECT tokens('今天的天气真的很好，我们去公园散步', '{"tokenizer": "jieba", "stop_words": "chinese"}');
SELECT tokens('今天的天气真的很好，我们去公园散步', '{"tokenizer": "jieba", "stop_words": ["公园", "ＴＨＥ"], "min_length": 2}');
SELECT tokens('The cat and the hat', '{"tokenizer": "words", "stop_words": ["THE"]}');
SELECT tokens('今天的天气真的很好，我们去公园散步', '{"tokenizer": "jieba", "exclude_tags": ["u", "r"]}');
SELECT tokens('one two three four', '{"tokenizer": "words", "shingle": 3}');
SELECT tokens('one two', '{"tokenizer": "words", "shingle": 3}');
SELECT tokens('', 'words'), tokens('的', '{"tokenizer": "jieba", "stop_words": "chinese"}'), tokens(NULL);

-- errors name the key and what is allowed
SELECT tokens('x', '{"tokenizer": "words", "stop_words": "klingon"}');
SELECT tokens('x', '{"tokenizer": "bert"}');
SELECT tokens('x', '{"tokenizer": "words", "hmm": true}');
SELECT tokens('x', '{"tokenizer": "jieba", "mode": "smart"}');
SELECT tokens('x', '{"tokenizer": "jieba", "min_length": -1}');
SELECT tokens('x', '{"tokenizer": "jieba", "mode": "full", "exclude_tags": ["u"]}');
SELECT analyzer_info('klingon');

-- normalisation, each step and together
SELECT step, normalize_text(E'<p>ＡＢＣ&amp;１２３</p>　//@张三：轉發 @李四 http://t.cn/abc 😀 ﬁ\u200b！', ARRAY[step])
FROM unnest(ARRAY['html', 'links', 'reposts', 'handles', 'emoji', 'control', 'nfkc', 'width', 'casefold', 'simplified', 'punctuation', 'space', 'nospace', 'spelling']) step;
SELECT normalize_text(E'<p>ＡＢＣ&amp;１２３</p>　//@张三：轉發 @李四 http://t.cn/abc 😀 ﬁ\u200b！',
    '{nospace,html,links,reposts,handles,emoji,nfkc,casefold,simplified,punctuation}');
SELECT normalize_text('ＡＢＣ，  Straße');
SELECT normalize_text('x', '{upside_down}');
SELECT normalize_text('x', '{NULL}');
SELECT normalize_text('x', '{}');

-- keywords
SELECT token, round(weight::numeric, 4) AS weight FROM keywords('柏浦湾的老灯塔换下玻璃灯，改装太阳能旋转灯。守塔人说，新灯塔亮得远，旧灯留给孩子们。', 3, 'count');
SELECT token, round(weight::numeric, 4) AS weight FROM keywords('柏浦湾的老灯塔换下玻璃灯，改装太阳能旋转灯。守塔人说，新灯塔亮得远，旧灯留给孩子们。', 3);
SELECT token, round(weight::numeric, 4) AS weight FROM keywords('柏浦湾的老灯塔换下玻璃灯，改装太阳能旋转灯。守塔人说，新灯塔亮得远，旧灯留给孩子们。', 3, 'textrank');
SELECT * FROM keywords('', 3);
SELECT * FROM keywords('x', -1);
SELECT * FROM keywords('x', 3, 'guess');

-- sentences
SELECT * FROM sentences('他说：“走吧。我累了。”然后离开。Prices rose 3.5 percent. The U.S. agreed! 　真的吗？？好');
SELECT place_a, place_b, round(similarity::numeric, 2) AS similarity, sentence_a
FROM shared_sentences('市长宣布地铁三号线明年开工。记者看到现场已经围挡。天气很好。', '天气很好！昨天，市长宣布地铁三号线明年开工。', 0.7);
SELECT * FROM shared_sentences('a', 'b', 1.5);
