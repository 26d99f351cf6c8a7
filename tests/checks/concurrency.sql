-- Many sessions insert edited copies of the same articles at the same moment: of each article exactly one gets in.

-- ## at once

CREATE TABLE article (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, original int, body text);
SELECT neardup.protect('article', 'body');
CREATE TABLE original AS SELECT row_number() OVER () AS number, body FROM (SELECT body FROM sample ORDER BY length(body) DESC LIMIT 10) AS longest;

-- Each session an edited copy of each article, beginning with another one: all but the first are refused.
-- @server*8
SELECT format('INSERT INTO article (original, body) SELECT number, body || %L FROM original WHERE number = %s',
              ('{（记者甲）,（记者乙）,（完）,（通讯员丙）}'::text[])[:session % 4 + 1], (:session + step) % 10 + 1)
FROM generate_series(0, 9) step \gexec
--= 70 ERROR:  23505

-- @server
-- rows of each article
SELECT count(DISTINCT original), count(*) FROM article;
--= 10|10

-- Crawlers load the same feed, a template with other numbers in each text, by ON CONFLICT DO NOTHING in transactions of many rows: whoever
-- waits for the other's url holds no lock that the other one needs.
CREATE TABLE quote (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, url text UNIQUE, body text);
SELECT neardup.protect('quote', 'body', on_duplicate => 'skip');
CREATE TABLE offered AS SELECT i AS number, format('Shares of company %s closed at %s on Friday after a day of brisk trade on the exchange by the lake, %s more than before', md5(i::text), i * 17, i * 3) AS body
FROM generate_series(1, 200) i;

-- what crawlers were told
-- @server*8
BEGIN;
INSERT INTO quote (url, body) SELECT number, body FROM offered ORDER BY number ON CONFLICT (url) DO NOTHING;
INSERT INTO quote (url, body) SELECT number, body FROM offered ORDER BY number ON CONFLICT (url) DO NOTHING;
COMMIT;
--=

-- @server
-- rows, each url once
SELECT count(*) = count(DISTINCT url), count(*) > 100 FROM quote;
--= t|t

-- Loads beside single rows, for each way to find near-duplicates, which has locks of its own. One load comes the other way round: it may be
-- ended by a deadlock, as with a unique index, and tries again; of two that wait for each other that one is ended.
CREATE TABLE text AS SELECT i AS number, string_agg(md5(i || '-' || j), '' ORDER BY j) AS body FROM generate_series(1, 300) i, generate_series(1, 8) j GROUP BY i;
CREATE TABLE feed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
CREATE PROCEDURE backwards() LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        BEGIN
            INSERT INTO feed (body) SELECT body || '。' FROM text ORDER BY number DESC;
            EXIT;
        EXCEPTION WHEN deadlock_detected THEN
            NULL;
        END;
    END LOOP;
END $$;
CREATE FUNCTION work(session int) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format('SET deadlock_timeout = %L', CASE session WHEN 0 THEN '20ms' ELSE '100s' END)
    UNION ALL SELECT 'CALL backwards()' WHERE session = 0
    UNION ALL SELECT 'INSERT INTO feed (body) SELECT body || ''。'' FROM text ORDER BY number' WHERE session BETWEEN 1 AND 3
    UNION ALL (SELECT format('INSERT INTO feed (body) SELECT body FROM text WHERE number = %s', number) FROM text WHERE session > 3 ORDER BY number DESC)
$$;
CREATE FUNCTION groups() RETURNS TABLE (rows bigint, groups bigint) LANGUAGE sql AS $$
    SELECT count(*), count(DISTINCT first) FROM (SELECT near_duplicate_of(simhash(body, 'chars:3'), 7) OVER (ORDER BY id) AS first FROM feed) f
$$;

-- texts that are all different
SELECT count(*), count(DISTINCT first) FROM (SELECT near_duplicate_of(simhash(body, 'chars:3'), 0) OVER (ORDER BY number) AS first FROM text) t;
--= 300|300

SELECT neardup.protect('feed', 'body', on_duplicate => 'skip', method => 'sketch');

-- what sessions were told, method sketch
-- @server*8
SELECT work(:session) \gexec
--=

-- @server
-- rows left, and groups of near-duplicates among them, method sketch
SELECT * FROM groups();
--= 300|300

