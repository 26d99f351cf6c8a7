//! Many sessions insert edited copies of the same articles at the same moment: of each article exactly one gets in.
//!
//! Once row by row, for each way to find near-duplicates as loads beside sessions that write single rows, and while statements fail, are
//! cancelled and backends are killed: nothing survives that the guard calls a copy, no lock and no broken session is left behind.

use super::sample;
use crate::check::{Context, Tally, expect};
use crate::error::Result;
use crate::psql::{Session, query};
use crate::server::Server;
use std::collections::BTreeSet;
use std::time::Duration;

const DATABASE: &str = "concurrency";
const SESSIONS: usize = 8;
const ARTICLES: usize = 10;

/// What guards are told beside the table: each way to find near-duplicates has locks of its own.
const METHODS: &[&str] = &["method => 'sketch'", "method => 'simhash', verify => 'none'"];

/// Sessions and statements of each while errors are injected: about one statement in a hundred fails.
const HURT_SESSIONS: usize = 16;
const HURT_STATEMENTS: usize = 300;
const HURT_ARTICLES: usize = 400;

/// The last statement of each.
const DONE: &str = "SELECT 7 AS done;";

/// Locks of the guard that anybody holds.
const LOCKS: &str = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 5";

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
    tally += feeds(server)?;
    tally += hurt(server)?;
    Ok(tally)
}

/// Crawlers that load the same feed, a template with other numbers in each text, by `ON CONFLICT DO NOTHING` in transactions of many rows:
/// whoever waits for the other's url holds no lock that the other one needs.
fn feeds(server: &Server) -> Result<Tally> {
    query(
        server,
        DATABASE,
        "CREATE TABLE quote (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, url text UNIQUE, body text);
         SELECT neardup.protect('quote', 'body', on_duplicate => 'skip');
         CREATE TABLE offered AS SELECT i AS number, format('Shares of company %s closed at %s on Friday after a day of brisk trade on the exchange by the lake, %s more than before', md5(i::text), i * 17, i * 3) AS body
             FROM generate_series(1, 200) i",
    )?;
    let answers = at_once(server, |_| {
        "DO $$ BEGIN PERFORM pg_advisory_lock_shared(1, 1); END $$;\nBEGIN;\n".to_owned()
            + &"INSERT INTO quote (url, body) SELECT number, body FROM offered ORDER BY number ON CONFLICT (url) DO NOTHING;\n"
                .repeat(2)
            + "COMMIT;\n"
    })?;
    let mut tally = expect("what a crawler was told", answers.concat().trim(), "");
    let once = "SELECT count(*) = count(DISTINCT url) AND count(*) > 100 FROM quote";
    tally += expect("rows, each url once", &query(server, DATABASE, once)?, "t");
    tally += expect("locks left by crawlers", &query(server, DATABASE, LOCKS)?, "0");
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

/// Loads beside single rows. One load comes the other way round: it may be ended by a deadlock, as with a unique index, and tries again.
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
        let work = match session {
            0 => format!(
                "SET deadlock_timeout = '20ms';\nDO $$ BEGIN LOOP\nBEGIN {} EXIT; EXCEPTION WHEN deadlock_detected THEN NULL; END;\nEND LOOP; END $$;\n",
                load("DESC")
            ),
            1..4 => load(""),
            _ => single.clone(),
        };
        // Of two that wait for each other the one that tries again is ended.
        let others = if session == 0 { "" } else { "SET deadlock_timeout = '100s';\n" };
        format!("{others}DO $$ BEGIN PERFORM pg_advisory_lock_shared(1, 1); END $$;\n{work}")
    })?;
    let mut tally = expect(&format!("what a session was told, {method}"), answers.concat().trim(), "");
    let survivors = "SELECT count(*) || ' ' || count(DISTINCT first) FROM (SELECT near_duplicate_of(simhash(body, 'chars:3'), 7) OVER (ORDER BY id) AS first FROM feed) f";
    let same = "SELECT count(*) || ' ' || count(DISTINCT first) FROM (SELECT near_duplicate_of(simhash(body, 'chars:3'), 0) OVER (ORDER BY number) AS first FROM text) t";
    let all = query(server, DATABASE, same)?;
    tally += expect("texts that are all different", &all, "300 300");
    let left = query(server, DATABASE, survivors)?;
    tally += expect(&format!("rows left, and groups of near-duplicates among them, {method}"), &left, &all);
    tally += expect(&format!("locks left, {method}"), &query(server, DATABASE, LOCKS)?, "0");
    Ok(tally)
}

