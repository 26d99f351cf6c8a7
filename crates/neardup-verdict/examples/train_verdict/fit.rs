//! A logistic regression with a quadratic penalty and a sign for each weight, by coordinate descent.
//!
//! The same samples give the same weights everywhere: sums go in the order of the samples, and exponentials are computed in software.

use neardup_verdict::model::probability;

/// Rounds of the descent; the weights stand still to three decimals after about 150.
const ROUNDS: usize = 300;

/// One observation.
pub struct Sample<const N: usize> {
    pub values: [f64; N],
    /// Log odds to which the weighted values are added.
    pub offset: f64,
    /// 1 or 0.
    pub truth: f64,
    pub weight: f64,
}

/// Finds weights, and a constant if there is one, for values with names and signs. `strength` is that of the penalty on standardized weights.
pub fn fit<const N: usize>(
    samples: &[Sample<N>],
    names: &[(&str, i8); N],
    has_constant: bool,
    strength: f64,
) -> ([f64; N], f64) {
    let total: f64 = samples.iter().map(|sample| sample.weight).sum();
    let (mut means, mut scales) = ([0.0; N], [0.0; N]);
    for i in 0..N {
        let mean = samples.iter().map(|sample| sample.values[i] * sample.weight).sum::<f64>() / total;
        let variance = samples.iter().map(|sample| sample.weight * (sample.values[i] - mean).powi(2)).sum::<f64>();
        // Without a constant, zero has to stay zero.
        means[i] = if has_constant { mean } else { 0.0 };
        scales[i] = (variance / total).sqrt().max(1e-3);
    }
    let row = |sample: &Sample<N>| -> [f64; N] { std::array::from_fn(|i| (sample.values[i] - means[i]) / scales[i]) };
    let rows: Vec<[f64; N]> = samples.iter().map(row).collect();
    let (mut weights, mut constant) = ([0.0; N], 0.0);
    for _ in 0..ROUNDS {
        // One weight after the other, each to the minimum of the parabola at its place, within the sign it may have.
        let sum = |(row, sample): (&[f64; N], &Sample<N>)| {
            sample.offset + constant + row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>()
        };
        let mut sums: Vec<f64> = rows.iter().zip(samples).map(sum).collect();
        for i in 0..N + usize::from(has_constant) {
            let (penalty, sign, old) = match names.get(i) {
                Some(&(_, sign)) => (strength, sign, weights[i]),
                None => (0.0, 0, constant),
            };
            let (mut gradient, mut curvature) = (penalty * old, penalty + 1e-9);
            let value = |row: &[f64; N]| row.get(i).copied().unwrap_or(1.0);
            for ((row, sample), sum) in rows.iter().zip(samples).zip(&sums) {
                let p = probability(*sum);
                gradient += sample.weight * (p - sample.truth) * value(row);
                curvature += sample.weight * (p * (1.0 - p)) * value(row).powi(2);
            }
            let mut target = old - gradient / curvature;
            if f64::from(sign) * target < 0.0 {
                target = 0.0;
            }
            let step = (target - old).clamp(-1.0, 1.0);
            for (row, sum) in rows.iter().zip(&mut sums) {
                *sum += step * value(row);
            }
            match weights.get_mut(i) {
                Some(weight) => *weight += step,
                None => constant += step,
            }
        }
    }
    for i in 0..N {
        weights[i] /= scales[i];
        constant -= weights[i] * means[i];
    }
    (weights, constant)
}
