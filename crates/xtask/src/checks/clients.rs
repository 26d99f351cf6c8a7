//! Object-relational mappers on a guarded table, as docs/recipes.md says: SQLAlchemy and Django, installed from the Python package index
//! into an environment below `target/`, where that can be had. ActiveRecord is not tested.

use crate::build::target;
use crate::check::{Context, Tally, expect_none, skipped};
use crate::command::{answers, root, text};
use crate::psql::fresh_database;
use anyhow::Result;
use std::process::Command;

/// The libraries.
const LIBRARIES: [&str; 3] = ["sqlalchemy>=2", "django>=4.2", "psycopg[binary]>=3.1"];

/// Runs `tests/checks/clients.py`, or says why it cannot.
pub fn run(context: &Context) -> Result<Tally> {
    let place = target()?.join("clients");
    let python = place.join("bin").join("python");
    let has_all = || answers(Command::new(&python).args(["-c", "import django, psycopg, sqlalchemy"]));
    if !has_all() {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        let made = answers(Command::new("python3").args(["-m", "venv"]).arg(&place))
            && answers(Command::new(&python).args(pip).args(LIBRARIES));
        if !made || !has_all() {
            return skipped("SQLAlchemy, Django and psycopg cannot be installed here");
        }
    }
    let server = context.server()?;
    fresh_database(server, "clients")?;
    let said = text(server.client_at(&python, "clients").arg(root().join("tests/checks/clients.py")))?;
    let (passed, findings): (Vec<&str>, Vec<&str>) = said.lines().partition(|line| line.starts_with("ok "));
    let mut tally = expect_none("what clients make of a row", findings);
    passed.iter().for_each(|_| tally += Tally::one(true));
    Ok(tally)
}
