-- the list of a table by ranges, as several sessions make it at once: together the list of one session
CREATE FUNCTION words(first int, last int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(substr('abcdefghijklmnopqrstuvwxyz', 1 + n % 26, 1) || n, ' ' ORDER BY n) FROM generate_series(first, last) n
$$;
-- An article an hour in three languages, of each text several copies, some of them later than the window of time.
CREATE TABLE articles (id int PRIMARY KEY, at timestamptz, language text, body text);
INSERT INTO articles SELECT n, '2031-01-01'::timestamptz + n * interval '1 hour', (ARRAY['de', 'en', 'zh'])[1 + n % 3],
    words(n / 30 * 1000 + n % 3 * 100, n / 30 * 1000 + n % 3 * 100 + 40) || CASE n % 4 WHEN 1 THEN ' edited' WHEN 2 THEN ' again' ELSE '' END FROM generate_series(1, 600) n
WHERE n % 30 < 12 OR n % 30 > 26;
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip', within => '8 hours', time_column => 'at');

-- ranges of time that overlap by the window; copies lie on either side of each end
CREATE TABLE whole AS SELECT key, duplicate_of, verdict FROM neardup.duplicates('articles');
CREATE TABLE parts AS
    SELECT key, duplicate_of, verdict FROM neardup.duplicates('articles', until => '2031-01-10 00:00')
    UNION SELECT key, duplicate_of, verdict FROM neardup.duplicates('articles', since => '2031-01-09 16:00', until => '2031-01-17 10:00')
    UNION SELECT key, duplicate_of, verdict FROM neardup.duplicates('articles', since => '2031-01-17 02:00');
SELECT count(*) AS pairs, count(*) FILTER (WHERE p.key IS NULL) AS lost, count(*) FILTER (WHERE w.key IS NULL) AS more
FROM whole w FULL JOIN parts p USING (key, duplicate_of, verdict);

-- ranges of a column of the scope
DROP TABLE whole, parts;
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip', scope => '{language}', reset => '{all}');
CREATE TABLE whole AS SELECT * FROM neardup.duplicates('articles');
CREATE TABLE parts AS SELECT * FROM neardup.duplicates('articles', time_column => 'language', until => 'en')
    UNION ALL SELECT * FROM neardup.duplicates('articles', time_column => 'language', since => 'en');
SELECT count(*) AS pairs, count(*) FILTER (WHERE p.key IS NULL) AS lost, count(*) FILTER (WHERE w.key IS NULL) AS more
FROM whole w FULL JOIN parts p USING (key, duplicate_of, verdict, measure, value, group_size);
