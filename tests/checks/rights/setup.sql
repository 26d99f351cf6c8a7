-- What is to stay as it is; a bell that rings for good, even where the transaction does not; and what anybody could call.
CREATE SEQUENCE bell;
CREATE FUNCTION ring() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('public.bell'); RETURN 'x'; END $$;
GRANT USAGE, SELECT ON SEQUENCE bell TO public;
CREATE TABLE canary (id int PRIMARY KEY, body text);
INSERT INTO canary VALUES (1, 'It sings as long as nothing has happened to it, in the morning and in the evening.');

CREATE TABLE article (id int PRIMARY KEY, body text, day date);
INSERT INTO article SELECT i, md5((i / 2)::text) || md5((i / 2)::text || 'x'), '2031-04-20' FROM generate_series(1, 20) i;
SELECT neardup.protect('article', 'body');

-- Whether all is as it was; false or nothing where it is not.
CREATE VIEW untouched AS
SELECT (SELECT array_agg(body LIKE 'It sings%') FROM canary) = '{t}' AND NOT rolsuper AND NOT rolcreaterole AS is_true FROM pg_roles WHERE rolname = 'mallory';

CREATE TABLE payload (text text);
INSERT INTO payload VALUES
    ('x''; SELECT public.ring(); --'), ('x"; SELECT public.ring(); --'), ('x); SELECT public.ring(); --'), ('x'') OR (public.ring() = '''),
    ('x$$; SELECT public.ring(); --'), ('x$1$; SELECT public.ring(); --'), (E'\\''; SELECT public.ring(); --'), (E'x\n; SELECT public.ring(); --'),
    ('''||public.ring()||'''), ('"||public.ring()||"'), ('public.ring()'), ('(public.ring())'), ('(SELECT public.ring())'), ('id, public.ring()'),
    ('body || public.ring()'), ('id desc, public.ring()'), ('ARRAY[public.ring()]'), ('{"a": "''; SELECT public.ring(); --"}'), ('ring'), ('public.ring'),
    ('article; SELECT public.ring()'), ('ʼ; SELECT public.ring(); --'), ('＇; SELECT public.ring(); --'), (repeat('"', 63)), (repeat('''', 63)),
    ('%I %L %s %1$s'), ('a.b'), ('select'), (E'back\\slash'), (U&'\00e9\0301\202e'), (repeat('名', 21));

-- What an argument is where it is not the one in question.
CREATE TABLE usual (argument text, value text);
INSERT INTO usual VALUES
    ('target', '''article'''), ('document', '''body'''), ('query', '''SELECT body, body, true FROM article'''),
    ('analyzer', '''chars:3'''), ('name', '''usual'''), ('profile', '''usual'''), ('older_than', '''1 day'''), ('run_id', '1'), ('n', '2'), ('distance', '3');

-- Calls of a function in which one argument after the other is a payload; all that have a default and are not in question keep it.
CREATE FUNCTION calls(f oid) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    p pg_proc := (SELECT p FROM pg_proc p WHERE oid = f);
    name text := (SELECT format('%I.%I', nspname, p.proname) FROM pg_namespace WHERE oid = p.pronamespace);
    chosen int;
    evil text;
    arguments text;
BEGIN
    FOR chosen, evil IN
        SELECT a.place, CASE WHEN a.type::regtype::text LIKE '%[]' THEN format('ARRAY[%L]::%s', l.text, a.type::regtype)
                             WHEN a.type = 'regclass'::regtype THEN format('%L', (SELECT c.oid::regclass FROM pg_class c WHERE relname = left(l.text, 60)::name))
                             ELSE format('%L::%s', l.text, a.type::regtype) END
        FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a(type, place), payload l
        WHERE a.type IN ('text'::regtype, 'name'::regtype, 'text[]'::regtype, 'name[]'::regtype, 'regclass'::regtype, 'varchar'::regtype, 'cstring'::regtype)
          AND coalesce(p.proargnames[a.place], '') <> 'query'
    LOOP
        SELECT string_agg(
                   CASE WHEN p.proargnames[a.place] IS NOT NULL AND p.prokind <> 'w' THEN format('%I => ', p.proargnames[a.place]) ELSE '' END
                   || CASE WHEN a.place = chosen THEN evil
                           ELSE coalesce((SELECT value FROM usual u WHERE u.argument = p.proargnames[a.place]), CASE WHEN a.type IN ('text'::regtype, 'name'::regtype) THEN '''x''' ELSE 'NULL' END)
                                || CASE WHEN a.type::regtype::text LIKE 'any%' THEN '::article' ELSE '::' || a.type::regtype END END, ', ' ORDER BY a.place)
        INTO arguments FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a(type, place)
        WHERE a.place = chosen OR a.place <= p.pronargs - p.pronargdefaults;
        RETURN NEXT CASE WHEN p.prokind = 'p' THEN 'CALL ' WHEN p.proretset THEN 'SELECT count(*) FROM ' ELSE 'SELECT ' END || name || '(' || arguments || ')'
            || CASE WHEN p.prokind = 'w' THEN ' OVER ()' ELSE '' END;
    END LOOP;
END $$;
CREATE TABLE tried (state text);
CREATE FUNCTION strokes() RETURNS bigint LANGUAGE sql AS 'SELECT last_value * is_called::int FROM public.bell';
-- Whether the bell rings when a function is given the payloads.
CREATE FUNCTION rings(f oid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    call text;
    before bigint := public.strokes();
BEGIN
    FOR call IN SELECT calls(f) LOOP
        BEGIN
            EXECUTE call;
            RAISE EXCEPTION 'undone' USING ERRCODE = 'P9999';
        EXCEPTION WHEN OTHERS THEN
            INSERT INTO tried VALUES (SQLSTATE);
        END;
    END LOOP;
    RETURN public.strokes() > before;
END $$;
GRANT SELECT ON payload, usual TO public;
GRANT INSERT ON tried TO public;
CREATE ROLE keeper;
CREATE ROLE mallory;
GRANT CREATE ON SCHEMA public TO keeper;

-- Tables that are called like the payloads, protected or not.
DO $$
DECLARE
    evil text;
BEGIN
    FOR evil IN SELECT left(text, 60) FROM payload LOOP
        EXECUTE format('CREATE TABLE %I (%I int PRIMARY KEY, %I text, %I date, %I text)', evil, '1' || left(evil, 40), '2' || left(evil, 40), '3' || left(evil, 40), '4' || left(evil, 40));
        EXECUTE format('ALTER TABLE %I OWNER TO keeper', evil);
        EXECUTE format('INSERT INTO %I SELECT i, md5((i / 2)::text) || md5((i / 2)::text || ''x''), ''2031-04-20'', %L FROM generate_series(1, 9) i', evil, evil);
    END LOOP;
END $$;

-- The whole life of such a table, statement by statement.
CREATE FUNCTION life(evil text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format(step, c.oid::regclass, c.oid::regclass::text, '1' || left(evil, 40), '2' || left(evil, 40), '3' || left(evil, 40), '4' || left(evil, 40))
    FROM pg_class c, unnest(ARRAY[
        'SELECT neardup.protect(%2$L, %4$L, scope => ARRAY[%6$L]::name[], time_column => %5$L, within => ''3 days'', on_duplicate => ''mark'', log => true)',
        'INSERT INTO %1$s SELECT %3$I + 100, %4$I, %5$I, %6$I FROM %1$s WHERE %3$I = 3',
        'SELECT neardup.protect(%2$L, %4$L, scope => ARRAY[%6$L]::name[], time_column => %5$L, within => ''3 days'', on_duplicate => ''divert'')',
        'INSERT INTO %1$s SELECT %3$I + 200, %4$I, %5$I, %6$I FROM %1$s WHERE %3$I = 3',
        'SELECT count(*) FROM neardup.duplicates(%2$L, keep => ''newest'', time_column => %5$L, rank => ARRAY[quote_ident(%6$L) || '' desc''], scope => ARRAY[%6$L]::name[], since => ''2000-01-01'')',
        'SELECT count(*) FROM neardup.report(%2$L)',
        'SELECT length(neardup.report_html(%2$L))',
        'CALL neardup.cleanup(%2$L, dry_run => false, time_column => %5$L, rank => ARRAY[quote_ident(%6$L) || '' desc''])',
        'DO $d$ BEGIN IF NOT EXISTS (SELECT FROM neardup.runs WHERE removed > 3) THEN RAISE ''nothing was removed''; END IF; END $d$',
        'CALL neardup.restore(%2$L, 1)',
        'SELECT neardup.withdraw(%2$L, act => ''restore'')',
        'CREATE TEMPORARY TABLE twin (LIKE %1$s INCLUDING INDEXES)',
        'INSERT INTO twin SELECT * FROM %1$s WHERE %3$I < 5',
        'SELECT count(*) FROM neardup.duplicates(%2$L, against => ''twin'', scope => ARRAY[%6$L]::name[], time_column => %5$L, since => ''2000-01-01'')',
        'CALL neardup.cleanup(%2$L, against => ''twin'', time_column => %5$L, within => ''9 days'')',
        'CALL neardup.cleanup(%2$L, against => ''twin'', dry_run => false, time_column => %5$L, within => ''9 days'')',
        'SELECT count(*) FROM neardup.copies_of(%2$L, ''twin'')',
        'DO $d$ BEGIN IF NOT EXISTS (SELECT FROM neardup.runs WHERE against = ''twin''::regclass AND removed > 3) THEN RAISE ''nothing was removed''; END IF; END $d$',
        'DROP TABLE twin',
        'SELECT neardup.unprotect(%2$L)',
        'CALL neardup.purge(%2$L, ''0 s'')'
    ]) WITH ORDINALITY s(step, place)
    WHERE c.relname = left(evil, 60)::name ORDER BY place
$$;

-- The functions and procedures of the extension that SQL can call.
CREATE VIEW members AS
SELECT p.oid, p.prokind = 'p' AS is_procedure, p.pronamespace = 'neardup_internal'::regnamespace AS is_internal
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'pg_neardup' AND p.prorettype NOT IN ('trigger'::regtype, 'internal'::regtype) AND NOT 'internal'::regtype = ANY (p.proargtypes::oid[]);
GRANT SELECT ON members TO public;
