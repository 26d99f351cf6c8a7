//! Exact similarity of two texts: measures on the sets of their tokens.
//!
//! * [`jaccard`], [`overlap`], [`cosine`], [`weighted_cosine`] on sorted sets of token hashes; [`vector_cosine`] on vectors.
//! * [`jaccard_within`], [`overlap_within`]: whether a measure reaches a threshold, decided as early as the sets allow.
//! * [`shared_sentences`]: the sentences of one text that recur in another.
//!
//! A set is a slice of [`Word`]s in ascending order without repetition: `u64` in memory, or eight little-endian bytes exactly as
//! they are in a stored value, aligned or not. A set in another order gives a wrong number, never a fault.
//!
//! **An empty set has similarity 0 with every set**, also with itself. A text without tokens has no content that could be
//! duplicated. To test texts for equality, use the digest.
//!
//! Measures are symmetric, to the bit, and are between 0 and 1 ([`vector_cosine`]: between -1 and 1). A set with at least one
//! element has similarity 1 with itself.

mod cosine;
mod intersection;
mod sentences;

pub use cosine::{cosine, vector_cosine, weighted_cosine};
pub use intersection::{Word, intersection_at_least, intersection_len};
pub use sentences::shared_sentences;

/// Returns the Jaccard similarity, shared elements over all elements: |A∩B| / |A∪B| (Zhang 2016, eq. 5).
#[must_use]
pub fn jaccard<A: Word, B: Word>(a: &[A], b: &[B]) -> f64 {
    jaccard_of(intersection_len(a, b), a.len(), b.len())
}

/// Returns the overlap coefficient, shared elements over the elements of the smaller set: |A∩B| / min(|A|, |B|)
/// (Zhang 2016, eq. 6, "short-text Jaccard"). It is 1 where one set holds the other.
#[must_use]
pub fn overlap<A: Word, B: Word>(a: &[A], b: &[B]) -> f64 {
    overlap_of(intersection_len(a, b), a.len(), b.len())
}

/// Says whether [`jaccard`] is at least `similarity`; the answer is the same, often much sooner.
#[must_use]
pub fn jaccard_within<A: Word, B: Word>(a: &[A], b: &[B], similarity: f64) -> bool {
    least_shared_for_jaccard(a.len(), b.len(), similarity)
        .is_some_and(|needed| intersection_at_least(a, b, needed).is_some())
}

/// Says whether [`overlap`] is at least `similarity`; the answer is the same, often much sooner.
#[must_use]
pub fn overlap_within<A: Word, B: Word>(a: &[A], b: &[B], similarity: f64) -> bool {
    least_shared_for_overlap(a.len(), b.len(), similarity)
        .is_some_and(|needed| intersection_at_least(a, b, needed).is_some())
}

/// Computes Jaccard from the sizes of the intersection and of the two sets.
fn jaccard_of(shared: usize, a: usize, b: usize) -> f64 {
    if shared == 0 { 0.0 } else { shared as f64 / (a + b - shared) as f64 }
}

/// Computes the overlap coefficient from the sizes of the intersection and of the two sets.
fn overlap_of(shared: usize, a: usize, b: usize) -> f64 {
    if shared == 0 { 0.0 } else { shared as f64 / a.min(b) as f64 }
}

/// Returns the smallest intersection with which sets of these sizes reach a Jaccard similarity, if any does.
fn least_shared_for_jaccard(a: usize, b: usize, similarity: f64) -> Option<usize> {
    let estimate = similarity / (1.0 + similarity) * (a + b) as f64;
    least_shared(estimate, a.min(b), |shared| jaccard_of(shared, a, b) >= similarity)
}

/// Returns the smallest intersection with which sets of these sizes reach an overlap coefficient, if any does.
pub(crate) fn least_shared_for_overlap(a: usize, b: usize, similarity: f64) -> Option<usize> {
    least_shared(similarity * a.min(b) as f64, a.min(b), |shared| overlap_of(shared, a, b) >= similarity)
}

/// Finds the smallest number, up to `most`, that reaches the threshold, starting at a close estimate.
///
/// It asks the measure itself, so that rounding cannot set the early answer and the late one apart.
fn least_shared(estimate: f64, most: usize, reaches: impl Fn(usize) -> bool) -> Option<usize> {
    // Where it is reached at all, it is near the estimate; NaN and what lies out of reach end here.
    if !reaches(most) {
        return None;
    }
    let mut least = (estimate.ceil() as usize).min(most);
    while least > 0 && reaches(least - 1) {
        least -= 1;
    }
    while !reaches(least) {
        least += 1;
    }
    Some(least)
}

