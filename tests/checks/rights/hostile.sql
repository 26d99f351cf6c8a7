-- A role that shadows every name on its path and in pg_temp, and all that it then does.

-- ## keeper
-- Guarded tables with all that a guard can do, on which mallory may write; and things that are none of her business.
CREATE SEQUENCE alarm;
CREATE SEQUENCE sprung;
GRANT USAGE, SELECT ON SEQUENCE alarm, sprung TO public;
GRANT CREATE ON SCHEMA public TO keeper;
GRANT CREATE ON DATABASE rights TO mallory;
CREATE SCHEMA private AUTHORIZATION keeper;
SET ROLE keeper;
CREATE TABLE public.diverts (id int PRIMARY KEY, body text);
CREATE TABLE public.logs (id int PRIMARY KEY, body text, source text, day date);
CREATE TABLE public.marks (id int PRIMARY KEY, body varchar, source varchar);
CREATE TABLE public.made (id int PRIMARY KEY, title text, body text);
CREATE TABLE public.parted (id int, day date, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE public.parted_1 PARTITION OF public.parted FOR VALUES FROM ('2031-01-01') TO ('2031-02-01');
CREATE TABLE public.parted_2 PARTITION OF public.parted FOR VALUES FROM ('2031-02-01') TO ('2031-03-01');
-- Written carelessly: types and operators are found by whatever search path is in force.
CREATE FUNCTION public.made_text(public.made) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ DECLARE t text := $1.title; n name := 'x'; o oid := 1; BEGIN RETURN t || $1.body; END $$;
CREATE FUNCTION private.made_text(public.made) RETURNS text LANGUAGE sql IMMUTABLE SECURITY DEFINER AS 'SELECT current_user::text';
REVOKE EXECUTE ON FUNCTION private.made_text FROM public;
CREATE TABLE private.letters (diverted_at timestamptz DEFAULT now(), document name, record jsonb, duplicate_of text, measure text, value float8, role name);
CREATE SEQUENCE private.number;
SELECT neardup.protect('public.diverts', 'body', on_duplicate => 'divert', log => true),
       neardup.protect('public.logs', 'body', on_duplicate => 'skip', log => true, scope => '{source}', time_column => 'day', within => '3 days'),
       neardup.protect('public.marks', 'body', on_duplicate => 'mark', log => true, verify => 'overlap', threshold => 0.5),
       neardup.protect('public.made', 'body', columns => '{body,title}', expression => 'public.made_text', on_duplicate => 'divert', log => true),
       neardup.protect('public.parted', 'body', on_duplicate => 'skip', method => 'simhash', log => true);
SELECT neardup.create_profile('keepers', words => '{lamp}');
-- The control: what keeper should not have written springs the trap as him.
CREATE FUNCTION public.careless(int) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$ DECLARE o oid := $1; BEGIN RETURN o; END $$;
GRANT SELECT, INSERT, UPDATE, DELETE, TRIGGER, REFERENCES ON public.diverts, public.logs, public.marks, public.made, public.parted, public.parted_1, public.parted_2 TO mallory;
RESET ROLE;
-- What is none of her business.
CREATE VIEW things AS
SELECT (SELECT count(*) FROM pg_class WHERE relowner = to_regrole('keeper')) AS tables, (SELECT count(*) FROM pg_proc WHERE proowner = to_regrole('keeper')) AS functions,
    (SELECT count(*) FROM private.letters) AS letters, (SELECT is_called FROM private.number) AS is_called,
    (SELECT count(*) FROM pg_roles WHERE rolsuper OR rolcreaterole) AS powers, (SELECT count(*) FROM pg_auth_members) AS members, (SELECT body FROM canary) AS canary;

-- ## mallory
-- Traps where a name might be looked up, before and behind pg_catalog. They note that they were sprung, and as whom.
SET SESSION AUTHORIZATION mallory;
SET client_min_messages = error;
CREATE SCHEMA mallorys;
CREATE FUNCTION mallorys.spring() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_catalog.nextval('public.sprung'::pg_catalog.regclass);
    IF current_user OPERATOR(pg_catalog.<>) 'mallory' THEN
        PERFORM pg_catalog.nextval('public.alarm'::pg_catalog.regclass);
    END IF;
    RETURN true;
END $$;
-- types: domains that spring at each value
DO $do$ DECLARE t pg_catalog.text; s pg_catalog.text; BEGIN
    FOREACH s IN ARRAY ARRAY['pg_temp', 'mallorys'] LOOP
        FOREACH t IN ARRAY ARRAY['oid', 'text', 'name', 'int4', 'int8', 'int2', 'float8', 'bool', 'bytea', 'jsonb', 'json', 'date', 'timestamptz', 'timestamp', 'interval', 'regclass', 'regproc', 'regtype',
                                 'regprocedure', 'regrole', 'varchar', 'bpchar', 'tid', 'numeric', 'tsvector', 'simhash', 'minhash', 'tokenset', 'hamming_ball', 'protected', 'choice', 'facts'] LOOP
            BEGIN
                EXECUTE pg_catalog.format('CREATE DOMAIN %I.%I AS %s CHECK (mallorys.spring())', s, t,
                    CASE WHEN t IN ('simhash', 'minhash', 'tokenset', 'hamming_ball') THEN 'public.' || t WHEN t IN ('protected', 'choice', 'facts') THEN 'pg_catalog.text' ELSE 'pg_catalog.' || t END);
            EXCEPTION WHEN OTHERS THEN NULL;
            END;
        END LOOP;
    END LOOP;
END $do$;
-- casts to and from a type of hers
CREATE TYPE mallorys.thing AS (v pg_catalog.text);
CREATE FUNCTION mallorys.to_text(mallorys.thing) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT mallorys.spring()::pg_catalog.text';
CREATE FUNCTION mallorys.from_text(pg_catalog.text) RETURNS mallorys.thing LANGUAGE sql AS 'SELECT ROW(mallorys.spring())::mallorys.thing';
CREATE FUNCTION mallorys.to_jsonb_of(mallorys.thing) RETURNS pg_catalog.jsonb LANGUAGE sql AS 'SELECT pg_catalog.to_jsonb(mallorys.spring())';
CREATE CAST (mallorys.thing AS pg_catalog.text) WITH FUNCTION mallorys.to_text AS IMPLICIT;
CREATE CAST (pg_catalog.text AS mallorys.thing) WITH FUNCTION mallorys.from_text AS IMPLICIT;
CREATE CAST (mallorys.thing AS pg_catalog.jsonb) WITH FUNCTION mallorys.to_jsonb_of AS ASSIGNMENT;
-- functions and operators that fit closer than Postgres's own
DO $do$ DECLARE f record; o pg_catalog.text; l pg_catalog.regtype; r pg_catalog.regtype; BEGIN
    FOR f IN SELECT DISTINCT p.proname, t.type, p.pronargs FROM pg_catalog.pg_proc p, pg_catalog.unnest('{pg_catalog.name,pg_catalog.varchar,pg_catalog.text,pg_catalog.regclass,mallorys.thing}'::pg_catalog.regtype[]) t(type)
             WHERE p.proname IN ('format', 'to_jsonb', 'quote_ident', 'quote_literal', 'concat_ws', 'md5', 'left', 'right', 'regexp_replace', 'octet_length', 'now', 'clock_timestamp', 'to_regclass', 'pg_has_role', 'count', 'coalesce',
                                 'string_agg', 'array_agg', 'unnest', 'cardinality', 'spi', 'nextval', 'lower', 'document', 'sketch', 'simhash', 'guard_settings', 'row_stored', 'guard_counter', 'key_columns', 'current_setting', 'set_config')
                   AND p.prokind = 'f' AND p.pronargs BETWEEN 1 AND 3 LOOP
        BEGIN
            EXECUTE pg_catalog.format('CREATE FUNCTION mallorys.%I(%s) RETURNS pg_catalog.text LANGUAGE sql AS ''SELECT mallorys.spring()::pg_catalog.text''', f.proname,
                (SELECT pg_catalog.string_agg(f.type::pg_catalog.text, ', ') FROM pg_catalog.generate_series(1, f.pronargs)));
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
    END LOOP;
    FOREACH o IN ARRAY ARRAY['=', '<>', '<', '>', '<=', '>=', '||', '->', '->>', '~', '+', '-', '*', '/', '&&', '@>'] LOOP
        FOR l, r IN SELECT a, b FROM pg_catalog.unnest('{pg_catalog.oid,pg_catalog.regclass,pg_catalog.name,pg_catalog.text,pg_catalog.varchar,pg_catalog.int4,pg_catalog.int8,pg_catalog.jsonb,pg_catalog.float8,pg_catalog.date}'::pg_catalog.regtype[]) a,
                                          pg_catalog.unnest('{pg_catalog.oid,pg_catalog.regclass,pg_catalog.name,pg_catalog.text,pg_catalog.varchar,pg_catalog.int4,pg_catalog.int8,pg_catalog.jsonb,pg_catalog.float8,pg_catalog.date}'::pg_catalog.regtype[]) b LOOP
            BEGIN
                EXECUTE pg_catalog.format('CREATE FUNCTION mallorys.%I(a %s, b %s) RETURNS pg_catalog.bool LANGUAGE sql AS ''SELECT mallorys.spring()''', 'op_' || o, l, r);
                EXECUTE pg_catalog.format('CREATE OPERATOR mallorys.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = mallorys.%I)', o, l, r, 'op_' || o);
            EXCEPTION WHEN OTHERS THEN NULL;
            END;
        END LOOP;
    END LOOP;
END $do$;
-- tables, as views that spring, before pg_catalog and neardup
DO $do$ DECLARE t pg_catalog.text; BEGIN
    FOREACH t IN ARRAY ARRAY['pg_class', 'pg_attribute', 'pg_trigger', 'pg_index', 'pg_proc', 'pg_namespace', 'pg_type', 'pg_constraint', 'pg_depend', 'pg_inherits', 'pg_partitioned_table', 'pg_roles', 'pg_sequence'] LOOP
        EXECUTE pg_catalog.format('CREATE TEMP VIEW %I AS SELECT * FROM pg_catalog.%I WHERE mallorys.spring()', t, t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['protected', 'verdicts', 'counters', 'runs', 'skipped', 'profile_versions', 'profiles', 'progress'] LOOP
        EXECUTE pg_catalog.format('CREATE TEMP VIEW %I AS SELECT * FROM neardup.%I WHERE mallorys.spring()', t, t);
    END LOOP;
END $do$;
SET search_path = pg_temp, mallorys, pg_catalog, public;
-- tables of her own, guarded by hand with settings of all kinds; what she names there is used as herself
CREATE FUNCTION mallorys.guard_by_hand(settings pg_catalog.text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$ BEGIN
    DROP TABLE IF EXISTS mallorys.own CASCADE;
    CREATE TABLE mallorys.own (id int PRIMARY KEY, body text, source mallorys.thing);
    CREATE INDEX ON mallorys.own USING neardup (public.sketch(body));
    CREATE INDEX ON mallorys.own USING gin (public.simhash(body, 'chars:3'));
    EXECUTE format('CREATE TRIGGER zz_neardup_body BEFORE INSERT OR UPDATE OF body ON mallorys.own FOR EACH ROW EXECUTE FUNCTION neardup.guard(%L)', settings);
    EXECUTE 'CREATE TRIGGER zzz BEFORE INSERT ON mallorys.own FOR EACH ROW WHEN (mallorys.spring()) EXECUTE FUNCTION suppress_redundant_updates_trigger()';
    DROP TRIGGER zzz ON mallorys.own;
EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM;
END $$;
CREATE FUNCTION mallorys.text_of_made(public.made) RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE AS 'SELECT mallorys.spring()::pg_catalog.text';
CREATE FUNCTION mallorys.text_of_diverts(public.diverts) RETURNS pg_catalog.text LANGUAGE plpgsql AS $$ BEGIN PERFORM mallorys.spring(); RETURN $1.body; END $$;

-- ## work
-- A statement a line.
SELECT 1::oid, 'x'::text, count(*) FROM pg_class
INSERT INTO public.diverts SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' FROM generate_series(1, 3) i
INSERT INTO public.logs SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.', 's', '2031-01-02' FROM generate_series(1, 3) i
INSERT INTO public.marks SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.', 's' FROM generate_series(1, 3) i
INSERT INTO public.made SELECT i, 'A title', 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' FROM generate_series(1, 3) i
INSERT INTO public.parted SELECT i, '2031-01-02', 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' FROM generate_series(1, 3) i
INSERT INTO public.parted_2 SELECT i, '2031-02-02', 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' FROM generate_series(4, 5) i
UPDATE public.parted SET day = '2031-02-03'
UPDATE public.diverts SET body = body || ' And on Sunday, too.'
UPDATE public.made SET title = title || '!'
DELETE FROM public.parted
COPY public.diverts FROM PROGRAM 'true'
MERGE INTO public.diverts d USING (VALUES (1, 'x')) v(id, body) ON d.id = v.id WHEN MATCHED THEN UPDATE SET body = v.body
INSERT INTO public.diverts VALUES (1, 'The harbour bridge') ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body || ' stays closed until Monday, the city said on Friday, and ferries run.'
CREATE TRIGGER aa_mine BEFORE INSERT OR UPDATE OF body ON public.diverts FOR EACH ROW EXECUTE FUNCTION neardup.guard('{"keys":10,"on_duplicate":"skip","analyzer":"shingles:5","expression":["mallorys","text_of_diverts"]}')
CREATE TRIGGER aa_mine BEFORE INSERT OR UPDATE OF body ON public.made FOR EACH ROW EXECUTE FUNCTION neardup.guard('{"keys":10,"on_duplicate":"divert","divert":["private","letters"],"counter":["private","number"],"analyzer":"shingles:5","expression":["mallorys","text_of_made"]}')
CREATE TRIGGER aa_more BEFORE INSERT OR UPDATE OF body ON public.logs FOR EACH ROW EXECUTE FUNCTION neardup.guard('{"keys":10,"on_duplicate":"skip","counter":["private","number"],"analyzer":"shingles:5"}')
INSERT INTO public.diverts VALUES (10, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.')
INSERT INTO public.made VALUES (10, 'A title', 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.')
INSERT INTO public.logs VALUES (10, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.', 's', '2031-01-02')
SELECT mallorys.guard_by_hand('{"keys":10,"on_duplicate":"skip","analyzer":"shingles:5","log":true}')
INSERT INTO mallorys.own SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.', ROW('x')::mallorys.thing FROM generate_series(1, 3) i
SELECT mallorys.guard_by_hand('{"keys":10,"on_duplicate":"skip","analyzer":"shingles:5","counter":["private","number"]}')
INSERT INTO mallorys.own SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' FROM generate_series(1, 3) i
SELECT mallorys.guard_by_hand('{"keys":10,"on_duplicate":"divert","analyzer":"shingles:5","divert":["private","letters"]}')
INSERT INTO mallorys.own SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.', ROW('x')::mallorys.thing FROM generate_series(1, 3) i
SELECT mallorys.guard_by_hand('{"keys":10,"on_duplicate":"divert","analyzer":"shingles:5","divert":["neardup","verdicts"]}')
INSERT INTO mallorys.own SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' FROM generate_series(1, 3) i
SELECT mallorys.guard_by_hand('{"keys":10,"on_duplicate":"skip","analyzer":"shingles:5","verify":"profile:keepers"}')
INSERT INTO mallorys.own SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' || i FROM generate_series(1, 3) i
SELECT mallorys.guard_by_hand('{"keys":10,"on_duplicate":"skip","analyzer":"profile:keepers"}')
INSERT INTO mallorys.own SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' FROM generate_series(1, 3) i
SELECT mallorys.guard_by_hand('{"keys":10,"on_duplicate":"skip","analyzer":"shingles:5","expression":["private","made_text"]}')
INSERT INTO mallorys.own SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' FROM generate_series(1, 3) i
SELECT mallorys.guard_by_hand('{"keys":64,"on_duplicate":"skip","analyzer":"shingles:5"}')
INSERT INTO mallorys.own SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' FROM generate_series(1, 3) i
SELECT mallorys.guard_by_hand('{"distance":11,"method":"simhash","on_duplicate":"mark","verify":"none","analyzer":"chars:3","log":true}')
INSERT INTO mallorys.own SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.' FROM generate_series(1, 3) i
CREATE TABLE mallorys.mine (id int4 PRIMARY KEY, body text, source pg_catalog.text)
SELECT neardup.protect('mallorys.mine', 'body', on_duplicate => 'divert', log => true)
INSERT INTO mallorys.mine SELECT i, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.', 's' FROM generate_series(1, 3) i
SELECT count(*) FROM neardup.protected; SELECT count(*) FROM neardup.counters; SELECT count(*) FROM neardup.verdicts
SELECT neardup.protect('public.diverts', 'body')
SELECT neardup.unprotect('public.diverts')
INSERT INTO neardup.verdicts (target, document, action, key, duplicate_of, measure, value, role) VALUES ('public.diverts', '', '', '', '', '', 0, '')
SELECT neardup.unprotect('mallorys.mine')
SELECT near_duplicate(body, 'The harbour bridge'), sketch(body), simhash(body, 'chars:3') FROM public.diverts
SELECT count(*) FROM public.diverts WHERE near_duplicate(body, 'The harbour bridge stays closed until Monday, the city said on Friday, and ferries run.')
SELECT count(*) FROM neardup.duplicates('public.diverts')
CALL neardup.purge_verdicts('0 s')
CALL neardup.cleanup('mallorys.mine')
SELECT neardup_internal.row_stored()
