//! A server that loads the library, and jieba's dictionary, at its start: signatures are the same, and a backend that has
//! signed many documents has grown no more.

use crate::check::{Context, Tally, expect};
use crate::error::Result;
use crate::psql::{Session, fresh_database, query};
use crate::server::Server;

const DATABASE: &str = "preload";

/// The resident memory of the session's backend, in megabytes.
const RESIDENT: &str = "SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmRSS:\\s+(\\d+)'))[1]::int / 1024";
/// Works through many documents, in every way that keeps something from one to the next.
const WORK: &str = "
SELECT count(simhash(d)), count(simhash(d, 'ik_smart')), count(simhash(d, 'chars:3')), count(normalize_text(d, '{html,nfkc,space}')),
       count(p_simhash(d)), count(neardup.p_simhash(d, 'house')), sum((SELECT count(*) FROM keywords(d, 3, 'textrank')))
FROM (SELECT '<p>江口镇今日举办第十届龙舟赛，二十四支队伍参加，上游村队夺冠。' || i AS d FROM generate_series(1, 50000) i) t";
const PROFILE: &str = "
SELECT neardup.create_profile('house', words => '{上游村队}');
CALL neardup.train_profile('house', 'SELECT ''上游村队夺冠'' || i FROM generate_series(1, 100) i')";

/// Compares signatures with and without preloading, and memory before and after much work.
pub fn run(context: &Context) -> Result<Tally> {
    let sign = "SELECT simhash('江口镇今日举办第十届龙舟赛'), simhash('江口镇今日举办第十届龙舟赛', 'chars:3')";
    let usual = context.server()?;
    fresh_database(usual, DATABASE)?;
    let preloaded =
        Server::start_with(&context.postgres, &["shared_preload_libraries=pg_neardup", "pg_neardup.preload=on"])?;
    fresh_database(&preloaded, DATABASE)?;
    let mut tally = expect("the setting", &query(&preloaded, DATABASE, "SHOW pg_neardup.preload")?, "on");
    tally += expect("signatures", &query(&preloaded, DATABASE, sign)?, &query(usual, DATABASE, sign)?);

    query(usual, DATABASE, PROFILE)?;
    let mut session = Session::open(usual, DATABASE)?;
    session.ask(r"\t on \a SET jit = off;")?;
    session.ask(&format!("{WORK};"))?;
    let before = megabytes(&session.ask(&format!("{RESIDENT};"))?);
    session.ask(&format!("{WORK};"))?;
    let after = megabytes(&session.ask(&format!("{RESIDENT};"))?);
    // A leak of one signature's tokens a document would be 50 MB and more.
    let grown = matches!((before, after), (Some(before), Some(after)) if after <= before + 8);
    println!("    a backend of {before:?} MB has {after:?} MB after 50,000 documents more");
    tally += Tally::one(grown);
    Ok(tally)
}

/// The number in psql's answer.
fn megabytes(answer: &str) -> Option<u64> {
    answer.split_whitespace().rev().find_map(|word| word.parse().ok())
}
