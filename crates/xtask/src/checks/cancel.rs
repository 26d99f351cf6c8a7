//! Every long loop can be cancelled: `tests/checks/cancel.sql` is the list of them. Each is given much work and a tenth of a second to
//! do it in, or less.
//!
//! That it stops within the work, and not at the end of it, is told by a sequence that the statement would count up afterwards. How long the
//! slowest took to notice is printed.

use super::script::{load, part, steps};
use crate::check::{Context, Tally, expect};
use crate::psql::{Session, fresh_database, query};
use anyhow::Result;
use std::time::{Duration, Instant};

const DATABASE: &str = "cancel";
const FILE: &str = "cancel.sql";
/// Nothing waits that long for a cancel, even on a machine that does other things.
const PATIENCE: Duration = Duration::from_secs(20);

/// Gives each a tenth of a second, or less where that is enough for all of it.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh_database(server, DATABASE)?;
    load(server, DATABASE, &part(FILE, "made")?)?;
    let mut session = Session::open(server, DATABASE)?;
    session.ask("\\set VERBOSITY sqlstate\nSET client_min_messages = error; SET max_parallel_workers_per_gather = 0; SET jit = off;")?;
    session.ask("SELECT simhash('江口镇', 'jieba'), same_message('江口镇', '江口镇人');")?;
    let (expressions, statements) = (part(FILE, "expressions")?, part(FILE, "statements")?);
    let counted = steps(&expressions)
        .map(|(what, work)| (what, format!("SELECT CASE WHEN ({work}) IS NULL THEN 0 ELSE nextval('finished') END;")));
    let works = counted.chain(steps(&statements).map(|(what, statement)| (what, statement.to_owned())));
    let mut tally = Tally::default();
    let mut slowest = (Duration::ZERO, String::new());
    for (what, sql) in works.filter(|(what, _)| context.wants(what)) {
        let (mut answer, mut untouched) = (String::new(), String::new());
        // A quick machine is through with some of it sooner.
        for milliseconds in [100, 30, 10, 3] {
            session.ask(&format!(
                "SET statement_timeout = 0; ALTER SEQUENCE finished RESTART; SET statement_timeout = {milliseconds};"
            ))?;
            let start = Instant::now();
            answer = session.ask(&sql)?;
            slowest = slowest.max((start.elapsed(), what.clone()));
            untouched = session.ask("SELECT NOT is_called FROM finished;")?;
            if answer == "ERROR:  57014" {
                break;
            }
        }
        tally += expect(&what, &answer, "ERROR:  57014");
        tally += expect(&format!("{what}, cancelled in the middle"), &untouched, "t");
    }
    println!("    the slowest to notice: {}, after {} ms", slowest.1, slowest.0.as_millis());
    tally += Tally::one(slowest.0 < PATIENCE && tally.passed > 0);
    tally += expect("procedures at work", &query(server, DATABASE, "SELECT count(*) FROM neardup.progress")?, "0");
    Ok(tally)
}
