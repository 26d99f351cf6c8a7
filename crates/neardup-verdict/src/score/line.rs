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

    /// Returns the most that any value adds.
    #[must_use]
    pub fn most(&self) -> f64 {
        self.of(if self.weight < 0.0 { self.least } else { self.most }.into())
    }
}

/// Returns a sum that no values of the numbers that are not `known` surpass. It is the sum of the terms if all are known.
#[must_use]
pub fn most(terms: &[Term], numbers: &[f64], known: &[bool]) -> f64 {
    let added = |((term, number), known): ((&Term, &f64), &bool)| if *known { term.of(*number) } else { term.most() };
    terms.iter().zip(numbers).zip(known).map(added).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_value_surpasses_the_bound(
            terms in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..0.0, 0.0_f32..1.0), 4),
            numbers in prop::collection::vec(-1.5_f64..1.5, 4),
            others in prop::collection::vec(-1.5_f64..1.5, 4),
            known in prop::collection::vec(any::<bool>(), 4),
        ) {
            let terms: Vec<Term> = terms.into_iter().map(|(weight, least, most)| Term { weight, least, most }).collect();
            let mixed: Vec<f64> = (0..4).map(|at| if known[at] { numbers[at] } else { others[at] }).collect();
            let all = [true; 4];
            prop_assert!(most(&terms, &mixed, &all) <= most(&terms, &numbers, &known) + 1e-9);
            prop_assert!((most(&terms, &mixed, &all) - terms.iter().zip(&mixed).map(|(term, of)| term.of(*of)).sum::<f64>()).abs() < 1e-9);
        }
    }
}
