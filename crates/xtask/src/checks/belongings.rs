//! Users' objects (signatures, indexes, guards, profiles, runs), for checks that bring a database to another version and test
//! that these objects still work.

use super::script;
use crate::check::{Tally, expect};
use crate::psql::query;
use crate::server::Server;
use anyhow::Result;

const FILE: &str = "belongings.sql";

/// Creates these objects in a database that has the extension.
pub fn set_up(server: &Server, database: &str) -> Result<()> {
    script::load(server, database, &script::part(FILE, "made")?)
}

/// Reads the state of the objects, for [`still_work`] to compare.
pub fn state(server: &Server, database: &str) -> Result<Vec<(String, String)>> {
    let questions = script::part(FILE, "state")?;
    let asked = script::steps(&questions).filter(|(_, sql)| !sql.is_empty());
    asked.map(|(what, sql)| query(server, database, sql).map(|answer| (what, answer))).collect()
}

/// Compares the state with an earlier one, and tries every operation on the objects.
pub fn still_work(server: &Server, database: &str, before: &[(String, String)], when: &str) -> Result<Tally> {
    let mut tally = Tally::one(!before.is_empty());
    for ((what, now), (_, before)) in state(server, database)?.iter().zip(before) {
        tally += expect(&format!("{what}, {when}"), now, before);
    }
    tally += script::run_steps(when, &script::part(FILE, "acts")?, database, &[("server", server)])?;
    Ok(tally)
}
