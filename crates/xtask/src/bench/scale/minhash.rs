//! MinHash signatures: look-ups by bands and groups by bands, which both find a pair with the chance of the S-curve.

use super::super::Bench;
use super::super::chart::Who;
use super::super::report::{Bound, Comparison, Section, Shown, figure, grouped};
use crate::error::Result;
use crate::say;

/// A MinHash of 128 values takes half a kilobyte, and as many keys in an index on it.
const MOST: u64 = 200_000;
/// How similar: with 16 bands of 8 rows a pair this similar is found in 77 of 100 cases, one of 0.9 in 99.99.
const SIMILARITY: f64 = 0.8;

/// Measures look-ups and groups.
pub fn measure(bench: &Bench, section: &mut Section, rows: u64) -> Result {
    let rows = rows.min(MOST);
    say::note(&format!("making {rows} minhash signatures"));
    // A text of 160 characters; every tenth has 16 characters more than its predecessor, hence Jaccard similarity 0.9.
    bench.ask(&format!(
        "CREATE TABLE sketched AS
         SELECT i AS id, minhash(repeated.text || CASE WHEN i % 10 = 0 THEN left(md5(i::text), 16) ELSE '' END, 'chars:5') AS signature
         FROM generate_series(1, {rows}) i,
              LATERAL (SELECT string_agg(md5(n || ' ' || i - (i % 10 = 0)::int), '') AS text FROM generate_series(1, 5) n) AS repeated;
         ALTER TABLE sketched ADD PRIMARY KEY (id);
         VACUUM (FREEZE, ANALYZE) sketched"
    ))?;
    lookups(bench, section, rows as f64)?;
    groups(bench, section, rows as f64)?;
    bench.ask("DROP TABLE sketched").map(drop)
}

fn lookups(bench: &Bench, section: &mut Section, rows: f64) -> Result {
    const INDEXED: &str = "minhash_within, GIN on the signature";
    const BANDS: &str = "minhash_bands(signature, 16, 8), a helper column's GIN";
    const SCAN: &str = "scan, jaccard_similarity";
    let probes = bench.size.probes;
    let scanned = probes / 50;
    bench.ask(&format!(
        "TRUNCATE bench.probe;
         INSERT INTO bench.probe (number, minhash)
         SELECT row_number() OVER (ORDER BY id), signature FROM sketched WHERE id % 10 = 9 ORDER BY id LIMIT {probes};
         ANALYZE bench.probe"
    ))?;
    let similar = format!("jaccard_similarity(t.signature, p.minhash) >= {SIMILARITY}");
    let truth = bench.lookups(&format!("SELECT count(*) FROM sketched t WHERE {similar}"), scanned, scanned)?;
    let method = format!(
        "{} signatures of 128 values of 32 bits, every tenth at Jaccard similarity 0.9 to another. Rows at {SIMILARITY} and above; median of \
         {probes} probes, of {scanned} for the scan.",
        grouped(rows),
    );
    let mut comparison = Comparison::new("Look-ups, MinHash", &method, Shown::Time, INDEXED);
    for (name, index, condition) in [
        (INDEXED, "signature", format!("minhash_within(t.signature, p.minhash, {SIMILARITY})")),
        (
            BANDS,
            "minhash_bands(signature, 16, 8)",
            format!("minhash_bands(t.signature, 16, 8) && minhash_bands(p.minhash, 16, 8) AND {similar}"),
        ),
    ] {
        say::note(name);
        let build = bench.seconds(&format!("CREATE INDEX ON sketched USING gin ({index}) WITH (fastupdate = off)"))?;
        bench.ask("ANALYZE sketched")?;
        let megabytes =
            bench.number("SELECT (pg_indexes_size('sketched') - pg_relation_size('sketched_pkey')) / 1e6")?;
        let sought = bench.lookups(&format!("SELECT count(*) FROM sketched t WHERE {condition}"), probes, scanned)?;
        let remark = format!(
            "recall {}, 95 % within {} ms; {} s and {} MB per million rows",
            figure(sought.found / truth.found.max(1.0)),
            figure(sought.p95 * 1e3),
            figure(build * 1e6 / rows),
            figure(megabytes * 1e6 / rows)
        );
        comparison.add(Who::Ours, name, sought.median, &remark);
        bench.ask("SELECT bench.drop_indexes('sketched')")?;
    }
    comparison.add(Who::Ours, SCAN, truth.median, "");
    section.comparison(&comparison)
}

fn groups(bench: &Bench, section: &mut Section, rows: f64) -> Result {
    const PLAIN: &str = "count(signature) OVER (ORDER BY id)";
    let ours = format!("near_duplicate_of(signature, {SIMILARITY}, 'chain', 16, 8) OVER (ORDER BY id)");
    let window = |call: &str| format!("SELECT sum(answer) FROM (SELECT {call} AS answer FROM sketched) AS s");
    let seconds = bench.best(&[&window(PLAIN), &window(&ours)])?;
    let mut comparison = Comparison::new("Grouping, MinHash", "All rows of the same table.", Shown::Time, PLAIN);
    comparison.add(Who::Floor, PLAIN, seconds[0], "");
    comparison.add(Who::Ours, &ours, seconds[1], "");
    section.comparison(&comparison)?;
    // 3 s for a million.
    let most = 3.0 * rows / 1e6;
    section.aim(&format!("groups of {} minhashes, s", grouped(rows)), Some(seconds[1]), Bound::AtMost(most));
    Ok(())
}
