//! The Postgres installation to use, as its `pg_config` describes it.

use crate::command::text;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The default major version, here and for plain cargo.
pub const DEFAULT_MAJOR: u32 = 15;

/// The choice of Postgres on the command line.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Choice {
    /// The Debian packages of this major version [default: 15]; test, bench and package go on in another Debian where this one lacks it
    #[arg(long, global = true, value_name = "N")]
    pub pg: Option<u32>,
    /// The Postgres that this pg_config belongs to, instead of Debian's
    #[arg(long, global = true, value_name = "PATH")]
    pub pg_config: Option<PathBuf>,
}

/// One installation of Postgres.
#[derive(Clone, Debug)]
pub struct Postgres {
    /// The `pg_config` that described it.
    pub pg_config: PathBuf,
    /// The major version: 15.
    pub major: u32,
    /// The directory with the programs.
    pub bin: PathBuf,
    pgxs: PathBuf,
}

impl Postgres {
    /// Asks `pg_config` about its installation.
    pub fn at(pg_config: &Path) -> Result<Self> {
        let mut found = Self { pg_config: pg_config.to_owned(), major: 0, bin: PathBuf::new(), pgxs: PathBuf::new() };
        let version = found.ask("--version")?;
        found.major = major_of(&version).with_context(|| format!("cannot read a major version from \"{version}\""))?;
        found.bin = found.ask("--bindir")?.into();
        let pgxs = PathBuf::from(found.ask("--pgxs")?);
        found.pgxs = pgxs.ancestors().nth(2).unwrap_or(&pgxs).to_owned();
        Ok(found)
    }

    /// Returns the answer of `pg_config` to an option such as `--sharedir`.
    pub fn ask(&self, option: &str) -> Result<String> {
        text(Command::new(&self.pg_config).arg(option))
    }

    /// Returns the path of a server or client program: `postgres`, `initdb`, `psql`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// Returns the path of a test program from the server's development files: `regress/pg_regress`.
    pub fn test_program(&self, name: &str) -> PathBuf {
        self.pgxs.join("test").join(name)
    }
}

/// Parses the major version in `PostgreSQL 15.20 (Debian ...)`, `PostgreSQL 18beta1`.
fn major_of(version: &str) -> Option<u32> {
    let number = version.split_whitespace().nth(1)?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
