//! Speed of the sketches on a real file: `cargo bench -p neardup-core --bench sketch -- news.jsonl [part of a name]`.
//!
//! The file is JSON lines with the text under `"text"`, or plain lines. Prints the minimum of several runs, in nanoseconds per
//! character and, for comparisons, in millions of pairs per second.

use neardup_core::signature::minhash::{MinHasher, Parameters, Scheme, jaccard};
use neardup_core::signature::shingle;
use neardup_core::signature::simhash::SimHashCounter;
use neardup_text::chars::unit_bounds;
use neardup_text::hash::mix;
use std::hint::black_box;
use std::time::{Duration, Instant};

fn read(path: &str) -> Vec<String> {
    let file = std::fs::read_to_string(path).unwrap_or_else(|error| {
        eprintln!("cannot read {path}: {error}");
        std::process::exit(1)
    });
    file.lines()
        .map(|line| {
            let value: Option<serde_json::Value> = serde_json::from_str(line).ok();
            value.and_then(|value| Some(value.get("text")?.as_str()?.to_owned())).unwrap_or(line.to_owned())
        })
        .collect()
}

/// Sketches all texts some times over and adds up, in nanoseconds, the least time each took: other work on the machine
/// disturbs a few texts in each pass, not the same ones in all. Finding the boundaries of the units is not counted.
fn least(texts: &[String], sketch: &mut dyn FnMut(&str, &[u32]) -> u64) -> f64 {
    let mut boundaries = Vec::new();
    let mut best = vec![Duration::MAX; texts.len()];
    for _ in 0..5 {
        for (text, best) in texts.iter().zip(&mut best) {
            if unit_bounds(text, &mut boundaries).is_err() {
                continue;
            }
            let start = Instant::now();
            black_box(sketch(text, &boundaries));
            *best = start.elapsed().min(*best);
        }
    }
    best.iter().sum::<Duration>().as_nanos() as f64
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let Some(path) = arguments.next() else {
        eprintln!("usage: cargo bench -p neardup-core --bench sketch -- FILE [PART OF A NAME]");
        return;
    };
    let wanted = arguments.next().unwrap_or_default();
    let texts = read(&path);
    let characters: usize = texts.iter().map(|text| text.chars().count()).sum();
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{} texts, {characters} characters, {bytes} bytes", texts.len());
    let report = |name: &str, sketch: &mut dyn FnMut(&str, &[u32]) -> u64| {
        if !name.contains(&wanted) {
            return;
        }
        println!("{name:<40} {:6.3} ns/char", least(&texts, sketch) / characters as f64);
    };

    report("nothing (cost of the clock)", &mut |_, _| 0);
    let mut own = Vec::new();
    report("unit boundaries", &mut |text, _| unit_bounds(text, &mut own).map_or(0, |()| own.len() as u64));
    report("hash 5-grams", &mut |text, boundaries| {
        let mut sum = 0;
        shingle::for_each_batch(text.as_bytes(), boundaries, 5, |hashes| sum ^= black_box(hashes).len() as u64);
        sum
    });
    let mut counter = SimHashCounter::new();
    report("hash 5-grams, simhash", &mut |text, boundaries| {
        counter.reset();
        let (starts, ends) = shingle::spans(boundaries, 5);
        counter.add_pieces(text.as_bytes(), starts, ends);
        counter.finish().unwrap_or_default()
    });
    for (name, scheme, count) in [
        ("hash 5-grams, minhash(128)", Scheme::ManyHash, 128),
        ("hash 5-grams, minhash(1024)", Scheme::ManyHash, 1024),
        ("hash 5-grams, minhash(128, bottom_k)", Scheme::BottomK, 128),
    ] {
        let Ok(parameters) = Parameters::new(scheme, count, 32, 0) else { continue };
        let mut hasher = MinHasher::new(parameters, 0);
        report(name, &mut |text, boundaries| {
            let (starts, ends) = shingle::spans(boundaries, 5);
            hasher.add_pieces(text.as_bytes(), starts, ends);
            hasher.finish().map_or(0, |signature| signature.as_bytes().len() as u64)
        });
    }

    for (scheme, count, width) in [
        (Scheme::ManyHash, 128, 32),
        (Scheme::ManyHash, 128, 16),
        (Scheme::ManyHash, 1024, 32),
        (Scheme::BottomK, 128, 32),
    ] {
        if "compare".contains(&wanted) {
            compare_pairs(scheme, count, width);
        }
    }
}

/// Compares each of 500 signatures with each.
fn compare_pairs(scheme: Scheme, count: usize, width: u32) {
    let Ok(parameters) = Parameters::new(scheme, count, width, 0) else { return };
    let mut hasher = MinHasher::new(parameters, 0);
    let signatures: Vec<Vec<u8>> = (0..500_u64)
        .filter_map(|text| {
            (0..1000).for_each(|i| hasher.add(mix(text / 2 * 1000 + i, 1)));
            hasher.add(mix(text, 2));
            hasher.finish().map(|signature| signature.into_bytes())
        })
        .collect();
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        let mut sum = 0.0;
        for a in &signatures {
            for b in &signatures {
                sum += jaccard(a, b).unwrap_or(f64::NAN);
            }
        }
        black_box(sum);
        best = best.min(start.elapsed());
    }
    let pairs = (signatures.len() * signatures.len()) as f64;
    println!(
        "compare {count} values of {width} bits, {:<9} {:8.1} M pairs/s",
        scheme.name(),
        pairs / best.as_secs_f64() / 1e6
    );
}
