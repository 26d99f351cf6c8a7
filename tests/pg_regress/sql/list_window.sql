-- A list of a few rows of a large table signs them; one of many walks over the index. Both find the same.
CREATE TABLE flashes (id int PRIMARY KEY, at timestamptz NOT NULL, desk text, body text);
INSERT INTO flashes
SELECT n, '2031-01-01'::timestamptz + n * interval '1 minute', CASE WHEN n % 3 = 0 THEN 'north' ELSE 'south' END,
       (SELECT string_agg(md5((n * 31 + w)::text), ' ') FROM generate_series(1, 12) w)
FROM generate_series(1, 6000) n;
-- Among the last rows: copies of each other, with an edit, and copies of rows outside the window; a row without a text.
UPDATE flashes f SET body = o.body FROM flashes o WHERE f.id BETWEEN 5961 AND 5970 AND o.id = f.id - 15;
UPDATE flashes f SET body = o.body || ' more' FROM flashes o WHERE f.id BETWEEN 5981 AND 5985 AND o.id = f.id - 30;
UPDATE flashes f SET body = o.body FROM flashes o WHERE f.id BETWEEN 5991 AND 5995 AND o.id = f.id - 5000;
UPDATE flashes SET body = NULL WHERE id = 6000;
SELECT neardup.protect('flashes', 'body', time_column => 'at', on_duplicate => 'warn');
CREATE TABLE few AS SELECT key::int, duplicate_of::int, verdict, measure, value FROM neardup.duplicates('flashes', since => (SELECT at::text FROM flashes WHERE id = 5941));
CREATE TABLE many AS SELECT key::int, duplicate_of::int, verdict, measure, value FROM neardup.duplicates('flashes', since => (SELECT at::text FROM flashes WHERE id = 3000));
SELECT (SELECT count(*) FROM few) AS few, (SELECT count(*) FROM many) AS many,
       (SELECT count(*) FROM (TABLE few EXCEPT TABLE many) d) AS invented, (SELECT count(*) FROM (TABLE many EXCEPT TABLE few) d) AS missed;
SELECT count(*) AS settled FROM neardup.duplicates('flashes', since => (SELECT at::text FROM flashes WHERE id = 5941), settled => true, threshold => 0.95);
SELECT count(*) AS of_one_desk FROM neardup.duplicates('flashes', since => (SELECT at::text FROM flashes WHERE id = 5941), scope => '{desk}');
SELECT count(*) AS of_none FROM neardup.duplicates('flashes', since => '2032-01-01');
SELECT count(*) FROM neardup.duplicates('flashes', since => 'yesterday or so');
-- What the window reads is what the caller may read.
CREATE ROLE window_reader;
GRANT SELECT ON flashes TO window_reader;
ALTER TABLE flashes ENABLE ROW LEVEL SECURITY;
CREATE POLICY north ON flashes TO window_reader USING (desk = 'north');
SET ROLE window_reader;
SELECT count(*) AS seen FROM neardup.duplicates('flashes', since => '2031-01-05 03:00');
RESET ROLE;
DROP TABLE flashes, few, many CASCADE;
DROP ROLE window_reader;
-- since and until mean what they mean to the session
CREATE TABLE dated (id int PRIMARY KEY, body text, at timestamptz);
SELECT neardup.protect('dated', 'body', on_duplicate => 'warn', time_column => 'at');
SET client_min_messages = error;
INSERT INTO dated SELECT n, 'The winter market of Stonebridge opens today with more than two hundred stalls along the river.', timestamptz '2004-03-01 12:00+00' + n * interval '12 hours' FROM generate_series(1, 4) n;
RESET client_min_messages;
SET datestyle = 'SQL, DMY';
SET timezone = 'Asia/Shanghai';
SELECT id, at FROM dated WHERE at >= '02/03/04' AND at < '03/03/04' ORDER BY id;
SELECT key, duplicate_of FROM neardup.duplicates('dated', since => '02/03/04', until => '03/03/04');
CALL neardup.cleanup('dated', since => '02/03/04', until => '03/03/04', dry_run => false);
SELECT neardup_key FROM dated_removed;
RESET datestyle;
RESET timezone;
DROP TABLE dated, dated_removed;
