//! The level that verdicts reach on labelled pairs of real texts, which are not in the repository: in the folder that
//! `NEARDUP_DATA` names. Without them the test is skipped and says so.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

#[path = "../examples/labelled/mod.rs"]
#[allow(dead_code, reason = "the examples use more of it")]
mod labelled;

use std::collections::BTreeMap;

use labelled::pairs::{self, Set};
use neardup_verdict::{Pair, Prepared, Verdict};

/// The shipped model, on pairs that it has seen, each weighted by the rows that it stands for: a change that breaks how texts are read shows here. `docs/accuracy.md` has the figures of tables that a
/// model has not seen.
#[test]
fn verdicts_on_labelled_pairs_reach_a_level() {
    let Some(folder) = labelled::folder() else { return };
    let mut by_set: BTreeMap<Set, [f64; 3]> = BTreeMap::new();
    let (mut quoted, mut named) = (0, 0);
    for pair in pairs::files(&folder).unwrap() {
        let Some(keeps) = pair.keeps_one() else { continue };
        let (a, b) = (Prepared::new(&pair.texts[0]).unwrap(), Prepared::new(&pair.texts[1]).unwrap());
        let found = Pair::new(&a, &b).duplicate().unwrap();
        let sums = by_set.entry(pair.set).or_default();
        match (keeps, found) {
            (true, Some(_)) => sums[0] += pair.weight,
            (false, Some(_)) => sums[1] += pair.weight,
            (true, None) => sums[2] += pair.weight,
            (false, None) => {}
        }
        if pair.label == "Q" && pair.set == Set::Fresh {
            quoted += 1;
            named += usize::from(matches!(found, Some((Verdict::Copy | Verdict::Excerpt, _))));
        }
    }
    for (set, least) in [(Set::Natural, 0.94), (Set::Natural2, 0.88), (Set::Fresh, 0.74)] {
        let Some([right, wrong, missed]) = by_set.get(&set) else { continue };
        let f1 = 2.0 * right / (2.0 * right + wrong + missed);
        println!("{set:?}: F1, of the texts alone, {f1:.3}");
        assert!(f1 >= least, "{set:?}: F1 {f1:.3}");
    }
    println!("replies that quote: {named} of {quoted} named");
    assert!(named * 10 <= quoted, "replies that quote: {named} of {quoted} named");
}
