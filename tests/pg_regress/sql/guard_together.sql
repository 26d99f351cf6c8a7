-- the guard beside what else Postgres does
CREATE TABLE articles (id int PRIMARY KEY, body text, length int GENERATED ALWAYS AS (length(body)) STORED);
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
-- other triggers: one before it, whose text it judges, and one behind it that writes to the same table: the row has passed by then
CREATE FUNCTION trim_body() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.body := split_part(NEW.body, '（', 1); RETURN NEW; END $$;
CREATE TRIGGER aa_trim BEFORE INSERT ON articles FOR EACH ROW EXECUTE FUNCTION trim_body();
CREATE FUNCTION echo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.id < 1000 AND NEW.id % 10 <> 0 THEN
        INSERT INTO articles VALUES (NEW.id + 1000, NEW.body), (NEW.id + 2000, NEW.body || md5(NEW.id::text) || md5((-NEW.id)::text));
    END IF;
    RETURN NEW;
END $$;
INSERT INTO articles VALUES (1, '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入。（记者甲乙丙丁戊己庚辛）') RETURNING id, length;
INSERT INTO articles VALUES (2, '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入。') RETURNING id, length;
CREATE TRIGGER zzz_echo BEFORE INSERT ON articles FOR EACH ROW EXECUTE FUNCTION echo();
INSERT INTO articles VALUES (3, '石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。');
SELECT id FROM articles ORDER BY id;
DROP TRIGGER zzz_echo ON articles;
CREATE TRIGGER zzz_echo AFTER INSERT ON articles FOR EACH ROW EXECUTE FUNCTION echo();
INSERT INTO articles SELECT i, md5(i::text || 'a') || md5(i::text || 'b') FROM generate_series(11, 14) i;
SELECT id FROM articles WHERE id % 1000 > 10 ORDER BY id;
DROP TRIGGER zzz_echo ON articles;
-- savepoints and deleted rows: what is gone is no original, in a load neither
DO $$ BEGIN
    BEGIN
        INSERT INTO articles SELECT i, md5(i::text || 'c') || md5(i::text || 'd') FROM generate_series(100, 300) i;
        RAISE EXCEPTION 'back';
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    INSERT INTO articles SELECT i, md5(i::text || 'c') || md5(i::text || 'd') FROM generate_series(100, 300) i;
    DELETE FROM articles WHERE id BETWEEN 100 AND 200;
    INSERT INTO articles SELECT 1000 + i, md5(i::text || 'c') || md5(i::text || 'd') FROM generate_series(100, 300) i;
END $$;
SELECT count(*) FILTER (WHERE id BETWEEN 100 AND 300) AS before, count(*) FILTER (WHERE id BETWEEN 1100 AND 1300) AS after FROM articles;
-- a load with copies in it, as the look would judge them one by one
CREATE TABLE one_by_one (id int PRIMARY KEY, body text);
CREATE TABLE loaded (id int PRIMARY KEY, body text);
SELECT neardup.protect(t, 'body', on_duplicate => 'skip') FROM unnest('{one_by_one, loaded}'::regclass[]) t;
CREATE TABLE staged AS SELECT i AS id, md5((i % 150)::text) || md5((i % 150)::text || 'x') || md5((i % 150)::text || 'y') || left(md5(i::text), i % 5) AS body FROM generate_series(1, 600) i;
INSERT INTO loaded SELECT * FROM staged ORDER BY id;
DO $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM staged ORDER BY id LOOP INSERT INTO one_by_one VALUES (r.id, r.body); END LOOP; END $$;
SELECT count(*) > 100 AS some, count(*) FILTER (WHERE l.id IS NULL OR o.id IS NULL) AS different FROM loaded l FULL JOIN one_by_one o USING (id);
-- MERGE
MERGE INTO loaded l USING (VALUES (1, 'x'), (9001, (SELECT body FROM staged WHERE id = 2))) AS v(id, body) ON l.id = v.id
    WHEN MATCHED THEN UPDATE SET body = v.body || md5('m') WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.body);
SELECT count(*) FROM loaded WHERE id = 9001;
DROP TABLE one_by_one, loaded, staged;

-- guarded rows from a trigger of a guarded row: each is judged, and the outer row's locks last until it is stored
CREATE TABLE outer_rows (id int PRIMARY KEY, body text);
CREATE TABLE inner_rows (id int PRIMARY KEY, body text);
SELECT neardup.protect(t, 'body', on_duplicate => 'skip') FROM unnest('{outer_rows, inner_rows}'::regclass[]) t;
CREATE FUNCTION nest() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO inner_rows VALUES (NEW.id, NEW.body), (NEW.id + 100, NEW.body || '！');
    RAISE NOTICE 'locks of %', (SELECT string_agg(DISTINCT c.relname, ' and ') FROM pg_locks l JOIN pg_class c ON c.oid = l.classid WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid());
    RETURN NEW;
END $$;
CREATE TRIGGER zzz_nest BEFORE INSERT ON outer_rows FOR EACH ROW EXECUTE FUNCTION nest();
INSERT INTO outer_rows VALUES (1, 'The harbour bridge stays closed until Monday, the city said on Friday.'), (2, 'The harbour bridge stays closed until Monday, the city said on Friday.');
SELECT (SELECT array_agg(id) FROM outer_rows) AS outer, (SELECT array_agg(id) FROM inner_rows) AS inner;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
DROP TABLE outer_rows, inner_rows;
DROP FUNCTION nest;

-- children by INHERITS are tables of their own
CREATE TABLE child () INHERITS (articles);
INSERT INTO child (id, body) SELECT 5000, body FROM ONLY articles WHERE id = 1;
INSERT INTO child (id, body) VALUES (5001, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。');
INSERT INTO articles VALUES (4, '东湖公园今起免费开放，园内新增步道四公里，设有三处观景台和一座儿童图书馆。') RETURNING id;
DROP TABLE child;

-- a subscriber does not judge, unless told to
SET session_replication_role = replica;
INSERT INTO articles (id, body) SELECT 6000, body FROM articles WHERE id = 1 RETURNING id;
ALTER TABLE articles ENABLE ALWAYS TRIGGER zz_neardup_body;
INSERT INTO articles (id, body) SELECT 6001, body FROM articles WHERE id = 1 RETURNING id;
RESET session_replication_role;
DELETE FROM articles WHERE id = 6000;

-- row security: a row that its writer may not see is an original all the same
CREATE ROLE regress_writer;
GRANT SELECT, INSERT, UPDATE ON articles TO regress_writer;
ALTER TABLE articles ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON articles USING (id > 7000) WITH CHECK (true);
SELECT neardup.protect('articles', 'body', reset => '{all}');
-- nor does he need a right on the schema
REVOKE USAGE ON SCHEMA neardup FROM public;
SET ROLE regress_writer;
INSERT INTO articles (id, body) VALUES (7001, '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入。');
INSERT INTO articles (id, body) VALUES (7002, '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车。');
RESET ROLE;
GRANT USAGE ON SCHEMA neardup TO public;
SELECT id FROM articles WHERE id > 7000;

-- a long document
INSERT INTO articles (id, body) SELECT 8000, repeat('鹭湾区图书馆本周起延长夜间开放时间，', 1000000);
INSERT INTO articles (id, body) SELECT 8001, repeat('鹭湾区图书馆本周起延长夜间开放时间，', 1000000);
DROP TABLE articles;
DROP ROLE regress_writer;
DROP FUNCTION trim_body, echo;
