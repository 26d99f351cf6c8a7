//! Interrupts each procedure twenty times at random points: it is cancelled, its session or its client is killed, or the
//! server. It can always be called again; no row is lost that is not in the archive, and no group loses the row that stays.

use super::script::{fresh, text};
use crate::check::{Context, Tally, expect};
use crate::psql::{Session, query, wait_until};
use crate::random::Random;
use crate::server::Server;
use anyhow::Result;
use std::time::Duration;

const DATABASE: &str = "resume";
const INTERRUPTIONS: u32 = 20;

const CLEANUP: &str = "CALL neardup.cleanup('articles', dry_run => false, batch => 50, throttle => '1 ms');";

/// Interrupts each procedure twenty times, then lets it finish.
pub fn run(context: &Context) -> Result<Tally> {
    let server = Server::start(&context.postgres)?;
    fresh(&server, DATABASE, &text("resume.sql")?)?;
    let ask = |sql: &str| query(&server, DATABASE, sql);
    let mut tally = Tally::default();
    // The random points are the same in each run, as far as timing allows.
    let mut random = Random(20260301);
    let procedures: [fn(&Server) -> Result<String>; 3] = [cleanup, restore, purge];
    for procedure in procedures {
        for round in 0..INTERRUPTIONS {
            let call = procedure(&server)?;
            interrupt(&server, &call, round, Duration::from_millis(20 + random.below(200) as u64))?;
            tally += expect(&format!("what is lost after interruption {round} of {call}"), &ask("TABLE lost")?, "");
            tally += expect("procedures at work after it", &ask("SELECT count(*) FROM neardup.progress")?, "0");
            tally += expect("table locks after it", &ask(LOCKS)?, "0");
            tally += expect("what is forgotten too early", &ask("TABLE forgotten")?, "");
        }
    }
    ask("CALL neardup.purge('before', '1 day')")?;
    tally += expect("old rows at the end", &ask(OLD)?, "0");
    ask(CLEANUP)?;
    tally += expect("what is lost at the end", &ask("TABLE lost")?, "");
    let others = "SELECT count(*) FROM (SELECT id FROM articles EXCEPT TABLE remaining) a FULL JOIN (TABLE remaining EXCEPT SELECT id FROM articles) r USING (id)";
    tally += expect("rows that are there and should not be, or the reverse", &ask(others)?, "0");
    restore_all(&server)?;
    let different = "SELECT count(*) FROM (SELECT id, body FROM articles EXCEPT TABLE before) a, (TABLE before EXCEPT SELECT id, body FROM articles) b";
    tally += expect("rows that are not as before when all is restored", &ask(different)?, "0");
    Ok(tally)
}

fn cleanup(server: &Server) -> Result<String> {
    // Those that have a reader stay.
    let left = "SELECT count(*) FROM neardup.duplicates('articles') WHERE key::int % 5 <> 0";
    if query(server, DATABASE, left)? == "0" {
        restore_all(server)?;
    }
    Ok(CLEANUP.to_owned())
}

fn restore(server: &Server) -> Result<String> {
    const LAST: &str = "SELECT max(neardup_run) FROM articles_removed";
    let mut run = query(server, DATABASE, LAST)?;
    if run.is_empty() {
        query(server, DATABASE, CLEANUP)?;
        run = query(server, DATABASE, LAST)?;
    }
    Ok(format!("CALL neardup.restore('articles', {run}, answer => false);"))
}

fn restore_all(server: &Server) -> Result<()> {
    let runs = "SELECT DISTINCT neardup_run FROM articles_removed ORDER BY neardup_run DESC";
    for run in query(server, DATABASE, runs)?.lines() {
        query(server, DATABASE, &format!("CALL neardup.restore('articles', {run}, answer => false)"))?;
    }
    Ok(())
}

const OLD: &str = "SELECT count(*) FROM before_removed WHERE neardup_at < now() - interval '1 day'";

fn purge(server: &Server) -> Result<String> {
    if query(server, DATABASE, OLD)? == "0" {
        query(server, DATABASE, "CALL fill_archive()")?;
    }
    Ok("CALL neardup.purge('before', '1 day', batch => 200);".to_owned())
}

const LOCKS: &str = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 16";

/// Starts a procedure in a session of its own and ends it after a while. In turn, it is cancelled, its session is killed, its
/// client is killed, and the server is killed.
fn interrupt(server: &Server, procedure: &str, round: u32, after: Duration) -> Result<()> {
    let mut session = Session::open(server, DATABASE)?;
    let process = session.ask("SET client_connection_check_interval = '10ms'; SELECT pg_backend_pid();")?;
    session.send(procedure)?;
    std::thread::sleep(after);
    match round % 4 {
        0 => query(server, DATABASE, &format!("SELECT pg_cancel_backend({process})"))
            .and_then(|_| session.answer())
            .map(drop),
        1 => query(server, DATABASE, &format!("SELECT pg_terminate_backend({process}, 5000)")).map(drop),
        2 => {
            session.disconnect()?;
            let gone = format!("SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = {process}");
            wait_until(|| Ok(query(server, DATABASE, &gone)? == "t"))
        }
        _ => {
            server.crash();
            drop(session);
            server.restart()
        }
    }
}
