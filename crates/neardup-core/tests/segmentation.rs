//! The tokenizers against the tokens of the programs they follow: the Python jieba 0.42.1.
//!
//! The texts are third-party and not part of the project: the tests look for them in the folder `NEARDUP_DATA`, or in
//! `shared/data` beside the checkout, and skip where there are none. `--nocapture` prints the figures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

use neardup_core::analysis::Token;
use neardup_core::analysis::jieba::{self, JiebaMode, JiebaOptions};
use serde_json::Value;

/// One text of the expected data.
struct Case {
    fields: Value,
}

impl Case {
    fn text(&self) -> &str {
        self.fields["text"].as_str().unwrap()
    }

    fn words(&self, field: &str) -> Vec<String> {
        self.fields[field].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    }
}

fn folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("NEARDUP_DATA").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    folder.join("segmentation").is_dir().then(|| folder.join("segmentation"))
}

fn unpack(name: &str) -> Option<Vec<u8>> {
    let Some(folder) = folder() else {
        eprintln!("skipped: no folder of evaluation data; set NEARDUP_DATA");
        return None;
    };
    let output = Command::new("xz").arg("-dc").arg(folder.join(name)).output().expect("xz");
    assert!(output.status.success(), "xz -dc {name}");
    Some(output.stdout)
}

fn cases(name: &str) -> Option<Vec<Case>> {
    let lines = String::from_utf8(unpack(name)?).unwrap();
    Some(lines.lines().map(|line| Case { fields: serde_json::from_str(line).unwrap() }).collect())
}

/// How well two programs agree: texts with the same tokens, and F1 over all tokens.
#[derive(Default)]
struct Agreement {
    texts: usize,
    equal: usize,
    shared: usize,
    expected: usize,
    found: usize,
}

impl Agreement {
    fn add<T: Eq + std::hash::Hash>(&mut self, expected: &[T], found: &[T]) -> bool {
        let mut counts: HashMap<&T, isize> = HashMap::new();
        expected.iter().for_each(|token| *counts.entry(token).or_default() += 1);
        for token in found {
            let left = counts.entry(token).or_default();
            self.shared += usize::from(*left > 0);
            *left -= 1;
        }
        self.texts += 1;
        self.equal += usize::from(expected == found);
        self.expected += expected.len();
        self.found += found.len();
        expected == found
    }

    fn share(&self) -> f64 {
        self.equal as f64 / self.texts as f64
    }

    fn f1(&self) -> f64 {
        2.0 * self.shared as f64 / (self.expected + self.found) as f64
    }

    fn require(&self, name: &str, share: f64) {
        println!(
            "{name}: {} of {} texts equal ({:.2} %), token F1 {:.5}",
            self.equal,
            self.texts,
            100.0 * self.share(),
            self.f1()
        );
        assert!(self.share() >= share, "{name}: {:.4} of the texts are equal, not {share}", self.share());
    }
}

/// Prints the first difference of a text, when asked by the variable `SHOW`.
fn show(name: &str, text: &str, expected: &[String], found: &[String]) {
    if std::env::var_os("SHOW").is_none() {
        return;
    }
    let at = expected.iter().zip(found).position(|(a, b)| a != b).unwrap_or(expected.len().min(found.len()));
    let part = |tokens: &[String]| tokens[at.saturating_sub(2)..tokens.len().min(at + 6)].join(" | ");
    println!(
        "{name} {:?}\n  expected {}\n  found    {}",
        text.chars().take(20).collect::<String>(),
        part(expected),
        part(found)
    );
}

fn jieba_mode(field: &str, mode: JiebaMode, hmm: bool, share: f64) {
    let Some(cases) = cases("jieba_expected.jsonl.xz") else { return };
    let mut agreement = Agreement::default();
    for case in cases {
        let mut found = Vec::new();
        jieba::segment(jieba::shared(), case.text(), JiebaOptions { mode, hmm }, &mut |token: Token<'_>| {
            found.push(token.text.to_owned());
        });
        let expected: Vec<_> = case.words(field).into_iter().filter(|word| !word.is_empty()).collect();
        if !agreement.add(&expected, &found) {
            show(field, case.text(), &expected, &found);
        }
    }
    agreement.require(field, share);
}

#[test]
fn jieba_exact() {
    jieba_mode("cut", JiebaMode::Exact, true, 0.99);
}

#[test]
fn jieba_exact_without_hmm() {
    jieba_mode("cut_no_hmm", JiebaMode::Exact, false, 0.99);
}

#[test]
fn jieba_full() {
    jieba_mode("cut_all", JiebaMode::Full, false, 0.99);
}

#[test]
fn jieba_search() {
    jieba_mode("cut_for_search", JiebaMode::Search, true, 0.99);
}
