//! E-Simhash: a SimHash weighted by term frequency and neighbour entropy, with word positions in the hashes (Zhang et al. 2020).
//!
//! A word with many different neighbours in the collection is independent of them, and has a higher weight. Where the source is not
//! specific, we chose:
//!
//! * The weight is (m/M) (1 + H) for a word that occurs m times among the M words of the text and whose left and right neighbours
//!   have a mean entropy of H nats. So a word unknown to the collection still has its frequency as weight.
//! * The position that is XORed into the hash is that of the first occurrence, counted in words from 0.
//!
//! The position changes only the low bits of the hash, about ten in a text of a thousand words. A word inserted at the front shifts
//! all words after it, and changes their low bits.

use super::corpus::{CorpusStatistics, sorted_occurrences};
use super::simhash::{SimHashCounter, keep_bits};
use crate::weighting::fixed_point;
use neardup_text::Result;

/// Makes the signature of a text from the hashes of its words in text order, usually without stop words; the low `bits` bits.
///
/// `None` if there is no word.
///
/// # Errors
/// [`InvalidParameter`](neardup_text::ErrorKind::InvalidParameter) if `bits` is not 1 to 64.
pub fn e_simhash(words: &[u64], statistics: &impl CorpusStatistics, bits: u32) -> Result<Option<u64>> {
    let occurrences = sorted_occurrences(words);
    let mut counter = SimHashCounter::new();
    for (done, run) in occurrences.chunk_by(|a, b| a.0 == b.0).enumerate() {
        let Some(&(hash, first)) = run.first() else { continue };
        let frequency = run.len() as f64 / words.len() as f64;
        let weight = frequency * (1.0 + statistics.neighbour_entropy(hash).max(0.0));
        counter.add_weighted(hash ^ u64::from(first), fixed_point(weight));
        if done % 4096 == 0 {
            neardup_text::interrupt::check();
        }
    }
    keep_bits(0, bits)?;
    counter.finish().map(|signature| keep_bits(signature, bits)).transpose()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::e_simhash;
    use crate::signature::corpus::CorpusStatistics;
    use proptest::prelude::*;

    /// Entropies that follow from the hash, so that every word has one.
    struct Entropies;

    impl CorpusStatistics for Entropies {
        fn rarity(&self, _: u64) -> f64 {
            0.0
        }
        fn co_occurrence(&self, _: u64, _: u64) -> f64 {
            0.0
        }
        fn neighbour_entropy(&self, word: u64) -> f64 {
            (word % 7) as f64 / 2.0
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(words in prop::collection::vec((1_u64..13).prop_map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)), 0..40)) {
            let mut totals = [0.0_f64; 64];
            for (position, &word) in words.iter().enumerate() {
                if words[..position].contains(&word) {
                    continue;
                }
                let count = words.iter().filter(|&&other| other == word).count();
                let weight = count as f64 / words.len() as f64 * (1.0 + Entropies.neighbour_entropy(word));
                for (bit, total) in totals.iter_mut().enumerate() {
                    *total += if ((word ^ position as u64) >> bit) & 1 == 1 { weight } else { -weight };
                }
            }
            // A total that would be 0 in exact arithmetic has no sign in floating point.
            prop_assume!(totals.iter().all(|total| words.is_empty() || total.abs() > 1e-6));
            let expected = (0..).zip(totals).map(|(bit, total)| u64::from(total > 0.0) << bit).sum();
            prop_assert_eq!(e_simhash(&words, &Entropies, 64).unwrap(), (!words.is_empty()).then_some(expected));
        }
    }

    #[test]
    fn the_place_of_a_word_counts() {
        let (a, b) = (0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c908);
        assert_ne!(e_simhash(&[a, b], &Entropies, 64), e_simhash(&[b, a], &Entropies, 64));
        assert!(e_simhash(&[a], &Entropies, 65).is_err());
    }
}
