//! The tokens of one text as hashes in text order, from any segmenter, and the weighted signatures made of them.
//!
//! [`HashedTokens`] is filled from a document ([`read`](HashedTokens::read)), from given tokens
//! ([`read_tokens`](HashedTokens::read_tokens)) or from hashes ([`read_hashes`](HashedTokens::read_hashes)). It then makes a
//! weighted SimHash, its totals, or a token set. It reuses its memory from text to text. The [parent module](super) makes the
//! SimHash by count and the MinHash faster, without storing tokens.

use super::{Analyzer, Cut, Scratch, chars};
use crate::signature::shingle::{self, BATCH, Sink};
use crate::signature::simhash::{SimHashCounter, keep_bits};
use crate::signature::tokenset;
use crate::weighting::idf::JiebaIdf;
use crate::weighting::{FIXED_POINT_BITS, MAX_TOKENS, Weigher, Weighted, Weighting, fixed_point};
use neardup_text::hash::token_hash;
use neardup_text::{Error, ErrorKind, Result};

/// The most that the weights a caller gives may add up to, so that totals in fixed point are exact.
pub const MAX_GIVEN_WEIGHT: f64 = 536_870_912.0;

/// Says how much each token of a text counts.
#[derive(Clone, Copy, Debug)]
pub enum Weights<'w> {
    /// What the method makes of the text.
    By(Weighting),
    /// One weight for each token, finite and not negative; those of a repeated token add up.
    Given(&'w [f64]),
}

impl Weights<'_> {
    /// Whether weights are whole numbers, which enter a SimHash as they are; others enter as fixed point.
    const fn are_whole(self) -> bool {
        matches!(self, Self::By(Weighting::None | Weighting::Count))
    }
}

/// The tokens of one text, and room to weigh them.
#[derive(Debug, Default)]
pub struct HashedTokens {
    hashes: Vec<u64>,
    weigher: Weigher,
    counter: SimHashCounter,
}

/// Takes the hashes of shingles in text order, one more than the limit at most.
struct Collect<'h>(&'h mut Vec<u64>);

impl Sink for Collect<'_> {
    #[inline(always)]
    fn take_some(&mut self, _: &[u64]) {}

    fn take_batch(&mut self, hashes: &[u64]) {
        let room = (MAX_TOKENS + 1).saturating_sub(self.0.len());
        self.0.extend_from_slice(hashes.get(..room).unwrap_or(hashes));
    }
}

impl HashedTokens {
    /// Reads a document's tokens in place of those before.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more, or of more than [`MAX_TOKENS`] tokens.
    pub fn read(&mut self, document: &str, analyzer: &Analyzer, scratch: &mut Scratch) -> Result<()> {
        self.hashes.clear();
        let hashes = &mut self.hashes;
        match analyzer.cut(document, scratch) {
            Cut::Shingles { text, size, room } => {
                let mut buffer = [0; BATCH];
                let mut sink = Collect(hashes);
                chars::shingle_bounds(text, size, room, &mut |starts, ends| {
                    shingle::hash_into(text.as_bytes(), starts, ends, &mut buffer, &mut sink);
                })?;
            }
            Cut::Runs(text, room) => {
                let mut buffer = [0; BATCH];
                let mut sink = Collect(hashes);
                analyzer.runs(text, room, &mut |joined, starts, ends| {
                    shingle::hash_into(joined.as_bytes(), starts, ends, &mut buffer, &mut sink);
                })?;
            }
            Cut::Words(text) => analyzer.features(text, &mut |token| {
                if hashes.len() <= MAX_TOKENS {
                    hashes.push(token_hash(token));
                }
            })?,
        }
        self.check_length()
    }

