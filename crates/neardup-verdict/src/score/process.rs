//! A Gaussian process around a given model, for yes and no: Laplace's approximation.
//!
//! After C. E. Rasmussen and C. K. I. Williams, *Gaussian Processes for Machine Learning* (2006): the fit is algorithm 3.1 with a prior mean
//! that is not zero, the variance algorithm 3.2. What an answer would be without itself comes from the fit in closed form, as for a regression
//! (equation 5.12) with the fit's curvature in place of the noise.

use super::model::probability;

/// Steps of Newton's method, which needs ten at most, and how often a step that goes too far is halved.
const STEPS: usize = 50;
const HALVINGS: usize = 30;

/// A symmetric matrix, or the lower triangle of its root, row by row.
pub(super) type Matrix = Vec<Vec<f64>>;

/// A fitted process.
pub(super) struct Fit {
    /// The log odds of each answer.
    pub(super) log_odds: Vec<f64>,
    /// How much each answer pulls: at the fit, the answer less its probability.
    pub(super) pulls: Vec<f64>,
    /// What is factored for variances.
    factor: Factor,
}

/// The curvature of the likelihood, and a factor of the posterior's precision.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Factor {
    /// Roots of the curvature.
    roots: Vec<f64>,
    /// Lower triangle of a Cholesky factor, column by column, each from the diagonal on: so many elements are subtracted at once.
    columns: Matrix,
}

impl Factor {
    /// Factors the process of answers with these pulls. The matrix that is factored has no eigenvalue below 1, so that it has a root.
    pub(super) fn new(kernel: &Matrix, curvature: impl Iterator<Item = f64>) -> Self {
        let roots: Vec<f64> = curvature.map(|of| of.max(0.0).sqrt()).collect();
        let mut lower: Matrix = Vec::with_capacity(roots.len());
        for (at, row) in kernel.iter().enumerate() {
            let mut own: Vec<f64> = Vec::with_capacity(at + 1);
            for (column, value) in row.iter().enumerate().take(at) {
                let above: &[f64] = &lower[column];
                own.push((roots[at] * value * roots[column] - dot(&own, above)) / above[column]);
            }
            let rest = 1.0 + roots[at] * row[at] * roots[at] - dot(&own, &own);
            own.push(rest.max(1.0).sqrt());
            lower.push(own);
        }
        let column = |at: usize| lower.iter().skip(at).map(|row| row[at]).collect();
        Self { columns: (0..lower.len()).map(column).collect(), roots }
    }

    /// Solves the factored system.
    fn solved(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = self.half_solved(right.to_vec());
        for (at, column) in self.columns.iter().enumerate().rev() {
            if let ([diagonal, below @ ..], [own, after @ ..]) = (&column[..], &mut solution[at..]) {
                *own = (*own - dot(below, after)) / diagonal;
            }
        }
        solution
    }

    fn half_solved(&self, mut solution: Vec<f64>) -> Vec<f64> {
        for (at, column) in self.columns.iter().enumerate() {
            if let ([diagonal, below @ ..], [own, after @ ..]) = (&column[..], &mut solution[at..]) {
                *own /= diagonal;
                after.iter_mut().zip(below).for_each(|(of, below)| *of -= below * *own);
            }
        }
        solution
    }

    /// Returns by how much the answers lower the variance at a place with these covariances.
    pub(super) fn explained(&self, covariances: &[f64]) -> f64 {
        let half = self.half_solved(covariances.iter().zip(&self.roots).map(|(of, root)| of * root).collect());
        dot(&half, &half)
    }
}

impl Fit {
    /// Fits a process to answers: the log odds of the model that it is around, and the answers, 0 or 1.
    pub(super) fn new(kernel: &Matrix, model: &[f64], answers: &[f64]) -> Self {
        let mut pulls = vec![0.0; answers.len()];
        let mut log_odds = model.to_vec();
        let mut cost = cost(&log_odds, &pulls, model, answers);
        let mut factor = factor_at(kernel, &log_odds);
        for _ in 0..STEPS {
            let wanted: Vec<f64> = log_odds
                .iter()
                .zip(model)
                .zip(answers)
                .map(|((of, model), answer)| {
                    let p = probability(*of);
                    p * (1.0 - p) * (of - model) + answer - p
                })
                .collect();
            let scaled: Vec<f64> =
                product(kernel, &wanted).iter().zip(&factor.roots).map(|(of, root)| of * root).collect();
            let solved = factor.solved(&scaled);
            let target: Vec<f64> =
                wanted.iter().zip(&factor.roots).zip(&solved).map(|((of, root), solved)| of - root * solved).collect();
            let better = (0..HALVINGS).find_map(|halvings| {
                let share = libm::pow(0.5, halvings as f64);
                let tried: Vec<f64> = pulls.iter().zip(&target).map(|(from, to)| from + share * (to - from)).collect();
                let odds: Vec<f64> = product(kernel, &tried).iter().zip(model).map(|(of, model)| of + model).collect();
                let found = self::cost(&odds, &tried, model, answers);
                (found < cost).then_some((found, tried, odds))
            });
            let Some((found, tried, odds)) = better else { break };
            let gained = cost - found;
            (cost, pulls, log_odds) = (found, tried, odds);
            factor = factor_at(kernel, &log_odds);
            if gained < 1e-12 {
                break;
            }
        }
        Self { log_odds, pulls, factor }
    }

