//! Definitions for checks: what a check is, what it can use, and how its results are counted.

use crate::postgres::Postgres;
use crate::say;
use crate::server::Server;
use anyhow::{Context as _, Result};
use std::fmt;
use std::ops::AddAssign;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// One check.
pub struct Check {
    /// The name that `--filter` matches.
    pub name: &'static str,
    /// What it does and how long that usually takes.
    pub what: &'static str,
    /// Whether it needs the built extension and a server.
    pub needs_server: bool,
    /// Runs it. An error counts as one failure.
    pub run: fn(&Context) -> Result<Tally>,
}

impl Check {
    /// Makes a check that needs no server, or starts its own.
    pub const fn alone(name: &'static str, what: &'static str, run: fn(&Context) -> Result<Tally>) -> Self {
        Self { name, what, needs_server: false, run }
    }

    /// Makes a check of the built and installed extension, on the shared server.
    pub const fn with_server(name: &'static str, what: &'static str, run: fn(&Context) -> Result<Tally>) -> Self {
        Self { name, what, needs_server: true, run }
    }
}

/// What the checks can use.
pub struct Context {
    /// The Postgres under test.
    pub postgres: Postgres,
    /// The part of a check to run, if not all: a file's name or a piece of it.
    pub part: Option<String>,
    /// Whether today's output replaces the expected one.
    pub accept: bool,
    /// The throwaway server that all checks share; those that restart it or need other settings start their own.
    pub server: Option<Server>,
}

impl Context {
    /// Returns the server that all checks share.
    pub fn server(&self) -> Result<&Server> {
        self.server.as_ref().context("not run: there is no server to run it on")
    }

    /// Says whether the server has the extensions of Postgres's own sources, which some builds lack.
    pub fn has_contrib(&self) -> Result<bool> {
        Ok(PathBuf::from(self.postgres.ask("--sharedir")?).join("extension/postgres_fdw.control").exists())
    }

    /// Says whether a part of this name is to be run.
    pub fn wants(&self, name: &str) -> bool {
        self.part.as_ref().is_none_or(|part| name.contains(part.as_str()))
    }
}

/// The number of tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Tests passed.
    pub passed: u32,
    /// Tests failed.
    pub failed: u32,
}

impl Tally {
    /// Counts one test, passed or failed.
    pub fn one(passed: bool) -> Self {
        Self { passed: passed.into(), failed: (!passed).into() }
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

/// Whether the check that runs has skipped something. Checks run one after the other.
static HAS_SKIPPED: AtomicBool = AtomicBool::new(false);

/// Reports that a check, or a part of it, cannot run here, and why.
pub fn skipped(why: &str) -> Result<Tally> {
    say::note(&format!("skipped: {why}"));
    HAS_SKIPPED.store(true, Ordering::Relaxed);
    Ok(Tally::default())
}

/// Says whether anything was skipped since the last call.
pub fn has_skipped() -> bool {
    HAS_SKIPPED.swap(false, Ordering::Relaxed)
}

/// One assertion of a check; prints its description if it fails.
pub fn expect(what: &str, actual: &str, expected: &str) -> Tally {
    if actual != expected {
        println!("{what}: expected\n  {expected}\nbut found\n  {actual}");
    }
    Tally::one(actual == expected)
}

/// One assertion of a check: that the list of findings is empty.
pub fn expect_none(what: &str, found: impl IntoIterator<Item: fmt::Display>) -> Tally {
    let found: Vec<String> = found.into_iter().map(|one| one.to_string()).collect();
    expect(what, &found.join("\n"), "")
}
