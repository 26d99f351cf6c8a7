//! Every function of the extension, called with extreme arguments: each call ends in an answer or in an error that fits.
//!
//! The calls are drawn at random from lists of values by type, always the same ones. An error with another SQLSTATE than those of [`FITTING`]
//! is a failure (an internal error, out of memory, a call that had to be cancelled), and so is a server that goes down.

use crate::check::{Context, Tally, expect};
use crate::error::Result;
use crate::psql::{Session, fresh_database, query};

const DATABASE: &str = "extremes";
/// How often each function is called.
const CALLS: u32 = 80;

/// The SQLSTATEs with which a call may be refused: those of docs/reference.md, and what Postgres says of a name, a query, a number, an
/// interval or a pattern that it was given, or of a column of another type.
const FITTING: &[&str] = &[
    "0A000", "22003", "22004", "22008", "2201B", "22023", "22026", "22P02", "22P03", "25001", "42501", "42601",
    "42602", "42701", "42702", "42703", "42704", "42710", "42804", "42809", "42883", "42P01", "54000", "55000",
    "55006", "42P13",
];

/// Values by type, as SQL expressions, beside NULL. A type without values is a failure, unless it is a row type.
const VALUES: &[(&str, &[&str])] = &[
    ("boolean", &["true", "false"]),
    ("integer", &["'-2147483648'", "'-1'", "0", "1", "2", "3", "7", "12", "64", "65", "1000", "2147483647"]),
    ("bigint", &["'-9223372036854775808'", "'-1'", "0", "1", "1000", "9223372036854775807"]),
    ("smallint", &["'-32768'", "0", "1", "32767"]),
    ("smallint[]", &["'{}'", "'{NULL}'", "'{1,2}'", "'{-32768,32767}'"]),
    ("hamming_ball", &["'0000000000000000/0'", "'0123456789abcdef/11'", "'ffffffffffffffff/64'"]),
    ("bigint[]", &["'{}'", "'{NULL}'", "'{1,2,3}'", "'{-9223372036854775808}'"]),
    ("tid", &["'(0,0)'", "'(4294967295,65535)'"]),
    ("regtype", &["(SELECT reltype FROM pg_class WHERE relname = 'article')::regtype", "'integer'", "0", "4294967295"]),
    ("regproc", &["0", "'pg_catalog.now'", "4294967295"]),
    ("unknown", &["''", "'的'"]),
    ("anyelement", &["NULL::article", "NULL::plain", "NULL::pg_class", "1", "ARRAY[1]"]),
    (
        "record",
        &[
            "ROW()",
            "ROW(NULL, 1, E'\\x01\"\\\\', ROW(ARRAY['a,b', NULL]))",
            "(SELECT a FROM article a LIMIT 1)",
            "(SELECT c FROM pg_class c LIMIT 1)",
        ],
    ),
    ("neardup.protected", &["(SELECT p FROM neardup.protected p LIMIT 1)"]),
    (
        "double precision",
        &["'NaN'", "'Infinity'", "'-Infinity'", "'-1'", "0", "1e-300", "0.01", "0.5", "0.9", "1", "2", "1e300"],
    ),
    ("real", &["'NaN'", "'Infinity'", "0", "1", "3.4e38"]),
    (
        "text",
        &[
            "''",
            "'的'",
            "repeat('的', 30000)",
            "repeat('a b ', 9000)",
            "repeat('<', 9000)",
            "repeat('[', 9000)",
            "E'\\x01\\u200b\\u202e'",
            "'😀👨‍👩‍👧‍👦e\u{301}'",
            "'jieba'",
            "'chars:3'",
            "'chars:64'",
            "'chars:0'",
            "'chars:99999999999'",
            "'ik_smart'",
            "'words'",
            "'{\"tokenizer\": \"chars\", \"size\": 1}'",
            "'{\"tokenizer\": 1}'",
            "'{'",
            "repeat('{\"a\":', 5000)",
            "'profile:none'",
            "'count'",
            "'tfidf'",
            "'textrank'",
            "'none'",
            "'oldest'",
            "'skip'",
            "'reject'",
            "'facts'",
            "'0123456789abcdef'",
            "'第9集 今日播出，新增66例。'",
            "'第八集 今日播出，新增94例。'",
            "'x''; DROP TABLE article; --'",
            "'9999-99-99 99:99'",
        ],
    ),
    ("name", &["'body'", "'id'", "'missing'", "''", "'x\"; DROP TABLE article; --'"]),
    ("regclass", &["'article'", "'plain'", "'plain_pkey'", "'pg_class'", "'a_view'", "0", "4294967295"]),
    ("oid", &["0", "1", "'article'::regclass::oid", "4294967295"]),
    (
        "text[]",
        &[
            "'{}'",
            "'{NULL}'",
            "'{a,b,a}'",
            "ARRAY[repeat('的', 5000), '']",
            "'{{a,b},{c,d}}'",
            "'{html,links,nospace}'",
            "'{none}'",
        ],
    ),
    ("name[]", &["'{}'", "'{body}'", "'{missing}'", "'{id,id}'", "'{NULL}'"]),
    ("integer[]", &["'{}'", "'{NULL}'", "'{1,2,3}'", "'{{1},{2}}'"]),
    ("real[]", &["'{}'", "'{NULL}'", "'{1,2,3}'", "'{NaN,Infinity}'", "array_fill(1::real, ARRAY[64])"]),
    ("double precision[]", &["'{}'", "'{NULL}'", "'{1,2,3}'", "'{NaN,Infinity}'"]),
    ("bytea", &["''", "'\\x00'", "'\\x0101'", "decode(repeat('ff', 600), 'hex')", "decode(repeat('00', 5000), 'hex')"]),
    ("cstring", &["''", "'0123456789abcdef'", "'zz'", "'{}'", "'1:'"]),
    ("bit", &["B''", "B'1'", "repeat('10', 32)::bit(64)", "repeat('1', 999)::bit(999)"]),
    ("bit(64)", &["repeat('10', 32)::bit(64)"]),
    ("interval", &["'0'", "'-1 day'", "'1 second'", "'100000 years'"]),
    ("timestamp with time zone", &["'-infinity'", "'infinity'", "'epoch'"]),
    ("tsvector", &["''", "'a:1,2 b:3'::tsvector", "to_tsvector('simple', repeat('x y ', 3000))"]),
    ("character varying", &["''", "'的'"]),
    ("character", &["''", "'的'"]),
    ("jsonb", &["'{}'", "'null'", "'[1]'"]),
    ("simhash", &["'0000000000000000'", "'ffffffffffffffff'", "'0123456789abcdef'"]),
    (
        "minhash",
        &[
            "minhash('甲乙丙丁戊己庚辛', 'chars:2')",
            "minhash(repeat('a', 9999), 'chars:3')",
            "minhash('一二三四五六', 'jieba')",
        ],
    ),
    (
        "tokenset",
        &[
            "tokenset('甲乙丙丁戊己庚辛', 'chars:2')",
            "tokenset(repeat('ab c', 9999), 'words')",
            "tokenset('', 'chars:2')",
        ],
    ),
    ("bloom_filter", &["(SELECT bloom_filter_agg(i::text, 100, 0.01) FROM generate_series(1, 50) i)"]),
];

