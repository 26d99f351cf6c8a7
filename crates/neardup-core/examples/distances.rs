//! What Hamming distances of SimHashes find on a corpus with a complete list of its near-duplicates, by analyzer:
//! `cargo run --release -p neardup-core --example distances -- TEXTS PAIRS [ANALYZER ...]`.
//!
//! TEXTS is a file of JSON lines with `id` and `text`, PAIRS one of tab-separated values with a heading, `id1`, `id2` and
//! `same_url`; both compressed with xz or not. Of PAIRS count those whose texts are both there, with `same_url` 0. Each
//! distinct text counts once. A pair within the distance is bad where the overlap coefficient of character 5-grams is below 0.5,
//! estimated on 200 pairs spread evenly over those found.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::Path;
use std::process::Command;

use neardup_core::analysis::{Analyzer, Scratch};
use neardup_core::document::simhash;
use neardup_core::similarity::overlap;
use neardup_core::sketch::hash::token_hash;
use neardup_core::sketch::simhash::hamming_distance;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The farthest distance that is looked at.
const FARTHEST: u32 = 11;

/// How many pairs of a distance are read.
const SAMPLE: usize = 200;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [texts, pairs, analyzers @ ..] = arguments.as_slice() else {
        return Err("which files of texts and of pairs?".into());
    };
    let standard = ["jieba", "chars:2", "chars:3", "chars:4", "chars:5"].map(str::to_owned);
    let analyzers = if analyzers.is_empty() { &standard } else { analyzers };

    let mut places = HashMap::new();
    let mut seen = HashSet::new();
    let mut documents = Vec::new();
    for line in unpacked(Path::new(texts))?.lines() {
        let json: serde_json::Value = serde_json::from_str(line)?;
        let field = |name: &str| json.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        if seen.insert(field("text")) {
            places.insert(field("id"), documents.len());
            documents.push(field("text"));
        }
    }
    let near = listed(&unpacked(Path::new(pairs))?, &places)?;
    println!("{} distinct texts, {} listed pairs", documents.len(), near.len());
    println!("{:<10} {:>8} {:>12} {:>8} {:>12}", "analyzer", "distance", "pairs", "recall", "bad, about");
    for analyzer in analyzers {
        measure(analyzer, &documents, &near)?;
    }
    Ok(())
}

fn unpacked(path: &Path) -> Result<String> {
    if path.extension().is_some_and(|extension| extension == "xz") {
        return Ok(String::from_utf8(Command::new("xz").arg("-dc").arg(path).output()?.stdout)?);
    }
    Ok(std::fs::read_to_string(path)?)
}

/// The listed pairs of different addresses, by the places of their texts.
fn listed(table: &str, places: &HashMap<String, usize>) -> Result<Vec<(usize, usize)>> {
    let mut lines = table.lines();
    let heading: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| heading.iter().position(|&known| known == name).ok_or("a column of the pairs is missing");
    let (first, second, same) = (column("id1")?, column("id2")?, column("same_url")?);
    let of = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let place = |at: usize| places.get(*fields.get(at)?).copied();
        (fields.get(same) == Some(&"0")).then(|| place(first).zip(place(second))).flatten()
    };
    Ok(lines.filter_map(of).collect())
}

fn measure(analyzer: &str, documents: &[String], near: &[(usize, usize)]) -> Result<()> {
    let compiled: Analyzer = analyzer.parse()?;
    let mut scratch = Scratch::default();
    let mut signatures = Vec::with_capacity(documents.len());
    for document in documents {
        signatures.push(simhash(document, &compiled, &mut scratch)?);
    }
    // By distance: how many pairs, and which.
    let mut found: Vec<Vec<(u32, u32)>> = vec![Vec::new(); FARTHEST as usize + 1];
    for (i, a) in signatures.iter().enumerate() {
        let Some(a) = a else { continue };
        for (j, b) in signatures.iter().enumerate().take(i) {
            let distance = b.map_or(u32::MAX, |b| hamming_distance(*a, b));
            if let Some(found) = found.get_mut(distance as usize) {
                found.push((u32::try_from(i)?, u32::try_from(j)?));
            }
        }
    }
    let grams: Analyzer = "chars:5".parse()?;
    let mut within = Vec::new();
    for (distance, found) in (0..).zip(found) {
        within.extend(found);
        if distance % 2 == 0 {
            continue;
        }
        let is_near = |&&(a, b): &&(usize, usize)| match (signatures.get(a), signatures.get(b)) {
            (Some(Some(a)), Some(Some(b))) => hamming_distance(*a, *b) <= distance,
            _ => false,
        };
        let recall = near.iter().filter(is_near).count() as f64 / near.len() as f64;
        let mut bad = 0;
        let sample = within.len().min(SAMPLE);
        for n in 0..sample {
            let Some(&(a, b)) = within.get(n * within.len() / sample) else { continue };
            let mut set = |place: u32| set(&documents[place as usize], &grams, &mut scratch);
            bad += usize::from(overlap(&set(a)?, &set(b)?) < 0.5);
        }
        let bad = bad as f64 / sample.max(1) as f64 * within.len() as f64;
        println!("{analyzer:<10} {distance:>8} {:>12} {recall:>8.3} {bad:>12.0}", within.len());
    }
    Ok(())
}

fn set(document: &str, analyzer: &Analyzer, scratch: &mut Scratch) -> Result<Vec<u64>> {
    let mut set = Vec::new();
    analyzer.tokens(document, scratch, &mut |token| set.push(token_hash(token)))?;
    set.sort_unstable();
    set.dedup();
    Ok(set)
}
