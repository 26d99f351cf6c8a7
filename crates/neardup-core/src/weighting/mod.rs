//! The weight of each token: from the tokens of a text to its distinct tokens with weights.
//!
//! * [`Weighting`]: the method, by the name a user writes.
//! * [`Weigher`]: applies it; keeps its scratch memory from text to text.
//! * [`idf`]: how rare a word is, from jieba's own table or from a profile's document frequencies.
//! * [`keywords`]: the heaviest tokens.
//! * [`fixed_point`]: the integer form of a weight, in which signatures add.
//!
//! Here a token is only its [`token_hash`](neardup_text::hash::token_hash), as in every signature. Distinct tokens are in the order
//! of their first occurrence. Every weight is a function of the token sequence (and of the idf table), computed by additions,
//! multiplications and divisions in a fixed order. So it has the same bits on every machine; the weights of one format version
//! never change.

mod distinct;
mod fixed;
pub mod idf;
mod keywords;
mod textrank;

use distinct::Distinct;
use idf::Idf;
use neardup_text::{Error, ErrorKind, Result};
use textrank::TextRank;

pub use fixed::{FIXED_POINT_BITS, fixed_point};
pub use keywords::{Keyword, keywords};

/// The most tokens of one text that can be weighed: some 200 MB of Chinese, for which a weigher takes up to 7 GB.
pub const MAX_TOKENS: usize = 1 << 26;

/// Texts up to this many tokens share memory with those before them; what a longer one took is given back by the
/// next shorter one.
const KEPT_TOKENS: usize = 1 << 16;

/// Names what a token's weight is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Weighting {
    /// Weighs every distinct token 1.
    #[default]
    None,
    /// Weighs a token by how often it occurs.
    Count,
    /// Weighs a token that occurs n times 1 + ln n: frequent words of a long text do not drown the others.
    LogCount,
    /// Weighs a token by its share of the text's tokens (Zhang 2016, eq. 1).
    Tf,
    /// Weighs a token by that share, times how rare the word is elsewhere (Zhang 2016, eq. 2).
    TfIdf,
    /// Weighs a token by its rank in the graph of words that stand together (Zhang 2016, eq. 3 and 4).
    TextRank,
}

impl Weighting {
    /// Every method, in the order of the documentation.
    pub const ALL: [Self; 6] = [Self::None, Self::Count, Self::LogCount, Self::Tf, Self::TfIdf, Self::TextRank];

    /// Returns the name by which a user asks for the method.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Count => "count",
            Self::LogCount => "log_count",
            Self::Tf => "tf",
            Self::TfIdf => "tfidf",
            Self::TextRank => "textrank",
        }
    }

    /// Returns the number that stands for the method in the fingerprint of a signature; frozen.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Count => 1,
            Self::Tf => 2,
            Self::TfIdf => 3,
            Self::TextRank => 4,
            Self::LogCount => 5,
        }
    }

    /// Reads a name.
    ///
    /// # Errors
    /// `InvalidParameter` for a name that no method has.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|weighting| weighting.name() == name).ok_or_else(|| {
            Error::new(ErrorKind::InvalidParameter, format!("unrecognized weighting: \"{name}\""))
                .with_hint("Weightings are \"none\", \"count\", \"log_count\", \"tf\", \"tfidf\" and \"textrank\".")
        })
    }
}

/// A distinct token of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighted {
    /// The token's hash.
    pub hash: u64,
    /// The index, in the token sequence, of its first occurrence.
    pub first: u32,
    /// Its weight: finite, not negative.
    pub weight: f64,
}

/// Turns token sequences into distinct, weighted tokens.
///
/// One `Weigher` serves many texts, and seldom allocates.
#[derive(Debug, Default)]
pub struct Weigher {
    distinct: Distinct,
    textrank: TextRank,
    weighted: Vec<Weighted>,
}

