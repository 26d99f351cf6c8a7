//! Every long loop can be cancelled: `tests/checks/cancel.sql` is the list of them. Each is given much work and a tenth of a second to
//! do it in, or less.
//!
//! That it stops within the work, and not at the end of it, is told by a sequence that the statement would count up afterwards. How long the
//! slowest took to notice is printed.

use super::script::{fresh, part, steps};
use crate::check::{Context, Tally, expect};
use crate::psql::{Session, query};
use anyhow::Result;
use std::time::{Duration, Instant};

const DATABASE: &str = "cancel";
const FILE: &str = "cancel.sql";
/// Nothing waits that long for a cancel, even on a machine that does other things.
const PATIENCE: Duration = Duration::from_secs(20);

/// Gives each a tenth of a second, or less where that is enough for all of it.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh(server, DATABASE, &part(FILE, "made")?)?;
    let mut session = Session::open(server, DATABASE)?;
    session.ask("\\set VERBOSITY sqlstate\nSET client_min_messages = error; SET max_parallel_workers_per_gather = 0; SET jit = off;")?;
    session.ask("SELECT simhash('江口镇', 'jieba'), same_message('江口镇', '江口镇人');")?;
    let (expressions, statements) = (part(FILE, "expressions")?, part(FILE, "statements")?);
    let counted = steps(&expressions).map(|(what, work)| (what, counted(work)));
    let works = counted.chain(steps(&statements).map(|(what, statement)| (what, statement.to_owned())));
    let mut tally = Tally::default();
    let mut slowest = (Duration::ZERO, String::new());
    for (what, sql) in works.filter(|(what, _)| context.wants(what)) {
        let (of_it, time) = cancel(&mut session, &what, &sql)?;
        tally += of_it;
        slowest = slowest.max((time, what));
    }
    println!("    the slowest to notice: {}, after {} ms", slowest.1, slowest.0.as_millis());
    tally += Tally::one(slowest.0 < PATIENCE && tally.passed > 0);
    tally += expect("procedures at work", &query(server, DATABASE, "SELECT count(*) FROM neardup.progress")?, "0");
    Ok(tally)
}

/// An expression as a statement that counts up a sequence when it is through.
pub fn counted(expression: &str) -> String {
    format!("SELECT CASE WHEN ({expression}) IS NULL THEN 0 ELSE nextval('finished') END;")
}

/// Gives a statement a tenth of a second, or less where that is enough for all of it: it must stop in the middle. How long it took to notice.
pub fn cancel(session: &mut Session, what: &str, sql: &str) -> Result<(Tally, Duration)> {
    let (mut answer, mut untouched, mut slowest) = (String::new(), String::new(), Duration::ZERO);
    // A quick machine is through with some of it sooner.
    for milliseconds in [100, 30, 10, 3] {
        session.ask("SET statement_timeout = 0; ALTER SEQUENCE finished RESTART;")?;
        session.ask(&format!("SET statement_timeout = {milliseconds};"))?;
        let start = Instant::now();
        answer = session.ask(sql)?;
        slowest = slowest.max(start.elapsed());
        untouched = session.ask("SELECT NOT is_called FROM finished;")?;
        if answer == "ERROR:  57014" {
            break;
        }
    }
    let mut tally = expect(what, &answer, "ERROR:  57014");
    tally += expect(&format!("{what}, cancelled in the middle"), &untouched, "t");
    Ok((tally, slowest))
}
