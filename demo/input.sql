-- ## Load
-- The extension, a table, and your articles: one JSON object a line with id and text, and title,
-- date and url if there are.
CREATE EXTENSION pg_neardup;

CREATE TABLE articles (id text PRIMARY KEY, published text, title text, url text, body text);

CREATE TEMPORARY TABLE incoming (line json);
\copy incoming FROM 'demo/sample.jsonl' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')
INSERT INTO articles
SELECT line ->> 'id', line ->> 'date', line ->> 'title', line ->> 'url', line ->> 'text' FROM incoming
ON CONFLICT DO NOTHING;
DO $$ BEGIN ASSERT EXISTS (SELECT FROM articles WHERE body <> ''), 'no line of the file has id and text'; END $$;

SELECT count(*) AS articles, sum(length(body)) AS characters, pg_size_pretty(pg_total_relation_size('articles')) AS on_disk FROM articles;

-- ## Index
-- What the guard and searches go by: an index on the sketch of each text. CONCURRENTLY would
-- keep no writer waiting.
CREATE INDEX articles_sketch ON articles USING neardup (sketch(body));

VACUUM ANALYZE articles;

SELECT pg_size_pretty(pg_relation_size('articles_sketch')) AS index_size;

-- ## Guard
-- It takes the index that is there, and adds triggers. No column, no row rewritten.
SELECT neardup.protect('articles', 'body');

-- ## List the groups
CREATE TEMPORARY TABLE found AS SELECT * FROM neardup.duplicates('articles');

SELECT count(DISTINCT duplicate_of) AS groups, count(*) AS copies, max(group_size) AS largest_group FROM found;

SELECT measure, verdict, count(*) AS copies FROM found GROUP BY 1, 2 ORDER BY 3 DESC;

-- Twenty groups, evenly drawn, to judge by eye: of each the copy that is least sure.
SELECT f.verdict, round(f.value::numeric, 2) AS score, f.group_size, left(r.title, 24) AS stays, left(regexp_replace(r.body, '\s+', ' ', 'g'), 40) AS its_text,
       left(c.title, 24) AS copy, left(regexp_replace(c.body, '\s+', ' ', 'g'), 40) AS text_of_copy
FROM (SELECT DISTINCT ON (f.duplicate_of) f.* FROM found f ORDER BY f.duplicate_of, f.measure = 'identical', f.value, f.key) f
     JOIN articles r ON r.id = f.duplicate_of JOIN articles c ON c.id = f.key
ORDER BY hashtext(f.duplicate_of) LIMIT 20;

-- ## Search
-- The near-duplicates of the article of middle length.
SELECT id AS original FROM articles WHERE sketch(body) IS NOT NULL
ORDER BY length(body), id OFFSET (SELECT count(*) / 2 FROM articles WHERE sketch(body) IS NOT NULL) LIMIT 1 \gset
SELECT id, left(title, 24) AS title, left(regexp_replace(body, '\s+', ' ', 'g'), 40) AS text
FROM articles WHERE near_duplicate(body, (SELECT body FROM articles WHERE id = :'original')) ORDER BY id LIMIT 10;

-- ## Refuse a copy
-- That article, inserted again as it is.
INSERT INTO articles (id, title, body) SELECT 'again', title, body FROM articles WHERE id = :'original';
-- ERROR:  near-duplicate of a row in table "articles"

-- And edited: a word in front, a closing line, a few characters less in the middle. Where these
-- characters tell a fact, it counts as another text.
INSERT INTO articles (id, title, body)
SELECT 'edited', title, '转载：' || overlay(body PLACING '' FROM length(body) / 2 FOR 6) || '（编辑：小渡）' FROM articles WHERE id = :'original';
-- ERROR?  near-duplicate of a row in table "articles"

-- ## Clean up
-- A list names what scores 0.5 and more; a clean-up removes what scores 0.96 and more. A dry run
-- changes nothing and shows the least certain ones.
CALL neardup.cleanup('articles', keep => 'oldest');

CALL neardup.cleanup('articles', keep => 'oldest', dry_run => false);

SELECT count(*) AS articles_left FROM articles;
