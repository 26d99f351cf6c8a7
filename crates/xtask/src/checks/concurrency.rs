//! Many sessions insert edited copies of the same articles at the same moment: of each article exactly one gets in.

use super::{Tally, expect, sample};
use crate::error::Result;
use crate::psql::{Session, query};
use crate::server::Server;
use crate::test::Context;
use std::time::Duration;

const DATABASE: &str = "concurrency";
const SESSIONS: usize = 8;
const ARTICLES: usize = 10;

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
    let mut gate = Session::open(server, DATABASE)?;
    gate.ask("SELECT pg_advisory_lock(1, 1);")?;
    let mut sessions = Vec::new();
    for number in 0..SESSIONS {
        let mut session = Session::open(server, DATABASE)?;
        session.ask(r"\set VERBOSITY sqlstate")?;
        session.send(&inserts(number))?;
        sessions.push(session);
    }
    wait_for_all(server)?;
    gate.ask("SELECT pg_advisory_unlock(1, 1);")?;
    let mut refused = 0;
    let mut tally = Tally::default();
    for session in &mut sessions {
        let answer = session.answer()?;
        let (duplicate, other): (Vec<&str>, Vec<&str>) =
            answer.lines().filter(|line| !line.is_empty()).partition(|line| *line == "ERROR:  23505");
        refused += duplicate.len();
        tally += expect("what a session was told beside refusals", &other.join("\n"), "");
    }
    let survivors = "SELECT string_agg(concat(original, ':', n), ' ' ORDER BY original) FROM (SELECT original, count(*) AS n FROM article GROUP BY 1) AS s";
    let one_each: Vec<String> = (1..=ARTICLES).map(|number| format!("{number}:1")).collect();
    tally += expect("rows of each article", &query(server, DATABASE, survivors)?, &one_each.join(" "));
    tally += expect("refusals", &refused.to_string(), &((SESSIONS - 1) * ARTICLES).to_string());
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
