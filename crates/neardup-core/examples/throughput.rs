//! What `cargo xtask bench` measures of the core without a server: `throughput FILE ROUNDS`, one document per line.
//!
//! Prints lines of a name, an amount and the seconds it took, separated by tabs. The amount is bytes of text for the tokenizers and
//! for signing, next to `cut` of jieba-rs alone on the same texts, and pairs for the comparisons. The contestants take turns on
//! small batches, and the best turn of each on a batch counts. So other work on the machine has little effect, and the same effect
//! on all.
#![allow(missing_docs, clippy::unwrap_used, reason = "a program, not a library")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use neardup_core::document;
use neardup_core::signature::minhash::{MinHasher, Parameters, Scheme, jaccard};
use neardup_core::signature::simhash::hamming_distance;
use neardup_text::hash::mix;
use neardup_text::{Analyzer, Scratch, jieba, presets};

/// Documents that are timed together.
const BATCH: usize = 50;
/// Signatures of which each is compared with each.
const SIGNATURES: usize = 1000;

struct Contestant<'w> {
    name: String,
    work: Box<dyn FnMut(&str) -> usize + 'w>,
    total: Duration,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(rounds)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: throughput FILE ROUNDS");
        std::process::exit(1);
    };
    let rounds: usize = rounds.parse().unwrap();
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        eprintln!("cannot read {path}: {error}");
        std::process::exit(1)
    });
    let documents: Vec<&str> = text.lines().collect();

    let start = Instant::now();
    let plain = jieba_rs::Jieba::new();
    println!("load jieba-rs\t1\t{}", start.elapsed().as_secs_f64());
    let start = Instant::now();
    jieba::shared().load();
    println!("load\t1\t{}", start.elapsed().as_secs_f64());

    segment(&documents, &plain, rounds);
    compare(rounds);
}

fn segment(documents: &[&str], plain: &jieba_rs::Jieba, rounds: usize) {
    let chars: Analyzer = "chars:5".parse().unwrap();
    let mut hasher = MinHasher::new(Parameters::new(Scheme::ManyHash, 128, 32, 0).unwrap(), 0);
    let (mut scratch, mut scratch_too) = (Scratch::default(), Scratch::default());
    let mut contestants = vec![contestant("jieba-rs cut", |text| plain.cut(text, true).len())];
    contestants
        .push(contestant("std::str::from_utf8", |text| std::str::from_utf8(text.as_bytes()).map_or(0, str::len)));
    for name in presets::ALL.iter().map(|preset| preset.name).chain(["chars:5"]) {
        let analyzer: Analyzer = name.parse().unwrap();
        let mut scratch = Scratch::default();
        contestants.push(contestant(name, move |text| {
            let mut bytes = 0;
            let cut = analyzer.tokens(text, &mut scratch, &mut |token| bytes += token.len());
            cut.map_or(0, |()| bytes)
        }));
    }
    for (name, analyzer) in [("normalise for words", "jieba"), ("normalise for characters", "chars:5")] {
        let analyzer: Analyzer = analyzer.parse().unwrap();
        let mut scratch = Scratch::default();
        contestants.push(contestant(name, move |text| analyzer.normalize(text, &mut scratch).len()));
    }
    contestants.push(contestant("sign minhash(body, 'chars:5'), 128 values", |text| {
        let signature = document::minhash(text, &chars, &mut scratch, &mut hasher).unwrap();
        signature.map_or(0, |signature| signature.as_bytes().len())
    }));
    contestants.push(contestant("sign simhash(body, 'chars:5')", |text| {
        document::simhash(text, &chars, &mut scratch_too).unwrap().map_or(0, |signature| signature as usize)
    }));
    for batch in documents.chunks(BATCH) {
        let mut best = vec![Duration::MAX; contestants.len()];
        for _ in 0..rounds {
            for (contestant, best) in contestants.iter_mut().zip(&mut best) {
                let start = Instant::now();
                for document in batch {
                    black_box((contestant.work)(black_box(document)));
                }
                *best = start.elapsed().min(*best);
            }
        }
        for (contestant, best) in contestants.iter_mut().zip(best) {
            contestant.total += best;
        }
    }
    let bytes: usize = documents.iter().map(|document| document.len()).sum();
    for contestant in contestants {
        println!("{}\t{bytes}\t{}", contestant.name, contestant.total.as_secs_f64());
    }
}

fn contestant<'w>(name: &str, work: impl FnMut(&str) -> usize + 'w) -> Contestant<'w> {
    Contestant { name: name.to_owned(), work: Box::new(work), total: Duration::ZERO }
}

/// Comparisons of every signature with every other.
fn compare(rounds: usize) {
    for (name, scheme, width) in [
        ("compare minhash(128), 32 bits", Scheme::ManyHash, 32),
        ("compare minhash(128), 16 bits", Scheme::ManyHash, 16),
        ("compare minhash(128), bottom-k", Scheme::BottomK, 32),
        ("compare minhash(128), bottom-k, 16 bits", Scheme::BottomK, 16),
    ] {
        let mut hasher = MinHasher::new(Parameters::new(scheme, 128, width, 0).unwrap(), 0);
        let signatures: Vec<Vec<u8>> = (0..SIGNATURES as u64)
            .filter_map(|text| {
                // Two by two they are near-duplicates.
                (0..1000).for_each(|i| hasher.add(mix(text / 2 * 1000 + i, 1)));
                hasher.add(mix(text, 2));
                hasher.finish().map(|signature| signature.into_bytes())
            })
            .collect();
        pairs(name, &signatures, rounds, |a, b| jaccard(a, b).unwrap_or(f64::NAN));
    }
    let words: Vec<u64> = (0..SIGNATURES as u64).map(|i| mix(i, 3)).collect();
    pairs("compare simhash", &words, rounds, |a, b| f64::from(hamming_distance(*a, *b)));
    pairs("compare with bit_count alone", &words, rounds, |a, b| f64::from((*a ^ *b).count_ones()));
}

fn pairs<T>(name: &str, signatures: &[T], rounds: usize, compare: impl Fn(&T, &T) -> f64) {
    let mut best = Duration::MAX;
    for _ in 0..rounds * 5 {
        let start = Instant::now();
        let sum: f64 = signatures.iter().map(|a| signatures.iter().map(|b| compare(a, b)).sum::<f64>()).sum();
        black_box(sum);
        best = best.min(start.elapsed());
    }
    println!("{name}\t{}\t{}", signatures.len() * signatures.len(), best.as_secs_f64());
}
