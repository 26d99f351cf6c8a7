\set SHOW_CONTEXT never
-- the table of removed rows brings back every value
CREATE TYPE mood AS ENUM ('calm', 'a, b');
CREATE TYPE inner_row AS (a text, b int, c text[]);
CREATE DOMAIN short_text AS varchar(20) CHECK (value <> 'no');
CREATE DOMAIN positive AS numeric CHECK (value > 0);
CREATE TABLE kinds (
    id int PRIMARY KEY, gone text, body text, v varchar(30), c char(12), n name, q "char", s short_text, p positive, b bytea, f float8,
    r real, m money, ts timestamptz, d date, i interval, e mood, ro inner_row, ra inner_row[], a text[], j jsonb, u uuid, bi bit(5),
    rg int4range, ip inet, pt point, tsv tsvector, bool boolean, made int GENERATED ALWAYS AS (id * 2) STORED, alone inner_row, last text
);
INSERT INTO kinds VALUES
(1, 'gone', 'plain'),
(2, NULL, ''),
(3, 'x', '(a)'),
(4, 'y', E'近似、重复\u3000文本');
INSERT INTO kinds VALUES (6, 'y', 'a,b', '', '', '', '', '', 1.50, '', 'NaN', '-0', 12.5, '2026-03-01 12:00+03', 'infinity', '1 mon -3 days 04:05:06.7',
    'a, b', '("x ""y""",,"{a,NULL,""b c""}")', ARRAY['(,,)', '("\\",2,)', NULL]::inner_row[], '{}', '{"a": "\" \\ ,()"}',
    '00000000-0000-0000-0000-000000000001', '10101', '(1,5]', '10.0.0.1/8', '(1,-2)', 'a:1 ''b c'':2A', true, DEFAULT, NULL, '');
INSERT INTO kinds VALUES (7, 'x', E'"', E'"', E' x ', 'a b', ',', E'\\', 2, E'\\x00ff5c22', 1e300, 1.1, 0, '-infinity', '0044-03-15 BC', '-00:00:01',
    'calm', ROW(E'\\"', NULL, NULL), NULL, ARRAY['', NULL, 'NULL', E'"\\'], '[]', NULL, '00000', 'empty', '::1', NULL, '', false, DEFAULT,
    ROW(NULL, NULL, NULL), ' ');
