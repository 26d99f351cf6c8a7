//! From the numbers of a pair to a score and a verdict.
//!
//! The model is the sum of small trees ([`super::trees`]) and of a weighed sum of the same numbers ([`super::line`]), both in
//! [`super::weights`]. What contradicts, and what the other text lacks, can only speak for keeping both. A score is a probability, and holds on average on tables that the model has not seen (`docs/accuracy.md`).

use std::sync::LazyLock;

use super::context::{self, Inputs};
use super::line;
use super::weights::{TERMS, TREES};
use crate::compare::comparison::Comparison;
use crate::verdict::Verdict;

/// Returns the probability for log odds.
#[must_use]
pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-log_odds))
}

/// Computes the probability that keeping one of the two loses nothing.
pub(crate) fn score(inputs: &Inputs) -> f64 {
    let log_odds = log_odds(inputs);
    probability(inputs.correction.map_or(log_odds, |of| of.corrected(log_odds, inputs)))
}

/// Computes the logarithm of the odds, without a correction.
pub(crate) fn log_odds(inputs: &Inputs) -> f64 {
    let values = inputs.values();
    TREES.sum(&values) + line::most(&TERMS, &values, &[true; context::COUNT]) + rare(inputs)
}

/// What signals add that too few labelled pairs have for a tree to split on them: the weights of a logistic regression on the pairs of news,
/// posts and titles.
fn rare(inputs: &Inputs) -> f64 {
    let of = &inputs.texts;
    let weighed = [
        (of.slogan, -3.0),
        (of.planned, -2.2),
        (of.other_work, -3.3),
        (of.other_title, -2.4),
        (of.title_conflicts_short, -3.6),
        (of.own_news, -1.3),
    ];
    weighed.iter().map(|(value, weight)| value * weight).sum()
}

/// What all trees after each one can add at most: a sum that stays below the bound ends early.
static AFTER: LazyLock<Vec<f64>> = LazyLock::new(|| TREES.most_after());

/// Says whether the score may be [`LEAST_SCORE`], whatever is not known yet: contradicting facts, and if `asks_table`, what the table says.
pub(crate) fn may_be_kept(inputs: &Inputs, asks_table: bool) -> bool {
    let values = inputs.values();
    // Contradictions only speak against a copy, so a pair without any has the best of its scores.
    let known = if asks_table { &context::WITHOUT_TABLE } else { &[true; context::COUNT] };
    // Log odds of 0 are a score of one half; with a margin for rounding.
    let least = inputs.correction.map_or(0.0, |of| of.least(0.0, inputs, asks_table)) - 1e-3;
    let least = least - rare(inputs) - line::most(&TERMS, &values, known);
    TREES.may_reach(&values, known, least, &AFTER)
}

/// Returns what each number adds to the logarithm of the odds, the greatest first; zeros are omitted. A leaf is shared by the numbers
/// on its path.
pub(crate) fn contributions(inputs: &Inputs) -> Vec<(&'static str, f64, f64)> {
    let values = inputs.values();
    let mut added = [0.0; context::COUNT];
    TREES.paths(&values, |path, leaf| {
        for number in path {
            added[usize::from(*number)] += leaf / path.len() as f64;
        }
    });
    for (added, (term, value)) in added.iter_mut().zip(TERMS.iter().zip(values)) {
        *added += term.beyond_middle(value);
    }
    let all = Inputs::names().zip(values).zip(added).map(|((name, value), added)| (name, value, added));
    let mut all: Vec<_> = all.filter(|&(_, _, added)| added != 0.0).collect();
    all.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    all
}

/// From this score on, one of two texts may be removed: a guard refuses it, a list names it.
pub const LEAST_SCORE: f64 = 0.5;

/// From this score on, a clean-up removes a row: of the pairs of tables that the model has not seen, some 2 in 100 are wrong.
pub const LEAST_SCORE_TO_REMOVE: f64 = 0.95;

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
    if score >= LEAST_SCORE {
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
