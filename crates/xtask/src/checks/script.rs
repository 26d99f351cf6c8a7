//! Checks that are written in SQL: the files of `tests/checks`, on one server or several.
//!
//! Empty lines separate a file into steps. Comment lines at the start of a step describe it. Lines after its SQL state psql's
//! answer: `--= t`, one per line and none for no answer; `--~ t` likewise, but within two minutes; `--> name` stores the
//! answer, and `--= <name>` compares a later one with it. A step without an expected answer must not raise an error. An error
//! is given by its SQLSTATE. `-- @name` continues in another session, on the server whose name is a prefix of this one; each
//! session has the servers' directories as variables. `-- @name*8` runs the step in eight sessions at the same moment, each
//! with its number as variable `session`; the answer is each line with its count. `--&` does not wait for the answer. `--
//! !crash` kills the server and restarts it, `-- !stop` kills it for good, `-- !disconnect` ends the session's psql.

use crate::check::{Tally, expect};
use crate::command::{root, within};
use crate::demo::SAMPLE;
use crate::psql::{Session, errors, fresh_database, load_lines, query, wait_until};
use crate::server::Server;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// Reads a file of `tests/checks`.
pub fn text(file: &str) -> Result<String> {
    Ok(fs_err::read_to_string(root().join("tests/checks").join(file))?)
}

/// Returns a part of such a file: from the line `-- ## name` to the next such line.
pub fn part(file: &str, name: &str) -> Result<String> {
    let text = text(file)?;
    let mut parts = text.split("-- ## ").filter_map(|part| part.split_once('\n'));
    let found = parts.find(|(title, _)| *title == name).map(|(_, part)| part.to_owned());
    found.with_context(|| format!("{file} has no part \"{name}\""))
}

/// Returns the lines of a part that has one statement per line.
pub fn lines(part: &str) -> impl Iterator<Item = &str> {
    part.lines().filter(|line| !line.is_empty() && !line.starts_with("--"))
}

/// Returns the description of each step, and its SQL with the expected answer.
pub fn steps(text: &str) -> impl Iterator<Item = (String, &str)> {
    text.split("\n\n").map(str::trim).filter(|step| !step.is_empty()).map(|step| {
        let sql = step.lines().take_while(|line| line.starts_with("-- ")).map(|line| line.len() + 1).sum::<usize>();
        let what = step.lines().take_while(|line| line.starts_with("-- ")).filter_map(|line| line.get(3..));
        let what: Vec<&str> = what.filter(|line| !line.starts_with(['@', '!'])).collect();
        (what.join(" "), &step[sql.min(step.len())..])
    })
}

/// Makes a database with the extension and runs these statements in it.
pub fn fresh(server: &Server, database: &str, sql: &str) -> Result<()> {
    fresh_database(server, database)?;
    load(server, database, sql)
}

/// Makes a database with the extension and a table `sample (id text, body text)` of the demo's sample: its original sentences,
/// without copies and updates.
pub fn fresh_sample(server: &Server, database: &str) -> Result<()> {
    fresh_database(server, database)?;
    load_lines(server, database, SAMPLE)?;
    let originals = "CREATE TABLE sample AS SELECT json ->> 'id' AS id, json ->> 'text' AS body FROM line WHERE json ->> 'note' IS NULL";
    query(server, database, &format!("{originals}; DROP TABLE line")).map(drop)
}

/// Runs statements, each in a transaction of its own; none may fail.
pub fn load(server: &Server, database: &str, sql: &str) -> Result<()> {
    let answer = Session::open(server, database)?.ask(&format!("SET client_min_messages = warning;\n{sql}"))?;
    ensure!(errors(&answer).is_empty(), answer);
    Ok(())
}

/// Runs the steps of the file of this name in the database of this name on these servers, starting on the first.
pub fn run(name: &str, servers: &[(&str, &Server)]) -> Result<Tally> {
    run_steps(name, &text(&format!("{name}.sql"))?, name, servers)
}

/// Does the same in fresh databases with the extension.
pub fn run_fresh(name: &str, servers: &[(&str, &Server)]) -> Result<Tally> {
    servers.iter().try_for_each(|(_, server)| fresh_database(server, name))?;
    run(name, servers)
}

