//! Measures on real texts with a complete list of their near-duplicates:
//! `cargo run --release -p neardup-verdict --example natural_pairs -- verdicts FOLDER`, or `distances FOLDER [ANALYZER ...]`.
//!
//! The folder holds texts of third parties, which are not in the repository; [`data`] says in what form.

mod data;
mod distances;
mod verdicts;

use std::error::Error;
use std::path::Path;

use data::Corpora;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, folder, analyzers @ ..] = arguments.as_slice() else {
        return Err("verdicts or distances, and which folder?".into());
    };
    let corpora = Corpora::read(Path::new(folder))?;
    match what.as_str() {
        "verdicts" => verdicts::print(&corpora),
        "distances" => distances::print(&corpora, analyzers),
        _ => Err(format!("verdicts or distances, not {what}").into()),
    }
}
