-- Types of keys and documents in lists and clean-ups.

CREATE DOMAIN careful AS text COLLATE "POSIX" CHECK (current_user <> 'regress_lister');
CREATE DOMAIN present AS text NOT NULL;
CREATE TABLE typed (id careful COLLATE "C" PRIMARY KEY, body text COLLATE "C", extra present);
INSERT INTO typed VALUES
    ('a', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。', 'x'),
    ('b', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学！', 'y');
DO $$ BEGIN PERFORM neardup.protect('typed', 'body', on_duplicate => 'warn'); END $$;

-- A key of a domain with a collation of its own, and a column with yet another.
CALL neardup.cleanup('typed', dry_run => false);
CALL neardup.restore('typed', 1, answer => false);
SELECT count(*) FROM typed;

-- New rows need not have a column that may not be NULL.
CREATE TABLE typed_new (id text, body text);
INSERT INTO typed_new SELECT 'n', body FROM typed WHERE id = 'a';
SELECT key, duplicate_of FROM neardup.copies_of('typed', 'typed_new');

-- No CHECK runs for whoever lists, whether or not that role may read all columns.
CREATE ROLE regress_lister;
GRANT SELECT ON typed_new TO regress_lister;
GRANT SELECT (id, body) ON typed TO regress_lister;
SET ROLE regress_lister;
SELECT key, duplicate_of FROM neardup.duplicates('typed');
RESET ROLE;
GRANT SELECT ON typed TO regress_lister;
SET ROLE regress_lister;
SELECT key, duplicate_of FROM neardup.duplicates('typed');
SELECT key, duplicate_of FROM neardup.copies_of('typed', 'typed_new');
SELECT neardup.report_html('typed') LIKE '%<html%' AS is_report;
RESET ROLE;

-- Any role may pass arguments of its own making; the expression of a document always comes from the guard.
SELECT key FROM neardup_internal.copies(jsonb_build_object('target', 'typed'::regclass::oid::bigint));
SELECT key FROM neardup_internal.copies(jsonb_build_object('target', 'typed'::regclass::oid::bigint, 'expression', 'public.name_of'));
SELECT key FROM neardup_internal.copies(jsonb_build_object('target', 'typed'));

DROP TABLE typed, typed_removed, typed_new CASCADE;
DROP DOMAIN careful, present;
DROP OWNED BY regress_lister;
DROP ROLE regress_lister;
