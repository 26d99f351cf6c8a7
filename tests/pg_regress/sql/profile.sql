-- profiles: house words, training, versions, rights, and the functions that use them
\set VERBOSITY default
SET client_min_messages = warning;

-- make
SELECT neardup.create_profile('press', words => '{蓝鲸湾公司, 元宇宙办公室 100 nt}') AS version;
SELECT name, version, words, documents, guards, role = current_user AS mine, analyzer::jsonb ->> 'stop_words' AS stop_words
FROM neardup.profiles;
SELECT neardup.profile_tokens('蓝鲸湾公司今日迁入元宇宙办公室', 'press') AS with_words,
       tokens('蓝鲸湾公司今日迁入元宇宙办公室', '{"tokenizer": "jieba", "stop_words": "chinese"}') AS without;

-- what cannot be
SELECT neardup.create_profile('press', 'klingon');
SELECT neardup.create_profile('press', 'profile:press');
SELECT neardup.create_profile('press', words => '{a b c d}');
SELECT neardup.create_profile('press', words => '{NULL}');
SELECT neardup.create_profile('press', words => '{k8s-v2}');
SELECT neardup.create_profile('press', 'chars:3', '{元宇宙}');
SELECT neardup.create_profile('a@1');
SELECT neardup.create_profile('');
SELECT neardup.create_profile(NULL);
SELECT neardup.create_profile('press', NULL);
CALL neardup.train_profile('daily', 'SELECT 1');
CALL neardup.train_profile('press', 'SELECT body FROM no_table');
CALL neardup.train_profile('press', 'SELECT NULL');
CALL neardup.train_profile('press', 'SELECT ''字''', 999);
CALL neardup.train_profile('press', NULL);

-- train: teams and poets that often come together, and news of other things
CREATE TABLE news (id serial PRIMARY KEY, body text);
INSERT INTO news (body)
SELECT format(form, team, other, i)
FROM generate_series(1, 40) i,
     LATERAL (SELECT (ARRAY['太阳队', '雄鹿队', '火箭队', '湖人队'])[1 + i % 4] AS team, (ARRAY['雄鹿队', '火箭队', '湖人队'])[1 + i % 3] AS other) t,
     LATERAL (SELECT (ARRAY['%s昨晚赢了%s', '%1$s总决赛第%3$s场对阵%2$s', '%s球迷庆祝总决赛', '李白是唐代诗人，%s球迷不看诗', '蓝鲸湾公司不是%s的赞助商'])[1 + i % 5] AS form) f;
CALL neardup.train_profile('press', 'SELECT body FROM news;  ');
SELECT name, version, documents FROM neardup.profiles ORDER BY version;
-- a training is a function of the documents, not of their order
CALL neardup.train_profile('press', $$SELECT body, id FROM news ORDER BY id DESC -- newest first$$);
SELECT count(DISTINCT statistics) FROM neardup.profile_versions WHERE statistics IS NOT NULL;
-- it can be cancelled
SET statement_timeout = '300ms';
CALL neardup.train_profile('press', 'SELECT n.body FROM news n, generate_series(1, 100000000)');
RESET statement_timeout;

-- P-Simhash separates what SimHash does not, with a profile's statistics and by jieba's table
CREATE TEMPORARY TABLE pair (a text, b text);
INSERT INTO pair VALUES ('太阳队总决赛赢了雄鹿队', '雄鹿队总决赛赢了太阳队'), ('李白是唐代诗人', '李白不是唐代诗人');
SELECT a, b, simhash(a, analyzer) <~> simhash(b, analyzer) AS simhash,
       neardup.p_simhash(a, 'press') <~> neardup.p_simhash(b, 'press') AS profile,
       p_simhash(a) <~> p_simhash(b) AS jieba,
       neardup.e_simhash(a, 'press') <> neardup.e_simhash(b, 'press') AS e_simhash_differs
FROM pair, (SELECT analyzer FROM neardup.profiles LIMIT 1) p;
-- ready tokens
SELECT p_simhash(tokens(a, analyzer)) = p_simhash(a) AS jieba,
       neardup.p_simhash(neardup.profile_tokens(a, 'press'), 'press') = neardup.p_simhash(a, 'press') AS profile,
       neardup.e_simhash(neardup.profile_tokens(a, 'press'), 'press') = neardup.e_simhash(a, 'press') AS e_simhash
FROM pair, (SELECT analyzer FROM neardup.profiles LIMIT 1) p;
-- parameters
SELECT p_simhash(a, words => 1) <> p_simhash(a) AS one_word_differs, p_simhash(a, mu => 1) <~> p_simhash(a, mu => 1.5) > 0 AS mu,
       p_simhash(a, bits => 32)::bigint BETWEEN 0 AND 4294967295 AS bits FROM pair LIMIT 1;
