//! Upgrades from one release to the next: how the catalog of an upgraded database differs from that of a fresh one, and the
//! statements that remove the difference.
//!
//! `sql/releases/` keeps the installation script of each release as it was published. These scripts are never installed for
//! users, only for the duration of a check. [`compare`] makes a database at a release, runs the existing upgrade script, and
//! compares: the check `upgrade` requires that nothing differs, and [`draft`] writes the differences as SQL. The extension's
//! schema gets a name of its own meanwhile, so a draft says `@extschema@` wherever a script must, and a script that says
//! `public` is detected.

use crate::build::{Profile, VERSION, build_and_install, target};
use crate::command::root;
use crate::files::names;
use crate::interrupt::Undo;
use crate::postgres::{Choice, Postgres};
use crate::psql::{empty_database, query};
use crate::say;
use crate::server::Server;
use crate::setup;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

const SNAPSHOT: &str = include_str!("upgrade/snapshot.sql");
const COMPARE: &str = include_str!("upgrade/compare.sql");
/// Stands for `@extschema@`.
const SCHEMA: &str = "at_extschema";
/// The databases that are compared; the second one runs the comparison.
const UPGRADED: &str = "upgrade_from";
const FRESH: &str = "upgrade_fresh";

/// The released versions, oldest first.
pub fn releases() -> Result<Vec<String>> {
    let scripts = names(&root().join("sql/releases"), "sql")?;
    let version = |name: &String| name.strip_prefix("pg_neardup--").map(str::to_owned);
    let mut versions: Vec<String> = scripts.iter().filter_map(version).collect();
    versions.sort_by_key(|version| version.split('.').map(|n| n.parse::<u32>().ok()).collect::<Vec<_>>());
    Ok(versions)
}

/// Puts a release's installation script into the server's directory, as long as the value lives.
pub fn install(postgres: &Postgres, version: &str) -> Result<Undo> {
    let name = format!("pg_neardup--{version}.sql");
    let from = root().join("sql/releases").join(&name);
    let to = PathBuf::from(postgres.ask("--sharedir")?).join("extension").join(&name);
    fs_err::copy(&from, &to)?;
    Ok(Undo::new(move || Ok(fs_err::remove_file(&to)?)))
}

/// Makes a database at `release`, upgrades it as far as scripts exist, and another one at this version. Returns their
/// differences, a line or more for each.
pub fn compare(server: &Server, postgres: &Postgres, release: &str) -> Result<String> {
    let script = install(postgres, release)?;
    let make = |database: &str, then: &str| {
        empty_database(server, database)?;
        query(server, database, &format!("CREATE SCHEMA {SCHEMA}; CREATE EXTENSION pg_neardup SCHEMA {SCHEMA} {then}"))
    };
    make(UPGRADED, &format!("VERSION '{release}'"))?;
    make(FRESH, "")?;
    if has_path(server, release)? {
        query(server, UPGRADED, "ALTER EXTENSION pg_neardup UPDATE")?;
    }
    drop(script);
    let file = server.directory().join("upgraded");
    let file = file.display();
    query(server, UPGRADED, &format!("SET search_path = pg_catalog; COPY ({SNAPSHOT}) TO '{file}'"))?;
    let snapshots = format!(
        "CREATE SCHEMA compared; SET search_path = pg_catalog; CREATE TABLE compared.fresh AS {SNAPSHOT};
         CREATE TABLE compared.upgraded (LIKE compared.fresh); COPY compared.upgraded FROM '{file}'; {COMPARE}"
    );
    query(server, FRESH, &snapshots)?;
    query(server, FRESH, "TABLE compared.differences")
}

/// Says whether there are upgrade scripts from a release to this version.
pub fn has_path(server: &Server, release: &str) -> Result<bool> {
    let path = format!(
        "SELECT path IS NOT NULL FROM pg_extension_update_paths('pg_neardup') WHERE (source, target) = ('{release}', '{VERSION}')"
    );
    Ok(release == VERSION || query(server, "postgres", &path)? == "t")
}

/// `cargo xtask upgrade-draft`: writes what the upgrade script of a release still lacks to a file below `target/`.
pub fn draft(choice: &Choice, from: Option<&str>) -> Result<()> {
    let released = releases()?;
    let release = match from {
        Some(version) if released.iter().any(|release| release == version) => version,
        Some(version) => bail!("{version} is not among the releases: {}", released.join(", ")),
        None => released.last().map(String::as_str).context("there is no release in sql/releases")?,
    };
    let postgres = setup::ensure(choice)?;
    build_and_install(&postgres, Profile::Release)?;
    let server = Server::start(&postgres)?;
    let script = format!("sql/pg_neardup--{release}--{VERSION}.sql");
    say::step(&format!("comparing {release}, upgraded by {script} as it is, with a fresh {VERSION}"));
    if !has_path(&server, release)? {
        say::note("there is no such script yet");
    }
    if compare(&server, &postgres, release)?.is_empty() {
        say::note("nothing is lacking");
        return Ok(());
    }
    let file = target()?.join("upgrade-draft.sql");
    let statements = query(&server, FRESH, r"SELECT string_agg(statement, E'\n\n') FROM compared.draft")?;
    fs_err::write(&file, statements + "\n")?;
    let counts = "SELECT format('%s statements, %s of them want a hand', count(*), count(*) FILTER (WHERE by_hand)) FROM compared.draft";
    let counts = query(&server, FRESH, counts)?;
    say::note(&format!("{}: {counts}", file.display()));
    say::note(&format!("read them, append them to {script}, and run this again until nothing is lacking"));
    Ok(())
}
