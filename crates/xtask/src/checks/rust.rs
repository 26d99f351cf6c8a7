//! Checks by cargo itself: formatting, lints, unit tests.

use crate::build::{CRATES, for_postgres};
use crate::check::{Context, Tally};
use crate::command::{cargo, lines, run};
use crate::setup::ensure_lint_tools;
use anyhow::Result;

/// `cargo fmt --check`.
pub fn format(_: &Context) -> Result<Tally> {
    ensure_lint_tools()?;
    run(cargo().args(["fmt", "--all", "--check"])).map(|()| Tally::one(true))
}

/// Clippy, with warnings as errors.
pub fn lint(context: &Context) -> Result<Tally> {
    ensure_lint_tools()?;
    let mut tally = Tally::default();
    for package in CRATES.into_iter().chain(["xtask", "pg_neardup"]) {
        let mut clippy = cargo();
        clippy.args(["clippy", "--quiet", "--package", package, "--all-targets"]);
        if package == "pg_neardup" {
            for_postgres(&mut clippy, &context.postgres);
        }
        let outcome = run(clippy.args(["--", "-D", "warnings"]));
        tally += Tally::one(outcome.is_ok());
    }
    Ok(tally)
}

/// The unit and property tests of the crates, and those in the extension's own files. A test there may only reach code that calls nothing
/// of Postgres, whose functions the linker would miss.
pub fn core(context: &Context) -> Result<Tally> {
    let mut tally = Tally::default();
    for package in CRATES {
        tally += cargo_test(package, "--tests", context)?;
        tally += cargo_test(package, "--doc", context)?;
    }
    tally += cargo_test("pg_neardup", "--tests", context)?;
    Ok(tally)
}

/// The unit tests of this crate.
pub fn xtask(context: &Context) -> Result<Tally> {
    cargo_test("xtask", "--tests", context)
}

/// Runs `cargo test` for the unit and integration tests or for the examples in comments, prints its output, and adds up its summaries. Without
/// either, cargo would compile the programs in `examples/`, too; no test runs them, and the lints have looked at them.
fn cargo_test(package: &str, kind: &str, context: &Context) -> Result<Tally> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", package, kind, "--no-fail-fast"]);
    if package == "pg_neardup" {
        for_postgres(&mut command, &context.postgres);
    }
    command.args(["--", "--format=terse"]).args(&context.part);
    let mut tally = Tally::default();
    let succeeded = lines(&mut command, |line| match summary(line) {
        Some(part) => tally += part,
        None if line.trim().is_empty() || line.starts_with("running ") => {}
        None => println!("{line}"),
    })?;
    if !succeeded && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok(tally)
}

/// Parses `test result: ok. 12 passed; 0 failed; 0 ignored; ...`.
fn summary(line: &str) -> Option<Tally> {
    let line = line.strip_prefix("test result: ")?;
    let count = |what: &str| -> Option<u32> { line.split(what).next()?.split_whitespace().last()?.parse().ok() };
    Some(Tally { passed: count(" passed;")?, failed: count(" failed;")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert_eq!(summary(line), Some(Tally { passed: 12, failed: 3 }));
        assert_eq!(summary("running 12 tests"), None);
    }
}
