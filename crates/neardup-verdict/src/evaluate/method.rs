//! Measures by name, and what each has to know of a text.

use crate::pair::same_message;
use neardup_core::signature::minhash::{self, MinHash, MinHasher, Parameters, Scheme};
use neardup_core::signature::simhash::SimHashCounter;
use neardup_core::similarity;
use neardup_core::weighting::idf::JiebaIdf;
use neardup_core::weighting::{Weigher, Weighting, fixed_point};
use neardup_text::hash::token_hash;
use neardup_text::{Analyzer, Scratch};
use neardup_text::{Error, ErrorKind, Result};

/// How many values the MinHash under test has.
const MINHASH_VALUES: usize = 128;

/// A measure of the similarity of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Jaccard similarity of the token sets (Zhang 2016, eq. 5).
    Jaccard,
    /// Overlap coefficient, the literature's short-text Jaccard (eq. 6).
    Overlap,
    /// Cosine of the weighted tokens (eq. 7).
    Cosine,
    /// Hamming distance of two SimHash signatures, 0 to 64: smaller for more similar texts.
    SimHash,
    /// Cosine of the SimHash totals.
    SimHashCosine,
    /// Jaccard similarity, estimated by 128 MinHash values.
    MinHash,
    /// The score of [`same_message`], which compares the texts themselves.
    Message,
}

impl Measure {
    /// Every measure, in the order of the documentation.
    pub const ALL: [Self; 7] =
        [Self::Jaccard, Self::Overlap, Self::Cosine, Self::SimHash, Self::SimHashCosine, Self::MinHash, Self::Message];

    /// Returns its name in SQL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jaccard => "jaccard",
            Self::Overlap => "overlap",
            Self::Cosine => "cosine",
            Self::SimHash => "simhash",
            Self::SimHashCosine => "simhash_cosine",
            Self::MinHash => "minhash",
            Self::Message => "same_message",
        }
    }

    /// Reads a name.
    ///
    /// # Errors
    /// `InvalidParameter` for an unknown name.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|measure| measure.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|measure| measure.name()).collect();
            Error::new(ErrorKind::InvalidParameter, format!("unrecognized measure: \"{name}\""))
                .with_hint(format!("Measures are {}.", names.join(", ")))
        })
    }

    /// Says whether it is a distance, which is small for similar texts.
    #[must_use]
    pub const fn is_distance(self) -> bool {
        matches!(self, Self::SimHash)
    }

    /// Says whether it uses tokens, and so depends on an analyzer.
    #[must_use]
    pub const fn wants_tokens(self) -> bool {
        !matches!(self, Self::Message)
    }
}

/// A measure over the tokens of an analyzer.
#[derive(Clone, Debug)]
pub struct Method {
    /// The measure.
    pub measure: Measure,
    /// The analyzer, by name or as JSON.
    pub analyzer: String,
}

/// What a method stores of a text.
#[derive(Clone, Debug)]
pub enum Measurable {
    /// No token: similar to nothing.
    Nothing,
    /// The distinct token hashes, ascending.
    Set(Vec<u64>),
    /// The same with their weights.
    Weighted(Vec<u64>, Vec<[u8; 4]>),
    /// A signature.
    SimHash(u64),
    /// The totals of a SimHash.
    Totals(Vec<f32>),
    /// A MinHash.
    MinHash(MinHash),
    /// The text itself.
    Text(String),
}

/// Prepares texts for one method; keeps its memory from text to text.
pub struct Measurer {
    measure: Measure,
    analyzer: Analyzer,
    weighting: Weighting,
    scratch: Scratch,
    weigher: Weigher,
    hashes: Vec<u64>,
    hasher: MinHasher,
}

impl Measurer {
    /// Makes a measurer. `weighting` applies to cosine and the two SimHashes.
    ///
    /// # Errors
    /// `InvalidParameter` for an unknown analyzer.
    pub fn new(method: &Method, weighting: Weighting) -> Result<Self> {
        Ok(Self {
            measure: method.measure,
            analyzer: method.analyzer.parse()?,
            weighting,
            scratch: Scratch::default(),
            weigher: Weigher::new(),
            hashes: Vec::new(),
            hasher: MinHasher::new(Parameters::new(Scheme::ManyHash, MINHASH_VALUES, 32, 0)?, 0),
        })
    }

