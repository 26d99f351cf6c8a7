//! The trained statistics of a profile: their stored form and the queries on them.
//!
//! [`Statistics`] returns rarity, co-occurrence and neighbour entropy. It is read from bytes, which never change once made; all
//! numbers are little-endian:
//!
//! ```text
//! u32 form (1), u32 words, u64 documents
//! u64 hash of each word, ascending
//! u32 documents with the word
//! u32 mean neighbour entropy, in units of 2^-16 nats
//! u64 cells of the word's sketch that hold a value
//! u16 those values, word by word, from cell 0 on
//! ```
//!
//! A sketch is a one-permutation MinHash of 64 cells over the word's occurrences; [`training`](super::training) says how it is
//! made. The co-occurrence of two words is the share of equal values among the cells that either of them has. This is an unbiased
//! estimate of the weighted Jaccard similarity of their counts, with a standard error of at most 1/16.

use crate::signature::corpus::CorpusStatistics;
use crate::weighting::idf::{self, Idf};
use neardup_text::{Error, ErrorKind, Result};

/// Says how the bytes are laid out.
const FORM: u32 = 1;
const HEADER: usize = 16;
/// Bytes of a word besides the values of its sketch.
const WORD: usize = 24;

/// Cells of a word's sketch.
pub(super) const CELLS: usize = 64;

/// What one word is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) hash: u64,
    pub(super) documents: u32,
    /// In units of 2^-16 nats.
    pub(super) entropy: u32,
    /// Which cells of the sketch hold a value.
    pub(super) cells: u64,
}

/// Document frequencies, co-occurrence and neighbour entropies of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    documents: u64,
    words: Vec<Word>,
    /// Where each word's values start.
    starts: Vec<u32>,
    values: Vec<u16>,
    /// Where the words start whose hashes have these leading bits.
    buckets: Vec<u32>,
    bucket_bits: u32,
}

