//! `tests/isolation`: what two sessions see of each other, by Postgres's own isolation tester.

use super::regress;
use crate::check::{Context, Tally};
use crate::command::root;
use crate::error::Result;

/// Runs every `specs/*.spec`.
pub fn run(context: &Context) -> Result<Tally> {
    regress::run_all(context, &root().join("tests/isolation"), "specs", "isolation/pg_isolation_regress")
}
