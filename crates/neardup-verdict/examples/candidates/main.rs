//! What sketches find of the copies in whole tables, how many rows they bring along, and what the rule for duplicates makes of them:
//! `cargo run --release -p neardup-verdict --example candidates -- keys` (or `opening`, `rule`, `speed`, `languages`, `tables`), the tables of `docs/candidates.md`.
//!
//! The texts are of third parties and not in the repository: they are in the folder that `NEARDUP_DATA` names;
//! without it nothing is measured.

mod data;
mod keys;
#[path = "../labelled/mod.rs"]
#[allow(dead_code, reason = "sets and titles are for training")]
mod labelled;
mod languages;
mod opening;
mod rule;
mod speed;
mod tables;

use std::error::Error;
use std::path::PathBuf;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let folder = std::env::var_os("NEARDUP_DATA").map(PathBuf::from).unwrap_or_default();
    if !folder.is_dir() {
        println!("skipped: no folder of evaluation data; set NEARDUP_DATA");
        return Ok(());
    }
    match std::env::args().nth(1).as_deref() {
        Some("keys") => keys::print(&folder),
        Some("opening") => opening::print(&folder),
        Some("languages") => languages::print(&folder),
        Some("tables") => tables::print(&folder),
        Some("rule") => rule::print(&folder),
        Some("speed") => speed::print(&folder),
        _ => Err("keys, opening, rule, speed, languages or tables?".into()),
    }
}
