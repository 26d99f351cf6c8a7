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

-- Rows that are neither there nor archived, or both; archived ones whose row that stays is gone; readers who are gone, or point nowhere.
CREATE VIEW lost (what, id) AS
SELECT 'lost', id FROM before b WHERE NOT EXISTS (SELECT FROM articles a WHERE a.id = b.id AND a.body = b.body)
    AND NOT EXISTS (SELECT FROM neardup.removed r WHERE r.key = b.id::text)
UNION ALL SELECT 'twice', a.id FROM articles a JOIN neardup.removed r ON r.key = a.id::text
UNION ALL SELECT 'no representative', r.key::int FROM neardup.removed r WHERE NOT EXISTS (SELECT FROM articles a WHERE a.id = r.duplicate_of::int)
UNION ALL SELECT 'reader', b.id FROM before b WHERE b.id % 5 = 0 AND NOT EXISTS (SELECT FROM readers r JOIN articles a ON a.id = r.article WHERE r.id = b.id);

-- Runs made up for the purge: old ones and one of today, 5,000 rows each.
CREATE PROCEDURE fill_archive() LANGUAGE sql AS $$
INSERT INTO neardup.runs (target, document, action, keep, verify, started, finished)
SELECT 'before'::regclass, 'body', 'archive', 'oldest', 'facts', t, t
FROM (VALUES (now() - interval '2 days'), (now() - interval '3 days'), (now())) v(t);
INSERT INTO neardup.removed (run_id, batch, key, duplicate_of, measure, value, columns)
SELECT r.run_id, i / 100, -i, 4, 'facts', 1, '{}' FROM neardup.runs r, generate_series(1, 5000) i
WHERE r.target = 'before'::regclass AND NOT EXISTS (SELECT FROM neardup.removed d WHERE d.run_id = r.run_id);
$$;

-- Rows without their run, and rows of today gone.
CREATE VIEW forgotten (what, rows) AS
SELECT 'without a run', count(*) FROM neardup.removed d WHERE NOT EXISTS (SELECT FROM neardup.runs r WHERE r.run_id = d.run_id) HAVING count(*) > 0
UNION ALL SELECT 'of today', count(*) FROM neardup.removed d JOIN neardup.runs r USING (run_id)
WHERE r.target = 'before'::regclass AND r.started > now() - interval '1 day' HAVING count(*) % 5000 > 0;
