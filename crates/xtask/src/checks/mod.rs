//! The checks of `cargo xtask test`, one file each. To add one, write the file and list it in [`ALL`].

mod belongings;
mod boundary;
mod cancel;
mod citus;
mod clients;
mod concurrency;
mod crash;
mod demo;
mod examples;
mod extremes;
mod faults;
mod files;
mod formats;
mod hostile;
mod index;
mod layers;
mod links;
mod mutations;
mod pasted;
mod pg_upgrade;
mod programs;
mod reference;
mod regress;
mod releases;
mod resume;
mod rights;
mod rust;
mod script;
mod servers;
mod thresholds;
mod upgrade;

use crate::check::Check;

/// The checks in order: quick ones and those without a server first.
pub const ALL: &[Check] = &[
    Check::alone("format", "cargo fmt --check", rust::format),
    Check::alone("lint", "cargo clippy (4 to 9 minutes the first time, then less)", rust::lint),
    Check::alone("core", "unit tests that need no server (8 to 14 minutes the first time, then less)", rust::core),
    Check::alone("boundary", "calls of Postgres outside the error boundary", boundary::run),
    Check::alone("layers", "the imports of src/ against the map in docs/internals/architecture.md", layers::run),
    Check::alone("releases", "released scripts, and one version everywhere", releases::run),
    Check::alone("formats", "stored formats against a second implementation, in Python", formats::run),
    Check::alone("links", "the links between the Markdown files", links::run),
    Check::alone("thresholds", "the verdict's thresholds, wherever they are stated", thresholds::run),
    Check::with_server("regress", "tests/pg_regress, a fresh database each", regress::run),
    Check::with_server("isolation", "tests/isolation", regress::isolation),
    Check::with_server("examples", "the SQL of README and docs, and its output", examples::run),
    Check::with_server("demo", "the demo's scripts, on the sample", demo::run),
    Check::with_server("catalog", "comments and labels of every object", servers::catalog),
    Check::with_server("reference", "docs/reference.md against the catalog", reference::run),
    Check::with_server("upgrade", "a database of each earlier release, upgraded", upgrade::run),
    Check::with_server("pg_upgrade", "from an older Postgres, where there is one", pg_upgrade::run),
    Check::with_server("trusted", "CREATE EXTENSION by a database's owner", servers::trusted),
    Check::with_server("files", "from a directory of its own, by extension_control_path (--pg 18)", files::run),
    Check::with_server("dump", "dump and restore of a protected table", servers::dump),
    Check::with_server("records", "what clean-ups keep: rights, values, dropped roles", servers::records),
    Check::with_server(
        "answers",
        "answers about pairs, in several sessions, through dump and restore",
        servers::answers,
    ),
    Check::with_server("memory", "an insert and a list beside documents of 4 MB", servers::memory),
    Check::with_server("concurrency", "copies from many sessions at once", concurrency::run),
    Check::with_server("preload", "dictionary loaded at server start; memory after many documents", servers::preload),
    Check::with_server("replica", "a streaming replica, and its promotion", servers::replica),
    Check::with_server("mutations", "damaged values of every type", mutations::run),
    Check::with_server("subscriber", "a logical replication subscriber", servers::subscriber),
    Check::with_server("rights", "injections, roles with few rights", rights::run),
    Check::with_server("extremes", "every function with extreme arguments", extremes::run),
    Check::with_server("hostile", "100 MB texts and worse end, and can be cancelled (3 minutes)", hostile::run),
    Check::with_server("cancel", "every long loop can be cancelled", cancel::run),
    Check::with_server("crash", "a server killed and started again", crash::run),
    Check::with_server("index", "access method neardup: crashes, a replica, damaged pages (4 minutes)", index::run),
    Check::with_server("faults", "no memory and no disk left", faults::run),
    Check::with_server("resume", "each procedure interrupted twenty times (some three minutes)", resume::run),
    Check::with_server("shards", "three servers joined by postgres_fdw", servers::shards),
    Check::with_server("citus", "a coordinator and two workers, where Citus can be had (--pg 17)", citus::run),
    Check::with_server(
        "clients",
        "SQLAlchemy, Django and ActiveRecord on a guarded table, where they can be had",
        clients::run,
    ),
    Check::with_server("cron", "clean-up and purge by pg_cron, where it can be had (a minute)", servers::cron),
];
