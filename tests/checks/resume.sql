-- Procedures that are interrupted: what they work on, and what must be empty at any time.
CREATE FUNCTION article(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(chr(19968 + abs(hashint8(n * 1000 + i)::bigint % 9000)::int), '' ORDER BY i) FROM generate_series(1, 60) i
$$;
CREATE TABLE articles (id int PRIMARY KEY, body text);
INSERT INTO articles SELECT n * 4 + c, article(n) FROM generate_series(1, 3000) n, generate_series(0, n % 4) c;
CREATE TABLE readers (id int PRIMARY KEY, article int REFERENCES articles ON DELETE CASCADE);
INSERT INTO readers SELECT id, id FROM articles WHERE id % 5 = 0;
CREATE TABLE before AS TABLE articles;
SELECT neardup.protect('articles', 'body');
SELECT neardup.keep_removed('articles');
SELECT neardup.keep_removed('before');

-- Rows that are neither there nor archived, or both; archived ones whose row that stays is gone; readers who are gone, or point nowhere.
CREATE VIEW lost (what, id) AS
SELECT 'lost', id FROM before b WHERE NOT EXISTS (SELECT FROM articles a WHERE a.id = b.id AND a.body = b.body)
    AND NOT EXISTS (SELECT FROM articles_removed r WHERE r.id = b.id AND r.body = b.body)
UNION ALL SELECT 'twice', a.id FROM articles a JOIN articles_removed r ON r.id = a.id
UNION ALL SELECT 'no kept row', r.id FROM articles_removed r WHERE NOT EXISTS (SELECT FROM articles a WHERE a.id = r.neardup_duplicate_of::int)
UNION ALL SELECT 'reader', b.id FROM before b WHERE b.id % 5 = 0 AND NOT EXISTS (SELECT FROM readers r JOIN articles a ON a.id = r.article WHERE r.id = b.id);

-- Rows that stay in the end: the first of each text, and those that have a reader.
CREATE VIEW remaining AS
SELECT id FROM before b WHERE id % 5 = 0 OR NOT EXISTS (SELECT FROM before a WHERE a.body = b.body AND a.id < b.id);

-- Rows made up for the purge: old ones and some of today, 5,000 of each.
CREATE PROCEDURE fill_archive() LANGUAGE sql AS $$
INSERT INTO before_removed (neardup_run, neardup_batch, neardup_at, neardup_key, id)
SELECT d, i / 100, now() - d * interval '1 day', i, i FROM unnest(ARRAY[0, 2, 3]) d, generate_series(1, 5000) i;
$$;

-- Rows of today gone.
CREATE VIEW forgotten (what, rows) AS
SELECT 'of today', count(*) FROM before_removed WHERE neardup_at > now() - interval '1 day' HAVING count(*) % 5000 > 0;
