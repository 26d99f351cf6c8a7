-- What a dry run shows of copies of which no score says anything: short texts that come again, rows with the same words and other values in columns,
-- days, and longer texts that would go.
CREATE TABLE notices (id int PRIMARY KEY, line text, source text, starts_at timestamptz, ends_on date, body text);
SET client_min_messages = error;
SELECT neardup.protect('notices', 'body', on_duplicate => 'warn');
INSERT INTO notices SELECT n, 'line ' || n / 3, 'source ' || n % 7, '2031-01-01'::timestamptz + n * interval '20 hours', '2031-02-01'::date + n,
    CASE WHEN n % 3 = 0 THEN 'No service at the harbour' ELSE 'Notice ' || n / 3 || ': the night ferry from pier ' || n / 3 || ' waits for the last train and leaves at ' || 1 + n / 3 || ' minutes past midnight until the bridge is open again.' END
    FROM generate_series(0, 44) n;
-- with line breaks and marks, and with more text
INSERT INTO notices SELECT 100 + n, 'line ' || n, 'source ' || n % 5, 'infinity', 'infinity', replace(body, 'Notice', 'NOTICE') || '!' FROM (SELECT id / 3 AS n, body FROM notices WHERE id % 3 = 1) x;
INSERT INTO notices SELECT 200 + n, 'line ' || n, 'source ' || n % 5, NULL, '5874897-12-31', 'UPDATE ' || body || ' Tickets of the tram are good for it, too.' FROM (SELECT id / 3 AS n, body FROM notices WHERE id % 3 = 1) x;
RESET client_min_messages;
CALL neardup.cleanup('notices', threshold => 0.5, keep => 'oldest');
-- the longest stays
SET client_min_messages = error;
SELECT count(*) FILTER (WHERE length(t.body) > length(k.body)) FROM neardup.duplicates('notices', threshold => 0.5, settled => true, keep => 'longest') c
    JOIN notices t ON t.id = c.key::int JOIN notices k ON k.id = c.duplicate_of::int;
RESET client_min_messages;
-- only times differ
CREATE TABLE weather (id int PRIMARY KEY, day date, body text);
INSERT INTO weather SELECT n, '2031-01-01'::date + n, 'Rain in the morning, wind from the west and a dry afternoon along the whole coast of the island.' FROM generate_series(1, 3) n;
SELECT neardup.protect('weather', 'body', on_duplicate => 'warn');
CALL neardup.cleanup('weather');
-- the longer text would go
INSERT INTO weather SELECT 10 + n, '2031-02-01', 'The ferry to the island leaves at seven from the new pier, and all who have a ticket for the train may use it without paying again until the bridge is repaired in May.'
    || CASE n WHEN 2 THEN ' Bicycles travel free of charge.' ELSE '' END FROM generate_series(1, 2) n;
CALL neardup.cleanup('weather', threshold => 0.5);
CALL neardup.cleanup('weather', threshold => 0.5, keep => 'longest');
DROP TABLE notices, weather;
-- A number of each row tells no copies apart, and neither do capitals; a title is proposed as the title; what all have is no heading of 40 characters only.
CREATE TABLE jobs (id int PRIMARY KEY, ref text, state text, city text, title text, posted timestamptz, body text);
SET client_min_messages = error;
SELECT neardup.protect('jobs', 'body', on_duplicate => 'warn', reset => '{title}');
INSERT INTO jobs SELECT n, 'R-' || n, CASE n % 2 WHEN 0 THEN 'OPEN  now' ELSE 'Open now' END, 'city ' || n / 6, 'Nurse, ward ' || n, '2031-01-01'::timestamptz + n * interval '30 hours',
    'Clinic ' || n / 2 || ' looks for a registered nurse with ' || 2 + n / 2 || ' years of practice who likes to work in a small team; call us on extension ' || 100 + n / 2 || CASE n % 2 WHEN 0 THEN '.' ELSE '!' END
    FROM generate_series(0, 49) n;
INSERT INTO jobs SELECT n, 'R-' || n, 'Open now', 'city ' || n, 'Closed ' || n, '2031-05-01', 'We are sorry, but this advert has been taken off by one of our editors.' FROM generate_series(101, 106) n;
RESET client_min_messages;
CALL neardup.cleanup('jobs');
SET standard_conforming_strings = off;
CALL neardup.cleanup('jobs');
RESET standard_conforming_strings;
CALL neardup.cleanup('jobs', time_column => 'posted', keep => 'newest');
-- where every other row has a value that another one has, the column is named
UPDATE jobs SET ref = 'R-' || id % 5 WHERE id % 4 < 2;
CALL neardup.cleanup('jobs');
-- a title that the guard reads already is not proposed
UPDATE jobs SET title = CASE id % 10 WHEN 1 THEN 'Nurse' ELSE 'A nurse' END, ref = 'R';
SELECT neardup.protect('jobs', 'body', title => 'title', differ => '{city}');
CALL neardup.cleanup('jobs', threshold => 0.5);
-- days, of dates and of infinity
CREATE TABLE bulletins (id int PRIMARY KEY, day date, body text);
INSERT INTO bulletins SELECT n, (ARRAY['2031-01-01', '2031-01-02', 'infinity', '2033-12-31', NULL])[n]::date, 'Rain in the morning, wind from the west and a dry afternoon along the whole coast of the island.' FROM generate_series(1, 5) n;
SELECT neardup.protect('bulletins', 'body', on_duplicate => 'warn', time_column => 'day');
CALL neardup.cleanup('bulletins');
DROP TABLE jobs, bulletins;
