//! The accumulator behind a SimHash: hashes in, signature or totals out.

use super::{keep_bits, kernel};
use crate::signature::shingle::{self, BATCH, Sink};
use neardup_text::Result;

/// Adds weighted token hashes into 64 totals.
///
/// Order does not matter, repeated hashes count each time. A counter is 8 kB: keep one and [`reset`](Self::reset) it
/// rather than making one per text.
///
/// Totals are exact while the sum of the absolute weights of all tokens stays below 2^62, that is for 2^40 tokens of
/// weights up to 2^22; beyond that they wrap.
#[derive(Clone, Debug)]
pub struct SimHashCounter {
    /// Hashes of weight 1 that are not in `ones` yet, to be counted together.
    buffer: [u64; BATCH],
    buffered: usize,
    /// How many hashes of weight 1 passed through the buffer, and how many of them had each bit set.
    counted: u64,
    ones: [u64; 64],
    /// The sum of the weights of the weighted hashes, and the part of it that belongs to each bit set.
    weight: i64,
    weighted_ones: [i64; 64],
    /// Whether any hash of a weight other than 0 was added with [`Self::add_weighted`].
    any_weighted: bool,
}

impl Default for SimHashCounter {
    fn default() -> Self {
        Self::new()
    }
}

impl SimHashCounter {
    /// Makes a counter with nothing added.
    #[must_use]
    pub fn new() -> Self {
        Self {
            buffer: [0; BATCH],
            buffered: 0,
            counted: 0,
            ones: [0; 64],
            weight: 0,
            weighted_ones: [0; 64],
            any_weighted: false,
        }
    }

    /// Forgets everything added, for the next text.
    pub fn reset(&mut self) {
        self.buffered = 0;
        self.counted = 0;
        self.ones = [0; 64];
        self.weight = 0;
        self.weighted_ones = [0; 64];
        self.any_weighted = false;
    }

    /// Adds a token hash of weight 1.
    #[inline]
    pub fn add(&mut self, hash: u64) {
        if self.buffered == BATCH {
            self.flush();
        }
        if let Some(slot) = self.buffer.get_mut(self.buffered) {
            *slot = hash;
            self.buffered += 1;
        }
    }

    /// Adds many token hashes of weight 1.
    pub fn add_all(&mut self, hashes: &[u64]) {
        kernel::count_ones(hashes, &mut self.ones);
        self.counted += hashes.len() as u64;
    }

    /// Adds, with weight 1, the hashes of the pieces of a text from each start to the end beside it, in bytes: the shingles
    /// that [`shingle::spans`] or the analyzer gives.
    pub fn add_pieces(&mut self, text: &[u8], starts: &[u32], ends: &[u32]) {
        self.flush();
        let mut counts = Counts { counted: &mut self.counted, ones: &mut self.ones };
        shingle::hash_into(text, starts, ends, &mut self.buffer, &mut counts);
    }

    /// Adds a token hash of any integer weight; weight 0 is as if the token were not there.
    #[inline]
    pub fn add_weighted(&mut self, hash: u64, weight: i64) {
        if weight == 0 {
            return;
        }
        self.any_weighted = true;
        self.weight = self.weight.wrapping_add(weight);
        for (bit, total) in self.weighted_ones.iter_mut().enumerate() {
            // All ones where the bit is set: no branch on a random bit.
            let mask = ((hash >> bit) & 1).wrapping_neg().cast_signed();
            *total = total.wrapping_add(weight & mask);
        }
    }

    /// Returns the signature of all 64 bits, or `None` if nothing was added.
    ///
    /// The counter keeps its state: more can be added afterwards.
    #[must_use]
    pub fn finish(&mut self) -> Option<u64> {
        if self.is_empty() {
            return None;
        }
        let totals = self.totals();
        Some(totals.iter().enumerate().fold(0, |signature, (bit, &total)| signature | (u64::from(total > 0) << bit)))
    }

    /// Returns the 64 totals whose signs make the signature; all 0 if nothing was added.
    #[must_use]
    pub fn totals(&mut self) -> [i64; 64] {
        self.flush();
        let mut totals = [0; 64];
        let weight = self.weight.wrapping_add(self.counted.cast_signed());
        for ((total, ones), weighted) in totals.iter_mut().zip(self.ones).zip(self.weighted_ones) {
            // Set bits add and clear bits subtract: total = ones - (all - ones).
            *total = ones.cast_signed().wrapping_add(weighted).wrapping_mul(2).wrapping_sub(weight);
        }
        totals
    }

    /// Returns the first `bits` totals as a vector for comparison by cosine (SimHashCosine, Zhang 2016), or `None` if nothing
    /// was added. A total beyond 2^24 is rounded to the nearest `f32`.
    ///
    /// # Errors
    /// [`InvalidParameter`](neardup_text::ErrorKind::InvalidParameter) if `bits` is not 1 to 64.
    pub fn totals_vector(&mut self, bits: u32) -> Result<Option<Vec<f32>>> {
        keep_bits(0, bits)?;
        let totals = (!self.is_empty()).then(|| self.totals());
        Ok(totals.map(|totals| totals.iter().take(bits as usize).map(|&total| total as f32).collect()))
    }

