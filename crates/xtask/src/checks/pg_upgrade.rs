//! pg_upgrade from an older major version of Postgres: every signature, index, guard, profile and run is there and works.
//!
//! Needs a second server with the extension, of an older major version; CONTRIBUTING says how to get one.

use super::belongings;
use crate::check::{Context, Tally, expect, skipped};
use crate::postgres::Postgres;
use crate::psql::{fresh_database, query};
use crate::say;
use crate::server::Server;
use anyhow::Result;
use std::path::Path;

const DATABASE: &str = "pg_upgrade";

/// Searches that must still use their index, GIN or our own. This shows that no object of ours belongs to an operator family of
/// Postgres, so pg_upgrade needs no manual step afterwards.
const SEARCHES: &[(&str, &str)] = &[
    ("SELECT FROM sketches WHERE simhash_within(s, '0123456789abcdef', 3)", "sketches_s_idx"),
    ("SELECT FROM articles WHERE near_duplicate(body, '南京市长江大桥今年通车')", "articles_sketch"),
    ("SELECT FROM entries WHERE near_duplicate(body, '南京市长江大桥今年通车')", "entries_sketch"),
    ("SELECT FROM signed WHERE simhash_within(simhash(body, 'chars:3'), '0123456789abcdef', 3)", "signed_signature"),
];

/// Upgrades from each older server that is installed.
pub fn run(context: &Context) -> Result<Tally> {
    let mut tally = Tally::default();
    for major in 15..context.postgres.major {
        if !Path::new(&format!("/usr/share/postgresql/{major}/extension/pg_neardup.control")).exists() {
            continue;
        }
        let old = Postgres::at(Path::new(&format!("/usr/lib/postgresql/{major}/bin/pg_config")))?;
        say::note(&format!("from {major} to {}", context.postgres.major));
        let server = Server::start(&old)?;
        fresh_database(&server, DATABASE)?;
        belongings::set_up(&server, DATABASE)?;
        let before = belongings::state(&server, DATABASE)?;
        server.stop();
        let upgraded = Server::upgraded_from(&server, &context.postgres)?;
        let when = format!("pg_upgrade from {major} to {}", context.postgres.major);
        tally += searches_by_index(&upgraded, &when)?;
        tally += belongings::still_work(&upgraded, DATABASE, &before, &when)?;
    }
    if tally == Tally::default() {
        return skipped("no older Postgres with the extension is here");
    }
    Ok(tally)
}

fn searches_by_index(server: &Server, when: &str) -> Result<Tally> {
    let mut tally = Tally::default();
    for (search, index) in SEARCHES {
        let plan = query(server, DATABASE, &format!("SET enable_seqscan = off; EXPLAIN (COSTS OFF) {search}"))?;
        let by_index = plan.contains("Index Scan") && plan.contains(index);
        tally += expect(&format!("{search} uses its index, {when}"), &by_index.to_string(), "true");
    }
    Ok(tally)
}
