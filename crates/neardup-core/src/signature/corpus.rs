//! The statistics that P-Simhash and E-Simhash need of the collection that a text belongs to.

use crate::weighting::idf::{Idf, JiebaIdf};

/// Answers for a collection of documents; words are asked for by their token hash.
///
/// Signatures made with different answers cannot be compared: stored signatures need fixed statistics.
pub trait CorpusStatistics {
    /// Returns how rare the word is: ln(N/n), of N documents n having it; from 0, and finite for words not known.
    fn rarity(&self, word: u64) -> f64;

    /// Returns how constantly two different words come together, 0 to 1: the weighted Jaccard similarity of their counts,
    /// sum of min(x_k, y_k) over sum of max(x_k, y_k) for the documents k; 0 for words not known (Zhang, Chen,
    /// Fu and Xu 2022, step 1).
    fn co_occurrence(&self, a: u64, b: u64) -> f64;

    /// Returns the mean of the entropies, in nats, of the words seen to the left and to the right of the word; 0 for a word
    /// not known.
    fn neighbour_entropy(&self, word: u64) -> f64;
}

/// Pairs each word of a text with its position, and sorts the pairs, with chances to cancel.
pub(super) fn sorted_occurrences(words: &[u64]) -> Vec<(u64, u32)> {
    let mut occurrences: Vec<(u64, u32)> = words.iter().copied().zip(0..).collect();
    let mut compared = 0_u32;
    occurrences.sort_unstable_by(|a, b| {
        compared = compared.wrapping_add(1);
        if compared.is_multiple_of(1 << 16) {
            neardup_text::interrupt::check();
        }
        a.cmp(b)
    });
    occurrences
}

/// The collection behind jieba's own table of inverse document frequencies, of which nothing else is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct JiebaCorpus;

impl CorpusStatistics for JiebaCorpus {
    fn rarity(&self, word: u64) -> f64 {
        JiebaIdf.idf(word)
    }

    fn co_occurrence(&self, _: u64, _: u64) -> f64 {
        0.0
    }

    fn neighbour_entropy(&self, _: u64) -> f64 {
        0.0
    }
}
