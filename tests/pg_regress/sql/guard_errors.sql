-- Errors keep every field they left Postgres or the user's function with, after guarded work and through it.
\set SHOW_CONTEXT always
CREATE TABLE guarded (id int PRIMARY KEY, title text, body text);
CREATE TABLE checked (id int CONSTRAINT positive CHECK (id > 0), name text NOT NULL, at date, code varchar(3));
CREATE TABLE parents (id int PRIMARY KEY);
CREATE TABLE children (id int PRIMARY KEY, parent int CONSTRAINT has_parent REFERENCES parents);
CREATE DOMAIN small AS int CONSTRAINT is_small CHECK (VALUE < 10);
CREATE FUNCTION own_error() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'an error of mine' USING ERRCODE = 'ZZ001', DETAIL = 'my detail', HINT = 'my hint', SCHEMA = 'my schema', TABLE = 'my table',
        COLUMN = 'my column', CONSTRAINT = 'my constraint', DATATYPE = 'my type';
END $$;
CREATE TABLE raising (number int, statement text);
INSERT INTO raising VALUES
    (1, 'INSERT INTO checked VALUES (-1, ''a'')'), (2, 'INSERT INTO checked VALUES (1, NULL)'), (3, 'INSERT INTO checked VALUES (1, ''a'', ''2031-02-30'')'),
    (4, 'INSERT INTO checked VALUES (1, ''a'', NULL, ''long'')'), (5, 'INSERT INTO children VALUES (1, 7)'), (6, 'INSERT INTO parents VALUES (1), (1)'),
    (7, 'SELECT 77::small'), (8, 'SELECT 1 / 0'), (9, 'SELECT nosuch FROM parents'), (10, 'SELECT own_error()');
