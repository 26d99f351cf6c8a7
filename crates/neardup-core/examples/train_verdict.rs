//! Trains the model of `verdict` and measures it: `cargo run --release -p neardup-core --example train_verdict -- PAIRS`.
//!
//! PAIRS is a file of labelled pairs, JSON lines, compressed with xz or not: `text1`, `text2`, `title1`, `title2`, `label` (D and P:
//! one of the two may go; T and U: both stay; R is left out), `sure`, `corpus`. It prints precision, recall and F1, on pairs of corpora that
//! the model has not seen; `--errors` lists the pairs that went wrong, `--write` writes `src/verdict/weights.rs`.
//!
//! A logistic regression with a quadratic penalty and a sign for each weight, by coordinate descent: the same file gives the
//! same weights everywhere.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::process::Command;

use neardup_core::verdict::features::{COUNT, Features, NAMES};
use neardup_core::verdict::features_of;
use neardup_core::verdict::model::score_by;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Strength of the quadratic penalty on standardized weights.
const PENALTY: f64 = 2.0;

/// Rounds of the descent; the weights stand still to three decimals after about 150.
const ROUNDS: usize = 300;

/// From this probability on one of two texts may go. Deleting a message costs more than keeping a copy; at 0.8 precision is
/// 0.97 on pairs of corpora that the model has not seen. The constant is shifted so that it becomes a score of 0.5.
const THRESHOLD: f64 = 0.8;

/// How much a pair counts whose reader was in doubt.
const DOUBTFUL: f64 = 0.5;

struct Pair {
    number: usize,
    corpus: String,
    label: String,
    sure: bool,
    /// With the titles, and without.
    features: [Features; 2],
    texts: [String; 4],
}

