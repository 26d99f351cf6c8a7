-- A streaming replica: it has the rows and the index, answers the same, and after promotion its guard stands. The first rows were there
-- when it was made; what comes now travels as WAL.

INSERT INTO article SELECT 'more ' || id, reverse(body) FROM article;

SELECT string_agg(a::text, ',' ORDER BY id) FROM article a;
--> rows

-- @primary_index
SET enable_seqscan = off;

SELECT string_agg(a.id || '=' || b.id, ',' ORDER BY a.id, b.id) FROM article a JOIN article b ON near_duplicate(b.body, a.body);
--> searched

SELECT string_agg(d::text, ',' ORDER BY key) FROM neardup.duplicates('article') d;
--> copies

-- @replica
-- the rows on the replica
SELECT string_agg(a::text, ',' ORDER BY id) FROM article a;
--~ <rows>

-- rows on the replica
SELECT count(*) > 20 FROM article;
--= t

-- @replica_index
SET enable_seqscan = off;

-- a search by the index on the replica
SELECT string_agg(a.id || '=' || b.id, ',' ORDER BY a.id, b.id) FROM article a JOIN article b ON near_duplicate(b.body, a.body);
--= <searched>

-- the copies on the replica
SELECT string_agg(d::text, ',' ORDER BY key) FROM neardup.duplicates('article') d;
--= <copies>

-- @replica
SELECT pg_promote();

-- a copy after the promotion
INSERT INTO article SELECT 'copy', body || '（完）' FROM article ORDER BY length(body) DESC LIMIT 1;
--= ERROR:  23505
