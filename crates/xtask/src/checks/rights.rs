//! SQL injection and privileges: no argument runs as SQL, no role gains a privilege, and the privileges that docs/rights.md
//! calls sufficient are.
//!
//! The SQL is in `tests/checks/rights/`. Each payload calls a function that advances a sequence, the alarm, which stays
//! advanced even if the transaction aborts.

use super::script::{lines, part, text};
use crate::check::{Context, Tally, expect};
use crate::psql::{Session, empty_database, errors, fresh_database, query, state};
use crate::server::Server;
use anyhow::{Result, bail};

const DATABASE: &str = "rights";

/// The part that uses `citext`.
const NEEDS_CITEXT: &str = "shadows";

/// A part of the check, in a database of its own.
type Part = fn(&Server) -> Result<Tally>;

/// Runs all parts.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    let parts: [(&str, Part); 7] = [
        ("arguments", arguments),
        ("names", names),
        ("forged", forged),
        ("least", least),
        ("shadows", shadows),
        ("planted", planted),
        ("hostile", hostile),
    ];
    let mut tally = Tally::default();
    for (name, part) in parts.iter().filter(|(name, _)| context.wants(name)) {
        if *name == NEEDS_CITEXT && !context.has_contrib()? {
            println!("    skipped {name}: this Postgres has no citext");
            continue;
        }
        fresh_database(server, DATABASE)?;
        ask(server, "DROP ROLE IF EXISTS keeper, mallory, reader, signer, cleaner, writer, merger")?;
        make(server, &text("rights/setup.sql")?)?;
        let of_it = part(server)?;
        println!("    {name}: {of_it}");
        tally += of_it;
    }
    query(server, "postgres", &format!("DROP DATABASE {DATABASE}"))?;
    query(server, "postgres", "DROP ROLE IF EXISTS keeper, mallory, reader, signer, cleaner, writer, merger")?;
    Ok(tally)
}

fn ask(server: &Server, sql: &str) -> Result<String> {
    query(server, DATABASE, sql)
}

/// Runs the set-up of a part and discards its output.
fn make(server: &Server, sql: &str) -> Result<String> {
    ask(server, &format!("SET client_min_messages = error; {sql}"))
}