impl Statistics {
    /// Joins words, ascending by hash, and their values to the form that is kept.
    pub(super) fn to_bytes(documents: u64, words: &[Word], values: &[u16]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + words.len() * WORD + values.len() * 2);
        bytes.extend(FORM.to_le_bytes());
        bytes.extend((words.len() as u32).to_le_bytes());
        bytes.extend(documents.to_le_bytes());
        words.iter().for_each(|word| bytes.extend(word.hash.to_le_bytes()));
        words.iter().for_each(|word| bytes.extend(word.documents.to_le_bytes()));
        words.iter().for_each(|word| bytes.extend(word.entropy.to_le_bytes()));
        words.iter().for_each(|word| bytes.extend(word.cells.to_le_bytes()));
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes
    }

    /// Reads what a training has made.
    ///
    /// # Errors
    /// `InvalidBinary` for bytes that are of another form or contradict themselves.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let invalid = |detail: &str| {
            Error::new(ErrorKind::InvalidBinary, "invalid statistics of a profile").with_detail(detail.to_owned())
        };
        let short = || invalid("They are cut short, or longer than they say.");
        let (header, rest) = bytes.split_first_chunk::<HEADER>().ok_or_else(short)?;
        if u32_at(header, 0) != FORM {
            return Err(invalid("They are of another form."));
        }
        let count = u32_at(header, 4) as usize;
        let documents = u64::from(u32_at(header, 8)) | u64::from(u32_at(header, 12)) << 32;
        if rest.len() / WORD < count {
            return Err(short());
        }
        let (hashes, rest) = rest.split_at(8 * count);
        let (frequencies, rest) = rest.split_at(4 * count);
        let (entropies, rest) = rest.split_at(4 * count);
        let (cells, rest) = rest.split_at(8 * count);
        let fields = hashes.as_chunks::<8>().0.iter().zip(frequencies.as_chunks::<4>().0);
        let fields = fields.zip(entropies.as_chunks::<4>().0).zip(cells.as_chunks::<8>().0);
        let words: Vec<Word> = fields
            .map(|(((hash, documents), entropy), cells)| Word {
                hash: u64::from_le_bytes(*hash),
                documents: u32::from_le_bytes(*documents),
                entropy: u32::from_le_bytes(*entropy),
                cells: u64::from_le_bytes(*cells),
            })
            .collect();
        if words.windows(2).any(|pair| pair[0].hash >= pair[1].hash) {
            return Err(invalid("Their words are not in order."));
        }
        if words.iter().any(|word| word.documents == 0 || u64::from(word.documents) > documents) {
            return Err(invalid("A word is in more documents than there are, or in none."));
        }
        let (values, more) = rest.as_chunks::<2>();
        let mut starts = Vec::with_capacity(count);
        let mut total = 0_u32;
        for word in &words {
            starts.push(total);
            total = total.checked_add(word.cells.count_ones()).ok_or_else(short)?;
        }
        if values.len() != total as usize || !more.is_empty() {
            return Err(short());
        }
        let values = values.iter().map(|&value| u16::from_le_bytes(value)).collect();
        let bucket_bits = count.next_power_of_two().ilog2();
        let buckets = (0..=1_u64 << bucket_bits)
            .scan(0, |at, bucket| {
                let bucket_of = |word: &Word| word.hash.checked_shr(64 - bucket_bits).unwrap_or(0);
                while words.get(*at).is_some_and(|word| bucket_of(word) < bucket) {
                    *at += 1;
                }
                Some(*at as u32)
            })
            .collect();
        Ok(Self { documents, words, starts, values, buckets, bucket_bits })
    }

    /// Returns the number of documents of the collection.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the number of words that are known.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Returns the memory they take, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of_val(&self.words[..]) + 4 * (self.starts.len() + self.buckets.len()) + 2 * self.values.len()
    }

    fn find(&self, hash: u64) -> Option<usize> {
        let bucket = hash.checked_shr(64 - self.bucket_bits).unwrap_or(0) as usize;
        let from = *self.buckets.get(bucket)? as usize;
        let to = *self.buckets.get(bucket + 1)? as usize;
        // A bucket holds one word on average, unless an attacker has chosen the words.
        let within = self.words.get(from..to)?.binary_search_by_key(&hash, |word| word.hash).ok()?;
        Some(from + within)
    }

    /// Returns the number of documents that have the word.
    pub(super) fn frequency(&self, hash: u64) -> u64 {
        self.find(hash).and_then(|at| self.words.get(at)).map_or(0, |word| u64::from(word.documents))
    }

    /// Returns the cells of a word's sketch that hold a value, and the values.
    fn sketch(&self, hash: u64) -> Option<(u64, &[u16])> {
        let at = self.find(hash)?;
        let cells = self.words.get(at)?.cells;
        let start = *self.starts.get(at)? as usize;
        Some((cells, self.values.get(start..start + cells.count_ones() as usize)?))
    }
}

