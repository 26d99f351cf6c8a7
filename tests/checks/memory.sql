-- Documents of 4 MB: what an insert and a list take is bounded, because other rows are read by their beginnings, one by one, and so are two texts
-- that are compared.

CREATE TABLE long (id int PRIMARY KEY, filler text, body text);
ALTER TABLE long ALTER filler SET STORAGE PLAIN;
SELECT neardup.protect('long', 'body');
-- One row on each page.
BEGIN;
SELECT neardup.let_through('long', false);
INSERT INTO long SELECT i, repeat(md5(i::text), 180), repeat((SELECT string_agg(md5((i * 1000 + j)::text), ' ') FROM generate_series(1, 60) j) || E'.\n', 2000)
FROM generate_series(1, 140) i;
COMMIT;
VACUUM ANALYZE long;
CREATE FUNCTION most_memory() RETURNS bigint LANGUAGE sql AS $$ SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s+(\d+)')::bigint / 1024 $$;

-- they are as long as that, and on as many pages
SELECT min(length(body)) > 3900000, pg_relation_size('long') / 8192 >= 140 FROM long;
--= t|t

-- @memory_insert
-- a short text, and then one that is nearly the same, whose verdict asks the table
INSERT INTO long VALUES (2001, '', 'The quick brown fox jumps over the lazy dog in the morning and sleeps in the afternoon under the old tree');
SELECT most_memory() AS before \gset
INSERT INTO long VALUES (2002, '', 'Breaking: The quick brown fox jumps over the lazy dog in the morning and sleeps in the afternoon under the old tree');
SELECT most_memory() - :before < 64;
--= ERROR:  23505
--= t

-- @memory_list
-- a list of the table, with a copy in it that is compared beside what the table repeats
SET work_mem = '4MB';
SET max_parallel_workers_per_gather = 0;
BEGIN;
SELECT neardup.let_through('long', false);
INSERT INTO long VALUES (3001, '', 'The quick brown fox jumps over the lazy dog in the morning and sleeps in the afternoon under the old oak tree');
COMMIT;
\c
SET work_mem = '4MB';
SELECT near_duplicate('a b c', 'a b d'), most_memory() AS before \gset
SELECT count(*) > 0 FROM neardup.duplicates('long');
SELECT most_memory() - :before < 150;
--= 
--= t
--= t

-- @memory_copy
-- two documents of 4 MB that are compared: an insert, and a list
CREATE TABLE copies (id int PRIMARY KEY, body text);
SELECT neardup.protect('copies', 'body', on_duplicate => 'skip');
INSERT INTO copies SELECT 1, string_agg(md5(j::text), ' ' ORDER BY j) FROM generate_series(1, 125000) j;
\c
SELECT near_duplicate('a b c', 'a b d'), most_memory() AS before \gset
INSERT INTO copies SELECT 2, 'A small change. ' || body FROM copies WHERE id = 1;
SELECT most_memory() - :before < 100, count(*) FROM copies;
--= 
--= t|1

BEGIN;
SELECT neardup.let_through('copies', false);
INSERT INTO copies SELECT 3, 'Another small change. ' || body FROM copies WHERE id = 1;
COMMIT;
\c
SET work_mem = '4MB';
SELECT near_duplicate('a b c', 'a b d'), most_memory() AS before \gset
SELECT count(*) FROM neardup.duplicates('copies');
SELECT most_memory() - :before < 150;
--= 
--= 1
--= t

-- @memory_many
-- many documents that are read to be compared, 120 MB in all: no more than twice work_mem and 64 MB
CREATE TABLE many (id int PRIMARY KEY, body text);
INSERT INTO many SELECT n, format('Edition %s. ', n) || repeat((SELECT string_agg(md5(format('%s %s', n / 2, j)), ' ') FROM generate_series(1, 10) j) || E'.\n', 91) FROM generate_series(2, 4001) n;
SELECT neardup.protect('many', 'body', on_duplicate => 'warn');
\c
SET work_mem = '4MB';
SET max_parallel_workers_per_gather = 0;
SELECT near_duplicate('a b c', 'a b d'), most_memory() AS before \gset
SELECT count(*) > 1000 FROM neardup.duplicates('many');
SELECT most_memory() - :before < 72;
--= 
--= t
--= t

-- @memory_codes
-- documents of 600 kB of nothing but codes, which take the most of what is read: the shared buffers that they are read through are counted before
CREATE TABLE codes (id int PRIMARY KEY, body text);
INSERT INTO codes SELECT n, (SELECT string_agg(substr(md5(format('%s %s', n / 4, j)), 1, 5), ' ') FROM generate_series(1, 100000) j) || ' end ' || n FROM generate_series(1, 24) n;
SELECT neardup.protect('codes', 'body', on_duplicate => 'warn');
\c
SET work_mem = '4MB';
SET max_parallel_workers_per_gather = 0;
SELECT near_duplicate('a b c', 'a b d'), sum(hashtext(body)) IS NOT NULL FROM codes;
SELECT most_memory() AS before \gset
SELECT count(*) > 10 FROM neardup.duplicates('codes');
SELECT most_memory() - :before < 72;
--= 
--= f|t
--= t
--= t
