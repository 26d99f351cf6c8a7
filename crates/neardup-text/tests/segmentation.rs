//! The tokenizers against the tokens of the programs they follow: the Python jieba 0.42.1, the Java IK Analyzer.
//!
//! The texts are third-party and not part of the project: the tests look for them in the folder that `NEARDUP_DATA`
//! names, and are skipped without it. `--nocapture` prints the figures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

use neardup_text::ik::{self, Ik, IkMode, Kind};
use neardup_text::jieba::{self, JiebaMode, JiebaOptions};
use neardup_text::lexicon::{Lexicon, is_word};
use neardup_text::normalize::{Buffer, Steps, normalize};
use neardup_text::{Analyzer, Scratch, Token};
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
    let folder = PathBuf::from(std::env::var_os("NEARDUP_DATA")?).join("segmentation");
    folder.is_dir().then_some(folder)
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

/// IK's own dictionaries, as word lists by file name.
fn ik_dictionaries() -> Option<HashMap<&'static str, Vec<String>>> {
    let path = folder()?.join("ik_dictionaries.tar.xz");
    let file = |name| {
        let output = Command::new("tar").arg("-xJOf").arg(&path).arg(name).output().expect("tar");
        assert!(output.status.success(), "tar {name}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.trim_start_matches('\u{feff}').lines().map(|line| line.trim().to_owned()).collect()
    };
    Some(["main.dic", "quantifier.dic", "stopword.dic"].map(|name| (name, file(name))).into())
}

fn lexicon(words: &[String]) -> Lexicon {
    Lexicon::from_words(words.iter().map(|word| (word.as_str(), Some(1), None))).unwrap()
}

fn ik_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Letters => "ENGLISH",
        Kind::Digits => "ARABIC",
        Kind::Mixed => "LETTER",
        Kind::Word => "CN_WORD",
        Kind::Character => "CN_CHAR",
        Kind::OtherCharacter => "OTHER_CJK",
        Kind::Number => "TYPE_CNUM",
        Kind::Measure => "COUNT",
        Kind::Quantity => "TYPE_CQUAN",
    }
}

/// The term as IK spells it: half width, lower case.
fn ik_term(text: &str) -> String {
    let narrow = |c| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap(),
        _ => c.to_ascii_lowercase(),
    };
    text.chars().map(narrow).collect()
}

fn ik_mode(field: &str, mode: IkMode) {
    let (Some(cases), Some(dictionaries)) = (cases("ik_expected.jsonl.xz"), ik_dictionaries()) else { return };
    let ik = Ik::new(lexicon(&dictionaries["main.dic"]), lexicon(&dictionaries["quantifier.dic"]));
    let mut agreement = Agreement::default();
    for case in cases {
        let text = case.text();
        let mut found = Vec::new();
        ik::segment_typed(&ik, text, mode, &mut |token, kind| {
            let term = ik_term(token.text);
            if !dictionaries["stopword.dic"].contains(&term) {
                let begin = text[..token.start].encode_utf16().count();
                let end = begin + token.text.encode_utf16().count();
                found.push(format!("{term} {begin}-{end} {}", ik_type(kind)));
            }
        });
        let expected: Vec<_> = case.fields[field]
            .as_array()
            .unwrap()
            .iter()
            .map(|token| {
                let [term, begin, end, kind] = token.as_array().unwrap().as_slice() else { panic!("{token}") };
                format!("{} {begin}-{end} {}", term.as_str().unwrap(), kind.as_str().unwrap())
            })
            .collect();
        if !agreement.add(&expected, &found) {
            show(field, text, &expected, &found);
        }
    }
    agreement.require(field, 0.98);
}

#[test]
fn ik_max_word() {
    ik_mode("ik_max_word", IkMode::MaxWord);
}

#[test]
fn ik_smart() {
    ik_mode("ik_smart", IkMode::Smart);
}

/// Python's words through an analyzer, which normalises first: compared as normalised words.
fn analyzed(field: &str, analyzer: &str, share: f64) {
    let Some(cases) = cases("jieba_expected.jsonl.xz") else { return };
    let analyzer: Analyzer = analyzer.parse().unwrap();
    let (mut all, mut decimal) = (Agreement::default(), Agreement::default());
    let (mut scratch, mut buffer) = (Scratch::default(), Buffer::default());
    for case in cases {
        let mut found = Vec::new();
        analyzer.tokens(case.text(), &mut scratch, &mut |token| found.push(token.to_owned())).unwrap();
        let expected =
            case.words(field).into_iter().map(|word| normalize(&word, Steps::DICTIONARY, &mut buffer).to_owned());
        let expected: Vec<_> = expected.filter(|word| is_word(word)).collect();
        if !all.add(&expected, &found) {
            show(field, case.text(), &expected, &found);
        }
        let bytes = case.text().as_bytes();
        if bytes.windows(3).any(|w| w[0].is_ascii_digit() && w[1] == b'.' && w[2].is_ascii_digit()) {
            decimal.add(&expected, &found);
        }
    }
    all.require(&format!("{field}, analyzed"), share);
    decimal.require(&format!("{field}, analyzed, texts with decimals"), share);
}

#[test]
fn jieba_analyzed() {
    analyzed("cut", "jieba", 0.99);
    analyzed("cut_for_search", "jieba_search", 0.99);
    analyzed("cut_all", "jieba_full", 0.99);
}
