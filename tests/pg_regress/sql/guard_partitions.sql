-- partitions: copies are found across them, rows move between them and none is lost
\set SHOW_CONTEXT never
CREATE TABLE parted (id int, day date, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
SELECT neardup.protect('parted', 'body');
-- a later partition, with its columns in another order
CREATE TABLE parted_2 (body text, junk int, day date NOT NULL, id int NOT NULL);
ALTER TABLE parted_2 DROP COLUMN junk;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
-- one below another
CREATE TABLE parted_3 PARTITION OF parted FOR VALUES FROM ('2031-03-01') TO ('2031-04-01') PARTITION BY LIST (id);
CREATE TABLE parted_3_odd PARTITION OF parted_3 FOR VALUES IN (1, 3, 5, 7, 9);
CREATE TABLE parted_3_rest PARTITION OF parted_3 DEFAULT;
INSERT INTO parted VALUES (1, '2031-01-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO parted VALUES (2, '2031-02-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO parted_2 (id, day, body) VALUES (2, '2031-02-05', '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO parted_3_rest VALUES (2, '2031-03-05', '（本报讯）东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
COPY parted_3 FROM stdin;
3	2031-03-05	东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆！
\.
UPDATE parted SET day = '2031-02-07' WHERE id = 1;
UPDATE parted SET day = '2031-03-07' WHERE id = 1;
SELECT tableoid::regclass, id, day FROM parted;
-- the trigger of a partition is the root's
SELECT count(*) AS guards FROM neardup.protected;
DROP TABLE parted;

-- a row that moves is no new one, whatever the action: copies from before the guard, moved with and without another body
CREATE TABLE actions (action text);
INSERT INTO actions VALUES ('reject'), ('skip'), ('warn'), ('mark'), ('divert');
CREATE TABLE audit (what text);
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO audit VALUES (TG_OP); RETURN coalesce(NEW, OLD); END $$;
CREATE FUNCTION rewrite() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.body := NEW.body || '（已移）'; RETURN NEW; END $$;
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE n bigint; BEGIN
    EXECUTE statement;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION moves(action text, trigger_of text, statement text) RETURNS TABLE (answer text, rows text, diverted bigint, counted numeric) LANGUAGE plpgsql AS $$ BEGIN
    SET LOCAL client_min_messages = error;
    DROP TABLE IF EXISTS moved, moved_diverted;
    CREATE TABLE moved (id int, day date, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
    CREATE TABLE moved_1 PARTITION OF moved FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
    CREATE TABLE moved_2 PARTITION OF moved FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
    INSERT INTO moved VALUES (1, '2031-01-05', '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。'), (2, '2031-01-06', '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。'),
        (3, '2031-01-07', '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车。');
    PERFORM neardup.protect('moved', 'body', on_duplicate => action);
    IF trigger_of <> '' THEN
        EXECUTE format('CREATE TRIGGER %s ON moved FOR EACH ROW EXECUTE FUNCTION %s()', CASE trigger_of WHEN 'rewrite' THEN 'aa BEFORE INSERT' WHEN 'audit' THEN 'aa BEFORE INSERT OR UPDATE OR DELETE' END, trigger_of);
    END IF;
    answer := try(statement);
    rows := (SELECT string_agg(to_jsonb(m) ->> 'id' || ':' || extract(month FROM m.day) || coalesce('>' || (to_jsonb(m) ->> 'duplicate_of'), ''), ' ' ORDER BY m.id, m.day) FROM moved m);
    IF to_regclass('moved_diverted') IS NOT NULL THEN EXECUTE 'SELECT count(*) FROM moved_diverted' INTO diverted; END IF;
    counted := (SELECT sum(c.count) FROM neardup.counters c);
    RETURN NEXT;
END $$;
-- only the partition: the copy moves
SELECT action, m.* FROM actions, moves(action, '', $$UPDATE moved SET day = '2031-02-05' WHERE id = 2$$) m;
-- beside a trigger that runs statements of its own
SELECT action, m.* FROM actions, moves(action, 'audit', $$UPDATE moved SET day = '2031-02-05' WHERE id = 2$$) m;
-- beside a trigger that changes what arrives: it may be refused, and is not lost
SELECT action, m.* FROM actions, moves(action, 'rewrite', $$UPDATE moved SET day = '2031-02-05' WHERE id = 2$$) m;
-- with another body, which is a copy: the row stays as it was, or goes with its mark
SELECT action, m.* FROM actions, moves(action, '', $$UPDATE moved SET day = '2031-02-05', body = (SELECT body || '！' FROM moved WHERE id = 1) WHERE id = 3$$) m;
-- and is none
SELECT action, m.* FROM actions, moves(action, 'audit', $$UPDATE moved SET day = '2031-02-05', body = '鹭湾区图书馆本周起延长夜间开放时间，三楼自习室每晚开到十一点。' WHERE id = 2$$) m;
-- several at once, each as before
SELECT action, m.* FROM actions, moves(action, '', $$UPDATE moved SET day = day + 30$$) m;
-- by hand: what has just been deleted is inserted again, once
SELECT action, m.* FROM actions, moves(action, '', $$WITH d AS (DELETE FROM moved WHERE id = 2 RETURNING *) INSERT INTO moved (id, day, body) SELECT id, '2031-02-05', body FROM d$$) m;
SELECT action, m.* FROM actions, moves(action, '', $$WITH d AS (DELETE FROM moved WHERE id = 2 RETURNING *) INSERT INTO moved (id, day, body) SELECT id + n, '2031-02-05', body FROM d, generate_series(10, 11) n$$) m;
SELECT action, m.* FROM actions, moves(action, '', $$MERGE INTO moved m USING (VALUES (2)) v(id) ON m.id = v.id WHEN MATCHED THEN UPDATE SET day = '2031-02-05'$$) m;
DROP TABLE moved, moved_diverted, actions, audit;
DROP FUNCTION audit, rewrite, try, moves;

-- a guard on one partition and one on all: both judge, and the first one's locks last until the row is stored
CREATE TABLE both_guards (id int, part int, title text, body text, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE both_1 PARTITION OF both_guards FOR VALUES IN (1);
SELECT neardup.protect('both_guards', 'title'), neardup.protect('both_1', 'body', reset => '{title}');
CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE NOTICE 'locks of %', (SELECT string_agg(DISTINCT c.relname, ' and ') FROM pg_locks l JOIN pg_class c ON c.oid = l.classid WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid());
    RETURN NEW;
END $$;
CREATE TRIGGER zzz_held BEFORE INSERT ON both_guards FOR EACH ROW EXECUTE FUNCTION held();
INSERT INTO both_guards VALUES (1, 1, 'one two three four five six', 'seven eight nine ten eleven twelve');
INSERT INTO both_guards VALUES (2, 1, 'another title that shares nothing', 'seven eight nine ten eleven twelve');
INSERT INTO both_guards VALUES (3, 1, 'one two three four five six', 'another body that has nothing in common');
-- a partition written directly: nothing lasts longer than the transaction, also in a prepared one
BEGIN;
INSERT INTO both_1 VALUES (1, 1, 'a third title, longer than the others', 'and a third body, about something else') ON CONFLICT DO NOTHING;
COMMIT;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
DROP TABLE both_guards;
DROP FUNCTION held;

-- what is opened: partitions that the time window can reach, and nothing stays locked but what a plain insert locks
CREATE TABLE windowed (id int, at timestamptz, body text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
DO $$ BEGIN FOR i IN 1..60 LOOP
    EXECUTE format('CREATE TABLE windowed_%s PARTITION OF windowed FOR VALUES FROM (%L) TO (%L)', i, date '2031-01-01' + i, date '2031-01-02' + i);
END LOOP; END $$;
BEGIN;
INSERT INTO windowed VALUES (0, '2031-01-31 12:00', 'before');
SELECT count(*) AS plain FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relation <> 'pg_locks'::regclass \gset
COMMIT;
SELECT neardup.protect('windowed', 'body', time_column => 'at', within => '36 hours');
BEGIN;
INSERT INTO windowed VALUES (1, '2031-01-31 12:00', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。');
SELECT count(*) - :plain <= 2 AS few_more FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relation <> 'pg_locks'::regclass;
COMMIT;
INSERT INTO windowed VALUES (2, '2031-01-30 01:00', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。');
INSERT INTO windowed VALUES (3, '2031-02-01 23:00', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！');
INSERT INTO windowed VALUES (4, '2031-02-02 01:00', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！');
ALTER INDEX windowed_sketch_idx RENAME TO guards;
SELECT count(*) AS indexes FROM pg_inherits WHERE inhparent = 'guards'::regclass;
SELECT id, at::date FROM windowed WHERE id > 0 ORDER BY id;
DROP TABLE windowed;
-- two guards: each knows the row that an UPDATE moves
CREATE TABLE pairs (id int, kind text, body text, lead text, PRIMARY KEY (id, kind)) PARTITION BY LIST (kind);
CREATE TABLE pairs_a PARTITION OF pairs FOR VALUES IN ('a');
CREATE TABLE pairs_b PARTITION OF pairs FOR VALUES IN ('b');
INSERT INTO pairs VALUES
(1, 'a', 'The winter market of Stonebridge opens today with more than two hundred stalls along the river.', 'Two hundred stalls stand along the river of Stonebridge from today until the end of the year.'),
(2, 'a', 'A new ferry crosses the harbour every twenty minutes from Monday on, and takes bicycles without a charge.', 'Two hundred stalls stand along the river of Stonebridge from today until the end of the year.');
SELECT neardup.protect('pairs', 'body', on_duplicate => 'skip');
SELECT neardup.protect('pairs', 'lead', on_duplicate => 'skip');
UPDATE pairs SET kind = 'b' WHERE id = 2;
SELECT id, kind FROM pairs ORDER BY id;
UPDATE pairs SET kind = 'b' WHERE id = 1;
UPDATE pairs SET kind = 'a';
SELECT id, kind FROM pairs ORDER BY id;
DROP TABLE pairs;