impl Weigher {
    /// Makes a weigher without any memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Weighs the tokens of one text, given by their hashes in text order.
    ///
    /// The answer holds each distinct token once, in the order of first occurrence; an empty text has none. `idf`
    /// is asked only under [`Weighting::TfIdf`]. Time and memory are linear in the tokens: at most about 100 bytes
    /// each, 200 under [`Weighting::TextRank`].
    ///
    /// # Errors
    /// `LimitExceeded` beyond [`MAX_TOKENS`] tokens, or 16,777,216 under [`Weighting::TextRank`].
    pub fn weigh(&mut self, tokens: &[u64], weighting: Weighting, idf: &dyn Idf) -> Result<&[Weighted]> {
        let most = if weighting == Weighting::TextRank { textrank::MAX_TOKENS } else { MAX_TOKENS };
        if tokens.len() > most {
            let message = format!("text of {} tokens is too long for weighting \"{}\"", tokens.len(), weighting.name());
            let detail = format!("The limit is {most} tokens.");
            return Err(Error::new(ErrorKind::LimitExceeded, message).with_detail(detail));
        }
        if tokens.len() <= KEPT_TOKENS && self.distinct.ids.capacity() > KEPT_TOKENS {
            *self = Self::new();
        }
        self.distinct.find(tokens);
        let Distinct { ids, hashes, first, counts, .. } = &self.distinct;
        let counted = hashes.iter().zip(first).zip(counts);
        self.weighted.clear();
        self.weighted.extend(counted.map(|((&hash, &first), &count)| Weighted {
            hash,
            first,
            weight: f64::from(count),
        }));
        let length = tokens.len() as f64;
        match weighting {
            Weighting::None => self.weighted.iter_mut().for_each(|token| token.weight = 1.0),
            Weighting::Count => (),
            // The logarithm is software, so that it is the same bits everywhere.
            Weighting::LogCount => {
                self.weighted.iter_mut().for_each(|token| token.weight = 1.0 + libm::log(token.weight))
            }
            Weighting::Tf => self.weighted.iter_mut().for_each(|token| token.weight /= length),
            Weighting::TfIdf => {
                self.weighted.iter_mut().for_each(|token| token.weight = token.weight / length * idf.idf(token.hash));
            }
            Weighting::TextRank => {
                let ranks = self.textrank.rank(ids, hashes.len());
                self.weighted.iter_mut().zip(ranks).for_each(|(token, &rank)| token.weight = rank);
            }
        }
        Ok(&self.weighted)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::idf::{Idf, JiebaIdf};
    use super::{Weigher, Weighting};
    use neardup_text::ErrorKind;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Any hash has an idf of its own.
    struct Scaled;
    impl Idf for Scaled {
        fn idf(&self, hash: u64) -> f64 {
            f64::from(u8::try_from(hash % 16).unwrap())
        }
    }

    #[test]
    fn names_read_back() {
        for weighting in Weighting::ALL {
            assert_eq!(Weighting::parse(weighting.name()), Ok(weighting));
        }
        let codes = Weighting::ALL.map(Weighting::code);
        assert_eq!(codes, [0, 1, 5, 2, 3, 4]);
    }

    #[test]
    fn an_unknown_name_is_quoted() {
        let error = Weighting::parse("TF").unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidParameter);
        assert_eq!(error.message, "unrecognized weighting: \"TF\"");
        assert!(error.hint.unwrap().contains("\"textrank\""));
    }

    #[test]
    fn an_empty_text_has_no_tokens() {
        for weighting in Weighting::ALL {
            assert_eq!(Weigher::new().weigh(&[], weighting, &JiebaIdf).unwrap(), &[]);
        }
    }

    /// Equation 1 and the plain counts, by the book.
    fn oracle(tokens: &[u64], weighting: Weighting) -> Vec<(u64, u32, f64)> {
        let mut counts: HashMap<u64, f64> = HashMap::new();
        for &token in tokens {
            *counts.entry(token).or_default() += 1.0;
        }
        let mut seen = Vec::new();
        for (at, &token) in tokens.iter().enumerate() {
            if seen.iter().all(|&(other, _, _)| other != token) {
                let tf = counts[&token] / tokens.len() as f64;
                let weight = match weighting {
                    Weighting::Count => counts[&token],
                    Weighting::LogCount => 1.0 + libm::log(counts[&token]),
                    Weighting::Tf => tf,
                    Weighting::TfIdf => tf * Scaled.idf(token),
                    _ => 1.0,
                };
                seen.push((token, u32::try_from(at).unwrap(), weight));
            }
        }
        seen
    }

    #[test]
    fn a_text_without_end_is_refused() {
        let tokens = vec![7; (1 << 24) + 1];
        let error = Weigher::new().weigh(&tokens, Weighting::TextRank, &JiebaIdf).unwrap_err();
        assert_eq!(error.kind, ErrorKind::LimitExceeded);
        assert_eq!(error.message, "text of 16777217 tokens is too long for weighting \"textrank\"");
        assert_eq!(error.detail.unwrap(), "The limit is 16777216 tokens.");
    }

    #[test]
    fn memory_of_a_long_text_is_given_back() {
        let tokens = vec![7; 1 << 17];
        let mut weigher = Weigher::new();
        assert_eq!(weigher.weigh(&tokens, Weighting::Count, &JiebaIdf).unwrap()[0].weight, 131_072.0);
        assert_eq!(weigher.weigh(&tokens[..2], Weighting::Count, &JiebaIdf).unwrap()[0].weight, 2.0);
        assert!(weigher.distinct.ids.capacity() < 1 << 10);
    }

    proptest! {
        #[test]
        fn agrees_with_the_oracle(texts in prop::collection::vec(prop::collection::vec(0u64..60, 0..200), 1..4)) {
            let mut weigher = Weigher::new();
            for tokens in texts {
                for weighting in Weighting::ALL.into_iter().filter(|&weighting| weighting != Weighting::TextRank) {
                    let weighed: Vec<_> = weigher
                        .weigh(&tokens, weighting, &Scaled)
                        .unwrap()
                        .iter()
                        .map(|token| (token.hash, token.first, token.weight))
                        .collect();
                    prop_assert_eq!(weighed, oracle(&tokens, weighting));
                }
            }
        }
    }
}