    /// Returns for each answer the log odds that it would have without itself, and their variance.
    pub(super) fn without_each(&self, kernel: &Matrix, answers: &[f64]) -> Vec<(f64, f64)> {
        kernel
            .iter()
            .enumerate()
            .map(|(at, covariances)| {
                let (of, root) = (self.log_odds[at], self.factor.roots[at]);
                let variance = (covariances[at] - self.factor.explained(covariances)).max(0.0);
                let left = (1.0 - root * root * variance).max(1e-9);
                (of - variance * (answers[at] - probability(of)) / left, variance / left)
            })
            .collect()
    }
}

fn factor_at(kernel: &Matrix, log_odds: &[f64]) -> Factor {
    Factor::new(
        kernel,
        log_odds.iter().map(|of| {
            let p = probability(*of);
            p * (1.0 - p)
        }),
    )
}

/// What the answers cost with these log odds, and the penalty of having moved away from the model.
fn cost(log_odds: &[f64], pulls: &[f64], model: &[f64], answers: &[f64]) -> f64 {
    let answered = log_odds.iter().zip(answers).map(|(of, answer)| self::of_answer(*of, *answer));
    let moved = log_odds.iter().zip(model).zip(pulls).map(|((of, model), pull)| pull * (of - model) / 2.0);
    answered.chain(moved).sum()
}

/// The cost of an answer: the negative logarithm of the probability that the log odds give it.
pub(super) fn of_answer(log_odds: f64, answer: f64) -> f64 {
    let against = if answer > 0.5 { -log_odds } else { log_odds };
    if against > 0.0 { against + libm::log1p(libm::exp(-against)) } else { libm::log1p(libm::exp(against)) }
}

/// Sums in the order of the elements, over the shorter of the two.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn product(matrix: &Matrix, of: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, of)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Answers at places on a line, which are alike the nearer they are.
    fn kernel(places: &[f64]) -> Matrix {
        let covariance = |a: &f64, b: &f64| 1.0 + 4.0 * libm::exp(-(a - b) * (a - b));
        places.iter().map(|a| places.iter().map(|b| covariance(a, b)).collect()).collect()
    }

    fn answered() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Vec<f64>)> {
        prop::collection::vec((-3.0_f64..3.0, -5.0_f64..5.0, prop::bool::ANY), 4..24).prop_map(|all| {
            let answers = all.iter().map(|of| f64::from(u8::from(of.2))).collect();
            (all.iter().map(|of| of.0).collect(), all.iter().map(|of| of.1).collect(), answers)
        })
    }

    proptest! {
        #[test]
        fn a_fit_is_where_pulls_are_what_is_not_explained((places, model, answers) in answered()) {
            let fit = Fit::new(&kernel(&places), &model, &answers);
            for ((pull, of), answer) in fit.pulls.iter().zip(&fit.log_odds).zip(&answers) {
                prop_assert!((pull - (answer - probability(*of))).abs() < 1e-5);
            }
        }

        #[test]
        fn without_itself_an_answer_is_as_if_fitted_again((places, model, answers) in answered()) {
            let kernel = kernel(&places);
            let fit = Fit::new(&kernel, &model, &answers);
            let without = fit.without_each(&kernel, &answers);
            let mut off = 0.0;
            for at in 0..places.len() {
                let others = |of: &[f64]| -> Vec<f64> {
                    of.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, value)| *value).collect()
                };
                let rows: Matrix =
                    kernel.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, row)| others(row)).collect();
                let again = Fit::new(&rows, &others(&model), &others(&answers));
                let odds = model[at] + dot(&others(&kernel[at]), &again.pulls);
                off += (probability(odds) - probability(without[at].0)).abs();
            }
            prop_assert!(off / (places.len() as f64) < 0.05, "on average, the closed form is near: {}", off / places.len() as f64);
        }

        #[test]
        fn what_is_factored_is_solved((places, model, answers) in answered()) {
            let kernel = kernel(&places);
            let factor = factor_at(&kernel, &model);
            let solved = factor.solved(&answers);
            for (at, row) in kernel.iter().enumerate() {
                let scaled = row.iter().zip(&factor.roots).zip(&solved).map(|((of, root), solved)| of * root * solved);
                let back = solved[at] + factor.roots[at] * scaled.sum::<f64>();
                prop_assert!((back - answers[at]).abs() < 1e-9);
            }
        }

        #[test]
        fn answers_explain_some_of_the_variance((places, model, _) in answered(), at in -3.0_f64..3.0) {
            let factor = factor_at(&kernel(&places), &model);
            let covariances: Vec<f64> = places.iter().map(|of| 1.0 + 4.0 * libm::exp(-(of - at) * (of - at))).collect();
            prop_assert!((0.0..=5.0).contains(&factor.explained(&covariances)));
        }
    }
}
