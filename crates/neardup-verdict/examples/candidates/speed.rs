//! What a text costs on its way: sketch, overlap, verdict.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use neardup_core::document::minhash;
use neardup_core::signature::minhash::{MinHasher, Parameters};
use neardup_text::{Analyzer, Scratch};
use neardup_verdict::{Pair, Prepared};

use super::Result;
use super::data::{self, CORPORA};

/// Texts of each corpus that are measured.
const TEXTS: usize = 10_000;

/// Rounds, of which the fastest counts.
const ROUNDS: usize = 5;

/// Prints nanoseconds a byte for each step and corpus: the sketch, by two analyzers; [`Prepared::new`]; [`Prepared::duplicate`] with the
/// next text of the corpus, which the overlap sorts out, and with an edited copy, which is judged.
pub fn print(folder: &Path) -> Result<()> {
    println!("ns a byte     shingles:5   chars:5   prepare   other text   edited copy");
    for (name, _) in CORPORA {
        let texts = data::texts(folder, name, TEXTS)?;
        let copies: Vec<String> = texts.iter().map(|text| edited(text)).collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        let sketches = |analyzer: &str| -> Result<f64> {
            let analyzer: Analyzer = analyzer.parse()?;
            let (mut scratch, mut hasher) = (Scratch::default(), MinHasher::new(Parameters::sketch(10, 0)?, 0));
            fastest(bytes, || {
                for text in &texts {
                    black_box(minhash(text, &analyzer, &mut scratch, &mut hasher)?);
                }
                Ok(())
            })
        };
        let prepare = fastest(bytes, || {
            for text in &texts {
                black_box(Prepared::new(text)?.overlap(&Prepared::new("")?));
            }
            Ok(())
        })?;
        let meet = |others: &[String], shift: usize| -> Result<f64> {
            let mut spent = f64::MAX;
            for _ in 0..ROUNDS {
                let mut nanoseconds = 0.0;
                for (text, other) in texts.iter().zip(others.iter().cycle().skip(shift)) {
                    let prepared = Prepared::new(text)?;
                    // What a text has to make room for, it has for all that follow.
                    prepared.duplicate(other)?;
                    let start = Instant::now();
                    black_box(Pair::new(&prepared, &Prepared::new(other)?.as_candidate()).duplicate()?);
                    nanoseconds += start.elapsed().as_nanos() as f64;
                }
                spent = spent.min(nanoseconds / bytes as f64);
            }
            Ok(spent)
        };
        let (other, copy) = (meet(&texts, 1)?, meet(&copies, 0)?);
        println!(
            "{name:<12} {:>11.2} {:>9.2} {prepare:>9.2} {other:>12.2} {copy:>13.2}",
            sketches("shingles:5")?,
            sketches("chars:5")?,
        );
    }
    Ok(())
}

/// A copy with every fiftieth character left out.
fn edited(text: &str) -> String {
    text.chars().enumerate().filter(|(at, _)| at % 50 != 25).map(|(_, c)| c).collect()
}

fn fastest(bytes: usize, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut least = f64::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        work()?;
        least = least.min(start.elapsed().as_nanos() as f64 / bytes as f64);
    }
    Ok(least)
}
