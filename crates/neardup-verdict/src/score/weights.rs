//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::{context, features};

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 1.793;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; features::COUNT] = [
    1.667,  // held
    0.000,  // alike
    1.225,  // sentences_of
    -0.419, // little_shared
    -1.890, // short
    0.329,  // longer
    -0.819, // longer_short
    -3.124, // both_have_more
    -5.514, // both_have_more_short
    -1.131, // leads_apart
    -0.986, // replaced
    -2.086, // replaced_inside
    -3.708, // largest_replacement
    -0.279, // slots
    -0.368, // refilled_long
    -2.024, // letters
    0.000,  // any_conflict
    -2.986, // conflicts_short
    -1.033, // conflict_density
    -1.249, // lead_conflicts
    -2.086, // figures_disagree
    -1.093, // dates
    -1.613, // names
    0.000,  // quoted
    -1.876, // both_tell_more_short
    -0.566, // both_tell_more_long
    -3.297, // other_heads
    -4.144, // title_conflicts_short
    -1.348, // slogan
    -2.140, // other_title
    -2.297, // planned
    -3.352, // other_work
    -1.126, // own_news
];

/// The weights of what is known beyond the texts, in the order of `context::NAMES`.
pub(super) const CONTEXT_WEIGHTS: [f64; context::COUNT] = [
    0.931,  // table
    -0.088, // alone
    0.220,  // own
    2.182,  // whole_sentences
    -0.959, // variety
    -0.877, // variety_of_facts
    -1.749, // variety_refilled
    -0.863, // days
];
