//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::{context, features};

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 2.047;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; features::COUNT] = [
    1.584,  // held
    0.000,  // alike
    1.250,  // sentences_of
    0.000,  // little_shared
    -2.234, // short
    0.375,  // longer
    -0.941, // longer_short
    -3.480, // both_have_more
    -6.395, // both_have_more_short
    -1.141, // leads_apart
    0.000,  // replaced
    -2.298, // replaced_inside
    -4.659, // largest_replacement
    -0.231, // slots
    -0.484, // refilled_long
    -2.421, // letters
    0.000,  // any_conflict
    -3.186, // conflicts_short
    -1.093, // conflict_density
    -1.282, // lead_conflicts
    -2.364, // figures_disagree
    -1.173, // dates
    -1.834, // names
    0.000,  // quoted
    -1.919, // both_tell_more_short
    -0.600, // both_tell_more_long
    -3.483, // other_heads
    -4.659, // title_conflicts_short
    -1.436, // slogan
    -2.137, // other_title
    -2.408, // planned
    -3.882, // other_work
    -1.169, // own_news
];

/// The weights of what is known beyond the texts, in the order of `context::NAMES`.
pub(super) const CONTEXT_WEIGHTS: [f64; context::COUNT] = [
    0.929,  // table
    -0.090, // alone
    0.205,  // own
    0.000,  // whole_sentences
    -0.977, // variety
    -0.797, // variety_of_facts
    -1.719, // variety_refilled
    -0.788, // days
];
