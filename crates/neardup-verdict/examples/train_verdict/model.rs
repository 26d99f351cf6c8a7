//! Which pairs train the model, how much each counts, and the model as a source file.

use std::collections::BTreeMap;
use std::fmt::Write;

use neardup_verdict::context::Inputs;
use neardup_verdict::line::{Term, most};

use super::boost::{Grown, Growth, Sample, grow};
use super::cases::{Case, Knowing};
use super::labelled::pairs::Set;
use super::line::{self, Fitted};

/// Chosen among a dozen settings by the likelihood of the labels of held-out tables.
const GROWTH: Growth = Growth { trees: 150, rate: 0.08, leaves: 12, samples: 30, penalty: 5.0 };

/// A pair counts with this power of the rows that it stands for, 50 at most: with the rows themselves a few pairs would decide alone.
const POWER: f64 = 0.3;
const MOST_ROWS: f64 = 50.0;

/// How much a pair counts whose reader was in doubt.
const DOUBTFUL: f64 = 0.5;

/// How much a pair counts without the table, or with the part of it that a guard knows, and one that is hard on purpose.
const OTHER_KNOWING: f64 = 0.5;
const HARD: f64 = 0.7;

/// How much a pair counts in a table without the titles of its rows, if both have one: its reader saw them, and a new guard reads them. With 1 instead of
/// 0.1, the tables held out have F1 0.747 instead of 0.752 where titles are read, and a clean-up would remove 716 copies and 35 others instead of 941 and 36.
const UNTITLED: f64 = 0.1;

/// How much a pair counts that stands for rows of the tables for which the extension was written first.
const NATURAL: f64 = 2.0;

/// The share of the log odds that is the regression's.
const LINE: f64 = 0.4;

/// How much a pair counts.
pub fn counts(case: &Case) -> f64 {
    libm::pow(case.weight.min(MOST_ROWS), POWER) * if case.sure { 1.0 } else { DOUBTFUL }
}

/// Trees, and a regression on the same numbers.
pub struct Model(Grown, Vec<Term>);

impl Model {
    /// Trains on cases, each table by the square root of what its pairs count.
    pub fn train<'c>(cases: impl Iterator<Item = &'c Case>) -> Self {
        let mut samples: Vec<(&Case, Sample<'_>)> = Vec::new();
        let mut totals: BTreeMap<&str, f64> = BTreeMap::new();
        for case in cases {
            let Some(keeps) = case.keeps_one() else { continue };
            // The model is not asked about what is certain.
            let asked = |(knowing, _): &&(Knowing, Vec<f64>)| case.certain.iter().all(|(of, _)| of != knowing);
            for (knowing, numbers) in case.numbers.iter().filter(asked) {
                let is_titled = case.numbers.iter().any(|(of, _)| *of == Knowing::Titled);
                let weight = counts(case)
                    * if is_titled && matches!(knowing, Knowing::List | Knowing::Guard) { UNTITLED } else { 1.0 }
                    * if matches!(knowing, Knowing::List | Knowing::Titled) { 1.0 } else { OTHER_KNOWING };
                *totals.entry(&case.table).or_default() += weight;
                samples.push((case, Sample { numbers, truth: f64::from(u8::from(keeps)), weight }));
            }
        }
        let mut samples: Vec<Sample<'_>> = samples
            .into_iter()
            .map(|(case, sample)| {
                let hard = match case.set {
                    Set::Hard => HARD,
                    Set::Natural | Set::Natural2 | Set::Read | Set::Removed | Set::Gone => NATURAL,
                    _ => 1.0,
                };
                Sample { weight: sample.weight * hard / totals[case.table.as_str()].sqrt(), ..sample }
            })
            .collect();
        let mean = samples.iter().map(|sample| sample.weight).sum::<f64>() / samples.len() as f64;
        samples.iter_mut().for_each(|sample| sample.weight /= mean);
        let signs = Inputs::signs();
        let mut grown = grow(&samples, &signs, &GROWTH);
        let Fitted { constant, mut terms } = line::fit(&samples, &signs);
        grown.constant = grown.constant * (1.0 - LINE) + constant * LINE;
        grown.leaves.iter_mut().for_each(|leaf| *leaf *= 1.0 - LINE as f32);
        terms.iter_mut().for_each(|term| term.weight *= LINE as f32);
        Self(grown, terms)
    }

    /// Computes the log odds of a pair.
    pub fn log_odds(&self, numbers: &[f64]) -> f64 {
        self.0.trees().sum(numbers) + most(&self.1, numbers, numbers)
    }

    /// Writes the model as a source file.
    pub fn source(&self) -> String {
        let Self(Grown { constant, roots, splits, leaves }, terms) = self;
        let mut out = format!(
            "//! The model, written by `cargo run --release -p neardup-verdict --example train_verdict -- --write`. See `docs/accuracy.md`.\n\n\
             use super::line::Term;\nuse super::trees::{{Split, Trees}};\n\n\
             /// The trees.\n\
             #[rustfmt::skip]\npub(super) static TREES: Trees<'static> = Trees {{ constant: {constant:?}, roots: &ROOTS, splits: &SPLITS, leaves: &LEAVES }};\n\n\
             const fn split(number: u8, threshold: f32, below: i16, above: i16) -> Split {{\n    Split {{ number, threshold, next: [below, above] }}\n}}\n\n\
             const fn term(weight: f32, least: f32, most: f32) -> Term {{\n    Term {{ weight, least, most }}\n}}\n"
        );
        let list =
            |items: Vec<String>| items.chunks(8).map(|line| format!("    {},\n", line.join(", "))).collect::<String>();
        let roots_text = list(roots.iter().map(i16::to_string).collect());
        let leaves_text = list(leaves.iter().map(|leaf| format!("{leaf:?}")).collect());
        let splits_text: String = splits
            .iter()
            .map(|split| {
                format!("    split({}, {:?}, {}, {}),\n", split.number, split.threshold, split.next[0], split.next[1])
            })
            .collect();
        let names = Inputs::names().zip(terms);
        let terms_text: String = names
            .map(|(name, Term { weight, least, most })| {
                format!("    term({weight:?}, {least:?}, {most:?}), // {name}\n")
            })
            .collect();
        let _ = write!(
            out,
            "\n/// What each number adds.\n#[rustfmt::skip]\npub(super) static TERMS: [Term; {}] = [\n{terms_text}];\n\
             \n#[rustfmt::skip]\nstatic ROOTS: [i16; {}] = [\n{roots_text}];\n\n#[rustfmt::skip]\nstatic LEAVES: [f32; {}] = [\n{leaves_text}];\n\n#[rustfmt::skip]\nstatic SPLITS: [Split; {}] = [\n{splits_text}];\n",
            terms.len(),
            roots.len(),
            leaves.len(),
            splits.len(),
        );
        out
    }
}
