\set SHOW_CONTEXT never
SET datestyle = 'ISO';
-- new rows against a guarded table, set-wise: the same copies as row by row
CREATE FUNCTION words(first int, last int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(substr('abcdefghijklmnopqrstuvwxyz', 1 + n % 26, 1) || n, ' ' ORDER BY n) FROM generate_series(first, last) n
$$;
CREATE TABLE there (id int PRIMARY KEY, site text, at timestamptz, body text);
INSERT INTO there SELECT n, 's' || n % 2, '2031-01-01'::timestamptz + n * interval '1 hour', words(n * 100, n * 100 + 40) FROM generate_series(1, 200) n;
CREATE TABLE fresh (body text, id int, at timestamptz, site text, more int);
-- edited copies of what is there and of each other, excerpts, longer texts, texts of their own, none at all
INSERT INTO fresh SELECT CASE n % 8
        WHEN 0 THEN words(n * 100, n * 100 + 40) WHEN 1 THEN words(n * 100, n * 100 + 37) || ' edited' WHEN 2 THEN words(n * 100, n * 100 + 400)
        WHEN 3 THEN words(100000 + n / 8 * 100, 100000 + n / 8 * 100 + 40) WHEN 4 THEN words(100000 + n / 8 * 100, 100000 + n / 8 * 100 + 40) || ' edited'
        WHEN 5 THEN NULL WHEN 6 THEN '……' ELSE words(n * 100 + 20, n * 100 + 35) END,
    1000 + n, '2031-01-01'::timestamptz + n * interval '3 hours', 's' || n % 3, n FROM generate_series(1, 200) n;
CREATE TABLE by_guard AS TABLE there;
SELECT neardup.protect('there', 'body', on_duplicate => 'mark');
ALTER TABLE by_guard ADD PRIMARY KEY (id);
SELECT neardup.protect('by_guard', 'body', on_duplicate => 'mark');

CREATE VIEW disagree AS
    SELECT 'list' AS what, coalesce(g.id, c.key::int) AS id FROM (SELECT * FROM by_guard WHERE id > 1000 AND duplicate_of IS NOT NULL) g
    FULL JOIN neardup.copies_of('there', 'fresh') c ON c.key = g.id::text WHERE g.id IS NULL OR c.key IS NULL;
INSERT INTO by_guard (id, site, at, body) SELECT id, site, at, body FROM fresh ORDER BY id;
SELECT * FROM disagree;
SELECT is_new, verdict, measure, count(*) FROM neardup.copies_of('there', 'fresh') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
DELETE FROM by_guard WHERE id > 1000;

-- by scope and time
SELECT neardup.protect(t, 'body', on_duplicate => 'mark', scope => '{site}', within => '60 hours', time_column => 'at') FROM unnest('{there,by_guard}'::regclass[]) t;
INSERT INTO by_guard (id, site, at, body) SELECT id, site, at, body FROM fresh ORDER BY at, id;
SELECT * FROM disagree;
SELECT is_new, count(*) FROM neardup.copies_of('there', 'fresh') GROUP BY 1 ORDER BY 1;
DELETE FROM by_guard WHERE id > 1000;
SELECT neardup.protect(t, 'body', on_duplicate => 'mark') FROM unnest('{there,by_guard}'::regclass[]) t;
INSERT INTO by_guard (id, site, at, body) SELECT id, site, at, body FROM fresh ORDER BY id;

-- mark, in several batches; the source is empty afterwards
CREATE TABLE once_more AS TABLE fresh;
CALL neardup.load('there', 'fresh', batch => 7);
SELECT count(*) FROM fresh;
SELECT count(*) FROM there FULL JOIN by_guard g USING (id) WHERE (there.body, there.site, there.at) IS DISTINCT FROM (g.body, g.site, g.at)
    OR (there.duplicate_of IS NULL) <> (g.duplicate_of IS NULL);
CALL neardup.load('there', 'fresh');
-- skip and divert
DELETE FROM there WHERE id > 1000;
SELECT neardup.protect('there', 'body', on_duplicate => 'skip');
INSERT INTO fresh TABLE once_more;
CALL neardup.load('there', 'fresh', batch => 50);
SELECT count(*) FILTER (WHERE id > 1000) = (SELECT count(*) FROM by_guard WHERE id > 1000 AND duplicate_of IS NULL) AS same FROM there;
DELETE FROM there WHERE id > 1000;
SELECT neardup.protect('there', 'body', on_duplicate => 'divert');
INSERT INTO fresh TABLE once_more;
CALL neardup.load('there', 'fresh', batch => 50);
SELECT count(*) FILTER (WHERE t.id IS NULL) AS lost, count(*) FILTER (WHERE d.id IS NULL) = (SELECT count(*) FROM by_guard WHERE id > 1000 AND duplicate_of IS NULL) AS same
FROM (SELECT (record ->> 'id')::int AS id FROM there_diverted) d FULL JOIN once_more USING (id) LEFT JOIN (SELECT id FROM there UNION ALL SELECT (record ->> 'id')::int FROM there_diverted) t USING (id);

-- Copies of copies: texts of which each resembles the one before it and not the one before that, and one text again and again, by itself
-- and within a time. Where copies are stored they have copies in turn; where they are not, the next but one is no copy.
CREATE TABLE links (id int, at timestamptz, body text);
INSERT INTO links SELECT n, '2031-01-01'::timestamptz + n * interval '20 hours', CASE WHEN n % 7 = 0 THEN words(1, 40)
    ELSE words(n / 7 % 3 * 1000 + n % 7 * 4, n / 7 % 3 * 1000 + n % 7 * 4 + 40) END FROM generate_series(1, 70) n;
CREATE TABLE chain_guard (id int PRIMARY KEY, at timestamptz, body text);
CREATE TABLE chain_load (LIKE chain_guard INCLUDING ALL);
CREATE PROCEDURE chained(action text, within interval, batch int, OUT marked int, OUT stored int, OUT disagree int) LANGUAGE plpgsql AS $$
DECLARE
    loaded bigint;
    copies bigint;
BEGIN
    TRUNCATE chain_guard, chain_load;
    PERFORM neardup.protect(t, 'body', on_duplicate => action, within => chained.within, time_column => CASE WHEN chained.within IS NOT NULL THEN 'at' END) FROM unnest('{chain_guard,chain_load}'::regclass[]) t;
    INSERT INTO chain_guard (id, at, body) SELECT * FROM links WHERE id <= 10 ORDER BY id;
    INSERT INTO chain_load (id, at, body) SELECT * FROM links WHERE id <= 10 ORDER BY id;
    INSERT INTO chain_guard (id, at, body) SELECT * FROM links WHERE id > 10 ORDER BY id;
    CREATE TABLE chain_source AS SELECT * FROM links WHERE id > 10;
    CALL neardup.load('chain_load', 'chain_source', batch => chained.batch, loaded => loaded, copies => copies);
    DROP TABLE chain_source;
    SELECT count(to_jsonb(l) ->> 'duplicate_of'), count(l.id), count(*) FILTER (WHERE l.id IS NULL OR g.id IS NULL OR (to_jsonb(l) ->> 'duplicate_of' IS NULL) <> (to_jsonb(g) ->> 'duplicate_of' IS NULL))
    INTO marked, stored, disagree FROM chain_guard g FULL JOIN chain_load l USING (id);
END$$;
SET client_min_messages = warning;
CALL chained('mark', NULL, 1000, NULL, NULL, NULL);
CALL chained('mark', NULL, 3, NULL, NULL, NULL);
CALL chained('mark', '30 hours', 1000, NULL, NULL, NULL);
CALL chained('mark', '150 hours', 7, NULL, NULL, NULL);
CALL chained('mark', '900 hours', 1000, NULL, NULL, NULL);
CALL chained('skip', NULL, 1000, NULL, NULL, NULL);
CALL chained('skip', '150 hours', 1000, NULL, NULL, NULL);
CALL chained('skip', '900 hours', 7, NULL, NULL, NULL);
RESET client_min_messages;

-- Within a time, each of the identical texts that are there has copies, also where the first of them is too far away. An identical text
-- that is too far from the original of the one before it is stored, and then has copies itself.
CREATE TABLE repeated (id int PRIMARY KEY, at timestamptz, body text);
INSERT INTO repeated VALUES (1, '2031-01-01', words(1, 40)), (2, '2031-01-02', words(1, 40)), (3, '2031-01-10', words(201, 240)), (4, NULL, words(401, 440));
CREATE TABLE repeated_guard (LIKE repeated INCLUDING ALL);
INSERT INTO repeated_guard TABLE repeated;
SELECT neardup.protect(t, 'body', on_duplicate => 'skip', within => '2 days', time_column => 'at') FROM unnest('{repeated,repeated_guard}'::regclass[]) t;
CREATE TABLE repeats (id int, at timestamptz, body text);
INSERT INTO repeats VALUES (11, '2031-01-03 12:00', words(1, 40)), (12, '2031-01-03 13:00', words(1, 38) || ' edited'),
    (13, '2031-01-11', words(201, 238) || ' edited'), (14, '2031-01-12 12:00', words(201, 238) || ' edited'), (15, '2031-01-13', words(201, 238) || ' edited'),
    (16, '2031-01-14', words(202, 239) || ' again'), (17, '2031-02-01', words(201, 240)), (18, '2031-03-01', words(401, 440)), (19, NULL, words(201, 240)), (20, NULL, words(501, 540));
INSERT INTO repeated_guard SELECT * FROM repeats ORDER BY at, id;
SELECT key, duplicate_of FROM neardup.copies_of('repeated', 'repeats');
CALL neardup.load('repeated', 'repeats', batch => 3);
SELECT r.id, g.id FROM repeated r FULL JOIN repeated_guard g USING (id) WHERE id > 10 ORDER BY 1, 2;

-- what INSERT ... SELECT refuses to convert: before any row is taken; and texts that are too long, whatever becomes of the row
CREATE TABLE converted (id int PRIMARY KEY, seen boolean, code varchar(5), body text);
CREATE TABLE unconverted (id bigint, seen int, code text, body text);
INSERT INTO unconverted VALUES (1, 1, 'abc', words(1, 40)), (2, 0, 'abcdefgh', words(1, 40));
SELECT neardup.protect('converted', 'body', on_duplicate => 'divert');
CALL neardup.load('converted', 'unconverted');
ALTER TABLE unconverted ALTER seen TYPE boolean USING seen = 1;
CALL neardup.load('converted', 'unconverted');
SELECT duplicate_of, record - 'body' AS record FROM converted_diverted;
TRUNCATE converted;
INSERT INTO unconverted VALUES (3, true, 'abcdefgh', words(1, 40));
CREATE ROLE regress_first;
ALTER TABLE converted OWNER TO regress_first;
ALTER TABLE unconverted OWNER TO regress_first;
SET ROLE regress_first;
CALL neardup.load('converted', 'unconverted');
RESET ROLE;
SELECT count(*) FROM converted;
SELECT id, code FROM unconverted;

-- the list of a load that has failed is another role's
CREATE ROLE regress_loader;
ALTER TABLE there OWNER TO regress_loader;
GRANT ALL ON fresh TO regress_loader;
SELECT neardup.protect('there', 'body', on_duplicate => 'skip');
SET ROLE regress_loader;
CALL neardup.load('there', 'fresh');
DISCARD TEMP;
CALL neardup.load('there', 'fresh');
RESET ROLE;
ALTER TABLE there OWNER TO CURRENT_USER;
DROP OWNED BY regress_loader, regress_first;
DROP ROLE regress_loader, regress_first;

-- rows that come after the list was made, and originals that go: the guard decides
TRUNCATE there, there_diverted;
SELECT neardup.protect('there', 'body', on_duplicate => 'skip');
INSERT INTO there VALUES (1, 'a', NULL, words(1, 40)), (2, 'a', NULL, words(200, 240)), (3, 'a', NULL, words(500, 540));
INSERT INTO fresh (id, body) VALUES (11, words(1, 38) || ' edited'), (12, words(200, 238) || ' edited'), (13, words(300, 340)), (14, words(300, 338) || ' edited'),
    (15, words(400, 440)), (16, words(600, 640)), (17, words(600, 638) || ' edited');
SELECT pg_snapshot_xmin(pg_current_snapshot())::xid AS since \gset
SELECT neardup_internal.list_load(g, 'fresh', neardup_internal.chosen(g, 'oldest', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)) FROM neardup_internal.guard_of('there') g;
DELETE FROM there WHERE id = 1;
UPDATE there SET body = words(700, 740) WHERE id = 2;
INSERT INTO there VALUES (4, 'b', NULL, words(400, 438) || ' edited'), (5, 'b', NULL, words(900, 940));
UPDATE fresh SET body = words(800, 840) WHERE id = 16;
BEGIN;
SELECT stored, copies, kept FROM neardup_internal.load_batch('there',
    (SELECT neardup_internal.load_statements(g, 'fresh') FROM neardup_internal.guard_of('there') g), 0, 100, :'since', '{}', true, 1, false);
COMMIT;
SELECT neardup_internal.is_awaited('there');
SELECT neardup_internal.leave_lock('there');
SELECT neardup_internal.keep_lock('there');
BEGIN;
LOCK TABLE there IN SHARE ROW EXCLUSIVE MODE;
SELECT neardup_internal.keep_lock('there');
COMMIT;
DO $$BEGIN LOCK TABLE there IN SHARE ROW EXCLUSIVE MODE; RAISE NOTICE '%', neardup_internal.keep_lock('there'); RAISE 'stop'; END$$;
DO $$BEGIN LOCK TABLE there IN SHARE ROW EXCLUSIVE MODE; RAISE NOTICE '%', neardup_internal.keep_lock('there'); END$$;
SELECT count(*) FROM pg_locks WHERE relation = 'there'::regclass AND mode = 'ShareRowExclusiveLock';
-- a table that is dropped during a load or a clean-up
SELECT neardup_internal.lock_briefly('4294967290', 'SHARE ROW EXCLUSIVE', 1);
SELECT neardup_internal.hold_table('there');
BEGIN;
SAVEPOINT s;
SELECT neardup_internal.hold_table('there');
ROLLBACK TO s;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 16 AND pid = pg_backend_pid();
COMMIT;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 16 AND pid = pg_backend_pid();
SELECT place, is_copy, state FROM neardup_load ORDER BY place;
SELECT id FROM there ORDER BY id;
SELECT id FROM fresh ORDER BY id;
DROP TABLE neardup_load, neardup_newer;
SET default_transaction_isolation = 'serializable';
CALL neardup.load('there', 'fresh', batch => 2);
RESET default_transaction_isolation;
SELECT id FROM there ORDER BY id;
SELECT count(*) FROM fresh;

-- a trigger keeps a row out: its copy is no copy of anything that is there
CREATE TABLE picky (id int PRIMARY KEY, body text, place int, original int, measure int, value int, k int, key int);
SELECT neardup.protect('picky', 'body', on_duplicate => 'skip');
CREATE FUNCTION keep_out() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN CASE WHEN new.place > 0 THEN new END; END$$;
CREATE TRIGGER zz_keep_out BEFORE INSERT ON picky FOR EACH ROW EXECUTE FUNCTION keep_out();
CREATE TABLE unpicked (LIKE picky);
INSERT INTO unpicked VALUES (1, words(1, 40), 0), (2, words(1, 38) || ' edited', 1), (3, words(1, 38) || ' edited', 1);
CALL neardup.load('picky', 'unpicked');
SELECT id FROM picky;
SELECT count(*) FROM unpicked;

-- what cannot be
SELECT neardup.protect('there', 'body');
CALL neardup.load('there', 'fresh');
SELECT neardup.copies_of('there', 'there');
SELECT neardup.copies_of('there', 'disagree');
CREATE TABLE other (id int, text text);
SELECT neardup.copies_of('there', 'other');
SELECT neardup.protect('by_guard', 'body', method => 'simhash');
SELECT neardup.copies_of('by_guard', 'fresh');
SELECT neardup.protect('there', 'body', on_duplicate => 'skip');
BEGIN;
CALL neardup.load('there', 'fresh');
ROLLBACK;
CREATE ROLE regress_writer;
CREATE ROLE regress_reader;
GRANT ALL ON there, fresh TO regress_writer;
GRANT SELECT ON there TO regress_reader;
SET ROLE regress_writer;
CALL neardup.load('there', 'fresh');
SELECT count(*) FROM neardup.copies_of('there', 'fresh');
SET ROLE regress_reader;
SELECT neardup_internal.keep_lock('there');
RESET ROLE;
DROP OWNED BY regress_writer, regress_reader;
DROP ROLE regress_writer, regress_reader;

-- copies that the guard itself finds are counted: rows that come while the list is made, here by a trigger on the record of progress
CREATE TABLE counted (id int PRIMARY KEY, body text);
CREATE TABLE coming (LIKE counted);
CREATE FUNCTION come_between() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM neardup.let_through('counted');
    INSERT INTO counted SELECT -id, body || ' edited' FROM coming WHERE id <= 3 AND NOT EXISTS (SELECT FROM counted);
    RETURN NULL;
END$$;
CREATE TRIGGER come_between AFTER UPDATE ON neardup.running FOR EACH ROW WHEN (old.total <> new.total AND new.target = 'counted'::regclass) EXECUTE FUNCTION come_between();
SELECT neardup.protect('counted', 'body', on_duplicate => 'skip');
INSERT INTO coming SELECT n, words(n * 100, n * 100 + 40) FROM generate_series(1, 10) n;
CALL neardup.load('counted', 'coming', batch => 4);
SELECT id FROM counted ORDER BY id;
TRUNCATE counted;
SELECT neardup.protect('counted', 'body', on_duplicate => 'mark');
INSERT INTO coming SELECT n, words(n * 100, n * 100 + 40) FROM generate_series(1, 10) n;
CALL neardup.load('counted', 'coming', throttle => '1 ms');
SELECT id, duplicate_of FROM counted ORDER BY id;
DROP TRIGGER come_between ON neardup.running;
-- so is an original that leaves the scope
CREATE TABLE scoped (id int PRIMARY KEY, site text, at date, body text);
CREATE TABLE for_scoped (LIKE scoped);
SELECT neardup.protect('scoped', 'body', on_duplicate => 'skip', scope => '{site}', within => '3 days', time_column => 'at');
INSERT INTO scoped SELECT n, 'a', '2031-01-01', words(n * 100, n * 100 + 40) FROM generate_series(1, 4) n;
INSERT INTO for_scoped SELECT id + 10, site, at, CASE id WHEN 3 THEN body ELSE body || ' edited' END FROM scoped;
CREATE FUNCTION move_away() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE scoped SET site = CASE id WHEN 1 THEN 'b' ELSE site END, at = CASE id WHEN 2 THEN '2032-01-01' ELSE at END;
    RETURN NULL;
END$$;
CREATE TRIGGER move_away AFTER UPDATE ON neardup.running FOR EACH ROW WHEN (old.total <> new.total AND new.target = 'scoped'::regclass) EXECUTE FUNCTION move_away();
CALL neardup.load('scoped', 'for_scoped');
SELECT id FROM scoped ORDER BY id;
DROP TRIGGER move_away ON neardup.running;

-- keys that are generated always come along, as do texts of another collation
CREATE TABLE identified (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, site text COLLATE "C", body text COLLATE "C");
SELECT neardup.protect('identified', 'body', on_duplicate => 'skip', scope => '{site}');
CREATE TABLE unidentified (id bigint, site text COLLATE "POSIX", body varchar COLLATE "POSIX");
INSERT INTO identified (site, body) VALUES ('a', words(1, 40));
INSERT INTO unidentified VALUES (7, 'a', words(1, 38) || ' edited'), (9, 'b', words(1, 38) || ' edited');
CALL neardup.load('identified', 'unidentified');
SELECT id, site FROM identified ORDER BY id;
ALTER TABLE unidentified DROP id;
INSERT INTO unidentified VALUES ('c', words(1, 40));
CALL neardup.load('identified', 'unidentified');
SELECT id, site FROM identified ORDER BY id;

-- Templates whose rows differ in a number, as rows of their own, edited and identical copies. Where no key has more rows than a guard
-- compares (templates 1 to 6) the same rows are copies. Beyond that a guard lets in what a load finds, seldom the other way round, and no
-- text that is there gets in once more.
CREATE FUNCTION form(template int, n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT words(template * 1000, template * 1000 + 30) || ' on day ' || n || ' in ward ' || n * 7 || ' ' || words(template * 1000 + 500, template * 1000 + 500 + template * 10)
$$;
CREATE FUNCTION rows_of(template int) RETURNS int LANGUAGE sql IMMUTABLE RETURN CASE WHEN template < 7 THEN template * 5 ELSE (template - 6) * 700 END;
CREATE TABLE forms (id int PRIMARY KEY, body text);
INSERT INTO forms SELECT t * 10000 + n, form(t, n) FROM generate_series(1, 9) t, generate_series(1, rows_of(t)) n;
CREATE TABLE new_forms (id int, body text);
INSERT INTO new_forms SELECT t * 10000 + 5000 + n, CASE n % 5 WHEN 0 THEN form(t, n) WHEN 1 THEN form(t, n) || '!' WHEN 2 THEN 'Yesterday: ' || form(t, n)
        WHEN 3 THEN form(t, n + 3000) ELSE form(t, n + 3000 - 1) || ' again' END
    FROM generate_series(1, 9) t, generate_series(1, CASE WHEN t < 7 THEN 30 ELSE 300 END) n;
CREATE TABLE forms_by_guard AS TABLE forms;
ALTER TABLE forms_by_guard ADD PRIMARY KEY (id);
SELECT neardup.protect(t, 'body', on_duplicate => 'skip') FROM unnest('{forms,forms_by_guard}'::regclass[]) t;
INSERT INTO forms_by_guard SELECT * FROM new_forms ORDER BY id;
-- progress is told after three seconds
SET client_min_messages = warning;
CALL neardup.load('forms', 'new_forms', batch => 700);
RESET client_min_messages;
SELECT count(*) AS same FROM forms JOIN forms_by_guard USING (id, body) WHERE id < 70000 AND id % 10000 > 5000;
SELECT coalesce(f.id, g.id) AS differs FROM forms f FULL JOIN forms_by_guard g USING (id) WHERE coalesce(f.id, g.id) < 70000 AND (f.id IS NULL OR g.id IS NULL);
SELECT count(*) FILTER (WHERE g.id IS NULL) <= 0.03 * 900 AS guard_refuses_few_more, count(*) = count(DISTINCT body) AS no_text_twice
    FROM forms f LEFT JOIN forms_by_guard g USING (id, body) WHERE id > 70000;

-- a partitioned table, and a document of columns by a function
CREATE TABLE parts (id int, day date, title text, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
CREATE FUNCTION said(parts) RETURNS text LANGUAGE sql IMMUTABLE RETURN $1.title || ': ' || $1.body;
SELECT neardup.protect('parts', 'body', columns => '{body,title}', expression => 'said', on_duplicate => 'skip');
INSERT INTO parts SELECT n, '2031-01-05', 't', words(n * 100, n * 100 + 40) FROM generate_series(1, 50) n;
CREATE TABLE more (id int, day date, title text, body text);
INSERT INTO more SELECT 100 + n, '2031-02-05', 't', words(n * 100, n * 100 + 38) || CASE WHEN n % 2 = 0 THEN ' edited' ELSE words(n * 1000, n * 1000 + 90) END FROM generate_series(1, 50) n;
SELECT count(*), bool_and(key ~ '^1[0-9]+, 2031-02-05$' AND duplicate_of ~ ', 2031-01-05$') FROM neardup.copies_of('parts', 'more');
CALL neardup.load('parts', 'more');
SELECT tableoid::regclass, count(*) FROM parts GROUP BY 1 ORDER BY 1;
-- its own rows are no new ones
CALL neardup.load('parts', 'parts_1');
