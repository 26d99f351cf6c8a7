-- ## A table of news
-- The extension, and a table of articles.
CREATE EXTENSION pg_neardup;

CREATE TABLE articles (id bigint PRIMARY KEY, published date, title text, body text);

-- The sample: sixty short texts written for this demo, one JSON object a line. Among them are
-- copies of others with small edits, and updates of others: the same form with other facts.
CREATE TEMPORARY TABLE incoming (line json);
\copy incoming FROM 'demo/sample.jsonl' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
INSERT INTO articles
SELECT (line ->> 'id')::bigint, (line ->> 'date')::date, line ->> 'title', line ->> 'text' FROM incoming;

-- ## Sketches
-- A sketch is the few smallest hashes of a text's shingles, its runs of five characters or
-- words. Texts with much in common share some of them. Article 16 is article 13 with an opening
-- line added, article 2 is about something else.
SELECT id, cardinality(sketch_keys(sketch(body))) AS keys,
       (SELECT count(*) FROM unnest(sketch_keys(sketch(body))) key
        WHERE key = ANY (SELECT unnest(sketch_keys(sketch(o.body))) FROM articles o WHERE o.id = 13)) AS shared_with_13, title
FROM articles WHERE id IN (2, 13, 16) ORDER BY shared_with_13 DESC, id;

-- Sharing a key makes two texts candidates. The texts themselves decide: article 15 is a warning
-- of the same form as article 2, for another day, with other places and figures.
SELECT b.id, same_message.verdict, same_message.reasons[1:2] AS reasons
FROM articles a JOIN articles b ON (a.id, b.id) IN ((13, 16), (2, 15)), same_message(a.body, b.body);

-- ## A guard
-- One call puts the table under guard: it makes an index on the sketch and triggers. It adds no
-- column and rewrites no row, and the rows that are there count from now on.
SELECT neardup.protect('articles', 'body');

-- A copy is refused, and the row it copies is named: here the police notice of article 3, with a
-- word in front and a closing line.
INSERT INTO articles (id, published, title, body)
SELECT 101, '2031-04-21', '湖滨大道两车相撞', '转载：' || body || '（本文来自网友投稿）' FROM articles WHERE id = 3;
-- ERROR:  near-duplicate of a row in table "articles"

-- News of its own goes in.
INSERT INTO articles VALUES (102, '2031-04-21', '灯塔换灯',
  '柏浦湾口的老灯塔4月21日换下用了四十年的玻璃灯，改装太阳能旋转灯。守塔人严守正说，新灯亮得远，旧灯留在塔下的小屋里，给来看海的孩子们转着玩。');

-- So does an update: the notice of article 3 with other figures.
INSERT INTO articles (id, published, title, body)
SELECT 103, '2031-04-22', '湖滨大道再发事故', replace(replace(replace(body, '3月3日7时50分', '4月22日18时10分'), '3名', '5名'), '贺某（男，34岁）', '米某（女，27岁）')
FROM articles WHERE id = 3;

-- ## Search
-- Which articles are near-duplicates of this one? near_duplicate says it in a WHERE clause: by
-- the guard's rule.
SELECT id, title FROM articles
WHERE near_duplicate(body, (SELECT body FROM articles WHERE id = 13)) ORDER BY id;

-- The guard's index serves it. (Sixty rows Postgres would rather just read; so for this once it
-- may not.)
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT id FROM articles WHERE near_duplicate(body, (SELECT body FROM articles WHERE id = 13));
RESET enable_seqscan;

-- ## What was there already
-- The guard judges what comes. The copies that were there before it are listed by this function,
-- each with the row of its group that would stay. Beside them stands what the sample itself says
-- of the row: how it was made.
SELECT d.key, d.duplicate_of, d.verdict, round(d.value::numeric, 2) AS score, d.group_size, i.line ->> 'note' AS how_it_was_made
FROM neardup.duplicates('articles') d JOIN incoming i ON i.line ->> 'id' = d.key
ORDER BY d.duplicate_of::bigint, d.key::bigint;

-- How good is that? So many of the sample's copies and updates are on the list.
SELECT split_part(i.line ->> 'note', ' ', 1) AS made_as, count(*) AS in_sample, count(d.key) AS listed
FROM incoming i LEFT JOIN neardup.duplicates('articles') d ON d.key = i.line ->> 'id'
WHERE i.line ->> 'note' IS NOT NULL GROUP BY 1 ORDER BY 1;

-- ## Clean-up
-- The list names what scores 0.5 and more, to be read; a clean-up removes what scores 0.96 and
-- more. It begins with a dry run, which changes nothing and shows where both texts differ.
CALL neardup.cleanup('articles', keep => 'oldest');

-- And now really: in batches, with a commit after each.
CALL neardup.cleanup('articles', keep => 'oldest', dry_run => false);

SELECT count(*) AS articles_left FROM articles;

-- ## Second thoughts
-- What was removed is kept, with the row it duplicates, and comes back whole.
CALL neardup.restore('articles', 1);

SELECT count(*) AS articles FROM articles;
