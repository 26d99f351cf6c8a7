//! Precision, recall and F1 on pairs that a model has not seen.

use neardup_verdict::model::LEAST_SCORE;

use super::model::Model;
use super::pairs::{Pair, Set};

/// The corpora of the natural pairs and of the web pages, which are shown one by one.
const SHOWN: [&str; 7] = ["news", "posts", "titles", "sports", "broadcast", "web", "terabyte"];

/// The scores of pairs, with titles and without, each by a model that has not seen the pair.
pub struct Held {
    pub scores: Vec<[f64; 2]>,
}

impl Held {
    /// Scores each pair by a model trained on the pairs of the other groups.
    pub fn out(pairs: &[Pair], groups: usize, group: &dyn Fn(&Pair) -> usize) -> Self {
        let mut scores = vec![[0.0; 2]; pairs.len()];
        for held in 0..groups {
            let model = Model::train(pairs.iter().filter(|pair| group(pair) != held));
            for (pair, scores) in pairs.iter().zip(&mut scores).filter(|(pair, _)| group(pair) == held) {
                *scores = pair.inputs.map(|input| model.score(&input));
            }
        }
        Self { scores }
    }

    pub fn print(&self, name: &str, pairs: &[Pair]) {
        println!("{name:<40} {:>9} {:>9} {:>9}", "precision", "recall", "F1");
        let show = |what: &str, titles: usize, of: &dyn Fn(&Pair) -> bool| {
            let of = pairs.iter().zip(&self.scores).filter(|(pair, _)| of(pair));
            let (precision, recall, f1) = measure(of.map(|(pair, scores)| (pair, scores[titles] >= LEAST_SCORE)));
            println!("  {what:<38} {precision:>9.3} {recall:>9.3} {f1:>9.3}");
        };
        let natural = |pair: &Pair| pair.set == Set::Natural;
        let hard = |pair: &Pair| pair.set == Set::Hard;
        show("natural, by rows", 1, &natural);
        show("natural, by rows, sure", 1, &|pair| natural(pair) && pair.sure);
        show("hard", 1, &hard);
        show("hard, sure", 1, &|pair| hard(pair) && pair.sure);
        show("hard, with titles, sure", 0, &|pair| hard(pair) && pair.sure);
        let read = |pair: &Pair| pair.set == Set::Read;
        show("read where it was unsure", 1, &read);
        show("read where it was unsure, sure", 1, &|pair| read(pair) && pair.sure);
        for corpus in ["broadcast", "sports"] {
            show(&format!("once removed, {corpus}"), 1, &|pair| pair.set == Set::Removed && pair.corpus == corpus);
        }
        for corpus in SHOWN {
            let labelled = |pair: &Pair| !matches!(pair.set, Set::Read | Set::Removed);
            show(corpus, 1, &|pair| pair.corpus == corpus && labelled(pair));
        }
        let of = pairs.iter().zip(&self.scores).filter(|(pair, _)| natural(pair));
        let (precision, recall, f1) =
            measure(of.map(|(pair, scores)| (pair, pair.candidate && scores[1] >= LEAST_SCORE)));
        println!("  {:<38} {precision:>9.3} {recall:>9.3} {f1:>9.3}", "natural, sketches share a key");
        for threshold in [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95] {
            let of = pairs.iter().zip(&self.scores).filter(|(pair, _)| natural(pair));
            let (precision, recall, f1) = measure(of.map(|(pair, scores)| (pair, scores[1] >= threshold)));
            println!("  {:<38} {precision:>9.3} {recall:>9.3} {f1:>9.3}", format!("natural, from score {threshold}"));
        }
    }

    /// Prints for ranges of scores how often one of the two texts could go: a calibrated score says so itself.
    pub fn print_reliability(&self, pairs: &[Pair]) {
        println!("scores of natural pairs, other corpora: pairs, mean score, share by pairs, share by rows");
        let bounds = [0.0, 0.1, 0.3, 0.5, 0.75, 0.85, 0.95, 1.01];
        for range in bounds.windows(2) {
            let inside = |score: f64| {
                range.first().is_some_and(|&from| score >= from) && range.last().is_some_and(|&to| score < to)
            };
            let of: Vec<(&Pair, f64)> = pairs
                .iter()
                .zip(&self.scores)
                .filter(|(pair, scores)| pair.set == Set::Natural && inside(scores[1]))
                .map(|(pair, scores)| (pair, scores[1]))
                .collect();
            let sum =
                |value: &dyn Fn(&Pair, f64) -> f64| of.iter().map(|(pair, score)| value(pair, *score)).sum::<f64>();
            let keeps = |pair: &Pair| f64::from(u8::from(pair.keeps_one() == Some(true)));
            let count = of.len() as f64;
            println!(
                "  {:>4.2} to {:>4.2} {:>5} {:>7.2} {:>7.2} {:>7.2}",
                range[0],
                range[1].min(1.0),
                of.len(),
                sum(&|_, score| score) / count,
                sum(&|pair, _| keeps(pair)) / count,
                sum(&|pair, _| keeps(pair) * pair.weight) / sum(&|pair, _| pair.weight),
            );
        }
    }
}

/// Precision, recall and F1 of what a verdict says of pairs, by the rows that they stand for.
pub fn measure<'p>(said: impl Iterator<Item = (&'p Pair, bool)>) -> (f64, f64, f64) {
    let (mut right, mut wrong, mut missed) = (0.0, 0.0, 0.0);
    for (pair, keeps) in said {
        match (pair.keeps_one(), keeps) {
            (Some(true), true) => right += pair.weight,
            (Some(false), true) => wrong += pair.weight,
            (Some(true), false) => missed += pair.weight,
            _ => {}
        }
    }
    (right / (right + wrong), right / (right + missed), 2.0 * right / (2.0 * right + wrong + missed))
}