DROP TABLE feed;
CREATE TABLE feed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
SELECT neardup.protect('feed', 'body', on_duplicate => 'skip', method => 'simhash', verify => 'none');

-- what sessions were told, method simhash
-- @server*8
SELECT work(:session) \gexec
--=

-- @server
-- rows left, and groups of near-duplicates among them, method simhash
SELECT * FROM groups();
--= 300|300

-- A table of a hundred partitions and nearly as many sessions as the server takes, each with its row not yet committed: the search keeps no
-- lock on the partitions it has opened, so the lock table has room for all.
CREATE TABLE edition (id int, part int, body text, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
SELECT format('CREATE TABLE edition_%s PARTITION OF edition FOR VALUES IN (%s)', i, i) FROM generate_series(1, 100) i \gexec
SELECT neardup.protect('edition', 'body');
CREATE SEQUENCE arrived;

-- what sessions were told, a hundred partitions
-- @server*90
BEGIN;
INSERT INTO edition VALUES (:session, 1, md5(:'session') || md5('-' || :'session'));
DO $$ BEGIN
    PERFORM nextval('arrived');
    FOR i IN 1..6000 LOOP
        EXIT WHEN (SELECT last_value FROM arrived) = 90;
        PERFORM pg_sleep(0.01);
    END LOOP;
END $$;
COMMIT;
--=

-- @server
-- rows in it, sessions that were there at the same time
SELECT count(*), (SELECT last_value FROM arrived) FROM edition;
--= 90|90

-- locks left by all of them
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 5;
--~ 0

-- ## hurt
CREATE TABLE page (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, url text UNIQUE, length int CONSTRAINT has_text CHECK (length > 0), body text);
INSERT INTO page VALUES (0, 'taken', 1, 'a row that is there');
SELECT neardup.protect('page', 'body', on_duplicate => 'skip');
CREATE TABLE words AS SELECT i AS number, string_agg(substr(md5(i || '-' || j), 1, 3 + j % 5), ' ' ORDER BY j) AS body
FROM generate_series(1, 400) i, generate_series(1, 60) j GROUP BY i;
CREATE INDEX ON words (number);
-- Edited copies of articles in an order of the session's own, and every so often one that fails in a way of its own: about one in a hundred.
CREATE FUNCTION hurt(session int) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT statement
    FROM generate_series(0, 299) step,
         LATERAL (SELECT format('INSERT INTO page (url, length, body) SELECT %%s, length(body), body || %L FROM words WHERE number = %s',
                                ('{（记者甲）,（记者乙）,（完）,（通讯员丙）}'::text[])[(session + step) % 4 + 1], (session * 37 + step * 7) % 400 + 1)) r(insert),
         LATERAL (SELECT format(insert, 'NULL'), format(insert, '''taken''')) c(plain, taken),
         LATERAL unnest(CASE step % 100
             -- The row's keys are locked when the url is found to be taken.
             WHEN 13 THEN ARRAY[taken]
             WHEN 29 THEN ARRAY[taken || ' ON CONFLICT (url) DO NOTHING']
             WHEN 47 THEN ARRAY['BEGIN', 'SAVEPOINT s', plain, 'ROLLBACK TO s', plain, 'COMMIT']
             WHEN 61 THEN ARRAY['BEGIN', plain, 'ROLLBACK']
             WHEN 83 THEN ARRAY[plain || ' AND 1 / (number - number) > 0']
             ELSE ARRAY[plain] END) WITH ORDINALITY s(statement, place)
    ORDER BY step, place
$$;

-- ## after

-- locks left: a killed backend is gone when its process is
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 5;
--~ 0

-- Every article once more: all are there then, and the guard, asked again row by row, calls none a copy of another.
INSERT INTO page (length, body) SELECT 1, body FROM words ORDER BY number;
CREATE TABLE again (id bigint PRIMARY KEY, body text);
SELECT neardup.protect('again', 'body', on_duplicate => 'mark');
INSERT INTO again SELECT id, body FROM page WHERE id <> 0 ORDER BY id;

-- rows, one of each article; survivors that the guard calls copies
SELECT (SELECT count(*) FROM page WHERE id <> 0), (SELECT count(*) FROM again WHERE duplicate_of IS NOT NULL);
--= 400|0
