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
-- what a guard wrote stays where something needs it, and is found under another name; no code of the owner of the table runs as a superuser who calls
CREATE TABLE tied (id int PRIMARY KEY, body text);
SELECT neardup.protect('tied', 'body', on_duplicate => 'mark');
CREATE VIEW originals AS SELECT count(*) FROM tied WHERE duplicate_of IS NULL;
SELECT neardup.unprotect('tied');
ALTER TABLE tied RENAME duplicate_of TO copy_of;
SELECT neardup.protect('tied', 'body', on_duplicate => 'mark');
SELECT duplicate_of FROM neardup.protected WHERE target = 'tied'::regclass;
ALTER TABLE tied ALTER id TYPE bigint;
SELECT neardup.protect('tied', 'body', threshold => 0.9);
DROP VIEW originals;
CREATE ROLE key_owner;
GRANT CREATE ON SCHEMA public TO key_owner;
CREATE FUNCTION who(int8) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN IF $1 IS NOT NULL THEN RAISE NOTICE 'checked as %', current_user; END IF; RETURN true; END $$;
GRANT USAGE ON SCHEMA neardup TO key_owner;
ALTER TABLE tied OWNER TO key_owner;
INSERT INTO tied VALUES (1, advert('.')), (2, advert('!'));
ALTER TABLE tied ADD CHECK (who(copy_of));
SELECT neardup.protect('tied', 'body');
CREATE DOMAIN odd AS int CHECK (who(VALUE));
CREATE TABLE other_key (id odd PRIMARY KEY, body text);
SELECT neardup.protect('other_key', 'body', on_duplicate => 'mark');
INSERT INTO other_key VALUES (1, advert('.')), (2, advert('!'));
SELECT id, duplicate_of, pg_typeof(duplicate_of) FROM other_key ORDER BY id;
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE other_key SET duplicate_of = NULL;
SELECT neardup.unprotect('other_key');
ROLLBACK;
DROP TABLE tied, other_key;
DROP DOMAIN odd;
DROP FUNCTION who(int8);
REVOKE CREATE ON SCHEMA public FROM key_owner;
DROP OWNED BY key_owner;
DROP ROLE key_owner;
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
