//! A streaming replica: it has the rows and the index, answers the same, and after promotion its guard stands.

use super::sample;
use crate::check::{Context, Tally, expect};
use crate::error::Result;
use crate::psql::{Session, query};
use crate::server::Server;

const DATABASE: &str = "replica";

/// What primary and replica must answer alike.
const QUESTIONS: &[(&str, &str)] = &[
    ("the rows", "SELECT string_agg(a::text, ',' ORDER BY id) FROM article a"),
    (
        "a search by the index",
        "SET enable_seqscan = off; SELECT string_agg(a.id || '=' || b.id, ',' ORDER BY a.id, b.id)
         FROM article a JOIN article b ON near_duplicate(b.body, a.body)",
    ),
    ("the copies", "SELECT string_agg(d::text, ',' ORDER BY key) FROM neardup.duplicates('article') d"),
];

/// Makes a replica of a server with a guarded table, compares, promotes, tries.
pub fn run(context: &Context) -> Result<Tally> {
    let primary = Server::start_with(&context.postgres, &["wal_level=replica", "max_wal_senders=4"])?;
    sample::load(&primary, DATABASE)?;
    query(
        &primary,
        DATABASE,
        "CREATE TABLE article (id text PRIMARY KEY, body text);
         SELECT neardup.protect('article', 'body');
         INSERT INTO article SELECT id, body FROM sample ORDER BY length(body) DESC LIMIT 20",
    )?;
    let replica = Server::replica_of(&primary)?;
    // What comes after the copy was taken travels as WAL.
    let more = "INSERT INTO article SELECT 'more ' || id, reverse(body) FROM article; SELECT pg_current_wal_lsn()";
    let position = query(&primary, DATABASE, more)?;
    let caught_up = format!(
        "DO $$ BEGIN FOR i IN 1..600 LOOP
             EXIT WHEN pg_last_wal_replay_lsn() >= '{position}'; PERFORM pg_sleep(0.1); END LOOP; END $$;
         SELECT pg_last_wal_replay_lsn() >= '{position}'"
    );
    let mut tally = expect("the replica has caught up", &query(&replica, DATABASE, &caught_up)?, "t");
    for (what, question) in QUESTIONS {
        let (here, there) = (query(&primary, DATABASE, question)?, query(&replica, DATABASE, question)?);
        tally += expect(&format!("{what} on the replica"), &there, &here);
    }
    tally += expect("rows on the replica", &query(&replica, DATABASE, "SELECT count(*) > 20 FROM article")?, "t");
    primary.crash();
    query(&replica, DATABASE, "SELECT pg_promote()")?;
    let mut session = Session::open(&replica, DATABASE)?;
    session.ask(r"\set VERBOSITY sqlstate")?;
    let copy = "INSERT INTO article SELECT 'copy', body || '（完）' FROM article ORDER BY length(body) DESC LIMIT 1;";
    tally += expect("a copy after the promotion", &session.ask(copy)?, "ERROR:  23505");
    Ok(tally)
}
