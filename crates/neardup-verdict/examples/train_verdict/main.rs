//! Trains the model of `verdict` and measures it: `cargo run --release -p neardup-verdict --example train_verdict -- PAIRS`.
//!
//! PAIRS is a file of labelled pairs, JSON lines, compressed with xz or not: `text1`, `text2`, `title1`, `title2`, `label` (D and P:
//! one of the two may go; T and U: both stay; R is left out), `sure`, `corpus`. It prints precision, recall and F1, on pairs of corpora that
//! the model has not seen; `--errors` lists the pairs that went wrong (`--texts` with their
//! features), `--conflicts` the facts found in conflict, `--weights` the weights; `--write` writes `src/weights.rs`.
//!
//! The same file gives the same weights, byte for byte: `cargo test -p neardup-verdict --test verdict` compares them.

mod model;
mod pairs;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use neardup_verdict::features::NAMES;

use model::Model;
use pairs::{Pair, read};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

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
            *scores = pair.inputs.map(|input| model.score(&input));
        }
    }
    let mut folded = vec![[0.0; 2]; pairs.len()];
    for fold in 0..10 {
        let model = Model::train(pairs.iter().filter(|pair| pair.number % 10 != fold));
        for (pair, scores) in pairs.iter().zip(&mut folded).filter(|(pair, _)| pair.number % 10 == fold) {
            *scores = pair.inputs.map(|input| model.score(&input));
        }
    }
    let model = Model::train(pairs.iter());
    let own: Vec<[f64; 2]> = pairs.iter().map(|pair| pair.inputs.map(|input| model.score(&input))).collect();

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
                    for ((name, _), value) in NAMES.iter().zip(pair.inputs[0].0).filter(|(_, value)| *value != 0.0) {
                        print!(" | {name} {value:.2}");
                    }
                    println!();
                }
            }
        }
    }
    if flag("--conflicts") {
        for pair in pairs.iter().filter(|pair| pair.sure) {
            let found = neardup_verdict::facts::conflicts(&pair.texts[1], &pair.texts[3])?;
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
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/weights.rs");
        std::fs::write(path, model.source())?;
        println!("wrote {path}");
    }
    Ok(())
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
