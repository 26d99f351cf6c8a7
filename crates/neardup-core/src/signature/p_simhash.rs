//! P-Simhash: a SimHash in which rare, significant words and their positions count (Zhang, Chen, Fu and Xu 2022).
//!
//! 1. Weights, J-Tidf: w = (m/M) ln(N/n), scaled to unit length, for a word that occurs m times among the M words of the text and
//!    in n of N documents. For words that always occur together it is lowered to w' = w (1 - max J), the maximum over the heavier
//!    words of the text, so that one of them represents the group. Of two words with equal weight, the one with the smaller hash
//!    counts as the heavier.
//! 2. The words with the greatest w' are kept.
//! 3. A signature of each word's positions (PBDR): a fixed random function maps every position, counted in words from 0, to f
//!    counters and adds 1 there. A counter above the mean gives 1.
//! 4. The word's vector is mu times its hash's bits plus (1 - mu) times its positions' bits, with bits as +1 and -1.
//! 5. The vectors are multiplied by w' and summed; positive totals give 1.
//!
//! Where the source is not specific, we chose how J lowers the weight; that only the 256 heaviest words are considered; and the
//! random function of step 3. The function differs from word to word, and adds each position round(f ln 2) times, 44 for 64
//! counters, so that a word that occurs once sets half of them, as its hash does.
//!
//! With one function for all words, two words of equal weight could be exchanged without changing the sum. With one addition per
//! position, 63 of 64 counters would be equal for all words. In a test with sentences of four to seven words, two of them
//! exchanged, and random statistics, one function with one addition tells 20 of 100 apart, one function with 44 additions 77, and
//! this method 100. A word inserted at the front of 400 changes 8 or 9 bits; with one function and 44 additions 7, with one
//! addition 4 (means of 25 random texts).
//!
//! [`PSimhash`] holds the parameters and makes signatures.

use super::corpus::{CorpusStatistics, sorted_occurrences};
use super::simhash::{MAX_BITS, keep_bits};
use crate::weighting::fixed_point;
use neardup_text::hash::mix;
use neardup_text::{Error, ErrorKind, Result};

/// How many of a text's heaviest words are looked at: each is compared with all heavier ones.
const CANDIDATES: usize = 256;

/// The parameters of P-Simhash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PSimhash {
    words: usize,
    mu: f64,
    bits: u32,
}

impl Default for PSimhash {
    /// Returns the source's parameters: 20 words, mu = 1.5, 64 bits.
    fn default() -> Self {
        Self { words: 20, mu: 1.5, bits: MAX_BITS }
    }
}

/// A word of one text.
#[derive(Clone, Copy)]
struct Word {
    hash: u64,
    /// Where its positions begin and end among the sorted occurrences.
    begin: usize,
    end: usize,
    weight: f64,
}

impl PSimhash {
    /// Checks and joins the parameters: words to keep, 1 to 256; mu, 0 to 10; bits, 1 to 64.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`] for one outside its range.
    pub fn new(words: usize, mu: f64, bits: u32) -> Result<Self> {
        if !(1..=CANDIDATES).contains(&words) {
            return Err(Error::new(
                ErrorKind::InvalidParameter,
                format!("invalid number of words for P-Simhash: {words}"),
            )
            .with_hint(format!("P-Simhash keeps 1 to {CANDIDATES} words.")));
        }
        if !(0.0..=10.0).contains(&mu) {
            return Err(Error::new(ErrorKind::InvalidParameter, format!("invalid mu for P-Simhash: {mu}"))
                .with_hint("The share of a word's hash, mu, is 0 to 10; the source found 1.4 to 1.9 best."));
        }
        keep_bits(0, bits)?;
        Ok(Self { words, mu, bits })
    }

    /// Makes the signature of a text from the hashes of its words in text order, usually without stop words.
    ///
    /// `None` if no word weighs anything, as when there is no word or all occur in every document.
    #[must_use]
    pub fn signature(&self, words: &[u64], statistics: &impl CorpusStatistics) -> Option<u64> {
        let occurrences = sorted_occurrences(words);
        let kept = self.kept_words(ranked_words(&occurrences, statistics), statistics);
        if kept.is_empty() {
            return None;
        }
        let mut totals = [0_i64; MAX_BITS as usize];
        for word in &kept {
            let positions = occurrences.get(word.begin..word.end).unwrap_or_default();
            let places = self.position_bits(positions);
            // Integers, so that the order of addition does not matter.
            let (of_hash, of_place) = (fixed_point(word.weight * self.mu), fixed_point(word.weight * (1.0 - self.mu)));
            for (bit, total) in totals.iter_mut().enumerate() {
                *total += if (word.hash >> bit) & 1 == 1 { of_hash } else { -of_hash };
                *total += if (places >> bit) & 1 == 1 { of_place } else { -of_place };
            }
        }
        let all = totals.iter().enumerate().fold(0, |bits, (bit, &total)| bits | (u64::from(total > 0) << bit));
        keep_bits(all, self.bits).ok()
    }

