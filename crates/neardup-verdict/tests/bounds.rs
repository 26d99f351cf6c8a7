//! What is ruled out early would not have been kept: the verdict of [`Pair::duplicate`] equals that of a whole comparison whose overlap and score
//! are enough, on forms written for the test, and on natural texts.
//!
//! The natural texts are third-party and not part of the project: the test looks for them in the folder `NEARDUP_DATA`, or in
//! `shared/data` beside the checkout, and skips where there are none.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

use neardup_verdict::model::{LEAST_SCORE, LOWEST_SCORE};
use neardup_verdict::{Forms, Known, Pair, Prepared, Rows, Verdict};
use proptest::prelude::*;

/// A table whose rows all share one key.
struct Table<'t>(&'t [String]);

impl Rows for Table<'_> {
    fn with_key(&mut self, _: u64) -> neardup_text::Result<Vec<u64>> {
        Ok((0..self.0.len().min(12) as u64).collect())
    }

    fn texts(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, String)>> {
        Ok(rows.iter().filter_map(|&row| Some((row, self.0.get(row as usize)?.clone()))).collect())
    }

    fn spread(&mut self) -> neardup_text::Result<Vec<String>> {
        Ok(self.0.to_vec())
    }
}

/// Returns the least overlap for a verdict, as docs/candidates.md has it.
fn least_overlap(verdict: Verdict, a: &str, b: &str) -> f64 {
    let characters = [a, b].map(|text| text.chars().count());
    if characters.iter().all(|count| *count >= 1000) {
        0.75
    } else if verdict == Verdict::Excerpt {
        0.7
    } else if characters.iter().any(|count| *count < 64) {
        0.4
    } else {
        0.6
    }
}

/// Compares each pair of rows of a table, the texts of `a` prepared once, with and without bounds. Returns how many are kept.
fn compare(rows: &[String], pairs: &[(usize, usize)]) -> usize {
    let prepared: Vec<Prepared<'_>> = rows.iter().map(|row| Prepared::new(row).unwrap()).collect();
    let (mut forms, mut others) = (Forms::default(), Forms::default());
    let mut kept = 0;
    for &(a, b) in pairs {
        let key = || Ok(vec![1]);
        let own = [Some(a as u64), Some(b as u64)];
        let mut table = Table(rows);
        let mut found = |least: f64| {
            let known = Known { forms: &mut forms, rows: &mut table, own, keys: [&key, &key] };
            Pair::new(&prepared[a], &prepared[b]).known(known).at_least(least).duplicate().unwrap()
        };
        let found = [LOWEST_SCORE, 0.2, LEAST_SCORE, 0.7, 0.95].map(|least| (least, found(least)));
        // Read anew, so that nothing depends on what is kept of other pairs.
        let (text_a, text_b) = (Prepared::new(&rows[a]).unwrap(), Prepared::new(&rows[b]).unwrap());
        for (least, found) in found {
            let mut table = Table(rows);
            let known = Known { forms: &mut others, rows: &mut table, own, keys: [&key, &key] };
            let whole = Pair::new(&text_a, &text_b).known(known).at_least(least).message().unwrap();
            let is_kept = matches!(whole.verdict, Verdict::Copy | Verdict::Excerpt);
            assert_eq!(is_kept, whole.score >= least.min(LEAST_SCORE), "{least}: {whole:?}");
            let is_enough = || {
                let least = least_overlap(whole.verdict, &rows[a], &rows[b]);
                rows[a] == rows[b] || text_a.overlap(&text_b) >= least
            };
            let expected = (is_kept && whole.score >= least && is_enough()).then_some((whole.verdict, whole.score));
            assert_eq!(found, expected, "{least}: {:?} / {:?}", rows[a], rows[b]);
            kept += usize::from(found.is_some() && least == LEAST_SCORE);
        }
    }
    kept
}

fn all_pairs(rows: usize) -> Vec<(usize, usize)> {
    (0..rows).flat_map(|a| (a + 1..rows).map(move |b| (a, b))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn bounds_change_no_verdict_on_forms(
        sentences in prop::collection::vec("([一-龥]{6,14}|the [a-z]{3,9} of [a-z]{4,8} [a-z]{2,7}) ", 60),
        fillings in prop::collection::vec(prop::collection::vec((0_usize..60, "[0-9]{1,4}|[一-三]{2,4}|[a-z]{3,8}"), 0..30), 3..6),
        shorter in 5_usize..60,
    ) {
        let mut rows: Vec<String> = fillings
            .iter()
            .map(|fillings| {
                let mut parts: Vec<String> = sentences.iter().map(|sentence| sentence.repeat(2) + "。\n").collect();
                fillings.iter().for_each(|(at, filling)| parts[*at].push_str(filling));
                parts.concat()
            })
            .collect();
        rows.push(sentences[..shorter].concat());
        compare(&rows, &all_pairs(rows.len()));
    }
}

fn natural(name: &str) -> Option<Vec<String>> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("NEARDUP_DATA").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let file = folder.join(name);
    if !file.is_file() {
        eprintln!("skipped: no folder of evaluation data; set NEARDUP_DATA");
        return None;
    }
    let output = Command::new("xz").arg("-dc").arg(&file).output().expect("xz");
    let text =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().map(str::to_owned);
    let rows = String::from_utf8(output.stdout).unwrap();
    // Links and markup do not count, so the length of a text with them is not known here, unless it is certainly long.
    let is_sure = |text: &String| {
        let is_plain = !text.contains(['<', '&']) && !text.contains("://") && !text.contains("www.");
        is_plain || text.chars().count() >= 2000
    };
    Some(rows.lines().filter_map(text).filter(is_sure).collect())
}

#[test]
fn bounds_change_no_verdict_on_natural_texts() {
    for name in ["tables/en_cisa_csaf.jsonl.xz", "tables/ja_sakamichi.jsonl.xz", "posts.jsonl.xz"] {
        let Some(rows) = natural(name) else { return };
        // Rows that begin alike are candidates of each other.
        let mut alike: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            alike.entry(row.chars().take(12).collect()).or_default().push(at);
        }
        let mut pairs: Vec<(usize, usize)> =
            alike.values().flat_map(|rows| rows.iter().zip(&rows[1..]).map(|(&a, &b)| (a, b))).collect();
        pairs.sort_unstable();
        pairs.truncate(400);
        let kept = compare(&rows, &pairs);
        eprintln!("{name}: {} pairs, {kept} kept", pairs.len());
    }
}
