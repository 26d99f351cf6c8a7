//! Weights of the model, written by `cargo run --release -p neardup-core --example train_verdict -- FOLDER --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::features::COUNT;

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 0.555;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; COUNT] = [
    3.404,  // held
    0.000,  // alike
    -1.971, // little_shared
    -2.244, // short
    0.392,  // longer
    -0.966, // longer_short
    -3.319, // both_have_more
    -3.594, // both_have_more_short
    -2.112, // leads_apart
    -0.791, // replaced
    -5.163, // replaced_inside
    -1.621, // largest_replacement
    -0.303, // slots
    -0.572, // nouns_replaced_short
    -0.694, // any_conflict
    0.000,  // conflicts
    -3.830, // conflicts_short
    -1.645, // conflict_density
    -2.223, // lead_conflicts
    -1.797, // figures_disagree
    -0.211, // dates
    -1.434, // names
    -1.643, // quoted
    -0.647, // both_tell_more_short
    -0.771, // both_tell_more_long
    -4.789, // other_heads
    -6.162, // title_conflicts_short
];
