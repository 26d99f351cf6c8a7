//! A server killed in the middle: what was committed is there again, what was not is gone, a load in the middle too, and the guard still stands.
//! Likewise when one backend is killed among others that write: the server then restarts all of them.

use super::sample;
use crate::check::{Context, Tally, expect};
use crate::error::Result;
use crate::interrupt::kill;
use crate::psql::{Session, query};
use crate::server::Server;
use std::collections::BTreeSet;
use std::time::Duration;

const DATABASE: &str = "crash";
const WRITERS: usize = 4;
const ARTICLES: usize = 300;
/// How often each is brought: enough to be at it when one is killed, and no more than a pipe holds.
const ROUNDS: usize = 10;

/// Work that takes a while, so that the server goes down in the middle of it, and before the commit in any case.
const MANY: &str = "CREATE TABLE many AS SELECT i, (i::bigint * 7919)::simhash AS s FROM generate_series(1, 200000) i";
const AT_WORK: [&str; 2] = [
    "BEGIN; CREATE INDEX many_bands ON many USING gin (simhash_bands(s, 64));",
    "BEGIN; CREATE TABLE many_signed AS SELECT simhash(repeat(i::text, 500), 'jieba') FROM many;",
];

/// Protects a table on a server of its own, kills that, brings it back and looks.
pub fn run(context: &Context) -> Result<Tally> {
    let server = Server::start_with(&context.postgres, &["max_prepared_transactions=4"])?;
    sample::load(&server, DATABASE)?;
    query(
        &server,
        DATABASE,
        "CREATE TABLE article (id text PRIMARY KEY, body text);
         SELECT neardup.protect('article', 'body');
         INSERT INTO article SELECT id, body FROM sample ORDER BY length(body) DESC LIMIT 10",
    )?;
    let state = "SELECT string_agg(a::text, ' ' ORDER BY id) FROM article a";
    let before = query(&server, DATABASE, state)?;
    let mut open = Session::open(&server, DATABASE)?;
    open.ask("BEGIN; UPDATE article SET id = id || '!'; DELETE FROM article WHERE length(body) % 2 = 0;")?;
    let mut load = Session::open(&server, DATABASE)?;
    load.ask("BEGIN; INSERT INTO article SELECT 'load ' || i, md5(i::text) || md5((-i)::text) || md5((i + 7)::text) FROM generate_series(1, 300) i;")?;
    query(&server, DATABASE, MANY)?;
    let mut working = Vec::new();
    for statement in AT_WORK {
        let mut session = Session::open(&server, DATABASE)?;
        session.send(statement)?;
        working.push(session);
    }
    let active = format!(
        "SET statement_timeout = '60s'; DO $$ BEGIN LOOP EXIT WHEN (SELECT count(*) FROM pg_stat_activity WHERE state IN ('active', 'idle in transaction') AND query LIKE '%many%' AND pid <> pg_backend_pid()) = {}; PERFORM pg_stat_clear_snapshot(); END LOOP; END $$",
        AT_WORK.len()
    );
    query(&server, DATABASE, &active)?;
    server.crash();
    drop(working);
    drop(load);
    drop(open);
    server.restart()?;
    let mut tally = expect("the rows after the crash", &query(&server, DATABASE, state)?, &before);
    let left = "SELECT count(*) FROM pg_class WHERE relname IN ('many_signed', 'many_bands')";
    tally += expect("a table and an index that were in the making", &query(&server, DATABASE, left)?, "0");
    query(&server, DATABASE, "CREATE INDEX many_bands ON many USING gin (simhash_bands(s))")?;
    let found = "SET enable_seqscan = off; SELECT count(*) FROM many WHERE simhash_within(s, 7919::bigint::simhash, 0)";
    tally += expect("a search by the index made again", &query(&server, DATABASE, found)?, "1");
    let mut session = Session::open(&server, DATABASE)?;
    session.ask(r"\set VERBOSITY sqlstate")?;
    let copy = "INSERT INTO article SELECT 'copy', body || '（完）' FROM article ORDER BY length(body) DESC LIMIT 1;";
    tally += expect("a copy after the crash", &session.ask(copy)?, "ERROR:  23505");
    let again = "INSERT INTO article SELECT 'again', md5('77') || md5('-77') || md5('84');";
    tally += expect("a row whose load was lost", &session.ask(again)?, "");
    tally += expect("a copy of that", &session.ask(&again.replace("again", "third"))?, "ERROR:  23505");
    tally += prepared(&server)?;
    tally += backend(&server)?;
    Ok(tally)
}

