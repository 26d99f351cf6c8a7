-- Operators that fit the operands exactly where Postgres has none that does, and so are taken first. The planner inlines them, and their body names
-- nothing that exists: so a statement that names one fails as soon as it is planned, also where it would not come to call it.
SET check_function_bodies = off;
CREATE SCHEMA shadow;
DO $do$
DECLARE
    types regtype[] := '{oid,regclass,regtype,regproc,regrole,regnamespace,name,text,"\"char\"",varchar,bpchar,int2,int4,int8,numeric,float4,float8,bool,timestamptz,timestamp,date,interval,json,jsonb,name[],text[],int2[],int4[],int8[],oid[],int2vector,oidvector,simhash,xid,tid,public.colour,public.label,public.moment}';
    operators text[] := '{=,<>,<,>,<=,>=,||,~,!~,~~,->,->>,+,-,*,/,%,&&,@>,<@,>>}';
    l regtype;
    r regtype;
    o text;
    result regtype;
BEGIN
    FOREACH l IN ARRAY types LOOP
        FOREACH r IN ARRAY types LOOP
            FOREACH o IN ARRAY operators LOOP
                CONTINUE WHEN EXISTS (SELECT FROM pg_operator WHERE (oprname, oprleft, oprright) = (o, l, r));
                BEGIN
                    EXECUTE format('SELECT pg_typeof(NULL::%s %s NULL::%s)', l, o, r) INTO result;
                EXCEPTION WHEN OTHERS THEN
                    CONTINUE;
                END;
                EXECUTE format('CREATE FUNCTION shadow.%I(a %s, b %s) RETURNS %s LANGUAGE sql AS ''SELECT somebody_elses_operator''', 'op_' || o, l, r, result);
                EXECUTE format('CREATE OPERATOR shadow.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = shadow.%I)', o, l, r, 'op_' || o);
            END LOOP;
        END LOOP;
    END LOOP;
END $do$;
-- The same beside the operators of a type that are not in pg_catalog, for a domain over it.
DO $do$
DECLARE
    o text;
    sides text[];
BEGIN
    FOREACH o IN ARRAY '{=,<>,<,>,<=,>=}'::text[] LOOP
        FOREACH sides SLICE 1 IN ARRAY '{{key,key},{key,citext},{citext,key}}'::text[] LOOP
            EXECUTE format('CREATE FUNCTION types.%I(types.%s, types.%s) RETURNS boolean LANGUAGE sql AS ''SELECT somebody_elses_operator''', 'op_' || o, sides[1], sides[2]);
            EXECUTE format('CREATE OPERATOR types.%s (LEFTARG = types.%s, RIGHTARG = types.%s, FUNCTION = types.%I)', o, sides[1], sides[2], 'op_' || o);
        END LOOP;
    END LOOP;
END $do$;
-- Functions that fit names and varchars exactly, where Postgres has them for text alone.
DO $do$
DECLARE
    f record;
BEGIN
    FOR f IN
        SELECT DISTINCT p.proname, array_to_string(array_fill(t.type, ARRAY[p.pronargs::int]), ', ') AS arguments
        FROM pg_proc p, unnest('{name,varchar,public.label}'::regtype[]) t(type)
        WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND p.pronargs BETWEEN 1 AND 3 AND NOT p.proretset
              AND p.proargtypes[0] = 'text'::regtype AND p.proargtypes[p.pronargs - 1] = 'text'::regtype
    LOOP
        EXECUTE format('CREATE FUNCTION shadow.%I(%s) RETURNS text LANGUAGE sql AS ''SELECT somebody_elses_function''', f.proname, f.arguments);
    END LOOP;
END $do$;
