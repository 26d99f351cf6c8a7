//! Set-up: every command looks for what building and testing need, and installs what is missing.
//!
//! No existing Postgres server is touched: packages are added, never changed.

use crate::command::{answers, cargo, run};
use crate::postgres::{Choice, DEFAULT_MAJOR, Postgres};
use crate::{debian, say};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// Installs everything needed, and returns the Postgres to use.
pub fn ensure(choice: &Choice) -> Result<Postgres> {
    let major = choice.pg.unwrap_or(DEFAULT_MAJOR);
    let debian = PathBuf::from(format!("/usr/lib/postgresql/{major}/bin/pg_config"));
    let mut packages: Vec<String> = ["clang", "libclang-dev", "gcc", "libc6-dev", "xz-utils"].map(str::to_owned).into();
    let pg_config = match &choice.pg_config {
        Some(given) => given.clone(),
        None => {
            packages.extend([format!("postgresql-{major}"), format!("postgresql-server-dev-{major}")]);
            debian
        }
    };
    debian::install_missing(&packages)?;
    let path = pg_config.display();
    if !pg_config.exists() {
        bail!(
            "there is no {path}; give the path of your Postgres's pg_config: --pg-config /path/to/pg_config\n\
             (the server, its development files, clang with libclang, a C compiler and xz are needed)"
        );
    }
    let postgres = Postgres::at(&pg_config)?;
    if choice.pg.is_some_and(|wanted| wanted != postgres.major) {
        bail!("{path} is of Postgres {}", postgres.major);
    }
    Ok(postgres)
}

/// Installs rustfmt and clippy, which a minimal toolchain lacks.
pub fn ensure_lint_tools() -> Result<()> {
    for (tool, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !answers(cargo().args([tool, "--version"])) {
            say::step(&format!("installing {component} (a few seconds, once)"));
            run(Command::new("rustup").args(["component", "add", component]))?;
        }
    }
    Ok(())
}
