//! Citus with a coordinator and two workers. It is built from the archive beside the checkout, if there is one; nothing of ours
//! links to it.

use super::script;
use crate::build::target;
use crate::check::{Context, Tally, skipped};
use crate::command::{is_root, text};
use crate::debian::install_missing;
use crate::postgres::Postgres;
use crate::psql::empty_database;
use crate::say;
use crate::server::Server;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable that names the archive of its sources.
const ARCHIVE: &str = "NEARDUP_CITUS";

/// The Debian packages that building it needs besides those of the extension.
const PACKAGES: &str = "g++ make autoconf flex libcurl4-openssl-dev liblz4-dev libzstd-dev libssl-dev libreadline-dev zlib1g-dev libkrb5-dev \
                        libxml2-dev libxslt1-dev libpam0g-dev libselinux1-dev libicu-dev";

/// Runs `tests/checks/citus.sql`, or says why it cannot.
pub fn run(context: &Context) -> Result<Tally> {
    let library = PathBuf::from(context.postgres.ask("--pkglibdir")?).join("citus.so");
    if !library.exists() {
        let Some(archive) = std::env::var_os(ARCHIVE).map(PathBuf::from).filter(|archive| archive.exists()) else {
            return skipped(&format!("{} is not there, and {ARCHIVE} names no archive", library.display()));
        };
        if context.postgres.major < 16 || !is_root() {
            return skipped("Citus is built by root, for PostgreSQL 16 to 18: cargo xtask test --pg 17 --filter citus");
        }
        build(&context.postgres, &archive)?;
    }
    let start = || Server::start_with(&context.postgres, &["shared_preload_libraries=citus", "wal_level=logical"]);
    let [coordinator, first, second] = [start()?, start()?, start()?];
    let servers = [("coordinator", &coordinator), ("worker_0", &first), ("worker_1", &second)];
    servers.iter().try_for_each(|(_, server)| empty_database(server, "citus"))?;
    script::run("citus", &servers)
}

fn build(postgres: &Postgres, archive: &Path) -> Result<()> {
    install_missing(&PACKAGES.split_whitespace().collect::<Vec<_>>())?;
    let place = target()?;
    fs_err::create_dir_all(&place)?;
    text(Command::new("tar").arg("xf").arg(archive).arg("-C").arg(&place))?;
    let sources = place.join("citus");
    let configure = format!("PG_CONFIG={}", postgres.pg_config.display());
    say::during("building Citus (about 3 minutes, once)", |_| {
        text(Command::new("./configure").args(["-q", &configure]).current_dir(&sources))?;
        text(Command::new("make").args(["-s", "-j2", "install"]).current_dir(&sources)).map(drop)
    })
}
