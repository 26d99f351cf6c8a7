//! The sketch or SimHash of a document, in two forms: queries to the guard's index, and keys to lock.

use neardup_core::signature::minhash::MinHashRef;
use neardup_core::{banding, document};
use pgrx::pg_sys;

use crate::error::{Result, report};
use crate::guarded::settings::{Method, Settings};
use crate::simhash::HammingBall;
use crate::sketch;
use crate::text::analyzer;

/// The signature of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Signature {
    /// The stored bytes of a `minhash`.
    Sketch(Vec<u8>),
    /// The bits of a `simhash`.
    SimHash(u64),
}

/// What the guard's index is asked for.
pub enum Queries {
    /// The rows that have each of these keys in their sketch, in ascending order.
    Keys(Vec<u64>),
    /// The rows in a ball around a SimHash, a value of the operator's right operand.
    Ball(pg_sys::Datum),
}

impl Queries {
    /// Returns how many there are.
    pub const fn len(&self) -> usize {
        match self {
            Self::Keys(keys) => keys.len(),
            Self::Ball(_) => 1,
        }
    }
}

impl Signature {
    /// Computes the signature of a document; `None` if it has no token.
    pub fn of(document: &str, settings: &Settings) -> Result<Option<Self>> {
        match settings.method {
            Method::Sketch => {
                sketch::of_document(document, &settings.analyzer, settings.keys).map(|sketch| sketch.map(Self::Sketch))
            }
            Method::SimHash => analyzer::with(&settings.analyzer, |analyzer, scratch| {
                document::simhash(document, analyzer, scratch).map(|signature| signature.map(Self::SimHash))
            })?
            .map_err(report),
        }
    }

    /// Keeps what the guard's index will ask for after the row is stored.
    pub fn keep(&self, document: &str, settings: &Settings) {
        if let Self::Sketch(bytes) = self {
            sketch::keep(document, &settings.analyzer, settings.keys, bytes);
        }
    }

    /// Returns the queries that together find all candidates in the guard's index.
    pub fn queries(&self, settings: &Settings) -> Result<Queries> {
        Ok(match self {
            // Key by key, so that the number of keys that a candidate shares is known.
            Self::Sketch(_) => {
                let mut keys = self.sketch_keys()?;
                keys.sort_unstable();
                Queries::Keys(keys)
            }
            Self::SimHash(bits) => Queries::Ball(HammingBall::new(*bits, settings.distance).into_raw()),
        })
    }

    /// Returns the keys of a sketch; of a SimHash, none.
    pub fn sketch_keys(&self) -> Result<Vec<u64>> {
        match self {
            Self::Sketch(bytes) => Ok(MinHashRef::parse_header(bytes).map_err(report)?.keys().collect()),
            Self::SimHash(_) => Ok(Vec::new()),
        }
    }

    /// Returns keys to lock: any two rows that are candidates of each other share one.
    pub fn lock_keys(&self, settings: &Settings) -> Result<Vec<i64>> {
        let mut keys = Vec::new();
        match self {
            Self::Sketch(_) => keys.extend(self.sketch_keys()?.into_iter().map(u64::cast_signed)),
            Self::SimHash(bits) => {
                banding::lock_keys(*bits, settings.distance, |key| keys.push(key)).map_err(report)?
            }
        }
        Ok(keys)
    }
}
