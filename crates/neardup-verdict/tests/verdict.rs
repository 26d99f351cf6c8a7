//! The level that verdicts reach on labelled pairs of real texts, which lie outside the repository: `../shared/data` beside
//! the checkout, or the folder that `NEARDUP_DATA` names. Without them the test is skipped and says so.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::PathBuf;

use neardup_verdict::same_message_titled;

#[path = "../examples/train_verdict/model.rs"]
#[allow(dead_code, reason = "the example measures, too")]
mod model;
#[path = "../examples/train_verdict/pairs.rs"]
#[allow(dead_code, reason = "the example measures, too")]
mod pairs;

use pairs::Pair;

fn labelled() -> Option<Vec<Pair>> {
    let folder = std::env::var_os("NEARDUP_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    let path = folder.join("pairs_gold.jsonl.xz");
    if !path.exists() {
        eprintln!("skipped: no {}", path.display());
        return None;
    }
    Some(pairs::read(&path).unwrap())
}

/// The weights have seen these pairs; `docs/accuracy.md` has the figures of cross-validation, which are 0.01 lower.
#[test]
fn one_of_two_goes_only_where_nothing_is_lost() {
    let Some(pairs) = labelled() else { return };
    for titled in [false, true] {
        let (mut right, mut wrong, mut missed) = (0.0, 0.0, 0.0);
        for pair in pairs.iter().filter(|pair| pair.sure) {
            let title = |title: usize| if titled { pair.texts[title].as_str() } else { "" };
            let message = same_message_titled(title(0), &pair.texts[1], title(2), &pair.texts[3]);
            match (pair.keeps_one(), message.unwrap().verdict.keeps_one()) {
                (Some(true), true) => right += 1.0,
                (Some(true), false) => missed += 1.0,
                (Some(false), true) => wrong += 1.0,
                _ => {}
            }
        }
        let precision = right / (right + wrong);
        let f1 = 2.0 * right / (2.0 * right + wrong + missed);
        assert!(precision >= 0.96 && f1 >= 0.945, "titled {titled}: precision {precision:.3}, F1 {f1:.3}");
    }
}

/// The weights in the source are what the training writes, byte for byte.
#[test]
fn training_gives_the_weights_in_the_source() {
    let Some(pairs) = labelled() else { return };
    let trained = model::Model::train(pairs.iter()).source();
    assert_eq!(trained, include_str!("../src/weights.rs"), "run the example train_verdict with --write");
}
