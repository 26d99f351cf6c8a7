//! Speed of the tokenizers on a file, compared with jieba-rs's `cut` alone: `cargo bench --bench segment -- FILE [LINES]`.
//!
//! Prints megabytes of text per second.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark")]

use std::cell::RefCell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use neardup_core::document;
use neardup_text::ik::{self, Ik, IkMode};
use neardup_text::jieba::{self, JiebaMode, JiebaOptions};
use neardup_text::lexicon::Lexicon;
use neardup_text::path::{self, Method};
use neardup_text::{Analyzer, Scratch};

const RUNS: usize = 9;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let Some(path) = arguments.next() else {
        return eprintln!("name a file of text, one document a line");
    };
    let lines = arguments.next().map_or(usize::MAX, |lines| lines.parse().expect("a number of lines"));
    let text = std::fs::read_to_string(path).expect("a readable file");
    let documents: Vec<&str> = text.lines().take(lines).collect();

    let start = Instant::now();
    let plain = jieba_rs::Jieba::new();
    println!("{:>8.1} ms to load jieba", start.elapsed().as_secs_f64() * 1e3);
    jieba::shared().load();
    let start = Instant::now();
    let house = jieba::Jieba::with_words(&[("元宇宙办公室", None, None)]).unwrap();
    house.load();
    println!("{:>8.1} ms to copy it for house words", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let lexicon = Lexicon::standard();
    println!("{:>8.3} ms to open the lexicon of {} bytes", start.elapsed().as_secs_f64() * 1e3, lexicon.size());

    for hmm in [true, false] {
        let cut = |text: &str| plain.cut(text, hmm).iter().filter(|token| !token.word.is_empty()).count();
        rate(&format!("jieba-rs cut, hmm {hmm}"), &documents, cut);
        if hmm {
            whole_pipeline(&documents);
        }
        let options = |mode| JiebaOptions { mode, hmm };
        let count = |mode| {
            move |text: &str| {
                let mut words = 0;
                jieba::segment(jieba::shared(), text, options(mode), &mut |token| {
                    words += usize::from(jieba::is_word(token.text));
                });
                words
            }
        };
        rate(&format!("jieba exact, words only, hmm {hmm}"), &documents, count(JiebaMode::Exact));
        rate(&format!("jieba search, words only, hmm {hmm}"), &documents, count(JiebaMode::Search));
        if hmm {
            rate("jieba-rs tag", &documents, |text| plain.tag(text, hmm).len());
            rate("jieba exact with tags", &documents, |text| {
                let mut words = 0;
                jieba::segment_tagged(&house, text, options(JiebaMode::Exact), &mut |_, tag| words += tag.len());
                words
            });
        } else {
            rate("jieba-rs cut_all", &documents, |text| plain.cut_all(text).len());
            rate("jieba full, words only", &documents, count(JiebaMode::Full));
        }
    }
    let ik = Ik::standard().unwrap();
    for mode in [IkMode::MaxWord, IkMode::Smart] {
        rate(&format!("ik {mode:?}"), &documents, |text| {
            let mut words = 0;
            ik::segment(ik, text, mode, &mut |_| words += 1);
            words
        });
    }
    for method in [Method::LongestMatch, Method::ShortestPath, Method::NShortestPath(2), Method::Index] {
        rate(&format!("{method:?}"), &documents, |text| {
            let mut words = 0;
            path::segment(lexicon, text, method, &mut |_| words += 1);
            words
        });
    }
}

/// The preset `jieba` from document to tokens and to a SimHash: normalisation, words, filters.
fn whole_pipeline(documents: &[&str]) {
    let analyzer: Analyzer = "jieba".parse().unwrap();
    let scratch = RefCell::new(Scratch::default());
    rate("preset jieba, tokens", documents, |text| {
        let mut words = 0;
        analyzer.tokens(text, &mut scratch.borrow_mut(), &mut |_| words += 1).unwrap();
        words
    });
    rate("preset jieba, simhash", documents, |text| {
        document::simhash(text, &analyzer, &mut scratch.borrow_mut()).unwrap().unwrap_or_default() as usize
    });
}

/// Sums the best times of small batches, so that what else the machine does weighs little.
fn rate(name: &str, documents: &[&str], count: impl Fn(&str) -> usize) {
    let bytes: usize = documents.iter().map(|document| document.len()).sum();
    let mut total = Duration::ZERO;
    for batch in documents.chunks(100) {
        let mut best = Duration::MAX;
        for _ in 0..RUNS {
            let start = Instant::now();
            for document in batch {
                black_box(count(black_box(document)));
            }
            best = best.min(start.elapsed());
        }
        total += best;
    }
    println!("{:>8.1} MB/s  {name}", bytes as f64 / 1e6 / total.as_secs_f64());
}
