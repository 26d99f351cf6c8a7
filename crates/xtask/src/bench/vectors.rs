//! Table `vectors`: pgvector's HNSW beside our indexes, on the same signatures: time, recall, size.
//!
//! Debian has pgvector for Postgres 17 and later, so this table is measured where it is asked for: `--vectors --pg 17`.

use super::Bench;
use super::chart::Who;
use super::report::{Comparison, Grid, Section, Shown, figure, grouped};
use crate::debian::install_missing;
use crate::error::Result;
use crate::say;

const NEAREST: &str = "neardup.nearest, 10 rows";
/// How many entries a search of pgvector keeps in view, `hnsw.ef_search`; 40 is its default.
const EFFORTS: [u32; 3] = [40, 100, 400];
/// Bits apart at which a row counts as near.
const DISTANCE: u32 = 7;

/// A column for HNSW: its operator class and operator, and what is sought in it.
struct Column {
    name: &'static str,
    class: &'static str,
    operator: &'static str,
    shown: &'static str,
}

const COLUMNS: [Column; 2] = [
    Column { name: "bits", class: "bit_hamming_ops", operator: "<~>", shown: "HNSW on bit(64)" },
    Column { name: "totals", class: "vector_cosine_ops", operator: "<=>", shown: "HNSW on simhash_totals, cosine" },
];

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    install_missing(&[format!("postgresql-{}-pgvector", bench.postgres.major)])?;
    let probes = (bench.size.probes / 5).max(20);
    fill(bench, bench.options.rows.unwrap_or(bench.size.vectors), probes)?;
    let rows = bench.number("SELECT count(*) FROM signed")?;
    let version = bench.ask("SELECT extversion FROM pg_extension WHERE extname = 'vector'")?;
    let mut section = Section::new(bench.key("vectors"), "Beside pgvector");
    let method = format!(
        "pgvector {version}; {} texts signed with `chars:3`. Median of {probes} probes: texts of the table without their first tenth. Recall: how many of \
         the ten rows given are no further away than the tenth by brute force. Near rows: how many of those within {DISTANCE} bits, at most ten, are given.",
        grouped(rows)
    );
    let mut comparison = Comparison::new("Nearest rows, beside pgvector", &method, Shown::Time, NEAREST);
    let mut costs = Grid::new(&["", "build, s per million rows", "MB per million rows"]);
    ours(bench, &mut comparison, &mut costs, rows, probes)?;
    for column in &COLUMNS {
        hnsw(bench, &mut comparison, &mut costs, column, rows, probes)?;
    }
    section.comparison(&comparison)?;
    section.grid("Indexes beside pgvector's", "Built on the table of the look-ups, one backend.", &costs);
    section.words(
        "pgvector is the better choice for the embeddings of a model, and where the nearest row is wanted however far it is.",
    );
    bench.ask("DROP TABLE signed; ALTER TABLE bench.probe DROP bits, DROP totals, DROP tenth_bits, DROP tenth_totals, DROP near")?;
    Ok(section)
}

/// Makes the table `signed`, and the probes with what brute force finds for them.
fn fill(bench: &Bench, rows: u64, probes: u64) -> Result {
    say::note("signing, and the truth about the probes by brute force");
    bench.ask(&format!(
        "CREATE EXTENSION IF NOT EXISTS vector;
         CREATE TABLE signed AS
         SELECT id, body, signature, signature::bit(64) AS bits, simhash_totals(body, 'chars:3')::vector(64) AS totals
         FROM (SELECT id, body, simhash(body, 'chars:3') AS signature FROM article) AS articles
         WHERE signature IS NOT NULL LIMIT {rows};
         ALTER TABLE signed ADD PRIMARY KEY (id);
         VACUUM (FREEZE, ANALYZE) signed;
         ALTER TABLE bench.probe ADD bits bit(64), ADD totals vector(64), ADD tenth_bits float8, ADD tenth_totals float8, ADD near int;
         TRUNCATE bench.probe;
         INSERT INTO bench.probe (number, signature, bits, totals)
         SELECT place, simhash(cut, 'chars:3'), simhash(cut, 'chars:3')::bit(64), simhash_totals(cut, 'chars:3')::vector(64)
         FROM (SELECT row_number() OVER (ORDER BY md5(id::text))::int AS place, substr(body, 1 + length(body) / 10) AS cut
               FROM signed WHERE length(body) >= 20) AS shuffled
         WHERE place <= {probes};
         UPDATE bench.probe p SET
             (tenth_bits, near) = (SELECT max(d), count(*) FILTER (WHERE d <= {DISTANCE})
                                   FROM (SELECT t.bits <~> p.bits AS d FROM signed t ORDER BY 1 LIMIT 10) AS nearest),
             tenth_totals = (SELECT max(d) FROM (SELECT t.totals <=> p.totals AS d FROM signed t ORDER BY 1 LIMIT 10) AS nearest)"
    ))
    .map(drop)
}

