//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- FOLDER --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::features::COUNT;

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 1.389;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; COUNT] = [
    3.357,  // held
    0.000,  // alike
    1.911,  // sentences_of
    -1.640, // little_shared
    -2.288, // short
    0.359,  // longer
    -1.050, // longer_short
    -3.352, // both_have_more
    -3.237, // both_have_more_short
    -1.973, // leads_apart
    -0.842, // replaced
    -5.256, // replaced_inside
    -1.493, // largest_replacement
    -0.211, // slots
    -0.550, // nouns_replaced_short
    -0.740, // any_conflict
    -4.017, // conflicts_short
    -1.711, // conflict_density
    -1.998, // lead_conflicts
    -1.724, // figures_disagree
    -0.215, // dates
    -1.646, // names
    -1.620, // quoted
    -0.204, // both_tell_more_short
    -0.733, // both_tell_more_long
    -4.507, // other_heads
    -5.550, // title_conflicts_short
];
