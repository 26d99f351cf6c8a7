//! Rows within a Hamming distance of a given signature: by our index, by other indexes, by none. What each index takes to
//! build, in space, and at each insert.

use super::super::Bench;
use super::super::chart::Who;
use super::super::report::{Bound, Comparison, Grid, Section, Shown, figure, grouped};
use crate::error::Result;
use crate::say;

const OURS: &str = "GIN on the signature";
const BANDS: &str = "GIN on simhash_bands, a helper column's";
const BTREES: &str = "four B-trees on simhash_band";
const PIECES: &str = "smlar-style: GIN on four text pieces";
/// The greatest distance that four equal bands find all of.
const EQUAL_BANDS: i32 = 3;

/// A way to index signatures for look-ups.
struct Index {
    who: Who,
    name: &'static str,
    create: &'static str,
    /// Counts the rows within a distance of a probe.
    query: &'static str,
    /// The distances measured.
    distances: &'static [i32],
    remark: &'static str,
}

const INDEXES: [Index; 4] = [
    Index {
        who: Who::Ours,
        name: OURS,
        create: "CREATE INDEX ON {table} USING gin (signature) WITH (fastupdate = off)",
        query: "SELECT count(*) FROM {table} t WHERE simhash_within(t.signature, p.signature, {distance})",
        distances: &[3, 7, 11],
        remark: "any distance to 11, in any condition or join",
    },
    Index {
        who: Who::Ours,
        name: BANDS,
        create: "CREATE INDEX ON {table} USING gin (simhash_bands(signature)) WITH (fastupdate = off)",
        query: "SELECT count(*) FROM {table} t WHERE simhash_bands(t.signature) && simhash_probes(p.signature, {distance})
                 AND hamming_distance(t.signature, p.signature) <= {distance}",
        distances: &[3, 7, 11],
        remark: "written out in SQL, with Postgres's own operators",
    },
    Index {
        who: Who::Ours,
        name: BTREES,
        create: "CREATE INDEX ON {table} (simhash_band(signature, 0)); CREATE INDEX ON {table} (simhash_band(signature, 1));
                 CREATE INDEX ON {table} (simhash_band(signature, 2)); CREATE INDEX ON {table} (simhash_band(signature, 3))",
        query: "SELECT count(*) FROM {table} t WHERE (simhash_band(t.signature, 0) = simhash_band(p.signature, 0) OR simhash_band(t.signature, 1) = simhash_band(p.signature, 1)
                  OR simhash_band(t.signature, 2) = simhash_band(p.signature, 2) OR simhash_band(t.signature, 3) = simhash_band(p.signature, 3))
                 AND hamming_distance(t.signature, p.signature) <= {distance}",
        distances: &[EQUAL_BANDS],
        remark: "written out in SQL; to distance 3",
    },
    Index {
        who: Who::Peer,
        name: PIECES,
        create: "CREATE INDEX ON {table} USING gin (bench.pieces(signature)) WITH (fastupdate = off)",
        query: "SELECT count(*) FROM {table} t
                WHERE bench.pieces(t.signature) && bench.pieces(p.signature) AND hamming_distance(t.signature, p.signature) <= {distance}",
        distances: &[EQUAL_BANDS],
        remark: "needs a text array only; pieces in sequence, as recipes for smlar cut them; to distance 3",
    },
];

/// Measures look-ups in a table, and the indexes they use.
pub fn measure(bench: &Bench, section: &mut Section, table: &str, what: &str) -> Result {
    let rows = bench.number(&format!("SELECT count(*) FROM {table}"))?;
    let probes = bench.size.probes;
    let checked = probes / 10;
    choose_probes(bench, table, probes)?;
    let truth = truth(bench, table, checked)?;
    let mut costs = Grid::new(&["", "build, s per million rows", "MB per million rows", "µs per inserted row"]);
    let bare = insert(bench, table)?;
    costs.row(&["no index but the primary key", "–", "–", &figure(bare * 1e6)]);
    let method = format!(
        "{} rows: {what}. Median of {probes} probes, one after the other in a PL/pgSQL function, everything in memory; a probe \
         is a row's signature with 0 to 11 bits changed. Recall is against brute force over the first {checked} probes. \
         Scans are timed on {} probes.",
        grouped(rows),
        probes / 50
    );
    let mut comparison = Comparison::new(&format!("Look-ups, {table}"), &method, Shown::Time, &line(OURS, 3));
    for index in &INDEXES {
        say::note(&format!("{table}: {}", index.name));
        let (build, megabytes) = build(bench, table, index)?;
        let inserted = insert(bench, table)?;
        let million = rows / 1e6;
        costs.row(&[
            index.name,
            &figure(build / million),
            &figure(megabytes / million),
            &figure((inserted - bare).max(0.0) * 1e6),
        ]);
        for distance in index.distances {
            let query = index.query.replace("{table}", table).replace("{distance}", &distance.to_string());
            let measured = bench.lookups(&query, probes, checked)?;
            let recall = measured.found / truth[*distance as usize].max(1.0);
            let remark =
                format!("recall {}, 95 % within {} ms; {}", figure(recall), figure(measured.p95 * 1e3), index.remark);
            comparison.add(index.who, &line(index.name, *distance), measured.median, &remark);
        }
        if index.name == OURS {
            let nearest = format!("SELECT count(*) FROM neardup.nearest(NULL::{table}, 'signature', p.signature, 1)");
            let measured = bench.lookups(&nearest, probes, 0)?;
            let remark = format!("95 % within {} ms", figure(measured.p95 * 1e3));
            comparison.add(Who::Ours, &format!("{OURS}, nearest row"), measured.median, &remark);
        }
        bench.ask(&format!("SELECT bench.drop_indexes('{table}')"))?;
    }
    for (who, name, condition, remark) in [
        (Who::Ours, "scan, hamming_distance", "hamming_distance(t.signature, p.signature) <= 3", "any distance"),
        (
            Who::Peer,
            "scan, bit_count of bit(64)",
            "bit_count(t.signature::bit(64) # p.signature::bit(64)) <= 3",
            "no extension needed on bit(64) columns",
        ),
    ] {
        let measured = bench.lookups(&format!("SELECT count(*) FROM {table} t WHERE {condition}"), probes / 50, 0)?;
        comparison.add(who, name, measured.median, remark);
    }
    let nearest = format!(
        "SELECT count(*) FROM (SELECT id FROM {table} t ORDER BY t.signature <~> p.signature LIMIT 1) AS nearest"
    );
    let measured = bench.lookups(&nearest, probes / 50, 0)?;
    comparison.add(Who::Ours, "nearest row, ORDER BY <~> LIMIT 1", measured.median, "a scan; any number of rows");
    bk_tree(bench, &mut comparison, table, rows)?;
    section.comparison(&comparison)?;
    section.grid(&format!("Indexes, {table}"), "Built and filled on the table of the look-ups.", &costs);
    let bounds: &[(i32, f64)] = if rows > 5e6 { &[(3, 0.5)] } else { &[(3, 0.15), (7, 2.0), (11, 10.0)] };
    for &(distance, bound) in bounds {
        let line = line(OURS, distance);
        let milliseconds = comparison.cost(&line).map(|cost| cost * 1e3);
        section.aim(&format!("{table}, {line}, ms"), milliseconds, Bound::AtMost(bound));
    }
    Ok(())
}

