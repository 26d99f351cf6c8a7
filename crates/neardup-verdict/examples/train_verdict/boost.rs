//! Gradient boosting with monotone splits, by histograms, leaf by leaf (Friedman 2001; Ke et al. 2017; monotone bounds as in XGBoost).
//!
//! The same samples give the same trees everywhere: sums go in the order of the samples, and exponentials are computed in software.

use neardup_verdict::model::probability;
use neardup_verdict::trees::{Split, Trees};

/// How trees grow.
pub struct Growth {
    pub trees: usize,
    /// The share of each tree that counts.
    pub rate: f64,
    pub leaves: usize,
    /// The least number of samples in a leaf.
    pub samples: usize,
    /// Added to the curvature of a leaf.
    pub penalty: f64,
}

/// The most thresholds of a number.
const THRESHOLDS: usize = 63;

pub struct Sample<'s> {
    pub numbers: &'s [f64],
    pub truth: f64,
    pub weight: f64,
}

/// Trees that own their parts.
pub struct Grown {
    pub constant: f64,
    pub roots: Vec<i16>,
    pub splits: Vec<Split>,
    pub leaves: Vec<f32>,
}

impl Grown {
    pub fn trees(&self) -> Trees<'_> {
        Trees { constant: self.constant, roots: &self.roots, splits: &self.splits, leaves: &self.leaves }
    }
}

#[derive(Clone, Copy, Default)]
struct Sum {
    gradient: f64,
    curvature: f64,
    count: usize,
}

impl Sum {
    fn minus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            curvature: self.curvature - other.curvature,
            count: self.count - other.count,
        }
    }
}

struct Leaf {
    samples: Vec<u32>,
    sum: Sum,
    value: f64,
    bounds: (f64, f64),
    best: Option<Best>,
    /// The split above, and which of its sides this is.
    above: Option<(usize, usize)>,
}

#[derive(Clone, Copy)]
struct Best {
    gain: f64,
    number: usize,
    threshold: usize,
    values: [f64; 2],
}

