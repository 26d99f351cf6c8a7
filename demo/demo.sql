-- ## A table of news
-- The extension, and an article table like anybody's.
CREATE EXTENSION pg_neardup;

CREATE TABLE articles (id bigint PRIMARY KEY, published date, title text, body text);

-- The sample: sixty short texts written for this demo, one JSON object a line. Among them are copies of others with small
-- edits, and updates of others: the same form with other facts.
CREATE TEMPORARY TABLE incoming (line json);
\copy incoming FROM 'demo/sample.jsonl' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
INSERT INTO articles
SELECT (line ->> 'id')::bigint, (line ->> 'date')::date, line ->> 'title', line ->> 'text' FROM incoming;

-- ## Signatures
-- A signature sums up a text in 64 bits, here from all its runs of three characters; near-duplicates have signatures that differ in
-- few bits. Article 16 is article 13 with an opening line added, article 2 is about something else.
SELECT id, simhash(body, 'chars:3'), simhash(body, 'chars:3') <~> (SELECT simhash(body, 'chars:3') FROM articles WHERE id = 13) AS distance_from_13, title
FROM articles WHERE id IN (2, 13, 16) ORDER BY distance_from_13;

-- ## A guard
-- One call puts the table under guard: a column for the signature, indexes on it, a trigger. We want to search, too, so we ask for
-- the index that searches use.
SELECT neardup.protect('articles', 'body', search_index => true);

-- It rewrote nothing, so the rows that were there before have yet to be signed.
CALL neardup.backfill('articles');

-- From now on a copy is refused, and the row it copies is named: here the police notice of article 3, with a word in front and a
-- closing line.
INSERT INTO articles (id, published, title, body)
SELECT 101, '2031-04-21', '湖滨大道两车相撞', '转载：' || body || '（本文来自网友投稿）' FROM articles WHERE id = 3;
-- ERROR:  near-duplicate of a row in table "articles"

-- News of its own goes in.
INSERT INTO articles VALUES (102, '2031-04-21', '灯塔换灯',
  '柏浦湾口的老灯塔4月21日换下用了四十年的玻璃灯，改装太阳能旋转灯。守塔人严守正说，新灯亮得远，旧灯留在塔下的小屋里，给来看海的孩子们转着玩。');

-- ## Search
-- Which articles are near this one? simhash_within says it in a WHERE clause, for any distance from 0 to 11, and misses none.
SELECT id, body_simhash <~> (SELECT body_simhash FROM articles WHERE id = 13) AS distance, title
FROM articles
WHERE simhash_within(body_simhash, (SELECT body_simhash FROM articles WHERE id = 13), 7)
ORDER BY distance, id;

-- The index serves it. (Sixty rows Postgres would rather just read; so for this once it may not.)
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT id FROM articles WHERE simhash_within(body_simhash, simhash('灯塔换下了旧灯', 'chars:3'), 3);
RESET enable_seqscan;

-- ## What was there already
-- The guard judges what comes. The copies that were there before it are listed by this function, each with the row of its group that
-- would stay. Beside them stands what the sample itself says of the row: how it was made.
SELECT d.key, d.duplicate_of, d.distance, d.group_size, i.line ->> 'note' AS how_it_was_made
FROM neardup.duplicates('articles') d JOIN incoming i ON i.line ->> 'id' = d.key
ORDER BY d.duplicate_of::bigint, d.distance;

-- How good is that? So many of the sample's copies and updates are on the list. Short texts are the hardest: one dropped sentence is a
-- good part of them.
SELECT split_part(i.line ->> 'note', ' ', 1) AS made_as, count(*) AS in_sample, count(d.key) AS listed
FROM incoming i LEFT JOIN neardup.duplicates('articles') d ON d.key = i.line ->> 'id'
WHERE i.line ->> 'note' IS NOT NULL GROUP BY 1 ORDER BY 1;

-- A larger distance finds more copies, and begins to take updates for copies: the same form with other figures, which must stay.
-- It is for you to choose, and to look before you remove.
SELECT neardup.protect('articles', 'body', distance => 11);

SELECT split_part(i.line ->> 'note', ' ', 1) AS made_as, count(*) AS in_sample, count(d.key) AS listed
FROM incoming i LEFT JOIN neardup.duplicates('articles') d ON d.key = i.line ->> 'id'
WHERE i.line ->> 'note' IS NOT NULL GROUP BY 1 ORDER BY 1;

SELECT neardup.protect('articles', 'body');

-- ## Clean-up
-- Removing begins with a dry run, which changes nothing.
CALL neardup.cleanup('articles', keep => 'oldest');

-- And now really: in batches, with a commit after each.
CALL neardup.cleanup('articles', keep => 'oldest', dry_run => false);

SELECT count(*) AS articles_left FROM articles;

-- ## Second thoughts
-- What was removed is kept, with the row it duplicates, and comes back whole.
CALL neardup.restore(1);

SELECT count(*) AS articles FROM articles;
