//! Speed of weights and of exact similarity on a real file: `cargo bench -p neardup-core --bench weighting -- news.jsonl`.
//!
//! The file is JSON lines with the text under `"text"`. Prints microseconds per text, or nanoseconds per pair. Each text and pair
//! counts with its fastest of several runs, because other work on the machine disturbs some of them in each run.
#![allow(missing_docs, reason = "a program, not a library")]

use neardup_core::signature::tokenset::{TokenSet, encode};
use neardup_core::similarity::shared_sentences;
use neardup_core::weighting::{Weigher, Weighting, idf::JiebaIdf};
use neardup_text::hash::token_hash;
use neardup_text::{Analyzer, Scratch};
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Returns the mean, in nanoseconds, of each item's least time.
fn least<T>(items: &[T], mut work: impl FnMut(&T) -> usize) -> f64 {
    let mut best = vec![Duration::MAX; items.len()];
    for _ in 0..7 {
        for (item, best) in items.iter().zip(&mut best) {
            let start = Instant::now();
            black_box(work(item));
            *best = start.elapsed().min(*best);
        }
    }
    best.iter().sum::<Duration>().as_nanos() as f64 / items.len().max(1) as f64
}

/// Sentences as sets of hashes.
type Sentences = Vec<Vec<u64>>;

/// The character bigrams of each sentence.
fn sentences(text: &str) -> Sentences {
    let bigrams = |sentence: &str| {
        let bounds: Vec<usize> = sentence.char_indices().map(|(at, _)| at).chain([sentence.len()]).collect();
        let mut set: Vec<u64> = bounds.windows(3).map(|ends| token_hash(&sentence[ends[0]..ends[2]])).collect();
        set.sort_unstable();
        set.dedup();
        set
    };
    text.split(['。', '！', '？', '\n']).map(bigrams).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: cargo bench -p neardup-core --bench weighting -- FILE");
        return Ok(());
    };
    let mut texts = Vec::new();
    for line in std::fs::read_to_string(path)?.lines().take(3000) {
        let line: serde_json::Value = serde_json::from_str(line)?;
        texts.push(line["text"].as_str().ok_or("a line has no text")?.to_owned());
    }
    let characters: usize = texts.iter().map(|text| text.chars().count()).sum();
    println!("{} texts of {} characters", texts.len(), characters / texts.len().max(1));

    let analyzer: Analyzer = "jieba".parse()?;
    let mut scratch = Scratch::default();
    let mut segment = |text: &String| -> Vec<u64> {
        let mut hashes = Vec::new();
        // Only a text of 4 GB fails.
        let _ = analyzer.tokens(text, &mut scratch, &mut |token| hashes.push(token_hash(token)));
        hashes
    };
    println!("{:<24} {:8.2} us a text", "normalise, cut, hash", least(&texts, |text| segment(text).len()) / 1e3);

    let tokens: Vec<Vec<u64>> = texts.iter().map(&mut segment).collect();
    let mut weigher = Weigher::new();
    for weighting in Weighting::ALL {
        let time = least(&tokens, |tokens| weigher.weigh(tokens, weighting, &JiebaIdf).map_or(0, <[_]>::len));
        println!("{:<24} {:8.2} us a text", format!("weigh by {}", weighting.name()), time / 1e3);
    }

    let mut sets = Vec::new();
    let mut weighed = Vec::new();
    for tokens in &tokens {
        weighed.push(weigher.weigh(tokens, Weighting::TfIdf, &JiebaIdf)?.to_vec());
        sets.push(encode(weigher.weigh(tokens, Weighting::TfIdf, &JiebaIdf)?, true, 0)?);
    }
    let time = least(&weighed, |weighed| encode(weighed, true, 0).map_or(0, |set| set.len()));
    println!("{:<24} {:8.2} us a text", "encode token set", time / 1e3);
    println!(
        "{:<24} {:8.2} us a text",
        "decode token set",
        least(&sets, |set| usize::from(TokenSet::decode(set).is_ok())) / 1e3
    );

    let pairs: Vec<(TokenSet, TokenSet)> = (0..sets.len())
        .map(|first| Ok((TokenSet::open(&sets[first])?, TokenSet::open(&sets[(first * 7919 + 1) % sets.len()])?)))
        .collect::<Result<_, neardup_text::Error>>()?;
    let report = |name: &str, measure: &dyn Fn(&(TokenSet, TokenSet)) -> usize| {
        println!("{name:<24} {:8.0} ns a pair", least(&pairs, measure));
    };
    report("nothing (the clock)", &|_| 0);
    report("Jaccard", &|(a, b)| usize::from(a.jaccard(b).is_ok_and(|similarity| similarity > 0.5)));
    report("Jaccard at least 0.6", &|(a, b)| usize::from(a.jaccard_within(b, 0.6) == Ok(true)));
    report("overlap", &|(a, b)| usize::from(a.overlap(b).is_ok_and(|similarity| similarity > 0.5)));
    report("overlap at least 0.8", &|(a, b)| usize::from(a.overlap_within(b, 0.8) == Ok(true)));
    report("weighted cosine", &|(a, b)| usize::from(a.cosine(b).is_ok_and(|similarity| similarity > 0.5)));

    let texts: Vec<Sentences> = texts.iter().map(|text| sentences(text)).collect();
    let neighbours: Vec<(&Sentences, &Sentences)> = texts.iter().zip(texts.iter().skip(1)).collect();
    let time = least(&neighbours, |(a, b)| shared_sentences(a, b, 0.6).map_or(0, |found| found.len()));
    println!("{:<24} {:8.2} us a pair", "shared sentences", time / 1e3);
    Ok(())
}
