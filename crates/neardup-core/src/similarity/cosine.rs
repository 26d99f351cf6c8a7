//! The cosine of the angle between two texts' weighted words (Zhang 2016, eq. 7).

use super::intersection::{Word, intersection_len, merge};
use neardup_text::{Error, ErrorKind, Result};

/// Returns the cosine similarity of two sets whose elements weigh 1 each: |A∩B| / sqrt(|A| |B|).
#[must_use]
pub fn cosine<A: Word, B: Word>(a: &[A], b: &[B]) -> f64 {
    let shared = intersection_len(a, b);
    if shared == 0 { 0.0 } else { shared as f64 / (a.len() as f64 * b.len() as f64).sqrt() }
}

/// Returns the cosine similarity of two weighted sets, each as its elements and their weights in the same order.
///
/// Weights are finite and not negative, stored as little-endian `f32`; sums are in `f64`. A set of no weight at all
/// is like nothing. An element without a weight counts as 0.
#[must_use]
pub fn weighted_cosine<A: Word, B: Word>(a: (&[A], &[[u8; 4]]), b: (&[B], &[[u8; 4]])) -> f64 {
    let norms = norm(a.1) * norm(b.1);
    if norms == 0.0 { 0.0 } else { (dot(a, b) / norms.sqrt()).min(1.0) }
}

fn weight(bytes: [u8; 4]) -> f64 {
    f64::from(f32::from_le_bytes(bytes))
}

fn dot<A: Word, B: Word>((a, a_weights): (&[A], &[[u8; 4]]), (b, b_weights): (&[B], &[[u8; 4]])) -> f64 {
    let (a, b) = (&a[..a.len().min(a_weights.len())], &b[..b.len().min(b_weights.len())]);
    // Adding 0 where nothing is shared is cheaper than a branch that cannot be foreseen.
    let product = |i: usize, j: usize, equal| if equal { weight(a_weights[i]) * weight(b_weights[j]) } else { 0.0 };
    let (mut front, mut back) = (0.0, 0.0);
    merge(a, b, 0, |i, j, equal| front += product(i, j, equal), |i, j, equal| back += product(i, j, equal));
    front + back
}

/// Adds up the squares in the order in which [`dot`] adds up the products of equal sets, so that a set has cosine 1
/// with itself.
fn norm(weights: &[[u8; 4]]) -> f64 {
    let square = |&bytes: &[u8; 4]| weight(bytes) * weight(bytes);
    let (front, back) = weights.split_at(weights.len().div_ceil(2));
    front.iter().map(square).sum::<f64>() + back.iter().rev().map(square).sum::<f64>()
}

/// Returns the cosine similarity of two vectors, such as the totals of two simhashes before their signs
/// (Zhang 2016, SimHashCosine): -1 to 1.
///
/// A vector of zeros is like nothing and gives 0. Sums are in `f64`, in the order of the dimensions.
///
/// # Errors
/// `Mismatch` for vectors of different dimensions, `InvalidParameter` for a value that is not finite.
pub fn vector_cosine(a: &[f32], b: &[f32]) -> Result<f64> {
    if a.len() != b.len() {
        let message = format!("vectors have {} and {} dimensions", a.len(), b.len());
        return Err(Error::new(ErrorKind::Mismatch, message));
    }
    if let Some(value) = a.iter().chain(b).find(|value| !value.is_finite()) {
        return Err(Error::new(ErrorKind::InvalidParameter, format!("vector holds {value}, which is not finite")));
    }
    let product = |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum() };
    let norms = product(a, a) * product(b, b);
    Ok(if norms == 0.0 { 0.0 } else { (product(a, b) / norms.sqrt()).clamp(-1.0, 1.0) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{cosine, vector_cosine, weighted_cosine};
    use neardup_text::ErrorKind;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Weights = BTreeMap<u64, f32>;

    fn stored(set: &Weights) -> (Vec<u64>, Vec<[u8; 4]>) {
        (set.keys().copied().collect(), set.values().map(|weight| weight.to_le_bytes()).collect())
    }

    fn similarity(a: &Weights, b: &Weights) -> f64 {
        let (a, b) = (stored(a), stored(b));
        weighted_cosine((&a.0, &a.1), (&b.0, &b.1))
    }

    fn oracle(a: &Weights, b: &Weights) -> f64 {
        let norm = |set: &Weights| set.values().map(|&weight| f64::from(weight).powi(2)).sum::<f64>().sqrt();
        let dot: f64 =
            a.iter().map(|(word, &weight)| f64::from(weight) * f64::from(*b.get(word).unwrap_or(&0.0))).sum();
        if norm(a) * norm(b) == 0.0 { 0.0 } else { dot / norm(a) / norm(b) }
    }

    fn weights() -> impl Strategy<Value = Weights> {
        prop::collection::btree_map(0u64..100, 0f32..50.0, 0..70)
    }

    proptest! {
        #[test]
        fn agrees_with_maps(a in weights(), b in weights()) {
            prop_assert!((similarity(&a, &b) - oracle(&a, &b)).abs() < 1e-12);
            prop_assert_eq!(similarity(&a, &b).to_bits(), similarity(&b, &a).to_bits());
            prop_assert!((0.0..=1.0).contains(&similarity(&a, &b)));
        }

        #[test]
        fn a_text_is_itself(a in weights()) {
            let weightless = a.values().all(|&weight| weight == 0.0);
            prop_assert_eq!(similarity(&a, &a), if weightless { 0.0 } else { 1.0 });
        }

        #[test]
        fn equal_weights_are_no_weights(a in weights(), b in weights()) {
            let even = |set: &Weights| -> Weights { set.keys().map(|&word| (word, 0.5)).collect() };
            let (a, b) = (even(&a), even(&b));
            prop_assert!((cosine(&stored(&a).0, &stored(&b).0) - similarity(&a, &b)).abs() < 1e-12);
        }

        #[test]
        fn vectors_agree_with_the_book(pairs in prop::collection::vec((-9f32..9.0, -9f32..9.0), 1..70)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let cosine = vector_cosine(&a, &b).unwrap();
            prop_assert_eq!(cosine, vector_cosine(&b, &a).unwrap());
            prop_assert!((-1.0..=1.0).contains(&cosine));
            let length = |v: &[f32]| v.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
            let dot: f64 = a.iter().zip(&b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
            if length(&a) * length(&b) > 0.0 {
                prop_assert!((cosine - dot / length(&a) / length(&b)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn vectors_point_along_against_and_across() {
        assert_eq!(vector_cosine(&[3.0, -4.0], &[3.0, -4.0]).unwrap(), 1.0);
        assert_eq!(vector_cosine(&[3.0, -4.0], &[-3.0, 4.0]).unwrap(), -1.0);
        assert_eq!(vector_cosine(&[1.0, 0.0], &[0.0, 1.0]).unwrap(), 0.0);
        assert_eq!(vector_cosine(&[0.0, 0.0], &[0.0, 0.0]).unwrap(), 0.0);
    }

    #[test]
    fn vectors_must_fit() {
        assert_eq!(vector_cosine(&[1.0], &[1.0, 2.0]).unwrap_err().kind, ErrorKind::Mismatch);
        assert_eq!(vector_cosine(&[1.0], &[f32::NAN]).unwrap_err().kind, ErrorKind::InvalidParameter);
    }
}
