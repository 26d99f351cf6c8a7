//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::{context, features};

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 2.006;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; features::COUNT] = [
    1.599,  // held
    0.000,  // alike
    1.228,  // sentences_of
    -0.193, // little_shared
    -2.047, // short
    0.330,  // longer
    -0.870, // longer_short
    -3.484, // both_have_more
    -6.055, // both_have_more_short
    -1.061, // leads_apart
    0.000,  // replaced
    -3.172, // replaced_inside
    -4.175, // largest_replacement
    -0.498, // slots
    0.000,  // any_conflict
    -3.005, // conflicts_short
    -1.028, // conflict_density
    -1.244, // lead_conflicts
    -2.398, // figures_disagree
    -1.214, // dates
    -1.804, // names
    0.000,  // quoted
    -1.655, // both_tell_more_short
    -0.665, // both_tell_more_long
    -3.532, // other_heads
    -4.645, // title_conflicts_short
    -1.472, // slogan
    -2.157, // other_title
    -2.383, // planned
    -3.902, // other_work
    -1.199, // own_news
];

/// The weights of what is known beyond the texts, in the order of `context::NAMES`.
pub(super) const CONTEXT_WEIGHTS: [f64; context::COUNT] = [
    0.735,  // table
    -0.064, // alone
    0.225,  // own
    0.000,  // only_form
    -1.031, // elsewhere
    -1.324, // unbacked
    -0.789, // days
];
