//! What a guard keeps of a document: its SimHash, its MinHash or its set of tokens, and how near two of them are.

use std::rc::Rc;

use neardup_core::analysis::Analyzer;
use neardup_core::sketch::hash::token_hash;
use neardup_core::sketch::minhash::{self, MinHashRef, MinHasher, Parameters, Scheme, fingerprint};
use neardup_core::{banding, document, similarity};
use pgrx::pg_sys;
use pgrx::{FromDatum, IntoDatum};

use super::settings::{Method, Settings};
use crate::analyzer;
use crate::datum::SimHash;
use crate::error::{Result, report};

/// How many values a MinHash has.
const HASHES: usize = 128;

/// What a guard keeps of a document, in a column of its table.
#[derive(Clone, Debug, PartialEq)]
pub enum Signature {
    /// Of type `simhash`.
    SimHash(u64),
    /// Of type `minhash`, its stored bytes.
    MinHash(Rc<[u8]>),
    /// Of type `integer[]`, as `token_keys` gives them.
    Tokens(Rc<[i32]>),
}

impl Signature {
    /// Signs a document; `None` where it has no token. A profile is read as `owner`.
    pub fn of(document: &str, settings: &Settings, owner: pg_sys::Oid) -> Result<Option<Self>> {
        match settings.method {
            Method::SimHash => analyzer::with_profile(&settings.analyzer, Some(owner), |analyzer, scratch| {
                document::simhash(document, analyzer, scratch).map(|signature| signature.map(Self::SimHash))
            })?,
            Method::MinHash => analyzer::with_description(&settings.analyzer, |analyzer, description, scratch| {
                let parameters = Parameters::new(Scheme::ManyHash, HASHES, 32, fingerprint(description, 0))?;
                let signature = document::minhash(document, analyzer, scratch, &mut MinHasher::new(parameters, 0))?;
                Ok(signature.map(|signature| Self::MinHash(signature.into_bytes().into())))
            })?,
            Method::Overlap => analyzer::with(&settings.analyzer, |analyzer: &Analyzer, scratch| {
                let mut keys = Vec::new();
                analyzer.tokens(document, scratch, &mut |token| {
                    keys.push(banding::token_key(token_hash(token), token.chars().count()));
                })?;
                keys.sort_unstable();
                keys.dedup();
                Ok((!keys.is_empty()).then(|| Self::Tokens(keys.into())))
            })?,
        }
        .map_err(report)
    }

    /// Reads one that a column of the method's type holds.
    pub fn from_datum(datum: pg_sys::Datum, method: Method) -> Option<Self> {
        // SAFETY: the guard has checked the column's type, whose values are laid out so; NULL elements are not made.
        unsafe {
            match method {
                Method::SimHash => Some(Self::SimHash(SimHash::from_raw(datum).0)),
                Method::MinHash => <&[u8]>::from_datum(datum, false).map(|bytes| Self::MinHash(bytes.into())),
                Method::Overlap => {
                    let tokens = Vec::<Option<i32>>::from_datum(datum, false)?;
                    Some(Self::Tokens(tokens.into_iter().flatten().collect()))
                }
            }
        }
    }

    /// The value for its column.
    pub fn to_datum(&self) -> Option<pg_sys::Datum> {
        match self {
            Self::SimHash(bits) => Some(SimHash(*bits).into_raw()),
            Self::MinHash(bytes) => bytes.as_ref().into_datum(),
            Self::Tokens(tokens) => tokens.to_vec().into_datum(),
        }
    }

    /// The bits of a SimHash.
    pub const fn simhash(&self) -> Option<u64> {
        match self {
            Self::SimHash(bits) => Some(*bits),
            _ => None,
        }
    }

    /// Keys of which any row that is near has one in the guard's GIN index; none for a SimHash, which other indexes serve.
    pub fn index_keys(&self, settings: &Settings) -> Result<Vec<i32>> {
        let mut keys = Vec::new();
        match self {
            Self::SimHash(_) => Ok(()),
            Self::MinHash(bytes) => bands(bytes, settings, |key| keys.push(key)),
            Self::Tokens(tokens) => banding::overlap_probes(tokens, settings.similarity, |key| keys.push(key)),
        }
        .map_err(report)?;
        Ok(keys)
    }

    /// Keys of which two that are near share one; `None` where only a lock on all of the column will do.
    pub fn lock_keys(&self, settings: &Settings) -> Result<Option<Vec<i64>>> {
        let mut keys = Vec::new();
        match self {
            Self::SimHash(bits) => banding::lock_keys(*bits, settings.distance, |key| keys.push(key)),
            // As far as bands find each other: the look sees no other pairs.
            Self::MinHash(bytes) => bands(bytes, settings, |key| keys.push(i64::from(key))),
            // Two sets share a token, and texts of one language share common ones: every key would be wanted by all.
            Self::Tokens(_) => return Ok(None),
        }
        .map_err(report)?;
        Ok(Some(keys))
    }

    /// The Hamming distance or the similarity of two, if they are near.
    pub fn near(&self, other: &Self, settings: &Settings) -> Result<Option<f64>> {
        let reaches = |value: f64| (value >= settings.similarity).then_some(value);
        Ok(match (self, other) {
            (Self::SimHash(a), Self::SimHash(b)) => {
                let distance = (a ^ b).count_ones();
                (distance <= settings.distance).then(|| f64::from(distance))
            }
            (Self::MinHash(a), Self::MinHash(b)) => reaches(minhash::jaccard(a, b).map_err(report)?),
            (Self::Tokens(a), Self::Tokens(b)) => reaches(similarity::overlap(&words(a), &words(b))),
            _ => None,
        })
    }
}

fn bands(bytes: &[u8], settings: &Settings, sink: impl FnMut(i32)) -> neardup_core::Result<()> {
    banding::minhash_bands(MinHashRef::parse_header(bytes)?.values(), settings.bands, settings.rows, sink)
}

/// Keys of tokens are not negative, so that they stay in order.
fn words(tokens: &[i32]) -> Vec<u32> {
    tokens.iter().map(|token| token.cast_unsigned()).collect()
}