-- every field of every error, as PL/pgSQL sees it
CREATE FUNCTION fields(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; detail text; hint text; context text; s text; t text; c text; k text; d text;
BEGIN
    EXECUTE query;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT,
        s = SCHEMA_NAME, t = TABLE_NAME, c = COLUMN_NAME, k = CONSTRAINT_NAME, d = PG_DATATYPE_NAME;
    RETURN concat_ws(' | ', state, message, detail, hint, context, s, t, c, k, d);
END $$;
CREATE TABLE before_guard AS SELECT number, fields(statement) AS fields FROM raising;
SELECT number, fields FROM before_guard ORDER BY number;

SELECT neardup.protect('guarded', 'body', reset => '{title}');
INSERT INTO guarded VALUES (1, 'a', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入。');
INSERT INTO guarded VALUES (2, 'a', '清河市中心医院昨日启用新住院楼，三百余名医护人员到场，急诊科将于下周一迁入。');
-- the same backend, after guarded work
SELECT number, fields(statement) FROM raising JOIN before_guard b USING (number) WHERE b.fields <> fields(statement);
-- and where psql prints them, with their place in the statement and in the data
\set VERBOSITY default
SELECT nosuch FROM parents;
SELECT own_error();
COPY checked FROM stdin;
1	a	2031-01-01	abc
x	a	2031-01-01	abc
\.
COPY guarded FROM stdin;
3	a	石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。
x	a	b
\.
COPY guarded FROM stdin;
3	a	石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。
4	a	石桥镇的年货市集今天开张，两百多个摊位沿河排开，腊肉、年画和灯笼最好卖。
\.

-- inside a trigger of the guarded table, before and behind the guard
CREATE FUNCTION raises() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE (SELECT statement FROM raising WHERE number = NEW.id); RETURN NEW; END $$;
CREATE FUNCTION through(number int) RETURNS text LANGUAGE sql AS $$
    SELECT fields(format('INSERT INTO guarded SELECT %1$s, ''t'', md5(%1$L) || md5(''-'' || %1$L)', number)) $$;
DELETE FROM guarded;
ALTER TABLE guarded DISABLE TRIGGER USER;
CREATE TRIGGER first BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION raises();
CREATE TABLE in_trigger AS SELECT number, through(number) AS fields FROM raising;
SELECT fields FROM in_trigger WHERE number = 10;
ALTER TABLE guarded ENABLE TRIGGER USER;
SELECT i.number, through(i.number), i.fields FROM in_trigger i WHERE i.fields <> through(i.number);
DROP TRIGGER first ON guarded;
CREATE TRIGGER zzz BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION raises();
SELECT i.number, through(i.number), i.fields FROM in_trigger i WHERE i.fields <> through(i.number);
DROP TRIGGER zzz ON guarded;
CREATE TRIGGER after AFTER INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION raises();
SELECT i.number, through(i.number), i.fields FROM in_trigger i WHERE i.fields <> through(i.number);
DROP TRIGGER after ON guarded;

-- inside what the guard itself runs: the function that makes documents
CREATE FUNCTION text_of(guarded) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
    IF $1.title = 'raise' THEN EXECUTE (SELECT statement FROM raising WHERE number = $1.id); END IF;
    RETURN $1.body;
END $$;
SELECT neardup.protect('guarded', 'body', columns => '{body,title}', expression => 'text_of');
CREATE FUNCTION raising_constant(n int) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no text of %', n USING DETAIL = 'my detail'; END $$;
CREATE FUNCTION raising_text(r guarded) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT r.body || public.raising_constant(1) $$;
SELECT neardup.protect('guarded', 'body', expression => 'raising_text');
DROP FUNCTION raising_text, raising_constant;
-- the search path is locked down, so the user's tables are not found without their schema
SELECT fields($$INSERT INTO guarded VALUES (10, 'raise', 'b')$$);
CREATE OR REPLACE FUNCTION text_of(guarded) RETURNS text LANGUAGE plpgsql IMMUTABLE SET search_path = public AS $$ BEGIN
    IF $1.title = 'raise' THEN EXECUTE (SELECT statement FROM raising WHERE number = $1.id); END IF;
    RETURN $1.body;
END $$;
SELECT number, fields(format('INSERT INTO guarded VALUES (%s, ''raise'', ''b'')', number)) FROM raising WHERE number > 6 ORDER BY number;
-- of a candidate's row
ALTER TABLE guarded DISABLE TRIGGER USER;
INSERT INTO guarded VALUES (1, 'quiet', '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车。');
ALTER TABLE guarded ENABLE TRIGGER USER;
CREATE OR REPLACE FUNCTION text_of(guarded) RETURNS text LANGUAGE plpgsql IMMUTABLE SET search_path = public AS $$ BEGIN
    IF $1.id = 1 THEN PERFORM own_error(); END IF;
    RETURN $1.body;
END $$;
SELECT fields($$INSERT INTO guarded VALUES (2, 'b', '望岑县的苹果今年熟得早，果农在合作社门口排起长队，一筐筐过秤装车！')$$);
SELECT neardup.unprotect('guarded');
DROP FUNCTION text_of CASCADE;

-- a table that rows are diverted to, with constraints and triggers of its own
SELECT neardup.protect('guarded', 'body', on_duplicate => 'divert', reset => '{title}');
CREATE FUNCTION refuses() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$ BEGIN PERFORM own_error(); END $$;
CREATE TRIGGER refuses BEFORE INSERT ON guarded_diverted FOR EACH ROW EXECUTE FUNCTION refuses();
SELECT fields($$INSERT INTO guarded SELECT 2, title, body FROM guarded WHERE id = 1$$);
DROP TRIGGER refuses ON guarded_diverted;
ALTER TABLE guarded_diverted ADD CONSTRAINT nothing CHECK (value < 0);
SELECT fields($$INSERT INTO guarded SELECT 2, title, body FROM guarded WHERE id = 1$$);
ALTER TABLE guarded_diverted DROP CONSTRAINT nothing;
DROP SEQUENCE guarded_body_divert;
INSERT INTO guarded SELECT 2, title, body FROM guarded WHERE id = 1;
SELECT record ->> 'id' AS id, duplicate_of FROM guarded_diverted;
DROP TABLE guarded_diverted;
INSERT INTO guarded SELECT 2, title, body FROM guarded WHERE id = 1;
SELECT neardup.unprotect('guarded');

-- the backend is as good as before, and nothing is held
SELECT number, fields(statement) FROM raising JOIN before_guard b USING (number) WHERE b.fields <> fields(statement);
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
SELECT current_setting('search_path') AS path, current_user = session_user AS myself;
DROP TABLE guarded, children, parents, checked, raising, before_guard, in_trigger;
-- rows are let into tables, and by the table that has the guard
CREATE VIEW no_table AS SELECT 1 AS id;
CREATE SEQUENCE no_rows;
SELECT neardup.let_through('no_table');
SELECT neardup.let_through('no_rows');
SELECT neardup.let_through(4294967295);
CREATE TABLE parts (id int, part int, body text, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
SELECT neardup.let_through('parts_1');
SELECT neardup.protect('parts', 'body');
SELECT neardup.let_through('parts_1');
SELECT neardup.let_through('parts', false);
DROP TABLE parts;
DROP VIEW no_table;
DROP SEQUENCE no_rows;