    /// Reads tokens that another segmenter has cut, in place of those before.
    ///
    /// # Errors
    /// `LimitExceeded` for more than [`MAX_TOKENS`].
    pub fn read_tokens<'t>(&mut self, tokens: impl IntoIterator<Item = &'t str>) -> Result<()> {
        self.read_hashes(tokens.into_iter().map(token_hash))
    }

    /// Reads token hashes in text order, in place of those before.
    ///
    /// # Errors
    /// `LimitExceeded` for more than [`MAX_TOKENS`].
    pub fn read_hashes(&mut self, hashes: impl IntoIterator<Item = u64>) -> Result<()> {
        self.hashes.clear();
        self.hashes.extend(hashes.into_iter().take(MAX_TOKENS + 1));
        self.check_length()
    }

    fn check_length(&self) -> Result<()> {
        if self.hashes.len() <= MAX_TOKENS {
            return Ok(());
        }
        Err(Error::new(ErrorKind::LimitExceeded, format!("text has more than {MAX_TOKENS} tokens")))
    }

    /// Returns the hashes in text order, unless [`Self::distinct`] has sorted them.
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Returns how many tokens there is room for without more memory.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.hashes.capacity()
    }

    /// Returns the distinct hashes in ascending order; the text's order is lost.
    pub fn distinct(&mut self) -> &[u64] {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        neardup_text::interrupt::check();
        &self.hashes
    }

    /// Returns the SimHash of the low `bits` bits; `None` where no token weighs anything.
    ///
    /// # Errors
    /// `InvalidParameter` if `bits` is not 1 to 64, or for given weights that are not one for each token, finite, not negative and together
    /// at most [`MAX_GIVEN_WEIGHT`]; `LimitExceeded` as [`Weigher::weigh`].
    pub fn simhash(&mut self, weights: Weights<'_>, bits: u32) -> Result<Option<u64>> {
        keep_bits(0, bits)?;
        self.count(weights)?;
        self.counter.finish().map(|signature| keep_bits(signature, bits)).transpose()
    }

    /// Returns the first `bits` totals behind the SimHash, in units of the weights, for comparison by cosine (Zhang 2016,
    /// SimHashCosine); `None` where no token weighs anything.
    ///
    /// # Errors
    /// As [`Self::simhash`].
    pub fn totals(&mut self, weights: Weights<'_>, bits: u32) -> Result<Option<Vec<f32>>> {
        keep_bits(0, bits)?;
        self.count(weights)?;
        // A power of two: the quotient is the same 24 bits.
        let unit = if weights.are_whole() { 1.0 } else { (1_u64 << FIXED_POINT_BITS) as f32 };
        let totals = self.counter.totals_vector(bits)?;
        Ok(totals.map(|totals| totals.into_iter().map(|total| total / unit).collect()))
    }

    /// Returns the token set in its binary form; under [`Weighting::None`] without weights. The text's order may be lost.
    ///
    /// # Errors
    /// As [`Self::simhash`].
    pub fn token_set(&mut self, weights: Weights<'_>, fingerprint: u64) -> Result<Vec<u8>> {
        match weights {
            Weights::By(Weighting::None) => tokenset::encode_sorted(self.distinct(), fingerprint),
            Weights::By(weighting) => {
                let weighted = self.weigher.weigh(&self.hashes, weighting, &JiebaIdf)?;
                tokenset::encode(weighted, true, fingerprint)
            }
            Weights::Given(weights) => {
                check_given(weights, self.hashes.len())?;
                let mut tokens: Vec<Weighted> = (0..)
                    .zip(self.hashes.iter().zip(weights))
                    .map(|(first, (&hash, &weight))| Weighted { hash, first, weight })
                    .collect();
                tokens.sort_unstable_by_key(|token| (token.hash, token.first));
                tokens.dedup_by(|later, kept| {
                    let same = later.hash == kept.hash;
                    if same {
                        kept.weight += later.weight;
                    }
                    same
                });
                tokenset::encode(&tokens, true, fingerprint)
            }
        }
    }

    /// Adds the tokens to the counter.
    fn count(&mut self, weights: Weights<'_>) -> Result<()> {
        self.counter.reset();
        match weights {
            Weights::By(Weighting::Count) => self.counter.add_all(&self.hashes),
            Weights::By(weighting) => {
                let weighted = self.weigher.weigh(&self.hashes, weighting, &JiebaIdf)?;
                if weights.are_whole() {
                    weighted.iter().for_each(|token| self.counter.add(token.hash));
                } else {
                    weighted.iter().for_each(|token| self.counter.add_weighted(token.hash, fixed_point(token.weight)));
                }
            }
            Weights::Given(weights) => {
                check_given(weights, self.hashes.len())?;
                for (&hash, &weight) in self.hashes.iter().zip(weights) {
                    self.counter.add_weighted(hash, fixed_point(weight));
                }
            }
        }
        Ok(())
    }
}

