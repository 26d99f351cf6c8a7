//! Skew: a signature that is there 100,000 times, beside as many different ones that share a band with it.

use super::super::Bench;
use super::super::chart::Who;
use super::super::report::{Comparison, Section, Shown, figure, grouped};
use crate::error::Result;
use crate::say;

const EXISTS: &str = "neardup.exists_within, distance 3";
/// What everybody has.
const REPOST: &str = "0123456789abcdef";

/// Measures whether existence is answered without reading all that share a band.
pub fn measure(bench: &Bench, section: &mut Section, rows: u64) -> Result {
    let many = rows / 10;
    say::note(&format!("skew: {many} equal signatures"));
    bench.ask(&format!(
        "CREATE FUNCTION bench.shares_a_band(text) RETURNS simhash LANGUAGE sql IMMUTABLE
             RETURN ((('x' || left(md5($1), 16))::bit(64) & x'eeeeeeeeeeeeeeee') | (x'{REPOST}' & x'1111111111111111'))::simhash;
         CREATE TABLE skewed AS SELECT i AS id, left(md5(i::text), 16)::simhash AS signature FROM generate_series(1, {rows}) i
             UNION ALL SELECT i, '{REPOST}' FROM generate_series({rows} + 1, {rows} + {many}) i
             UNION ALL SELECT i, bench.shares_a_band(i::text) FROM generate_series({rows} + {many} + 1, {rows} + 2 * {many}) i;
         CREATE INDEX ON skewed USING gin (simhash_bands(signature)) WITH (fastupdate = off);
         CREATE INDEX ON skewed (simhash_rotated(signature, 0)); CREATE INDEX ON skewed (simhash_rotated(signature, 1));
         CREATE INDEX ON skewed (simhash_rotated(signature, 2)); CREATE INDEX ON skewed (simhash_rotated(signature, 3));
         VACUUM (FREEZE, ANALYZE) skewed"
    ))?;
    let probes = (bench.size.probes / 20).max(10);
    for (title, probe) in [
        ("Skew: the signature itself", format!("'{REPOST}'::simhash")),
        ("Skew: one bit from it", format!("bench.changed('{REPOST}', 1)")),
        ("Skew: near nothing, in its band", "bench.shares_a_band('p' || number)".to_owned()),
    ] {
        bench.ask(&format!(
            "TRUNCATE bench.probe; INSERT INTO bench.probe SELECT number, {probe} FROM generate_series(1, {probes}) number; ANALYZE bench.probe"
        ))?;
        let method = format!(
            "{} random signatures; one more is there {many} times, and {many} others share one of its bands. Median of {probes} probes.",
            grouped(rows as f64)
        );
        let mut comparison = Comparison::new(title, &method, Shown::Time, EXISTS);
        for (name, query) in [
            (EXISTS, "SELECT neardup.exists_within('skewed', 'signature', p.signature, 3)::int"),
            (
                "neardup.near, at most 1 row",
                "SELECT count(*) FROM neardup.near(NULL::skewed, 'signature', p.signature, 3, 1)",
            ),
            (
                "EXISTS, simhash_within",
                "SELECT (EXISTS (SELECT FROM skewed t WHERE simhash_within(t.signature, p.signature, 3)))::int",
            ),
        ] {
            let measured = bench.lookups(query, probes, 0)?;
            comparison.add(Who::Ours, name, measured.median, &format!("95 % within {} ms", figure(measured.p95 * 1e3)));
        }
        section.comparison(&comparison)?;
    }
    bench.ask("DROP TABLE skewed").map(drop)
}
