//! Times normalisation and tokenizers: `cargo bench -p neardup-core --bench normalize -- FILE`, one document a line.
//!
//! Prints the best of several rounds over all documents, in MB/s of the UTF-8 read and in nanoseconds a character read.

use std::time::{Duration, Instant};
use std::{env, fs, process};

use neardup_core::analysis::normalize::{Buffer, Steps, normalize};
use neardup_core::analysis::{chars, sentences, words};

const ROUNDS: usize = 7;

fn main() {
    let Some(path) = env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: normalize FILE");
        return;
    };
    let text = fs::read_to_string(&path).unwrap_or_else(|error| {
        eprintln!("{path}: {error}");
        process::exit(1)
    });
    let documents = text.lines().collect::<Vec<_>>();
    let size = Size { bytes: text.len(), chars: text.chars().count() };
    println!("{} documents, {} bytes, {} characters", documents.len(), size.bytes, size.chars);

    let mut buffer = Buffer::default();
    let social = Steps::LINKS.union(Steps::REPOSTS).union(Steps::HANDLES).union(Steps::EMOJI).union(Steps::CHARS);
    for (name, steps) in [
        ("normalize chars", Steps::CHARS),
        ("normalize words", Steps::WORDS),
        ("normalize chars + simplified", Steps::CHARS.union(Steps::SIMPLIFIED)),
        ("normalize chars + links, reposts, handles, emoji", social),
        ("normalize all", Steps::ALL),
        ("normalize nfkc", Steps::NFKC),
    ] {
        size.report(name, || documents.iter().map(|text| normalize(text, steps, &mut buffer).len()).sum());
    }
    let dense = documents.iter().map(|text| normalize(text, Steps::CHARS, &mut buffer).to_owned()).collect::<Vec<_>>();
    let spaced = documents.iter().map(|text| normalize(text, Steps::WORDS, &mut buffer).to_owned()).collect::<Vec<_>>();
    let mut bounds = Vec::new();
    size.report("unit bounds of normalised", || {
        dense.iter().map(|text| chars::unit_bounds(text, &mut bounds).map_or(0, |()| bounds.len())).sum()
    });
    size.report("5-shingles of normalised", || {
        let mut count = 0;
        for text in &dense {
            let _ = chars::shingles(text, 5, &mut |token| count += token.text.len());
        }
        count
    });
    size.report("words of normalised", || {
        let mut count = 0;
        spaced.iter().for_each(|text| words::words(text, &mut |token| count += token.text.len()));
        count
    });
    size.report("sentences", || {
        let mut count = 0;
        documents.iter().for_each(|text| sentences::sentences(text, &mut |_| count += 1));
        count
    });
}

struct Size {
    bytes: usize,
    chars: usize,
}

impl Size {
    fn report(&self, name: &str, mut work: impl FnMut() -> usize) {
        let mut best = Duration::MAX;
        let mut result = 0;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            result = work();
            best = best.min(start.elapsed());
        }
        let seconds = best.as_secs_f64();
        println!(
            "{name:50} {:8.1} MB/s {:7.2} ns/character   (checksum {result})",
            self.bytes as f64 / seconds / 1e6,
            seconds * 1e9 / self.chars as f64
        );
    }
}
