-- Every function of the extension, called with extreme arguments.

-- ## made
CREATE TABLE article (id int PRIMARY KEY, body text, day date);
SELECT neardup.protect('article', 'body');
INSERT INTO article SELECT i, md5(i::text) || md5((i + 1)::text) FROM generate_series(1, 30) i;
CREATE TABLE plain (id int PRIMARY KEY, body text);
INSERT INTO plain VALUES (1, NULL), (2, ''), (3, repeat('的', 3000));
CREATE VIEW a_view AS SELECT * FROM plain;
CREATE TABLE extreme (type text, value text);
CREATE TABLE outcome (function text, call text, state text);

-- An argument of a type; a row's own type says what it is.
CREATE FUNCTION one(of_type text) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce((SELECT value FROM extreme e WHERE e.type = of_type AND (of_type LIKE 'any%' OR random() > 0.1) ORDER BY random() LIMIT 1), 'NULL')
           || CASE WHEN of_type LIKE 'any%' THEN '' ELSE '::' || of_type END
$$;

CREATE FUNCTION calls(f regprocedure, n int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    p pg_proc := (SELECT p FROM pg_proc p WHERE oid = f);
    arguments text;
    name text := (SELECT format('%I.%I', nspname, p.proname) FROM pg_namespace WHERE oid = p.pronamespace);
BEGIN
    FOR i IN 1..n LOOP
        SELECT string_agg(CASE WHEN p.prokind IN ('a', 'w') THEN format('CASE i %% 3 WHEN 0 THEN %s ELSE %s END', one(a.type), one(a.type)) ELSE one(a.type) END,
                          ', ' ORDER BY place)
        INTO arguments FROM unnest(string_to_array(pg_catalog.oidvectortypes(p.proargtypes), ', ')) WITH ORDINALITY a(type, place);
        RETURN NEXT CASE WHEN p.prokind = 'p' THEN 'CALL ' WHEN p.proretset THEN 'SELECT count(*) FROM ' ELSE 'SELECT ' END
            || name || '(' || coalesce(arguments, '') || ')'
            || CASE p.prokind WHEN 'a' THEN ' FROM generate_series(0, 7) i'
                              WHEN 'w' THEN ' OVER (PARTITION BY i % 2 ORDER BY i) FROM generate_series(0, 7) i' ELSE '' END;
    END LOOP;
END $$;

CREATE FUNCTION try_all(f regprocedure, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    call text;
BEGIN
    PERFORM setseed(0.5);
    FOR call IN SELECT calls(f, n) LOOP
        BEGIN
            EXECUTE call;
            INSERT INTO outcome VALUES (f, call, '00000');
        EXCEPTION WHEN OTHERS OR query_canceled THEN
            INSERT INTO outcome VALUES (f, call, SQLSTATE);
        END;
    END LOOP;
END $$;

-- Values by type, as SQL expressions, beside NULL. A type without values is a failure, unless it is a row type.
INSERT INTO extreme
SELECT of_type, unnest(expressions) FROM (VALUES
    ('boolean', ARRAY[$q$true$q$, $q$false$q$]),
    ('integer', ARRAY[$q$'-2147483648'$q$, $q$'-1'$q$, $q$0$q$, $q$1$q$, $q$2$q$, $q$3$q$, $q$7$q$, $q$12$q$, $q$64$q$, $q$65$q$,
        $q$1000$q$, $q$2147483647$q$]),
    ('bigint', ARRAY[$q$'-9223372036854775808'$q$, $q$'-1'$q$, $q$0$q$, $q$1$q$, $q$1000$q$, $q$9223372036854775807$q$]),
    ('smallint', ARRAY[$q$'-32768'$q$, $q$0$q$, $q$1$q$, $q$32767$q$]),
    ('smallint[]', ARRAY[$q$'{}'$q$, $q$'{NULL}'$q$, $q$'{1,2}'$q$, $q$'{-32768,32767}'$q$]),
    ('hamming_ball', ARRAY[$q$'0000000000000000/0'$q$, $q$'0123456789abcdef/11'$q$, $q$'ffffffffffffffff/64'$q$]),
    ('bigint[]', ARRAY[$q$'{}'$q$, $q$'{NULL}'$q$, $q$'{1,2,3}'$q$, $q$'{-9223372036854775808}'$q$]),
    ('tid', ARRAY[$q$'(0,0)'$q$, $q$'(4294967295,65535)'$q$]),
    ('tid[]', ARRAY[$q$'{}'::tid[]$q$, $q$ARRAY['(0,1)'::tid, NULL]$q$]),
    ('oid[]', ARRAY[$q$'{}'::oid[]$q$, $q$ARRAY[0::oid, NULL]$q$]),
    ('regtype', ARRAY[$q$(SELECT reltype FROM pg_class WHERE relname = 'article')::regtype$q$, $q$'integer'$q$, $q$0$q$, $q$4294967295$q$]),
    ('regproc', ARRAY[$q$0$q$, $q$'pg_catalog.now'$q$, $q$4294967295$q$]),
    ('regprocedure', ARRAY[$q$0$q$, $q$'pg_catalog.now()'$q$, $q$4294967295$q$]),
    ('unknown', ARRAY[$q$''$q$, $q$'的'$q$]),
    ('anyelement', ARRAY[$q$NULL::article$q$, $q$NULL::plain$q$, $q$NULL::pg_class$q$, $q$1$q$, $q$ARRAY[1]$q$]),
    ('record', ARRAY[$q$ROW()$q$, $q$ROW(NULL, 1, E'\x01"\\', ROW(ARRAY['a,b', NULL]))$q$, $q$(SELECT a FROM article a LIMIT 1)$q$,
        $q$(SELECT c FROM pg_class c LIMIT 1)$q$]),
    ('neardup.protected', ARRAY[$q$(SELECT p FROM neardup.protected p LIMIT 1)$q$]),
    ('double precision', ARRAY[$q$'NaN'$q$, $q$'Infinity'$q$, $q$'-Infinity'$q$, $q$'-1'$q$, $q$0$q$, $q$1e-300$q$, $q$0.01$q$, $q$0.5$q$,
        $q$0.9$q$, $q$1$q$, $q$2$q$, $q$1e300$q$]),
    ('real', ARRAY[$q$'NaN'$q$, $q$'Infinity'$q$, $q$0$q$, $q$1$q$, $q$3.4e38$q$]),
    ('text', ARRAY[$q$''$q$, $q$'的'$q$, $q$repeat('的', 30000)$q$, $q$repeat('a b ', 9000)$q$, $q$repeat('<', 9000)$q$,
        $q$repeat('[', 9000)$q$, $q$E'\x01\u200b\u202e'$q$, $q$'😀👨‍👩‍👧‍👦é'$q$, $q$'jieba'$q$, $q$'chars:3'$q$, $q$'chars:64'$q$,
        $q$'chars:0'$q$, $q$'chars:99999999999'$q$, $q$'ik_smart'$q$, $q$'words'$q$, $q$'{"tokenizer": "chars", "size": 1}'$q$,
        $q$'{"tokenizer": 1}'$q$, $q$'{'$q$, $q$repeat('{"a":', 5000)$q$, $q$'profile:none'$q$, $q$'count'$q$, $q$'tfidf'$q$,
        $q$'textrank'$q$, $q$'none'$q$, $q$'oldest'$q$, $q$'skip'$q$, $q$'reject'$q$, $q$'facts'$q$, $q$'0123456789abcdef'$q$,
        $q$'第9集 今日播出，新增66例。'$q$, $q$'第八集 今日播出，新增94例。'$q$, $q$'x''; DROP TABLE article; --'$q$, $q$'9999-99-99 99:99'$q$]),
    ('name', ARRAY[$q$'body'$q$, $q$'id'$q$, $q$'missing'$q$, $q$''$q$, $q$'x"; DROP TABLE article; --'$q$]),
    ('regclass', ARRAY[$q$'article'$q$, $q$'plain'$q$, $q$'plain_pkey'$q$, $q$'pg_class'$q$, $q$'a_view'$q$, $q$0$q$, $q$4294967295$q$]),
    ('xid', ARRAY[$q$'0'$q$, $q$'3'$q$, $q$pg_current_xact_id()::xid$q$, $q$'4294967295'$q$]),
    ('xid[]', ARRAY[$q$'{}'$q$, $q$'{3,NULL}'$q$]),
    ('oid', ARRAY[$q$0$q$, $q$1$q$, $q$'article'::regclass::oid$q$, $q$4294967295$q$]),
    ('text[]', ARRAY[$q$'{}'$q$, $q$'{NULL}'$q$, $q$'{a,b,a}'$q$, $q$ARRAY[repeat('的', 5000), '']$q$, $q$'{{a,b},{c,d}}'$q$,
        $q$'{html,links,nospace}'$q$, $q$'{none}'$q$]),
    ('name[]', ARRAY[$q$'{}'$q$, $q$'{body}'$q$, $q$'{missing}'$q$, $q$'{id,id}'$q$, $q$'{NULL}'$q$]),
    ('integer[]', ARRAY[$q$'{}'$q$, $q$'{NULL}'$q$, $q$'{1,2,3}'$q$, $q$'{{1},{2}}'$q$]),
    ('real[]', ARRAY[$q$'{}'$q$, $q$'{NULL}'$q$, $q$'{1,2,3}'$q$, $q$'{NaN,Infinity}'$q$, $q$array_fill(1::real, ARRAY[64])$q$]),
    ('double precision[]', ARRAY[$q$'{}'$q$, $q$'{NULL}'$q$, $q$'{1,2,3}'$q$, $q$'{NaN,Infinity}'$q$]),
    ('boolean[]', ARRAY[$q$'{}'$q$, $q$'{NULL}'$q$, $q$'{t,f}'$q$]),
    ('bytea', ARRAY[$q$''$q$, $q$'\x00'$q$, $q$'\x0101'$q$, $q$decode(repeat('ff', 600), 'hex')$q$, $q$decode(repeat('00', 5000), 'hex')$q$]),
    ('cstring', ARRAY[$q$''$q$, $q$'0123456789abcdef'$q$, $q$'zz'$q$, $q$'{}'$q$, $q$'1:'$q$]),
    ('bit', ARRAY[$q$B''$q$, $q$B'1'$q$, $q$repeat('10', 32)::bit(64)$q$, $q$repeat('1', 999)::bit(999)$q$]),
    ('bit(64)', ARRAY[$q$repeat('10', 32)::bit(64)$q$]),
    ('interval', ARRAY[$q$'0'$q$, $q$'-1 day'$q$, $q$'1 second'$q$, $q$'100000 years'$q$]),
    ('timestamp with time zone', ARRAY[$q$'-infinity'$q$, $q$'infinity'$q$, $q$'epoch'$q$]),
    ('tsvector', ARRAY[$q$''$q$, $q$'a:1,2 b:3'::tsvector$q$, $q$to_tsvector('simple', repeat('x y ', 3000))$q$]),
    ('character varying', ARRAY[$q$''$q$, $q$'的'$q$]),
    ('character', ARRAY[$q$''$q$, $q$'的'$q$]),
    ('jsonb', ARRAY[$q$'{}'$q$, $q$'null'$q$, $q$'[1]'$q$]),
    ('simhash', ARRAY[$q$'0000000000000000'$q$, $q$'ffffffffffffffff'$q$, $q$'0123456789abcdef'$q$]),
    ('minhash', ARRAY[$q$minhash('甲乙丙丁戊己庚辛', 'chars:2')$q$, $q$minhash(repeat('a', 9999), 'chars:3')$q$, $q$minhash('一二三四五六', 'jieba')$q$]),
    ('tokenset', ARRAY[$q$tokenset('甲乙丙丁戊己庚辛', 'chars:2')$q$, $q$tokenset(repeat('ab c', 9999), 'words')$q$, $q$tokenset('', 'chars:2')$q$]),
    ('bloom_filter', ARRAY[$q$(SELECT bloom_filter_agg(i::text, 100, 0.01) FROM generate_series(1, 50) i)$q$])
) v(of_type, expressions);

-- The SQLSTATEs with which a call may be refused: those of docs/reference.md, and what Postgres says of a name, a query, a number, an interval
-- or a pattern that it was given, of a column of another type, or of a row without a value that its table requires; and P0002 where there is no
-- such row.
CREATE TABLE fitting AS SELECT unnest('{00000,0A000,22003,22004,22008,2201B,22023,22026,22P02,22P03,23000,23502,25001,42501,42601,42602,42701,42702,42703,42704,42710,42725,42804,42809,42883,42P01,54000,55000,55006,42P13,P0002}'::text[]) AS state;

CREATE VIEW members AS
SELECT p.oid::regprocedure AS function, p.prokind = 'p' AS is_procedure FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'pg_neardup' AND p.prorettype <> 'trigger'::regtype AND NOT 'internal'::regtype = ANY (p.proargtypes::oid[]) AND p.prorettype <> 'internal'::regtype;

-- How many calls ended in what way, those that ended badly, and types of arguments that there are no values for.
CREATE VIEW by_state AS SELECT string_agg(state || ' ' || n, ', ' ORDER BY state) FROM (SELECT state, count(*) AS n FROM outcome GROUP BY 1) s;
CREATE VIEW bad AS SELECT DISTINCT ON (function, state) left(state || ' ' || call, 300) FROM outcome
-- What brings rows back from a table into another one may find their keys there.
WHERE state NOT IN (TABLE fitting) AND NOT (state = '23505' AND function LIKE 'neardup_internal.restore_rows(%') ORDER BY function, state;
CREATE VIEW untried AS SELECT DISTINCT format_type(a, NULL) FROM members JOIN pg_proc p ON p.oid = function, unnest(p.proargtypes::oid[]) a
WHERE (SELECT typtype FROM pg_type WHERE oid = a) <> 'c' AND format_type(a, NULL) NOT IN (SELECT type FROM extreme);
