//! Weights of the model, written by `cargo run --release -p neardup-core --example train_verdict -- PAIRS --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::features::COUNT;

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 0.774;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; COUNT] = [
    1.776,  // held
    0.000,  // alike
    -2.055, // little shared
    -0.444, // short
    1.832,  // longer
    -3.181, // longer, short
    -1.804, // both have more
    -8.592, // both have more, short
    -0.563, // replaced
    -6.336, // replaced inside
    -4.208, // largest replacement
    0.039,  // slots
    0.000,  // nouns replaced, short
    -1.483, // any conflict
    -0.100, // conflicts
    -3.292, // conflicts, short
    -1.556, // conflict density
    -2.028, // conflicts in the lead
    -1.585, // figures disagree
    -0.431, // dates
    -1.994, // names
    -2.261, // quoted
    -4.978, // both tell more
    -6.440, // other heads
    -4.842, // title conflicts, short
];
