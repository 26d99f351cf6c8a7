-- on_related => mark: a row that is related to another one without being a copy says to which, and what it is to it
\set SHOW_CONTEXT never
CREATE TABLE bulletins (id int PRIMARY KEY, body text);
SELECT neardup.protect('bulletins', 'body', on_related => 'mark');
SELECT on_duplicate, on_related, related_to, related_as, duplicate_of FROM neardup.protected;
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'bulletins'::regclass AND attnum > 2 ORDER BY attnum;
INSERT INTO bulletins VALUES
    (1, 'The health office reports 66 new cases in the city yesterday, all found in quarantine; 12 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation.'),
    (2, 'The health office reports 94 new cases in the city yesterday, all found in quarantine; 15 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation.'),
    (3, 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn, and the cider press runs until late in the evening on all days but Sunday.'),
    (4, 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn, and the cider press runs until late in the evening on all days but Sunday. The cooperative says that it has hired twelve more hands for the press, and that the first bottles will be sold at the harvest fair, where the band of the fire brigade plays on both days.');
SELECT id, related_to, related_as FROM bulletins ORDER BY id;
-- a copy is refused as before
INSERT INTO bulletins VALUES (5, 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn, and the cider press runs until late in the evening on all days but Sunday!');
-- what a writer gives does not count
INSERT INTO bulletins VALUES (6, 'The roof of the sports hall now carries solar panels with four hundred kilowatts, enough for the lamps and the pumps at noon; what is left over goes to the grid.', 1, 'update');
SELECT id, related_to, related_as FROM bulletins WHERE id = 6;
-- another text, another relation; an UPDATE of other columns changes none, and a reader may take it off
UPDATE bulletins SET body = 'Cyclists use the ferry at the old customs house until the harbour bridge opens again in spring; it leaves every ten minutes.' WHERE id = 2;
SELECT id, related_to, related_as FROM bulletins WHERE id = 2;
UPDATE bulletins SET body = 'The health office reports 71 new cases in the city yesterday, all found in quarantine; 19 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation.' WHERE id = 2;
SELECT id, related_to, related_as FROM bulletins WHERE id = 2;
UPDATE bulletins SET related_to = NULL, related_as = NULL WHERE id = 2;
SELECT id, related_to, related_as FROM bulletins WHERE id = 2;
-- an excerpt that is kept
SELECT neardup.protect('bulletins', 'body', on_related => 'mark', excerpts => 'keep');
INSERT INTO bulletins VALUES (7, 'The cooperative says that it has hired twelve more hands for the press, and that the first bottles will be sold at the harvest fair, where the band of the fire brigade plays on both days.');
SELECT related_to, related_as FROM bulletins WHERE id = 7;
-- with marks of copies: a copy has no relation besides
SELECT neardup.protect('bulletins', 'body', on_related => 'mark', on_duplicate => 'mark', excerpts => 'remove');
INSERT INTO bulletins VALUES
    (8, 'The health office reports 52 new cases in the city yesterday, all found in quarantine; 18 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation.'),
    (9, 'BREAKING: The health office reports 52 new cases in the city yesterday, all found in quarantine; 18 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation!');
SELECT id, duplicate_of, related_to IS NOT NULL AS is_related, related_as FROM bulletins WHERE id > 7 ORDER BY id;
SELECT duplicate_of, related_to, related_as FROM neardup.protected;
-- renamed columns; the guard without it leaves them alone
ALTER TABLE bulletins RENAME related_to TO like_row;
SELECT neardup.protect('bulletins', 'body', on_related => 'store', on_duplicate => 'skip');
INSERT INTO bulletins VALUES (10, 'The health office reports 43 new cases in the city yesterday, all found in quarantine; 21 patients recovered and left hospital the same day, and more than three hundred close contacts are under observation.', NULL, NULL);
SELECT like_row, related_as FROM bulletins WHERE id = 10;
SELECT neardup.protect('bulletins', 'body', on_related => 'mark', on_duplicate => 'skip');
SELECT duplicate_of, related_to, related_as FROM neardup.protected;
SELECT neardup.unprotect('bulletins');
\d bulletins
-- a key of two columns in partitions; a table that has such columns
CREATE TABLE news (part text, id int, related_to int, body text, PRIMARY KEY (part, id)) PARTITION BY LIST (part);
CREATE TABLE news_a PARTITION OF news FOR VALUES IN ('a');
CREATE TABLE news_b PARTITION OF news FOR VALUES IN ('b');
SELECT neardup.protect('news', 'body', on_related => 'mark');
INSERT INTO news (part, id, body) SELECT CASE id WHEN 1 THEN 'a' ELSE 'b' END, id, body FROM bulletins WHERE id IN (1, 8);
SELECT part, id, body_related_to, body_related_as FROM news ORDER BY id;
-- errors
SELECT neardup.protect('bulletins', 'body', on_related => 'refuse');
SELECT neardup.protect('bulletins', 'body', on_related => 'mark', verify => 'overlap', threshold => 0.8);
SELECT neardup.protect('bulletins', 'body', on_related => 'mark', method => 'simhash', verify => 'none');
DROP TABLE bulletins, news;
