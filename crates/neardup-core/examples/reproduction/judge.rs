//! Decides which pairs are true, and measures how well scores separate them from the others.

use std::error::Error;

use neardup_core::document::HashedTokens;
use neardup_core::similarity::{jaccard, overlap};
use neardup_text::{Analyzer, Scratch};

use crate::data::unpack;
use crate::measure::{Measure, Signed};

/// A pair of documents that share at least this Jaccard similarity of character 5-grams is a near-duplicate.
const TRUE_JACCARD: f64 = 0.6;
/// A pair that shares less than this overlap coefficient of character 5-grams is none. What lies between may be an excerpt, and counts
/// neither way.
const FALSE_OVERLAP: f64 = 0.5;
/// Steps between similarity -1 and 1; a multiple of 64, so that SimHash falls on them.
const STEPS: usize = 6400;

#[derive(Clone, Copy, PartialEq)]
enum Truth {
    Same,
    Between,
    Other,
}

/// The truth of all pairs of the corpus.
pub struct Judge {
    documents: usize,
    /// Row by row, each document with those after it.
    truths: Vec<Truth>,
}

/// Precision and recall at a threshold.
#[derive(Clone, Copy, Default)]
pub struct Score {
    pub threshold: f64,
    pub precision: f64,
    pub recall: f64,
}

/// How many pairs of each truth have each similarity.
pub struct Scores {
    same: Vec<u32>,
    other: Vec<u32>,
}

impl Judge {
    pub fn new(texts: &[String]) -> Result<Self, Box<dyn Error>> {
        let analyzer: Analyzer = "chars:5".parse()?;
        let (mut scratch, mut tokens) = (Scratch::default(), HashedTokens::default());
        let mut sets = Vec::new();
        for text in texts {
            tokens.read(text, &analyzer, &mut scratch)?;
            sets.push(tokens.distinct().to_vec());
        }
        let mut truths = Vec::with_capacity(sets.len() * sets.len() / 2);
        for (first, a) in sets.iter().enumerate() {
            truths.extend(sets.iter().skip(first + 1).map(|b| match () {
                () if jaccard(a, b) >= TRUE_JACCARD => Truth::Same,
                () if overlap(a, b) >= FALSE_OVERLAP => Truth::Between,
                () => Truth::Other,
            }));
        }
        Ok(Self { documents: texts.len(), truths })
    }

    pub fn pairs(&self) -> usize {
        self.truths.len()
    }

    pub fn describe(&self) -> String {
        let count = |truth| self.truths.iter().filter(|&&other| other == truth).count();
        let (same, between, other) = (count(Truth::Same), count(Truth::Between), count(Truth::Other));
        format!("{same} true, {between} between, {other} false")
    }

    /// Counts those of the pairs that are true.
    pub fn found(&self, pairs: &[(usize, usize)]) -> usize {
        let row = |first: usize| first * self.documents - first * (first + 1) / 2;
        pairs.iter().filter(|&&(a, b)| self.truths.get(row(a) + b - a - 1) == Some(&Truth::Same)).count()
    }

    /// Compares all pairs.
    pub fn scores(&self, signed: &Signed) -> Scores {
        let mut scores = Scores { same: vec![0; STEPS + 1], other: vec![0; STEPS + 1] };
        let mut truths = self.truths.iter();
        for first in 0..signed.len() {
            signed.compare(first, |_, similarity| {
                let counts = match truths.next() {
                    Some(Truth::Same) => &mut scores.same,
                    Some(Truth::Other) => &mut scores.other,
                    _ => return,
                };
                if let Some(count) = counts.get_mut(step(similarity)) {
                    *count += 1;
                }
            });
        }
        scores
    }
}

/// The step of a similarity; a hair is added, so that a fraction that is a step falls on it.
fn step(similarity: f64) -> usize {
    ((similarity + 1.0) / 2.0 * STEPS as f64 + 1e-6) as usize
}

impl Scores {
    /// Returns precision and recall where pairs of at least the threshold are reported.
    pub fn at(&self, threshold: f64) -> Score {
        let from = step(threshold);
        let sum = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).sum::<f64>();
        let same = sum(self.same.get(from..).unwrap_or_default());
        let other = sum(self.other.get(from..).unwrap_or_default());
        let precision = if same == 0.0 { 0.0 } else { same / (same + other) };
        Score { threshold, precision, recall: same / sum(&self.same) }
    }

    /// Returns the threshold of the greatest F1.
    pub fn best(&self) -> Score {
        let f1 = |score: &Score| {
            let sum = score.precision + score.recall;
            if sum == 0.0 { 0.0 } else { 2.0 * score.precision * score.recall / sum }
        };
        (0..=STEPS)
            .map(|step| self.at(step as f64 / STEPS as f64 * 2.0 - 1.0))
            .max_by(|a, b| f1(a).total_cmp(&f1(b)))
            .unwrap_or_default()
    }
}

/// Pairs that people have read: both texts, and whether one of them is enough.
pub struct Gold {
    texts: Vec<String>,
    same: Vec<bool>,
}

/// How a measure does on the labelled pairs.
pub struct GoldScore {
    pub precision: f64,
    pub recall: f64,
    /// The chance that a true pair is more similar than a false one.
    pub area: f64,
}

impl Gold {
    /// Reads the labelled pairs: D and P are true, T and U false, R left out. Says how many there are.
    pub fn read(folder: &str) -> Result<(Self, String), Box<dyn Error>> {
        let (mut texts, mut same) = (Vec::new(), Vec::new());
        for line in unpack(folder, "pairs_gold.jsonl.xz")?.lines() {
            let pair: serde_json::Value = serde_json::from_str(line)?;
            let truth = match pair["label"].as_str() {
                Some("D" | "P") => true,
                Some("T" | "U") => false,
                _ => continue,
            };
            for key in ["text1", "text2"] {
                texts.push(pair[key].as_str().unwrap_or_default().to_owned());
            }
            same.push(truth);
        }
        let trues = same.iter().filter(|&&same| same).count();
        let counts = format!("{trues} true, {} false", same.len() - trues);
        Ok((Self { texts, same }, counts))
    }

    /// Judges a measure at a threshold.
    pub fn judge(&self, analyzer: &str, measure: Measure, threshold: f64) -> Result<GoldScore, Box<dyn Error>> {
        let signed = measure.sign(analyzer, &self.texts)?;
        let (mut same, mut other) = (Vec::new(), Vec::new());
        for (pair, &truth) in self.same.iter().enumerate() {
            signed.compare(2 * pair, |at, similarity| {
                if at == 2 * pair + 1 {
                    if truth { same.push(similarity) } else { other.push(similarity) }
                }
            });
        }
        let reported = |scores: &[f64]| scores.iter().filter(|&&score| step(score) >= step(threshold)).count() as f64;
        let (hits, misses) = (reported(&same), reported(&other));
        let wins: f64 = same
            .iter()
            .flat_map(|a| {
                other.iter().map(move |b| {
                    if a > b {
                        1.0
                    } else if a == b {
                        0.5
                    } else {
                        0.0
                    }
                })
            })
            .sum();
        Ok(GoldScore {
            precision: if hits == 0.0 { 0.0 } else { hits / (hits + misses) },
            recall: hits / same.len() as f64,
            area: wins / (same.len() * other.len()) as f64,
        })
    }
}
