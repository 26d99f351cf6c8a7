//! What `cargo xtask test` checks: one file each. To add one, write the file and list it in [`ALL`].

mod belongings;
mod cancel;
mod catalog;
mod concurrency;
mod crash;
mod cron;
mod demo;
mod dump;
mod examples;
mod extremes;
mod faults;
mod hostile;
mod index;
mod isolation;
mod mutations;
mod pasted;
mod pg_upgrade;
mod preload;
mod reference;
mod regress;
mod releases;
mod replica;
mod resume;
mod rights;
mod rust;
mod sample;
mod shards;
mod subscriber;
mod trusted;
mod unsafety;
mod upgrade;

use crate::error::Result;
use crate::test::Context;
use std::fmt;
use std::ops::AddAssign;

/// One check.
pub struct Check {
    /// What `--filter` looks at.
    pub name: &'static str,
    /// What it does and how long that usually takes, for the reader.
    pub what: &'static str,
    /// Whether it wants the extension built and a server started.
    pub needs_server: bool,
    /// Does it. An error counts as one failure.
    pub run: fn(&Context) -> Result<Tally>,
}

/// The checks in their order: the quick and the pure first.
pub const ALL: &[Check] = &[
    Check { name: "format", what: "cargo fmt --check", needs_server: false, run: rust::format },
    Check { name: "lint", what: "cargo clippy (about 2 minutes the first time)", needs_server: false, run: rust::lint },
    Check {
        name: "core",
        what: "unit tests of neardup-core (about 3 minutes the first time)",
        needs_server: false,
        run: rust::core,
    },
    Check {
        name: "unsafe",
        what: "unsafe code, each piece with its argument",
        needs_server: false,
        run: unsafety::run,
    },
    Check { name: "xtask", what: "unit tests of these commands", needs_server: false, run: rust::xtask },
    Check {
        name: "releases",
        what: "released scripts, and one version everywhere",
        needs_server: false,
        run: releases::run,
    },
    Check { name: "regress", what: "tests/pg_regress, a fresh database each", needs_server: true, run: regress::run },
    Check { name: "isolation", what: "tests/isolation", needs_server: true, run: isolation::run },
    Check {
        name: "examples",
        what: "the SQL of README and docs, and its output",
        needs_server: true,
        run: examples::run,
    },
    Check { name: "demo", what: "the demo's scripts, on the sample", needs_server: true, run: demo::run },
    Check { name: "catalog", what: "comments and labels of every object", needs_server: true, run: catalog::run },
    Check { name: "reference", what: "docs/reference.md against the catalog", needs_server: true, run: reference::run },
    Check {
        name: "upgrade",
        what: "a database of each earlier release, upgraded",
        needs_server: true,
        run: upgrade::run,
    },
    Check {
        name: "pg_upgrade",
        what: "from an older Postgres, where there is one",
        needs_server: true,
        run: pg_upgrade::run,
    },
    Check { name: "trusted", what: "CREATE EXTENSION by a database's owner", needs_server: true, run: trusted::run },
    Check { name: "dump", what: "dump and restore of a protected table", needs_server: true, run: dump::run },
    Check { name: "concurrency", what: "copies from many sessions at once", needs_server: true, run: concurrency::run },
    Check {
        name: "preload",
        what: "dictionary loaded at server start; memory after many documents",
        needs_server: true,
        run: preload::run,
    },
    Check { name: "replica", what: "a streaming replica, and its promotion", needs_server: true, run: replica::run },
    Check { name: "mutations", what: "damaged values of every type", needs_server: true, run: mutations::run },
    Check { name: "subscriber", what: "a logical replication subscriber", needs_server: true, run: subscriber::run },
    Check { name: "rights", what: "injections, roles with few rights", needs_server: true, run: rights::run },
    Check { name: "extremes", what: "every function with extreme arguments", needs_server: true, run: extremes::run },
    Check {
        name: "hostile",
        what: "100 MB texts and worse: they end, and can be cancelled (about 3 minutes)",
        needs_server: true,
        run: hostile::run,
    },
    Check { name: "cancel", what: "every long loop can be cancelled", needs_server: true, run: cancel::run },
    Check { name: "crash", what: "a server killed and started again", needs_server: true, run: crash::run },
    Check {
        name: "index",
        what: "access method neardup: crashes, a replica, damaged pages (some four minutes)",
        needs_server: true,
        run: index::run,
    },
    Check { name: "faults", what: "no memory and no disk left", needs_server: true, run: faults::run },
    Check {
        name: "resume",
        what: "each procedure interrupted twenty times (some three minutes)",
        needs_server: true,
        run: resume::run,
    },
    Check { name: "shards", what: "three servers joined by postgres_fdw", needs_server: true, run: shards::run },
    Check {
        name: "cron",
        what: "clean-up and purge by pg_cron, where it can be had (a minute)",
        needs_server: true,
        run: cron::run,
    },
];

/// How many tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed.
    pub failed: u32,
}

impl Tally {
    /// One test, passed or not.
    pub fn one(passed: bool) -> Self {
        Self { passed: passed.into(), failed: (!passed).into() }
    }

    /// One test that failed.
    pub fn failure() -> Self {
        Self::one(false)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// One assertion of a check: says what it is when it fails.
pub fn expect(what: &str, actual: &str, expected: &str) -> Tally {
    if actual != expected {
        println!("{what}: expected\n  {expected}\nbut found\n  {actual}");
    }
    Tally::one(actual == expected)
}
