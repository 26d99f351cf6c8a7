-- A logical replication subscriber: it applies what the publisher's guard has judged, and does not judge again.

CREATE TABLE article (id int PRIMARY KEY, body text);
SELECT neardup.protect('article', 'body');

-- @subscriber
CREATE TABLE article (id int PRIMARY KEY, body text);
SELECT neardup.protect('article', 'body');

-- @publisher
-- What is there before the subscription is copied, and judged no more than what comes later: the publisher has let it in.
INSERT INTO article SELECT i, repeat(md5(i::text), 8) FROM generate_series(1, 50) i;
ALTER TABLE article DISABLE TRIGGER zz_neardup_body;
INSERT INTO article SELECT 100 + id, body FROM article WHERE id <= 3;
ALTER TABLE article ENABLE TRIGGER zz_neardup_body;
CREATE PUBLICATION articles FOR TABLE article;

SELECT string_agg(a::text, ',' ORDER BY id) FROM article a;
--> first

-- @subscriber
SELECT format('CREATE SUBSCRIPTION articles CONNECTION %L PUBLICATION articles', 'host=' || :'publisher' || ' port=5432 user=postgres dbname=subscriber') \gexec

-- the rows that were there
SELECT string_agg(a::text, ',' ORDER BY id) FROM article a;
--~ <first>

-- @publisher
INSERT INTO article SELECT i, repeat(md5(i::text), 8) FROM generate_series(51, 60) i;
UPDATE article SET body = repeat(md5('another'), 8) WHERE id = 7;
DELETE FROM article WHERE id = 8;
ALTER TABLE article DISABLE TRIGGER zz_neardup_body;
INSERT INTO article SELECT 200 + id, body FROM article WHERE id <= 3;
ALTER TABLE article ENABLE TRIGGER zz_neardup_body;

SELECT string_agg(a::text, ',' ORDER BY id) FROM article a;
--> later

-- @subscriber
-- the rows that came later
SELECT string_agg(a::text, ',' ORDER BY id) FROM article a;
--~ <later>

-- verdicts of the subscriber
SELECT coalesce(sum(count), 0) FROM neardup.counters;
--= 0

-- a copy that a writer of the subscriber brings
INSERT INTO article SELECT 300, body FROM article WHERE id = 60;
--= ERROR:  23505

-- Told to judge, it does so for what comes, too, and its locks end with each row.
SELECT neardup.protect('article', 'body', on_duplicate => 'skip');
ALTER TABLE article ENABLE ALWAYS TRIGGER zz_neardup_body;
INSERT INTO article VALUES (400, repeat(md5('only here'), 8));

-- @publisher
INSERT INTO article VALUES (401, repeat(md5('only here'), 8)), (402, repeat(md5('news'), 8));

-- @subscriber
-- the rows that a subscriber who judges has let in
SELECT string_agg(id::text, ' ' ORDER BY id) FROM article WHERE id >= 400;
--~ 400 402

-- locks of the guard
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 5;
--~ 0

DROP SUBSCRIPTION articles;