SELECT p_simhash('字', words => 0);
SELECT p_simhash('字', mu => 11);
SELECT p_simhash('字', bits => 65);
SELECT neardup.e_simhash('字', 'press', 0);
SELECT p_simhash('的了'), p_simhash('{}'::text[]), neardup.e_simhash('的了', 'press'), neardup.profile_simhash('', 'press');
SELECT neardup.e_simhash('字', 'press@1');

-- weights
SELECT method, array_agg(token) FROM unnest('{none,count,tf,tfidf,textrank}'::text[]) method,
       neardup.profile_keywords('蓝鲸湾公司是太阳队的赞助商，太阳队球迷看球', 'press', 3, method) GROUP BY method ORDER BY method;
SELECT neardup.profile_keywords('字', 'press', method => 'tf-idf');
SELECT bool_and(neardup.profile_simhash(body, 'press') = neardup.analyzer_simhash(body, 'profile:press')) AS count,
       count(DISTINCT neardup.profile_simhash(body, 'press', 'tfidf')) > 1 AS tfidf,
       bool_and(neardup.profile_simhash(body, 'press', bits => 8)::bigint < 256) AS bits FROM news;
SELECT neardup.analyzer_simhash('太阳队', 'jieba') = simhash('太阳队'::text, 'jieba') AS plain;

-- names
SELECT neardup.pinned_analyzer('jieba'), neardup.pinned_analyzer('profile:press'), neardup.pinned_analyzer('profile:press@1');
SELECT neardup.profile_tokens('字', 'daily');
SELECT neardup.profile_tokens('字', 'press@99');
SELECT tokens('字', 'profile:press');
SELECT simhash('字'::text, ' profile:press@1');

-- new words are a new version, old versions stay as they are, and what is loaded is not what is dropped
BEGIN;
SELECT neardup.create_profile('press', words => '{今日迁入}') > 1 AS made;
SELECT neardup.profile_tokens('蓝鲸湾公司今日迁入', 'press'), neardup.profile_tokens('蓝鲸湾公司今日迁入', 'press@1');
ROLLBACK;
SELECT neardup.profile_tokens('蓝鲸湾公司今日迁入', 'press');
SELECT neardup.drop_profile('press', 1);
SELECT neardup.profile_tokens('字', 'press@1');
SELECT neardup.drop_profile('press', 1);
SELECT neardup.drop_profile('daily');
SELECT version FROM neardup.profiles;

-- rights
CREATE ROLE regress_editors;
CREATE ROLE regress_editor IN ROLE regress_editors;
CREATE ROLE regress_stranger;
GRANT SELECT ON news TO regress_editors;
SET ROLE regress_editors;
SELECT neardup.create_profile('desk') > 1 AS made;
SET ROLE regress_editor;
CALL neardup.train_profile('desk', 'SELECT body FROM news');
SELECT name, documents, role FROM neardup.profiles ORDER BY version;
SELECT neardup.profile_tokens('太阳队', 'press');
SELECT neardup.create_profile('press');
UPDATE neardup.profile_versions SET analyzer = 'words';
INSERT INTO neardup.profile_versions (name, role, analyzer, words) VALUES ('press', current_user, 'words', '{}');
SET ROLE regress_stranger;
SELECT count(*) FROM neardup.profiles;
SELECT neardup.profile_tokens('太阳队', 'desk');
CALL neardup.train_profile('desk', 'SELECT 1');
SELECT neardup.drop_profile('desk');
INSERT INTO neardup.profile_names VALUES ('spam', 'regress_editors');
INSERT INTO neardup.profile_versions (version, name, role, analyzer, words) OVERRIDING SYSTEM VALUE VALUES (99, 'own', current_user, 'jieba', '{}');
-- statistics that nobody trained do no harm
SELECT neardup.create_profile('own') > 1 AS made;
INSERT INTO neardup.profile_versions (name, role, analyzer, words, statistics) VALUES ('own', current_user, 'jieba', '{}', '\x0100000001000000');
INSERT INTO neardup.profile_versions (name, role, analyzer, words, statistics)
VALUES ('own', current_user, 'jieba', '{}', decode(repeat('01000000', 4), 'hex'));
SELECT neardup.p_simhash('太阳队', 'own');
RESET ROLE;
SELECT neardup.profile_tokens('太阳队', 'desk');
SELECT neardup.drop_profile('own');

-- a guard's profile cannot be dropped
CREATE TABLE article (id int PRIMARY KEY, body text);
SELECT neardup.protect('article', 'body', verify => 'profile:desk');
SELECT name, guards FROM neardup.profiles WHERE name = 'desk' ORDER BY version;
\set VERBOSITY sqlstate
SELECT neardup.drop_profile('desk');
\set VERBOSITY default
DROP TABLE article;
SELECT neardup.drop_profile('desk');
SELECT DISTINCT name FROM neardup.profiles;

DROP OWNED BY regress_editors, regress_editor, regress_stranger;
DROP ROLE regress_editor, regress_editors, regress_stranger;
