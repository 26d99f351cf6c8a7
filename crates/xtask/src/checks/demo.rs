//! Runs the demo on its sample and with `--input`: every error is announced by the script, and the copies in the sample are
//! found.

use crate::check::{Context, Tally, expect};
use crate::command::root;
use crate::demo::{Input, rehearse};
use crate::psql::query;
use anyhow::{Context as _, Result};

/// Whether at least 16 of the sample's 18 copies are listed, and whether any of its 7 updates is. The sample's notes say which
/// rows these are.
const FOUND: &str = "SELECT count(*) >= 16, bool_or(key IN ('15', '32', '35', '42', '49', '52', '60')) FROM neardup.duplicates('articles')";

/// Runs both scripts.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    let inputs = [("demo_sample", None), ("demo_input", Some(root().join("demo/sample.jsonl")))];
    let mut tally = Tally::default();
    for (database, input) in inputs {
        query(server, "postgres", &format!("CREATE DATABASE {database}"))?;
        let statements = rehearse(server, database, &Input { input, limit: None }).context(database)?;
        println!("    {database}: {statements} pieces");
        tally += Tally::one(statements > 0);
    }
    // What the demo restored counts as an answer until it is withdrawn.
    query(server, "demo_sample", "SELECT neardup.withdraw('articles', act => 'restore')")?;
    tally +=
        expect("most copies of the sample are listed, and no update", &query(server, "demo_sample", FOUND)?, "t|f");
    Ok(tally)
}
