//! A logical replication subscriber: it applies what the publisher's guard has judged, and does not judge again.

use crate::check::{Context, Tally, expect};
use crate::error::Result;
use crate::psql::{Session, fresh_database, query};
use crate::server::Server;
use std::time::{Duration, Instant};

const DATABASE: &str = "subscriber";
const PATIENCE: Duration = Duration::from_secs(60);

const TABLE: &str = "CREATE TABLE article (id int PRIMARY KEY, body text);
    SELECT neardup.protect('article', 'body')";

const STATE: &str = "SELECT string_agg(a::text, ',' ORDER BY id) FROM article a";

/// Joins two servers and compares what they hold.
pub fn run(context: &Context) -> Result<Tally> {
    let publisher = Server::start_with(&context.postgres, &["wal_level=logical", "max_wal_senders=4"])?;
    let subscriber = Server::start_with(&context.postgres, &["wal_level=logical"])?;
    for server in [&publisher, &subscriber] {
        fresh_database(server, DATABASE)?;
        query(server, DATABASE, TABLE)?;
    }
    // What is there before the subscription is copied, and judged no more than what comes later: the publisher has let it in.
    query(
        &publisher,
        DATABASE,
        "INSERT INTO article SELECT i, repeat(md5(i::text), 8) FROM generate_series(1, 50) i;
         ALTER TABLE article DISABLE TRIGGER zz_neardup_body;
         INSERT INTO article SELECT 100 + id, body FROM article WHERE id <= 3;
         ALTER TABLE article ENABLE TRIGGER zz_neardup_body;
         CREATE PUBLICATION articles FOR TABLE article",
    )?;
    let connection = format!("host={} port=5432 user=postgres dbname={DATABASE}", publisher.directory().display());
    // A subscription cannot be made among other statements.
    query(
        &subscriber,
        DATABASE,
        &format!("CREATE SUBSCRIPTION articles CONNECTION '{connection}' PUBLICATION articles"),
    )?;
    let mut tally = same(&publisher, &subscriber, "the rows that were there")?;
    query(
        &publisher,
        DATABASE,
        "INSERT INTO article SELECT i, repeat(md5(i::text), 8) FROM generate_series(51, 60) i;
         UPDATE article SET body = repeat(md5('another'), 8) WHERE id = 7;
         DELETE FROM article WHERE id = 8;
         ALTER TABLE article DISABLE TRIGGER zz_neardup_body;
         INSERT INTO article SELECT 200 + id, body FROM article WHERE id <= 3;
         ALTER TABLE article ENABLE TRIGGER zz_neardup_body",
    )?;
    tally += same(&publisher, &subscriber, "the rows that came later")?;
    let counted = "SELECT coalesce(sum(count), 0) FROM neardup.counters";
    tally += expect("verdicts of the subscriber", &query(&subscriber, DATABASE, counted)?, "0");
    let mut session = Session::open(&subscriber, DATABASE)?;
    session.ask(r"\set VERBOSITY sqlstate")?;
    let copy = "INSERT INTO article SELECT 300, body FROM article WHERE id = 60;";
    tally += expect("a copy that a writer of the subscriber brings", &session.ask(copy)?, "ERROR:  23505");
    // Told to judge, it does so for what comes, too, and its locks end with each row.
    query(
        &subscriber,
        DATABASE,
        "SELECT neardup.protect('article', 'body', on_duplicate => 'skip'); ALTER TABLE article ENABLE ALWAYS TRIGGER zz_neardup_body",
    )?;
    query(&subscriber, DATABASE, "INSERT INTO article VALUES (400, repeat(md5('only here'), 8))")?;
    query(
        &publisher,
        DATABASE,
        "INSERT INTO article VALUES (401, repeat(md5('only here'), 8)), (402, repeat(md5('news'), 8))",
    )?;
    let arrived = "SELECT string_agg(id::text, ' ' ORDER BY id) FROM article WHERE id >= 400";
    tally += until(&subscriber, arrived, "400 402", "the rows that a subscriber who judges has let in")?;
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 5";
    tally += until(&subscriber, held, "0", "locks of the guard")?;
    query(&subscriber, DATABASE, "DROP SUBSCRIPTION articles")?;
    Ok(tally)
}

/// Waits until both hold the same, and says so if they do not.
fn same(publisher: &Server, subscriber: &Server, what: &str) -> Result<Tally> {
    until(subscriber, STATE, &query(publisher, DATABASE, STATE)?, what)
}

/// Waits until a server gives the answer, and says so if it does not.
fn until(server: &Server, question: &str, wanted: &str, what: &str) -> Result<Tally> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let found = query(server, DATABASE, question)?;
        if found == wanted || Instant::now() > deadline {
            return Ok(expect(what, &found, wanted));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
