//! Table `facts`: verdicts on pairs of texts that a signature calls near.

use super::Bench;
use super::chart::Who;
use super::report::{Comparison, Section, Shown};
use crate::error::Result;

const OURS: &str = "same_message(a, b)";

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    let mut section = Section::new(bench.key("facts"), "Verdicts");
    bench.ask(
        "CREATE EXTENSION IF NOT EXISTS pg_trgm;
         CREATE TABLE pair AS
         SELECT body AS a, '（记者报道）' || left(body, length(body) / 2) || substr(body, length(body) / 2 + 20) AS b
         FROM excerpt WHERE length(body) >= 100 LIMIT 2000;
         ANALYZE pair",
    )?;
    let pairs = bench.number("SELECT count(*) FROM pair")?;
    let characters = bench.number("SELECT avg(length(a)) FROM pair")?.round();
    let method = format!(
        "{pairs} texts of {characters} characters on average and edited copies of them (a byline before, 19 characters in the middle \
         dropped), nothing signed before, one backend."
    );
    let mut comparison = Comparison::new("Pairs of texts", &method, Shown::Rate("pairs/s", 1.0), OURS);
    let lines = [
        (Who::Ours, OURS, "(same_message(a, b)).score"),
        (Who::Ours, "distance of two simhash calls", "hamming_distance(simhash(a, 'chars:3'), simhash(b, 'chars:3'))"),
        (Who::Peer, "pg_trgm similarity(a, b)", "similarity(a, b)"),
    ];
    let statements: Vec<String> = lines.iter().map(|(.., call)| format!("SELECT sum({call}) FROM pair")).collect();
    let seconds = bench.best(&statements.iter().map(String::as_str).collect::<Vec<_>>())?;
    for ((who, name, _), seconds) in lines.iter().zip(seconds) {
        let remark = if *who == Who::Peer { "a number, in any language, without a view of facts" } else { "" };
        comparison.add(*who, name, seconds / pairs, remark);
    }
    section.comparison(&comparison)?;
    bench.ask("DROP TABLE pair")?;
    Ok(section)
}
