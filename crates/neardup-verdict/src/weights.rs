//! Weights of the model, written by `cargo run --release -p neardup-verdict --example train_verdict -- FOLDER --write`.
//!
//! Positive speaks for keeping one of the two texts. See `docs/accuracy.md`.

use super::{context, features};

/// What a pair has before its features count.
pub(super) const CONSTANT: f64 = 1.763;

/// The weight of each feature, in the order of `features::NAMES`.
pub(super) const WEIGHTS: [f64; features::COUNT] = [
    3.032,  // held
    0.000,  // alike
    1.859,  // sentences_of
    -1.887, // little_shared
    -2.145, // short
    0.320,  // longer
    -0.951, // longer_short
    -3.890, // both_have_more
    -5.022, // both_have_more_short
    -1.943, // leads_apart
    -0.984, // replaced
    -6.276, // replaced_inside
    -2.528, // largest_replacement
    -0.218, // slots
    -0.836, // any_conflict
    -3.784, // conflicts_short
    -1.612, // conflict_density
    -2.045, // lead_conflicts
    -1.595, // figures_disagree
    -0.382, // dates
    -1.659, // names
    -1.559, // quoted
    -1.133, // both_tell_more_short
    -0.628, // both_tell_more_long
    -4.571, // other_heads
    -5.464, // title_conflicts_short
    -2.000, // slogan
    -1.000, // other_title
    -1.000, // planned
    -1.000, // other_work
    -1.000, // own_news
];

/// The weights of what is known beyond the texts, in the order of `context::NAMES`.
pub(super) const CONTEXT_WEIGHTS: [f64; context::COUNT] = [
    1.000,  // table
    -0.340, // alone
    0.300,  // own
    -0.500, // only_form
    -1.100, // elsewhere
    -1.500, // unbacked
    -0.600, // days
];
