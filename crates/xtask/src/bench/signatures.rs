//! Table `signatures`: making them from a table's rows, beside the floor (reading the rows) and the peers; two workers beside
//! one; comparing them.

use super::Bench;
use super::chart::Who;
use super::peers::Measured;
use super::report::{Bound, Comparison, Section, Shown};
use super::text::CUT;
use crate::error::Result;

const MINHASH: &str = "minhash(body, 'chars:5'), 128 values";
const FLOOR: &str = "sum(hashtext(body))";
const JIEBA_REMARK: &str = "in the core, no table read";

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    let mut section = Section::new(bench.key("signatures"), "Signatures");
    if bench.wants("shingles") {
        shingles(bench, &mut section)?;
    }
    if bench.wants("words") || bench.wants("compare") {
        let core = bench.core()?;
        words(bench, &mut section, core)?;
        compare(&mut section, core)?;
    }
    if bench.wants("parallel") {
        parallel(bench, &mut section)?;
    }
    Ok(section)
}

/// Over character 5-grams.
fn shingles(bench: &Bench, section: &mut Section) -> Result {
    let method = "All texts of a table, character 5-grams, one backend without parallel workers. `sum(hashtext(body))` reads and \
                  decompresses the same rows and hashes them once. rensa, datasketch and simhash get their shingles ready-made \
                  outside the clock; chdb (ClickHouse in the process) cuts its own, from a table in memory. datasketch and \
                  simhash sign an excerpt.";
    let mut comparison = Comparison::new("Signing, character 5-grams", method, Shown::Rate("MB/s", 1e6), FLOOR);
    let ours = [
        (MINHASH, "count(minhash(body, 'chars:5'))"),
        ("simhash(body, 'chars:5')", "count(simhash(body, 'chars:5'))"),
        ("simhash(body, 'chars:3')", "count(simhash(body, 'chars:3'))"),
    ];
    let statements: Vec<String> =
        [FLOOR].iter().chain(ours.iter().map(|(_, sql)| sql)).map(|sql| format!("SELECT {sql} FROM article")).collect();
    let seconds = bench.best(&statements.iter().map(String::as_str).collect::<Vec<_>>())?;
    comparison.add(Who::Floor, FLOOR, seconds[0] / bench.texts.bytes, "");
    for ((name, _), seconds) in ours.iter().zip(&seconds[1..]) {
        comparison.add(Who::Ours, name, seconds / bench.texts.bytes, "");
    }
    for (peer, file, better) in [
        ("rensa", &bench.texts.file, "in a Python pipeline no database is needed, and its LSH index lives in memory"),
        ("chdb", &bench.texts.file, "one command reads files of any format with all cores"),
        (
            "datasketch",
            &bench.texts.excerpt_file,
            "has the widest choice of sketches and of stores: Redis, Cassandra, LSH forests",
        ),
        ("simhash", &bench.texts.excerpt_file, "a page of Python that anybody can change"),
    ] {
        match bench.peer(peer, file) {
            Ok(measured) => {
                let version = measured.iter().find_map(|line| line.name.strip_prefix("version ")).unwrap_or_default();
                for line in measured.iter().filter(|line| !line.name.starts_with("version ")) {
                    comparison.add(Who::Peer, &line.name, line.cost(), &format!("{version}; {better}"));
                }
            }
            Err(why) => comparison.missing(peer, &why),
        }
    }
    section.comparison(&comparison)?;
    section.aim("MinHash, multiple of the floor", comparison.ratio(MINHASH, FLOOR), Bound::AtMost(1.3));
    section.aim(
        "MinHash, times as fast as rensa",
        comparison.ratio("rensa RMinHash(128)", MINHASH),
        Bound::AtLeast(8.0),
    );
    let ours = "simhash(body, 'chars:5')";
    section.aim("SimHash, multiple of the floor", comparison.ratio(ours, FLOOR), Bound::AtMost(1.5));
    section.aim(
        "SimHash, times as fast as ClickHouse",
        comparison.ratio("chdb ngramSimHashUTF8", ours),
        Bound::AtLeast(2.0),
    );
    Ok(())
}

