//! What a check is, what it works with, and how it counts.

use crate::postgres::Postgres;
use crate::say;
use crate::server::Server;
use anyhow::{Context as _, Result};
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

impl Check {
    /// A check that needs no server, or starts what it needs.
    pub const fn alone(name: &'static str, what: &'static str, run: fn(&Context) -> Result<Tally>) -> Self {
        Self { name, what, needs_server: false, run }
    }

    /// A check on the extension, built and installed, and on the server that all share.
    pub const fn with_server(name: &'static str, what: &'static str, run: fn(&Context) -> Result<Tally>) -> Self {
        Self { name, what, needs_server: true, run }
    }
}

/// What the checks work with.
pub struct Context {
    /// The Postgres under test.
    pub postgres: Postgres,
    /// The part of a check to run, if not all: a file's name or a piece of it.
    pub part: Option<String>,
    /// Whether today's output becomes the expected one.
    pub accept: bool,
    /// The throwaway server all checks share; those that restart it or want other settings start their own.
    pub server: Option<Server>,
}

impl Context {
    /// The server that all checks share.
    pub fn server(&self) -> Result<&Server> {
        self.server.as_ref().context("not run: there is no server to run it on")
    }

    /// Whether a part of this name is to be run.
    pub fn wants(&self, name: &str) -> bool {
        self.part.as_ref().is_none_or(|part| name.contains(part.as_str()))
    }
}

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

/// What a check has to say that cannot run here, and why.
pub fn skipped(why: &str) -> Result<Tally> {
    say::note(&format!("skipped: {why}"));
    Ok(Tally::default())
}

/// One assertion of a check: says what it is when it fails.
pub fn expect(what: &str, actual: &str, expected: &str) -> Tally {
    if actual != expected {
        println!("{what}: expected\n  {expected}\nbut found\n  {actual}");
    }
    Tally::one(actual == expected)
}

/// One assertion of a check: nothing of the kind is found.
pub fn expect_none(what: &str, found: impl IntoIterator<Item: fmt::Display>) -> Tally {
    let found: Vec<String> = found.into_iter().map(|one| one.to_string()).collect();
    expect(what, &found.join("\n"), "")
}
