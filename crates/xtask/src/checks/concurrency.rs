//! Many sessions insert edited copies of the same articles at the same moment: exactly one of each article is stored.
//!
//! One part inserts row by row, with each method to find near-duplicates, and loads rows beside sessions that write single ones
//! (`tests/checks/concurrency.sql`). The other part adds failing statements, cancels and killed backends: afterwards, the table
//! has no pair that the guard calls copies, no lock is left, and no session is broken.

use super::script::{fresh_sample, load, part, run_steps};
use crate::check::{Context, Tally, expect, expect_none};
use crate::psql::Session;
use crate::server::Server;
use anyhow::Result;
use std::collections::BTreeSet;

const DATABASE: &str = "concurrency";
const FILE: &str = "concurrency.sql";
/// The sessions that continue while errors of all kinds happen.
const SESSIONS: usize = 16;

/// Starts all sessions at once, and checks which rows were stored.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh_sample(server, DATABASE)?;
    let mut tally = run_steps(FILE, &part(FILE, "at once")?, DATABASE, &[("server", server)])?;
    tally += hurt(server)?;
    tally += run_steps(FILE, &part(FILE, "after")?, DATABASE, &[("server", server)])?;
    Ok(tally)
}

/// Inserts edited copies from many sessions while errors of all kinds happen.
fn hurt(server: &Server) -> Result<Tally> {
    load(server, DATABASE, &part(FILE, "hurt")?)?;
    let mut sessions = Vec::new();
    for number in 0..SESSIONS {
        let mut session = Session::open(server, DATABASE)?;
        session.ask(r"\set VERBOSITY sqlstate")?;
        let process = session.ask("SELECT pg_backend_pid();")?;
        session.send(&format!("SELECT hurt({number}) \\gexec\nSELECT 7 AS done;"))?;
        sessions.push((session, process));
    }
    // Meanwhile, each session is cancelled now and then, and two are killed.
    let (mut round, mut ended) = (0, BTreeSet::new());
    let mut other = Session::open(server, DATABASE)?;
    let at_work = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND query <> 'SELECT 7 AS done;';";
    while other.ask(at_work)? != "0" {
        let (_, process) = &sessions[round * 5 % SESSIONS];
        let kills = round == 20 || round == 40;
        let act = if kills { "pg_terminate_backend" } else { "pg_cancel_backend" };
        other.ask(&format!("SELECT {act}({process});"))?;
        if kills {
            ended.insert(process.clone());
        }
        round += 1;
    }
    let (mut told, mut broken) = (BTreeSet::new(), 0);
    for (session, process) in &mut sessions {
        if ended.contains(process) {
            continue;
        }
        let answer = session.answer()?;
        told.extend(answer.lines().filter(|line| line.starts_with("ERROR")).map(str::to_owned));
        // A surviving session works as before; its errors name the constraint.
        let probe = session.ask("\\set VERBOSITY default\nINSERT INTO page (url, length) VALUES ('probe', -1);");
        let is_whole = probe.is_ok_and(|answer| answer.contains("\"has_text\""))
            && session.ask("SELECT 1;").is_ok_and(|one| one == "1");
        broken += usize::from(!is_whole);
    }
    drop(sessions);
    println!("    {round} cancels and kills, {} sessions killed, told {told:?}", ended.len());
    // 23505: the url exists. 22012: division by zero. 57014, 57P01: cancelled, killed. 25P02: what follows in a transaction
    // whose SAVEPOINT, or whose statement before it, was cancelled.
    let expected: BTreeSet<String> =
        ["22012", "23505", "25P02", "57014", "57P01"].iter().map(|state| format!("ERROR:  {state}")).collect();
    let mut tally = expect_none("other errors", told.difference(&expected));
    tally += expect("broken sessions", &broken.to_string(), "0");
    Ok(tally)
}
