//! Calls every function of the extension with extreme arguments: each call must return a result or raise a fitting error.
//!
//! The calls are drawn at random, with a fixed seed, from the lists of values by type in `tests/checks/extremes.sql`. An error
//! with an SQLSTATE that is not listed there fails the check (an internal error, out of memory, a call that had to be
//! cancelled), and so does a crash of the server.

use super::script::{fresh, text};
use crate::check::{Context, Tally, expect};
use crate::psql::{Session, query, state};
use anyhow::Result;

const DATABASE: &str = "extremes";
/// How often each function is called.
const CALLS: u32 = 80;

/// Makes all calls and evaluates their results.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh(server, DATABASE, &text("extremes.sql")?)?;
    let ask = |sql: &str| query(server, DATABASE, sql);
    // This session breaks if the server restarts its backends.
    let mut session = Session::open(server, DATABASE)?;
    let mut tally = Tally::default();
    let members =
        |kind: &str| ask(&format!("SELECT function FROM members WHERE {kind} is_procedure ORDER BY function::text"));
    for function in members("NOT")?.lines().filter(|function| context.wants(function)) {
        let quoted = function.replace('\'', "''");
        let attempt = format!(
            "SET client_min_messages = error; SET statement_timeout = '120s'; SELECT try_all('{quoted}', {CALLS})"
        );
        let outcome = ask(&attempt).err().map(|error| error.to_string()).unwrap_or_default();
        tally += expect(function, &outcome, "");
    }
    // Procedures end transactions, so each call is a statement of its own.
    session.ask("\\set VERBOSITY sqlstate\nSET client_min_messages = error; SET statement_timeout = '20s';")?;
    for procedure in members("")?.lines().filter(|procedure| context.wants(procedure)) {
        let quoted = procedure.replace('\'', "''");
        let calls = ask(&format!("SELECT setseed(0.5); SELECT calls('{quoted}', 25)"))?;
        for call in calls.lines().filter(|line| line.starts_with("CALL")) {
            let answer = session.ask(&format!("{call};"))?;
            ask(&format!("INSERT INTO outcome VALUES ('{quoted}', $q${call}$q$, '{}')", state(&answer)))?;
        }
        tally += Tally::one(!calls.is_empty());
    }
    println!("    calls by SQLSTATE: {}", ask("TABLE by_state")?);
    tally += expect("calls that ended badly", &ask("TABLE bad")?, "");
    tally += expect("types of arguments that there are no values for", &ask("TABLE untried")?, "");
    let both = "SELECT count(*) FILTER (WHERE state = '00000') > 100, count(*) FILTER (WHERE state <> '00000') > 100 FROM outcome";
    if context.part.is_none() {
        tally += expect("many calls answer and many are refused", &ask(both)?, "t|t");
    }
    Ok(tally)
}