/// Over jieba's words, on the excerpt that the core has cut.
fn words(bench: &Bench, section: &mut Section, core: &[Measured]) -> Result {
    let method = "An excerpt in a table, beside jieba-rs's `cut` over the same texts in the core.";
    let mut comparison = Comparison::new("Signing, jieba's words", method, Shown::Rate("MB/s", 1e6), CUT);
    if let Some(cut) = core.iter().find(|line| line.name == CUT) {
        comparison.add(Who::Peer, CUT, cut.cost(), JIEBA_REMARK);
    }
    let floor = format!("SELECT {FLOOR} FROM excerpt");
    // Loads the dictionary.
    bench.ask("SELECT simhash('江口镇', 'jieba')")?;
    let seconds = bench.best(&[&floor, "SELECT count(simhash(body, 'jieba')) FROM excerpt"])?;
    comparison.add(Who::Floor, FLOOR, seconds[0] / bench.texts.excerpt_bytes, "");
    comparison.add(Who::Ours, "simhash(body, 'jieba')", seconds[1] / bench.texts.excerpt_bytes, "");
    section.comparison(&comparison)?;
    section.aim(
        "SimHash over jieba words, time of `cut` alone",
        comparison.ratio("simhash(body, 'jieba')", CUT),
        Bound::AtMost(1.2),
    );
    Ok(())
}

/// One worker and two; the leader only waits.
fn parallel(bench: &Bench, section: &mut Section) -> Result {
    let method = "The same statement with one and with two parallel workers, `parallel_leader_participation = off`.";
    let mut comparison = Comparison::new("Parallel workers", method, Shown::Time, "two workers");
    bench.ask(
        "SET parallel_leader_participation = off; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
         SET min_parallel_table_scan_size = 0; ALTER TABLE article SET (parallel_workers = 2)",
    )?;
    let statement = "SELECT count(simhash(body, 'chars:5')) FROM article";
    let mut best = [f64::INFINITY; 2];
    for _ in 0..bench.size.rounds {
        for (workers, best) in [1, 2].iter().zip(&mut best) {
            bench.ask(&format!("SET max_parallel_workers_per_gather = {workers}"))?;
            *best = best.min(bench.seconds(statement)?);
        }
    }
    bench.ask(
        "RESET parallel_leader_participation; RESET parallel_setup_cost; RESET parallel_tuple_cost;
         RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather; ALTER TABLE article RESET (parallel_workers)",
    )?;
    comparison.add(Who::Ours, "one worker", best[0], "");
    comparison.add(Who::Ours, "two workers", best[1], "");
    section.comparison(&comparison)?;
    section.aim(
        "two workers, times as fast as one",
        comparison.ratio("one worker", "two workers"),
        Bound::AtLeast(1.8),
    );
    Ok(())
}

/// Signatures against signatures, in the core.
fn compare(section: &mut Section, core: &[Measured]) -> Result {
    const ALONE: &str = "bit_count alone";
    let method = "Each of 1,000 signatures with each, in the core (`crates/neardup-core/examples/throughput.rs`).";
    let mut comparison = Comparison::new("Comparing", method, Shown::Rate("M pairs/s", 1e6), ALONE);
    for measured in core {
        let Some(name) = measured.name.strip_prefix("compare ") else { continue };
        let (who, name) = if name == "with bit_count alone" { (Who::Floor, ALONE) } else { (Who::Ours, name) };
        comparison.add(who, name, measured.cost(), "");
    }
    section.comparison(&comparison)?;
    let rate = comparison.cost("minhash(128), 32 bits").map(|cost| 1e-6 / cost);
    section.aim("MinHash of 128 values, M pairs/s", rate, Bound::AtLeast(50.0));
    section.aim("Hamming, multiple of bit_count alone", comparison.ratio("simhash", ALONE), Bound::AtMost(1.5));
    Ok(())
}
