//! Passes hostile texts through the SQL functions (`tests/checks/hostile.sql`): each call ends, releases its memory, and can be
//! cancelled.
//!
//! A time limit of a minute stands for "never ends": any step that is not linear would need hours for 100 MB.

use super::cancel::{cancel, counted};
use super::script::{fresh, part, steps};
use crate::check::{Context, Tally, expect};
use crate::psql::{Session, query};
use anyhow::Result;

const DATABASE: &str = "hostile";
/// Reads the resident memory of the session's backend.
const MEMORY: &str =
    "SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmRSS:\\s+(\\d+)'))[1]::int / 1024 || ' MB';";

/// Runs every function on every text; then tests cancels; then compares memory.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh(server, DATABASE, &part("hostile.sql", "made")?)?;
    let names = query(server, DATABASE, "SELECT name FROM hostile")?;
    let analyzers = query(server, DATABASE, "SELECT name FROM analyzers()")?;
    let listed = part("hostile.sql", "work")?;
    // The functions to call, and the texts that they refuse as too long.
    let listed = steps(&listed).map(|(_, work)| {
        let refused = work.lines().filter_map(|line| line.strip_prefix("-- refuses: ")).map(str::to_owned).collect();
        (work.lines().next().unwrap_or_default().to_owned(), refused)
    });
    let signing = analyzers.lines().map(|analyzer| (format!("simhash(body, '{analyzer}')"), Vec::new()));
    let all: Vec<(String, Vec<String>)> = listed.chain(signing).collect();

    let mut session = Session::open(server, DATABASE)?;
    session.ask("\\set VERBOSITY sqlstate\nSET max_parallel_workers_per_gather = 0; SET jit = off; SET statement_timeout = '60s';")?;
    let mut tally = Tally::default();
    for name in names.lines() {
        for (work, refused) in &all {
            let sql =
                format!("SELECT coalesce(octet_length(({work})::text), 0) >= 0 FROM hostile WHERE name = '{name}';");
            let expected = if refused.iter().any(|refused| refused == name) { "ERROR:  54000" } else { "t" };
            tally += expect(&format!("{work} on {name}"), &session.ask(&sql)?, expected);
        }
    }
    println!("    a backend after them has {}", session.ask(MEMORY)?);
    for (work, _) in all.iter().filter(|(_, refused)| refused.is_empty()) {
        let sql = counted(&format!("SELECT {work} FROM hostile WHERE name = '100 MB of one Han character'"));
        tally += cancel(&mut session, &format!("{work}, cancelled"), &sql)?.0;
    }
    Ok(tally)
}
