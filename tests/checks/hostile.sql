-- Texts that nobody writes in good faith, and what is done with each. A line -- refuses: names texts that are too long for it (54000).

-- ## made
CREATE TABLE hostile (name text PRIMARY KEY, body text);
INSERT INTO hostile VALUES
    ('100 MB of one Han character', repeat('中', 33333334)),
    ('100 MB of one letter', repeat('a', 100000000)),
    ('10 MB without punctuation', repeat('南京市长江大桥今年通车一百二十万辆次', 185000)),
    ('a million <', repeat('<', 1000000)),
    ('deeply nested tags', repeat('<div><b>', 500000) || '中' || repeat('</b></div>', 500000)),
    ('tags never closed', repeat('<a x=">', 500000)),
    ('lone surrogates', repeat('&#xD800;&#xDFFF;', 500000)),
    ('all of Unicode', (SELECT string_agg(chr(i), '') FROM generate_series(1, 1114111) i WHERE i NOT BETWEEN 55296 AND 57343)),
    ('nothing', ''),
    ('stop words', repeat('的了和是', 500000));
CREATE SEQUENCE finished;

-- ## work

normalize_text(body, '{html,links,reposts,handles,emoji,control,nfkc,width,casefold,simplified,punctuation,space,nospace,spelling}')

(SELECT count(*) FROM sentences(body))

(SELECT count(*) FROM keywords(body, 10, 'none'))

(SELECT count(*) FROM keywords(body, 10, 'tfidf'))

(SELECT count(*) FROM keywords(body, 10, 'textrank'))

p_simhash(body)

simhash(body, '{"tokenizer": "jieba", "normalize": ["html", "nfkc"], "stop_words": "chinese"}')

p_simhash(body, 'chars:1')
-- refuses: 100 MB of one Han character
-- refuses: 100 MB of one letter

cardinality(tokens(body, 'chars:1'))
-- refuses: 100 MB of one Han character
-- refuses: 100 MB of one letter
