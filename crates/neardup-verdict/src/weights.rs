//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- PAIRS --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::features::COUNT;

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 0.772;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; COUNT] = [
    1.778,  // held
    0.000,  // alike
    -2.056, // little shared
    -0.444, // short
    1.831,  // longer
    -3.181, // longer, short
    -1.807, // both have more
    -8.584, // both have more, short
    -0.569, // replaced
    -6.351, // replaced inside
    -4.202, // largest replacement
    0.039,  // slots
    0.000,  // nouns replaced, short
    -1.483, // any conflict
    -0.100, // conflicts
    -3.292, // conflicts, short
    -1.556, // conflict density
    -2.028, // conflicts in the lead
    -1.585, // figures disagree
    -0.430, // dates
    -1.994, // names
    -2.260, // quoted
    -4.970, // both tell more
    -6.439, // other heads
    -4.841, // title conflicts, short
];
