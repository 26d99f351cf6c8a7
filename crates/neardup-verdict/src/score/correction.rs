//! A correction of the model for one table, learned from its owner's answers.
//!
//! What a copy is differs from table to table: a mail archive keeps replies, a job board keeps cities apart. A correction is a Gaussian process
//! around the model ([`super::process`]): each answer moves the log odds of all pairs, most those of pairs like it ([`super::alike`]). Where no
//! answer is near, the corrected score is less sure.
//!
//! The same answers give the same correction: sums go in the order of the answers, and exponentials are computed in software.

use std::sync::{Arc, OnceLock};

pub use super::alike::{AGREEMENT, NUMBERS};
use super::alike::{ALIKE, COUNT, FACTOR, FAR, OF_FACTS, OF_TABLE, Place, Pulling, SHIFT, numbers, scaled};
use super::context::Inputs;
use super::model::{Missing, log_odds, probability};
use super::process::{Factor, Fit, Matrix, of_answer};

/// How far log odds may be from zero to be learned from.
const SURE: f64 = 9.2;

/// The share of the variance that makes a score less sure. All of it would be too much: the prior is wide, so that a few answers count.
const UNSURE: f64 = 0.3;

/// The least and the greatest factor of the log odds.
const FACTORS: (f64, f64) = (0.1, 10.0);

/// The fewest answers to learn from. All may be of one kind: then the prior keeps the correction small.
pub const FEWEST: usize = 10;

/// The most: each is kept, and asked for each pair.
pub const MOST: usize = 300;

/// From how many standard errors on the answers speak against a correction. Simulated, corrections that had to be better by one were refused more
/// often where they would have helped than where not, with a tenth of the answers wrong, too: the prior keeps a correction small that few answers
/// speak for.
const CERTAIN: f64 = 1.0;

/// A correction.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction(Arc<Process>);

#[derive(Debug)]
struct Process {
    answers: Vec<(Place, f64)>,
    /// What is added to all log odds, and their factor.
    shift: f64,
    factor: f64,
    /// Made when the first pair is corrected: it takes by far the longest, and who only reads settings needs none.
    variance: OnceLock<Factor>,
    all: Pulling,
    /// Those that pull upwards.
    upwards: Pulling,
}

/// What is learned of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The log odds of the general model.
    pub log_odds: f64,
    /// Its [`NUMBERS`], as the model has them.
    pub numbers: [f64; COUNT],
}

/// What was learned.
#[derive(Clone, Debug, PartialEq)]
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
    /// Says whether the answers show the correction to be worse than none.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.after - self.before > CERTAIN * self.error
    }
}

impl Measured {
    /// How many values make the list of one pair.
    pub const LEN: usize = 1 + COUNT;

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
        let numbers: [f64; COUNT] = numbers.try_into().ok()?;
        let all_finite = log_odds.is_finite() && numbers.iter().all(|number| number.is_finite());
        all_finite.then_some(Self { log_odds: log_odds.clamp(-SURE, SURE), numbers })
    }

    /// Returns the score of the pair.
    #[must_use]
    pub fn score(&self, correction: Option<&Correction>) -> f64 {
        probability(correction.map_or(self.log_odds, |of| of.0.corrected(self.log_odds, &self.numbers)))
    }

    /// Returns the place of the pair, in as many digits as are kept.
    pub(super) fn place(&self) -> Place {
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        Place { log_odds: rounded(self.log_odds), numbers: scaled(&self.numbers).map(rounded) }
    }
}

fn kernel(places: &[Place]) -> Matrix {
    places.iter().map(|a| places.iter().map(|b| a.covariance(b)).collect()).collect()
}

impl PartialEq for Process {
    /// All the rest follows from the answers.
    fn eq(&self, other: &Self) -> bool {
        self.answers == other.answers
    }
}

impl Process {
    fn new(answers: Vec<(Place, f64)>) -> Self {
        Self {
            shift: SHIFT * answers.iter().map(|(_, pull)| pull).sum::<f64>(),
            factor: (1.0 + FACTOR * answers.iter().map(|(place, pull)| place.log_odds * pull).sum::<f64>())
                .clamp(FACTORS.0, FACTORS.1),
            variance: OnceLock::new(),
            all: Pulling::new(&answers, |_| true),
            upwards: Pulling::new(&answers, |pull| pull > 0.0),
            answers,
        }
    }

    fn variance(&self) -> &Factor {
        self.variance.get_or_init(|| {
            let places: Vec<Place> = self.answers.iter().map(|(place, _)| *place).collect();
            // At the fit, an answer pulls by what its probability p lacks of it, and the curvature of its likelihood is p (1 - p).
            let curvature = self.answers.iter().map(|(_, pull)| pull.abs() * (1.0 - pull.abs()));
            Factor::new(&kernel(&places), curvature)
        })
    }

