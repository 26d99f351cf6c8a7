//! Set-up: what building and testing needs, looked for by every command and installed where it is missing.
//!
//! Nothing here touches a Postgres server that exists already: packages are added, never changed, and cargo-pgrx is only told where a
//! Postgres is.

use crate::command::{answers, cargo, run, text};
use crate::debian;
use crate::error::{Error, Result};
use crate::options::Options;
use crate::postgres::Postgres;
use crate::say;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cargo-pgrx that fits the pgrx in Cargo.toml: they must be equal.
const CARGO_PGRX: &str = "0.18.1";
const DEFAULT_MAJOR: u32 = 15;

/// Makes sure that everything needed is there, and says which Postgres is to be used.
pub fn ensure(options: &Options) -> Result<Postgres> {
    let debian_major = options.pg.unwrap_or(DEFAULT_MAJOR);
    let pg_config = match &options.pg_config {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("/usr/lib/postgresql/{debian_major}/bin/pg_config")),
    };
    let mut packages: Vec<String> =
        ["clang", "libclang-dev", "pkg-config", "gcc", "libc6-dev", "make", "xz-utils"].map(str::to_owned).into();
    if options.pg_config.is_none() {
        packages.push(format!("postgresql-{debian_major}"));
        packages.push(format!("postgresql-server-dev-{debian_major}"));
    }
    debian::install_missing(&packages)?;
    if !pg_config.exists() {
        return Err(no_postgres(&pg_config));
    }
    let postgres = Postgres::at(&pg_config)?;
    if options.pg.is_some_and(|wanted| wanted != postgres.major) {
        return Err(format!("{} is of Postgres {}", pg_config.display(), postgres.major).into());
    }
    cargo_pgrx()?;
    register(&postgres)?;
    Ok(postgres)
}

fn no_postgres(pg_config: &Path) -> Error {
    format!(
        "there is no {}; give the path of your Postgres's pg_config: --pg-config /path/to/pg_config\n(the server, its development files, clang with libclang, pkg-config, a C compiler, make and xz are needed)",
        pg_config.display()
    )
    .into()
}

fn cargo_pgrx() -> Result {
    let version = text(cargo().args(["pgrx", "--version"])).unwrap_or_default();
    if version.split_whitespace().last() == Some(CARGO_PGRX) {
        return Ok(());
    }
    say::step(&format!("installing cargo-pgrx {CARGO_PGRX} (about 4 minutes, once)"));
    run(cargo().args(["install", "cargo-pgrx", "--version", &format!("={CARGO_PGRX}"), "--locked"]))
}

/// Tells pgrx where this Postgres is, unless it knows one of the same major version: the user's choice stays, and
/// [`for_postgres`] goes around it.
fn register(postgres: &Postgres) -> Result {
    if registered(postgres.major).is_some() {
        return Ok(());
    }
    say::step(&format!("telling pgrx about {} (a moment, once)", postgres.pg_config.display()));
    let option = format!("--pg{}={}", postgres.major, postgres.pg_config.display());
    run(cargo().args(["pgrx", "init", "--no-run", &option]))
}

fn registered(major: u32) -> Option<PathBuf> {
    let home = std::env::var_os("PGRX_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".pgrx")))?;
    registered_in(&std::fs::read_to_string(home.join("config.toml")).ok()?, major).filter(|path| path.exists())
}

/// The path that pgrx's `config.toml` has for a major version: a line `pg15 = "/usr/lib/..."`.
fn registered_in(config: &str, major: u32) -> Option<PathBuf> {
    let key = format!("pg{major}");
    let value = config.lines().filter_map(|line| line.split_once('=')).find(|(name, _)| name.trim() == key)?.1;
    Some(PathBuf::from(value.trim().trim_matches('"')))
}

/// Has cargo build against this Postgres: the environment and the feature arguments for it.
pub fn for_postgres<'a>(command: &'a mut Command, postgres: &Postgres) -> &'a mut Command {
    if registered(postgres.major).as_deref() != Some(postgres.pg_config.as_path()) {
        command.env("PGRX_PG_CONFIG_PATH", &postgres.pg_config);
    }
    if postgres.major != DEFAULT_MAJOR {
        command.args(["--no-default-features", "--features", &format!("pg{}", postgres.major)]);
    }
    command
}

/// Makes sure that rustfmt and clippy are there, which a minimal toolchain lacks.
pub fn ensure_lint_tools() -> Result {
    for (tool, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !answers(cargo().args([tool, "--version"])) {
            say::step(&format!("installing {component} (a few seconds, once)"));
            run(Command::new("rustup").args(["component", "add", component]))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::registered_in;
    use std::path::PathBuf;

    #[test]
    fn pgrx_configuration_is_read() {
        let config = "base_port = 28800\n[configs]\npg15 = \"/usr/lib/postgresql/15/bin/pg_config\"\n";
        assert_eq!(registered_in(config, 15), Some(PathBuf::from("/usr/lib/postgresql/15/bin/pg_config")));
        assert_eq!(registered_in(config, 1), None);
        assert_eq!(registered_in(config, 16), None);
    }
}