    /// Says whether no token of a weight other than 0 was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffered == 0 && self.counted == 0 && !self.any_weighted
    }

    fn flush(&mut self) {
        let full = self.buffer.get(..self.buffered).unwrap_or_default();
        kernel::count_ones(full, &mut self.ones);
        self.counted += self.buffered as u64;
        self.buffered = 0;
    }
}

/// The part of a counter that shingles go to.
struct Counts<'c> {
    counted: &'c mut u64,
    ones: &'c mut [u64; 64],
}

impl Sink for Counts<'_> {
    #[inline(always)]
    fn take_some(&mut self, _: &[u64]) {}

    fn take_batch(&mut self, hashes: &[u64]) {
        kernel::count_ones(hashes, self.ones);
        *self.counted += hashes.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::SimHashCounter;
    use crate::signature::shingle::spans;
    use neardup_text::hash::token_hash;
    use proptest::prelude::*;

    /// The definition, word for word (Zhang 2016, SimHash).
    fn naive_totals(tokens: &[(u64, i64)]) -> [i64; 64] {
        let mut totals = [0; 64];
        for &(hash, weight) in tokens {
            for (bit, total) in totals.iter_mut().enumerate() {
                *total += if (hash >> bit) & 1 == 1 { weight } else { -weight };
            }
        }
        totals
    }

    fn naive_signature(tokens: &[(u64, i64)]) -> u64 {
        let mut signature = 0;
        for (bit, total) in naive_totals(tokens).into_iter().enumerate() {
            if total > 0 {
                signature |= 1 << bit;
            }
        }
        signature
    }

    proptest! {
        #[test]
        fn counter_agrees_with_the_definition(
            tokens in prop::collection::vec((any::<u64>(), -9_i64..10), 0..40),
            repeated in 0_usize..3000,
        ) {
            let mut counter = SimHashCounter::new();
            counter.add(77);
            counter.reset();
            let mut all: Vec<(u64, i64)> = tokens.clone();
            for &(hash, weight) in &tokens {
                counter.add_weighted(hash, weight);
            }
            for i in 0..repeated {
                let hash = token_hash(&i.to_string());
                counter.add(hash);
                all.push((hash, 1));
            }
            let any = all.iter().any(|&(_, weight)| weight != 0);
            prop_assert_eq!(counter.totals(), naive_totals(&all));
            prop_assert_eq!(counter.finish(), any.then(|| naive_signature(&all)));
        }

        #[test]
        fn order_and_way_of_adding_do_not_matter(hashes in prop::collection::vec(any::<u64>(), 1..3000)) {
            let mut one_by_one = SimHashCounter::new();
            hashes.iter().rev().for_each(|&hash| one_by_one.add(hash));
            let mut at_once = SimHashCounter::new();
            at_once.add_all(&hashes);
            prop_assert_eq!(one_by_one.totals(), at_once.totals());
        }
    }

    #[test]
    fn shingles_are_the_tokens() {
        let text = "近似重复的新闻，改动几个字；近似重复的新闻，又改动几个字。".repeat(60);
        let boundaries: Vec<u32> = text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect();
        let (starts, ends) = spans(&boundaries, 5);
        let mut shingled = SimHashCounter::new();
        shingled.add(7);
        shingled.add_pieces(text.as_bytes(), starts, ends);
        let mut one_by_one = SimHashCounter::new();
        let characters: Vec<char> = text.chars().collect();
        characters.windows(5).for_each(|window| one_by_one.add(token_hash(&window.iter().collect::<String>())));
        one_by_one.add(7);
        assert_eq!(shingled.totals(), one_by_one.totals());
    }

    #[test]
    fn nothing_added_is_no_signature() {
        let mut counter = SimHashCounter::new();
        assert_eq!(counter.finish(), None);
        counter.add_weighted(1, 0);
        assert_eq!(counter.finish(), None);
        // A token whose hash is 0 is a token.
        counter.add(0);
        assert_eq!(counter.finish(), Some(0));
        assert_eq!(counter.totals(), [-1; 64]);
    }

    #[test]
    fn the_vector_is_the_first_totals() {
        let mut counter = SimHashCounter::new();
        assert_eq!(counter.totals_vector(64), Ok(None));
        counter.add_weighted(0b101, 3);
        assert_eq!(counter.totals_vector(4), Ok(Some(vec![3.0, -3.0, 3.0, -3.0])));
        assert!(counter.totals_vector(65).is_err());
    }

    #[test]
    fn a_tie_gives_zero() {
        let mut counter = SimHashCounter::new();
        counter.add(0b01);
        counter.add(0b11);
        assert_eq!(counter.finish(), Some(0b01));
    }
}
