//! From features to a verdict: a logistic regression, one rule beside it, and the names of what comes out.
//!
//! The weights ([`super::weights`]) are few and each has a sign that it may not cross, so a contribution can be read: what
//! contradicts never speaks for a copy. The rule is about what 461 labelled pairs are too few to teach.

use super::Verdict;
use super::comparison::Comparison;
use super::features::{self, Features, NAMES};
use super::weights::{CONSTANT, WEIGHTS};

/// Two questions that share less than this part of their words are two, whatever stands below them.
const OTHER_QUESTION: f64 = 0.6;

/// The most that two different questions over one text can score.
const MOST_OF_QUESTIONS: f64 = 0.1;

/// Computes how likely it is that keeping one of the two loses nothing, by any weights.
#[must_use]
pub fn score_by(features: &Features, weights: &Features, constant: f64) -> f64 {
    let sum: f64 = features.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    let score = 1.0 / (1.0 + libm::exp(-(sum + constant)));
    if feature(features, "other heads") >= OTHER_QUESTION { score.min(MOST_OF_QUESTIONS) } else { score }
}

/// Computes how likely it is that keeping one of the two loses nothing.
#[must_use]
pub fn score(features: &Features) -> f64 {
    score_by(features, &WEIGHTS, CONSTANT)
}

/// Gives what each feature adds to the logarithm of the odds, the heaviest first; zeros are left out.
#[must_use]
pub fn contributions(features: &Features) -> Vec<(&'static str, f64, f64)> {
    let mut all: Vec<_> = NAMES
        .iter()
        .zip(features)
        .zip(&WEIGHTS)
        .map(|((&(name, _), &value), weight)| (name, value, value * weight))
        .filter(|&(_, _, added)| added != 0.0)
        .collect();
    all.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    all
}

fn feature(features: &Features, name: &str) -> f64 {
    let place = NAMES.iter().position(|&(known, _)| known == name);
    place.and_then(|place| features.get(place)).copied().unwrap_or_default()
}

/// Texts of at most so many units stand under their titles: where these contradict each other, so do the messages.
const UNDER_TITLE: usize = 40;

/// The most that short texts under contradicting titles can score.
const MOST_UNDER_TITLES: f64 = 0.3;

/// Lowers the score of short texts whose titles contradict each other.
pub(super) fn under_titles(score: f64, texts: &Comparison<'_>, titles: Option<&Comparison<'_>>) -> f64 {
    let short = texts.a.text.units.len().min(texts.b.text.units.len()) <= UNDER_TITLE;
    let contradict = titles.is_some_and(|titles| titles.pairs.iter().any(features::is_hard));
    if short && contradict { score.min(MOST_UNDER_TITLES) } else { score }
}

/// From this share on, what the longer text has more makes the shorter one an excerpt.
const EXCERPT: f64 = 0.25;

/// Below this share of the shorter text in the longer, two texts have little to do with each other.
const APART: f64 = 0.3;

/// From this share on, two texts have the same form.
const SAME_FORM: f64 = 0.6;

/// Names what a score stands for.
pub(super) fn verdict(score: f64, features: &Features, texts: &Comparison<'_>) -> Verdict {
    let (held, alike) = (feature(features, "held"), feature(features, "alike"));
    let hard = feature(features, "any conflict") > 0.0;
    if score >= 0.5 {
        let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
        let more = 1.0 - a.min(b) as f64 / a.max(b).max(1) as f64;
        if more >= EXCERPT && alike < 1.0 - EXCERPT { Verdict::Excerpt } else { Verdict::Copy }
    } else if held < APART || features::heads_apart(texts) >= OTHER_QUESTION {
        Verdict::Different
    } else if hard && held >= SAME_FORM / 2.0 || held >= SAME_FORM {
        Verdict::Update
    } else {
        Verdict::Rewrite
    }
}