fn check_given(weights: &[f64], tokens: usize) -> Result<()> {
    let invalid = |message: String| Error::new(ErrorKind::InvalidParameter, message);
    if weights.len() != tokens {
        return Err(invalid(format!("{tokens} tokens have {} weights", weights.len())));
    }
    if let Some(weight) = weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
        return Err(invalid(format!("invalid weight: {weight}")).with_hint("A weight is finite and not negative."));
    }
    let sum: f64 = weights.iter().sum();
    if sum > MAX_GIVEN_WEIGHT {
        return Err(invalid(format!("weights of a text add up to {sum}"))
            .with_hint(format!("They may add up to {MAX_GIVEN_WEIGHT}; only their proportions matter.")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{HashedTokens, Weights};
    use crate::document;
    use crate::signature::tokenset::TokenSet;
    use crate::weighting::idf::{Idf, JiebaIdf};
    use crate::weighting::{Weighting, fixed_point};
    use neardup_text::ErrorKind;
    use neardup_text::hash::token_hash;
    use neardup_text::{Analyzer, Scratch};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const WORDS: [&str; 8] = ["新闻", "北京", "的", "了", "地铁", "开通", "市民", "撤稿声明"];

    fn read(words: &[&str]) -> HashedTokens {
        let mut tokens = HashedTokens::default();
        tokens.read_tokens(words.iter().copied()).unwrap();
        tokens
    }

    fn counts<'w>(words: &[&'w str]) -> BTreeMap<&'w str, f64> {
        let mut counts = BTreeMap::new();
        words.iter().for_each(|&word| *counts.entry(word).or_insert(0.0) += 1.0);
        counts
    }

    /// The weight of a word by the book.
    fn weight(word: &str, count: f64, length: f64, weighting: Weighting) -> f64 {
        match weighting {
            Weighting::Count => count,
            Weighting::LogCount => 1.0 + libm::log(count),
            Weighting::Tf => count / length,
            Weighting::TfIdf => count / length * JiebaIdf.idf(token_hash(word)),
            _ => 1.0,
        }
    }

    const BY_THE_BOOK: [Weighting; 5] =
        [Weighting::None, Weighting::Count, Weighting::LogCount, Weighting::Tf, Weighting::TfIdf];

    proptest! {
        #[test]
        fn simhash_and_totals_follow_the_definition(
            words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..40),
            bits in 1_u32..=64,
        ) {
            for weighting in BY_THE_BOOK {
                let mut totals = [0_i64; 64];
                for (word, count) in counts(&words) {
                    let weight = fixed_point(weight(word, count, words.len() as f64, weighting));
                    for (bit, total) in totals.iter_mut().enumerate() {
                        *total += if token_hash(word) >> bit & 1 == 1 { weight } else { -weight };
                    }
                }
                let totals = &totals[..bits as usize];
                let signature = (0..).zip(totals).map(|(bit, &total)| u64::from(total > 0) << bit).sum();
                let mut tokens = read(&words);
                prop_assert_eq!(tokens.simhash(Weights::By(weighting), bits).unwrap(), Some(signature));
                let natural: Vec<f32> = totals.iter().map(|&total| total as f32 / 4_294_967_296.0).collect();
                prop_assert_eq!(tokens.totals(Weights::By(weighting), bits).unwrap(), Some(natural));
            }
        }

        #[test]
        fn given_weights_are_the_methods_weights(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..40)) {
            for weighting in BY_THE_BOOK {
                let distinct = counts(&words);
                let names: Vec<&str> = distinct.keys().copied().collect();
                let weights: Vec<f64> =
                    distinct.iter().map(|(word, &count)| weight(word, count, words.len() as f64, weighting)).collect();
                let (mut by, mut given) = (read(&words), read(&names));
                let signature = by.simhash(Weights::By(weighting), 64).unwrap();
                prop_assert_eq!(signature, given.simhash(Weights::Given(&weights), 64).unwrap());
                if weighting != Weighting::None {
                    prop_assert_eq!(
                        by.token_set(Weights::By(weighting), 7).unwrap(),
                        given.token_set(Weights::Given(&weights), 7).unwrap()
                    );
                }
            }
        }

        #[test]
        fn a_token_set_holds_each_token_once(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..40)) {
            let set = read(&words).token_set(Weights::By(Weighting::None), 7).unwrap();
            let set = TokenSet::decode(&set).unwrap();
            let mut expected: Vec<u64> = counts(&words).keys().map(|word| token_hash(word)).collect();
            expected.sort_unstable();
            prop_assert_eq!(set.tokens().map(|(hash, _)| hash).collect::<Vec<_>>(), expected);
            prop_assert!(set.weights().is_none());
        }

        #[test]
        fn documents_give_their_tokens(
            text in "([\u{4e00}-\u{4e40}a-c0-9，。 ]|😀){0,60}",
            analyzer in prop::sample::select(vec!["jieba", "chars:1", "chars:4", "words"]),
        ) {
            let analyzer: Analyzer = analyzer.parse().unwrap();
            let mut scratch = Scratch::default();
            let mut expected = Vec::new();
            analyzer.tokens(&text, &mut scratch, &mut |token| expected.push(token_hash(token))).unwrap();
            let mut tokens = HashedTokens::default();
            tokens.read(&text, &analyzer, &mut scratch).unwrap();
            prop_assert_eq!(tokens.hashes(), expected);
            let by_count = tokens.simhash(Weights::By(Weighting::Count), 64).unwrap();
            prop_assert_eq!(by_count, document::simhash(&text, &analyzer, &mut scratch).unwrap());
        }
    }

    #[test]
    fn repeated_tokens_add_up_their_weights() {
        let set = read(&["新闻", "的", "新闻"]).token_set(Weights::Given(&[0.5, 1.0, 2.0]), 7).unwrap();
        let weights: BTreeMap<u64, f32> = TokenSet::decode(&set).unwrap().tokens().collect();
        assert_eq!(weights, BTreeMap::from([(token_hash("新闻"), 2.5), (token_hash("的"), 1.0)]));
    }

    #[test]
    fn tokens_that_weigh_nothing_are_no_signature() {
        assert_eq!(read(&[]).simhash(Weights::By(Weighting::TfIdf), 64), Ok(None));
        assert_eq!(read(&["新闻"]).simhash(Weights::Given(&[0.0]), 64), Ok(None));
        assert_eq!(read(&[]).totals(Weights::By(Weighting::None), 64), Ok(None));
    }

    #[test]
    fn given_weights_have_rules() {
        for weights in [&[1.0][..], &[1.0, -1.0], &[1.0, f64::NAN], &[f64::INFINITY, 1.0], &[536_870_912.0, 1.0]] {
            for error in [
                read(&["新闻", "的"]).simhash(Weights::Given(weights), 64).unwrap_err(),
                read(&["新闻", "的"]).token_set(Weights::Given(weights), 0).unwrap_err(),
            ] {
                assert_eq!(error.kind, ErrorKind::InvalidParameter, "{weights:?}");
            }
        }
        assert_eq!(
            read(&["新闻"]).simhash(Weights::By(Weighting::Tf), 65).unwrap_err().kind,
            ErrorKind::InvalidParameter
        );
    }
}
