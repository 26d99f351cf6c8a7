//! Whole corpora through a guard: the rows it marks, and what it lists and reads for each.

use super::super::Bench;
use super::super::corpora::CORPORA;
use super::super::report::{Grid, Section, figure, grouped};
use super::listing::{Bounds, Listing};
use crate::error::{Doing, Result};
use crate::say;

/// Measures each corpus.
pub fn measure(bench: &Bench, section: &mut Section) -> Result {
    let mut grid = Grid::new(&[
        "",
        "rows",
        "marked",
        "share",
        "candidates a row: median",
        "mean",
        "p99",
        "texts read a row: median",
        "mean",
        "p99",
    ]);
    for (corpus, most) in CORPORA.into_iter().chain([("reuters", u64::MAX)]) {
        let rows = bench.corpus(corpus, most.min(bench.options.rows.unwrap_or(bench.size.corpus)))?;
        say::note(&format!("{corpus}: {} rows", grouped(rows)));
        bench.ask(
            "CREATE TABLE held (id bigint PRIMARY KEY, body text);
             SELECT neardup.protect('held', 'body', on_duplicate => 'mark');
             INSERT INTO held (id, body) SELECT id, body FROM corpus ORDER BY id",
        )?;
        let marked = bench.number("SELECT count(duplicate_of) FROM held")?;
        let (candidates, texts) = looked_at(bench)?;
        let first = [corpus.to_owned(), grouped(rows), grouped(marked), format!("{:.3}", marked / rows)];
        grid.row(&[&first[..], &spread(candidates), &spread(texts)].concat());
        bench.ask("DROP TABLE held, corpus")?;
    }
    let method = "Each corpus row by row through a guard with `on_duplicate => 'mark'`; of the titles 150,000, spread evenly over them. *Candidates*: \
                  earlier rows that the guard lists by their keys, its bounds on common keys applied. *Texts read*: those of them whose text it \
                  fetches before it finds a copy or gives up. Both are derived from the sketches and the marks by the guard's own rule.";
    section.grid("Whole tables", method, &grid);
    Ok(())
}

/// Candidates and texts read of each row of `held`.
fn looked_at(bench: &Bench) -> Result<(Vec<usize>, Vec<usize>)> {
    let file = bench.server.directory().join("keys");
    bench.ask(&format!(
        r"\copy (SELECT id, octet_length(body), coalesce(duplicate_of, 0), array_to_string(sketch_keys(sketch(body)), ' ') FROM held ORDER BY id) TO '{}'",
        file.display()
    ))?;
    let lines = std::fs::read_to_string(&file).doing("read", &file)?;
    std::fs::remove_file(&file).doing("remove", &file)?;
    let mut listing = Listing::new(Bounds::of_the_guard()?);
    let (mut candidates, mut texts, mut unexplained) = (Vec::new(), Vec::new(), 0);
    for line in lines.lines() {
        let mut fields = line.split('\t');
        let mut number = || fields.next()?.parse::<u64>().ok();
        let (Some(id), Some(bytes), Some(original)) = (number(), number(), number()) else {
            return Err(format!("not a row: {line}").into());
        };
        let keys: Vec<i64> = fields.next().into_iter().flat_map(str::split_whitespace).flat_map(str::parse).collect();
        let original = (original > 0).then_some(original);
        let row = listing.add(id, bytes as usize, &keys, original);
        candidates.push(row.candidates);
        texts.push(row.texts);
        unexplained += usize::from(original.is_some() && !row.is_found);
    }
    if unexplained > 0 {
        say::note(&format!("{unexplained} originals are not among what the rule lists: is it still the guard's?"));
    }
    Ok((candidates, texts))
}

/// Median, mean, 99th percentile.
fn spread(mut counts: Vec<usize>) -> [String; 3] {
    counts.sort_unstable();
    let at = |share: f64| counts.get((counts.len() as f64 * share) as usize).copied().unwrap_or_default();
    let mean = counts.iter().sum::<usize>() as f64 / counts.len().max(1) as f64;
    [at(0.5).to_string(), figure(mean), at(0.99).to_string()]
}
