//! Times normalisation and tokenizers: `cargo bench -p neardup-text --bench normalize -- FILE`, one document a line.
//!
//! The variable `ONLY` picks the lines that hold its value. Prints the best of several rounds over each group of documents, in MB/s of the UTF-8 read and in nanoseconds a character read.

use std::time::{Duration, Instant};
use std::{env, fs, process};

use neardup_text::normalize::{Buffer, Steps, normalize};
use neardup_text::{chars, sentences, words};

/// Documents that are timed together.
const GROUP: usize = 200;
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

    let one_spelling = Steps::SIMPLIFIED.union(Steps::SPELLING);
    let social = Steps::LINKS.union(Steps::REPOSTS).union(Steps::HANDLES).union(Steps::EMOJI).union(Steps::CHARS);
    let mut buffer = Buffer::default();
    size.report("std::str::from_utf8, to compare", &documents, |text| {
        std::str::from_utf8(text.as_bytes()).map_or(0, str::len)
    });
    for (name, steps) in [
        ("normalize chars", Steps::CHARS),
        ("normalize chars without simplified, spelling", Steps::CHARS.without(one_spelling)),
        ("normalize words", Steps::WORDS),
        ("normalize words without simplified", Steps::WORDS.without(Steps::SIMPLIFIED)),
        ("normalize words without spelling", Steps::WORDS.without(Steps::SPELLING)),
        ("normalize words without simplified, spelling", Steps::WORDS.without(one_spelling)),
        ("normalize chars + links, reposts, handles, emoji", social),
        ("normalize all", Steps::ALL),
        ("normalize nfkc", Steps::NFKC),
        ("normalize nfkc, casefold", Steps::NFKC.union(Steps::CASEFOLD)),
    ] {
        size.report(name, &documents, |text| normalize(text, steps, &mut buffer).len());
    }
    let dense = documents.iter().map(|text| normalize(text, Steps::CHARS, &mut buffer).to_owned()).collect::<Vec<_>>();
    let spaced = documents.iter().map(|text| normalize(text, Steps::WORDS, &mut buffer).to_owned()).collect::<Vec<_>>();
    let mut bounds = Vec::new();
    size.report("unit bounds of normalised", &dense, |text| {
        chars::unit_bounds(text, &mut bounds).map_or(0, |()| bounds.len())
    });
    size.report("bounds of 5-shingles of normalised", &dense, |text| {
        let mut count = 0;
        let _ = chars::shingle_bounds(text, 5, &mut bounds, &mut |starts, _| count += starts.len());
        count
    });
    size.report("5-shingles of normalised", &dense, |text| {
        let mut count = 0;
        let _ = chars::shingles(text, 5, &mut |token| count += token.text.len());
        count
    });
    size.report("words of normalised", &spaced, |text| {
        let mut count = 0;
        words::words(text, &mut |token| count += token.text.len());
        count
    });
    size.report("sentences", &documents, |text| {
        let mut count = 0;
        sentences::sentences(text, &mut |_| count += 1);
        count
    });
}

struct Size {
    bytes: usize,
    chars: usize,
}

impl Size {
    /// Adds up the best times of groups of documents, so that other work on the machine disturbs little.
    fn report<T: AsRef<str>>(&self, name: &str, documents: &[T], mut work: impl FnMut(&str) -> usize) {
        if env::var("ONLY").is_ok_and(|only| !name.contains(&only)) {
            return;
        }
        let mut result = 0;
        let seconds = documents.chunks(GROUP).fold(0.0, |sum, group| {
            let mut best = Duration::MAX;
            let mut count = 0;
            for _ in 0..ROUNDS {
                let start = Instant::now();
                count = group.iter().map(|text| work(text.as_ref())).sum();
                best = best.min(start.elapsed());
            }
            result += count;
            sum + best.as_secs_f64()
        });
        println!(
            "{name:50} {:8.1} MB/s {:7.2} ns/character   (checksum {result})",
            self.bytes as f64 / seconds / 1e6,
            seconds * 1e9 / self.chars as f64
        );
    }
}
