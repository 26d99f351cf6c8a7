//! Table `signatures`: making them from a table's rows, beside the floor (reading the rows) and the peers; two workers beside
//! one; comparing them.

use super::Bench;
use super::chart::Who;
use super::clock::literal;
use super::peers::Measured;
use super::report::{Bound, Comparison, Section, Shown, figure, grouped};
use super::text::CUT;
use crate::error::Result;
use crate::say;
use std::path::Path;

const MINHASH: &str = "minhash(body, 'chars:5'), 128 values";
const FLOOR: &str = "sum(hashtext(body))";
const SIMHASH: &str = "simhash(body, 'chars:5')";
const IN_CORE: &str = "in the core, no table read";
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
    if bench.wants("exact") {
        exact(bench, &mut section)?;
    }
    if bench.wants("parallel") {
        parallel(bench, &mut section)?;
    }
    Ok(section)
}

/// Over character 5-grams.
fn shingles(bench: &Bench, section: &mut Section) -> Result {
    let method = "All texts of a table, character 5-grams, one backend without parallel workers. `sum(hashtext(body))` reads and \
                  decompresses the same rows and hashes them once. Postgres does both: a signature is made of the text that it hands out, and \
                  what reading costs the floor it costs us. The peers' texts lie uncompressed in memory; so ours are signed \
                  once more from a table that keeps them so (`SET STORAGE EXTERNAL`). The lines `in the core` sign an excerpt in memory, without a \
                  server: no way of reading a table can be faster than they are. rensa, datasketch and simhash get their shingles \
                  ready-made outside the clock; chdb (ClickHouse in the process) cuts its own, from a table in memory, one thread, \
                  session and table made outside the clock. datasketch and simhash sign an excerpt.";
    let mut comparison = Comparison::new("Signing, character 5-grams", method, Shown::Rate("MB/s", 1e6), FLOOR);
    let ours = [
        (MINHASH, "count(minhash(body, 'chars:5'))"),
        (SIMHASH, "count(simhash(body, 'chars:5'))"),
        ("simhash(body, 'chars:3')", "count(simhash(body, 'chars:3'))"),
    ];
    let statements: Vec<String> =
        [FLOOR].iter().chain(ours.iter().map(|(_, sql)| sql)).map(|sql| format!("SELECT {sql} FROM article")).collect();
    let seconds = bench.best(&statements.iter().map(String::as_str).collect::<Vec<_>>())?;
    comparison.add(Who::Floor, FLOOR, seconds[0] / bench.texts.bytes, "");
    for ((name, _), seconds) in ours.iter().zip(&seconds[1..]) {
        comparison.add(Who::Ours, name, seconds / bench.texts.bytes, "");
    }
    bench.ask(
        "CREATE TABLE plain (body text); ALTER TABLE plain ALTER body SET STORAGE EXTERNAL;
         INSERT INTO plain SELECT body || '' FROM article; VACUUM (FREEZE, ANALYZE) plain",
    )?;
    let statements: Vec<String> = statements.iter().map(|sql| sql.replace("article", "plain")).collect();
    let seconds = bench.best(&statements.iter().map(String::as_str).collect::<Vec<_>>())?;
    bench.ask("DROP TABLE plain")?;
    comparison.add(Who::Floor, &uncompressed(FLOOR), seconds[0] / bench.texts.bytes, "");
    for ((name, _), seconds) in ours.iter().zip(&seconds[1..]) {
        comparison.add(Who::Ours, &uncompressed(name), seconds / bench.texts.bytes, "");
    }
    for measured in bench.core()? {
        let Some(name) = measured.name.strip_prefix("sign ") else { continue };
        comparison.add(Who::Ours, &format!("{name}, in the core"), measured.cost(), IN_CORE);
    }
    let in_python = "in a Python pipeline no database is needed, and its LSH index lives in memory";
    let (all, excerpt) = (&bench.texts.file, &bench.texts.excerpt_file);
    let stores = "has the widest choice of sketches and of stores: Redis, Cassandra, LSH forests";
    peer(bench, &mut comparison, "rensa", all, in_python);
    let clickhouse = peer(bench, &mut comparison, "chdb", all, "one command reads files of any format with all cores");
    peer(bench, &mut comparison, "datasketch", excerpt, stores);
    peer(bench, &mut comparison, "simhash", excerpt, "a page of Python that anybody can change");
    section.comparison(&comparison)?;
    section.aim("MinHash, multiple of the floor", comparison.ratio(MINHASH, FLOOR), Bound::AtMost(1.3));
    if let Some(version) = clickhouse {
        section.aim(
            &format!("{version} ngramSimHashUTF8, time of {SIMHASH}"),
            comparison.ratio(&format!("{version} ngramSimHashUTF8"), SIMHASH),
            Bound::AtLeast(1.5),
        );
    }
    Ok(())
}

/// The line of the table that keeps texts as they are.
fn uncompressed(name: &str) -> String {
    format!("{name}, stored uncompressed")
}

/// Adds what a peer measured, under its name and version, which it gives.
fn peer(bench: &Bench, comparison: &mut Comparison, peer: &str, file: &Path, better: &str) -> Option<String> {
    let measured = match bench.peer(peer, file) {
        Ok(measured) => measured,
        Err(why) => {
            comparison.missing(peer, &why);
            return None;
        }
    };
    let number = measured.iter().find_map(|line| line.name.strip_prefix("version ")).unwrap_or_default();
    let version = format!("{peer} {number}");
    for line in measured.iter().filter(|line| !line.name.starts_with("version ")) {
        comparison.add(Who::Peer, &line.name.replacen(peer, &version, 1), line.cost(), better);
    }
    Some(version)
}

