//! Table `scale`: a million signatures and more. Look-ups with recall against brute force, groups, indexes, and other ways to
//! the same answers.
//!
//! Table `made (id, signature)` has random signatures, of which one in ten is a few bits from another; table `natural_texts` those of
//! the user's texts, where there are enough of them.

mod grouping;
mod lookup;
mod minhash;
mod quoted;
mod search;
mod short;

use super::Bench;
use super::report::Section;
use crate::error::Result;
use crate::say;

/// Fewer texts than these say nothing about scale.
const ENOUGH: f64 = 50_000.0;

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    let rows = bench.options.rows.unwrap_or(bench.size.signatures);
    let mut section = Section::new(
        bench.key("scale"),
        &format!("Finding and grouping, {} signatures", super::report::grouped(rows as f64)),
    );
    if bench.wants("lookup") || bench.wants("grouping") {
        say::note(&format!("making {rows} signatures"));
        make(bench, rows)?;
    }
    let real = bench.texts.documents >= ENOUGH;
    if real && (bench.wants("lookup") || bench.wants("grouping")) {
        bench.ask(
            "CREATE TABLE natural_texts AS SELECT id, simhash(body, 'chars:3') AS signature FROM article ORDER BY id;
             DELETE FROM natural_texts WHERE signature IS NULL; ALTER TABLE natural_texts ADD PRIMARY KEY (id); VACUUM (FREEZE, ANALYZE) natural_texts",
        )?;
    }
    if bench.wants("lookup") {
        lookup::measure(bench, &mut section, "made", "random signatures, one in ten a near-duplicate")?;
        if real {
            lookup::measure(bench, &mut section, "natural_texts", "signatures of the texts, `chars:3`")?;
        }
    }
    if bench.wants("grouping") {
        grouping::measure(bench, &mut section, "made", "random signatures, one in ten a near-duplicate")?;
        if real {
            grouping::measure(bench, &mut section, "natural_texts", "signatures of the texts, `chars:3`")?;
        }
    }
    if bench.wants("short") {
        short::measure(bench, &mut section, rows)?;
    }
    if bench.wants("minhash") {
        minhash::measure(bench, &mut section, rows)?;
    }
    if bench.wants("search") {
        search::measure(bench, &mut section)?;
    }
    if bench.wants("quoted") {
        quoted::measure(bench, &mut section)?;
    }
    section.words(
        "Not measured here: smlar itself and BK-trees in SP-GiST (pg-spgist_hamming), which Debian does not package. pgvector, which Debian has for \
         later releases of Postgres, has a table of its own: `cargo xtask bench --vectors --pg 17`.",
    );
    bench.ask("DROP TABLE IF EXISTS made, natural_texts")?;
    Ok(section)
}

/// Random signatures; every tenth is its predecessor with 0 to 7 bits changed.
fn make(bench: &Bench, rows: u64) -> Result {
    bench
        .ask(&format!(
            "CREATE TABLE made AS
         SELECT i::bigint AS id,
                CASE WHEN i % 10 = 0 THEN bench.changed(left(md5((i - 1)::text), 16)::simhash, i / 10 % 8)
                     ELSE left(md5(i::text), 16)::simhash END AS signature
         FROM generate_series(1, {rows}) i;
         ALTER TABLE made ADD PRIMARY KEY (id);
         VACUUM (FREEZE, ANALYZE) made"
        ))
        .map(drop)
}
