-- answers: which row stays, what an undone run leaves of them, and what other settings make of them
\set SHOW_CONTEXT never
CREATE TABLE news (id int PRIMARY KEY, ref text, body text);
INSERT INTO news VALUES
    (1, 'a', 'The harbour bridge of Rowmouth will close for repairs from Monday until the end of the month; buses four and nine take the tunnel instead.'),
    (2, 'b', 'The harbour bridge of Rowmouth will close for repairs from Monday until the end of the month; buses four and nine take the tunnel instead. Engineers found cracks in two of the main girders last autumn, after a ship had grazed the northern pier; they will be replaced by steel from the works at Upper Village.'),
    (3, 'c', 'Survivors of the flood accuse the mayor of Rowmouth of shifting the burden onto victims'),
    (4, 'd', 'Survivors of the flood accuse the mayor of Rowmouth of shifting the burden on to the victims, report says');
SELECT neardup.protect('news', 'body');
-- that two rows are copies does not say which one goes: the longer one stays, whichever is named first
SELECT key, duplicate_of, verdict FROM neardup.duplicates('news') WHERE key IN ('1', '2');
SELECT neardup.answer('news', '1', '2', true);
SELECT key, duplicate_of, verdict, value FROM neardup.duplicates('news') WHERE key IN ('1', '2');
SELECT neardup.answer('news', '2', '1', true);
SELECT key, duplicate_of, verdict, value FROM neardup.duplicates('news') WHERE key IN ('1', '2');
SELECT key, duplicate_of FROM neardup.duplicates('news', keep => 'newest') WHERE key IN ('1', '2');

-- a run that is undone takes back no answer; a row that is restored by its key does
SELECT neardup.answer('news', '4', '3', true, 'read by the editor');
CALL neardup.cleanup('news', dry_run => false);
CALL neardup.restore('news', 1);
SELECT key, other, is_copy, act, note FROM neardup.answers('news') ORDER BY key;
CALL neardup.cleanup('news', dry_run => false);
CALL neardup.restore('news', key => '4');
SELECT key, other, is_copy, act, note FROM neardup.answers('news') ORDER BY key;
CALL neardup.restore('news', 2);
SELECT id FROM news ORDER BY id;

-- answers about other columns teach nothing, and what they taught is forgotten
CREATE TABLE jobs (id int PRIMARY KEY, branch text, body text);
INSERT INTO jobs SELECT n, 'b' || n, 'The harbour office looks for a clerk who keeps the list of berths, answers the telephone and speaks two languages. '
    || (ARRAY['Apply in writing.', 'Apply by letter.', 'Apply at the desk.', 'Write to us.', 'Call us soon.', 'Ask for Ann.'])[n % 6 + 1] || ' Room ' || n FROM generate_series(1, 24) n;
SELECT neardup.protect('jobs', 'body', on_duplicate => 'mark');
SELECT count(neardup.answer('jobs', a.id::text, (a.id + 1)::text, a.id % 3 = 0)) FROM jobs a WHERE a.id < 24;
SELECT answers, changed FROM neardup.learn('jobs');
SELECT learned IS NOT NULL AS learned FROM neardup.protected WHERE document = 'body' AND target = 'jobs'::regclass;
SELECT neardup.protect('jobs', 'body', differ => '{branch}');
SELECT learned IS NOT NULL AS learned FROM neardup.protected WHERE document = 'body' AND target = 'jobs'::regclass;
SELECT answers, changed FROM neardup.learn('jobs');
SELECT item, answers FROM neardup.estimate('jobs');
-- other settings change nothing of that
SELECT neardup.protect('jobs', 'body', threshold => 0.6);
SELECT answers, changed FROM neardup.learn('jobs');
SELECT neardup.answer('jobs', '1', '2', false);
SELECT answers, changed FROM neardup.learn('jobs');
-- with the settings of before, the answers hold again
SELECT neardup.protect('jobs', 'body', reset => '{differ}');
SELECT answers, changed FROM neardup.learn('jobs');
-- an answer about a text that has changed is not said to stay
SELECT neardup.protect('news', 'body', on_duplicate => 'warn');
INSERT INTO news VALUES (5, 'e', 'Apples ripened early in the valley; growers queue at the cooperative before dawn, and the press runs until late.'), (6, 'f', 'Apples ripened early in the valley; growers queue at the cooperative before dawn, and the press runs until late!');
SELECT neardup.answer('news', '6', '5', true);
UPDATE news SET body = replace(body, 'Apples', 'Pears') WHERE id IN (5, 6);
CALL neardup.cleanup('news', dry_run => false);
CALL neardup.restore('news', 3);
-- other columns of the document are other texts; of a guard that is gone, nobody knows what it compared
SELECT neardup.answer('jobs', '3', '4', false);
SELECT neardup.protect('jobs', 'body', columns => '{body,branch}');
SELECT neardup.unprotect('jobs');
SELECT DISTINCT document, holds FROM neardup.answers('jobs');
ALTER TABLE jobs ADD extract text;
SELECT neardup.protect('jobs', 'extract');
SELECT DISTINCT document, holds FROM neardup.answers('jobs');
DROP TABLE news, news_removed, news_answers, jobs, jobs_answers;
