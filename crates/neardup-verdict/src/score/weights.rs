//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::{context, features};

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 2.043;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; features::COUNT] = [
    1.623,  // held
    0.000,  // alike
    1.162,  // sentences_of
    -0.707, // little_shared
    -1.896, // short
    -0.006, // longer
    -0.522, // longer_short
    -3.166, // both_have_more
    -5.883, // both_have_more_short
    -2.284, // leads_apart
    -1.004, // replaced
    -2.141, // replaced_inside
    -3.482, // largest_replacement
    -0.136, // slots
    -0.494, // refilled_long
    -2.425, // letters
    0.000,  // any_conflict
    -0.217, // any_conflict_even
    -2.185, // conflicts_short
    -0.833, // conflict_density
    -2.159, // lead_conflicts
    -0.890, // figures_disagree
    -1.644, // figures_disagree_even
    -0.686, // dates
    -0.666, // names
    -1.451, // names_even
    0.000,  // quoted
    -1.998, // both_tell_more_short
    -0.548, // both_tell_more_long
    -3.292, // other_heads
    -3.554, // title_conflicts_short
    -1.300, // slogan
    -2.428, // other_title
    -2.224, // planned
    -3.313, // other_work
    -1.259, // own_news
];

/// The weights of what is known beyond the texts, in the order of `context::NAMES`.
pub(super) const CONTEXT_WEIGHTS: [f64; context::COUNT] = [
    0.854,  // table
    -0.067, // alone
    0.211,  // own
    2.175,  // whole_sentences
    -0.956, // variety
    -0.570, // variety_of_facts
    -1.832, // variety_refilled
    -0.854, // days
];
