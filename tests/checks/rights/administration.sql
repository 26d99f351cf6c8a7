-- What an administrator does with tables of unusual types, and what happens by itself.

-- ## tables
-- A table whose key, scope and reference are of types that have no operators of their own in pg_catalog, and one whose types' operators
-- are in a schema that is on nobody's path, where its owner has made operators for the domain alone.
CREATE SCHEMA types;
CREATE EXTENSION citext SCHEMA types;
CREATE TYPE public.colour AS ENUM ('red', 'green');
CREATE DOMAIN public.label AS varchar;
CREATE DOMAIN public.moment AS timestamptz;
CREATE TABLE public.odd (id varchar(9) PRIMARY KEY, title text, body varchar, kind colour, tag label, tags text[], at moment, seen timestamp, other varchar);
INSERT INTO public.odd SELECT 'k' || i, 'At the pier', md5((i / 3)::text) || md5((i / 3)::text || 'x'), 'red', 't', '{a}', '2031-04-20'::timestamptz + i * interval '1 s', '2031-04-20' FROM generate_series(1, 30) i;
CREATE TABLE public.child (id int PRIMARY KEY, odd varchar REFERENCES odd);
CREATE TABLE public.childs_child (odd varchar(9) REFERENCES odd);
INSERT INTO public.child SELECT i, 'k' || i FROM generate_series(1, 12) i;
INSERT INTO public.childs_child SELECT 'k' || i FROM generate_series(1, 12) i;
CREATE DOMAIN types.key AS types.citext;
CREATE TABLE public.folded (id types.key PRIMARY KEY, body text, source types.key, duplicate_of types.key);
CREATE TABLE public.folded_child (id types.key REFERENCES folded);
-- Adverts with the same words in other cities, and short texts that come again.
CREATE TABLE public.adverts (id int PRIMARY KEY, city text, headline varchar, price numeric, seen timestamptz, told int DEFAULT 1, body text);
INSERT INTO public.adverts SELECT i, 'c' || i, 'Bicycle ' || i, i, '2031-04-20'::timestamptz + i * interval '1 day', 1,
    'Bicycle for sale, hardly used, with a basket, two lamps and a lock; can be collected at any time after six in the evening' || repeat('!', i) FROM generate_series(1, 4) i;
INSERT INTO public.adverts SELECT i, 'c' || i % 2, 'In brief', i, NULL, 1, 'What the town council decided on Monday' FROM generate_series(11, 19) i;
CREATE FUNCTION public.merged_adverts(existing adverts, new adverts) RETURNS adverts LANGUAGE plpgsql AS 'BEGIN existing.told := existing.told + new.told; RETURN existing; END';
CREATE TABLE public.evil_child (advert int REFERENCES adverts);
INSERT INTO public.evil_child VALUES (12);

-- ## by itself
INSERT INTO article VALUES (100, 'A lamp of glass was taken down, and stays in the hut below.'); UPDATE article SET day = day + 1 WHERE id = 100; UPDATE article SET body = body || ' Children may turn it.' WHERE id = 100
COPY article (id, body) FROM PROGRAM 'printf "101\tA solar lamp shines in its place and reaches farther out.\n"'
SELECT neardup.let_through('article', false); INSERT INTO article SELECT 102, body FROM article WHERE id = 3
SELECT count(*) FROM article WHERE near_duplicate(body, 'A lamp of glass was taken down, and stays in the hut below.')
SELECT near_duplicate_of(simhash(body, 'chars:3'), 3) OVER (ORDER BY id) FROM article
SELECT same_message(a.body, b.body) FROM article a, article b WHERE a.id < b.id; SELECT minhash(body, 'chars:2') <%> minhash(body, 'chars:2') FROM article
SELECT count(*) FROM neardup.protected; SELECT count(*) FROM neardup.counters; SELECT count(*) FROM neardup.progress; SELECT count(*) FROM neardup.profiles

