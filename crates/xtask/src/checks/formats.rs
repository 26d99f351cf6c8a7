//! The golden vectors of stored formats against a second implementation in Python, tests/formats.

use crate::check::{Context, Tally, skipped};
use crate::command::{answers, lines, root};
use crate::debian;
use anyhow::Result;
use std::process::Command;

/// Compares them. The implementation says what differs.
pub fn run(_: &Context) -> Result<Tally> {
    if !answers(Command::new("python3").arg("--version"))
        && let Err(why) = debian::install_missing(&["python3"])
    {
        return skipped(&format!("there is no python3: {why:#}"));
    }
    // Without -B, Python would leave its caches in the checkout.
    let mut python = Command::new("python3");
    let agree = lines(python.args(["-B", "tests/formats/formats.py"]).current_dir(root()), |line| println!("{line}"))?;
    Ok(Tally::one(agree))
}
