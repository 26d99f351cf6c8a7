-- What a role that may create objects in a schema puts there before the extension is installed into it: operators and functions that fit the operands of
-- a statement better than those of Postgres and of the extension. What is parsed at CREATE EXTENSION, such as views, would name them for good, whatever
-- the path is later. Their bodies name nothing that exists, so that the installation fails where it calls one.

-- ## overloads
-- A statement for each, by a database that has the extension: its functions of that schema with other texts and numbers. (With fewer arguments, Postgres
-- finds a call with defaults ambiguous.)
SELECT DISTINCT format('CREATE FUNCTION public.%I(%s) RETURNS text LANGUAGE sql AS ''SELECT somebody_elses_function''', p.proname, a.types)
FROM pg_proc p JOIN members m ON m.oid = p.oid
     CROSS JOIN (VALUES ('name', 'integer', 'smallint', 'numeric'), ('character varying', 'numeric', 'bigint', 'integer')) s(text, int8, int4, float8)
     CROSS JOIN LATERAL (
         SELECT string_agg(CASE u.type WHEN 'text' THEN s.text WHEN 'bigint' THEN s.int8 WHEN 'integer' THEN s.int4 WHEN 'double precision' THEN s.float8 ELSE u.type END, ', ' ORDER BY u.place) AS types
         FROM (SELECT t.type::regtype::text AS type, t.place FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY t(type, place)) u
     ) a
WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND to_regprocedure(format('public.%I(%s)', p.proname, a.types)) IS NULL
      -- A type of the extension does not exist before it, and its casts have the names of types.
      AND a.types !~ '\m(simhash|minhash|tokenset|bloom_filter|hamming_ball|unknown)\M'

-- ## plant
-- All pairs of Postgres's types for which an operator would be found and none fits exactly. What is planted must not count in the trials.
SET search_path = pg_catalog;
DO $do$
DECLARE
    made text;
    o record;
BEGIN
    FOR o IN
        WITH types AS (
            SELECT t.oid, t.typarray, t.typelem, t.typcategory FROM pg_type t
            WHERE t.typnamespace = 'pg_catalog'::regnamespace AND t.typtype = 'b' AND t.typname NOT LIKE 'pg\_%'
                  AND (t.typcategory <> 'A' OR t.oid IN ('int2vector'::regtype, 'oidvector'::regtype)
                       OR t.typelem IN ('text'::regtype, 'name'::regtype, 'int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'oid'::regtype, 'float8'::regtype, '"char"'::regtype, 'regclass'::regtype, 'regtype'::regtype, 'bool'::regtype))
        )
        SELECT n.name, l.oid::regtype AS l, r.oid::regtype AS r
        FROM types l CROSS JOIN types r
             CROSS JOIN unnest('{=,<>,<,>,<=,>=,||,~,!~,~~,!~~,~*,->,->>,#>,#>>,+,-,*,/,%,^,&,|,&&,@>,<@,<<,>>}'::text[]) n(name)
        WHERE NOT EXISTS (SELECT FROM pg_operator p WHERE p.oprname = n.name AND p.oprleft = l.oid AND p.oprright = r.oid)
    LOOP
        BEGIN
            EXECUTE format('SELECT pg_typeof(NULL::%s %s NULL::%s)', o.l, o.name, o.r) INTO made;
        EXCEPTION WHEN OTHERS THEN
            CONTINUE;
        END;
        EXECUTE format('CREATE FUNCTION public.%I(%s, %s) RETURNS %s LANGUAGE sql AS ''SELECT somebody_elses_operator''', 'op_' || o.name, o.l, o.r, made);
        EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.%I)', o.name, o.l, o.r, 'op_' || o.name);
    END LOOP;
END $do$;
-- Functions that fit names and varchars exactly, where Postgres has them for text alone.
DO $do$
DECLARE
    f record;
BEGIN
    FOR f IN
        SELECT DISTINCT p.proname, array_to_string(array_fill(t.type, ARRAY[p.pronargs::int]), ', ') AS arguments
        FROM pg_proc p, unnest('{name,varchar}'::regtype[]) t(type)
        WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND p.pronargs BETWEEN 1 AND 3 AND NOT p.proretset
              AND p.proargtypes[0] = 'text'::regtype AND p.proargtypes[p.pronargs - 1] = 'text'::regtype
    LOOP
        EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS text LANGUAGE sql AS ''SELECT somebody_elses_function''', f.proname, f.arguments);
    END LOOP;
END $do$;

-- ## bound
-- What depends on one of them, by the owner.
SELECT DISTINCT format('%s uses %s', pg_describe_object(d.classid, d.objid, d.objsubid), pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)) AS bound
FROM pg_depend d CROSS JOIN pg_shdepend t
WHERE t.classid = d.refclassid AND t.objid = d.refobjid AND t.dbid OPERATOR(pg_catalog.=) (SELECT b.oid FROM pg_database b WHERE b.datname = current_database())
      AND t.deptype = 'o' AND t.refobjid = 'mallory'::regrole::oid
      AND NOT EXISTS (SELECT FROM pg_shdepend o WHERE o.classid = d.classid AND o.objid = d.objid AND o.dbid = t.dbid AND o.deptype = 'o' AND o.refobjid = t.refobjid)
ORDER BY 1
