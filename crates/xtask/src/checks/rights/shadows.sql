-- Operators that fit the operands exactly where Postgres has none that does, and so are taken first. They ring, and then do what Postgres's do.
CREATE SCHEMA shadow;
DO $do$
DECLARE
    types regtype[] := '{oid,regclass,regtype,regproc,name,text,"\"char\"",int2,int4,int8,bool,timestamptz,interval,float8,name[],text[],int2[],int2vector,simhash,xid,tid}';
    operators text[] := '{=,<>,<,>,<=,>=,||,~,!~,~~,->>,+,-,*,/,%,&&,@>,<@}';
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
                EXCEPTION WHEN undefined_function OR ambiguous_function OR indeterminate_datatype OR datatype_mismatch OR undefined_object THEN
                    CONTINUE;
                END;
                EXECUTE format(
                    'CREATE FUNCTION shadow.%I(a %s, b %s) RETURNS %s LANGUAGE plpgsql SET search_path = pg_catalog, public '
                    'AS $f$ BEGIN PERFORM public.ring(); RETURN a %s b; END $f$', 'op_' || o, l, r, result, o);
                EXECUTE format('CREATE OPERATOR shadow.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = shadow.%I)', o, l, r, 'op_' || o);
            END LOOP;
        END LOOP;
    END LOOP;
END $do$;