    /// Lowers the weights of words that come with a heavier one, and keeps the heaviest of what is left.
    fn kept_words(&self, ranked: Vec<Word>, statistics: &impl CorpusStatistics) -> Vec<Word> {
        let mut kept: Vec<Word> = Vec::new();
        for (rank, word) in ranked.iter().enumerate() {
            // Weights are only lowered: no later word can be heavier than this one was.
            if kept.len() == self.words && kept.last().is_some_and(|least| least.weight >= word.weight) {
                break;
            }
            let heavier = ranked.get(..rank).unwrap_or_default();
            let together = heavier
                .iter()
                .map(|other| statistics.co_occurrence(word.hash, other.hash))
                .fold(0.0, f64::max)
                .clamp(0.0, 1.0);
            let lowered = Word { weight: word.weight * (1.0 - together), ..*word };
            if lowered.weight > 0.0 {
                let place = kept.partition_point(|other| other.weight >= lowered.weight);
                kept.insert(place, lowered);
                kept.truncate(self.words);
            }
        }
        kept
    }

    /// Makes the signature of a word's positions (PBDR).
    fn position_bits(&self, positions: &[(u64, u32)]) -> u64 {
        let dimensions = u64::from(self.bits);
        let throws = (f64::from(self.bits) * std::f64::consts::LN_2).round().max(1.0) as u64;
        let mut thrown = [0_u64; MAX_BITS as usize];
        for (done, &(hash, position)) in positions.iter().enumerate() {
            if done % 4096 == 4095 {
                neardup_text::interrupt::check();
            }
            for throw in 1..=throws {
                let dimension = (u128::from(mix(hash ^ u64::from(position), throw)) * u128::from(dimensions)) >> 64;
                if let Some(thrown) = thrown.get_mut(dimension as usize) {
                    *thrown += 1;
                }
            }
        }
        let all = positions.len() as u64 * throws;
        (0..).zip(thrown).fold(0, |bits, (bit, thrown)| bits | (u64::from(thrown * dimensions > all) << bit))
    }
}

