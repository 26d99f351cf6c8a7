//! A logistic regression with a quadratic penalty and a sign for each weight, by coordinate descent.
//!
//! The same pairs give the same weights everywhere: sums go in the order of the file, and exponentials are computed in software.

use neardup_verdict::features::{COUNT, Features, NAMES};
use neardup_verdict::model::score_by;

use super::pairs::Pair;

/// Strength of the quadratic penalty on standardized weights.
const PENALTY: f64 = 2.0;

/// Rounds of the descent; the weights stand still to three decimals after about 150.
const ROUNDS: usize = 300;

/// From this probability on one of two texts may go. Deleting a message costs more than keeping a copy, so it lies above the
/// 0.83 from which precision is 0.97 on pairs of corpora that the model has not seen. The constant is shifted so that it
/// becomes a score of 0.5.
const THRESHOLD: f64 = 0.86;

/// How much a pair counts whose reader was in doubt.
const DOUBTFUL: f64 = 0.5;

/// Weights in the units of the features.
pub struct Model {
    pub weights: Features,
    pub constant: f64,
    /// Standard deviations of the features.
    pub scales: Features,
}

impl Model {
    /// Trains on pairs, each once with its titles and once without.
    pub fn train<'p>(pairs: impl Iterator<Item = &'p Pair>) -> Self {
        let samples: Vec<(Features, f64, f64)> = pairs
            .filter_map(|pair| {
                let truth = f64::from(u8::from(pair.keeps_one()?));
                let weight = if pair.sure { 0.5 } else { 0.5 * DOUBTFUL };
                Some(pair.inputs.map(|(features, _)| (features, truth, weight)))
            })
            .flatten()
            .collect();
        let total: f64 = samples.iter().map(|sample| sample.2).sum();
        let mut means = [0.0; COUNT];
        let mut scales = [0.0; COUNT];
        for i in 0..COUNT {
            means[i] = samples.iter().map(|(features, _, weight)| features[i] * weight).sum::<f64>() / total;
            let variance =
                samples.iter().map(|(features, _, weight)| weight * (features[i] - means[i]).powi(2)).sum::<f64>();
            scales[i] = (variance / total).sqrt().max(1e-3);
        }
        let rows: Vec<([f64; COUNT + 1], f64, f64)> = samples
            .iter()
            .map(|(features, truth, weight)| {
                let mut row = [1.0; COUNT + 1];
                for i in 0..COUNT {
                    row[i] = (features[i] - means[i]) / scales[i];
                }
                (row, *truth, *weight)
            })
            .collect();
        let mut weights = [0.0; COUNT + 1];
        for _ in 0..ROUNDS {
            // One weight after the other, each to the minimum of the parabola at its place, within the sign it may have.
            let mut sums: Vec<f64> =
                rows.iter().map(|row| row.0.iter().zip(&weights).map(|(x, w)| x * w).sum()).collect();
            for i in 0..=COUNT {
                let (penalty, sign) = NAMES.get(i).map_or((0.0, 0), |&(_, sign)| (PENALTY, sign));
                let (mut gradient, mut curvature) = (penalty * weights[i], penalty + 1e-9);
                for ((row, truth, weight), sum) in rows.iter().zip(&sums) {
                    let p = 1.0 / (1.0 + libm::exp(-sum));
                    gradient += weight * (p - truth) * row[i];
                    curvature += weight * (p * (1.0 - p)) * row[i] * row[i];
                }
                let mut target = weights[i] - gradient / curvature;
                if f64::from(sign) * target < 0.0 {
                    target = 0.0;
                }
                let step = (target - weights[i]).clamp(-1.0, 1.0);
                for ((row, ..), sum) in rows.iter().zip(&mut sums) {
                    *sum += step * row[i];
                }
                weights[i] += step;
            }
        }
        let mut model = Self { weights: [0.0; COUNT], constant: weights[COUNT], scales };
        for i in 0..COUNT {
            model.weights[i] = weights[i] / scales[i];
            model.constant -= model.weights[i] * means[i];
        }
        model.constant -= libm::log(THRESHOLD / (1.0 - THRESHOLD));
        model
    }

    /// Computes the score of a pair, by the model and the rules beside it.
    pub fn score(&self, (features, most): &(Features, f64)) -> f64 {
        score_by(features, &self.weights, self.constant).min(*most)
    }

    /// Writes the weights as a source file, as rustfmt would.
    pub fn source(&self) -> String {
        let mut source = String::from(
            "//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- PAIRS --write`.\n\
             //!\n\
             //! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.\n\n\
             use super::features::COUNT;\n\n\
             /// What a pair has before its features count.\n",
        );
        source += &format!("pub(super) const CONSTANT: f64 = {:.3};\n\n", self.constant);
        source += "/// The weight of each feature, in the order of `features::NAMES`.\n";
        source += "pub(super) const WEIGHTS: [f64; COUNT] = [\n";
        // A zero has no sign here.
        let numbers = self.weights.map(|weight| format!("{:.3},", (weight * 1e3).round() / 1e3 + 0.0));
        let width = numbers.iter().map(String::len).max().unwrap_or_default();
        for ((name, _), number) in NAMES.iter().zip(numbers) {
            source += &format!("    {number:<width$} // {name}\n");
        }
        source + "];\n"
    }
}
