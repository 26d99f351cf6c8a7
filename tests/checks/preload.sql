-- A server that loads the library, and jieba's dictionary, at its start: signatures are the same, and a backend that has signed many
-- documents has grown no more.

SELECT simhash('江口镇今日举办第十届龙舟赛'), simhash('江口镇今日举办第十届龙舟赛', 'chars:3');
--> signatures

-- @preloaded
-- the setting
SHOW pg_neardup.preload;
--= on

-- signatures
SELECT simhash('江口镇今日举办第十届龙舟赛'), simhash('江口镇今日举办第十届龙舟赛', 'chars:3');
--= <signatures>

-- @usual
SET jit = off;
SELECT neardup.create_profile('house', words => '{上游村队}');
CALL neardup.train_profile('house', 'SELECT ''上游村队夺冠'' || i FROM generate_series(1, 100) i');

CREATE FUNCTION megabytes() RETURNS int LANGUAGE sql RETURN (regexp_match(pg_read_file('/proc/self/status'), 'VmRSS:\s+(\d+)'))[1]::int / 1024;

-- Works through many documents, in every way that keeps something from one to the next.
CREATE VIEW work AS
SELECT count(simhash(d)) + count(simhash(d, 'ik_smart')) + count(simhash(d, 'chars:3')) + count(normalize_text(d, '{html,nfkc,space}'))
       + count(p_simhash(d)) + count(neardup.p_simhash(d, 'house')) + sum((SELECT count(*) FROM keywords(d, 3, 'textrank')))
FROM (SELECT '<p>江口镇今日举办第十届龙舟赛，二十四支队伍参加，上游村队夺冠。' || i AS d FROM generate_series(1, 50000) i) t;

SELECT * FROM work;
SELECT megabytes() AS before \gset
SELECT * FROM work;

-- Megabytes that the backend has grown by: a leak of one signature's tokens a document would be 50 and more.
SELECT CASE WHEN megabytes() <= :before + 8 THEN 'no more than 8' ELSE format('from %s to %s', :before, megabytes()) END;
--= no more than 8