-- ## work
CREATE TABLE fresh (id int PRIMARY KEY, body text, source text, day date)
INSERT INTO fresh SELECT i, md5((i / 3)::text), 's', '2031-04-20' FROM generate_series(1, 9) i
SELECT neardup.protect('fresh', 'body', scope => '{source}', time_column => 'day', within => '3 days', on_duplicate => 'divert', log => true)
SELECT neardup.protect('fresh', 'body', on_duplicate => 'mark', verify => 'overlap', threshold => 0.8)
INSERT INTO fresh SELECT 100 + id, body, source, day FROM fresh
SELECT neardup.unprotect('fresh')
SELECT neardup.protect('fresh', 'body', method => 'simhash', distance => 3, on_duplicate => 'skip', log => true)
UPDATE fresh SET body = (SELECT body FROM fresh WHERE id = 1) WHERE id = 9
SELECT neardup.unprotect('fresh', 'body')
DROP TABLE fresh
SELECT neardup.protect('public.odd', 'body', columns => '{title,body}', scope => '{kind,tag,tags}', time_column => 'at', within => '1 hour', on_duplicate => 'mark')
SELECT count(*) FROM neardup.duplicates('public.odd', keep => 'newest', rank => '{"kind desc",tag}', scope => '{tag,kind,tags}', since => '2000-01-01', until => '2040-01-01', time_column => 'at')
SELECT count(*) FROM neardup.duplicates('public.odd', keep => 'longest', scope => '{}', since => '2000-01-01', time_column => 'seen', within => '9 days')
SELECT count(*) FROM neardup.duplicates('public.odd', keep => 'most_complete', verify => 'facts', scope => '{other}', since => 'k', time_column => 'id')
SELECT count(*) FROM neardup.report('public.odd')
SELECT length(neardup.report_html('public.odd'))
CALL neardup.cleanup('public.odd')
CALL neardup.cleanup('public.odd', batch => 4, dry_run => false)
SELECT 1 / count(*) AS found FROM odd_removed \gset
CALL neardup.restore('public.odd', 1)
SELECT 1 / count(*) AS found FROM neardup.answers('public.odd') \gset
SELECT neardup.withdraw('public.odd', since => '-infinity')
SELECT neardup.answer('public.odd', 'k1', 'k4', false, 'a note')
SELECT count(*) FROM neardup.questions('public.odd', 5)
SELECT count(*) FROM neardup.estimate('public.odd')
SELECT changed FROM neardup.learn('public.odd')
CALL neardup.cleanup('public.odd', dry_run => false, action => 'mark')
SELECT 1 / count(*) AS found FROM public.odd WHERE duplicate_of IS NOT NULL \gset
UPDATE public.odd SET duplicate_of = NULL
SELECT neardup.withdraw('public.odd', since => '-infinity')
CREATE TABLE public.even (kind colour, seen timestamp, at moment, tag label, tags text[], title text, body varchar, number types.citext PRIMARY KEY)
INSERT INTO public.even SELECT kind, seen, at, tag, tags, title, body, id::text FROM public.odd LIMIT 12
CALL neardup.cleanup('public.odd', against => 'public.even')
CALL neardup.cleanup('public.odd', against => 'public.even', batch => 4, dry_run => false)
SELECT max(neardup_run) AS run, 1 / count(*) AS found FROM odd_removed \gset
CALL neardup.restore('public.odd', :run, answer => false)
CALL neardup.cleanup('public.odd', dry_run => false, max_rows => 100, on_more => 'surest')
SELECT neardup_key AS key FROM odd_removed LIMIT 1 \gset
CALL neardup.restore('public.odd', key => :'key')
SELECT neardup.let_through('public.odd', false)
SELECT neardup.protect('public.folded', 'body', scope => '{source}')
INSERT INTO public.folded SELECT 'k' || i::text, md5(i::text) || md5(i::text), 's' FROM generate_series(1, 12) i
BEGIN; SELECT neardup.let_through('public.folded', false); UPDATE public.folded f SET body = g.body, source = 'S' FROM public.folded g WHERE f.id::text = 'k2' AND g.id::text = 'k1'; COMMIT
INSERT INTO public.folded_child VALUES ('K2')
SELECT 1 / count(*) AS found FROM neardup.duplicates('public.folded')
SELECT neardup.reasons('public.folded', 'k2', 'k1')
SELECT neardup.answer('public.folded', 'k2', 'k1', true)
SELECT neardup.report_html('public.folded')
CALL neardup.cleanup('public.folded', since => 'K0', time_column => 'id')
CALL neardup.cleanup('public.folded', dry_run => false, action => 'mark')
DELETE FROM public.folded_child
CALL neardup.cleanup('public.folded', dry_run => false)
SELECT 1 / count(*) AS found FROM folded_removed \gset
CALL neardup.restore('public.folded', 1)
SELECT neardup.unprotect('public.folded')
SELECT neardup.create_profile('shadowed', 'jieba')
CALL neardup.train_profile('shadowed', 'SELECT body FROM article')
SELECT count(*) FROM neardup.evaluate('SELECT a.body, b.body, true FROM article a, article b WHERE a.id = 1')
SELECT count(*) FROM neardup.suggest('SELECT body FROM article')
SELECT neardup.drop_profile('shadowed')
SELECT neardup.unprotect('public.odd')
CALL neardup.purge('public.odd', '0 s')
CALL neardup.purge_verdicts('0 s')
SELECT neardup.protect('public.adverts', 'body', on_duplicate => 'warn')
CALL neardup.cleanup('public.adverts')
CALL neardup.cleanup('public.adverts', time_column => 'seen', keep => 'newest', max_rows => 1, on_more => 'surest', rank => '{price,"city desc"}')
CALL neardup.cleanup('public.adverts', action => 'merge', merge => 'public.merged_adverts')
CALL neardup.cleanup('public.adverts', action => 'merge', merge => 'public.merged_adverts', dry_run => false, batch => 2, throttle => '1 ms')
SELECT 1 / count(*) AS found FROM public.adverts WHERE told > 1 \gset
CALL neardup.restore('public.adverts', 1)
CALL neardup.cleanup('public.adverts')
SELECT neardup.withdraw('public.adverts', act => 'restore')
CREATE TABLE public.confirmed AS SELECT key, duplicate_of FROM neardup.duplicates('public.adverts', threshold => 0.96, settled => true)
CALL neardup.cleanup('public.adverts', confirmed => 'public.confirmed')
CALL neardup.cleanup('public.adverts', confirmed => 'public.confirmed', dry_run => false)
SELECT 1 / count(*) AS found FROM adverts_removed \gset
CALL neardup.restore('public.adverts', 2)
SELECT count(*) FROM neardup.groups('public.adverts')
SELECT count(*) FROM neardup.insert_or_match('public.adverts', '[{"id": 99, "body": "What the town council decided on Monday"}]')
