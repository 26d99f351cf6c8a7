//! Kills a whole server (`tests/checks/crash.sql`), and one backend while others write, after which the server restarts all of
//! them. What was committed must be there again.

use super::script::{fresh_sample, load, part, run_steps};
use crate::check::{Context, Tally, expect, expect_none};
use crate::interrupt::kill;
use crate::psql::{Session, query, wait_until};
use crate::server::Server;
use anyhow::Result;
use std::collections::BTreeSet;

const DATABASE: &str = "crash";
const FILE: &str = "crash.sql";
const WRITERS: usize = 4;
const ARTICLES: usize = 300;
/// How often each article is sent: often enough that sessions still write when one is killed, and no more than a pipe buffers.
const ROUNDS: usize = 10;

/// Runs both parts on a server of its own.
pub fn run(context: &Context) -> Result<Tally> {
    let server = Server::start_with(&context.postgres, &["max_prepared_transactions=4"])?;
    fresh_sample(&server, DATABASE)?;
    let mut tally = run_steps(FILE, &part(FILE, "server")?, DATABASE, &[("server", &server)])?;
    load(&server, DATABASE, &part(FILE, "backend")?)?;
    tally += backend(&server)?;
    for steps in ["after", "locks"] {
        tally += run_steps(FILE, &part(FILE, steps)?, DATABASE, &[("server", &server)])?;
    }
    Ok(tally)
}

/// Kills one of several sessions that write the same articles. Every row that was confirmed to a session is there, and none is
/// there twice.
fn backend(server: &Server) -> Result<Tally> {
    let inserts: String = (1..=ARTICLES).map(|number| format!("SELECT put({number});\n")).collect();
    let mut sessions = Vec::new();
    for _ in 0..WRITERS {
        let mut session = Session::open(server, DATABASE)?;
        let process: u32 = session.ask("SELECT pg_backend_pid();")?.parse()?;
        // A session that has finished waits, so that all four are connected when one is killed.
        session.send(&format!("{}SELECT pg_sleep(600);\n", inserts.repeat(ROUNDS)))?;
        sessions.push((session, process));
    }
    wait_until(|| Ok(query(server, DATABASE, "SELECT count(*) >= 20 FROM feed")? == "t"))?;
    if let Some((_, process)) = sessions.first() {
        kill(*process, libc::SIGKILL);
    }
    // The keys that each session received before its connection broke.
    let mut told = BTreeSet::new();
    let mut cut_off = 0;
    for (session, _) in &mut sessions {
        let answer = session.answer().unwrap_or_else(|error| {
            cut_off += 1;
            error.to_string()
        });
        told.extend(answer.split_whitespace().filter_map(|word| word.parse::<u64>().ok()));
    }
    drop(sessions);
    let mut tally = expect("sessions that were cut off", &cut_off.to_string(), &WRITERS.to_string());
    wait_until(|| Ok(query(server, DATABASE, "SELECT 1").is_ok()))?;
    let there: BTreeSet<u64> =
        query(server, DATABASE, "SELECT id FROM feed")?.lines().filter_map(|line| line.parse().ok()).collect();
    tally += expect_none("rows that sessions were told of and that are lost", told.difference(&there));
    Ok(tally)
}
