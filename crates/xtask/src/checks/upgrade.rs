//! Upgrades a database of each earlier release to this version. Its catalog equals that of a fresh installation, and its users'
//! objects work, before ALTER EXTENSION (the new library with the old SQL) and after.

use super::belongings;
use crate::build::VERSION;
use crate::check::{Context, Tally, expect};
use crate::command::root;
use crate::psql::{empty_database, fresh_database, query};
use crate::say;
use crate::upgrade::{compare, has_path, install, releases};
use anyhow::Result;
use std::path::PathBuf;

const DATABASE: &str = "upgrade_used";

/// Upgrades from each release.
pub fn run(context: &Context) -> Result<Tally> {
    let released = releases()?;
    let server = context.server()?;
    let mut tally = Tally::default();
    if released.iter().all(|release| release == VERSION) {
        say::note("no earlier release: only what users have, in this version");
        fresh_database(server, DATABASE)?;
        belongings::set_up(server, DATABASE)?;
        tally += belongings::still_work(server, DATABASE, &belongings::state(server, DATABASE)?, "in this version")?;
    }
    if released.iter().any(|release| release == VERSION) {
        let name = format!("pg_neardup--{VERSION}.sql");
        let installed = PathBuf::from(context.postgres.ask("--sharedir")?).join("extension").join(&name);
        let is_same = fs_err::read(installed)? == fs_err::read(root().join("sql/releases").join(&name))?;
        tally += expect(&format!("sql/releases/{name} is what this version installs"), &is_same.to_string(), "true");
    }
    for release in released.iter().filter(|release| release.as_str() != VERSION) {
        if !has_path(server, release)? {
            println!("there is no script to upgrade from {release}: cargo xtask upgrade-draft --from {release}");
            tally += Tally::one(false);
            continue;
        }
        let differences = compare(server, &context.postgres, release)?;
        tally += expect(&format!("objects that differ after an upgrade from {release}"), &differences, "");

        empty_database(server, DATABASE)?;
        let script = install(&context.postgres, release)?;
        query(server, DATABASE, &format!("CREATE EXTENSION pg_neardup VERSION '{release}'"))?;
        drop(script);
        belongings::set_up(server, DATABASE)?;
        let before = belongings::state(server, DATABASE)?;
        query(server, "postgres", &format!("DROP DATABASE IF EXISTS {DATABASE}_not_yet"))?;
        query(server, "postgres", &format!("CREATE DATABASE {DATABASE}_not_yet TEMPLATE {DATABASE}"))?;
        let not_yet = format!("{DATABASE}_not_yet");
        tally += belongings::still_work(server, &not_yet, &before, &format!("new library, SQL of {release}"))?;
        query(server, DATABASE, "ALTER EXTENSION pg_neardup UPDATE")?;
        let version = "SELECT extversion FROM pg_extension WHERE extname = 'pg_neardup'";
        tally += expect("the version", &query(server, DATABASE, version)?, VERSION);
        tally += belongings::still_work(server, DATABASE, &before, &format!("upgraded from {release}"))?;
    }
    Ok(tally)
}
