//! How alike two pairs are, for an answer about one to hold for the other.
//!
//! Where a pair lies is its log odds by the model, and fifteen of its numbers in deviations from their means. The numbers and the widths were
//! chosen by simulated answers on 48 labelled tables: `train_verdict --answers` repeats that. None of these tables has columns in which copies
//! agree; how far those do is the fifteenth.

use std::array::from_fn;

use super::context::{Inputs, UNKNOWN};

/// The numbers of a pair by which it is like another one.
pub const NUMBERS: [&str; COUNT] = [
    "held",
    "anywhere_l",
    "replaced",
    "lacking_s",
    "lacking_l",
    "units_s",
    "longer_short",
    "inserted_l",
    "rare_replacements",
    "numbers_replaced",
    "agreement",
    "conflict_density",
    "similar",
    "others",
    "variety",
];

/// How many these are.
pub(super) const COUNT: usize = 15;

/// The first of those that need facts, and the first of those that the table tells.
pub(super) const OF_FACTS: usize = 11;
pub(super) const OF_TABLE: usize = 12;

/// Their mean and deviation in the labelled pairs of all tables.
const SCALES: [(f64, f64); COUNT] = [
    (0.77, 0.29),
    (0.68, 0.28),
    (0.15, 0.22),
    (1.20, 1.20),
    (2.31, 1.46),
    (3.82, 1.56),
    (0.27, 0.49),
    (0.71, 1.20),
    (0.69, 0.73),
    (0.16, 0.42),
    // If it is known.
    (0.50, 0.50),
    (0.14, 0.36),
    (0.99, 1.18),
    (0.66, 1.07),
    (0.29, 0.38),
];

/// How far columns agree of which nothing is known: so that it makes no pair more or less like another.
pub const AGREEMENT: f64 = 0.5;

/// Numbers that are their means.
#[cfg(test)]
pub(super) const MEANS: [f64; COUNT] = {
    let mut means = [0.0; COUNT];
    let mut at = 0;
    while at < COUNT {
        means[at] = SCALES[at].0;
        at += 1;
    }
    means
};

/// How far a number may be from its mean, in deviations.
pub(super) const FAR: f64 = 3.0;

/// Prior variances: of a shift of all log odds, of their factor, and of what holds for pairs that are alike.
pub(super) const SHIFT: f64 = 1.0;
pub(super) const FACTOR: f64 = 0.05;
pub(super) const ALIKE: f64 = 5.0;

/// The sum of squared distances at which pairs are alike by 1 / e: half a deviation in each number but the agreement of columns, twice squared.
const WIDTH: f64 = 2.0 * 0.25 * (COUNT - 1) as f64;

/// Where a pair lies among others: the model's log odds, and its numbers in deviations from their means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) log_odds: f64,
    pub(super) numbers: [f64; COUNT],
}

/// Answers, number by number, so that many are compared with a pair at once.
#[derive(Debug, PartialEq)]
pub(super) struct Pulling {
    pub(super) pulls: Vec<f64>,
    numbers: [Vec<f64>; COUNT],
}

impl Pulling {
    pub(super) fn new(answers: &[(Place, f64)], which: fn(f64) -> bool) -> Self {
        let chosen: Vec<&(Place, f64)> = answers.iter().filter(|(_, pull)| which(*pull)).collect();
        Self {
            pulls: chosen.iter().map(|(_, pull)| *pull).collect(),
            numbers: from_fn(|at| chosen.iter().map(|(place, _)| place.numbers[at]).collect()),
        }
    }

    /// Returns how far each is from a pair of which the first numbers are known: the exponent of how alike they are.
    pub(super) fn apart(&self, known: &[f64]) -> Vec<f64> {
        let mut apart = vec![0.0; self.pulls.len()];
        for (numbers, known) in self.numbers.iter().zip(known) {
            apart.iter_mut().zip(numbers).for_each(|(sum, of)| *sum += (of - known) * (of - known));
        }
        apart.iter_mut().for_each(|sum| *sum /= WIDTH);
        apart
    }
}

pub(super) fn numbers(inputs: &Inputs) -> [f64; COUNT] {
    let Inputs { texts, wording, .. } = inputs;
    let [similar, others, variety] =
        inputs.table.map_or([UNKNOWN; 3], |table| [table.similar, table.others, table.variety]);
    [
        texts.held,
        wording.anywhere_l,
        texts.replaced,
        wording.lacking_s,
        wording.lacking_l,
        wording.units_s,
        texts.longer_short,
        wording.inserted_l,
        wording.rare_replacements,
        wording.numbers_replaced,
        inputs.agreement.unwrap_or(AGREEMENT),
        texts.conflict_density,
        similar,
        others,
        variety,
    ]
}

pub(super) fn scaled(numbers: &[f64; COUNT]) -> [f64; COUNT] {
    from_fn(|at| ((numbers[at] - SCALES[at].0) / SCALES[at].1).clamp(-FAR, FAR))
}

impl Place {
    pub(super) fn covariance(&self, other: &Self) -> f64 {
        let apart: f64 = self.numbers.iter().zip(other.numbers).map(|(a, b)| (a - b) * (a - b)).sum();
        self.covariance_if(libm::exp(-apart / WIDTH), other)
    }

    /// Returns the covariance with a pair that is alike by this, 0 to 1.
    pub(super) fn covariance_if(&self, alike: f64, other: &Self) -> f64 {
        SHIFT + FACTOR * self.log_odds * other.log_odds + ALIKE * alike
    }
}