fn u32_at(header: &[u8; HEADER], at: usize) -> u32 {
    u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

impl CorpusStatistics for Statistics {
    /// Source: Zhang, Chen, Fu and Xu 2022, step 1. A word in no document counts as in one.
    fn rarity(&self, word: u64) -> f64 {
        // Software, so that it is the same bits everywhere.
        libm::log(self.documents as f64 / self.frequency(word).max(1) as f64)
    }

    fn co_occurrence(&self, a: u64, b: u64) -> f64 {
        let (Some((of_a, values_a)), Some((of_b, values_b))) = (self.sketch(a), self.sketch(b)) else { return 0.0 };
        let mut both = of_a & of_b;
        let mut equal = 0_u32;
        while both != 0 {
            let before = (both & both.wrapping_neg()) - 1;
            let place = |cells: u64| (cells & before).count_ones() as usize;
            equal += u32::from(values_a.get(place(of_a)) == values_b.get(place(of_b)));
            both &= both - 1;
        }
        f64::from(equal) / f64::from((of_a | of_b).count_ones().max(1))
    }

    fn neighbour_entropy(&self, word: u64) -> f64 {
        self.find(word).and_then(|at| self.words.get(at)).map_or(0.0, |word| f64::from(word.entropy) / 65_536.0)
    }
}

impl Idf for Statistics {
    /// Source: Zhang 2016, eq. 2.
    fn idf(&self, hash: u64) -> f64 {
        idf::idf(self.documents.max(1), self.frequency(hash))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const DOCUMENTS: u64 = 1000;

    fn statistics(words: &BTreeMap<u64, (u32, u32, BTreeMap<u32, u16>)>) -> Vec<u8> {
        let cells = |values: &BTreeMap<u32, u16>| values.keys().fold(0, |cells, cell| cells | 1_u64 << cell);
        let listed: Vec<Word> = words
            .iter()
            .map(|(&hash, &(documents, entropy, ref values))| Word { hash, documents, entropy, cells: cells(values) })
            .collect();
        let values: Vec<u16> = words.values().flat_map(|(_, _, values)| values.values().copied()).collect();
        Statistics::to_bytes(DOCUMENTS, &listed, &values)
    }

    proptest! {
        #[test]
        fn answers_are_those_that_were_written(
            words in prop::collection::btree_map(
                prop_oneof![any::<u64>(), 0..40_u64],
                (1..=1000_u32, any::<u32>(), prop::collection::btree_map(0..64_u32, 0..3_u16, 0..64)),
                0..40,
            ),
            stranger in any::<u64>(),
        ) {
            let statistics = Statistics::from_bytes(&statistics(&words)).unwrap();
            prop_assert_eq!((statistics.documents(), statistics.words()), (DOCUMENTS, words.len()));
            for (&hash, (documents, entropy, values)) in &words {
                prop_assert_eq!(statistics.rarity(hash), libm::log(1000.0 / f64::from(*documents)));
                prop_assert_eq!(statistics.neighbour_entropy(hash), f64::from(*entropy) / 65_536.0);
                prop_assert_eq!(statistics.idf(hash), libm::log(1000.0 / (f64::from(*documents) + 1.0)).max(0.0));
                for (&other, (_, _, others)) in &words {
                    let equal = values.iter().filter(|&(cell, value)| others.get(cell) == Some(value)).count();
                    let either = (0..64).filter(|cell| values.contains_key(cell) || others.contains_key(cell)).count();
                    prop_assert_eq!(statistics.co_occurrence(hash, other), equal as f64 / either.max(1) as f64);
                }
            }
            if !words.contains_key(&stranger) {
                prop_assert_eq!(statistics.rarity(stranger), libm::log(1000.0));
                prop_assert_eq!(statistics.idf(stranger), libm::log(1000.0));
                prop_assert_eq!(statistics.neighbour_entropy(stranger), 0.0);
                prop_assert_eq!(statistics.co_occurrence(stranger, stranger), 0.0);
            }
        }

        #[test]
        fn no_bytes_do_harm(
            words in prop::collection::btree_map(any::<u64>(), (1..=1000_u32, any::<u32>(), prop::collection::btree_map(0..64_u32, any::<u16>(), 0..9)), 0..9),
            cut in any::<prop::sample::Index>(),
            (at, byte) in (any::<prop::sample::Index>(), any::<u8>()),
            noise in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let bytes = statistics(&words);
            prop_assert!(Statistics::from_bytes(&bytes[..cut.index(bytes.len())]).is_err());
            let mut changed = bytes.clone();
            let at = at.index(changed.len());
            changed[at] = byte;
            for bytes in [changed, noise] {
                if let Ok(statistics) = Statistics::from_bytes(&bytes) {
                    statistics.co_occurrence(words.keys().next().copied().unwrap_or(0), 1);
                }
            }
        }
    }

    #[test]
    fn contradictions_are_refused() {
        let word = |hash, documents| Word { hash, documents, entropy: 0, cells: 1 };
        let detail = |words: &[Word], values: &[u16]| {
            let error = Statistics::from_bytes(&Statistics::to_bytes(10, words, values)).unwrap_err();
            assert_eq!(
                (error.kind, error.message.as_str()),
                (ErrorKind::InvalidBinary, "invalid statistics of a profile")
            );
            error.detail.unwrap()
        };
        assert_eq!(detail(&[word(2, 1), word(1, 1)], &[0, 0]), "Their words are not in order.");
        assert_eq!(detail(&[word(1, 1), word(1, 1)], &[0, 0]), "Their words are not in order.");
        assert_eq!(detail(&[word(1, 11)], &[0]), "A word is in more documents than there are, or in none.");
        assert_eq!(detail(&[word(1, 0)], &[0]), "A word is in more documents than there are, or in none.");
        assert_eq!(detail(&[word(1, 1)], &[]), "They are cut short, or longer than they say.");
        assert_eq!(detail(&[word(1, 1)], &[0, 0]), "They are cut short, or longer than they say.");
        let other = Statistics::from_bytes(&[9; 16]).unwrap_err();
        assert_eq!(other.detail.unwrap(), "They are of another form.");
    }
}
