//! A correction of the model for one table, learned from its owner's answers.
//!
//! What a copy is differs from table to table: a mail archive keeps replies, a job board keeps cities apart. The model's log odds are
//! shifted, stretched, and moved by a few of its numbers. Each of these is pulled to the general model ([`PULL`]), so that twenty answers
//! change little and a hundred more. The numbers and the pulls were chosen by simulated answers on 48 labelled tables, each scored by a model
//! that had not seen it: `train_verdict --answers` repeats that.
//!
//! The same answers give the same correction: sums go in the order of the answers, and exponentials are computed in software.

use super::context::Inputs;
use super::model::{log_odds, probability};

/// The numbers of a pair that a correction weighs: shared words of the longer text, similar rows, what is replaced, what the shorter text has
/// alone, its length, and contradictions by length.
pub const NUMBERS: [&str; WEIGHED] = ["anywhere_l", "similar", "replaced", "lacking_s", "units_s", "conflict_density"];

/// How many these are.
const WEIGHED: usize = 6;

/// How many numbers make a correction: what is added to the log odds, what is added to their factor of one, and the weights.
pub const COUNT: usize = 2 + WEIGHED;

/// Their mean and deviation in the labelled pairs of all tables.
const SCALES: [(f64, f64); WEIGHED] =
    [(0.72, 0.26), (1.1, 1.22), (0.11, 0.19), (1.02, 1.07), (3.88, 1.54), (0.12, 0.3)];

/// The place of the contradictions, and of what the table says, among these: both are unknown at first.
const CONFLICTS: usize = 5;
const SIMILAR: usize = 1;

/// How strongly each part is pulled to the general model.
const PULL: [f64; COUNT] = [1.0, 10.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0];

/// How far a number may be from its mean, in deviations.
const FAR: f64 = 3.0;

/// How far log odds may be from zero to be learned from.
const SURE: f64 = 9.2;

/// The least and the greatest factor of the log odds, and how far the other parts may be from zero.
const FACTORS: (f64, f64) = (0.1, 10.0);
const MOST: f64 = 20.0;

/// The fewest answers to learn from. All may be of one kind: then the pulls keep the correction small.
pub const FEWEST: usize = 10;

/// How many standard errors the answers must speak for a correction: by chance, one of twenty does.
const CERTAIN: f64 = 1.645;

/// A correction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Correction([f64; COUNT]);

/// What is learned of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The log odds of the general model.
    pub log_odds: f64,
    /// The numbers that are weighed, as the model has them.
    pub numbers: [f64; WEIGHED],
}

/// What was learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learned {
    /// The correction from all answers.
    pub correction: Correction,
    /// What each answer costs on average by the general model: the negative logarithm of the probability that it was given.
    pub before: f64,
    /// The same by a correction that was learned without it.
    pub after: f64,
    /// The standard error of the difference.
    pub error: f64,
}

impl Learned {
    /// Says whether the answers show the correction to be better.
    #[must_use]
    pub fn is_better(&self) -> bool {
        self.before - self.after > CERTAIN * self.error
    }
}

impl Measured {
    /// Takes what is learned of a pair.
    pub(crate) fn of(inputs: &Inputs) -> Self {
        Self { log_odds: log_odds(inputs).clamp(-SURE, SURE), numbers: numbers(inputs) }
    }

    /// Returns the log odds and the numbers in one list.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        [self.log_odds].into_iter().chain(self.numbers).collect()
    }

    /// Reads that list; `None` if it is of another model.
    #[must_use]
    pub fn read(values: &[f64]) -> Option<Self> {
        let (log_odds, numbers) = values.split_first()?;
        let numbers: [f64; WEIGHED] = numbers.try_into().ok()?;
        let all_finite = log_odds.is_finite() && numbers.iter().all(|number| number.is_finite());
        all_finite.then_some(Self { log_odds: log_odds.clamp(-SURE, SURE), numbers })
    }

    /// Returns the score of the pair.
    #[must_use]
    pub fn score(&self, correction: Option<Correction>) -> f64 {
        probability(self.log_odds + correction.map_or(0.0, |Correction(parts)| dot(&self.terms(), &parts)))
    }

    fn terms(&self) -> [f64; COUNT] {
        let mut terms = [1.0; COUNT];
        terms[1] = self.log_odds;
        for (term, (number, scale)) in terms.iter_mut().skip(2).zip(self.numbers.iter().zip(SCALES)) {
            *term = scaled(*number, scale);
        }
        terms
    }
}

fn numbers(inputs: &Inputs) -> [f64; WEIGHED] {
    [
        inputs.wording.anywhere_l,
        inputs.table.map_or(super::context::UNKNOWN, |table| table.similar),
        inputs.texts.replaced,
        inputs.wording.lacking_s,
        inputs.wording.units_s,
        inputs.texts.conflict_density,
    ]
}