/// Runs steps; `name` says where they come from.
pub fn run_steps(name: &str, text: &str, database: &str, servers: &[(&str, &Server)]) -> Result<Tally> {
    let server_of = |at: &str| -> Result<&Server> {
        let found = servers.iter().find(|(name, _)| at.starts_with(name));
        found.map(|(_, server)| *server).with_context(|| format!("no server {at}"))
    };
    let open = |at: &str| -> Result<Session> {
        let mut session = Session::open(server_of(at)?, database)?;
        session.ask("\\set VERBOSITY sqlstate\nSET client_min_messages = warning;")?;
        for (name, server) in servers {
            session.ask(&format!("\\set {name} '{}'", server.directory().display()))?;
        }
        Ok(session)
    };
    let mut sessions: BTreeMap<&str, Session> = BTreeMap::new();
    let mut at = servers.first().map_or("", |(name, _)| name);
    let mut kept: BTreeMap<String, String> = BTreeMap::new();
    let mut tally = Tally::default();
    for (step, (what, sql)) in text.split("\n\n").map(str::trim).filter(|step| !step.is_empty()).zip(steps(text)) {
        at = step.lines().find_map(|line| line.strip_prefix("-- @")).unwrap_or(at);
        if let Some(act) = step.lines().find_map(|line| line.strip_prefix("-- !")) {
            if act == "disconnect" {
                sessions.remove(at).context("no session")?.disconnect()?;
                continue;
            }
            let server = server_of(at)?;
            server.crash();
            sessions.clear();
            if act == "crash" {
                server.restart()?;
            }
            continue;
        }
        let mut ask = || -> Result<String> {
            if let Some((at, count)) = at.split_once('*') {
                return at_once(&open, at, count.parse()?, sql);
            }
            if !sessions.contains_key(at) {
                sessions.insert(at, open(at)?);
            }
            let session = sessions.get_mut(at).context("no session")?;
            session.send(sql)?;
            if sql.lines().any(|line| line == "--&") { Ok(String::new()) } else { session.answer() }
        };
        let marked =
            |mark: &str| sql.lines().filter_map(|line| Some(line.strip_prefix(mark)?.trim())).collect::<Vec<_>>();
        let (now, soon, keep) = (marked("--="), marked("--~"), marked("-->"));
        let wanted = if soon.is_empty() { now.join("\n") } else { soon.join("\n") };
        let earlier = wanted.strip_prefix('<').and_then(|wanted| wanted.strip_suffix('>'));
        let wanted = earlier.and_then(|earlier| kept.get(earlier).cloned()).unwrap_or(wanted);
        let mut answer = String::new();
        within(PATIENCE, || {
            answer = ask()?;
            Ok(soon.is_empty() || answer == wanted)
        })?;
        let what = format!("{name}: {}", if what.is_empty() { sql } else { &what });
        if let [name] = keep[..] {
            kept.insert(name.to_owned(), answer);
        } else if now.is_empty() && soon.is_empty() {
            let wrong = errors(&answer);
            if !wrong.is_empty() {
                tally += expect(&what, &wrong, "");
            }
        } else {
            tally += expect(&what, &answer, &wanted);
        }
    }
    // Steps without an assertion are a failure.
    tally += Tally::one(tally != Tally::default());
    Ok(tally)
}

/// Runs a step in `count` sessions at the same time. Returns each line of their answers with its count.
fn at_once(open: &impl Fn(&str) -> Result<Session>, at: &str, count: usize, sql: &str) -> Result<String> {
    let mut gate = open(at)?;
    gate.ask("SELECT pg_advisory_lock(1, 1);")?;
    let mut sessions = Vec::new();
    for number in 0..count {
        let mut session = open(at)?;
        session.ask(&format!("\\set session {number}"))?;
        session.send(&format!("DO $$ BEGIN PERFORM pg_advisory_lock_shared(1, 1); END $$;\n{sql}"))?;
        sessions.push(session);
    }
    let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted;";
    wait_until(|| Ok(gate.ask(waiting)? == count.to_string()))?;
    gate.ask("SELECT pg_advisory_unlock(1, 1);")?;
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for session in &mut sessions {
        session.answer()?.lines().for_each(|line| *told.entry(line.to_owned()).or_default() += 1);
    }
    Ok(told.iter().map(|(line, often)| format!("{often} {line}")).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn a_step_is_what_it_shows_and_its_sql() {
        let text = "-- @a\n-- One\n-- two.\nSELECT 1;\n--= 1\n\n\nSELECT 2\n-- inside\n;\n";
        let found: Vec<_> = steps(text).collect();
        assert_eq!(found, [("One two.".to_owned(), "SELECT 1;\n--= 1"), (String::new(), "SELECT 2\n-- inside\n;")]);
    }
}
