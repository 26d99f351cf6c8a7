//! A nightly clean-up by pg_cron: one statement for the clean-up, one for the purge, on a server of its own that has pg_cron loaded.

use crate::check::{Context, Tally, expect};
use crate::command::is_root;
use crate::debian::install_missing;
use crate::error::Result;
use crate::psql::{fresh_database, query};
use crate::say;
use crate::server::Server;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const DATABASE: &str = "cron";
/// pg_cron looks for new jobs every minute, and then runs those that are due.
const PATIENCE: Duration = Duration::from_secs(100);

/// Schedules both every second, where pg_cron is that new, or else every minute, and waits for their effect.
pub fn run(context: &Context) -> Result<Tally> {
    let package = format!("postgresql-{}-cron", context.postgres.major);
    let library = PathBuf::from(format!("/usr/lib/postgresql/{}/lib/pg_cron.so", context.postgres.major));
    if !library.exists() && is_root() {
        // Without it the check is skipped, so a machine that cannot fetch packages goes on.
        if let Err(error) = install_missing(std::slice::from_ref(&package)) {
            say::note(&error.to_string());
        }
    }
    if !library.exists() {
        say::note(&format!("skipped: {package} is not installed"));
        return Ok(Tally::default());
    }
    let server = Server::start_with(
        &context.postgres,
        &["shared_preload_libraries=pg_cron", "cron.database_name=cron", "cron.use_background_workers=on"],
    )?;
    fresh_database(&server, DATABASE)?;
    query(
        &server,
        DATABASE,
        "CREATE EXTENSION pg_cron;
         CREATE TABLE articles (id int PRIMARY KEY, day date, body text);
         INSERT INTO articles SELECT i, '2031-01-01', '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。' FROM generate_series(1, 10) i;
         SELECT neardup.protect('articles', 'body');",
    )?;
    query(
        &server,
        DATABASE,
        "SELECT cron.schedule('nightly clean-up', '* * * * *', $$CALL neardup.cleanup('articles', dry_run => false)$$);
         SELECT cron.schedule('purge', '* * * * *', $$CALL neardup.purge('1 day')$$)",
    )?;
    let done = "SELECT count(DISTINCT jobid) FROM cron.job_run_details WHERE status IN ('succeeded', 'failed')";
    let deadline = Instant::now() + PATIENCE;
    while query(&server, DATABASE, done)? != "2" && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(500));
    }
    let outcome = "SELECT string_agg(DISTINCT concat(jobname, ' ', status, ' ', CASE status WHEN 'failed' THEN return_message END), ', ' ORDER BY concat(jobname, ' ', status, ' ', CASE status WHEN 'failed' THEN return_message END)) FROM cron.job_run_details JOIN cron.job USING (jobid)";
    let mut tally =
        expect("the jobs", &query(&server, DATABASE, outcome)?, "nightly clean-up succeeded , purge succeeded ");
    tally += expect("rows that stay", &query(&server, DATABASE, "SELECT count(*) FROM articles")?, "1");
    tally += expect("rows archived", &query(&server, DATABASE, "SELECT count(*) FROM neardup.removed")?, "9");
    Ok(tally)
}