const SETUP: &str = "
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
END $$;";

const MEMBERS: &str = "
SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'pg_neardup' AND p.prorettype <> 'trigger'::regtype AND NOT 'internal'::regtype = ANY (p.proargtypes::oid[]) AND p.prorettype <> 'internal'::regtype";

/// Calls them all and reads what came of it.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh_database(server, DATABASE)?;
    query(server, DATABASE, &format!("SET client_min_messages = warning; {SETUP}"))?;
    for (of_type, values) in VALUES {
        let rows: Vec<String> = values.iter().map(|value| format!("('{of_type}', $q${value}$q$)")).collect();
        query(server, DATABASE, &format!("INSERT INTO extreme VALUES {}", rows.join(", ")))?;
    }
    let functions = query(server, DATABASE, &format!("{MEMBERS} AND p.prokind <> 'p' ORDER BY 1::text"))?;
    let started = query(server, DATABASE, "SELECT pg_postmaster_start_time()")?;
    let mut tally = Tally::default();
    for function in functions.lines() {
        if !context.wants(function) {
            continue;
        }
        let quoted = function.replace('\'', "''");
        let attempt = format!(
            "SET client_min_messages = error; SET statement_timeout = '120s'; SELECT try_all('{quoted}', {CALLS})"
        );
        let outcome = query(server, DATABASE, &attempt).err().map(|error| error.to_string()).unwrap_or_default();
        tally += expect(function, &outcome, "");
    }
    tally += procedures(context)?;
    let fitting = FITTING.join("', '");
    let bad = format!(
        "SELECT DISTINCT ON (function, state) left(state || ' ' || call, 300) FROM outcome WHERE state NOT IN ('00000', '{fitting}') ORDER BY function, state"
    );
    let states = "SELECT string_agg(state || ' ' || n, ', ' ORDER BY state) FROM (SELECT state, count(*) AS n FROM outcome GROUP BY 1) s";
    println!("    calls by SQLSTATE: {}", query(server, DATABASE, states)?);
    tally += expect("calls that ended badly", &query(server, DATABASE, &bad)?, "");
    let untried = format!(
        "SELECT DISTINCT format_type(a, NULL) FROM unnest(ARRAY({MEMBERS})) f JOIN pg_proc p ON p.oid = f, unnest(p.proargtypes::oid[]) a
         WHERE (SELECT typtype FROM pg_type WHERE oid = a) <> 'c' AND format_type(a, NULL) NOT IN (SELECT type FROM extreme)"
    );
    tally += expect("types of arguments that there are no values for", &query(server, DATABASE, &untried)?, "");
    let both = "SELECT count(*) FILTER (WHERE state = '00000') > 100, count(*) FILTER (WHERE state <> '00000') > 100 FROM outcome";
    if context.part.is_none() {
        tally += expect("many calls answer and many are refused", &query(server, DATABASE, both)?, "t|t");
    }
    let still = query(server, DATABASE, "SELECT pg_postmaster_start_time()")?;
    tally += expect("the server has run all the time", &still, &started);
    Ok(tally)
}

/// Procedures end transactions, so each call is a statement of its own.
fn procedures(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    let mut session = Session::open(server, DATABASE)?;
    session.ask(r"\set VERBOSITY sqlstate")?;
    session.ask("SET client_min_messages = error; SET statement_timeout = '20s';")?;
    let mut tally = Tally::default();
    let procedures = query(server, DATABASE, &format!("{MEMBERS} AND p.prokind = 'p' ORDER BY 1::text"))?;
    for procedure in procedures.lines().filter(|procedure| context.wants(procedure)) {
        let quoted = procedure.replace('\'', "''");
        let calls = query(server, DATABASE, &format!("SELECT setseed(0.5); SELECT calls('{quoted}', 25)"))?;
        let mut bad = Vec::new();
        for call in calls.lines().filter(|line| line.starts_with("CALL")) {
            let answer = session.ask(&format!("{call};"))?;
            let wrong = answer.lines().filter_map(|line| line.strip_prefix("ERROR:")).map(str::trim);
            bad.extend(wrong.filter(|state| !FITTING.contains(state)).map(|state| format!("{state} {call}")));
        }
        tally += expect(procedure, &bad.join("\n"), "");
    }
    Ok(tally)
}