/// The words of a text by falling tf-idf of unit length; the heaviest only, and none that weighs nothing.
fn ranked_words(occurrences: &[(u64, u32)], statistics: &impl CorpusStatistics) -> Vec<Word> {
    let mut words = Vec::new();
    let mut begin = 0;
    let mut squares = 0.0;
    for run in occurrences.chunk_by(|a, b| a.0 == b.0) {
        let Some(&(hash, _)) = run.first() else { continue };
        let weight = run.len() as f64 / occurrences.len() as f64 * statistics.rarity(hash);
        let end = begin + run.len();
        if weight > 0.0 {
            words.push(Word { hash, begin, end, weight });
            squares += weight * weight;
        }
        begin = end;
        if words.len() % 4096 == 0 {
            neardup_text::interrupt::check();
        }
    }
    words.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then(a.hash.cmp(&b.hash)));
    words.truncate(CANDIDATES);
    let length = squares.sqrt();
    words.iter_mut().for_each(|word| word.weight /= length);
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::PSimhash;
    use crate::signature::corpus::CorpusStatistics;
    use crate::signature::simhash::SimHashCounter;
    use neardup_text::ErrorKind;
    use neardup_text::hash::{mix, token_hash};
    use proptest::prelude::*;

    /// A made-up collection: how many of 1,000 documents have the word, and which words come together. Primes but 2 and 5, so
    /// that no sum of weights is 0 but for its rounding, which integers and floating point do not share.
    struct News;

    const FREQUENCIES: [(&str, f64); 9] = [
        ("太阳队", 11.0),
        ("雄鹿队", 31.0),
        ("总决赛", 47.0),
        ("赢", 163.0),
        ("李白", 7.0),
        ("唐代", 17.0),
        ("诗人", 19.0),
        ("是", 613.0),
        ("不是", 139.0),
    ];
    const TOGETHER: [(&str, &str, f64); 4] =
        [("李白", "诗人", 0.8), ("李白", "唐代", 0.75), ("唐代", "诗人", 0.7), ("太阳队", "总决赛", 0.2)];

    impl CorpusStatistics for News {
        fn rarity(&self, word: u64) -> f64 {
            let frequency = FREQUENCIES.iter().find(|(text, _)| token_hash(text) == word).map_or(1.0, |&(_, n)| n);
            (1000.0 / frequency).ln()
        }
        fn co_occurrence(&self, a: u64, b: u64) -> f64 {
            let is = |x: &str, y: &str| (token_hash(x), token_hash(y)) == (a, b);
            TOGETHER.iter().find(|(x, y, _)| is(x, y) || is(y, x)).map_or(0.0, |&(_, _, together)| together)
        }
        fn neighbour_entropy(&self, _: u64) -> f64 {
            0.0
        }
    }

    fn hashes(words: &[&str]) -> Vec<u64> {
        words.iter().map(|word| token_hash(word)).collect()
    }

    fn plain_simhash(words: &[&str]) -> Option<u64> {
        let mut counter = SimHashCounter::new();
        words.iter().for_each(|word| counter.add(token_hash(word)));
        counter.finish()
    }

    fn signature(words: &[&str]) -> Option<u64> {
        PSimhash::default().signature(&hashes(words), &News)
    }

    /// The definition, step by step, without early stops.
    fn naive(parameters: PSimhash, words: &[u64], statistics: &impl CorpusStatistics) -> Option<u64> {
        let mut distinct = words.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let raw = |word: u64| {
            let m = words.iter().filter(|&&other| other == word).count() as f64;
            m / words.len() as f64 * statistics.rarity(word)
        };
        let length = distinct.iter().map(|&word| raw(word) * raw(word)).sum::<f64>().sqrt();
        let weight = |word: u64| raw(word) / length;
        let heavier = |x: u64, y: u64| weight(y) > weight(x) || (weight(y) == weight(x) && y < x);
        let mut kept: Vec<(u64, f64)> = distinct
            .iter()
            .map(|&x| {
                let together = distinct.iter().filter(|&&y| y != x && heavier(x, y));
                (x, weight(x) * (1.0 - together.map(|&y| statistics.co_occurrence(x, y)).fold(0.0, f64::max)))
            })
            .filter(|&(_, weight)| weight > 0.0)
            .collect();
        kept.sort_by(|a, b| b.1.total_cmp(&a.1));
        kept.truncate(parameters.words);
        let mut totals = vec![0.0; parameters.bits as usize];
        for &(word, weight) in &kept {
            let mut thrown = vec![0; parameters.bits as usize];
            let throws = (f64::from(parameters.bits) * std::f64::consts::LN_2).round() as u64;
            for (position, _) in words.iter().enumerate().filter(|&(_, &other)| other == word) {
                for throw in 1..=throws {
                    let x = mix(word ^ position as u64, throw);
                    thrown[(u128::from(x) * u128::from(parameters.bits) / (1 << 64)) as usize] += 1;
                }
            }
            let mean = f64::from(thrown.iter().sum::<u32>()) / f64::from(parameters.bits);
            for (bit, total) in totals.iter_mut().enumerate() {
                let sign = |bit: bool| if bit { 1.0 } else { -1.0 };
                let of_hash = sign((word >> bit) & 1 == 1);
                let of_place = sign(f64::from(thrown[bit]) - mean > 0.0);
                *total += weight * (parameters.mu * of_hash + (1.0 - parameters.mu) * of_place);
            }
        }
        (!kept.is_empty()).then(|| (0..).zip(&totals).map(|(bit, &total)| u64::from(total > 0.0) << bit).sum())
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            words in prop::collection::vec(0..FREQUENCIES.len(), 0..30),
            keep in 1_usize..6,
            mu in 0.9_f64..2.0,
            bits in 8_u32..=64,
        ) {
            let words: Vec<u64> = words.into_iter().map(|word| token_hash(FREQUENCIES[word].0)).collect();
            let parameters = PSimhash::new(keep, mu, bits).unwrap();
            prop_assert_eq!(parameters.signature(&words, &News), naive(parameters, &words, &News));
        }
    }

    /// The source's example: the same words in another order.
    #[test]
    fn words_that_change_places_show() {
        let (won, lost) = (["太阳队", "总决赛", "赢", "雄鹿队"], ["雄鹿队", "总决赛", "赢", "太阳队"]);
        assert_eq!(plain_simhash(&won), plain_simhash(&lost));
        assert_ne!(signature(&won), signature(&lost));
    }

    #[test]
    fn the_small_word_that_makes_the_difference_counts() {
        let (is, is_not) = (["李白", "是", "唐代", "诗人"], ["李白", "不是", "唐代", "诗人"]);
        assert_ne!(signature(&is), signature(&is_not));
    }

    #[test]
    fn words_without_weight_are_no_signature() {
        assert_eq!(signature(&[]), None);
        struct One;
        impl CorpusStatistics for One {
            fn rarity(&self, _: u64) -> f64 {
                0.0
            }
            fn co_occurrence(&self, _: u64, _: u64) -> f64 {
                1.0
            }
            fn neighbour_entropy(&self, _: u64) -> f64 {
                0.0
            }
        }
        assert_eq!(PSimhash::default().signature(&hashes(&["李白", "诗人"]), &One), None);
    }

    #[test]
    fn parameters_have_ranges() {
        for (words, mu, bits) in [(0, 1.5, 64), (257, 1.5, 64), (20, -0.1, 64), (20, f64::NAN, 64), (20, 1.5, 65)] {
            assert_eq!(PSimhash::new(words, mu, bits).unwrap_err().kind, ErrorKind::InvalidParameter);
        }
        assert_eq!(PSimhash::new(20, 1.5, 64), Ok(PSimhash::default()));
    }
}
