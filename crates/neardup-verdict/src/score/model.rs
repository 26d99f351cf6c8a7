//! From the numbers of a pair to a score and a verdict.
//!
//! The model is the sum of small trees ([`super::trees`]) and of a weighed sum of the same numbers ([`super::line`]), both in
//! [`super::weights`]. What contradicts, and what the other text lacks, can only speak for keeping both. A score is a probability, and holds on average on tables that the model has not seen (`docs/accuracy.md`).

use std::ops::Range;
use std::sync::LazyLock;

use super::context::{COUNT, Inputs, Limits, OF_TABLE};
use super::features::FACTS;
use super::line;
use super::trees::{Arranged, Reach};
use super::weights::{TERMS, TREES};
use crate::compare::comparison::Comparison;
use crate::verdict::Verdict;

/// Returns the probability for log odds.
#[must_use]
pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-log_odds))
}

/// Computes the logarithm of the odds, without a correction.
pub(crate) fn log_odds(inputs: &Inputs) -> f64 {
    Scoring::default().log_odds(inputs)
}

/// What signals add that too few labelled pairs have for a tree to split on them: the weights of a logistic regression on the pairs of news,
/// posts and titles; and what columns add.
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
    weighed.iter().map(|(value, weight)| value * weight).sum::<f64>() + agreement(inputs)
}

/// What columns add in which copies agree, if they are the same in two rows and if they are not: the weights of a logistic regression on the
/// scores of held-out tables, with their titles as such a column (`train_verdict` repeats it).
const AGREES: f64 = 0.2;
const AGREES_NOT: f64 = -0.8;

fn agreement(inputs: &Inputs) -> f64 {
    inputs.agreement.map_or(0.0, |share| AGREES * share + AGREES_NOT * (1.0 - share))
}

/// Below these log odds, two rows of a table are likelier copies than the sum of trees and terms says: by the pairs of tables that the model has not
/// seen, it counts this many times as far from the knot (`train_verdict` prints the fit). Two texts alone are judged by the sum itself.
pub const KNOT: f64 = 1.5;
const BELOW: f64 = 0.9;

/// Returns the log odds of two rows of a table.
#[must_use]
pub fn in_table(sum: f64) -> f64 {
    if sum < KNOT { KNOT + BELOW * (sum - KNOT) } else { sum }
}

/// Returns the sum for which [`in_table`] gives these log odds.
fn sum_in_table(log_odds: f64) -> f64 {
    if log_odds < KNOT { KNOT + (log_odds - KNOT) / BELOW } else { log_odds }
}

/// The trees by number; none if there were too many, which a test rules out.
static ARRANGED: LazyLock<Arranged> = LazyLock::new(|| TREES.arranged().unwrap_or_default());

/// The score of a pair of which more and more becomes known.
#[derive(Default)]
pub(crate) struct Scoring {
    /// The leaves that the numbers known for good can still reach.
    reach: Reach,
    /// How far those have been looked at.
    known: Known,
}

/// Which numbers of a pair have been looked at for good.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    #[default]
    Nothing,
    WithoutFactsAndTable,
    WithoutTable,
    All,
}

/// What is not known of a pair yet.
#[derive(Clone, Copy)]
pub(crate) struct Missing {
    /// Contradicting facts.
    pub(crate) facts: bool,
    /// What the table says.
    pub(crate) table: bool,
}

/// Returns the log odds of a score. Those of a score near 1 have a bound beyond which all scores are 1.
fn log_odds_of(score: f64) -> f64 {
    libm::log(score / (1.0 - score)).min(30.0)
}

impl Scoring {
    /// Says whether the score may be `score`, whatever is missing. If it may not, nothing else is asked. `table` are the limits of what the table
    /// can say if that is missing, as one of several cases.
    pub(crate) fn may_reach(&mut self, score: f64, inputs: &Inputs, missing: Missing, table: &[Limits]) -> bool {
        let values = inputs.values();
        self.learn(&values, missing);
        // With a margin for rounding.
        let least = log_odds_of(score);
        let least = inputs.correction.as_ref().map_or(least, |of| of.least(least, inputs, missing)) - 1e-3;
        let least = least - rare(inputs);
        let is_in_table = missing.table || inputs.table.is_some();
        let least = if is_in_table { sum_in_table(least) } else { least };
        let mut reach = self.reach.clone();
        if missing.facts {
            // Contradictions only speak against a copy, so a pair without any has the best of its scores.
            narrow(&mut reach, FACTS, &values);
        }
        if !missing.table {
            narrow(&mut reach, OF_TABLE, &values);
            return reach.most(&ARRANGED) + line::most(&TERMS, &values, &values) >= least;
        }
        table.iter().any(|limits| {
            let (mut reach, [from, to]) = (reach.clone(), limits.of_all(&values));
            for number in OF_TABLE {
                reach.narrow(&ARRANGED, number, from[number], to[number]);
            }
            reach.most(&ARRANGED) + line::most(&TERMS, &from, &to) >= least
        })
    }

