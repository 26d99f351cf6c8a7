-- The catalog: every object explains itself, and no function's labels drift.

CREATE TEMP VIEW member AS
SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'pg_neardup' AND d.deptype = 'e';

CREATE TEMP VIEW function AS
SELECT p.*, p.oid::regprocedure::text AS signature FROM pg_proc p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid;

-- the extension has functions
SELECT count(*) > 0 FROM function;
--= t

-- objects without a comment
SELECT pg_describe_object(classid, objid, 0) FROM member LEFT JOIN pg_type t ON classid = 'pg_type'::regclass AND objid = t.oid
WHERE obj_description(objid, classid::regclass::name) IS NULL
  AND classid IN ('pg_proc'::regclass, 'pg_type'::regclass, 'pg_operator'::regclass, 'pg_class'::regclass, 'pg_namespace'::regclass)
  AND (t.oid IS NULL OR (t.typelem = 0 AND t.typrelid = 0))
  AND NOT EXISTS (SELECT FROM pg_class c WHERE classid = 'pg_class'::regclass AND objid = c.oid AND c.relkind NOT IN ('r', 'v', 'm', 'p', 'f'))
ORDER BY 1;
--=

-- immutable functions that are not parallel safe
SELECT signature FROM function WHERE provolatile = 'i' AND proparallel <> 's' ORDER BY 1;
--=

-- parallel unsafe functions that are neither procedures nor triggers
SELECT signature FROM function WHERE provolatile <> 'v' AND proparallel = 'u' AND prokind <> 'p' AND prorettype <> 'trigger'::regtype ORDER BY 1;
--=

-- volatile functions that claim to be parallel safe
SELECT signature FROM function WHERE provolatile = 'v' AND proparallel = 's' ORDER BY 1;
--=

-- functions that work through a document and cost less than 1000
SELECT signature FROM function JOIN pg_language l ON l.oid = prolang WHERE l.lanname = 'c' AND 'document' = ANY (proargnames) AND procost < 1000 ORDER BY 1;
--=

-- SECURITY DEFINER functions without a search_path of their own
SELECT signature FROM function WHERE prosecdef AND NOT EXISTS (SELECT FROM unnest(proconfig) AS setting WHERE setting LIKE 'search\_path=%') ORDER BY 1;
--=
