-- Three servers: one that asks, two that hold a half of the articles each, joined by postgres_fdw. The condition goes to the servers that
-- have the rows and uses their indexes there, and copies across them are found.

-- @shard_0
CREATE TABLE articles (id int PRIMARY KEY, body text);
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
CREATE TABLE keys (key bigint, id int);
CREATE INDEX ON keys (key);

-- @shard_1
CREATE TABLE articles (id int PRIMARY KEY, body text);
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
CREATE TABLE keys (key bigint, id int);
CREATE INDEX ON keys (key);

-- @coordinator
CREATE EXTENSION postgres_fdw;
CREATE TABLE articles (id int, body text) PARTITION BY HASH (id);
CREATE TABLE keys (key bigint, id int) PARTITION BY HASH (key);
CREATE SERVER shard_0 FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host :'shard_0', port '5432', dbname 'shards', extensions 'pg_neardup', use_remote_estimate 'true');
CREATE SERVER shard_1 FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host :'shard_1', port '5432', dbname 'shards', extensions 'pg_neardup', use_remote_estimate 'true');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard_0 OPTIONS (user 'postgres');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard_1 OPTIONS (user 'postgres');
CREATE FOREIGN TABLE articles_0 PARTITION OF articles FOR VALUES WITH (MODULUS 2, REMAINDER 0) SERVER shard_0 OPTIONS (table_name 'articles');
CREATE FOREIGN TABLE articles_1 PARTITION OF articles FOR VALUES WITH (MODULUS 2, REMAINDER 1) SERVER shard_1 OPTIONS (table_name 'articles');
CREATE FOREIGN TABLE keys_0 PARTITION OF keys FOR VALUES WITH (MODULUS 2, REMAINDER 0) SERVER shard_0 OPTIONS (table_name 'keys');
CREATE FOREIGN TABLE keys_1 PARTITION OF keys FOR VALUES WITH (MODULUS 2, REMAINDER 1) SERVER shard_1 OPTIONS (table_name 'keys');
INSERT INTO articles SELECT i, (SELECT string_agg(chr(19968 + abs(hashint8((i % 500) * 1000 + c)::bigint % 9000)::int), '' ORDER BY c) FROM generate_series(1, 60) c)
FROM generate_series(0, 499) i;

-- the article found across the servers
SELECT id FROM articles WHERE near_duplicate(body, (SELECT body FROM articles WHERE id = 7));
--= 7

CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (VERBOSE, COSTS off) ' || query; END $$;

-- servers to which the whole condition goes, and conditions left here
SELECT count(*) FILTER (WHERE l LIKE '%Remote SQL%sketch(%is_near_duplicate%'), count(*) FILTER (WHERE l ~ '^ *Filter')
FROM plan('SELECT id FROM articles WHERE near_duplicate(body, ''渡口的灯塔换下了旧灯'')') l;
--= 2|0

-- A copy that comes to the other server than its original gets in there; the coordinator sees both.
INSERT INTO articles SELECT 500 + id, body FROM articles WHERE id < 100;
INSERT INTO keys SELECT key, id FROM articles CROSS JOIN LATERAL unnest(sketch_keys(sketch(body))) key;

-- @shard_0
ANALYZE;
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS off) ' || query; END $$;

-- the access method of the guard's index there, and scans of it by which the condition is searched
SELECT m.amname, (SELECT count(*) FROM plan('SELECT id FROM articles WHERE near_duplicate(body, ''渡口的灯塔换下了旧灯'')') l WHERE l LIKE '%Index Scan%' || c.relname || '%')
FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_am m ON m.oid = c.relam WHERE x.indrelid = 'articles'::regclass AND NOT x.indisprimary;
--= neardup|1

-- @shard_1
ANALYZE;

-- @coordinator
-- Distributed by key, each server finds its candidates among its own rows: servers that join their own keys
SET enable_partitionwise_join = on;
SELECT count(*) FROM plan('SELECT DISTINCT a.id, b.id AS copy FROM keys a JOIN keys b USING (key) WHERE a.id < b.id') l WHERE l LIKE '%Remote SQL%INNER JOIN%key%';
--= 2

-- copies across the servers, each of its original
SELECT count(*) = (SELECT count(*) FROM articles WHERE id >= 500), count(*) > 20, bool_and(copy - c.id = 500), bool_and(near_duplicate(a.body, b.body))
FROM (SELECT DISTINCT a.id, b.id AS copy FROM keys a JOIN keys b USING (key) WHERE a.id < b.id) c JOIN articles a ON a.id = c.id JOIN articles b ON b.id = c.copy;
--= t|t|t|t
