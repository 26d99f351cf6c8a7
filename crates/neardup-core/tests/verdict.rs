//! The level that verdicts reach on labelled pairs of real texts, which lie outside the repository: `../shared/data` beside
//! the checkout, or the folder that `NEARDUP_DATA` names. Without them the test is skipped and says so.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::PathBuf;
use std::process::Command;

use neardup_core::verdict::{same_message, same_message_titled};

fn pairs() -> Option<Vec<serde_json::Value>> {
    let folder = std::env::var_os("NEARDUP_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    let path = folder.join("pairs_gold.jsonl.xz");
    if !path.exists() {
        eprintln!("skipped: no {}", path.display());
        return None;
    }
    let output = Command::new("xz").arg("-dc").arg(path).output().expect("xz");
    assert!(output.status.success(), "xz -dc");
    Some(String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// The weights have seen these pairs; `docs/accuracy.md` has the figures of cross-validation, which are 0.01 lower.
#[test]
fn one_of_two_goes_only_where_nothing_is_lost() {
    let Some(pairs) = pairs() else { return };
    for titled in [false, true] {
        let (mut right, mut wrong, mut missed) = (0.0, 0.0, 0.0);
        for pair in pairs.iter().filter(|pair| pair["sure"] == true) {
            let field = |name: &str| pair[name].as_str().unwrap_or_default();
            let message = if titled {
                same_message_titled(field("title1"), field("text1"), field("title2"), field("text2"))
            } else {
                same_message(field("text1"), field("text2"))
            };
            match (field("label"), message.unwrap().verdict.keeps_one()) {
                ("D" | "P", true) => right += 1.0,
                ("D" | "P", false) => missed += 1.0,
                ("T" | "U", true) => wrong += 1.0,
                _ => {}
            }
        }
        let precision = right / (right + wrong);
        let f1 = 2.0 * right / (2.0 * right + wrong + missed);
        assert!(precision >= 0.96 && f1 >= 0.945, "titled {titled}: precision {precision:.3}, F1 {f1:.3}");
    }
}
