//! Trains the model of `verdict` and measures it: `cargo run --release -p neardup-verdict --example train_verdict -- [FOLDER]`.
//!
//! FOLDER holds the labelled pairs, JSON lines compressed with xz: `natural_gold`, `pairs_gold`, `web_pairs` ([`pairs`]); without it the
//! folder is `NEARDUP_DATA`, or `shared/data` beside the checkout. It prints precision, recall and F1 on pairs that the model has not
//! seen, by corpus and by tenths, and how often verdicts of a score are right. `--errors` lists the pairs that went wrong (`--texts` with
//! their features and the facts in conflict), `--removed` prints instead what a clean-up still removes wrongly, `--features` prints the features of all as a table, `--weights` the weights; `--write`
//! writes `src/weights.rs`.
//!
//! The same pairs give the same weights, byte for byte: `cargo test -p neardup-verdict --test verdict` compares them.

mod measure;
mod model;
mod pairs;
mod removed;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;

use neardup_verdict::conflicts;
use neardup_verdict::features::NAMES;
use neardup_verdict::model::LEAST_SCORE;

use measure::Held;
use model::Model;
use pairs::{ALL, Pair, read};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = arguments.iter().find(|argument| !argument.starts_with("--")).map(PathBuf::from);
    let folder = folder.or_else(|| std::env::var_os("NEARDUP_DATA").map(PathBuf::from));
    let folder = folder.unwrap_or_else(|| PathBuf::from(beside));
    if flag("--removed") {
        return removed::print(&folder);
    }
    let pairs = read(&folder, &ALL)?;
    if flag("--features") {
        table(&pairs);
        return Ok(());
    }

    let corpora: BTreeSet<&str> = pairs.iter().map(|pair| pair.corpus.as_str()).collect();
    let corpora: Vec<&str> = corpora.into_iter().collect();
    let corpus = |pair: &Pair| corpora.iter().position(|&corpus| corpus == pair.corpus).unwrap_or_default();
    let model = Model::train(pairs.iter());
    let held = [
        ("other corpora", Held::out(&pairs, corpora.len(), &corpus)),
        ("other tenths", Held::out(&pairs, 10, &|pair| pair.number % 10)),
        ("training", Held { scores: pairs.iter().map(|pair| pair.inputs.map(|input| model.score(&input))).collect() }),
    ];
    for (name, held) in &held {
        held.print(name, &pairs);
    }
    if let Some((_, held)) = held.first() {
        held.print_reliability(&pairs);
        if flag("--errors") {
            for (pair, scores) in pairs.iter().zip(&held.scores) {
                if pair.keeps_one().is_some_and(|keeps| (scores[1] >= LEAST_SCORE) != keeps) {
                    print_error(pair, scores, flag("--texts"))?;
                }
            }
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

fn print_error(pair: &Pair, scores: &[f64; 2], texts: bool) -> Result<()> {
    let doubt = if pair.sure { "" } else { "?" };
    let Pair { set, number, corpus, label, weight, .. } = pair;
    println!("{set:?} {number} {corpus} {label}{doubt} rows {weight:.0} score {:.2}", scores[1]);
    if texts {
        for text in &pair.texts {
            println!("    {}", text.replace('\n', "⏎").chars().take(300).collect::<String>());
        }
        for conflict in conflicts(&pair.texts[1], &pair.texts[3])? {
            print!(" | {} {}/{}", conflict.kind, conflict.in_a, conflict.in_b);
        }
        println!();
        for ((name, _), value) in NAMES.iter().zip(pair.inputs[1].0.values()).filter(|(_, value)| *value != 0.0) {
            print!(" | {name} {value:.2}");
        }
        println!();
    }
    Ok(())
}

fn table(pairs: &[Pair]) {
    let row = |fields: &mut dyn Iterator<Item = String>| println!("{}", fields.collect::<Vec<_>>().join("\t"));
    let columns = ["set", "number", "corpus", "label", "sure", "weight", "candidate", "most"].map(str::to_owned);
    row(&mut columns.into_iter().chain(NAMES.iter().map(|(name, _)| (*name).to_owned())));
    for pair in pairs {
        let (features, most) = &pair.inputs[1];
        let fields = [
            format!("{:?}", pair.set),
            pair.number.to_string(),
            pair.corpus.clone(),
            pair.label.clone(),
            pair.sure.to_string(),
            pair.weight.to_string(),
            pair.candidate.to_string(),
            most.to_string(),
        ];
        row(&mut fields.into_iter().chain(features.values().iter().map(f64::to_string)));
    }
}
