\set SHOW_CONTEXT never
-- the archive: the text of a row brings back every value
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
    IF NEW.removed >= 4 AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'held'::regclass AND attname = 'later') THEN
        ALTER TABLE held ADD COLUMN later text DEFAULT 'later, "on"';
        ALTER TABLE before ADD COLUMN later text DEFAULT 'later, "on"';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER add_column AFTER UPDATE ON neardup.runs FOR EACH ROW EXECUTE FUNCTION add_column();
CALL neardup.cleanup('held', dry_run => false, batch => 2);
DROP TRIGGER add_column ON neardup.runs;
SELECT id FROM held ORDER BY id;
SET datestyle = 'ISO, YMD';
SET intervalstyle = 'postgres';
SET timezone = 'UTC';
SELECT r.batch, count(*), array_length(r.columns, 1) AS columns,
    bool_and(r.record = CASE WHEN r.columns IS NULL THEN replace((was.*)::text, ',"later, ""on""")', ')') ELSE (was.*)::text END) AS same
FROM neardup.removed r JOIN before was ON was.id = r.key::int GROUP BY r.batch, r.columns ORDER BY r.batch;
SELECT array_length(columns, 1) FROM neardup.runs;
SET datestyle = 'German, DMY';
SET timezone = 'Asia/Shanghai';
CALL neardup.restore(1);
SELECT (SELECT count(*) FROM held) AS rows, (SELECT count(*) FROM (SELECT (was.*)::text FROM before was EXCEPT ALL SELECT (now.*)::text FROM held now) d) AS lost;
RESET datestyle;
RESET intervalstyle;
RESET timezone;

-- columns that were renamed since, or that nobody knows any more
CALL neardup.cleanup('held', dry_run => false);
ALTER TABLE held RENAME COLUMN v TO w;
CALL neardup.restore(2);
ALTER TABLE held RENAME COLUMN w TO v;
UPDATE neardup.runs SET columns = NULL WHERE run_id = 2;
CALL neardup.restore(2);

-- a text that has changed since the list was made stays: cleanup_race; the hash tells any two apart
SELECT count(DISTINCT neardup_internal.text_hash(s)) FROM (SELECT repeat('a', i) AS s FROM generate_series(0, 3000) i) t;
SELECT neardup_internal.text_hash(repeat('一, "二" ', 2000)) = neardup_internal.text_hash(body) AS same, neardup_internal.text_hash(NULL) IS NULL AS null FROM kinds WHERE id = 5;
DROP TABLE held, before, kinds;