/// A prepared transaction: whoever brings a copy of its row waits for its end, also after a crash, and it holds no lock of the guard.
fn prepared(server: &Server) -> Result<Tally> {
    let text = "md5('prepared') || md5('text') || md5('of one')";
    query(
        server,
        DATABASE,
        "CREATE TABLE page (id int PRIMARY KEY, part int, body text, UNIQUE (id, part)) PARTITION BY RANGE (id);
         CREATE TABLE page_1 PARTITION OF page FOR VALUES FROM (0) TO (100);
         SELECT neardup.protect('page', 'body');
         INSERT INTO page VALUES (1, 1, md5('first') || md5('row'))",
    )?;
    // The second one meets a row that is there, in a statement that names a partition and so has no trigger at its end.
    let mut session = Session::open(server, DATABASE)?;
    let answer = session.ask(&format!(
        "BEGIN; INSERT INTO page VALUES (2, 1, {text});          INSERT INTO page_1 VALUES (1, 1, md5('another') || md5('text')) ON CONFLICT DO NOTHING; PREPARE TRANSACTION 'p';"
    ))?;
    let mut tally = expect("what the session was told", &answer, "");
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 5";
    tally += expect("locks of a prepared transaction", &query(server, DATABASE, held)?, "0");
    drop(session);
    server.crash();
    server.restart()?;
    tally += expect("locks of it after a crash", &query(server, DATABASE, held)?, "0");
    let mut session = Session::open(server, DATABASE)?;
    session.ask("\\set VERBOSITY sqlstate\nSET lock_timeout = '50ms';")?;
    let copy = format!("INSERT INTO page VALUES (3, 1, {text});");
    tally += expect("a copy of a prepared row", &session.ask(&copy)?, "ERROR:  55P03");
    query(server, DATABASE, "COMMIT PREPARED 'p'")?;
    tally += expect("a copy of it after the commit", &session.ask(&copy)?, "ERROR:  23505");
    Ok(tally)
}

/// Kills one of several sessions that write the same articles: no row is lost that a session was told of, none is there twice.
fn backend(server: &Server) -> Result<Tally> {
    query(
        server,
        DATABASE,
        &format!(
            "CREATE TABLE text AS SELECT i AS number, string_agg(md5(i || '-' || j), '' ORDER BY j) AS body
                 FROM generate_series(1, {ARTICLES}) i, generate_series(1, 8) j GROUP BY i;
             CREATE TABLE feed (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
             SELECT neardup.protect('feed', 'body', on_duplicate => 'skip');
             CREATE FUNCTION put(int) RETURNS bigint LANGUAGE sql AS
                 'INSERT INTO feed (body) VALUES ((SELECT body || ''。'' FROM text WHERE number = $1)) RETURNING id'"
        ),
    )?;
    let inserts: String = (1..=ARTICLES).map(|number| format!("SELECT put({number});\n")).collect();
    let mut sessions = Vec::new();
    for _ in 0..WRITERS {
        let mut session = Session::open(server, DATABASE)?;
        let process: u32 = session.ask("SELECT pg_backend_pid();")?.parse().map_err(|e| format!("no process: {e}"))?;
        // Who is through waits, so that all four are there when one is killed.
        session.send(&format!("{}SELECT pg_sleep(600);\n", inserts.repeat(ROUNDS)))?;
        sessions.push((session, process));
    }
    while query(server, DATABASE, "SELECT count(*) >= 20 FROM feed")? == "f" {
        std::thread::sleep(Duration::from_millis(5));
    }
    if let Some((_, process)) = sessions.first() {
        kill(*process, libc::SIGKILL);
    }
    // What a session was told before it was cut off: the keys of its rows.
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
    while query(server, DATABASE, "SELECT 1").is_err() {
        std::thread::sleep(Duration::from_millis(50));
    }
    let there: BTreeSet<u64> =
        query(server, DATABASE, "SELECT id FROM feed")?.lines().filter_map(|line| line.parse().ok()).collect();
    let lost: Vec<_> = told.difference(&there).collect();
    tally += expect("rows that sessions were told of and that are lost", &format!("{lost:?}"), "[]");
    query(server, DATABASE, &inserts)?;
    let all = "SELECT count(*) || ' ' || count(DISTINCT first) FROM (SELECT near_duplicate_of(simhash(body, 'chars:3'), 7) OVER (ORDER BY id) AS first FROM feed) f";
    let one_each = format!("{ARTICLES} {ARTICLES}");
    tally += expect(
        "rows when all articles are in, and groups of near-duplicates",
        &query(server, DATABASE, all)?,
        &one_each,
    );
    Ok(tally)
}
