//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::{context, features};

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 2.030;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; features::COUNT] = [
    1.654,  // held
    0.000,  // alike
    1.160,  // sentences_of
    -0.652, // little_shared
    -1.954, // short
    0.006,  // longer
    -0.532, // longer_short
    -3.220, // both_have_more
    -5.895, // both_have_more_short
    -2.109, // leads_apart
    -0.982, // replaced
    -2.124, // replaced_inside
    -3.461, // largest_replacement
    -0.163, // slots
    -0.494, // refilled_long
    -2.433, // letters
    0.000,  // any_conflict
    -0.243, // any_conflict_even
    -2.148, // conflicts_short
    -0.821, // conflict_density
    -2.203, // lead_conflicts
    -0.787, // figures_disagree
    -1.667, // figures_disagree_even
    -0.690, // dates
    -0.641, // names
    -1.429, // names_even
    0.000,  // quoted
    -1.995, // both_tell_more_short
    -0.550, // both_tell_more_long
    -3.327, // other_heads
    -3.665, // title_conflicts_short
    -1.303, // slogan
    -2.370, // other_title
    -2.229, // planned
    -3.314, // other_work
    -1.236, // own_news
];

/// The weights of what is known beyond the texts, in the order of `context::NAMES`.
pub(super) const CONTEXT_WEIGHTS: [f64; context::COUNT] = [
    0.853,  // table
    -0.071, // alone
    0.205,  // own
    2.190,  // whole_sentences
    -0.981, // variety
    -0.571, // variety_of_facts
    -1.789, // variety_refilled
    -0.856, // days
];