INSERT INTO kinds (id, body, v, c, n, s, last) VALUES (8, E'\u00a0\u0085', E'tab\tnew\nline', E'\r', E'\x0b', E'a\\b"c', E'\x0c');
-- compressed, and out of line
INSERT INTO kinds (id, gone, body, b, ro, last) SELECT 5, 'z', repeat('一, "二" ', 2000), decode(repeat('5c22', 3000), 'hex'),
    CAST(ROW(repeat('long\', 3000), 1, NULL) AS inner_row), string_agg(md5(i::text), '"') FROM generate_series(1, 1000) i;
ALTER TABLE kinds DROP COLUMN gone;
ALTER TABLE kinds ADD COLUMN added text DEFAULT 'as "added"';

-- taken into the archive and back; a column comes between two batches
CREATE TABLE held (LIKE kinds INCLUDING ALL);
DO $$
DECLARE
    names text := (SELECT string_agg('%s' || quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = 'kinds'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('id', 'body', 'made'));
BEGIN
    EXECUTE format('INSERT INTO held (id, body, %s) SELECT k.id + g.place * 10, CASE k.id WHEN 4 THEN ''西山隧道提前两个月贯通，预计明年春天通车。''
        ELSE ''江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。'' END, %s FROM kinds k, generate_series(0, 1) g(place)',
        replace(names, '%s', ''), replace(names, '%s', 'k.'));
END
$$;
SELECT neardup.protect('held', 'body');
CREATE TABLE before AS TABLE held;
CREATE FUNCTION add_column() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.removed >= 4 AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'public.held'::regclass AND attname = 'later') THEN
        ALTER TABLE public.held ADD COLUMN later text;
        ALTER TABLE public.before ADD COLUMN later text;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER add_column AFTER UPDATE ON neardup_internal.runs FOR EACH ROW EXECUTE FUNCTION add_column();
CALL neardup.cleanup('held', dry_run => false, batch => 2);
DROP TRIGGER add_column ON neardup_internal.runs;
SELECT id FROM held ORDER BY id;
SELECT neardup_batch, count(*) FROM held_removed GROUP BY neardup_batch ORDER BY neardup_batch;
SELECT count(*) AS columns FROM information_schema.columns WHERE table_name = 'held_removed' AND column_name = 'later';
SET datestyle = 'German, DMY';
SET timezone = 'Asia/Shanghai';
CALL neardup.restore('held', 1, answer => false);
SELECT (SELECT count(*) FROM held) AS rows, (SELECT count(*) FROM (SELECT (was.*)::text FROM before was EXCEPT ALL SELECT (now.*)::text FROM held now) d) AS lost;
RESET datestyle;
RESET intervalstyle;
RESET timezone;

-- columns that were renamed or dropped since, or that have another type
CALL neardup.cleanup('held', dry_run => false);
ALTER TABLE held RENAME COLUMN v TO w;
CALL neardup.restore('held', 2, answer => false);
ALTER TABLE held_removed RENAME COLUMN v TO w;
ALTER TABLE held ALTER COLUMN f TYPE numeric;
CALL neardup.restore('held', 2, answer => false);
CALL neardup.cleanup('held', dry_run => false);
ALTER TABLE held_removed ALTER COLUMN f TYPE numeric;
ALTER TABLE held DROP COLUMN j;
CALL neardup.restore('held', 2, answer => false);
ALTER TABLE held_removed DROP COLUMN j;
CALL neardup.restore('held', 2, answer => false);
SELECT count(*) FROM held;

-- a name that is taken, another owner, a long name, a name that is none
CREATE TABLE taken (id int PRIMARY KEY, body text);
SELECT neardup.protect('taken', 'body');
CREATE TABLE taken_removed (id int);
CALL neardup.cleanup('taken', dry_run => false);
DROP TABLE taken_removed;
-- nor is one that has only some of the columns, or columns of other types
CREATE TABLE taken_removed (neardup_run bigint);
SELECT neardup.keep_removed('taken');
CALL neardup.purge('taken', '0 days');
DROP TABLE taken_removed;
CREATE TABLE taken_removed AS SELECT '1'::text AS neardup_run, 1 AS neardup_batch, now() AS neardup_at, ''::text AS neardup_by, ''::text AS neardup_key, ''::text AS neardup_duplicate_of, ''::text AS neardup_verdict, ''::text AS neardup_measure, 1::float8 AS neardup_value;
CALL neardup.cleanup('taken', dry_run => false);
CALL neardup.restore('taken', 1);
-- a table of removed rows has none itself
SELECT neardup.keep_removed('taken_removed');
DROP TABLE taken_removed;
SELECT neardup.keep_removed('taken');
CREATE ROLE regress_other;
ALTER TABLE taken_removed OWNER TO regress_other;
CALL neardup.cleanup('taken', dry_run => false);
DROP TABLE taken, taken_removed;
DROP ROLE regress_other;
CREATE TABLE "a name of sixty bytes, which is the longest that one can have." (id int PRIMARY KEY);
SELECT neardup.keep_removed('"a name of sixty bytes, which is the longest that one can have."');
SELECT neardup.keep_removed(NULL) IS NULL AS is_null;

-- default privileges of the schema give nobody the removed rows
CREATE ROLE regress_reader;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO regress_reader, public;
CREATE TABLE hidden (id int PRIMARY KEY, body text);
SELECT has_table_privilege('regress_reader', 'hidden', 'SELECT') AS may_read, has_table_privilege('regress_reader', neardup.keep_removed('hidden'), 'SELECT') AS may_read_removed;
ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM regress_reader, public;
DROP TABLE hidden, hidden_removed;
DROP ROLE regress_reader;

-- rows that a trigger or a constraint does not let back in stay where they are, and a single row comes back by its key
CREATE TABLE doors (id int PRIMARY KEY, body text, code int UNIQUE);
SELECT neardup.protect('doors', 'body', on_duplicate => 'warn');
SET client_min_messages = error;
INSERT INTO doors SELECT i, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。', i FROM generate_series(1, 5) i;
RESET client_min_messages;
CALL neardup.cleanup('doors', dry_run => false);
INSERT INTO doors VALUES (10, 'x', 2);
CREATE FUNCTION not_three() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE NEW.id WHEN 3 THEN NULL ELSE NEW END; END $$;
CREATE TRIGGER not_three BEFORE INSERT ON doors FOR EACH ROW EXECUTE FUNCTION not_three();
CALL neardup.restore('doors', key => '4', answer => false);
SELECT id FROM doors ORDER BY id;
CALL neardup.restore('doors', 1, answer => false);
SELECT id FROM doors ORDER BY id;
SELECT id, neardup_duplicate_of FROM doors_removed ORDER BY id;
DROP TRIGGER not_three ON doors;
DELETE FROM doors WHERE id = 10;
CALL neardup.restore('doors', 1, answer => false);
SELECT count(*) FROM doors_removed;
SELECT found, removed, restored FROM neardup.runs WHERE target = 'doors'::regclass;

-- more copies than expected: nothing, or the surest
INSERT INTO doors VALUES (6, '【快讯】江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学', 6);
CALL neardup.cleanup('doors', max_rows => 2);
CALL neardup.cleanup('doors', dry_run => false, max_rows => 2);
CALL neardup.cleanup('doors', dry_run => false, max_rows => 4, on_more => 'surest');
SELECT id FROM doors ORDER BY id;
CALL neardup.cleanup('doors', dry_run => false, max_rows => 4);
CALL neardup.cleanup('doors', max_rows => -1);
CALL neardup.cleanup('doors', on_more => 'cry');
SELECT run_id, found, removed, finished IS NOT NULL AS finished FROM neardup.runs WHERE target = 'doors'::regclass ORDER BY run_id;

-- the run after a lost log goes on counting, and what is kept is there
DELETE FROM neardup_internal.runs;
CALL neardup.restore('doors', 3, '2', answer => false);
INSERT INTO doors SELECT 7, body, 7 FROM doors WHERE id = 2;
CALL neardup.cleanup('doors', dry_run => false);
DROP TABLE doors, doors_removed;

-- a row that has taken the key of a removed one is not answered about when that one stays where it is kept
CREATE TABLE keys_taken (id int PRIMARY KEY, body text);
SELECT neardup.protect('keys_taken', 'body', on_duplicate => 'skip');
SELECT neardup.let_through('keys_taken', false)\; INSERT INTO keys_taken SELECT i, 'The ferry at the old customs house leaves every ten minutes until the harbour bridge opens again in spring.' FROM generate_series(1, 3) i;
CALL neardup.cleanup('keys_taken', dry_run => false);
INSERT INTO keys_taken VALUES (2, 'Apples ripened early in the valley this year; growers queue at the cooperative before dawn.');
CALL neardup.restore('keys_taken', 1);
SELECT key, other, act FROM neardup.answers('keys_taken');
CALL neardup.restore('keys_taken', 1);
DROP TABLE keys_taken, keys_taken_removed, keys_taken_answers;

-- a text that has changed since the list was made stays: cleanup_race; the hash tells any two apart
SELECT count(DISTINCT neardup_internal.text_hash(s)) FROM (SELECT repeat('a', i) AS s FROM generate_series(0, 3000) i) t;
SELECT neardup_internal.text_hash(repeat('一, "二" ', 2000)) = neardup_internal.text_hash(body) AS same, neardup_internal.text_hash(NULL) IS NULL AS null FROM kinds WHERE id = 5;
DROP TABLE held, held_removed, before, kinds;
