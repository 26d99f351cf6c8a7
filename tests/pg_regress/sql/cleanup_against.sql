\set SHOW_CONTEXT never
-- removing from one table what another has
CREATE FUNCTION words(first int, last int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(substr('abcdefghijklmnopqrstuvwxyz', 1 + n % 26, 1) || n, ' ' ORDER BY n) FROM generate_series(first, last) n
$$;
CREATE TABLE crawl (id int PRIMARY KEY, site text, day date, body text);
CREATE TABLE archive (site text, body varchar, number bigint, part text, day date, PRIMARY KEY (part, number));
INSERT INTO archive SELECT 's' || n % 2, words(n * 100, n * 100 + 40), n, 'p' || n % 3, '2031-01-01'::date + n FROM generate_series(1, 20) n;
INSERT INTO crawl VALUES
    (1, 's1', '2031-01-02', words(100, 140)), (2, 's1', '2031-01-02', words(200, 238) || ' edited'), (3, 's1', '2031-01-02', words(300, 700)),
    (4, 's0', '2031-03-02', words(402, 439)), (5, 's0', '2031-01-02', words(5000, 5040)), (6, 's0', '2031-01-02', words(5000, 5040)),
    (7, 's0', '2031-03-02', words(600, 640)), (8, 's0', '2031-01-02', '……'), (9, 's0', '2031-01-02', NULL), (10, 's1', '2031-01-02', words(100, 140));
SELECT neardup.protect('crawl', 'body', on_duplicate => 'warn');

-- what is a copy of one in the archive goes, and only that; of two that only the crawl has both stay, and so does what says more
SELECT key, duplicate_of, verdict, measure, round(value::numeric, 2) AS value, group_size FROM neardup.duplicates('crawl', against => 'archive');
SELECT key, duplicate_of FROM neardup.duplicates('crawl');
CALL neardup.cleanup('crawl', threshold => 0.9, against => 'archive');
CALL neardup.cleanup('crawl', threshold => 0.9, against => 'archive', since => '2031-02-01', time_column => 'day');
SELECT key FROM neardup.duplicates('crawl', against => 'archive', scope => '{site}');
SELECT key FROM neardup.duplicates('crawl', against => 'archive', within => '1 day', time_column => 'day');
-- of two identical rows of the other table the later one counts, too
BEGIN;
INSERT INTO archive VALUES ('s1', words(100, 140), 1, 'later', '2031-01-03');
INSERT INTO crawl VALUES (11, 's1', '2031-01-04', words(100, 140));
SELECT key, duplicate_of FROM neardup.duplicates('crawl', against => 'archive', within => '1 day', time_column => 'day');
ROLLBACK;
SELECT key FROM neardup.duplicates('crawl', against => 'archive', until => '2031-02-01', time_column => 'day');
SELECT count(*) FROM crawl;

-- a batch a row; what others refer to stays
CREATE TABLE readers (crawled int REFERENCES crawl ON DELETE CASCADE);
INSERT INTO readers VALUES (2);
CREATE TABLE before AS TABLE crawl;
CALL neardup.cleanup('crawl', threshold => 0.9, against => 'archive', dry_run => false, batch => 1);
SELECT id FROM crawl ORDER BY id;
SELECT target, against, removed, skipped FROM neardup.runs;
SELECT neardup_key, neardup_duplicate_of FROM crawl_removed ORDER BY neardup_key;
SELECT target, run_id, key, duplicate_of, reason FROM neardup.skipped;
CALL neardup.restore('crawl', 1, answer => false);
SELECT count(*) FROM (TABLE before EXCEPT TABLE crawl) d;
-- marks have a column of their own, and do not come twice
CALL neardup.cleanup('crawl', threshold => 0.9, against => 'archive', dry_run => false, action => 'mark', until => '2031-02-01', time_column => 'day');
SELECT id, body_known_as FROM crawl WHERE body_known_as IS NOT NULL ORDER BY id;
CALL neardup.cleanup('crawl', threshold => 0.9, against => 'archive', dry_run => false, action => 'mark');
UPDATE crawl SET body_known_as = NULL;
DROP TABLE readers;
CALL neardup.cleanup('crawl', threshold => 0.9, against => 'archive', dry_run => false, action => 'delete');
CALL neardup.cleanup('crawl', threshold => 0.9, against => 'archive', dry_run => false);
CALL neardup.cleanup('crawl', threshold => 0.9, against => 'archive');

-- partitioned tables, a document of several columns or by a function, a key under more rows than are compared
CREATE TABLE parts (id int, day date, title text, body text, extra int, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
CREATE TABLE flat (body text, title text, id text PRIMARY KEY, extra text);
SELECT neardup.protect('parts', 'body', columns => '{body,title}', on_duplicate => 'warn');
INSERT INTO parts SELECT n, '2031-01-20'::date + n, 't', words(n * 100, n * 100 + 40) FROM generate_series(1, 30) n;
INSERT INTO flat SELECT words(n * 100, n * 100 + 38) || ' edited', 't', 'f' || n FROM generate_series(1, 10) n;
SELECT key LIKE '5, %', duplicate_of FROM neardup.duplicates('parts', against => 'flat') WHERE duplicate_of = 'f5';
SELECT count(*) FROM neardup.duplicates('parts', against => 'flat');
SELECT neardup.unprotect('parts');
CREATE FUNCTION said(parts) RETURNS text LANGUAGE sql IMMUTABLE RETURN $1.title || ': ' || $1.body || coalesce(' extra ' || $1.extra, '');
SELECT neardup.protect('parts', 'body', columns => '{body,title}', expression => 'said', on_duplicate => 'warn');
CREATE TABLE parted (LIKE flat, PRIMARY KEY (id)) PARTITION BY HASH (id);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO parted TABLE flat;
CALL neardup.cleanup('parts', threshold => 0.8, against => 'parted', dry_run => false);
SELECT count(*) FROM parts;
CREATE TABLE many (id int PRIMARY KEY, body text);
CREATE TABLE few (LIKE many, PRIMARY KEY (id));
INSERT INTO many SELECT n, words(1, 40) || ' ' || n FROM generate_series(1, 2000) n;
SELECT neardup.protect('few', 'body', verify => 'overlap', threshold => 0.8);
ALTER TABLE few DISABLE TRIGGER USER;
INSERT INTO few SELECT * FROM many WHERE id <= 500;
UPDATE few SET body = words(1, 40) || ' other ' || id;
SELECT count(*) FROM neardup.duplicates('few', against => 'many');

-- the original goes or changes before the copy does: the copy stays
CREATE FUNCTION gone() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN DELETE FROM public.many; RETURN NULL; END$$;
INSERT INTO few SELECT -id, body FROM many WHERE id = 700;
CREATE TRIGGER gone AFTER UPDATE OF found ON neardup_internal.runs FOR EACH STATEMENT EXECUTE FUNCTION gone();
CALL neardup.cleanup('few', against => 'many', dry_run => false, batch => 100);
DROP TRIGGER gone ON neardup_internal.runs;
SELECT count(*) FROM few;

-- with SELECT alone on the other table, of which row security shows some rows only
CREATE TABLE theirs (id int PRIMARY KEY, body text);
CREATE TABLE mine (id int PRIMARY KEY, body text);
INSERT INTO theirs SELECT n, words(n * 100, n * 100 + 40) FROM generate_series(1, 4) n;
CREATE ROLE regress_crawler;
SELECT neardup.protect('mine', 'body');
ALTER TABLE mine OWNER TO regress_crawler;
ALTER TABLE theirs ENABLE ROW LEVEL SECURITY;
CREATE POLICY not_all ON theirs FOR SELECT USING (id <> 3);
SET ROLE regress_crawler;
INSERT INTO mine SELECT n, words(n * 100, n * 100 + 38) || ' edited' FROM generate_series(1, 6) n;
SELECT key FROM neardup.duplicates('mine', against => 'theirs');
RESET ROLE;
GRANT SELECT ON theirs TO regress_crawler;
GRANT CREATE ON SCHEMA public TO regress_crawler;
SET ROLE regress_crawler;
CALL neardup.cleanup('mine', threshold => 0.8, against => 'theirs', dry_run => false);
SELECT id FROM mine ORDER BY id;
RESET ROLE;
GRANT UPDATE ON theirs TO regress_crawler;
SET ROLE regress_crawler;
INSERT INTO mine VALUES (7, words(200, 238) || ' anew');
CALL neardup.cleanup('mine', threshold => 0.8, against => 'theirs', dry_run => false);
RESET ROLE;

-- what cannot be
SELECT neardup.duplicates('mine', against => 'mine');
SELECT neardup.duplicates('parts', against => 'parts_1');
SELECT neardup.duplicates('mine', against => 'pg_views');
CREATE TABLE heirs (PRIMARY KEY (id)) INHERITS (mine);
SELECT neardup.duplicates('mine', against => 'heirs');
CREATE TABLE other (id int, body int, site int);
SELECT neardup.duplicates('mine', against => 'other');
ALTER TABLE other ADD CONSTRAINT late PRIMARY KEY (id) DEFERRABLE;
SELECT neardup.duplicates('mine', against => 'other');
ALTER TABLE other DROP CONSTRAINT late;
ALTER TABLE other ADD PRIMARY KEY (id);
SELECT neardup.duplicates('mine', against => 'other');
ALTER TABLE other DROP body;
SELECT neardup.duplicates('mine', against => 'other');
ALTER TABLE other ADD body text;
SELECT neardup.duplicates('crawl', against => 'other', scope => '{site}');
SELECT neardup.duplicates('crawl', against => 'other', within => '1 day', time_column => 'day');
SELECT neardup.duplicates('crawl', against => 'other', keep => 'newest');
CALL neardup.cleanup('crawl', against => 'other', rank => '{site}');
SELECT neardup.protect('few', 'body', method => 'simhash', reset => '{all}');
SELECT neardup.duplicates('few', against => 'many');
DROP OWNED BY regress_crawler CASCADE;
DROP ROLE regress_crawler;