/// A BK-tree over all signatures, as one would keep outside a database.
fn bk_tree(bench: &Bench, comparison: &mut Comparison, table: &str, rows: f64) -> Result {
    const NAME: &str = "BK-tree in Python (pybktree), distance 3";
    if rows > 2e6 {
        comparison.missing(NAME, "left out: minutes and gigabytes to build");
        return Ok(());
    }
    let file = bench.server.directory().join(format!("{table}.signatures"));
    bench.ask(&format!(r"\copy (SELECT signature::bigint FROM {table}) TO '{}'", file.display()))?;
    match bench.peer("pybktree", &file) {
        Ok(measured) => {
            for line in measured.iter().filter(|line| line.name.starts_with("pybktree")) {
                comparison.add(Who::Peer, NAME, line.cost(), "mean; takes any metric, needs no bands");
            }
        }
        Err(error) => comparison.missing(NAME, &error),
    }
    Ok(())
}

fn line(index: &str, distance: i32) -> String {
    format!("{index}, distance {distance}")
}

/// Rows from all over the table, with 0 to 11 bits changed.
fn choose_probes(bench: &Bench, table: &str, probes: u64) -> Result {
    bench
        .ask(&format!(
            "TRUNCATE bench.probe;
         INSERT INTO bench.probe
         SELECT place, bench.changed(signature, place % 12)
         FROM (SELECT row_number() OVER (ORDER BY md5(id::text))::int AS place, signature FROM {table}) AS shuffled
         WHERE place <= {probes};
         ANALYZE bench.probe"
        ))
        .map(drop)
}

/// How many rows lie within each distance to 11 of the first probes, all together.
fn truth(bench: &Bench, table: &str, checked: u64) -> Result<Vec<f64>> {
    say::note(&format!("{table}: brute force over {checked} probes"));
    let counts = (0..12).map(|distance| format!("count(*) FILTER (WHERE d <= {distance})"));
    let answer = bench.ask(&format!(
        "SELECT {} FROM (SELECT hamming_distance(t.signature, p.signature) AS d FROM {table} t, bench.probe p
                         WHERE p.number <= {checked} AND hamming_distance(t.signature, p.signature) <= 11) AS near",
        counts.collect::<Vec<_>>().join(", ")
    ))?;
    answer.split('|').map(|n| n.trim().parse().map_err(|_| format!("no number: {answer}").into())).collect()
}

/// Builds an index: seconds, and megabytes of all indexes but the primary key.
fn build(bench: &Bench, table: &str, index: &Index) -> Result<(f64, f64)> {
    let seconds = bench.seconds(&index.create.replace("{table}", table))?;
    bench.ask(&format!("ANALYZE {table}"))?;
    let bytes = bench.number(&format!(
        "SELECT pg_indexes_size('{table}') - pg_relation_size(indexrelid) FROM pg_index WHERE indrelid = '{table}'::regclass AND indisprimary"
    ))?;
    Ok((seconds, bytes / 1e6))
}

/// Seconds that one row of a large INSERT takes.
fn insert(bench: &Bench, table: &str) -> Result<f64> {
    let rows = bench.size.probes * 20;
    let sql =
        format!("INSERT INTO {table} SELECT -i, left(md5((-i)::text), 16)::simhash FROM generate_series(1, {rows}) i");
    let seconds = bench.seconds(&sql)?;
    bench.ask(&format!("DELETE FROM {table} WHERE id < 0; VACUUM {table}"))?;
    Ok(seconds / rows as f64)
}
