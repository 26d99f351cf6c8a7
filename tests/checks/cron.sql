-- A nightly clean-up by pg_cron: one statement for the clean-up, one for the purge. It looks for new jobs every minute, and then runs those
-- that are due.

CREATE EXTENSION pg_cron;
CREATE TABLE articles (id int PRIMARY KEY, day date, body text);
INSERT INTO articles SELECT i, '2031-01-01', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。' FROM generate_series(1, 10) i;
SELECT neardup.protect('articles', 'body');
SELECT cron.schedule('nightly clean-up', '* * * * *', $$CALL neardup.cleanup('articles', dry_run => false)$$);
SELECT cron.schedule('purge', '* * * * *', $$CALL neardup.purge('articles', '1 day')$$);

-- the jobs
SELECT DISTINCT jobname, status, CASE status WHEN 'failed' THEN return_message END FROM cron.job_run_details JOIN cron.job USING (jobid) ORDER BY 1;
--~ nightly clean-up|succeeded|
--~ purge|succeeded|

-- rows that stay, rows archived
SELECT (SELECT count(*) FROM articles), (SELECT count(*) FROM articles_removed);
--= 1|9
