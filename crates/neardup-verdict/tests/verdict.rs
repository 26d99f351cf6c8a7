//! The level that verdicts reach on labelled pairs of real texts, which are not in the repository: in the folder that
//! `NEARDUP_DATA` names. Without them the test is skipped and says so.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

#[path = "../examples/train_verdict/cases.rs"]
mod cases;
#[path = "../examples/train_verdict/fit.rs"]
mod fit;
#[path = "../examples/labelled/mod.rs"]
#[allow(dead_code, reason = "the examples use more of it")]
mod labelled;
#[path = "../examples/train_verdict/model.rs"]
mod model;

use labelled::pairs::Set;
use neardup_verdict::duplicate::LEAST_OVERLAP_OF_SHORT_COPIES;
use neardup_verdict::model::LEAST_SCORE_IN_TABLE;

/// The weights in the source are what the training writes, byte for byte, and they reach a level on pairs that they have seen.
/// `docs/accuracy.md` has the figures of tables that a model has not seen.
#[test]
#[ignore = "reads ten tables: cargo test --release -p neardup-verdict --test verdict -- --ignored"]
fn training_gives_the_weights_in_the_source_and_they_do_well() {
    let Some(folder) = labelled::folder() else { return };
    let cases = cases::read(&folder).unwrap();
    let model = model::Model::train(cases.iter());
    assert_eq!(model.source(), include_str!("../src/score/weights.rs"), "run the example train_verdict with --write");
    for set in [Set::Natural, Set::Natural2] {
        let (mut right, mut wrong, mut missed) = (0.0, 0.0, 0.0);
        for case in cases.iter().filter(|case| case.pair.set == set) {
            let known = case.known.first().unwrap_or(&case.texts[1]);
            let passes = case.candidate && case.overlap >= LEAST_OVERLAP_OF_SHORT_COPIES;
            match (case.pair.keeps_one(), passes && model.score(known) >= LEAST_SCORE_IN_TABLE) {
                (Some(true), true) => right += case.pair.weight,
                (Some(true), false) => missed += case.pair.weight,
                (Some(false), true) => wrong += case.pair.weight,
                _ => {}
            }
        }
        let (precision, f1) = (right / (right + wrong), 2.0 * right / (2.0 * right + wrong + missed));
        assert!(precision >= 0.95 && f1 >= 0.93, "{set:?}: precision {precision:.3}, F1 {f1:.3}");
    }
}
