//! A table of short real texts and the guard's index on it: what that takes to build and in space, look-ups by `near_duplicate`, and the
//! list of all copies.

use super::super::Bench;
use super::super::chart::Who;
use super::super::corpora::{self, ABSENT};
use super::super::report::{Bound, Comparison, Grid, Section, Shown, figure, grouped};
use crate::error::Result;
use crate::say;

const OURS: &str = "near_duplicate(body, text)";

/// Measures it on titles, or on the user's own texts.
pub fn measure(bench: &Bench, section: &mut Section, rows: u64) -> Result {
    if bench.options.input.input.is_some() {
        bench.ask(&format!("CREATE TABLE corpus AS SELECT id, body FROM article ORDER BY id LIMIT {rows}"))?;
        bench.ask("ALTER TABLE corpus ADD PRIMARY KEY (id); VACUUM (FREEZE, ANALYZE) corpus")?;
    } else if corpora::folder().is_some() {
        bench.corpus("titles", rows)?;
    } else {
        section.words(&format!("Sketches of short texts: {ABSENT}"));
        return Ok(());
    }
    let rows = bench.number("SELECT count(*) FROM corpus")?;
    say::note(&format!("sketches of {} short texts", grouped(rows)));
    let build = bench.seconds("CREATE INDEX sketches ON corpus USING gin (sketch(body)) WITH (fastupdate = off)")?;
    let megabytes = bench.number("SELECT pg_relation_size('sketches') / 1e6")?;
    bench.ask("ANALYZE corpus")?;
    let lookups = lookups(bench, rows)?;
    section.comparison(&lookups)?;

    say::note("the list of all copies");
    bench.ask("SELECT neardup.protect('corpus', 'body')")?;
    let start = bench.number("SELECT extract(epoch FROM clock_timestamp())")?;
    let copies = bench.number("SELECT count(*) FROM neardup.duplicates('corpus')")?;
    let listed = bench.number("SELECT extract(epoch FROM clock_timestamp())")? - start;
    bench.ask("DROP TABLE corpus")?;

    let mut grid = Grid::new(&["", "", "a million rows"]);
    grid.row(&["CREATE INDEX, s", &figure(build), &figure(build * 1e6 / rows)]);
    grid.row(&["size of the index, MB", &figure(megabytes), &figure(megabytes * 1e6 / rows)]);
    grid.row(&["neardup.duplicates, s", &figure(listed), &figure(listed * 1e6 / rows)]);
    let method = format!(
        "{} texts; the index is `USING gin (sketch(body))`, built without parallel workers. `neardup.duplicates` lists {} copies.",
        grouped(rows),
        grouped(copies)
    );
    section.grid("Sketches of short texts", &method, &grid);
    let milliseconds = lookups.cost(OURS).map(|cost| cost * 1e3);
    section.aim("near_duplicate among short texts, ms", milliseconds, Bound::AtMost(1.0));
    section.aim("duplicates of a million short texts, s", Some(listed * 1e6 / rows), Bound::AtMost(30.0));
    Ok(())
}

/// Edited copies of rows are looked for.
fn lookups(bench: &Bench, rows: f64) -> Result<Comparison> {
    let probes = bench.size.probes;
    bench.ask(&format!(
        "CREATE TABLE bench.edited AS
         SELECT place AS number, id, left(body, length(body) / 2) || substr(body, length(body) / 2 + 1 + length(body) / 10) AS body
         FROM (SELECT row_number() OVER (ORDER BY md5(id::text))::int AS place, id, body FROM corpus WHERE length(body) >= 10) AS shuffled
         WHERE place <= {probes};
         ALTER TABLE bench.edited ADD PRIMARY KEY (number);
         TRUNCATE bench.probe; INSERT INTO bench.probe (number) SELECT number FROM bench.edited; ANALYZE bench.probe, bench.edited"
    ))?;
    let method = format!(
        "{} texts; {probes} of them, without a tenth in the middle, are looked for. Median of the look-ups, which sign the text, and how many found \
         their original.",
        grouped(rows)
    );
    let mut comparison = Comparison::new("Look-ups, sketches of short texts", &method, Shown::Time, OURS);
    let edited = "(SELECT e.body FROM bench.edited e WHERE e.number = p.number)";
    let original = "(SELECT e.id FROM bench.edited e WHERE e.number = p.number)";
    for (name, condition, remark) in [
        (OURS, format!("near_duplicate(t.body, {edited})"), "reads the candidates' texts"),
        ("sketch(body) && sketch(text)", format!("sketch(t.body) && sketch({edited})"), "candidates alone"),
    ] {
        let query = format!("SELECT count(*) FILTER (WHERE t.id = {original}) FROM corpus t WHERE {condition}");
        let measured = bench.lookups(&query, probes, probes)?;
        let found = figure(100.0 * measured.found / probes as f64);
        let remark = format!("finds {found} %, 95 % within {} ms; {remark}", figure(measured.p95 * 1e3));
        comparison.add(Who::Ours, name, measured.median, &remark);
    }
    bench.ask("DROP TABLE bench.edited")?;
    Ok(comparison)
}