fn scaled(number: f64, (mean, deviation): (f64, f64)) -> f64 {
    ((number - mean) / deviation).clamp(-FAR, FAR)
}

impl Correction {
    /// Reads a correction; `None` if its parts are out of range.
    #[must_use]
    pub fn new(parts: [f64; COUNT]) -> Option<Self> {
        let is_within = |part: &f64| (-MOST..=MOST).contains(part);
        (parts.iter().all(is_within) && (FACTORS.0..=FACTORS.1).contains(&(1.0 + parts[1]))).then_some(Self(parts))
    }

    /// Returns its parts.
    #[must_use]
    pub const fn parts(&self) -> [f64; COUNT] {
        self.0
    }

    /// Corrects the log odds of a pair.
    pub(crate) fn corrected(&self, log_odds: f64, inputs: &Inputs) -> f64 {
        log_odds + dot(&Measured { log_odds, numbers: numbers(inputs) }.terms(), &self.0)
    }

    /// Returns the log odds of the general model below which none of a pair are corrected to `least`, whatever contradictions are found and,
    /// if `asks_table`, whatever the table says.
    pub(crate) fn least(&self, least: f64, inputs: &Inputs, asks_table: bool) -> f64 {
        let [added, stretched, weights @ ..] = &self.0;
        let weighed = numbers(inputs).into_iter().zip(SCALES).zip(weights).enumerate();
        let most = weighed.map(|(at, ((number, scale), weight))| match at {
            SIMILAR if asks_table => weight.abs() * FAR,
            CONFLICTS if *weight > 0.0 => weight * FAR,
            _ => weight * scaled(number, scale),
        });
        (least - added - most.sum::<f64>()) / (1.0 + stretched)
    }

    /// Learns from answers: pairs, each with whether it is a copy. `None` if there are too few.
    #[must_use]
    pub fn learn(answers: &[(Measured, bool)]) -> Option<Learned> {
        if answers.len() < FEWEST {
            return None;
        }
        let all: Vec<([f64; COUNT], f64, f64)> = answers
            .iter()
            .map(|(measured, is_copy)| (measured.terms(), measured.log_odds, f64::from(u8::from(*is_copy))))
            .collect();
        let correction = Self(fitted(&all, None));
        let costs: Vec<(f64, f64)> = all
            .iter()
            .enumerate()
            .map(|(at, (terms, log_odds, truth))| {
                let without = fitted(&all, Some(at));
                (cost(*log_odds, *truth), cost(log_odds + dot(terms, &without), *truth))
            })
            .collect();
        let count = costs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| costs.iter().map(of).sum::<f64>() / count;
        let (before, after) = (mean(|cost| cost.0), mean(|cost| cost.1));
        let spread = costs.iter().map(|cost| (cost.0 - cost.1 - (before - after)).powi(2)).sum::<f64>() / (count - 1.0);
        Some(Learned { correction, before, after, error: (spread / count).sqrt() })
    }
}

/// The cost of an answer: the negative logarithm of the probability that the log odds give it.
fn cost(log_odds: f64, truth: f64) -> f64 {
    let p = probability(log_odds.clamp(-SURE, SURE));
    -libm::log(if truth > 0.5 { p } else { 1.0 - p })
}

