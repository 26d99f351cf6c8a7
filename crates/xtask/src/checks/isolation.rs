//! `tests/isolation`: what two sessions see of each other, by Postgres's own isolation tester.

use super::{Tally, regress};
use crate::command::root;
use crate::error::Result;
use crate::test::Context;

/// Runs every `specs/*.spec`.
pub fn run(context: &Context) -> Result<Tally> {
    regress::run_all(context, &root().join("tests/isolation"), "specs", "isolation/pg_isolation_regress")
}