#[cfg(test)]
mod tests {
    use super::{jaccard, jaccard_within, least_shared_for_overlap, overlap, overlap_within};
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn set(values: &HashSet<u64>) -> Vec<u64> {
        let mut values: Vec<u64> = values.iter().copied().collect();
        values.sort_unstable();
        values
    }

    fn sets() -> impl Strategy<Value = (HashSet<u64>, HashSet<u64>)> {
        let set = || prop::collection::hash_set(0u64..100, 0..70);
        (set(), set())
    }

    #[test]
    fn an_empty_set_is_like_nothing() {
        let (none, some): ([u64; 0], _) = ([], [1u64, 2]);
        assert_eq!(jaccard(&none, &none), 0.0);
        assert_eq!(jaccard(&none, &some), 0.0);
        assert_eq!(overlap(&none, &none), 0.0);
        assert_eq!(overlap(&some, &none), 0.0);
        assert!(!jaccard_within(&none, &none, 0.1));
        assert!(jaccard_within(&none, &some, 0.0), "0 is at least 0");
    }

    /// The example of Zhang 2016: a 500-word article quoted whole in one of 1,500.
    #[test]
    fn overlap_finds_a_quotation() {
        let whole: Vec<u64> = (0..1500).collect();
        let quoted = &whole[700..1200];
        assert_eq!(overlap(&whole, quoted), 1.0);
        assert_eq!(jaccard(&whole, quoted), 500.0 / 1500.0);
    }

    #[test]
    fn a_similarity_out_of_reach_is_not_reached() {
        let a = [1u64, 2, 3];
        assert!(!jaccard_within(&a, &a, 1.000_001));
        assert!(!jaccard_within(&a, &a, f64::NAN));
        assert_eq!(least_shared_for_overlap(3, 5, -1.0), Some(0));
    }

    proptest! {
        #[test]
        fn agrees_with_hash_sets((a, b) in sets()) {
            let shared = a.intersection(&b).count() as f64;
            let union = a.union(&b).count() as f64;
            let smaller = a.len().min(b.len()) as f64;
            prop_assert_eq!(jaccard(&set(&a), &set(&b)), if shared == 0.0 { 0.0 } else { shared / union });
            prop_assert_eq!(overlap(&set(&a), &set(&b)), if shared == 0.0 { 0.0 } else { shared / smaller });
        }

        #[test]
        fn is_symmetric_and_bounded((a, b) in sets()) {
            let (a, b) = (set(&a), set(&b));
            prop_assert_eq!(jaccard(&a, &b), jaccard(&b, &a));
            prop_assert_eq!(overlap(&a, &b), overlap(&b, &a));
            prop_assert!((0.0..=1.0).contains(&jaccard(&a, &b)));
            prop_assert!(jaccard(&a, &b) <= overlap(&a, &b) && overlap(&a, &b) <= 1.0);
        }

        #[test]
        fn a_set_is_itself(a in prop::collection::hash_set(any::<u64>(), 1..70)) {
            prop_assert_eq!(jaccard(&set(&a), &set(&a)), 1.0);
            prop_assert_eq!(overlap(&set(&a), &set(&a)), 1.0);
        }

        #[test]
        fn a_part_overlaps_wholly(a in prop::collection::hash_set(any::<u64>(), 1..70), take in 1usize..70) {
            let part: HashSet<u64> = a.iter().copied().take(take).collect();
            prop_assert_eq!(overlap(&set(&a), &set(&part)), 1.0);
        }

        /// The threshold is often exactly a possible similarity, where rounding would show.
        #[test]
        fn the_early_answer_is_the_late_one((a, b) in sets(), shared in 1u32..70, of in 1u32..70) {
            let (a, b) = (set(&a), set(&b));
            for similarity in [f64::from(shared) / f64::from(of), jaccard(&a, &b), overlap(&a, &b)] {
                prop_assert_eq!(jaccard_within(&a, &b, similarity), jaccard(&a, &b) >= similarity);
                prop_assert_eq!(overlap_within(&a, &b, similarity), overlap(&a, &b) >= similarity);
            }
        }
    }
}
