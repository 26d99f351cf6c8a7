//! The model: weights of the texts' features, then weights of what is known beyond the texts.

use std::collections::BTreeMap;

use neardup_verdict::context::{self, Inputs};
use neardup_verdict::features::{self, Features};
use neardup_verdict::model::{log_odds, score_of};

use super::cases::Case;
use super::fit::{Sample, fit};
use super::labelled::pairs::Set;

/// What the pairs of a set count together for the weights of the texts, so that no kind of pair prevails. What lists removed trains
/// only what is known beyond the texts: with weight here, other tables lose more than the notices gain.
const TOTALS: [(Set, f64); 8] = [
    (Set::Natural, 300.0),
    (Set::Hard, 300.0),
    (Set::Natural2, 300.0),
    (Set::Tables, 50.0),
    (Set::Read, 100.0),
    (Set::Removed, 100.0),
    (Set::Gone, 0.0),
    (Set::Written, 8.0),
];

/// A pair counts with this power of the rows that it stands for: with the rows themselves a few pairs would decide alone.
const POWER: f64 = 0.4;

/// Strength of the penalty on the weights of the texts, and on those of what is known beyond them. Chosen among a dozen settings by the
/// likelihood of the labels of held-out tables; larger penalties with a slightly better one cost recall of the texts alone.
const PENALTIES: [f64; 2] = [4.0, 0.5];

/// How much a pair counts whose reader was in doubt.
const DOUBTFUL: f64 = 0.5;

pub struct Model {
    weights: [f64; features::COUNT],
    constant: f64,
    context: [f64; context::COUNT],
}

fn weight(case: &Case) -> f64 {
    libm::pow(case.pair.weight, POWER) * if case.pair.sure { 1.0 } else { DOUBTFUL }
}

impl Model {
    /// Trains on cases: the texts of each with titles and without; what is known as a list and as a guard knows it, and the time
    /// alone.
    pub fn train<'c>(cases: impl Iterator<Item = &'c Case>) -> Self {
        let cases: Vec<(&Case, f64)> =
            cases.filter_map(|case| Some((case, f64::from(u8::from(case.pair.keeps_one()?))))).collect();
        let mut totals: BTreeMap<Set, f64> = BTreeMap::new();
        let mut by_table: BTreeMap<(Set, &str), f64> = BTreeMap::new();
        for (case, _) in &cases {
            *totals.entry(case.pair.set).or_default() += weight(case);
            *by_table.entry((case.pair.set, &case.table)).or_default() += weight(case);
        }
        let texts: Vec<Sample<{ features::COUNT }>> = cases
            .iter()
            .flat_map(|&(case, truth)| {
                let share = TOTALS.iter().find(|(set, _)| *set == case.pair.set).map_or(0.0, |(_, total)| *total);
                let weight = weight(case) * share / totals[&case.pair.set] / 2.0;
                case.texts.iter().map(move |inputs| Sample {
                    values: inputs.texts.values(),
                    offset: 0.0,
                    truth,
                    weight,
                })
            })
            .collect();
        let (weights, constant) = fit(&texts, &features::NAMES, true, PENALTIES[0]);
        let alone = |features: &Features| log_odds(&features.values(), &weights, constant);
        let mut known: Vec<Sample<{ context::COUNT }>> = cases
            .iter()
            .flat_map(|&(case, truth)| {
                let weight = weight(case) / by_table[&(case.pair.set, case.table.as_str())].sqrt();
                case.known.iter().map(move |inputs| Sample {
                    values: inputs.context(alone).values(),
                    offset: alone(&inputs.texts),
                    truth,
                    weight,
                })
            })
            .collect();
        let mean = known.iter().map(|sample| sample.weight).sum::<f64>() / known.len() as f64;
        known.iter_mut().for_each(|sample| sample.weight /= 3.0 * mean);
        let (context, _) = fit(&known, &context::NAMES, false, PENALTIES[1]);
        Self { weights, constant, context }
    }

    /// Computes the score of a pair.
    pub fn score(&self, inputs: &Inputs) -> f64 {
        let alone = |features: &Features| log_odds(&features.values(), &self.weights, self.constant);
        score_of(inputs, log_odds(&inputs.context(alone).values(), &self.context, alone(&inputs.texts)))
    }

    /// Writes the weights as a source file, as rustfmt would.
    pub fn source(&self) -> String {
        let list = |names: &[(&str, i8)], weights: &[f64]| {
            // A zero has no sign here.
            let numbers: Vec<String> =
                weights.iter().map(|weight| format!("{:.3},", (weight * 1e3).round() / 1e3 + 0.0)).collect();
            let width = numbers.iter().map(String::len).max().unwrap_or_default();
            names
                .iter()
                .zip(numbers)
                .map(|((name, _), number)| format!("    {number:<width$} // {name}\n"))
                .collect::<String>()
        };
        format!(
            "//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- --write`.\n\
             //!\n\
             //! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.\n\n\
             use super::{{context, features}};\n\n\
             /// What a pair has before its features count.\n\
             pub(super) const CONSTANT: f64 = {:.3};\n\n\
             /// The weight of each feature, in the order of `features::NAMES`.\n\
             pub(super) const WEIGHTS: [f64; features::COUNT] = [\n{}];\n\n\
             /// The weights of what is known beyond the texts, in the order of `context::NAMES`.\n\
             pub(super) const CONTEXT_WEIGHTS: [f64; context::COUNT] = [\n{}];\n",
            self.constant,
            list(&features::NAMES, &self.weights),
            list(&context::NAMES, &self.context),
        )
    }
}