    /// Extracts from a text what the measure needs.
    ///
    /// # Errors
    /// `LimitExceeded` for a text too long for the weighting.
    pub fn prepare(&mut self, document: &str) -> Result<Measurable> {
        if !self.measure.wants_tokens() {
            return Ok(Measurable::Text(document.to_owned()));
        }
        self.hashes.clear();
        let hashes = &mut self.hashes;
        self.analyzer.tokens(document, &mut self.scratch, &mut |token| hashes.push(token_hash(token)))?;
        if hashes.is_empty() {
            return Ok(Measurable::Nothing);
        }
        match self.measure {
            Measure::Jaccard | Measure::Overlap | Measure::Message => {
                hashes.sort_unstable();
                hashes.dedup();
                Ok(Measurable::Set(hashes.clone()))
            }
            Measure::MinHash => {
                self.hasher.reset();
                self.hasher.add_all(hashes);
                Ok(self.hasher.finish().map_or(Measurable::Nothing, Measurable::MinHash))
            }
            Measure::Cosine => {
                let mut tokens = self.weigher.weigh(hashes, self.weighting, &JiebaIdf)?.to_vec();
                tokens.sort_unstable_by_key(|token| token.hash);
                let weights = tokens.iter().map(|token| (token.weight as f32).to_le_bytes()).collect();
                Ok(Measurable::Weighted(tokens.iter().map(|token| token.hash).collect(), weights))
            }
            Measure::SimHash | Measure::SimHashCosine => {
                let mut counter = SimHashCounter::new();
                for token in self.weigher.weigh(hashes, self.weighting, &JiebaIdf)? {
                    counter.add_weighted(token.hash, fixed_point(token.weight));
                }
                if self.measure == Measure::SimHash {
                    Ok(counter.finish().map_or(Measurable::Nothing, Measurable::SimHash))
                } else {
                    Ok(counter.totals_vector(64)?.map_or(Measurable::Nothing, Measurable::Totals))
                }
            }
        }
    }

    /// Returns the measure's value for two texts prepared here: 0 to 1, or a distance of 0 to 64. A text without tokens is
    /// similar to nothing.
    ///
    /// # Errors
    /// Those of [`same_message`].
    pub fn compare(&self, a: &Measurable, b: &Measurable) -> Result<f64> {
        Ok(match (a, b) {
            (Measurable::Set(a), Measurable::Set(b)) if self.measure == Measure::Overlap => similarity::overlap(a, b),
            (Measurable::Set(a), Measurable::Set(b)) => similarity::jaccard(a, b),
            (Measurable::Weighted(a, of_a), Measurable::Weighted(b, of_b)) => {
                similarity::weighted_cosine((a, of_a), (b, of_b))
            }
            (Measurable::SimHash(a), Measurable::SimHash(b)) => f64::from((a ^ b).count_ones()),
            (Measurable::Totals(a), Measurable::Totals(b)) => similarity::vector_cosine(a, b)?,
            (Measurable::MinHash(a), Measurable::MinHash(b)) => minhash::jaccard(a.as_bytes(), b.as_bytes())?,
            (Measurable::Text(a), Measurable::Text(b)) => same_message(a, b)?.score,
            _ if self.measure.is_distance() => 64.0,
            _ => 0.0,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn names_read_back() {
        for measure in Measure::ALL {
            assert_eq!(Measure::parse(measure.name()), Ok(measure));
        }
        assert!(Measure::parse("Jaccard").unwrap_err().hint.unwrap().contains("same_message"));
    }

    #[test]
    fn every_measure_finds_a_text_like_itself_and_unlike_another() {
        let (a, b) = ("东湖公园今起免费开放，园内新增步道四公里。", "海边的灯塔昨夜熄了又亮，守塔人说是换灯泡。");
        for measure in Measure::ALL {
            let method = Method { measure, analyzer: "chars:2".to_owned() };
            let mut measurer = Measurer::new(&method, Weighting::Count).unwrap();
            let (a, b) = (measurer.prepare(a).unwrap(), measurer.prepare(b).unwrap());
            let (same, other) = (measurer.compare(&a, &a).unwrap(), measurer.compare(&a, &b).unwrap());
            let alike = if measure.is_distance() { same == 0.0 } else { same > 0.9 };
            assert!(alike, "{measure:?}: {same}");
            assert!(if measure.is_distance() { other > 10.0 } else { other < 0.6 }, "{measure:?}: {other}");
            let nothing = measurer.prepare("").unwrap();
            if measure.wants_tokens() {
                assert_eq!(measurer.compare(&a, &nothing).unwrap(), if measure.is_distance() { 64.0 } else { 0.0 });
            }
        }
    }
}
