//! Where a Postgres installation has its things, as its `pg_config` says.

use crate::command::text;
use crate::error::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One installation of Postgres.
#[derive(Clone, Debug)]
pub struct Postgres {
    /// The `pg_config` that described it.
    pub pg_config: PathBuf,
    /// The major version: 15.
    pub major: u32,
    bin: PathBuf,
    pgxs: PathBuf,
}

impl Postgres {
    /// Asks `pg_config` about its installation.
    pub fn at(pg_config: &Path) -> Result<Self> {
        let ask = |what: &str| text(Command::new(pg_config).arg(what));
        let version = ask("--version")?;
        let major = major_of(&version).ok_or_else(|| format!("cannot read a major version from \"{version}\""))?;
        let pgxs = PathBuf::from(ask("--pgxs")?);
        let tools = pgxs.ancestors().nth(2).unwrap_or(&pgxs).to_owned();
        Ok(Self { pg_config: pg_config.to_owned(), major, bin: ask("--bindir")?.into(), pgxs: tools })
    }

    /// A server or client program: `postgres`, `initdb`, `psql`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// A test program that comes with the server's development files: `regress/pg_regress`.
    pub fn test_program(&self, name: &str) -> PathBuf {
        self.pgxs.join("test").join(name)
    }

    /// The directory with the programs.
    pub fn bin(&self) -> &Path {
        &self.bin
    }
}

/// The major version in `PostgreSQL 15.20 (Debian ...)`, `PostgreSQL 18beta1`.
fn major_of(version: &str) -> Option<u32> {
    let number = version.split_whitespace().nth(1)?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::major_of;

    #[test]
    fn major_versions() {
        assert_eq!(major_of("PostgreSQL 15.20 (Debian 15.20-0+deb12u1)"), Some(15));
        assert_eq!(major_of("PostgreSQL 18beta1"), Some(18));
        assert_eq!(major_of("nonsense"), None);
    }
}
