//! Precision and recall at every threshold, and the threshold to take.

use super::method::Measure;

/// The outcome at one threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Pairs at least this similar, or at most this distant, are called duplicates.
    pub threshold: f64,
    /// How many pairs are called duplicates.
    pub called: u64,
    /// How many of these are duplicates.
    pub right: u64,
    /// How many duplicates there are in all.
    pub duplicates: u64,
}

impl Point {
    /// Returns the share of duplicates among the pairs called duplicates; 1 if there are none.
    #[must_use]
    pub fn precision(&self) -> f64 {
        if self.called == 0 { 1.0 } else { self.right as f64 / self.called as f64 }
    }

    /// Returns the share of the duplicates that are called duplicates; 1 if there are none.
    #[must_use]
    pub fn recall(&self) -> f64 {
        if self.duplicates == 0 { 1.0 } else { self.right as f64 / self.duplicates as f64 }
    }

    /// Returns the harmonic mean of precision and recall.
    #[must_use]
    pub fn f1(&self) -> f64 {
        let wrong_or_missed = (self.called - self.right) + (self.duplicates - self.right);
        let twice = 2 * self.right;
        if twice + wrong_or_missed == 0 { 1.0 } else { twice as f64 / (twice + wrong_or_missed) as f64 }
    }
}

/// Returns the outcome at each threshold, from strict to lax: distances 0 to 32, or similarities 1.00 down to 0.05 in steps of
/// 0.05.
///
/// `pairs` are a measure's values, each with whether the pair is a duplicate.
#[must_use]
pub fn curve(measure: Measure, pairs: &[(f32, bool)]) -> Vec<Point> {
    let thresholds: Vec<f64> = if measure.is_distance() {
        (0..=32).map(f64::from).collect()
    } else {
        (1..=20).rev().map(|step| f64::from(step) / 20.0).collect()
    };
    let duplicates = pairs.iter().filter(|(_, duplicate)| *duplicate).count() as u64;
    let mut points: Vec<Point> =
        thresholds.iter().map(|&threshold| Point { threshold, called: 0, right: 0, duplicates }).collect();
    for &(value, duplicate) in pairs {
        // A similarity of 0.95 may arrive as 0.94999999.
        let value = f64::from(value);
        let first = points.partition_point(|point| {
            if measure.is_distance() { point.threshold < value } else { point.threshold > value + 1e-6 }
        });
        if let Some(point) = points.get_mut(first) {
            point.called += 1;
            point.right += u64::from(duplicate);
        }
    }
    let (mut called, mut right) = (0, 0);
    for point in &mut points {
        called += point.called;
        right += point.right;
        (point.called, point.right) = (called, right);
    }
    points
}

/// Returns the point for a wanted precision: of those that reach it and call at least one pair, the one with the best recall, the
/// strictest of equals; `None` if there is none.
#[must_use]
pub fn best(points: &[Point], precision: f64) -> Option<Point> {
    let reaching = points.iter().filter(|point| point.called > 0 && point.precision() >= precision);
    reaching.fold(None, |best: Option<Point>, point| match best {
        Some(best) if best.right >= point.right => Some(best),
        _ => Some(*point),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_curve_by_hand() {
        let points = curve(Measure::Jaccard, &[(1.0, true), (0.9, false), (0.5, true), (0.0, true)]);
        let at = |threshold: f64| *points.iter().find(|point| (point.threshold - threshold).abs() < 1e-9).unwrap();
        assert_eq!((at(1.0).called, at(1.0).right, at(1.0).duplicates), (1, 1, 3));
        assert_eq!((at(0.9).called, at(0.9).right), (2, 1));
        assert_eq!((at(0.5).called, at(0.5).right), (3, 2));
        assert!((at(0.5).f1() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(best(&points, 0.9).unwrap().threshold, 1.0);
        assert_eq!(best(&points, 0.6).unwrap().right, 2);
        assert_eq!(best(&curve(Measure::Jaccard, &[(1.0, false)]), 0.5), None);
    }

    proptest! {
        #[test]
        fn equals_counting(values in prop::collection::vec((0_u32..=64, any::<bool>()), 0..60)) {
            for measure in [Measure::SimHash, Measure::Overlap] {
                let scale = if measure.is_distance() { 1.0 } else { 64.0 };
                let pairs: Vec<(f32, bool)> = values.iter().map(|&(value, label)| (value as f32 / scale, label)).collect();
                for point in curve(measure, &pairs) {
                    let called = |value: f32| if measure.is_distance() {
                        f64::from(value) <= point.threshold
                    } else {
                        f64::from(value) + 1e-6 >= point.threshold
                    };
                    prop_assert_eq!(point.called, pairs.iter().filter(|(value, _)| called(*value)).count() as u64);
                    prop_assert_eq!(point.right, pairs.iter().filter(|(value, label)| called(*value) && *label).count() as u64);
                    prop_assert!(point.precision() <= 1.0 && point.recall() <= 1.0 && point.f1() <= 1.0);
                }
            }
        }
    }
}
