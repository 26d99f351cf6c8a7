//! A server killed in the middle: what was committed is there again, what was not is gone, a load in the middle too, and the guard still stands.

use super::{Tally, expect, sample};
use crate::error::Result;
use crate::psql::{Session, query};
use crate::server::Server;
use crate::test::Context;

const DATABASE: &str = "crash";

/// Work that takes a while, so that the server goes down in the middle of it, and before the commit in any case.
const MANY: &str = "CREATE TABLE many AS SELECT i, (i::bigint * 7919)::simhash AS s FROM generate_series(1, 200000) i";
const AT_WORK: [&str; 2] = [
    "BEGIN; CREATE INDEX many_bands ON many USING gin (simhash_bands(s, 64));",
    "BEGIN; CREATE TABLE many_signed AS SELECT simhash(repeat(i::text, 500), 'jieba') FROM many;",
];

/// Protects a table on a server of its own, kills that, brings it back and looks.
pub fn run(context: &Context) -> Result<Tally> {
    let server = Server::start(&context.postgres)?;
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
    Ok(tally)
}
