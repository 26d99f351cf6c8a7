-- A machine that has run out of something.

-- ## memory
CREATE TABLE signatures AS SELECT (i::bigint * 7919)::simhash AS s FROM generate_series(1, 300000) i;
CREATE TABLE sketches AS SELECT minhash(md5(i::text), 'chars:2') AS m FROM generate_series(1, 20000) i;
CREATE TABLE long AS SELECT string_agg(md5(i::text) || '江口镇今日举办第' || i || '届龙舟赛。', '') AS body FROM generate_series(1, 40000) i;
CREATE SEQUENCE ids;
CREATE TABLE short (body text);
INSERT INTO short VALUES ('江口镇今日举办第十届龙舟赛');
CREATE TABLE words AS SELECT string_agg(md5((i * j)::text), ' ') AS body FROM generate_series(1, 200) i, generate_series(1, 300) j GROUP BY i;
CREATE TABLE guarded (id int PRIMARY KEY, body text);
SELECT neardup.protect('guarded', 'body', on_duplicate => 'skip');
SELECT neardup.create_profile('house', 'words');

-- ## greedy
-- Work that needs much memory for itself, beside what its arguments take.

SELECT count(g) FROM (SELECT near_duplicate_of(s, 3) OVER () AS g FROM signatures) w;

SELECT count(g) FROM (SELECT near_duplicate_of(s, 3, 'star') OVER () AS g FROM signatures) w;

SELECT count(g) FROM (SELECT near_duplicate_of(m, 0.8) OVER () AS g FROM sketches) w;

SELECT cardinality(tokens(body, 'jieba')) FROM long;

SELECT length(normalize_text(body, '{html,nfkc,simplified,punctuation}')) FROM long;

SELECT length(tokenset(body, 'chars:5')::text) FROM long;

SELECT count(*) FROM long, keywords(body, 10, 'textrank');

SELECT count(*) FROM sentences((SELECT body FROM long));

SELECT verdict FROM long, same_message(body, reverse(body));

SELECT cardinality(fingerprints(body, 'chars:3', 2)) FROM long;

SELECT length(bloom_filter_agg(s::text, 100000000, 0.001)::text) FROM signatures;

CALL neardup.train_profile('house', 'SELECT body FROM words');

SELECT length(neardup.report_html('guarded'));

INSERT INTO guarded SELECT nextval('ids'), body || md5(i::text) || md5((-i)::text) || md5((i * 7)::text) FROM short, generate_series(1, 3000) i;

SELECT length(histogram_svg(array_agg(i::float8))) FROM generate_series(1, 3000000) i;

-- ## disk
-- 2,000 articles in one or two copies each; all that must not get lost is kept beside.
CREATE FUNCTION article(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(chr(19968 + abs(hashint8(n * 1000 + i)::bigint % 9000)::int), '' ORDER BY i) FROM generate_series(1, 60) i
$$;
CREATE TABLE articles (id int PRIMARY KEY, body text);
INSERT INTO articles SELECT n * 2 + c, article(n) FROM generate_series(1, 2000) n, generate_series(0, n % 2) c;
CREATE TABLE wide AS SELECT i, (i * 7919)::bigint::simhash AS s FROM generate_series(1, 200000) i;
SELECT neardup.protect('articles', 'body');
SELECT neardup.keep_removed('articles');
CREATE TABLE empty (id int PRIMARY KEY, body text);
SELECT neardup.protect('empty', 'body');
-- Rows that are neither in the table nor kept, or both.
CREATE VIEW lost AS
SELECT count(*) FROM generate_series(1, 2000) n, generate_series(0, n % 2) c
WHERE (SELECT count(*) FROM articles a WHERE a.id = n * 2 + c AND a.body = article(n)) + (SELECT count(*) FROM articles_removed r WHERE r.id = n * 2 + c) <> 1;

-- ## work
-- What is tried without room and again with it, and the answer it has then.

-- signing a table
CREATE TABLE signed AS SELECT id, body, simhash(body) AS s FROM articles;
--=

-- an index
CREATE INDEX ON wide USING gin (simhash_bands(s));
--=

-- sorting for groups
SELECT count(g) > 0 FROM (SELECT near_duplicate_of(s, 3) OVER (ORDER BY md5(i::text)) AS g FROM wide) w;
--= t

-- a load through a guard
INSERT INTO empty SELECT n, article(n) FROM generate_series(1, 2000) n;
--=

-- an index for the guard
CREATE INDEX ON articles USING neardup (sketch(body));
--=

-- a clean-up
CALL neardup.cleanup('articles', dry_run => false);
--= 1|1000
