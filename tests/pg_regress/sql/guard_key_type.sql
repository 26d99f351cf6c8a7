-- The key of a guarded table gets another type, and a guard that is removed keeps the marks.
SET client_min_messages = notice;
CREATE FUNCTION advert(ending text) RETURNS text LANGUAGE sql RETURN
    'The North Pier Bakery looks for a baker who starts at four in the morning, works five days a week and bakes rye bread in a stone oven. Apply at the counter' || ending;
CREATE TABLE ads (id int PRIMARY KEY, body text);
SELECT neardup.protect('ads', 'body', on_duplicate => 'mark', on_related => 'mark');
INSERT INTO ads VALUES (1, advert('.')), (2, advert('!'));
-- a mark whose column cannot hold the key
ALTER TABLE ads ALTER id TYPE bigint;
INSERT INTO ads VALUES (3, advert('?'));
UPDATE ads SET id = 3000000000 WHERE id = 1;
INSERT INTO ads VALUES (4, advert('...'));
SELECT neardup.protect('ads', 'body');
INSERT INTO ads VALUES (4, advert('...'));
SELECT id, duplicate_of FROM ads ORDER BY id;
-- the first row is gone, and the key has another type than the marks: nobody takes one for the other
DELETE FROM ads WHERE id = 3000000000;
ALTER TABLE ads ALTER id TYPE text;
INSERT INTO ads VALUES ('five', advert(' *'));
SELECT neardup.protect('ads', 'body');
INSERT INTO ads VALUES ('six', advert(' **'));
SELECT id, duplicate_of, pg_typeof(duplicate_of) FROM ads ORDER BY id;
-- back to a number, and to a key of two columns
DELETE FROM ads WHERE id ~ '[^0-9]';
UPDATE ads SET duplicate_of = NULL WHERE duplicate_of !~ '^[0-9]+$';
ALTER TABLE ads ALTER id TYPE int USING id::int;
INSERT INTO ads VALUES (7, advert(' ***'));
SELECT neardup.protect('ads', 'body');
UPDATE ads SET duplicate_of = NULL WHERE duplicate_of = '3000000000';
SELECT neardup.protect('ads', 'body');
INSERT INTO ads VALUES (8, advert(' ****'));
ALTER TABLE ads DROP CONSTRAINT ads_pkey;
INSERT INTO ads VALUES (9, advert(' +'));
ALTER TABLE ads ADD COLUMN part int NOT NULL DEFAULT 1, ADD PRIMARY KEY (id, part);
INSERT INTO ads VALUES (9, advert(' +'));
SELECT neardup.protect('ads', 'body');
INSERT INTO ads VALUES (10, advert(' ++'));
SELECT id, part, duplicate_of FROM ads ORDER BY id;
ALTER TABLE ads DROP CONSTRAINT ads_pkey, ADD PRIMARY KEY (id);
INSERT INTO ads VALUES (11, advert(' +++'));
-- a guard that goes leaves what it wrote, and the next one takes it up
UPDATE ads SET duplicate_of = NULL WHERE duplicate_of IS NOT NULL AND duplicate_of !~ '^[0-9]+$';
SELECT neardup.unprotect('ads');
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'ads'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
SELECT neardup.protect('ads', 'body', on_duplicate => 'mark', on_related => 'mark');
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'ads'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
UPDATE ads SET duplicate_of = NULL;
SELECT neardup.unprotect('ads');
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'ads'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
-- a column that the owner named so stays as it is
ALTER TABLE ads ADD COLUMN duplicate_of int;
SELECT neardup.protect('ads', 'body', on_duplicate => 'mark');
SELECT duplicate_of FROM neardup.protected WHERE target = 'ads'::regclass;
-- of a partitioned table and its partitions, either is guarded
CREATE TABLE parted (id int, body text, note text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (100);
SELECT neardup.protect('parted_1', 'body', on_duplicate => 'warn');
SELECT neardup.protect('parted', 'body');
SELECT neardup.protect('parted', 'note');
SELECT neardup.unprotect('parted_1');
SELECT neardup.protect('parted', 'body');
SELECT neardup.protect('parted_1', 'body', on_duplicate => 'warn');
DROP TABLE ads, parted;