/// Reads the rows of one column, which may contain line breaks.
fn rows(server: &Server, sql: &str) -> Result<Vec<String>> {
    let copied = ask(server, &format!("COPY ({sql}) TO STDOUT WITH (DELIMITER E'\\x01')"))?;
    Ok(copied.lines().map(|row| row.replace(r"\n", "\n").replace(r"\\", r"\")).collect())
}

/// Says whether a payload has run since the last call.
fn rung(server: &Server) -> Result<String> {
    let state = ask(server, "SELECT is_called FROM bell")?;
    ask(server, "ALTER SEQUENCE bell RESTART")?;
    Ok(state)
}

/// Passes each payload as each argument of each function, as a superuser and as a role without privileges.
fn arguments(server: &Server) -> Result<Tally> {
    ask(server, "DO $$ BEGIN EXECUTE 'SELECT ''' || (SELECT text FROM payload LIMIT 1); END $$")?;
    let mut tally = expect("a payload in a string that is put together rings the bell", &rung(server)?, "t");
    let quiet = "SET client_min_messages = error; SET statement_timeout = '300s'";
    for (role, schemas) in [("postgres", "AND NOT is_internal"), ("mallory", "")] {
        let functions = format!(
            "SELECT f.oid::regprocedure FROM (SELECT oid FROM members WHERE NOT is_procedure {schemas} ORDER BY 1 OFFSET 0) f WHERE rings(f.oid)"
        );
        let run = ask(server, &format!("{quiet}; SET ROLE {role}; {functions}"))?;
        tally += expect(&format!("functions that run what {role} gives them"), &run, "");
        let calls = format!("SELECT c FROM members p, calls(p.oid) c WHERE is_procedure {schemas}");
        let calls = rows(server, &calls)?;
        let mut session = Session::open(server, DATABASE)?;
        session.ask(&format!("{quiet}; SET ROLE {role};"))?;
        for call in calls {
            let before = session.ask("SELECT strokes();")?;
            session.ask(&format!("{call};"))?;
            tally +=
                expect(&format!("{call} by {role} runs what it is given"), &session.ask("SELECT strokes();")?, &before);
        }
    }
    let tried = ask(server, "SELECT count(*) > 3000, count(*) FILTER (WHERE state = 'P9999') > 500 FROM tried")?;
    tally += expect("many calls were made, and many were not refused", &tried, "t|t");
    tally += expect("all is as it was", &ask(server, "TABLE untouched; SELECT count(*) FROM article")?, "t\n20");
    Ok(tally)
}

/// Uses tables and columns whose names are payloads, from protect to unprotect, as an owner without other privileges.
fn names(server: &Server) -> Result<Tally> {
    let mut tally = Tally::default();
    let payloads = ask(server, "SELECT ctid FROM payload")?;
    for payload in payloads.lines() {
        let steps = format!("SELECT l FROM payload p, life(p.text) l WHERE p.ctid = '{payload}'");
        let steps = rows(server, &steps)?;
        let mut session = Session::open(server, DATABASE)?;
        session.ask("SET client_min_messages = error; SET ROLE keeper;")?;
        for step in steps {
            let answer = session.ask(&format!("{step};"))?;
            tally += expect(&step, &errors(&answer), "");
        }
        tally += expect("the names were run", &rung(server)?, "f");
    }
    tally += Tally::one(!payloads.is_empty());
    Ok(tally)
}

/// Uses removed rows and triggers that a table's owner has written by hand, as a superuser. What a cleaner of another role's table forges
/// does not get into its removed rows.
fn forged(server: &Server) -> Result<Tally> {
    let mut session = Session::open(server, DATABASE)?;
    session.ask("SET client_min_messages = error;")?;
    session.ask(&text("rights/forged.sql")?)?;
    let mut tally = Tally::default();
    let restored = session.ask("ALTER TABLE mallorys.own DISABLE TRIGGER ALL; CALL neardup.restore('mallorys.own', 1); ALTER TABLE mallorys.own ENABLE TRIGGER ALL; SELECT body FROM mallorys.own WHERE id = 2000;")?;
    tally +=
        expect("rows that an owner has put in by hand come back to the owner's table alone", &restored, "1\nput in");
    let kept = ask(
        server,
        "SELECT count(*), bool_and(r.body = md5((r.id / 2)::text) || md5((r.id / 2)::text || 'x') AND r.neardup_run = 1) FROM article_removed r",
    )?;
    tally += expect("rows that a forged list removed, and whether they are kept as they were", &kept, "1|t");
    let use_it = "SELECT count(*) FROM neardup.protected; SELECT neardup.report('mallorys.own'); CALL neardup.cleanup('mallorys.own', dry_run => false); CALL neardup.purge('mallorys.own', '0 s'); INSERT INTO mallorys.own VALUES (99, 'x');";
    session.ask(use_it)?;
    tally += expect("what somebody wrote by hand was run", &rung(server)?, "f");
    tally += expect("all is as it was", &ask(server, "TABLE untouched")?, "t");
    Ok(tally)
}

/// Tests roles with the privileges that docs/rights.md calls sufficient, and with one less.
fn least(server: &Server) -> Result<Tally> {
    const FILE: &str = "rights/least.sql";
    make(server, &part(FILE, "roles")?)?;
    let mut tally = Tally::default();
    for case in lines(&part(FILE, "cases")?) {
        let [role, expected, statement] = case.splitn(3, '|').collect::<Vec<_>>()[..] else {
            bail!("not role|SQLSTATE|statement: {case}");
        };
        let mut session = Session::open(server, DATABASE)?;
        session.ask(&format!("\\set VERBOSITY sqlstate\nSET client_min_messages = error; SET ROLE {role};"))?;
        let answer = session.ask(&format!("{statement};"))?;
        tally += expect(&format!("{role}: {statement}"), state(&answer), expected);
    }
    Ok(tally)
}

/// A role shadows types, domains, casts, operators, functions and tables in pg_temp and on its search path. It creates guards
/// by hand on its own tables and on those where it may create triggers, writes to guarded tables and calls every function.
/// Nothing of it runs as another role.
fn hostile(server: &Server) -> Result<Tally> {
    const FILE: &str = "rights/hostile.sql";
    make(server, &part(FILE, "keeper")?)?;
    // One payload for each argument of each function; the calls are written down before names are shadowed.
    let calls = "SELECT c FROM (SELECT c, row_number() OVER (PARTITION BY p.oid) AS n FROM members p, calls(p.oid) c) n WHERE n % 31 = 1";
    let calls = rows(server, calls)?;
    let before = ask(server, "TABLE things")?;
    let mut session = Session::open(server, DATABASE)?;
    session.ask("SET statement_timeout = '60s';")?;
    session.ask(&part(FILE, "mallory")?)?;
    let mut made = 0;
    for statement in lines(&part(FILE, "work")?).map(str::to_owned).chain(calls) {
        session.ask(&format!("{statement};"))?;
        made += 1;
    }
    let sprung = |name: &str| ask(server, &format!("SELECT last_value * is_called::int FROM {name}"));
    let (own, of_others) = (sprung("sprung")?, sprung("alarm")?);
    println!("    {made} statements and calls, traps sprung {own} times, as another role {of_others} times");
    let mut tally = expect("traps that ran as another role", &of_others, "0");
    tally += Tally::one(made > 300 && own.parse::<u64>().is_ok_and(|own| own > 300));
    tally += expect("what is none of her business", &ask(server, "TABLE things")?, &before);
    let worked = "SELECT count(*) > 0 FROM public.diverts_diverted; SELECT count(*) > 0 FROM neardup.verdicts WHERE target = 'public.logs'::regclass";
    tally += expect("the guards of the tables worked meanwhile", &ask(server, worked)?, "t\nt");
    session.ask("SELECT public.careless(1);")?;
    tally += expect("a careless function of the owner's springs the trap", &sprung("alarm")?, "1");
    Ok(tally)
}

/// Another role's operators come first in the search path: neither triggers, which run at each insert, nor functions that an
/// administrator calls name one, which would fail.
fn shadows(server: &Server) -> Result<Tally> {
    const FILE: &str = "rights/administration.sql";
    make(server, &part(FILE, "tables")?)?;
    make(server, &text("rights/shadows.sql")?)?;
    let operators = ask(server, "SELECT count(*) > 1000 FROM pg_operator WHERE oprnamespace = 'shadow'::regnamespace")?;
    let mut tally = expect("there are shadows", &operators, "t");
    let path = "SET client_min_messages = error; SET search_path = shadow, public;";
    let on_path = || {
        let mut session = Session::open(server, DATABASE)?;
        session.ask(path)?;
        Ok::<_, anyhow::Error>(session)
    };
    let called = on_path()?.ask("SELECT count(*) FROM article WHERE id < 0 AND 1::oid = 'article'::regclass;")?;
    tally += Tally::one(errors(&called).contains("somebody_elses_operator"));
    for work in lines(&part(FILE, "by itself")?) {
        let answer = on_path()?.ask(&format!("BEGIN; {work}; COMMIT;"))?;
        tally += expect(&format!("somebody else's operator in: {work}"), &errors(&answer), "");
    }
    let mut session = on_path()?;
    for work in lines(&part(FILE, "work")?) {
        let answer = session.ask(&format!("{work}{}", if work.ends_with("\\gset") { "" } else { ";" }))?;
        tally += expect(&format!("somebody else's operator in: {work}"), &errors(&answer), "");
    }
    Ok(tally)
}

/// A role has put operators and functions into the schema before the extension is installed there: no view, function, constraint or default of
/// the extension names one for good.
fn planted(server: &Server) -> Result<Tally> {
    const FILE: &str = "rights/planted.sql";
    let overloads = rows(server, &part(FILE, "overloads")?)?;
    empty_database(server, DATABASE)?;
    ask(server, "GRANT CREATE ON SCHEMA public TO mallory")?;
    let as_mallory = "SET check_function_bodies = off; SET ROLE mallory;";
    make(server, &format!("{as_mallory} {}", part(FILE, "plant")?))?;
    make(server, &format!("{as_mallory} {}", overloads.join(";")))?;
    let operators = "SELECT count(*) > 2000 FROM pg_operator WHERE oprowner = 'mallory'::regrole::oid";
    let mut tally = expect("there are planted operators", &ask(server, operators)?, "t");
    let mut session = Session::open(server, DATABASE)?;
    let control = "CREATE VIEW public.careless AS SELECT 1 FROM pg_class c WHERE c.oid = 'pg_class'::regclass;";
    tally += expect("errors of CREATE EXTENSION", &errors(&session.ask("CREATE EXTENSION pg_neardup;")?), "");
    session.ask("SET search_path = public; SET check_function_bodies = off;")?;
    session.ask(control)?;
    session.ask("SET search_path = pg_catalog;")?;
    let bound = session.ask(&format!("{};", part(FILE, "bound")?.trim_end()))?;
    tally += expect(
        "what names an object of another role",
        &bound,
        "rule _RETURN on view public.careless uses operator public.=(oid,regclass)",
    );
    Ok(tally)
}