/// Edited copies from many sessions, while errors of all kinds happen.
fn hurt(server: &Server) -> Result<Tally> {
    query(
        server,
        DATABASE,
        &format!(
            "CREATE TABLE page (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, url text UNIQUE, length int CONSTRAINT has_text CHECK (length > 0), body text);
             INSERT INTO page VALUES (0, 'taken', 1, 'a row that is there');
             SELECT neardup.protect('page', 'body', on_duplicate => 'skip');
             CREATE TABLE words AS SELECT i AS number, string_agg(substr(md5(i || '-' || j), 1, 3 + j % 5), ' ' ORDER BY j) AS body
                 FROM generate_series(1, {HURT_ARTICLES}) i, generate_series(1, 60) j GROUP BY i;
             CREATE INDEX ON words (number)"
        ),
    )?;
    let mut sessions = Vec::new();
    for number in 0..HURT_SESSIONS {
        let mut session = Session::open(server, DATABASE)?;
        session.ask(r"\set VERBOSITY sqlstate")?;
        let process = session.ask("SELECT pg_backend_pid();")?;
        session.send(&hurt_statements(number))?;
        sessions.push((session, process));
    }
    // While they are at it: cancels for each once in a while, and two of them are killed.
    let (mut round, mut ended) = (0, BTreeSet::new());
    let mut other = Session::open(server, DATABASE)?;
    let at_work = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND query <> '{DONE}';"
    );
    while other.ask(&at_work)? != "0" {
        let (_, process) = &sessions[round * 5 % HURT_SESSIONS];
        let kills = round == 20 || round == 40;
        let act = if kills { "pg_terminate_backend" } else { "pg_cancel_backend" };
        other.ask(&format!("SELECT {act}({process});"))?;
        if kills {
            ended.insert(process.clone());
        }
        round += 1;
    }
    let (mut told, mut broken) = (BTreeSet::new(), 0);
    for (session, process) in &mut sessions {
        if ended.contains(process) {
            continue;
        }
        let answer = session.answer()?;
        told.extend(answer.lines().filter(|line| line.starts_with("ERROR")).map(str::to_owned));
        // Whoever lives is as good as before: an error says which constraint it was.
        let probe = session.ask("\\set VERBOSITY default\nINSERT INTO page (url, length) VALUES ('probe', -1);");
        let is_whole = probe.is_ok_and(|answer| answer.contains("\"has_text\""))
            && session.ask("SELECT 1;").is_ok_and(|one| one == "1");
        broken += usize::from(!is_whole);
    }
    drop(sessions);
    println!("    {round} cancels and kills, {} sessions killed, told {told:?}", ended.len());
    // 23505: a url that is taken. 22012: division by zero. 57014, 57P01: cancelled, killed.
    let expected: BTreeSet<String> =
        ["22012", "23505", "57014", "57P01"].iter().map(|state| format!("ERROR:  {state}")).collect();
    let mut tally = expect("other errors", &format!("{:?}", told.difference(&expected).collect::<Vec<_>>()), "[]");
    tally += expect("broken sessions", &broken.to_string(), "0");
    let mut left = query(server, DATABASE, LOCKS)?;
    // A killed backend is gone when its process is.
    for _ in 0..100 {
        if left == "0" {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
        left = query(server, DATABASE, LOCKS)?;
    }
    tally += expect("locks left", &left, "0");
    // Every article once more: all are there then, and the guard, asked again row by row, calls none a copy of another.
    query(server, DATABASE, "INSERT INTO page (length, body) SELECT 1, body FROM words ORDER BY number")?;
    query(
        server,
        DATABASE,
        "CREATE TABLE again (id bigint PRIMARY KEY, body text);
         SELECT neardup.protect('again', 'body', on_duplicate => 'mark');
         INSERT INTO again SELECT id, body FROM page WHERE id <> 0 ORDER BY id",
    )?;
    let survivors = "SELECT count(*) FROM page WHERE id <> 0";
    tally += expect("rows, one of each article", &query(server, DATABASE, survivors)?, &HURT_ARTICLES.to_string());
    let copies = "SELECT count(*) FROM again WHERE duplicate_of IS NOT NULL";
    tally += expect("survivors that the guard calls copies", &query(server, DATABASE, copies)?, "0");
    Ok(tally)
}

/// Edited copies of articles in an order of the session's own, and every so often one that fails in a way of its own.
fn hurt_statements(session: usize) -> String {
    let mut sql = String::new();
    for step in 0..HURT_STATEMENTS {
        let original = (session * 37 + step * 7) % HURT_ARTICLES + 1;
        let byline = ["（记者甲）", "（记者乙）", "（完）", "（通讯员丙）"][(session + step) % 4];
        let row = |url: &str| {
            format!(
                "INSERT INTO page (url, length, body) SELECT {url}, length(body), body || '{byline}' FROM words WHERE number = {original}"
            )
        };
        sql += &match step % 100 {
            // The row's keys are locked when the url is found to be taken.
            13 => format!("{};\n", row("'taken'")),
            29 => format!("{} ON CONFLICT (url) DO NOTHING;\n", row("'taken'")),
            47 => format!("BEGIN;\nSAVEPOINT s;\n{};\nROLLBACK TO s;\n{};\nCOMMIT;\n", row("NULL"), row("NULL")),
            61 => format!("BEGIN;\n{};\nROLLBACK;\n", row("NULL")),
            83 => format!("{} AND 1 / (number - number) > 0;\n", row("NULL")),
            _ => format!("{};\n", row("NULL")),
        };
    }
    sql + DONE
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
