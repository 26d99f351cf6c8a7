//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- FOLDER --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::features::COUNT;

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 1.760;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; COUNT] = [
    3.038,  // held
    0.000,  // alike
    1.858,  // sentences_of
    -1.888, // little_shared
    -2.145, // short
    0.315,  // longer
    -0.948, // longer_short
    -3.902, // both_have_more
    -5.039, // both_have_more_short
    -1.949, // leads_apart
    -0.972, // replaced
    -6.259, // replaced_inside
    -2.521, // largest_replacement
    -0.216, // slots
    -0.835, // any_conflict
    -3.793, // conflicts_short
    -1.615, // conflict_density
    -2.048, // lead_conflicts
    -1.595, // figures_disagree
    -0.381, // dates
    -1.663, // names
    -1.559, // quoted
    -1.156, // both_tell_more_short
    -0.626, // both_tell_more_long
    -4.568, // other_heads
    -5.438, // title_conflicts_short
];
