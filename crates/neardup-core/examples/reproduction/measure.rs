//! The measures of Zhang 2016. Each consists of the signature it stores for a document and of a comparison of two signatures.

use neardup_core::document::{self, HashedTokens, Weights};
use neardup_core::signature::minhash::{self, MinHasher, Parameters, Scheme};
use neardup_core::signature::simhash::hamming_distance;
use neardup_core::signature::tokenset::TokenSet;
use neardup_core::similarity::{jaccard, overlap, vector_cosine};
use neardup_core::weighting::Weighting;
use neardup_text::Result;
use neardup_text::{Analyzer, Scratch};

/// A way to compare documents.
#[derive(Clone, Copy)]
pub enum Measure {
    /// Shared tokens over all tokens.
    Jaccard,
    /// Shared tokens over those of the shorter text ("short-text Jaccard").
    Overlap,
    /// Share of equal bits of SimHash, under a weighting, with this number of bits.
    SimHash(Weighting, u32),
    /// Cosine of the totals behind an unweighted SimHash of this number of bits (SimHashCosine).
    Totals(u32),
    /// MinOneHash with this number of values.
    BottomK(usize),
    /// MinMultiHash with this number of values.
    ManyHash(usize),
    /// Cosine of the words' counts.
    Cosine,
}

/// What a measure keeps of each document.
pub enum Signed {
    Sets(Vec<Vec<u64>>, fn(&[u64], &[u64]) -> f64),
    Weighted(Vec<Vec<u8>>),
    Bits(Vec<u64>, u32),
    Totals(Vec<Vec<f32>>),
    MinHashes(Vec<Vec<u8>>),
}

impl Measure {
    /// The measures of the source's third table.
    pub fn all(bits: u32) -> [Self; 7] {
        let values = crate::VALUES;
        let simhash = Self::SimHash(Weighting::None, bits);
        [
            Self::Jaccard,
            Self::Overlap,
            simhash,
            Self::Totals(bits),
            Self::BottomK(values),
            Self::ManyHash(values),
            Self::Cosine,
        ]
    }

    pub fn name(self) -> String {
        match self {
            Self::Jaccard => "Jaccard".to_owned(),
            Self::Overlap => "overlap (short-text Jaccard)".to_owned(),
            Self::SimHash(_, bits) => format!("SimHash, {bits} bits"),
            Self::Totals(bits) => format!("SimHashCosine, {bits} totals"),
            Self::BottomK(values) => format!("MinOneHash, {values} values"),
            Self::ManyHash(values) => format!("MinMultiHash, {values} values"),
            Self::Cosine => "cosine".to_owned(),
        }
    }

    /// Keeps of each document what the measure needs.
    pub fn sign(self, analyzer: &str, texts: &[String]) -> Result<Signed> {
        let analyzer: Analyzer = analyzer.parse()?;
        let (mut scratch, mut tokens) = (Scratch::default(), HashedTokens::default());
        let mut each = |keep: &mut dyn FnMut(&mut HashedTokens) -> Result<()>| {
            texts.iter().try_for_each(|text| {
                tokens.read(text, &analyzer, &mut scratch)?;
                keep(&mut tokens)
            })
        };
        Ok(match self {
            Self::Jaccard | Self::Overlap => {
                let mut sets = Vec::new();
                each(&mut |tokens| {
                    sets.push(tokens.distinct().to_vec());
                    Ok(())
                })?;
                Signed::Sets(sets, if matches!(self, Self::Jaccard) { jaccard } else { overlap })
            }
            Self::Cosine => {
                let mut sets = Vec::new();
                each(&mut |tokens| {
                    sets.push(tokens.token_set(Weights::By(Weighting::Count), 0)?);
                    Ok(())
                })?;
                Signed::Weighted(sets)
            }
            Self::SimHash(weighting, bits) => {
                let mut signatures = Vec::new();
                each(&mut |tokens| {
                    signatures.push(tokens.simhash(Weights::By(weighting), bits)?.unwrap_or(0));
                    Ok(())
                })?;
                Signed::Bits(signatures, bits)
            }
            Self::Totals(bits) => {
                let mut totals = Vec::new();
                each(&mut |tokens| {
                    totals.push(tokens.totals(Weights::By(Weighting::None), bits)?.unwrap_or_default());
                    Ok(())
                })?;
                Signed::Totals(totals)
            }
            Self::BottomK(values) | Self::ManyHash(values) => {
                let scheme = if matches!(self, Self::BottomK(_)) { Scheme::BottomK } else { Scheme::ManyHash };
                let mut hasher = MinHasher::new(Parameters::new(scheme, values, 32, 0)?, 0);
                let mut signatures = Vec::new();
                for text in texts {
                    let signature = document::minhash(text, &analyzer, &mut scratch, &mut hasher)?;
                    signatures.push(signature.map(minhash::MinHash::into_bytes).unwrap_or_default());
                }
                Signed::MinHashes(signatures)
            }
        })
    }
}

impl Signed {
    pub fn len(&self) -> usize {
        match self {
            Self::Sets(sets, _) => sets.len(),
            Self::Weighted(sets) => sets.len(),
            Self::Bits(signatures, _) => signatures.len(),
            Self::Totals(totals) => totals.len(),
            Self::MinHashes(signatures) => signatures.len(),
        }
    }

    /// Hands the similarity of a document with each after it to `take`, from `first` on.
    pub fn compare(&self, first: usize, mut take: impl FnMut(usize, f64)) {
        match self {
            Self::Sets(sets, measure) => rest(sets, first, |a, b| measure(a, b), take),
            Self::Weighted(sets) => {
                let Some(a) = sets.get(first).and_then(|set| TokenSet::open(set).ok()) else { return };
                for (at, b) in sets.iter().enumerate().skip(first + 1) {
                    take(at, TokenSet::open(b).and_then(|b| a.cosine(&b)).unwrap_or(0.0));
                }
            }
            Self::Bits(signatures, bits) => {
                rest(signatures, first, |&a, &b| 1.0 - f64::from(hamming_distance(a, b)) / f64::from(*bits), take)
            }
            Self::Totals(totals) => rest(totals, first, |a, b| vector_cosine(a, b).unwrap_or(0.0), take),
            Self::MinHashes(signatures) => {
                rest(signatures, first, |a, b| minhash::jaccard(a, b).unwrap_or(0.0), take);
            }
        }
    }
}

fn rest<T>(kept: &[T], first: usize, measure: impl Fn(&T, &T) -> f64, mut take: impl FnMut(usize, f64)) {
    let Some(a) = kept.get(first) else { return };
    for (at, b) in kept.iter().enumerate().skip(first + 1) {
        take(at, measure(a, b));
    }
}
