//! The demo, on its sample and with `--input`: no statement meets an error that the script does not announce, and the sample's copies are
//! found.

use crate::check::{Context, Tally, expect};
use crate::command::root;
use crate::demo::{Input, rehearse};
use crate::psql::query;
use anyhow::{Context as _, Result};

/// How many of the sample's 18 copies are listed at least, and whether one of its 7 updates is: what its notes say of each row.
const FOUND: &str = "SELECT count(*) >= 16, bool_or(key IN ('15', '32', '35', '42', '49', '52', '60')) FROM neardup.duplicates('articles')";

/// Rehearses both scripts.
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
    tally +=
        expect("most copies of the sample are listed, and no update", &query(server, "demo_sample", FOUND)?, "t|f");
    Ok(tally)
}
