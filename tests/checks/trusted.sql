-- Where the administrator has marked the extension as trusted, the owner of a database can create it, and use all of it.

SET ROLE neardup_owner;
CREATE EXTENSION pg_neardup;
--=

CREATE TABLE articles (id int PRIMARY KEY, body text);
SELECT neardup.protect('articles', 'body', log => true);
--=

INSERT INTO articles VALUES (1, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军。');
--=

INSERT INTO articles VALUES (2, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军！');
--= ERROR:  23505

SELECT neardup.create_profile('house') > 0;
--= t

CALL neardup.cleanup('articles', dry_run => false);
--= 1|0

DROP EXTENSION pg_neardup CASCADE;
--=
