//! Which pairs an owner should be asked about, so that the answers teach most.
//!
//! An answer makes a corrected score surer for the pair itself and for pairs like it. Pairs are chosen one by one: each time the one that
//! lowers most what is left of the expected error of all pairs, their variance weighted by p (1 - p), as if the ones chosen before had been
//! answered (D. J. C. MacKay, *Information-based objective functions for active data selection*, 1992, section 5; the answers themselves
//! are not needed).

use super::alike::Place;
use super::correction::Measured;
use super::model::probability;

/// The most pairs to choose from: their covariances are kept.
pub const MOST: usize = 500;

/// Chooses pairs to ask about, in this order. Each pair has the number of pairs that it stands for; `answered` are pairs whose answers will be
/// known anyway. Of more than [`MOST`] pairs, the first ones are chosen from.
#[must_use]
pub fn teaching(pairs: &[(Measured, f64)], answered: &[Measured], count: usize) -> Vec<usize> {
    let pairs = &pairs[..pairs.len().min(MOST)];
    let places: Vec<Place> =
        pairs.iter().map(|(of, _)| of).chain(answered.iter().take(MOST)).map(Measured::place).collect();
    let curvature: Vec<f64> = places.iter().map(|of| probability(of.log_odds)).map(|p| p * (1.0 - p)).collect();
    let mut covariances: Vec<Vec<f64>> =
        places.iter().map(|a| places.iter().map(|b| a.covariance(b)).collect()).collect();
    for (at, curvature) in curvature.iter().enumerate().skip(pairs.len()) {
        answer(&mut covariances, at, *curvature);
    }
    let mut open: Vec<usize> = (0..pairs.len()).collect();
    let mut chosen = Vec::with_capacity(count.min(pairs.len()));
    while chosen.len() < count {
        let gain = |at: usize| {
            let weighed = covariances[at].iter().zip(pairs).zip(&curvature);
            let lowered: f64 = weighed.map(|((of, (_, weight)), curvature)| weight * curvature * of * of).sum();
            lowered / (covariances[at][at] + 1.0 / curvature[at])
        };
        // The first of equal ones.
        let best = open.iter().map(|&at| (gain(at), at)).reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((_, at)) = best else { break };
        answer(&mut covariances, at, curvature[at]);
        open.retain(|&other| other != at);
        chosen.push(at);
    }
    chosen
}

/// Takes out of all covariances what an answer about one of the pairs tells.
fn answer(covariances: &mut [Vec<f64>], at: usize, curvature: f64) {
    let own = covariances[at].clone();
    let total = own[at] + 1.0 / curvature;
    for (row, with) in covariances.iter_mut().zip(&own) {
        row.iter_mut().zip(&own).for_each(|(of, other)| *of -= with * other / total);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn measured(log_odds: f64, first: f64) -> Measured {
        let mut values = [0.5; Measured::LEN];
        values[0] = log_odds;
        values[1] = first;
        Measured::read(&values).unwrap()
    }

    #[test]
    fn what_is_asked_is_uncertain_and_not_asked_twice() {
        // Two kinds of pairs, and one that is as good as certain.
        let pairs = [
            (measured(0.1, 0.0), 1.0),
            (measured(0.0, 0.01), 1.0),
            (measured(0.2, 1.0), 1.0),
            (measured(8.0, 0.5), 1.0),
        ];
        assert_eq!(teaching(&pairs, &[], 2).len(), 2);
        let kinds = |chosen: Vec<usize>| {
            chosen.iter().map(|at| usize::from(*at >= 2)).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(kinds(teaching(&pairs, &[], 2)).len(), 2, "one of each kind");
        assert_eq!(*teaching(&pairs, &[], 4).last().unwrap(), 3, "the certain one last");
        assert_eq!(teaching(&pairs, &[measured(0.1, 0.0), measured(0.1, 0.0)], 1), [2], "the kind that has no answers");
        assert_eq!(teaching(&pairs, &[], 9).len(), 4);
        assert_eq!(teaching(&[], &[], 3), Vec::<usize>::new());
    }

    #[test]
    fn what_stands_for_many_is_asked_first() {
        let of = |weight| [(measured(0.0, 0.0), 1.0), (measured(0.0, 1.0), weight)];
        assert_eq!(teaching(&of(0.1), &[], 1), [0]);
        assert_eq!(teaching(&of(10.0), &[], 1), [1]);
    }
}
