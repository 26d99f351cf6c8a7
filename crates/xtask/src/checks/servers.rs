//! Checks that consist of SQL steps on their own servers, or with extra files: the set-up that each needs for its file of
//! `tests/checks`.

use super::script;
use crate::check::{Context, Tally, expect, skipped};
use crate::command::is_root;
use crate::debian::install_missing;
use crate::interrupt::Undo;
use crate::psql::{Session, query};
use crate::say;
use crate::server::{PRELOADING, Server};
use anyhow::Result;
use std::path::PathBuf;

/// Comments and labels of every object.
pub fn catalog(context: &Context) -> Result<Tally> {
    script::run_fresh("catalog", &[("server", context.server()?)])
}

/// A guarded table through pg_dump and restore.
pub fn dump(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    script::fresh_sample(server, "dump")?;
    script::run("dump", &[("server", server)])
}

/// The memory of an insert and a list beside long documents; the figures are those of Linux.
pub fn memory(context: &Context) -> Result<Tally> {
    if !cfg!(target_os = "linux") {
        return skipped("this system has no /proc");
    }
    script::run_fresh("memory", &[("memory", context.server()?)])
}

/// Removed rows and the log of clean-ups: rights, settings, dropped roles, DROP EXTENSION.
pub fn records(context: &Context) -> Result<Tally> {
    script::run_fresh("records", &[("server", context.server()?)])
}

/// What the owner has answered: it holds whatever happens to the rows.
pub fn answers(context: &Context) -> Result<Tally> {
    script::run_fresh("answers", &[("server", context.server()?)])
}

/// A server that preloads the library, beside one that does not.
pub fn preload(context: &Context) -> Result<Tally> {
    let preloaded = Server::start_with(&context.postgres, &PRELOADING)?;
    script::run_fresh("preload", &[("usual", context.server()?), ("preloaded", &preloaded)])
}

/// A server with a guarded table and its replica, which is promoted.
pub fn replica(context: &Context) -> Result<Tally> {
    let primary = Server::start_with(&context.postgres, &["wal_level=replica", "max_wal_senders=4"])?;
    script::fresh_sample(&primary, "replica")?;
    query(
        &primary,
        "replica",
        "CREATE TABLE article (id text PRIMARY KEY, body text); SELECT neardup.protect('article', 'body');
         INSERT INTO article SELECT id, body FROM sample ORDER BY length(body) DESC LIMIT 20",
    )?;
    let replica = Server::replica_of(&primary)?;
    script::run("replica", &[("primary", &primary), ("replica", &replica)])
}

/// Three servers joined by postgres_fdw.
pub fn shards(context: &Context) -> Result<Tally> {
    if !context.has_contrib()? {
        return skipped("this Postgres has no postgres_fdw");
    }
    let shards = [Server::start(&context.postgres)?, Server::start(&context.postgres)?];
    script::run_fresh("shards", &[("coordinator", context.server()?), ("shard_0", &shards[0]), ("shard_1", &shards[1])])
}

/// A publisher and a subscriber of logical replication.
pub fn subscriber(context: &Context) -> Result<Tally> {
    let publisher = Server::start_with(&context.postgres, &["wal_level=logical", "max_wal_senders=4"])?;
    let subscriber = Server::start_with(&context.postgres, &["wal_level=logical"])?;
    script::run_fresh("subscriber", &[("publisher", &publisher), ("subscriber", &subscriber)])
}

/// A server with pg_cron loaded, if the package is available.
pub fn cron(context: &Context) -> Result<Tally> {
    let package = format!("postgresql-{}-cron", context.postgres.major);
    let library = PathBuf::from(context.postgres.ask("--pkglibdir")?).join("pg_cron.so");
    if !library.exists() && is_root() {
        // The check is skipped without pg_cron, so that machines that cannot fetch packages can continue.
        if let Err(error) = install_missing(&[&package]) {
            say::note(&error.to_string());
        }
    }
    if !library.exists() {
        return skipped(&format!("{package} is not installed"));
    }
    let settings = ["shared_preload_libraries=pg_cron", "cron.database_name=cron", "cron.use_background_workers=on"];
    let server = Server::start_with(&context.postgres, &settings)?;
    script::run_fresh("cron", &[("server", &server)])
}

/// Who may create the extension: a superuser and, if it is marked as trusted, the owner of a database.
pub fn trusted(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    query(server, "postgres", "CREATE ROLE neardup_owner LOGIN")?;
    query(server, "postgres", "CREATE DATABASE trusted OWNER neardup_owner")?;
    let mut owner = Session::open(server, "trusted")?;
    owner.ask("\\set VERBOSITY sqlstate\nSET ROLE neardup_owner;")?;
    let mut tally = expect("as it is packaged", &owner.ask("CREATE EXTENSION pg_neardup;")?, "ERROR:  42501");
    let control = PathBuf::from(context.postgres.ask("--sharedir")?).join("extension/pg_neardup.control");
    let _undo = Undo::change(&control, |before| before.replace("trusted = false", "trusted = true"))?;
    tally += script::run("trusted", &[("server", server)])?;
    Ok(tally)
}
