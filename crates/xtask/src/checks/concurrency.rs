//! Many sessions insert edited copies of the same articles at the same moment: of each article exactly one gets in.
//!
//! Once row by row, and for each way to find near-duplicates as loads in either order beside sessions that write single rows: nobody
//! is ended by a deadlock.

use super::{Tally, expect, sample};
use crate::error::Result;
use crate::psql::{Session, query};
use crate::server::Server;
use crate::test::Context;
use std::time::Duration;

const DATABASE: &str = "concurrency";
const SESSIONS: usize = 8;
const ARTICLES: usize = 10;

/// What guards are told beside the table: each way to find near-duplicates has locks of its own.
const METHODS: &[&str] =
    &["verify => 'none'", "method => 'minhash', similarity => 0.8", "method => 'overlap', similarity => 0.8"];

/// Lets all sessions go at once, and counts who got in.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    sample::load(server, DATABASE)?;
    query(
        server,
        DATABASE,
        &format!(
            "CREATE TABLE article (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, original int, body text);
             SELECT neardup.protect('article', 'body');
             CREATE TABLE original AS SELECT row_number() OVER () AS number, body
                 FROM (SELECT body FROM sample ORDER BY length(body) DESC LIMIT {ARTICLES}) AS longest"
        ),
    )?;
    let mut refused = 0;
    let mut tally = Tally::default();
    for answer in at_once(server, inserts)? {
        let (duplicate, other): (Vec<&str>, Vec<&str>) =
            answer.lines().filter(|line| !line.is_empty()).partition(|line| *line == "ERROR:  23505");
        refused += duplicate.len();
        tally += expect("what a session was told beside refusals", &other.join("\n"), "");
    }
    let survivors = "SELECT string_agg(concat(original, ':', n), ' ' ORDER BY original) FROM (SELECT original, count(*) AS n FROM article GROUP BY 1) AS s";
    let one_each: Vec<String> = (1..=ARTICLES).map(|number| format!("{number}:1")).collect();
    tally += expect("rows of each article", &query(server, DATABASE, survivors)?, &one_each.join(" "));
    tally += expect("refusals", &refused.to_string(), &((SESSIONS - 1) * ARTICLES).to_string());
    for method in METHODS {
        tally += mixed(server, method)?;
    }
    Ok(tally)
}

/// Lets all sessions go at the same moment, and gives what each was told.
fn at_once(server: &Server, statements: impl Fn(usize) -> String) -> Result<Vec<String>> {
    let mut gate = Session::open(server, DATABASE)?;
    gate.ask("SELECT pg_advisory_lock(1, 1);")?;
    let mut sessions = Vec::new();
    for number in 0..SESSIONS {
        let mut session = Session::open(server, DATABASE)?;
        session.ask(r"\set VERBOSITY sqlstate")?;
        session.send(&statements(number))?;
        sessions.push(session);
    }
    wait_for_all(server)?;
    gate.ask("SELECT pg_advisory_unlock(1, 1);")?;
    sessions.iter_mut().map(Session::answer).collect()
}

/// Loads in either order beside single rows.
fn mixed(server: &Server, method: &str) -> Result<Tally> {
    query(
        server,
        DATABASE,
        &format!(
            "DROP TABLE IF EXISTS feed, text;
             CREATE TABLE feed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
             SELECT neardup.protect('feed', 'body', on_duplicate => 'skip', {method});
             CREATE TABLE text AS SELECT i AS number, string_agg(md5(i || '-' || j), '' ORDER BY j) AS body
                 FROM generate_series(1, 300) i, generate_series(1, 8) j GROUP BY i"
        ),
    )?;
    let load =
        |order: &str| format!("INSERT INTO feed (body) SELECT body || '。' FROM text ORDER BY number {order};\n");
    let single = (1..=300)
        .rev()
        .map(|number| format!("INSERT INTO feed (body) SELECT body FROM text WHERE number = {number} LIMIT 1;\n"))
        .collect::<String>();
    let answers = at_once(server, |session| {
        let work = match session % 4 {
            0 => load(""),
            1 => load("DESC"),
            2 => load("% 7, number"),
            _ => single.clone(),
        };
        format!("DO $$ BEGIN PERFORM pg_advisory_lock_shared(1, 1); END $$;\n{work}")
    })?;
    let mut tally = expect(&format!("what a session was told, {method}"), answers.concat().trim(), "");
    let survivors = "SELECT count(*) || ' ' || count(DISTINCT first) FROM (SELECT near_duplicate_of(simhash(body, 'chars:3'), 7) OVER (ORDER BY id) AS first FROM feed) f";
    let same = "SELECT count(*) || ' ' || count(DISTINCT first) FROM (SELECT near_duplicate_of(simhash(body, 'chars:3'), 0) OVER (ORDER BY number) AS first FROM text) t";
    let all = query(server, DATABASE, same)?;
    tally += expect("texts that are all different", &all, "300 300");
    let left = query(server, DATABASE, survivors)?;
    tally += expect(&format!("rows left, and groups of near-duplicates among them, {method}"), &left, &all);
    Ok(tally)
}

/// Each session's statements: wait at the gate, then an edited copy of each article, beginning with another one.
fn inserts(session: usize) -> String {
    let mut sql = String::from("DO $$ BEGIN PERFORM pg_advisory_lock_shared(1, 1); END $$;\n");
    for step in 0..ARTICLES {
        let original = (session + step) % ARTICLES + 1;
        let byline = ["（记者甲）", "（记者乙）", "（完）", "（通讯员丙）"][session % 4];
        sql += &format!(
            "INSERT INTO article (original, body) SELECT number, body || '{byline}' FROM original WHERE number = {original};\n"
        );
    }
    sql
}

fn wait_for_all(server: &Server) -> Result {
    let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    while query(server, DATABASE, waiting)? != SESSIONS.to_string() {
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
