//! Object-relational mappers on a guarded table, as docs/recipes.md says, where they can be had: SQLAlchemy and Django, installed from the
//! Python package index into an environment below `target/`, and ActiveRecord from Debian's packages.

use crate::build::target;
use crate::check::{Context, Tally, expect_none, skipped};
use crate::command::{answers, root, text};
use crate::debian;
use crate::psql::{fresh_database, query};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python libraries.
const LIBRARIES: [&str; 3] = ["sqlalchemy>=2", "django>=4.2", "psycopg[binary]>=3.1"];
/// Debian's packages of ActiveRecord.
const PACKAGES: [&str; 2] = ["ruby-activerecord", "ruby-pg"];

/// The table of both scripts.
const TABLE: &str =
    "CREATE TABLE stories (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, seen int NOT NULL DEFAULT 1, body text);
    CREATE FUNCTION seen_again(existing stories, new stories) RETURNS stories LANGUAGE plpgsql AS
    'BEGIN existing.seen := existing.seen + 1; RETURN existing; END'";

/// Runs `tests/checks/clients.py` and `clients.rb`, or says why one or both cannot.
pub fn run(context: &Context) -> Result<Tally> {
    let (mut scripts, mut tally) = (Vec::new(), Tally::default());
    match python()? {
        Some(python) => scripts.push((python, "clients.py")),
        None => tally += skipped("SQLAlchemy, Django and psycopg cannot be installed here")?,
    }
    match ruby() {
        Some(ruby) => scripts.push((ruby, "clients.rb")),
        None => tally += skipped("ActiveRecord cannot be installed here")?,
    }
    if scripts.is_empty() {
        return Ok(tally);
    }
    let server = context.server()?;
    for (program, script) in scripts {
        fresh_database(server, "clients")?;
        query(server, "clients", TABLE)?;
        let said = text(server.client_at(&program, "clients").arg(root().join("tests/checks").join(script)))?;
        let (passed, findings): (Vec<&str>, Vec<&str>) = said.lines().partition(|line| line.starts_with("ok "));
        tally += expect_none("what clients make of a row", findings);
        passed.iter().for_each(|_| tally += Tally::one(true));
    }
    Ok(tally)
}

/// Returns a Python that has the libraries.
fn python() -> Result<Option<PathBuf>> {
    let place = target()?.join("clients");
    let python = place.join("bin").join("python");
    let has_all = || answers(Command::new(&python).args(["-c", "import django, psycopg, sqlalchemy"]));
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let made = || {
        let venv = || answers(Command::new("python3").args(["-m", "venv"]).arg(&place));
        (venv() || debian::install_missing(&["python3-venv"]).is_ok() && venv())
            && answers(Command::new(&python).args(pip).args(LIBRARIES))
    };
    Ok((has_all() || made() && has_all()).then_some(python))
}

/// Returns a Ruby that has ActiveRecord.
fn ruby() -> Option<PathBuf> {
    let has_all = || answers(Command::new("ruby").args(["-e", "require 'active_record'; require 'pg'"]));
    let made = || debian::install_missing(&PACKAGES).is_ok();
    (has_all() || made() && has_all()).then(|| Path::new("ruby").to_owned())
}
