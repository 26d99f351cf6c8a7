//! The demo, on its sample and with `--input`: no statement meets an error that the script does not announce.

use super::Tally;
use crate::command::root;
use crate::demo::rehearse;
use crate::error::Result;
use crate::options::Options;
use crate::psql::query;
use crate::test::Context;

/// Rehearses both scripts.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    let inputs = [("demo_sample", None), ("demo_input", Some(root().join("demo/sample.jsonl")))];
    let mut tally = Tally::default();
    for (database, input) in inputs {
        query(server, "postgres", &format!("CREATE DATABASE {database}"))?;
        let statements = rehearse(server, database, &Options { input, ..Options::default() })
            .map_err(|error| format!("{database}: {error}"))?;
        println!("    {database}: {statements} pieces");
        tally += Tally::one(statements > 0);
    }
    Ok(tally)
}