    fn corrected(&self, log_odds: f64, numbers: &[f64; COUNT]) -> f64 {
        let numbers = scaled(numbers);
        let place = Place { log_odds: log_odds.clamp(-SURE, SURE), numbers };
        let alike: Vec<f64> = self.all.apart(&numbers).into_iter().map(|apart| libm::exp(-apart)).collect();
        let near: f64 = self.all.pulls.iter().zip(&alike).map(|(pull, alike)| pull * alike).sum();
        let with = |((of, _), alike): (&(Place, f64), &f64)| of.covariance_if(*alike, &place);
        let covariances: Vec<f64> = self.answers.iter().zip(&alike).map(with).collect();
        let variance = (place.covariance(&place) - self.variance().explained(&covariances)).max(0.0);
        less_sure(self.shift + self.factor * log_odds + ALIKE * near, variance)
    }

    fn least(&self, least: f64, numbers: &[f64; COUNT], known: usize) -> f64 {
        let apart = self.upwards.apart(&scaled(numbers)[..known]);
        // Cheaper than the exponential, and never less: the first terms of the series of its inverse.
        let at_most = |x: f64| 1.0 / (1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0))));
        let most: f64 = self.upwards.pulls.iter().zip(apart).map(|(pull, apart)| pull * at_most(apart)).sum();
        (least - self.shift - ALIKE * most) / self.factor
    }
}

/// Returns log odds whose probability is about the mean over odds with this variance (D. J. C. MacKay, *The evidence framework applied to
/// classification networks*, 1992, equation 19).
fn less_sure(log_odds: f64, variance: f64) -> f64 {
    log_odds / (1.0 + std::f64::consts::FRAC_PI_8 * UNSURE * variance).sqrt()
}

impl Correction {
    /// Reads a correction; `None` if its parts are out of range.
    #[must_use]
    pub fn new(parts: &[Vec<f64>]) -> Option<Self> {
        if !(1..=MOST).contains(&parts.len()) {
            return None;
        }
        let within = |value: f64, most: f64| (-most..=most).contains(&value);
        let read = |part: &Vec<f64>| {
            let [log_odds, numbers @ .., pull] = &part[..] else { return None };
            let numbers: [f64; COUNT] = numbers.try_into().ok()?;
            let is_valid = within(*log_odds, SURE) && within(*pull, 1.0) && numbers.iter().all(|of| within(*of, FAR));
            is_valid.then_some((Place { log_odds: *log_odds, numbers }, *pull))
        };
        let answers: Option<Vec<_>> = parts.iter().map(read).collect();
        Some(Self(Arc::new(Process::new(answers?))))
    }

    /// Returns its parts, one for each answer: the log odds, the numbers in deviations, and how much it pulls.
    #[must_use]
    pub fn parts(&self) -> Vec<Vec<f64>> {
        let of = |(place, pull): &(Place, f64)| [&[place.log_odds], &place.numbers[..], &[*pull]].concat();
        self.0.answers.iter().map(of).collect()
    }

    /// Corrects the log odds of a pair.
    pub(crate) fn corrected(&self, log_odds: f64, inputs: &Inputs) -> f64 {
        self.0.corrected(log_odds, &numbers(inputs))
    }

    /// Returns the log odds of the general model below which none of a pair are corrected to `least`, which must not be negative, whatever is
    /// missing.
    pub(crate) fn least(&self, least: f64, inputs: &Inputs, missing: Missing) -> f64 {
        let known = if missing.facts {
            OF_FACTS
        } else if missing.table {
            OF_TABLE
        } else {
            COUNT
        };
        self.0.least(least, &numbers(inputs), known)
    }

    /// Learns from answers: pairs, each with whether it is a copy. `None` if there are too few, or more than [`MOST`].
    #[must_use]
    pub fn learn(answers: &[(Measured, bool)]) -> Option<Learned> {
        if !(FEWEST..=MOST).contains(&answers.len()) {
            return None;
        }
        let places: Vec<Place> = answers.iter().map(|(measured, _)| measured.place()).collect();
        let model: Vec<f64> = places.iter().map(|place| place.log_odds).collect();
        let truths: Vec<f64> = answers.iter().map(|(_, is_copy)| f64::from(u8::from(*is_copy))).collect();
        let kernel = kernel(&places);
        let fit = Fit::new(&kernel, &model, &truths);
        let without = fit.without_each(&kernel, &truths);
        let costs: Vec<(f64, f64)> = without
            .iter()
            .zip(model.iter().zip(&truths))
            .map(|((of, variance), (model, truth))| (capped(*model, *truth), capped(less_sure(*of, *variance), *truth)))
            .collect();
        let count = costs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| costs.iter().map(of).sum::<f64>() / count;
        let (before, after) = (mean(|cost| cost.0), mean(|cost| cost.1));
        let spread = costs.iter().map(|cost| (cost.0 - cost.1 - (before - after)).powi(2)).sum::<f64>() / (count - 1.0);
        let pulls = fit.pulls.iter().map(|pull| (pull.clamp(-1.0, 1.0) * 1e6).round() / 1e6);
        let correction = Self(Arc::new(Process::new(places.into_iter().zip(pulls).collect())));
        Some(Learned { correction, before, after, error: (spread / count).sqrt() })
    }
}

