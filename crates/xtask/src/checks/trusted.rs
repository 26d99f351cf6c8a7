//! Who may create the extension: a superuser, and where the administrator has marked it as trusted, also the owner of a database, who
//! can then use all of it.

use crate::check::{Context, Tally, expect};
use crate::error::{Doing, Result};
use crate::interrupt::{Disposable, dispose, on_exit};
use crate::psql::{Session, psql, query};
use std::path::PathBuf;
use std::sync::Arc;

const DATABASE: &str = "trusted";
const OWNER: &str = "neardup_owner";

/// What the owner does, and the answer; an error is its SQLSTATE.
const ACTS: &[(&str, &str)] = &[
    ("CREATE EXTENSION pg_neardup;", ""),
    ("CREATE TABLE articles (id int PRIMARY KEY, body text);", ""),
    ("SELECT neardup.protect('articles', 'body', log => true);", ""),
    ("INSERT INTO articles VALUES (1, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军。');", ""),
    (
        "INSERT INTO articles VALUES (2, '江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军！');",
        "ERROR:  23505",
    ),
    ("SELECT neardup.create_profile('house') > 0;", "t"),
    ("CALL neardup.cleanup('articles', dry_run => false);", "|0"),
    ("DROP EXTENSION pg_neardup CASCADE;", ""),
];

/// The control file as it was.
struct Control(PathBuf, String);

impl Disposable for Control {
    fn dispose(&self) {
        if let Err(error) = std::fs::write(&self.0, &self.1) {
            eprintln!("cannot write {} back: {error}", self.0.display());
        }
    }
}

/// Tries both.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    query(server, "postgres", &format!("DROP DATABASE IF EXISTS {DATABASE}"))?;
    query(server, "postgres", &format!("DROP ROLE IF EXISTS {OWNER}"))?;
    query(server, "postgres", &format!("CREATE ROLE {OWNER} LOGIN"))?;
    query(server, "postgres", &format!("CREATE DATABASE {DATABASE} OWNER {OWNER}"))?;
    let mut owner = Session::with(psql(server, DATABASE).args(["-A", "-t", "-q"]).env("PGUSER", OWNER))?;
    owner.ask(r"\set VERBOSITY sqlstate")?;
    owner.ask("SET client_min_messages = warning;")?;
    let mut tally = expect("as it is packaged", &owner.ask("CREATE EXTENSION pg_neardup;")?, "ERROR:  42501");

    let shared = context.postgres.ask("--sharedir")?;
    let path = PathBuf::from(shared).join("extension/pg_neardup.control");
    let before = std::fs::read_to_string(&path).doing("read", &path)?;
    let trusted = before.replace("trusted = false", "trusted = true");
    let control: Arc<dyn Disposable> = Arc::new(Control(path.clone(), before));
    on_exit(control.clone());
    let written = std::fs::write(&path, trusted).doing("write", &path);
    let tried = written.and_then(|()| {
        ACTS.iter().try_fold(Tally::default(), |mut tally, (act, answer)| {
            tally += expect(act, &owner.ask(act)?, answer);
            Ok(tally)
        })
    });
    dispose(&control);
    tally += tried?;
    Ok(tally)
}