    /// Looks at the numbers that stay as they are, each once.
    fn learn(&mut self, values: &[f64; COUNT], missing: Missing) {
        let known = match missing {
            Missing { facts: true, .. } => Known::WithoutFactsAndTable,
            Missing { table: true, .. } => Known::WithoutTable,
            Missing { .. } => Known::All,
        };
        let before = self.known;
        self.known = known.max(before);
        let newly = |step: Known| before < step && step <= known;
        if newly(Known::WithoutFactsAndTable) {
            for numbers in [0..FACTS.start, FACTS.end..OF_TABLE.start, OF_TABLE.end..COUNT] {
                narrow(&mut self.reach, numbers, values);
            }
        }
        if newly(Known::WithoutTable) {
            narrow(&mut self.reach, FACTS, values);
        }
        if newly(Known::All) {
            narrow(&mut self.reach, OF_TABLE, values);
        }
    }

    /// Returns the probability that keeping one of the two loses nothing, once all is known.
    pub(crate) fn score(mut self, inputs: &Inputs) -> f64 {
        let log_odds = self.log_odds(inputs);
        probability(inputs.correction.as_ref().map_or(log_odds, |of| of.corrected(log_odds, inputs)))
    }

    fn log_odds(&mut self, inputs: &Inputs) -> f64 {
        let values = inputs.values();
        self.learn(&values, Missing { facts: false, table: false });
        let sum = self.reach.most(&ARRANGED) + line::most(&TERMS, &values, &values);
        rare(inputs) + if inputs.table.is_some() { in_table(sum) } else { sum }
    }
}

/// Narrows by numbers that are known.
fn narrow(reach: &mut Reach, numbers: Range<usize>, values: &[f64; COUNT]) {
    for number in numbers {
        reach.narrow(&ARRANGED, number, values[number], values[number]);
    }
}

/// Returns what each number adds to the logarithm of the odds, the greatest first; zeros are omitted. A leaf is shared by the numbers
/// on its path.
pub(crate) fn contributions(inputs: &Inputs) -> Vec<(&'static str, f64, f64)> {
    let values = inputs.values();
    let mut added = [0.0; COUNT];
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

/// From this score on, one of two texts may be removed, unless the owner of the table sets another: a guard refuses it, a list names it.
pub const LEAST_SCORE: f64 = 0.5;

/// The least that an owner can set. Of the read pairs that score less, one in ten is a copy.
pub const LOWEST_SCORE: f64 = 0.05;

/// From this score on, a clean-up removes a row: of the pairs of tables that the model has not seen, some 3 in 100 are wrong.
pub const LEAST_SCORE_TO_REMOVE: f64 = 0.96;

/// The greatest score of texts that are not all read: only their beginnings are compared, or what their links lead to may be the message.
pub(crate) const MOST_UNREAD: f64 = 0.9;

/// The greatest score of short texts that were sent on other days, by their datelines, have titles with little in common, or say the opposite.
pub(crate) const MOST_OF_OTHERS: f64 = 0.4;

/// The least score of one long text under titles that contradict each other, if few rows have it: a headline is worded anew, and what looks like a name or
/// a figure in it is often none: of 16 rows that lists of 17 tables name for it, 14 are copies (`docs/verdicts.md`). A clean-up does not remove them.
pub(crate) const LEAST_OF_MESSAGE: f64 = 0.6;

/// If the longer text is longer by this share of its units, the shorter one is an excerpt.
const EXCERPT: f64 = 0.25;

/// Below this share of the shorter text in the longer, two texts have little in common.
const APART: f64 = 0.3;

/// Two questions that differ in this share of their words are two messages, whatever text follows them.
const OTHER_QUESTION: f64 = 0.6;

/// From this share on, two texts have the same form.
const SAME_FORM: f64 = 0.6;

/// Returns how much longer one text is than the other, as a share of it.
fn more([a, b]: [usize; 2]) -> f64 {
    1.0 - a.min(b) as f64 / a.max(b).max(1) as f64
}

/// Names the verdict on two texts, one of which may be removed or not. `wholes` are the lengths of texts of which only the beginnings were compared.
pub(crate) fn verdict(is_copy: bool, inputs: &Inputs, texts: &Comparison, wholes: Option<[usize; 2]>) -> Verdict {
    let features = &inputs.texts;
    let (held, alike) = (features.held, features.alike);
    let hard = features.any_conflict > 0.0;
    if is_copy {
        let units = [&texts.a, &texts.b].map(|compared| compared.text.units.len());
        let is_excerpt = more(units) >= EXCERPT && alike < 1.0 - EXCERPT;
        if is_excerpt || wholes.is_some_and(|wholes| more(wholes) >= EXCERPT) {
            Verdict::Excerpt
        } else {
            Verdict::Copy
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trees_can_be_arranged() {
        assert!(TREES.arranged().is_some());
        assert!(TREES.splits.iter().all(|split| usize::from(split.number) < COUNT));
        let mut ends: Vec<i16> = TREES.splits.iter().flat_map(|split| split.next).filter(|next| *next < 0).collect();
        ends.sort_unstable();
        assert!(ends.windows(2).all(|two| two[0] != two[1]), "each leaf ends one way");
    }
}
