//! Weights of the model, written by `cargo run --release -p neardup-core --example train_verdict -- PAIRS --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::features::COUNT;

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 0.426;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; COUNT] = [
    2.597,  // held
    0.000,  // alike
    -1.925, // little shared
    -1.122, // short
    1.961,  // longer
    -2.924, // longer, short
    -2.634, // both have more
    -6.092, // both have more, short
    0.000,  // replaced
    -6.633, // replaced inside
    -3.868, // largest replacement
    -0.238, // slots
    0.000,  // nouns replaced, short
    -1.653, // any conflict
    0.000,  // conflicts
    -3.267, // conflicts, short
    -0.512, // conflict density
    -1.509, // conflicts in the lead
    -1.717, // figures disagree
    -0.673, // dates
    -2.019, // names
    -0.558, // quoted
    -6.596, // other heads
    -0.791, // title conflicts
];
