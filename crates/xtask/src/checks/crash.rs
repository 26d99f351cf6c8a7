//! A server killed in the middle: what was committed is there again, what was not is gone, a load in the middle too, and the guard still stands.

use super::{Tally, expect, sample};
use crate::error::Result;
use crate::psql::{Session, query};
use crate::server::Server;
use crate::test::Context;

const DATABASE: &str = "crash";

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
    server.crash();
    drop(load);
    drop(open);
    server.restart()?;
    let mut tally = expect("the rows after the crash", &query(&server, DATABASE, state)?, &before);
    let mut session = Session::open(&server, DATABASE)?;
    session.ask(r"\set VERBOSITY sqlstate")?;
    let copy = "INSERT INTO article SELECT 'copy', body || '（完）' FROM article ORDER BY length(body) DESC LIMIT 1;";
    tally += expect("a copy after the crash", &session.ask(copy)?, "ERROR:  23505");
    let again = "INSERT INTO article SELECT 'again', md5('77') || md5('-77') || md5('84');";
    tally += expect("a row whose load was lost", &session.ask(again)?, "");
    tally += expect("a copy of that", &session.ask(&again.replace("again", "third"))?, "ERROR:  23505");
    Ok(tally)
}