/// The cost of an answer, no more than that of one against log odds that are as sure as they can be.
fn capped(log_odds: f64, truth: f64) -> f64 {
    of_answer(log_odds.clamp(-SURE, SURE), truth)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::array::from_fn;

    use proptest::prelude::*;

    use super::*;
    use crate::score::alike::MEANS;

    fn measured(log_odds: f64) -> Measured {
        Measured { log_odds, numbers: MEANS }
    }

    fn answers() -> impl Strategy<Value = Vec<(Measured, bool)>> {
        let measured = (-9.0_f64..9.0, prop::array::uniform15(-1.0_f64..5.0), any::<bool>())
            .prop_map(|(log_odds, numbers, is_copy)| (Measured { log_odds, numbers }, is_copy));
        prop::collection::vec(measured, FEWEST..40)
    }

    #[test]
    fn an_owner_who_keeps_more_is_followed() {
        let answers: Vec<_> =
            (0..24).map(|at| f64::from(at) / 2.0 - 6.0).map(|odds| (measured(odds), odds > 3.0)).collect();
        let learned = Correction::learn(&answers).unwrap();
        assert!(learned.after < learned.before && !learned.is_worse(), "{learned:?}");
        let of = |log_odds: f64| measured(log_odds).score(Some(&learned.correction));
        assert!(of(1.0) < 0.5 && of(5.0) > 0.5, "{learned:?}");
    }

    #[test]
    fn an_answer_holds_for_pairs_like_it() {
        let of = |log_odds: f64, replaced: f64| {
            let mut of = measured(log_odds);
            of.numbers[2] = replaced;
            of
        };
        let answers: Vec<_> = (0..24).map(|at| (of(2.0, if at % 2 == 0 { 0.0 } else { 0.8 }), at % 2 == 0)).collect();
        let correction = Correction::learn(&answers).unwrap().correction;
        let score = |replaced: f64| of(2.0, replaced).score(Some(&correction));
        assert!(score(0.05) > 0.5 && score(0.75) < 0.5, "{} {}", score(0.05), score(0.75));
    }

    #[test]
    fn a_correction_that_is_worse_shows_it() {
        assert_eq!(Correction::learn(&[(measured(1.0), true); FEWEST - 1]), None, "too few");
        assert_eq!(Correction::learn(&[(measured(1.0), true); MOST + 1]), None, "too many");
        let agreeing: Vec<_> =
            (0..30).map(|at| f64::from(at) / 2.0 - 7.0).map(|odds| (measured(odds), odds > 0.0)).collect();
        let as_often: Vec<_> = (0..40).map(|at| (measured(0.0), at % 2 == 0)).collect();
        let learned = Correction::learn(&as_often).unwrap();
        assert!(learned.is_worse(), "{learned:?}");
        assert!(!Correction::learn(&agreeing).unwrap().is_worse());
        assert_eq!(Correction::learn(&agreeing), Correction::learn(&agreeing), "deterministic");
    }

    #[test]
    fn parts_out_of_range_are_refused() {
        let learned = Correction::learn(&[(measured(1.0), false); FEWEST]).unwrap().correction;
        let parts = learned.parts();
        assert_eq!(Correction::new(&parts), Some(learned));
        assert_eq!(Correction::new(&[]), None);
        assert_eq!(Correction::new(&[vec![1.0; COUNT + 1]]), None);
        assert_eq!(Correction::new(&[vec![1.0; COUNT + 3]]), None);
        for (at, value) in [(0, 9.3), (3, -3.1), (COUNT + 1, 1.1), (COUNT + 1, f64::NAN), (0, f64::INFINITY)] {
            let mut wrong = parts.clone();
            wrong[2][at] = value;
            assert_eq!(Correction::new(&wrong), None, "{at} {value}");
        }
    }

    proptest! {
        #[test]
        fn the_least_log_odds_are_a_bound(
            answers in answers(),
            numbers in prop::array::uniform15(-1.0_f64..5.0),
            unknown in prop::array::uniform15(-1.0_f64..5.0),
            log_odds in -12.0_f64..12.0,
            least in 0.0_f64..4.0,
            known in prop_oneof![Just(OF_FACTS), Just(OF_TABLE), Just(COUNT)],
        ) {
            let correction = Correction::learn(&answers).unwrap().correction;
            let other: [f64; COUNT] = from_fn(|at| if at < known { numbers[at] } else { unknown[at] });
            let bound = correction.0.least(least, &numbers, known);
            if correction.0.corrected(log_odds, &other) >= least {
                prop_assert!(log_odds >= bound - 1e-9);
            }
        }

        #[test]
        fn what_is_kept_is_what_was_learned(answers in answers(), numbers in prop::array::uniform15(-1.0_f64..5.0), log_odds in -9.0_f64..9.0) {
            let correction = Correction::learn(&answers).unwrap().correction;
            let read = Correction::new(&correction.parts()).unwrap();
            let of = Measured { log_odds, numbers };
            prop_assert_eq!(of.score(Some(&correction)), of.score(Some(&read)));
            prop_assert!((0.0..=1.0).contains(&of.score(Some(&read))));
        }
    }
}
