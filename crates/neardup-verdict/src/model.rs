//! From features to a verdict: a logistic regression, and the names of what comes out.
//!
//! The weights ([`super::weights`]) are few and each has a sign that it may not cross, so a contribution can be read: what
//! contradicts never speaks for a copy. What they cannot know, [`super::rules`] do.

use super::Verdict;
use super::comparison::Comparison;
use super::features::{COUNT, Features, NAMES};
use super::rules::Rule;
use super::weights::{CONSTANT, WEIGHTS};

/// Computes the probability that keeping one of the two loses nothing, with any weights.
#[must_use]
pub fn score_by(features: &Features, weights: &[f64; COUNT], constant: f64) -> f64 {
    let sum: f64 = features.values().iter().zip(weights).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + libm::exp(-(sum + constant)))
}

/// Computes the probability that keeping one of the two loses nothing.
pub(super) fn score(features: &Features) -> f64 {
    score_by(features, &WEIGHTS, CONSTANT)
}

/// Gives what each feature adds to the logarithm of the odds, the greatest first; zeros are omitted.
pub(super) fn contributions(features: &Features) -> Vec<(&'static str, f64, f64)> {
    let mut all: Vec<_> = NAMES
        .iter()
        .zip(features.values())
        .zip(&WEIGHTS)
        .map(|((&(name, _), value), weight)| (name, value, value * weight))
        .filter(|&(_, _, added)| added != 0.0)
        .collect();
    all.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    all
}

/// From this score on, one of two texts may be removed. Deleting a message costs more than keeping a copy, so it is above one
/// half. With it, precision is 0.97 on natural pairs of corpora that the model was not trained on.
pub const LEAST_SCORE: f64 = 0.75;

/// If the longer text is longer by this share of its units, the shorter one is an excerpt.
const EXCERPT: f64 = 0.25;

/// Below this share of the shorter text in the longer, two texts have little in common.
const APART: f64 = 0.3;

/// From this share on, two texts have the same form.
const SAME_FORM: f64 = 0.6;

/// Names the verdict for a score.
pub(super) fn verdict(score: f64, features: &Features, texts: &Comparison, rule: Option<Rule>) -> Verdict {
    let (held, alike) = (features.held, features.alike);
    let hard = features.any_conflict > 0.0;
    if score >= LEAST_SCORE {
        let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
        let more = 1.0 - a.min(b) as f64 / a.max(b).max(1) as f64;
        if more >= EXCERPT && alike < 1.0 - EXCERPT { Verdict::Excerpt } else { Verdict::Copy }
    } else if held < APART || matches!(rule, Some(Rule::OtherQuestion | Rule::Slogan)) {
        Verdict::Different
    } else if rule == Some(Rule::OwnNews) && !hard {
        Verdict::Rewrite
    } else if hard && held >= SAME_FORM / 2.0 || held >= SAME_FORM {
        Verdict::Update
    } else {
        Verdict::Rewrite
    }
}
