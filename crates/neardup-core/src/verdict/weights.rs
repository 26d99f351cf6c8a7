//! Weights of the model, written by `cargo run --release -p neardup-core --example train_verdict -- PAIRS --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::features::COUNT;

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 0.804;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; COUNT] = [
    2.196,  // held
    0.000,  // alike
    -1.856, // little shared
    -1.180, // short
    2.302,  // longer
    -3.244, // longer, short
    -2.233, // both have more
    -6.829, // both have more, short
    -0.318, // replaced
    -5.960, // replaced inside
    -3.566, // largest replacement
    -0.334, // slots
    0.000,  // nouns replaced, short
    -1.512, // any conflict
    0.000,  // conflicts
    -3.508, // conflicts, short
    -0.627, // conflict density
    -1.499, // conflicts in the lead
    -1.532, // figures disagree
    -0.646, // dates
    -1.857, // names
    -0.439, // quoted
    -6.777, // other heads
    -0.743, // title conflicts
];
