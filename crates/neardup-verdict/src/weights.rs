//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::{context, features};

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 2.079;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; features::COUNT] = [
    1.629,  // held
    0.000,  // alike
    2.096,  // sentences_of
    -1.018, // little_shared
    -1.228, // short
    0.547,  // longer
    -1.238, // longer_short
    -3.953, // both_have_more
    -6.626, // both_have_more_short
    -0.866, // leads_apart
    -0.928, // replaced
    -3.185, // replaced_inside
    -4.942, // largest_replacement
    -0.301, // slots
    -0.416, // any_conflict
    -3.032, // conflicts_short
    -0.973, // conflict_density
    -1.643, // lead_conflicts
    -2.155, // figures_disagree
    -0.887, // dates
    -1.494, // names
    0.000,  // quoted
    -1.215, // both_tell_more_short
    -0.621, // both_tell_more_long
    -4.208, // other_heads
    -5.026, // title_conflicts_short
    -1.207, // slogan
    0.000,  // other_title
    -0.710, // planned
    -3.071, // other_work
    -0.825, // own_news
];

/// The weights of what is known beyond the texts, in the order of `context::NAMES`.
pub(super) const CONTEXT_WEIGHTS: [f64; context::COUNT] = [
    0.604,  // table
    -0.053, // alone
    0.210,  // own
    0.000,  // only_form
    -1.509, // elsewhere
    -1.275, // unbacked
    -1.009, // days
];
