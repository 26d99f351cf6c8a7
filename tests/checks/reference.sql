-- All objects of the extension: what each is, its name on the page, its columns where it has some, its comment. Sequences belong to their
-- tables, operator families to their classes.
WITH member AS (
    SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    WHERE e.extname = 'pg_neardup' AND d.deptype = 'e'
), object AS (
    SELECT 'function' AS kind,
           CASE p.prokind WHEN 'p' THEN 'CALL ' ELSE '' END || CASE n.nspname WHEN 'neardup' THEN 'neardup.' ELSE '' END || p.proname || '('
           || regexp_replace(regexp_replace(regexp_replace(pg_get_function_arguments(p.oid),
                  '::(character varying|double precision|timestamp with(out)? time zone|[a-z_]+)(\[\])?', '', 'g'), '\mIN ', '', 'g'), '(INOUT [^,]*) DEFAULT NULL', '\1', 'g') || ')'
           || CASE WHEN p.prokind = 'p' OR 'o' = ANY (p.proargmodes) THEN ''
                   ELSE ' → ' || regexp_replace(pg_get_function_result(p.oid), '^TABLE', '') END AS name,
           p.pronamespace AS namespace, member.*
    FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE pg_get_function_arguments(p.oid) !~ '^document (character|character varying|unknown)\M'
    UNION ALL
    SELECT 'type', t.typname, t.typnamespace, member.* FROM member JOIN pg_type t ON classid = 'pg_type'::regclass AND objid = t.oid
    WHERE t.typelem = 0 AND t.typrelid = 0
    UNION ALL
    SELECT 'table', 'neardup.' || c.relname, c.relnamespace, member.* FROM member JOIN pg_class c ON classid = 'pg_class'::regclass AND objid = c.oid
    WHERE c.relkind <> 'S'
    UNION ALL
    SELECT 'operator', format('%s %s%s %s', oprleft::regtype, CASE n.nspname WHEN 'neardup' THEN 'neardup.' ELSE '' END, oprname, oprright::regtype),
           oprnamespace, member.*
    FROM member JOIN pg_operator o ON classid = 'pg_operator'::regclass AND objid = o.oid JOIN pg_namespace n ON n.oid = oprnamespace
    UNION ALL
    SELECT 'cast', format('%s::%s', castsource::regtype, casttarget::regtype), NULL, member.*
    FROM member JOIN pg_cast c ON classid = 'pg_cast'::regclass AND objid = c.oid
    UNION ALL
    SELECT 'operator class', format('%s USING %s', opcname, amname), opcnamespace, member.*
    FROM member JOIN pg_opclass c ON classid = 'pg_opclass'::regclass AND objid = c.oid JOIN pg_am a ON a.oid = opcmethod
    UNION ALL
    SELECT 'object of another class', pg_describe_object(classid, objid, 0), NULL, member.* FROM member
    WHERE classid NOT IN ('pg_proc'::regclass, 'pg_type'::regclass, 'pg_class'::regclass, 'pg_operator'::regclass, 'pg_cast'::regclass,
                          'pg_opclass'::regclass, 'pg_opfamily'::regclass, 'pg_namespace'::regclass)
)
SELECT kind, name,
       (SELECT string_agg(format('`%s`', attname), ', ' ORDER BY attnum) FROM pg_attribute
        WHERE kind = 'table' AND attrelid = objid AND attnum > 0 AND NOT attisdropped),
       obj_description(objid, classid::regclass::name)
FROM object WHERE namespace IS DISTINCT FROM to_regnamespace('neardup_internal') ORDER BY name
