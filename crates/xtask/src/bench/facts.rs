//! Table `facts`: verdicts on pairs of texts that a signature calls near: articles, 1,200 characters, and short texts; and two
//! megabytes with nothing in common.

use super::Bench;
use super::chart::Who;
use super::report::{Bound, Comparison, Section, Shown};
use crate::error::Result;

const OURS: &str = "same_message(a, b)";

/// Two texts of a megabyte that share no character.
const HOSTILE: &str =
    "SELECT string_agg(chr(19968 + (n::bigint * 7919 % 6000)::int), '') AS a, string_agg(chr(26000 + (n::bigint * 7919 % 6000)::int), '') AS b
     FROM generate_series(1, 350000) AS n";

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    let mut section = Section::new(bench.key("facts"), "Verdicts");
    bench.ask("CREATE EXTENSION IF NOT EXISTS pg_trgm")?;
    for (title, text, length, least) in [
        ("Pairs of texts", "body", 100, None),
        ("Articles of 1,200 characters", "left(three, 1200)", 1200, Some(2_000.0)),
        ("Short texts", "left(body, 40)", 40, Some(20_000.0)),
    ] {
        let comparison = pairs(bench, title, text, length)?;
        section.comparison(&comparison)?;
        if let Some(least) = least {
            let rate = comparison.cost(OURS).map(|seconds| 1.0 / seconds);
            section.aim(&format!("{title}, verdicts a second"), rate, Bound::AtLeast(least));
        }
    }
    let mut comparison =
        Comparison::new("Two texts of 1 MB with no character in common", "One pair.", Shown::Time, OURS);
    bench.ask(&format!("CREATE TABLE pair AS {HOSTILE}"))?;
    let seconds = bench.best(&["SELECT (same_message(a, b)).score FROM pair"])?;
    comparison.add(Who::Ours, OURS, seconds[0], "can be cancelled");
    section.comparison(&comparison)?;
    section.aim("Two texts of 1 MB, seconds", comparison.cost(OURS), Bound::AtMost(5.0));
    bench.ask("DROP TABLE pair")?;
    Ok(section)
}

/// Measures texts, an expression over `body` or over `three` of them in a row, against edited copies of them.
fn pairs(bench: &Bench, title: &str, text: &str, length: u32) -> Result<Comparison> {
    bench.ask(&format!(
        "CREATE TABLE pair AS
         SELECT text AS a, '（记者报道）' || left(text, length(text) / 2) || substr(text, length(text) / 2 + 1 + least(19, length(text) / 10)) AS b
         FROM (SELECT body, body || lead(body, 1, '') OVER w || lead(body, 2, '') OVER w AS three FROM excerpt WINDOW w AS (ORDER BY id)) AS e,
              LATERAL (SELECT {text} AS text) AS t
         WHERE length(text) >= {length} LIMIT 2000;
         ANALYZE pair"
    ))?;
    let pairs = bench.number("SELECT count(*) FROM pair")?;
    let characters = bench.number("SELECT coalesce(avg(length(a)), 0) FROM pair")?.round();
    let method = format!(
        "{pairs} texts of {characters} characters on average and edited copies of them (a byline before, a tenth in the middle or \
         19 characters dropped), nothing signed before, one backend."
    );
    let mut comparison = Comparison::new(title, &method, Shown::Rate("pairs/s", 1.0), OURS);
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
    bench.ask("DROP TABLE pair")?;
    Ok(comparison)
}
