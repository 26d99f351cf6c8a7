//! Checks by cargo itself: formatting, lints, unit tests.

use crate::build::for_postgres;
use crate::check::{Context, Tally};
use crate::command::{cargo, lines, run};
use crate::setup::ensure_lint_tools;
use anyhow::Result;

/// `cargo fmt --check`.
pub fn format(_: &Context) -> Result<Tally> {
    ensure_lint_tools()?;
    run(cargo().args(["fmt", "--all", "--check"])).map(|()| Tally::one(true))
}

/// Clippy, with warnings as errors. All packages in one command, here and below: package by package, cargo would resolve other features for each, and
/// compile the same dependencies up to ten times.
pub fn lint(context: &Context) -> Result<Tally> {
    ensure_lint_tools()?;
    let mut clippy = cargo();
    clippy.args(["clippy", "--quiet", "--workspace", "--all-targets"]);
    for_postgres(&mut clippy, &context.postgres);
    let outcome = run(clippy.args(["--", "-D", "warnings"]));
    Ok(Tally::one(outcome.is_ok()))
}

/// The unit and property tests of the crates, of these commands, and those in the extension's own files. A test there may only reach code that calls
/// nothing of Postgres, whose functions the linker would miss. Without `--tests`, cargo would compile the programs in `examples/`, too; no test runs
/// them, and the lints have looked at them.
pub fn core(context: &Context) -> Result<Tally> {
    let mut tally = cargo_test("--tests", context)?;
    tally += cargo_test("--doc", context)?;
    Ok(tally)
}

/// Runs `cargo test` for tests of this kind, prints its output, and adds up its summaries.
fn cargo_test(kind: &str, context: &Context) -> Result<Tally> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--workspace", kind, "--no-fail-fast"]);
    for_postgres(&mut command, &context.postgres);
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
