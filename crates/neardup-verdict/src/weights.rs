//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::{context, features};

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 1.657;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; features::COUNT] = [
    1.671,  // held
    0.000,  // alike
    2.154,  // sentences_of
    0.000,  // little_shared
    -1.604, // short
    0.436,  // longer
    -1.132, // longer_short
    -3.563, // both_have_more
    -6.375, // both_have_more_short
    -0.649, // leads_apart
    0.000,  // replaced
    -3.521, // replaced_inside
    -4.632, // largest_replacement
    -0.511, // slots
    0.000,  // any_conflict
    -2.998, // conflicts_short
    -1.054, // conflict_density
    -1.099, // lead_conflicts
    -2.359, // figures_disagree
    -1.454, // dates
    -1.502, // names
    0.000,  // quoted
    -1.462, // both_tell_more_short
    -0.516, // both_tell_more_long
    -3.549, // other_heads
    -5.101, // title_conflicts_short
    -1.617, // slogan
    0.000,  // other_title
    -2.356, // planned
    -3.977, // other_work
    -1.175, // own_news
];

/// The weights of what is known beyond the texts, in the order of `context::NAMES`.
pub(super) const CONTEXT_WEIGHTS: [f64; context::COUNT] = [
    0.934,  // table
    -0.022, // alone
    0.223,  // own
    0.000,  // only_form
    -1.607, // elsewhere
    -1.251, // unbacked
    -0.879, // days
];
