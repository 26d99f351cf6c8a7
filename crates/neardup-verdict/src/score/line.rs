//! The linear part of the model: a logistic regression (Cox 1958) on clamped numbers.
//!
//! Trees are right more often where tables are like those they were grown on, a regression where they are not: so that some of each is better than
//! either (`docs/accuracy.md`).

/// What one number adds: the weight times the number, which says no more beyond `least` and `most`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The weight, as log odds for each 1 of the number.
    pub weight: f32,
    /// The least value that counts.
    pub least: f32,
    /// The greatest value that counts.
    pub most: f32,
}

impl Term {
    /// Returns what a value adds.
    #[must_use]
    pub fn of(&self, number: f64) -> f64 {
        f64::from(self.weight) * number.clamp(self.least.into(), self.most.into())
    }

    /// Returns what a value adds beyond the middle one.
    #[must_use]
    pub fn beyond_middle(&self, number: f64) -> f64 {
        self.of(number) - f64::from(self.weight) * (f64::from(self.least) + f64::from(self.most)) / 2.0
    }

    /// Returns the most that any value of a range adds.
    #[must_use]
    pub fn most(&self, least: f64, most: f64) -> f64 {
        self.of(if self.weight < 0.0 { least } else { most })
    }
}

/// Returns a sum that no numbers surpass that are at least `least` and at most `most`, one by one. It is the sum of the terms if the two are the
/// same.
#[must_use]
pub fn most(terms: &[Term], least: &[f64], most: &[f64]) -> f64 {
    terms.iter().zip(least).zip(most).map(|((term, least), most)| term.most(*least, *most)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_value_surpasses_the_bound(
            terms in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..0.0, 0.0_f32..1.0), 4),
            ends in prop::collection::vec((-1.5_f64..1.5, 0.0_f64..1.5), 4),
            within in prop::collection::vec(0.0_f64..1.0, 4),
        ) {
            let terms: Vec<Term> = terms.into_iter().map(|(weight, least, most)| Term { weight, least, most }).collect();
            let [from, to]: [Vec<f64>; 2] = [0.0, 1.0].map(|of| ends.iter().map(|(from, wide)| from + of * wide).collect());
            let numbers: Vec<f64> = ends.iter().zip(within).map(|((from, wide), at)| from + at * wide).collect();
            let sum = terms.iter().zip(&numbers).map(|(term, of)| term.of(*of)).sum::<f64>();
            prop_assert!(sum <= most(&terms, &from, &to) + 1e-9);
            prop_assert!((most(&terms, &numbers, &numbers) - sum).abs() < 1e-9);
        }
    }
}