impl Pair {
    fn keeps_one(&self) -> Option<bool> {
        match self.label.as_str() {
            "D" | "P" => Some(true),
            "T" | "U" => Some(false),
            _ => None,
        }
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let path = arguments.iter().find(|argument| !argument.starts_with("--")).ok_or("which file of pairs?")?;
    let pairs = read(Path::new(path))?;
    println!("{} pairs, {} of them sure", pairs.len(), pairs.iter().filter(|pair| pair.sure).count());

    let corpora: BTreeSet<&str> = pairs.iter().map(|pair| pair.corpus.as_str()).collect();
    let mut grouped = vec![[0.0; 2]; pairs.len()];
    for corpus in &corpora {
        let model = Model::train(pairs.iter().filter(|pair| pair.corpus != *corpus));
        for (pair, scores) in pairs.iter().zip(&mut grouped).filter(|(pair, _)| pair.corpus == *corpus) {
            *scores = pair.features.map(|features| model.score(&features));
        }
    }
    let mut folded = vec![[0.0; 2]; pairs.len()];
    for fold in 0..10 {
        let model = Model::train(pairs.iter().filter(|pair| pair.number % 10 != fold));
        for (pair, scores) in pairs.iter().zip(&mut folded).filter(|(pair, _)| pair.number % 10 == fold) {
            *scores = pair.features.map(|features| model.score(&features));
        }
    }
    let model = Model::train(pairs.iter());
    let own: Vec<[f64; 2]> = pairs.iter().map(|pair| pair.features.map(|features| model.score(&features))).collect();

    println!("{:<34} {:>9} {:>9} {:>9}", "", "precision", "recall", "F1");
    for (name, scores) in [("other corpora", &grouped), ("ten folds", &folded), ("training", &own)] {
        for (titles, with) in ["titles", "texts only"].into_iter().enumerate() {
            for sure in [true, false] {
                let (precision, recall, f1) = measure(&pairs, scores, titles, sure, 0.5);
                let of = if sure { "sure" } else { "all" };
                println!("{:<34} {precision:>9.3} {recall:>9.3} {f1:>9.3}", format!("{name}, {with}, {of}"));
            }
        }
    }
    println!("threshold, other corpora, ten folds: precision, recall, F1 on texts only, sure");
    for step in 4..15 {
        let threshold = f64::from(step) * 0.05;
        let (precision, recall, f1) = measure(&pairs, &grouped, 1, true, threshold);
        let (precision10, recall10, f10) = measure(&pairs, &folded, 1, true, threshold);
        println!("{threshold:.2} {precision:.3} {recall:.3} {f1:.3}   {precision10:.3} {recall10:.3} {f10:.3}");
    }
    if flag("--errors") {
        for (pair, scores) in pairs.iter().zip(&grouped) {
            let Some(truth) = pair.keeps_one() else { continue };
            let [with, without] = scores.map(|score| (score >= 0.5) != truth);
            if with || without {
                let doubt = if pair.sure { "" } else { "?" };
                println!("#{} {} {}{doubt} {:.2} {:.2}", pair.number, pair.corpus, pair.label, scores[0], scores[1]);
                if flag("--texts") {
                    for text in &pair.texts {
                        println!("    {}", text.replace('\n', "⏎").chars().take(200).collect::<String>());
                    }
                    for ((name, _), value) in NAMES.iter().zip(pair.features[0]).filter(|(_, value)| *value != 0.0) {
                        print!(" | {name} {value:.2}");
                    }
                    println!();
                }
            }
        }
    }
    if flag("--conflicts") {
        for pair in pairs.iter().filter(|pair| pair.sure) {
            let found = neardup_core::verdict::facts::conflicts(&pair.texts[1], &pair.texts[3])?;
            let shown: Vec<String> = found.iter().map(|c| format!("{} {}/{}", c.kind, c.in_a, c.in_b)).collect();
            println!("={} #{} {} {}", pair.label, pair.number, pair.corpus, shown.join(" | "));
        }
    }
    if flag("--weights") {
        for (((name, _), weight), scale) in NAMES.iter().zip(model.weights).zip(model.scales) {
            println!("{name:<24} {weight:>8.3} {:>8.3}", weight * scale);
        }
        println!("{:<24} {:>8.3}", "constant", model.constant);
    }
    if flag("--write") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/verdict/weights.rs");
        std::fs::write(path, model.source())?;
        println!("wrote {path}");
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Pair>> {
    let text = if path.extension().is_some_and(|extension| extension == "xz") {
        let output = Command::new("xz").arg("-dc").arg(path).output()?;
        String::from_utf8(output.stdout)?
    } else {
        std::fs::read_to_string(path)?
    };
    let mut pairs = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let json: serde_json::Value = serde_json::from_str(line)?;
        let field = |name: &str| json.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        let texts = ["title1", "text1", "title2", "text2"].map(field);
        let [a_title, a, b_title, b] = &texts;
        pairs.push(Pair {
            number,
            corpus: field("corpus"),
            label: field("label"),
            sure: json.get("sure").and_then(serde_json::Value::as_bool).unwrap_or(true),
            features: [features_of(a_title, a, b_title, b)?, features_of("", a, "", b)?],
            texts,
        });
    }
    Ok(pairs)
}

/// Precision, recall and F1 of the pairs that a score of at least `threshold` keeps one of.
fn measure(pairs: &[Pair], scores: &[[f64; 2]], titles: usize, sure: bool, threshold: f64) -> (f64, f64, f64) {
    let (mut right, mut wrong, mut missed) = (0.0, 0.0, 0.0);
    for (pair, scores) in pairs.iter().zip(scores).filter(|(pair, _)| pair.sure || !sure) {
        match (pair.keeps_one(), scores[titles] >= threshold) {
            (Some(true), true) => right += 1.0,
            (Some(false), true) => wrong += 1.0,
            (Some(true), false) => missed += 1.0,
            _ => {}
        }
    }
    (right / (right + wrong), right / (right + missed), 2.0 * right / (2.0 * right + wrong + missed))
}

/// Weights in the units of the features.
struct Model {
    weights: Features,
    constant: f64,
    /// Standard deviations of the features.
    scales: Features,
}

impl Model {
    fn train<'p>(pairs: impl Iterator<Item = &'p Pair>) -> Self {
        let samples: Vec<(Features, f64, f64)> = pairs
            .filter_map(|pair| {
                let truth = f64::from(u8::from(pair.keeps_one()?));
                let weight = if pair.sure { 0.5 } else { 0.5 * DOUBTFUL };
                Some(pair.features.map(|features| (features, truth, weight)))
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
                    let p = 1.0 / (1.0 + (-sum).exp());
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
        model.constant -= (THRESHOLD / (1.0 - THRESHOLD)).ln();
        model
    }

    fn score(&self, features: &Features) -> f64 {
        score_by(features, &self.weights, self.constant)
    }

    fn source(&self) -> String {
        let mut source = String::from(
            "//! Weights of the model, written by `cargo run --release -p neardup-core --example train_verdict -- PAIRS --write`.\n\
             //!\n\
             //! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.\n\n\
             use super::features::COUNT;\n\n\
             /// What a pair has before its features count.\n",
        );
        source += &format!("pub(super) const CONSTANT: f64 = {:.3};\n\n", self.constant);
        source += "/// The weight of each feature, in the order of `features::NAMES`.\n";
        source += "pub(super) const WEIGHTS: [f64; COUNT] = [\n";
        for ((name, _), weight) in NAMES.iter().zip(self.weights) {
            let weight = if weight == 0.0 { 0.0 } else { weight };
            source += &format!("    {weight:.3}, // {name}\n");
        }
        source + "];\n"
    }
}
