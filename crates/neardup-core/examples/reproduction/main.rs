//! The comparison of Zhang 2016, table by table: `cargo run --release -p neardup-core --example reproduction -- DATA`.
//!
//! DATA is a folder with `news.jsonl.xz`, `natural_pairs.tsv.xz` and `pairs_gold.jsonl.xz`; the program `xz` must be installed.
//! Prints the tables of docs/reproduction.md: only figures, no text.
//!
//! * [`data`] reads the folder and selects the 3,000 documents.
//! * [`measure`] compares all their pairs by one measure.
//! * [`judge`] knows which pairs are true, and computes precision and recall of the scores.

mod data;
mod judge;
mod measure;

use std::error::Error;
use std::time::{Duration, Instant};

use data::Corpus;
use judge::{Gold, Judge, Score};
use measure::Measure;
use neardup_core::weighting::Weighting;

/// MinHash values, the paper's number being unknown, and SimHash bits in the paper's experiments.
const VALUES: usize = 128;
const BITS: u32 = 32;

struct Run {
    corpus: Corpus,
    judge: Judge,
    gold: Gold,
}

impl Run {
    /// Measures all pairs, and prints a line of a table.
    fn line(&self, name: &str, analyzer: &str, measure: Measure) -> Result<Score, Box<dyn Error>> {
        let start = clock();
        let signed = measure.sign(analyzer, &self.corpus.texts)?;
        let signing = clock().saturating_sub(start);
        let start = clock();
        let scores = self.judge.scores(&signed);
        let comparing = clock().saturating_sub(start);
        let best = scores.best();
        let gold = self.gold.judge(analyzer, measure, best.threshold)?;
        println!(
            "| {name} | {:.2} | {:.2} | {:.3} | {:.1} | {:.1} | {:.2} | {:.2} | {:.3} |",
            100.0 * best.precision,
            100.0 * best.recall,
            best.threshold,
            signing.as_secs_f64(),
            comparing.as_secs_f64(),
            100.0 * gold.precision,
            100.0 * gold.recall,
            gold.area
        );
        Ok(best)
    }
}

/// The time that this program has had a core, where the system tells; else what the clock says.
fn clock() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let told = told.and_then(|text| text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok()));
    told.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

fn head(title: &str, column: &str) {
    println!("\n## {title}\n");
    println!("| {column} | P % | R % | threshold | sign s | compare s | labelled P % | labelled R % | AUC |");
    println!("|---|---|---|---|---|---|---|---|---|");
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: reproduction DATA")?;
    let corpus = data::read_corpus(&folder)?;
    let start = clock();
    let judge = Judge::new(&corpus.texts)?;
    let (gold, counts) = Gold::read(&folder)?;
    println!("{} documents, {} pairs: {}", corpus.texts.len(), judge.pairs(), judge.describe());
    println!("of {} true pairs in the list, {} were found again", corpus.listed.len(), judge.found(&corpus.listed));
    println!(
        "comparing them by 5-grams took {:.1} s; labelled pairs: {counts}",
        clock().saturating_sub(start).as_secs_f64()
    );
    let run = Run { corpus, judge, gold };

    head("Segmenters (SimHash, no weights, 32 bits)", "segmenter");
    let segmenters =
        ["jieba", "jieba_full", "jieba_search", "ik_max_word", "ik_smart", "index", "n_shortest_path", "shortest_path"];
    for analyzer in segmenters.into_iter().chain(["longest_match", "words", "chars:2", "chars:3", "chars:5"]) {
        run.line(analyzer, analyzer, Measure::SimHash(Weighting::None, BITS))?;
    }
    head("Feature selection (SimHash, ik_smart, 32 bits)", "weighting");
    for weighting in Weighting::ALL {
        run.line(weighting.name(), "ik_smart", Measure::SimHash(weighting, BITS))?;
    }
    head("Similarities (jieba_full, no weights)", "similarity");
    for measure in Measure::all(BITS).into_iter().chain([Measure::SimHash(Weighting::None, 64), Measure::Totals(64)]) {
        run.line(&measure.name(), "jieba_full", measure)?;
    }
    head("Combinations", "combination");
    for measure in [Measure::Totals(BITS), Measure::ManyHash(VALUES), Measure::Jaccard] {
        for analyzer in ["jieba_full", "ik_smart", "shortest_path", "chars:5"] {
            run.line(&format!("{}, {analyzer}", measure.name()), analyzer, measure)?;
        }
    }
    println!("\n## Precision and recall by threshold\n");
    let finalists = [
        ("jieba_full", Measure::ManyHash(VALUES)),
        ("ik_smart", Measure::Jaccard),
        ("ik_smart", Measure::Totals(BITS)),
    ];
    println!(
        "| threshold | {} |",
        finalists.map(|(analyzer, measure)| format!("{}, {analyzer}", measure.name())).join(" | ")
    );
    println!("|---|---|---|---|");
    let mut columns = Vec::new();
    for (analyzer, measure) in finalists {
        columns.push(run.judge.scores(&measure.sign(analyzer, &run.corpus.texts)?));
    }
    for step in 6..=19 {
        let threshold = f64::from(step) / 20.0;
        let cells: Vec<String> = columns
            .iter()
            .map(|scores| scores.at(threshold))
            .map(|score| format!("{:.2} / {:.2}", 100.0 * score.precision, 100.0 * score.recall))
            .collect();
        println!("| {threshold:.2} | {} |", cells.join(" | "));
    }
    Ok(())
}
