//! Articles quoted whole in a text three times as long: found by an index among all texts.

use super::super::Bench;
use super::super::chart::Who;
use super::super::report::{Comparison, Section, Shown, figure, grouped};
use crate::error::Result;
use crate::say;

const OURS: &str = "fingerprints, &&";

/// Measures it; texts of which too few are long say nothing.
pub fn measure(bench: &Bench, section: &mut Section) -> Result {
    say::note("articles quoted whole, among all texts");
    let probes = bench.size.probes / 10;
    bench.ask(&format!(
        "CREATE TABLE stored AS SELECT id, fingerprints(body) AS prints FROM article;
         CREATE TABLE bench.quoting AS
         SELECT row_number() OVER (ORDER BY md5(id::text))::int AS number, id, before || body || behind AS body
         FROM (SELECT id, body, rpad(lag(body) OVER w, length(body), '，') AS before, rpad(lead(body) OVER w, length(body), '，') AS behind
               FROM article WHERE length(body) BETWEEN 300 AND 3000 WINDOW w AS (ORDER BY id)) AS neighbours
         WHERE before || behind IS NOT NULL ORDER BY number LIMIT {probes};
         TRUNCATE bench.probe;
         INSERT INTO bench.probe (number) SELECT number FROM bench.quoting"
    ))?;
    let rows = bench.number("SELECT count(*) FROM stored")?;
    let quoted = bench.number("SELECT count(*) FROM bench.quoting")?;
    if quoted > 0.0 {
        let method = format!(
            "{quoted} articles of 300 to 3,000 characters, each between pieces of two others, as long as itself, among all {} texts. Median of the look-ups, \
             fingerprints of the long text included, and how many found the article.",
            grouped(rows)
        );
        let mut comparison = Comparison::new("Articles quoted whole", &method, Shown::Time, OURS);
        for (name, index, condition) in [
            (OURS, "prints", "t.prints && q.made AND overlap_similarity(t.prints, q.made) >= 0.8"),
            ("overlap_within(fingerprints, 0.8)", "overlap_keys(prints, 0.8)", "overlap_within(t.prints, q.made, 0.8)"),
        ] {
            let seconds =
                bench.seconds(&format!("CREATE INDEX ON stored USING gin ({index}) WITH (fastupdate = off)"))?;
            bench.ask("VACUUM (ANALYZE) stored")?;
            let megabytes = bench.number("SELECT pg_indexes_size('stored') / 1e6")?;
            let query = format!(
                "SELECT count(*) FILTER (WHERE t.id = q.id)
                 FROM (SELECT e.id, fingerprints(e.body) AS made FROM bench.quoting e WHERE e.number = p.number OFFSET 0) AS q, stored t WHERE {condition}"
            );
            let measured = bench.lookups(&query, probes, probes)?;
            let found = figure(100.0 * measured.found / quoted);
            let remark = format!("finds {found} %; index {} MB, built in {} s", figure(megabytes), figure(seconds));
            comparison.add(Who::Ours, name, measured.median, &remark);
            bench.ask("SELECT bench.drop_indexes('stored')")?;
        }
        section.comparison(&comparison)?;
    }
    bench.ask("DROP TABLE stored, bench.quoting").map(drop)
}
