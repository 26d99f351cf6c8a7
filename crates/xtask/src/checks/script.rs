//! Checks that are written in SQL: the files of `tests/checks`, on one server or several.
//!
//! Empty lines part a file into steps. Comment lines that open a step say what it shows. Lines after its SQL say what psql must answer:
//! `--= t`, a line each and none for no answer, `--~ t` likewise but within two minutes, or `--> name` to keep the answer, with which
//! `--= <name>` compares a later one. A step that says nothing of its answer must raise no error. An error is its SQLSTATE.
//! `-- @name` goes on in another session: it is on the server of that name, as a prefix; each session has the servers' directories as
//! variables.

use crate::check::{Tally, expect};
use crate::command::root;
use crate::error::{Doing, Result};
use crate::psql::Session;
use crate::server::Server;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);

/// The text of a file of `tests/checks`.
pub fn text(file: &str) -> Result<String> {
    let path = root().join("tests/checks").join(file);
    std::fs::read_to_string(&path).doing("read", &path)
}

/// A part of such a file: what stands after the line `-- ## name`, to the next such line.
pub fn part(file: &str, name: &str) -> Result<String> {
    let text = text(file)?;
    let mut parts = text.split("-- ## ").filter_map(|part| part.split_once('\n'));
    let found = parts.find(|(title, _)| *title == name).map(|(_, part)| part.to_owned());
    found.ok_or_else(|| format!("{file} has no part \"{name}\"").into())
}

/// What a step shows, and its SQL with what is expected of it.
pub fn steps(text: &str) -> impl Iterator<Item = (String, &str)> {
    text.split("\n\n").map(str::trim).filter(|step| !step.is_empty()).map(|step| {
        let sql = step.lines().take_while(|line| line.starts_with("-- ")).map(|line| line.len() + 1).sum::<usize>();
        let what = step.lines().take_while(|line| line.starts_with("-- ")).filter_map(|line| line.get(3..));
        let what: Vec<&str> = what.filter(|line| !line.starts_with('@')).collect();
        (what.join(" "), &step[sql.min(step.len())..])
    })
}

/// Runs a file's steps in this database of these servers, beginning on the first.
pub fn run(file: &str, database: &str, servers: &[(&str, &Server)]) -> Result<Tally> {
    let text = text(file)?;
    let mut sessions: BTreeMap<&str, Session> = BTreeMap::new();
    let mut at = servers.first().map_or("", |(name, _)| name);
    let mut kept: BTreeMap<String, String> = BTreeMap::new();
    let mut tally = Tally::default();
    for (step, (what, sql)) in text.split("\n\n").map(str::trim).filter(|step| !step.is_empty()).zip(steps(&text)) {
        at = step.lines().find_map(|line| line.strip_prefix("-- @")).unwrap_or(at);
        if !sessions.contains_key(at) {
            let server =
                servers.iter().find(|(name, _)| at.starts_with(name)).ok_or_else(|| format!("no server {at}"))?;
            let mut session = Session::open(server.1, database)?;
            session.ask("\\set VERBOSITY sqlstate\nSET client_min_messages = warning;")?;
            for (name, server) in servers {
                session.ask(&format!("\\set {name} '{}'", server.directory().display()))?;
            }
            sessions.insert(at, session);
        }
        let session = sessions.get_mut(at).ok_or("no session")?;
        let marked =
            |mark: &str| sql.lines().filter_map(|line| Some(line.strip_prefix(mark)?.trim())).collect::<Vec<_>>();
        let (now, soon, keep) = (marked("--="), marked("--~"), marked("-->"));
        let wanted = if soon.is_empty() { now.join("\n") } else { soon.join("\n") };
        let name = wanted.strip_prefix('<').and_then(|wanted| wanted.strip_suffix('>'));
        let wanted = name.and_then(|name| kept.get(name).cloned()).unwrap_or(wanted);
        let deadline = Instant::now() + PATIENCE;
        let mut answer = session.ask(sql)?;
        while !soon.is_empty() && answer != wanted && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(50));
            answer = session.ask(sql)?;
        }
        let what = format!("{file}: {}", if what.is_empty() { sql } else { &what });
        if let [name] = keep[..] {
            kept.insert(name.to_owned(), answer);
        } else if now.is_empty() && soon.is_empty() {
            let wrong: Vec<&str> = answer.lines().filter(|line| line.contains("ERROR: ")).collect();
            if !wrong.is_empty() {
                tally += expect(&what, &wrong.join("\n"), "");
            }
        } else {
            tally += expect(&what, &answer, &wanted);
        }
    }
    // A file that asserts nothing is a failure.
    tally += Tally::one(tally != Tally::default());
    Ok(tally)
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
