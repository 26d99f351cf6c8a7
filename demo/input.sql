-- ## Load
-- The extension, a table, and your articles: one JSON object a line with id and text, and title, date and url if there are.
CREATE EXTENSION pg_neardup;

CREATE TABLE articles (id text PRIMARY KEY, published text, title text, url text, body text);

CREATE TEMPORARY TABLE incoming (line json);
\copy incoming FROM 'demo/sample.jsonl' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
INSERT INTO articles
SELECT line ->> 'id', line ->> 'date', line ->> 'title', line ->> 'url', line ->> 'text' FROM incoming
ON CONFLICT DO NOTHING;

SELECT count(*) AS articles, sum(length(body)) AS characters, pg_size_pretty(pg_total_relation_size('articles')) AS on_disk FROM articles;

-- ## Guard
-- The column for the signatures, its indexes and the trigger, and an index to search by. No row is rewritten.
SELECT neardup.protect('articles', 'body', search_index => true);

-- ## Sign
-- The rows that are there get their signatures, and with them their index entries.
CALL neardup.backfill('articles');

VACUUM ANALYZE articles;

SELECT count(body_simhash) AS signed, pg_size_pretty(pg_relation_size(indexrelid)) AS index_size
FROM articles, pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am m ON m.oid = c.relam
WHERE indrelid = 'articles'::regclass AND amname = 'gin' GROUP BY indexrelid;

-- ## Index
-- The index to search by once more, built in one go, as one would after loading a large table.
CREATE INDEX built_in_one_go ON articles USING gin (simhash_bands(body_simhash)) WITH (fastupdate = off);
DROP INDEX built_in_one_go;

-- ## List the groups
CREATE TEMPORARY TABLE found AS SELECT * FROM neardup.duplicates('articles');

-- Groups are connected: a row may be near another of its group and not near the one that stays. Such rows are listed, and no
-- clean-up touches them.
SELECT count(DISTINCT f.duplicate_of) AS groups, max(f.group_size) AS largest_group,
       count(*) FILTER (WHERE f.distance <= p.distance) AS near_the_row_that_stays, count(*) FILTER (WHERE f.distance > p.distance) AS in_a_chain
FROM found f, neardup.protected p;

SELECT f.distance, count(*) AS copies FROM found f, neardup.protected p WHERE f.distance <= p.distance GROUP BY 1 ORDER BY 1;

-- Twenty groups, evenly drawn, to judge by eye.
SELECT f.distance, f.group_size, left(r.title, 24) AS stays, left(regexp_replace(r.body, '\s+', ' ', 'g'), 40) AS its_text,
       left(c.title, 24) AS copy, left(regexp_replace(c.body, '\s+', ' ', 'g'), 40) AS text_of_copy
FROM (SELECT DISTINCT ON (f.duplicate_of) f.* FROM found f, neardup.protected p WHERE f.distance <= p.distance ORDER BY f.duplicate_of, f.distance DESC, f.key) f
     JOIN articles r ON r.id = f.duplicate_of JOIN articles c ON c.id = f.key
ORDER BY hashtext(f.duplicate_of) LIMIT 20;

-- ## Refuse a copy
-- The article of middle length, inserted again as it is.
SELECT id AS original FROM articles WHERE body_simhash IS NOT NULL
ORDER BY length(body), id OFFSET (SELECT count(body_simhash) / 2 FROM articles) LIMIT 1 \gset
INSERT INTO articles (id, title, body) SELECT 'again', title, body FROM articles WHERE id = :'original';
-- ERROR:  near-duplicate of a row in table "articles"

-- And edited: a word in front, a closing line, a few characters less in the middle. In an article that is little; of a short post it
-- is a good part, and then it counts as another text.
INSERT INTO articles (id, title, body)
SELECT 'edited', title, '转载：' || overlay(body PLACING '' FROM length(body) / 2 FOR 6) || '（编辑：小渡）' FROM articles WHERE id = :'original';
-- ERROR?  near-duplicate of a row in table "articles"

-- ## Clean up
CALL neardup.cleanup('articles', keep => 'oldest');

CALL neardup.cleanup('articles', keep => 'oldest', dry_run => false);

SELECT count(*) AS articles_left FROM articles;
