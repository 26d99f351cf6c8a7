//! From features to a verdict: a logistic regression, and the names of what comes out.
//!
//! The weights ([`super::weights`]) are few and each has a sign that it may not cross, so a contribution can be read: what
//! contradicts never speaks for a copy. What they cannot know, [`super::rules`] do.

use super::Verdict;
use super::comparison::Comparison;
use super::features::{COUNT, Features, NAMES};
use super::rules::Rule;
use super::weights::{CONSTANT, WEIGHTS};

/// Computes how likely it is that keeping one of the two loses nothing, by any weights.
#[must_use]
pub fn score_by(features: &Features, weights: &[f64; COUNT], constant: f64) -> f64 {
    let sum: f64 = features.values().iter().zip(weights).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + libm::exp(-(sum + constant)))
}

/// Computes how likely it is that keeping one of the two loses nothing.
pub(super) fn score(features: &Features) -> f64 {
    score_by(features, &WEIGHTS, CONSTANT)
}

/// Gives what each feature adds to the logarithm of the odds, the heaviest first; zeros are left out.
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

/// From this score on one of two texts may go. Deleting a message costs more than keeping a copy, so it lies above one half; with it, precision
/// is 0.97 on pairs as tables have them, of corpora that the model has not seen.
pub const LEAST_SCORE: f64 = 0.75;

/// From this share on, what the longer text has more makes the shorter one an excerpt.
const EXCERPT: f64 = 0.25;

/// Below this share of the shorter text in the longer, two texts have little to do with each other.
const APART: f64 = 0.3;

/// From this share on, two texts have the same form.
const SAME_FORM: f64 = 0.6;

/// Names what a score stands for.
pub(super) fn verdict(score: f64, features: &Features, texts: &Comparison<'_>, rule: Option<Rule>) -> Verdict {
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
