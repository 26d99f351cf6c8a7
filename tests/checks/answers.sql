-- What the owner has answered, in real sessions: a pair that is no copy stays apart whatever happens to its rows.

CREATE TABLE news (id int, part text, body text, at timestamptz DEFAULT '2031-05-04', PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE news_a PARTITION OF news FOR VALUES IN ('a');
CREATE TABLE news_b PARTITION OF news FOR VALUES IN ('b');
SELECT neardup.protect('news', 'body');
CREATE FUNCTION body() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'The central hospital of Clearwater opened its new wing yesterday afternoon before three hundred doctors and nurses.' $$;
INSERT INTO news SELECT 100 + i, 'a', md5(i::text) || ' ' || md5((-i)::text) FROM generate_series(1, 50) i;
INSERT INTO news VALUES (1, 'a', body());
BEGIN; SELECT neardup.let_through('news', false); INSERT INTO news VALUES (2, 'a', body() || '!'); COMMIT;
-- How often the two, or rows with their texts, are put together: by lists that keep each row, and by groups.
CREATE FUNCTION together() RETURNS bigint LANGUAGE sql AS $$
    SELECT (SELECT count(*) FROM unnest('{oldest,newest,longest,most_complete}'::text[]) keep CROSS JOIN LATERAL neardup.duplicates('news', keep => keep) d
            WHERE left(d.key, 1) IN ('1', '2') AND left(d.duplicate_of, 1) IN ('1', '2') AND left(d.key, 1) <> left(d.duplicate_of, 1))
         + (SELECT count(*) FROM (SELECT FROM neardup.groups('news') g WHERE split_part(g.key, ',', 1) IN ('1', '2') GROUP BY g.group_key HAVING count(*) > 1) x)
$$;

-- before the answer they are
SELECT together() > 0;
--= t

-- the answer
SELECT neardup.answer('news', '1, a', '2, a', false);
SELECT together();
--=
--= 0

-- another session inserts either again
-- @server second
DELETE FROM news WHERE id = 2;
INSERT INTO news VALUES (2, 'a', body() || '!');
DELETE FROM news WHERE id = 1;
INSERT INTO news VALUES (1, 'a', body());
SELECT together();
--= 0

-- a copy of either is still refused
INSERT INTO news VALUES (3, 'a', body() || ' ');
--= ERROR:  23505

-- a third row becomes a copy of both, and joins one of them
BEGIN; SELECT neardup.let_through('news', false); INSERT INTO news VALUES (4, 'a', body() || '.'); COMMIT;
UPDATE news SET at = '2031-05-05' WHERE id = 4;
SELECT together(), (SELECT count(*) FROM neardup.duplicates('news'));
--=
--= 0|1

-- eight sessions write rows of either text at once
-- @server*8
INSERT INTO news VALUES (1000 + :session, 'b', body() || '!!!');
--= 8 ERROR:  23505

-- a clean-up removes one of them for the third row, never for the other
-- @server
SET client_min_messages = error;
CALL neardup.cleanup('news', keep => 'newest', dry_run => false);
SELECT id FROM news WHERE id < 100 ORDER BY id;
--= 1|1
--= 1
--= 4

-- what was answered about the removed row has passed to the third one, so no later run removes that for the other row
SELECT key, other, is_copy, note, holds FROM neardup.answers('news') WHERE act = 'cleanup';
CALL neardup.cleanup('news', keep => 'newest', dry_run => false);
CALL neardup.cleanup('news', keep => 'oldest', dry_run => false);
SELECT together(), count(*) FROM news WHERE id < 100;
--= 4, a|1, a|f|2, a|t
--= 2|0
--= 3|0
--= 0|2

-- what it removed comes back, as an answer of its own
CALL neardup.restore('news', 1);
SELECT count(*) FROM neardup.answers('news') WHERE act = 'cleanup';
CALL neardup.cleanup('news', dry_run => false);
SELECT id FROM news WHERE id < 100 ORDER BY id;
SELECT together();
--= 1
--= 0
--= 4|1
--= 1
--= 2
--= 0

-- a row that moves to another partition
UPDATE news SET part = 'b' WHERE id = 2;
SELECT together();
--= 0

REINDEX TABLE news;
REINDEX TABLE news_answers;
VACUUM FULL news_answers;
SELECT together();
--= 0

-- a dump and its restore
\! psql -Xq -c 'CREATE DATABASE answers_again' && pg_dump | psql -Xq -v ON_ERROR_STOP=1 -o /dev/null answers_again

\c answers_again

SELECT together(), (SELECT count(*) FROM neardup.answers('news'));
--= 0|3

DELETE FROM news WHERE id = 1;
INSERT INTO news VALUES (1, 'b', body());
SELECT together();
--= 0

-- withdrawn, they are put together
SELECT neardup.withdraw('news', since => '-infinity');
SELECT together() > 0;
--= 3
--= t

\c answers
\! psql -Xq -c 'DROP DATABASE answers_again'
