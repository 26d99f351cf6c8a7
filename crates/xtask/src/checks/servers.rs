//! The checks that are steps of SQL on servers of their own, or with files beside: what each needs before its file of `tests/checks`.

use super::{sample, script};
use crate::check::{Context, Tally, expect};
use crate::command::is_root;
use crate::debian::install_missing;
use crate::interrupt::Undo;
use crate::psql::{Session, fresh_database, query};
use crate::say;
use crate::server::Server;
use anyhow::Result;
use std::path::PathBuf;

/// Comments and labels of every object.
pub fn catalog(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh_database(server, "catalog")?;
    script::run("catalog.sql", "catalog", &[("server", server)])
}

/// A protected table through pg_dump and back.
pub fn dump(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    sample::load(server, "dump")?;
    for database in ["dump_plain", "dump_custom"] {
        query(server, "postgres", &format!("DROP DATABASE IF EXISTS {database}"))?;
    }
    script::run("dump.sql", "dump", &[("server", server)])
}

/// A server that loads the library at its start, beside one that does not.
pub fn preload(context: &Context) -> Result<Tally> {
    let usual = context.server()?;
    let settings = ["shared_preload_libraries=pg_neardup", "pg_neardup.preload=on"];
    let preloaded = Server::start_with(&context.postgres, &settings)?;
    fresh_database(usual, "preload")?;
    fresh_database(&preloaded, "preload")?;
    script::run("preload.sql", "preload", &[("usual", usual), ("preloaded", &preloaded)])
}

/// A server with a guarded table and its replica, which is promoted.
pub fn replica(context: &Context) -> Result<Tally> {
    let primary = Server::start_with(&context.postgres, &["wal_level=replica", "max_wal_senders=4"])?;
    sample::load(&primary, "replica")?;
    query(
        &primary,
        "replica",
        "CREATE TABLE article (id text PRIMARY KEY, body text); SELECT neardup.protect('article', 'body');
         INSERT INTO article SELECT id, body FROM sample ORDER BY length(body) DESC LIMIT 20",
    )?;
    let replica = Server::replica_of(&primary)?;
    script::run("replica.sql", "replica", &[("primary", &primary), ("replica", &replica)])
}

/// Three servers joined by postgres_fdw.
pub fn shards(context: &Context) -> Result<Tally> {
    let coordinator = context.server()?;
    let shards = [Server::start(&context.postgres)?, Server::start(&context.postgres)?];
    let servers = [("coordinator", coordinator), ("shard_0", &shards[0]), ("shard_1", &shards[1])];
    servers.iter().try_for_each(|(_, server)| fresh_database(server, "shards"))?;
    script::run("shards.sql", "shards", &servers)
}

/// A publisher and a subscriber of logical replication.
pub fn subscriber(context: &Context) -> Result<Tally> {
    let publisher = Server::start_with(&context.postgres, &["wal_level=logical", "max_wal_senders=4"])?;
    let subscriber = Server::start_with(&context.postgres, &["wal_level=logical"])?;
    let servers = [("publisher", &publisher), ("subscriber", &subscriber)];
    servers.iter().try_for_each(|(_, server)| fresh_database(server, "subscriber"))?;
    script::run("subscriber.sql", "subscriber", &servers)
}

/// A server that has pg_cron loaded, where it can be had.
pub fn cron(context: &Context) -> Result<Tally> {
    let package = format!("postgresql-{}-cron", context.postgres.major);
    let library = PathBuf::from(context.postgres.ask("--pkglibdir")?).join("pg_cron.so");
    if !library.exists() && is_root() {
        // Without it the check is skipped, so a machine that cannot fetch packages goes on.
        if let Err(error) = install_missing(std::slice::from_ref(&package)) {
            say::note(&error.to_string());
        }
    }
    if !library.exists() {
        say::note(&format!("skipped: {package} is not installed"));
        return Ok(Tally::default());
    }
    let settings = ["shared_preload_libraries=pg_cron", "cron.database_name=cron", "cron.use_background_workers=on"];
    let server = Server::start_with(&context.postgres, &settings)?;
    fresh_database(&server, "cron")?;
    script::run("cron.sql", "cron", &[("server", &server)])
}

/// Who may create the extension: a superuser, and where it is marked as trusted, also the owner of a database.
pub fn trusted(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    query(server, "postgres", "DROP DATABASE IF EXISTS trusted")?;
    query(server, "postgres", "DROP ROLE IF EXISTS neardup_owner")?;
    query(server, "postgres", "CREATE ROLE neardup_owner LOGIN")?;
    query(server, "postgres", "CREATE DATABASE trusted OWNER neardup_owner")?;
    let mut owner = Session::open(server, "trusted")?;
    owner.ask("\\set VERBOSITY sqlstate\nSET ROLE neardup_owner;")?;
    let mut tally = expect("as it is packaged", &owner.ask("CREATE EXTENSION pg_neardup;")?, "ERROR:  42501");
    let path = PathBuf::from(context.postgres.ask("--sharedir")?).join("extension/pg_neardup.control");
    let before = fs_err::read_to_string(&path)?;
    let trusted = before.replace("trusted = false", "trusted = true");
    let control = path.clone();
    let _undo = Undo::new(move || {
        if let Err(error) = fs_err::write(&control, &before) {
            eprintln!("cannot write {} back: {error}", control.display());
        }
    });
    fs_err::write(&path, trusted)?;
    tally += script::run("trusted.sql", "trusted", &[("server", server)])?;
    Ok(tally)
}
