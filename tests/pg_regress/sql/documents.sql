-- documents: documents of several rows that have rows in common
\set SHOW_CONTEXT never
CREATE TABLE chunks (id int PRIMARY KEY, doc_id int, site text, body text);
CREATE TABLE passage (n int, body text);
INSERT INTO passage VALUES
    (1, 'The harbour bridge of Rowmouth will close for repairs from Monday until the end of the month; buses four and nine take the tunnel instead, and cyclists use the ferry at the old customs house.'),
    (2, 'Engineers found cracks in two of the main girders last autumn, after a ship had grazed the northern pier; they will be replaced by steel from the works at Upper Village.'),
    (3, 'The repairs are paid for by the county, which set aside the money in spring; shopkeepers near the bridge ask for a lower rent while the street is quiet.'),
    (4, 'A museum in the former engine house tells how the bridge was built, with models, letters of the workers and a film of the opening day, when the mayor fell into the river.'),
    (5, 'The winter market of Stonebridge opens today with more than two hundred stalls along the river; smoked meat, prints and paper lanterns sell best, and an opera troupe plays.'),
    (6, 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn, and the cider press runs until late in the evening on all days but Sunday.'),
    (7, 'The roof of the sports hall now carries solar panels with four hundred kilowatts, enough for the lamps and the pumps at noon; what is left over goes to the grid.'),
    (8, 'This text may be copied for any purpose if its source is named; questions about rights go to the press office of the county, which answers within three working days.');
INSERT INTO chunks
SELECT d.doc * 10 + p.n, d.doc, 'a', p.body
FROM (VALUES (1, '{1,2,3,4,8}'::int[]),      -- a document
             (2, '{1,2,3,6,8}'),             -- a later edition of it
             (3, '{1,2,5,6,7,8}'),           -- has chunks of both
             (4, '{5,7,8}'),                 -- lies wholly in the third
             (5, '{7}')) d (doc, parts) JOIN passage p ON p.n = ANY (d.parts);
-- rows of no document, and rows without a text
INSERT INTO chunks SELECT 90, NULL, 'a', p.body FROM passage p WHERE p.n = 4;
INSERT INTO chunks VALUES (91, 5, 'a', NULL);
SELECT neardup.protect('chunks', 'body');
SELECT key, copies, rows, round(share::numeric, 2) AS share, other, other_copies, other_rows, round(other_share::numeric, 2) AS other_share
FROM neardup.documents('chunks', parent => 'doc_id') ORDER BY key, other;
-- every pair that shares a row
SELECT key, other, copies, other_copies FROM neardup.documents('chunks', 'doc_id', at_least => 0.01) ORDER BY key, other;
-- all rows of one
SELECT key, other FROM neardup.documents('chunks', 'doc_id', at_least => 1) ORDER BY key, other;
-- the same as by counting each pair
CREATE VIEW counted AS
WITH g AS (SELECT key, duplicate_of AS first FROM neardup.duplicates('chunks') UNION SELECT duplicate_of, duplicate_of FROM neardup.duplicates('chunks')),
     r AS (SELECT c.doc_id, g.first FROM chunks c JOIN g ON g.key = c.id::text WHERE c.doc_id IS NOT NULL AND c.body IS NOT NULL),
     n AS (SELECT doc_id, count(*) AS rows FROM chunks WHERE body IS NOT NULL GROUP BY 1)
SELECT x.doc_id AS a, y.doc_id AS b, count(*)::float8 / n.rows AS share
FROM r x JOIN n USING (doc_id) JOIN (SELECT DISTINCT doc_id, first FROM r) y ON y.first = x.first AND y.doc_id <> x.doc_id GROUP BY 1, 2, n.rows;
SELECT l.part, count(*) AS pairs, count(*) FILTER (WHERE c.a IS NULL OR d.a IS NULL) AS not_counted,
       (SELECT count(*) FROM (SELECT least(a, b), greatest(a, b) FROM counted GROUP BY 1, 2 HAVING max(share) >= l.part) x) AS expected
FROM (VALUES (0.2::float8), (0.34), (0.4), (0.6), (0.8)) l (part)
     CROSS JOIN LATERAL neardup.documents('chunks', 'doc_id', l.part) p
     LEFT JOIN counted c ON c.a = p.key::int AND c.b = p.other::int AND c.share = p.share
     LEFT JOIN counted d ON d.a = p.other::int AND d.b = p.key::int AND d.share = p.other_share
GROUP BY 1 ORDER BY 1;
-- several copies in one document
BEGIN;
SELECT neardup.let_through('chunks', false);
INSERT INTO chunks SELECT 60 + n, 6, 'a', (SELECT body FROM chunks WHERE id = 14) || repeat('!', n) FROM generate_series(1, 3) n;
COMMIT;
SELECT key, copies, rows, other, other_copies, other_rows FROM neardup.documents('chunks', 'doc_id', 0.9) WHERE key = '6';
-- in a scope; the parent is a text with a collation of its own
ALTER TABLE chunks ALTER COLUMN site TYPE text COLLATE "C";
SELECT key, other, round(share::numeric, 2) AS share FROM neardup.documents('chunks', 'site');
UPDATE chunks SET site = 'b' WHERE doc_id = 2;
SELECT key, other, round(share::numeric, 2) AS share FROM neardup.documents('chunks', 'site');
SELECT count(*) FROM neardup.documents('chunks', 'doc_id', scope => '{doc_id}');
SELECT key, other FROM neardup.documents('chunks', 'doc_id', 0.6, scope => '{site}') ORDER BY 1, 2;
-- the arguments of lists
SELECT count(*) FROM neardup.documents('chunks', 'doc_id', verify => 'overlap', threshold => 0.99, document => 'body', excerpts => 'keep');
-- a key of several columns with a collation and a time, in partitions; the form of dates does not count
CREATE TABLE parts (part text COLLATE "POSIX", at timestamptz, doc date, body text, PRIMARY KEY (part, at)) PARTITION BY LIST (part);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN ('a');
CREATE TABLE parts_b PARTITION OF parts FOR VALUES IN ('b');
INSERT INTO parts SELECT CASE doc_id WHEN 2 THEN 'b' ELSE 'a' END, '2031-03-01 12:00+00'::timestamptz + id * interval '1 hour', date '2031-03-01' + doc_id, body FROM chunks WHERE doc_id < 4;
SELECT neardup.protect('parts', 'body', time_column => 'at');
SET datestyle = 'German';
SET timezone = 'Asia/Tokyo';
SELECT key, copies, other, other_copies FROM neardup.documents('parts', 'doc') ORDER BY 1, 2;
RESET datestyle;
RESET timezone;
-- a reader, and one who may not read the parent
CREATE ROLE regress_documents;
GRANT SELECT (id, body) ON chunks TO regress_documents;
SET ROLE regress_documents;
SELECT count(*) FROM neardup.documents('chunks', 'doc_id');
RESET ROLE;
GRANT SELECT (doc_id) ON chunks TO regress_documents;
SET ROLE regress_documents;
SELECT count(*) FROM neardup.documents('chunks', 'doc_id');
RESET ROLE;
-- errors
SELECT * FROM neardup.documents('chunks', 'doc');
SELECT * FROM neardup.documents('chunks', NULL);
SELECT * FROM neardup.documents(NULL, 'doc_id');
SELECT * FROM neardup.documents('passage', 'n');
SELECT * FROM neardup.documents('chunks', 'doc_id', 0);
SELECT * FROM neardup.documents('chunks', 'doc_id', 1.5);
SELECT * FROM neardup.documents('chunks', 'doc_id', 'NaN');
SELECT * FROM neardup.documents('chunks', 'doc_id', NULL);
SELECT * FROM neardup.documents('chunks', 'doc_id', verify => 'length');
CREATE TYPE secret AS (a text);
CREATE FUNCTION secret_text(secret) RETURNS text LANGUAGE sql AS $$ SELECT 'never' $$;
CREATE CAST (secret AS text) WITH FUNCTION secret_text(secret);
ALTER TABLE chunks ADD COLUMN hidden secret;
SELECT * FROM neardup.documents('chunks', 'hidden');
DROP TABLE chunks, parts, passage CASCADE;
DROP CAST (secret AS text);
DROP FUNCTION secret_text;
DROP TYPE secret;
DROP ROLE regress_documents;
