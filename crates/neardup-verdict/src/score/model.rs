//! From features to a verdict: a logistic regression, and the names of what comes out.
//!
//! The weights ([`super::weights`]) are few and each has a sign that it may not cross, so a contribution can be read: what
//! contradicts never speaks for a copy. What is known beyond the two texts ([`super::context`]) is added to their log odds.

use super::context::{self, Inputs};
use super::features::{Features, NAMES};
use super::weights::{CONSTANT, CONTEXT_WEIGHTS, WEIGHTS};
use crate::compare::comparison::Comparison;
use crate::verdict::Verdict;

/// Adds up the log odds that keeping one of the two loses nothing.
#[must_use]
pub fn log_odds<const N: usize>(values: &[f64; N], weights: &[f64; N], constant: f64) -> f64 {
    values.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>() + constant
}

/// Gives the probability for log odds.
#[must_use]
pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-log_odds))
}

/// Gives the log odds of the texts alone.
pub(crate) fn alone(features: &Features) -> f64 {
    log_odds(&features.values(), &WEIGHTS, CONSTANT)
}

/// Computes the probability that keeping one of the two loses nothing.
pub(crate) fn score(inputs: &Inputs) -> f64 {
    let context = inputs.context(alone);
    score_of(inputs, log_odds(&context.values(), &CONTEXT_WEIGHTS, alone(&inputs.texts)))
}

/// Of two texts that fill a form, this share of a score above the least one counts: 0.95 becomes 0.85. What decides between two fillings
/// may be one word, which texts of other tables could not teach; so a clean-up lists such a pair and leaves it, unless hardly anything differs.
const SHARE_IN_FORM: f64 = 2.0 / 3.0;

/// Gives the score for log odds.
#[must_use]
pub fn score_of(inputs: &Inputs, log_odds: f64) -> f64 {
    let score = probability(log_odds);
    let above = score - LEAST_SCORE_IN_TABLE;
    if above > 0.0 && inputs.fill_form() { LEAST_SCORE_IN_TABLE + above * SHARE_IN_FORM } else { score }
}

/// Gives what each feature adds to the logarithm of the odds, the greatest first; zeros are omitted.
pub(crate) fn contributions(inputs: &Inputs) -> Vec<(&'static str, f64, f64)> {
    let texts = NAMES.iter().zip(inputs.texts.values()).zip(&WEIGHTS);
    let context = context::NAMES.iter().zip(inputs.context(alone).values()).zip(&CONTEXT_WEIGHTS);
    let mut all: Vec<_> = texts
        .chain(context)
        .map(|((&(name, _), value), weight)| (name, value, value * weight))
        .filter(|&(_, _, added)| added != 0.0)
        .collect();
    all.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    all
}

/// From this score on, one of two texts may be removed, if nothing but the texts is known. Deleting a message costs more than
/// keeping a copy, so it is above one half. With it, precision is 0.98 on natural pairs of tables that the model has not seen.
pub const LEAST_SCORE: f64 = 0.75;

/// The same, if the table is known: what remains in doubt then is rarely wrong. With it, precision is 0.99 on natural pairs of
/// tables that the model has not seen.
pub const LEAST_SCORE_IN_TABLE: f64 = 0.65;

/// From this score on, a row may be removed for good: in tables of forms that the model has not seen, half of what scores less is wrong.
pub const LEAST_SCORE_TO_REMOVE: f64 = 0.85;

/// Gives the score from which on one of the two may be removed.
pub(crate) fn least_score(inputs: &Inputs) -> f64 {
    if inputs.table.is_some() { LEAST_SCORE_IN_TABLE } else { LEAST_SCORE }
}

/// If the longer text is longer by this share of its units, the shorter one is an excerpt.
const EXCERPT: f64 = 0.25;

/// Below this share of the shorter text in the longer, two texts have little in common.
const APART: f64 = 0.3;

/// Two questions that differ in this share of their words are two messages, whatever text follows them.
const OTHER_QUESTION: f64 = 0.6;

/// From this share on, two texts have the same form.
const SAME_FORM: f64 = 0.6;

/// Names the verdict for a score.
pub(crate) fn verdict(score: f64, inputs: &Inputs, texts: &Comparison) -> Verdict {
    let features = &inputs.texts;
    let (held, alike) = (features.held, features.alike);
    let hard = features.any_conflict > 0.0;
    if score >= least_score(inputs) {
        let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
        let more = 1.0 - a.min(b) as f64 / a.max(b).max(1) as f64;
        if more >= EXCERPT && alike < 1.0 - EXCERPT { Verdict::Excerpt } else { Verdict::Copy }
    } else if held < APART || features.other_heads >= OTHER_QUESTION || features.slogan > 0.0 {
        Verdict::Different
    } else if features.own_news > 0.0 && !hard {
        Verdict::Rewrite
    } else if hard && held >= SAME_FORM / 2.0 || held >= SAME_FORM {
        Verdict::Update
    } else {
        Verdict::Rewrite
    }
}
