//! A logistic regression on standardised numbers, with signed weights.
//!
//! Iteratively reweighted least squares by coordinates (Friedman, Hastie, Tibshirani 2010, section 3): sums go in the order of the samples, so the
//! same samples give the same weights everywhere.

use neardup_verdict::line::Term;
use neardup_verdict::model::probability;

use super::boost::Sample;

/// Standard deviations from the mean beyond which a number says no more.
const FARTHEST: f64 = 3.0;

/// Half of it times the square of each weight is added to the loss; samples have a mean weight of 1.
const PENALTY: f64 = 200.0;

const OUTER: usize = 15;
const INNER: usize = 8;

/// What is fitted: the constant, and a term for each number.
pub struct Fitted {
    pub constant: f64,
    pub terms: Vec<Term>,
}

/// Fits the weights of the numbers. A weight has the sign of its number, or any sign for 0.
pub fn fit(samples: &[Sample<'_>], signs: &[i8]) -> Fitted {
    let total: f64 = samples.len() as f64;
    let columns: Vec<(f64, f64, Vec<f64>)> = (0..signs.len())
        .map(|number| {
            let of = || samples.iter().map(|sample| sample.numbers[number]);
            let mean = of().sum::<f64>() / total;
            let deviation = (of().map(|value| (value - mean) * (value - mean)).sum::<f64>() / total).sqrt();
            let deviation = if deviation > 0.0 { deviation } else { 1.0 };
            let column = of().map(|value| ((value - mean) / deviation).clamp(-FARTHEST, FARTHEST)).collect();
            (mean, deviation, column)
        })
        .collect();
    let mut weights = vec![0.0; signs.len()];
    let mut constant = 0.0;
    let mut sums = vec![0.0; samples.len()];
    for _ in 0..OUTER {
        // The loss around the present weights is a sum of squares with these curvatures and these distances to their least.
        let (curvatures, mut distances): (Vec<f64>, Vec<f64>) = samples
            .iter()
            .zip(&sums)
            .map(|(sample, sum)| {
                let p = probability(*sum);
                let curvature = (p * (1.0 - p)).max(1e-3);
                (sample.weight * curvature, (sample.truth - p) / curvature)
            })
            .unzip();
        let whole: f64 = curvatures.iter().sum();
        let squares: Vec<f64> = columns
            .iter()
            .map(|(_, _, column)| {
                column.iter().zip(&curvatures).map(|(value, curvature)| curvature * value * value).sum()
            })
            .collect();
        for _ in 0..INNER {
            let step = distances.iter().zip(&curvatures).map(|(of, curvature)| of * curvature).sum::<f64>() / whole;
            constant += step;
            distances.iter_mut().for_each(|of| *of -= step);
            for (((_, _, column), square), (weight, sign)) in
                columns.iter().zip(&squares).zip(weights.iter_mut().zip(signs))
            {
                let slope: f64 = column
                    .iter()
                    .zip(&distances)
                    .zip(&curvatures)
                    .map(|((value, of), curvature)| curvature * value * of)
                    .sum();
                let best = (slope + square * *weight) / (square + PENALTY);
                let best = match sign {
                    0 => best,
                    1.. => best.max(0.0),
                    _ => best.min(0.0),
                };
                let step = best - *weight;
                if step != 0.0 {
                    *weight = best;
                    distances.iter_mut().zip(column).for_each(|(of, value)| *of -= step * value);
                }
            }
        }
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum = constant
                + columns.iter().zip(&weights).map(|((_, _, column), weight)| weight * column[at]).sum::<f64>();
        }
    }
    let terms = columns.iter().zip(&weights).map(|((mean, deviation, _), weight)| {
        // A term is the weight times the number's distance from the mean.
        let far = FARTHEST * deviation;
        Term { weight: (weight / deviation) as f32, least: (mean - far) as f32, most: (mean + far) as f32 }
    });
    let terms: Vec<Term> = terms.collect();
    let constant = constant
        - columns.iter().zip(&weights).map(|((mean, deviation, _), weight)| weight / deviation * mean).sum::<f64>();
    Fitted { constant, terms }
}