/// Our index: the ten nearest, and all within a distance.
fn ours(bench: &Bench, comparison: &mut Comparison, costs: &mut Grid, rows: f64, probes: u64) -> Result {
    index(
        bench,
        costs,
        "GIN on the signature",
        "CREATE INDEX ON signed USING gin (signature) WITH (fastupdate = off)",
        rows,
    )?;
    let near = bench.number("SELECT sum(near) FROM bench.probe")?;
    let within = |from: &str, most: &str| {
        format!("SELECT least(10, count(*)) FROM {from} AS t WHERE t.bits <~> p.bits <= {most}")
    };
    let nearest = "neardup.nearest(NULL::signed, 'signature', p.signature, 10)";
    let measured = bench.lookups(&within(nearest, "p.tenth_bits"), probes, probes)?;
    let recall = format!("recall {}", figure(measured.found / (10 * probes) as f64));
    comparison.add(Who::Ours, NEAREST, measured.median, &recall);
    let all = format!("(SELECT * FROM signed s WHERE simhash_within(s.signature, p.signature, {DISTANCE}))");
    let measured = bench.lookups(&within(&all, &DISTANCE.to_string()), probes, probes)?;
    let found = format!("near rows {}", figure(measured.found / near));
    comparison.add(Who::Ours, &format!("simhash_within, distance {DISTANCE}"), measured.median, &found);
    bench.ask("SELECT bench.drop_indexes('signed')").map(drop)
}

/// HNSW on a column, with more and more effort.
fn hnsw(
    bench: &Bench,
    comparison: &mut Comparison,
    costs: &mut Grid,
    column: &Column,
    rows: f64,
    probes: u64,
) -> Result {
    let Column { name, class, operator, shown } = column;
    say::note(&format!("{shown}: building"));
    index(bench, costs, shown, &format!("CREATE INDEX ON signed USING hnsw ({name} {class})"), rows)?;
    let near = bench.number("SELECT sum(near) FROM bench.probe")?;
    for effort in EFFORTS {
        bench.ask(&format!("SET hnsw.ef_search = {effort}"))?;
        let given = |condition: &str| {
            format!(
                "SELECT count(*) FROM (SELECT t.{name} {operator} p.{name} AS d, t.bits <~> p.bits AS bits FROM signed t
                                       ORDER BY t.{name} {operator} p.{name} LIMIT 10) AS given WHERE {condition}"
            )
        };
        let measured = bench.lookups(&given(&format!("d <= p.tenth_{name} + 1e-9")), probes, probes)?;
        let found = bench.lookups(&given(&format!("bits <= {DISTANCE}")), probes, probes)?.found;
        let remark =
            format!("recall {}, near rows {}", figure(measured.found / (10 * probes) as f64), figure(found / near));
        comparison.add(Who::Peer, &format!("{shown}, ef_search {effort}"), measured.median, &remark);
    }
    bench.ask("SELECT bench.drop_indexes('signed')").map(drop)
}

/// Builds an index and notes what it took.
fn index(bench: &Bench, costs: &mut Grid, name: &str, create: &str, rows: f64) -> Result {
    let seconds = bench.seconds(create)?;
    let bytes = bench.number(
        "SELECT pg_indexes_size('signed') - pg_relation_size(indexrelid) FROM pg_index WHERE indrelid = 'signed'::regclass AND indisprimary",
    )?;
    costs.row(&[name, &figure(seconds * 1e6 / rows), &figure(bytes / rows)]);
    Ok(())
}
