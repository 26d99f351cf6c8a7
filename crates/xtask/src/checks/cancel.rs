//! Every long loop can be cancelled: `tests/checks/cancel.sql` lists them. Each statement gets much work and at most a tenth of
//! a second.
//!
//! Each statement increments a sequence after its work, so the sequence shows whether it stopped in the middle. The check
//! prints the longest time from cancel to stop.

use super::script::{fresh, part, steps};
use crate::check::{Context, Tally, expect};
use crate::psql::{Session, query};
use anyhow::Result;
use std::time::{Duration, Instant};

const DATABASE: &str = "cancel";
const FILE: &str = "cancel.sql";
/// No cancel may take longer, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Cancels each after a tenth of a second, or sooner if it finishes in that time.
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

/// Makes a statement of an expression that increments the sequence when it finishes.
pub fn counted(expression: &str) -> String {
    format!("SELECT CASE WHEN ({expression}) IS NULL THEN 0 ELSE nextval('finished') END;")
}

/// Cancels a statement after a tenth of a second, or sooner if it finishes in that time: it must stop in the middle. Returns
/// the time it took to stop.
pub fn cancel(session: &mut Session, what: &str, sql: &str) -> Result<(Tally, Duration)> {
    let (mut answer, mut untouched, mut slowest) = (String::new(), String::new(), Duration::ZERO);
    // A fast machine finishes some of them sooner.
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