/// Grows trees. `signs` says for each number which way it may speak: 1, -1, or 0 for either.
pub fn grow(samples: &[Sample<'_>], signs: &[i8], growth: &Growth) -> Grown {
    let numbers = signs.len();
    let thresholds: Vec<Vec<f32>> = (0..numbers).map(|number| thresholds(samples, number)).collect();
    // The bin of each sample, number by number.
    let bins: Vec<Vec<u8>> = (0..numbers)
        .map(|number| {
            let of = &thresholds[number];
            let bin = |sample: &Sample<'_>| of.partition_point(|at| f64::from(*at) <= sample.numbers[number]) as u8;
            samples.iter().map(bin).collect()
        })
        .collect();
    let total: f64 = samples.iter().map(|sample| sample.weight).sum();
    let share = samples.iter().map(|sample| sample.weight * sample.truth).sum::<f64>() / total;
    let constant = libm::log(share / (1.0 - share));
    let mut grown = Grown { constant, roots: Vec::new(), splits: Vec::new(), leaves: Vec::new() };
    let mut sums = vec![constant; samples.len()];
    for _ in 0..growth.trees {
        let slopes: Vec<(f64, f64)> = samples
            .iter()
            .zip(&sums)
            .map(|(sample, sum)| {
                let p = probability(*sum);
                (sample.weight * (p - sample.truth), sample.weight * p * (1.0 - p))
            })
            .collect();
        tree(&bins, &thresholds, &slopes, signs, growth, &mut grown, &mut sums);
    }
    grown
}

fn thresholds(samples: &[Sample<'_>], number: usize) -> Vec<f32> {
    let mut values: Vec<f64> = samples.iter().map(|sample| sample.numbers[number]).collect();
    values.sort_unstable_by(f64::total_cmp);
    let mut distinct = values.clone();
    distinct.dedup();
    let middle = |pair: [f64; 2]| ((pair[0] + pair[1]) / 2.0) as f32;
    let mut found: Vec<f32> = if distinct.len() <= THRESHOLDS + 1 {
        distinct.windows(2).map(|pair| middle([pair[0], pair[1]])).collect()
    } else {
        let quantile = |at: usize| values[at * values.len() / (THRESHOLDS + 1)];
        let next = |value: f64| distinct[distinct.partition_point(|of| *of <= value).min(distinct.len() - 1)];
        (1..=THRESHOLDS).map(|at| middle([quantile(at), next(quantile(at))])).collect()
    };
    found.dedup();
    found
}

fn tree(
    bins: &[Vec<u8>],
    thresholds: &[Vec<f32>],
    slopes: &[(f64, f64)],
    signs: &[i8],
    growth: &Growth,
    grown: &mut Grown,
    sums: &mut [f64],
) {
    let value =
        |sum: Sum, bounds: (f64, f64)| (-sum.gradient / (sum.curvature + growth.penalty)).clamp(bounds.0, bounds.1);
    let best = |leaf: &Leaf| -> Option<Best> {
        let mut best: Option<Best> = None;
        for (number, of) in bins.iter().enumerate() {
            let mut histogram = vec![Sum::default(); thresholds[number].len() + 1];
            for &sample in &leaf.samples {
                let (gradient, curvature) = slopes[sample as usize];
                let bin = &mut histogram[usize::from(of[sample as usize])];
                bin.gradient += gradient;
                bin.curvature += curvature;
                bin.count += 1;
            }
            let mut below = Sum::default();
            for (threshold, bin) in histogram.iter().enumerate().take(thresholds[number].len()) {
                below.gradient += bin.gradient;
                below.curvature += bin.curvature;
                below.count += bin.count;
                let above = leaf.sum.minus(below);
                if below.count < growth.samples || above.count < growth.samples {
                    continue;
                }
                let values = [value(below, leaf.bounds), value(above, leaf.bounds)];
                if f64::from(signs[number]) * (values[1] - values[0]) < 0.0 {
                    continue;
                }
                // What a leaf of this value takes from the loss.
                let taken = |sum: Sum, value: f64| {
                    -(sum.gradient * value + (sum.curvature + growth.penalty) * value * value / 2.0)
                };
                let gain = taken(below, values[0]) + taken(above, values[1]) - taken(leaf.sum, leaf.value);
                if gain > best.map_or(1e-9, |best| best.gain) {
                    best = Some(Best { gain, number, threshold, values });
                }
            }
        }
        best
    };
    let mut all = Sum::default();
    for &(gradient, curvature) in slopes {
        all.gradient += gradient;
        all.curvature += curvature;
        all.count += 1;
    }
    let bounds = (f64::NEG_INFINITY, f64::INFINITY);
    let mut first = Leaf {
        samples: (0..slopes.len() as u32).collect(),
        sum: all,
        value: value(all, bounds),
        bounds,
        best: None,
        above: None,
    };
    first.best = best(&first);
    let mut leaves = vec![first];
    let root = grown.splits.len();
    while leaves.len() < growth.leaves {
        let gain = |leaf: &Leaf| leaf.best.map_or(0.0, |best| best.gain);
        let Some(at) = (0..leaves.len()).max_by(|&a, &b| gain(&leaves[a]).total_cmp(&gain(&leaves[b]))) else { break };
        let Some(Best { number, threshold, values, .. }) = leaves[at].best else { break };
        let leaf = leaves.swap_remove(at);
        let split = grown.splits.len();
        grown.splits.push(Split { number: number as u8, threshold: thresholds[number][threshold], next: [0; 2] });
        if let Some((of, side)) = leaf.above {
            grown.splits[of].next[side] = split as i16;
        }
        let (below, above): (Vec<u32>, Vec<u32>) =
            leaf.samples.iter().partition(|&&sample| usize::from(bins[number][sample as usize]) <= threshold);
        let middle = (values[0] + values[1]) / 2.0;
        for (side, samples) in [below, above].into_iter().enumerate() {
            let mut sum = Sum::default();
            for &sample in &samples {
                sum.gradient += slopes[sample as usize].0;
                sum.curvature += slopes[sample as usize].1;
                sum.count += 1;
            }
            // Deeper leaves must not cross what separates the two sides.
            let is_greater = (side == 1) == (signs[number] > 0);
            let bounds = match signs[number] {
                0 => leaf.bounds,
                _ if is_greater => (leaf.bounds.0.max(middle), leaf.bounds.1),
                _ => (leaf.bounds.0, leaf.bounds.1.min(middle)),
            };
            let mut new =
                Leaf { samples, sum, value: value(sum, bounds), bounds, best: None, above: Some((split, side)) };
            new.best = best(&new);
            leaves.push(new);
        }
    }
    for leaf in leaves {
        let place = -1 - grown.leaves.len() as i16;
        match leaf.above {
            Some((split, side)) => grown.splits[split].next[side] = place,
            None => {
                grown.roots.push(place);
            }
        }
        let added = (leaf.value * growth.rate) as f32;
        grown.leaves.push(added);
        for sample in leaf.samples {
            sums[sample as usize] += f64::from(added);
        }
    }
    if grown.splits.len() > root {
        grown.roots.push(root as i16);
    }
}