fn dot(a: &[f64; COUNT], b: &[f64; COUNT]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What the answers cost with these parts, and the penalty.
fn total(answers: &[([f64; COUNT], f64, f64)], without: Option<usize>, parts: &[f64; COUNT]) -> f64 {
    let penalty: f64 = parts.iter().zip(PULL).map(|(part, pull)| pull * part * part / 2.0).sum();
    let of = |(terms, log_odds, truth): &([f64; COUNT], f64, f64)| {
        let odds = log_odds + dot(terms, parts);
        libm::log1p(libm::exp(if *truth > 0.5 { -odds } else { odds }.clamp(-500.0, 500.0)))
    };
    let others = answers.iter().enumerate().filter(|(at, _)| Some(*at) != without);
    penalty + others.map(|(_, answer)| of(answer)).sum::<f64>()
}

/// Fits the parts by Newton's method, without one of the answers: a logistic regression around the general model, with a penalty. A step that
/// would raise the cost is halved until it does not.
fn fitted(answers: &[([f64; COUNT], f64, f64)], without: Option<usize>) -> [f64; COUNT] {
    const STEPS: usize = 50;
    const HALVINGS: usize = 30;
    let mut parts = [0.0; COUNT];
    let mut cost = total(answers, without, &parts);
    for _ in 0..STEPS {
        let mut slope = [0.0; COUNT];
        let mut curve = [[0.0; COUNT]; COUNT];
        for at in 0..COUNT {
            slope[at] = PULL[at] * parts[at];
            curve[at][at] = PULL[at];
        }
        for (_, (terms, log_odds, truth)) in answers.iter().enumerate().filter(|(at, _)| Some(*at) != without) {
            let p = probability((log_odds + dot(terms, &parts)).clamp(-30.0, 30.0));
            for row in 0..COUNT {
                slope[row] += terms[row] * (p - truth);
                for column in 0..COUNT {
                    curve[row][column] += terms[row] * terms[column] * p * (1.0 - p);
                }
            }
        }
        let step = solved(curve, slope);
        let shorter = |share: f64| -> [f64; COUNT] {
            std::array::from_fn(|at| (parts[at] - step[at] * share).clamp(-MOST, MOST))
        };
        let tried = (0..HALVINGS).map(|halvings| shorter(libm::pow(0.5, halvings as f64)));
        let better = tried.map(|tried| (total(answers, without, &tried), tried)).find(|(of, _)| *of < cost);
        let Some((of, found)) = better else { break };
        let gained = cost - of;
        (cost, parts) = (of, found);
        if gained < 1e-12 {
            break;
        }
    }
    parts[1] = parts[1].clamp(FACTORS.0 - 1.0, FACTORS.1 - 1.0);
    parts
}

/// Solves a system of equations whose matrix is symmetric and positive definite, by elimination.
fn solved(mut matrix: [[f64; COUNT]; COUNT], mut right: [f64; COUNT]) -> [f64; COUNT] {
    for pivot in 0..COUNT {
        let above = matrix[pivot];
        for row in pivot + 1..COUNT {
            let share = matrix[row][pivot] / above[pivot];
            matrix[row].iter_mut().zip(above).skip(pivot).for_each(|(of, above)| *of -= share * above);
            right[row] -= share * right[pivot];
        }
    }
    let mut solution = [0.0; COUNT];
    for row in (0..COUNT).rev() {
        let known: f64 = (row + 1..COUNT).map(|column| matrix[row][column] * solution[column]).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    solution
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    fn measured(log_odds: f64) -> Measured {
        Measured { log_odds, numbers: SCALES.map(|(mean, _)| mean) }
    }

    #[test]
    fn an_owner_who_keeps_more_is_followed() {
        let answers: Vec<_> =
            (0..24).map(|at| f64::from(at) / 2.0 - 6.0).map(|odds| (measured(odds), odds > 3.0)).collect();
        let learned = Correction::learn(&answers).unwrap();
        assert!(learned.is_better(), "{learned:?}");
        let [added, stretched, ..] = learned.correction.parts();
        let of = |log_odds: f64| log_odds * (1.0 + stretched) + added;
        assert!(of(1.0) < 0.0 && of(5.0) > 0.0, "{learned:?}");
    }

    #[test]
    fn nothing_is_changed_without_proof() {
        assert_eq!(Correction::learn(&[(measured(1.0), true); 9]), None, "too few");
        let agreeing: Vec<_> =
            (0..30).map(|at| f64::from(at) / 2.0 - 7.0).map(|odds| (measured(odds), odds > 0.0)).collect();
        let general: Vec<_> = [-1.0, 1.0]
            .iter()
            .cycle()
            .take(40)
            .enumerate()
            .map(|(at, odds)| (measured(*odds), (at % 8 < 2) != (*odds > 0.0)))
            .collect();
        assert!(!Correction::learn(&general).unwrap().is_better());
        assert_eq!(Correction::learn(&agreeing), Correction::learn(&agreeing), "deterministic");
    }

    proptest! {
        #[test]
        fn a_fit_is_a_minimum(
            answers in prop::collection::vec((-5.0_f64..5.0, prop::array::uniform6(-2.0_f64..4.0), any::<bool>()), 10..30),
            at in 0_usize..COUNT,
            by in prop_oneof![Just(-0.05), Just(0.05)],
        ) {
            let all: Vec<_> = answers.iter().map(|(log_odds, numbers, truth)| {
                (Measured { log_odds: *log_odds, numbers: *numbers }.terms(), *log_odds, f64::from(u8::from(*truth)))
            }).collect();
            let parts = fitted(&all, None);
            let mut other = parts;
            other[at] += by;
            // A part that is kept within its limits is at no minimum.
            prop_assume!(parts[1] > FACTORS.0 - 1.0 + 1e-9 && parts[1] < FACTORS.1 - 1.0 - 1e-9);
            prop_assume!(parts.iter().all(|part| part.abs() < MOST));
            prop_assert!(total(&all, None, &parts) <= total(&all, None, &other) + 1e-9);
        }
    }
}