/// Over jieba's words, on the excerpt that the core has cut.
fn words(bench: &Bench, section: &mut Section, core: &[Measured]) -> Result {
    let method = "An excerpt in a table, beside jieba-rs's `cut` over the same texts in the core.";
    let mut comparison = Comparison::new("Signing, jieba's words", method, Shown::Rate("MB/s", 1e6), CUT);
    if let Some(cut) = core.iter().find(|line| line.name == CUT) {
        comparison.add(Who::Peer, CUT, cut.cost(), IN_CORE);
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

/// The exact stage: texts that are there already, word for word.
fn exact(bench: &Bench, section: &mut Section) -> Result {
    const PASS: &str = "sum(hashtext(body))";
    const FILTER: &str = "bloom_filter_agg(body, n, 0.01)";
    let texts = bench.size.short_texts;
    say::note(&format!("{texts} short texts"));
    let file = bench.server.directory().join("short");
    bench.writer(6)?.file(&file, 1..=texts, 30, None)?;
    bench.ask(&format!(
        "CREATE TABLE short (id bigint, body text); COPY short FROM {}; UPDATE short SET body = (SELECT body FROM short s WHERE s.id = 1) WHERE id % 10 = 0;
         VACUUM (FREEZE, ANALYZE) short",
        literal(&file.display().to_string())
    ))?;
    std::fs::remove_file(&file).map_err(|error| error.to_string())?;
    let statements = [
        (Who::Floor, PASS, format!("SELECT {PASS} FROM short")),
        (Who::Ours, FILTER, format!("SELECT bloom_estimated_count(bloom_filter_agg(body, {texts}, 0.01)) FROM short")),
        (
            Who::Ours,
            "count(DISTINCT text_digest(body, '{}'))",
            "SELECT count(DISTINCT text_digest(body, '{}')) FROM short".into(),
        ),
        (Who::Peer, "count(DISTINCT body)", "SELECT count(DISTINCT body) FROM short".into()),
    ];
    let seconds = bench.best(&statements.iter().map(|(.., sql)| sql.as_str()).collect::<Vec<_>>())?;
    bench.ask("DROP TABLE short")?;
    let method =
        format!("{} texts of 30 characters, one in ten the same; a whole pass over the table.", grouped(texts as f64));
    let mut comparison = Comparison::new("Exact copies among short texts", &method, Shown::Time, PASS);
    for ((who, name, _), seconds) in statements.iter().zip(seconds) {
        comparison.add(*who, name, seconds, "");
    }
    section.comparison(&comparison)?;
    section.aim(
        &format!("Bloom filter of {} texts, s", grouped(texts as f64)),
        comparison.cost(FILTER),
        Bound::AtMost(2.0),
    );
    Ok(())
}

/// One worker and two; the leader only waits. What the floor gains by a second worker is what the machine gives.
fn parallel(bench: &Bench, section: &mut Section) -> Result {
    const STATEMENTS: [(Who, &str, &str); 2] = [
        (
            Who::Ours,
            SIMHASH,
            "SELECT count(simhash(body, 'chars:5')) FROM article, LATERAL generate_series(1, 16 + 0 * id)",
        ),
        (Who::Floor, FLOOR, "SELECT sum(hashtext(body)) FROM article, LATERAL generate_series(1, 16 + 0 * id)"),
    ];
    let method = "The same statement with one and with two parallel workers, `parallel_leader_participation = off`; each row sixteen \
                  times, so that starting the workers weighs little (LATERAL: one plan for both). Beside it the same of the floor.";
    let mut comparison = Comparison::new("Parallel workers", method, Shown::Time, &workers(SIMHASH, 2));
    bench.ask(
        "SET parallel_leader_participation = off; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
         SET min_parallel_table_scan_size = 0; ALTER TABLE article SET (parallel_workers = 2)",
    )?;
    let mut best = [[f64::INFINITY; 2]; 2];
    for _ in 0..bench.size.rounds {
        for ((.., statement), best) in STATEMENTS.iter().zip(&mut best) {
            for (workers, best) in [1, 2].iter().zip(best) {
                bench.ask(&format!("SET max_parallel_workers_per_gather = {workers}"))?;
                *best = best.min(bench.seconds(statement)?);
            }
        }
    }
    bench.ask(
        "RESET parallel_leader_participation; RESET parallel_setup_cost; RESET parallel_tuple_cost;
         RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather; ALTER TABLE article RESET (parallel_workers)",
    )?;
    for ((who, name, _), best) in STATEMENTS.iter().zip(best) {
        for (number, best) in (1..).zip(best) {
            comparison.add(*who, &workers(name, number), best, "");
        }
    }
    section.comparison(&comparison)?;
    let gain = |name| comparison.ratio(&workers(name, 1), &workers(name, 2));
    if let Some(floor) = gain(FLOOR) {
        section
            .words(&format!("Two workers read the table, which is the floor, {} times as fast as one.", figure(floor)));
    }
    section.aim("two workers, times as fast as one", gain(SIMHASH), Bound::AtLeast(1.8));
    Ok(())
}

fn workers(name: &str, number: u32) -> String {
    format!("{name}, {}", if number == 1 { "one worker" } else { "two workers" })
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
