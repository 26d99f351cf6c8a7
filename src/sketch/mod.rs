//! `sketch`: the k smallest hashes of a document's shingles and the smallest of its opening; the candidate stage of guard, clean-up and
//! `near_duplicate`.
//!
//! A sketch is a `minhash` of the bottom-k scheme with 64-bit values (Broder 1997). Two texts with much in common share a key with high
//! probability; docs/candidates.md has what was measured.

pub mod gin;

use std::cell::RefCell;

use neardup_core::document;
use neardup_core::signature::minhash::{MinHash, MinHashRef, Parameters, fingerprint, shares_key};
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, report};
use crate::minhash::{KEPT_DOCUMENT, with_hasher};
use crate::pg::{Made, MinHashType, Stored, Text, TsVector};
use crate::text::analyzer;

/// The analyzer of a sketch and the number of its keys, where nothing else is said; sketch.sql has them as defaults.
pub const ANALYZER: &str = "shingles:5";
pub const KEYS: u32 = 10;

/// The keys a sketch may have.
const ALLOWED_KEYS: std::ops::RangeInclusive<u32> = 1..=1024;

type StoredMinHash<'a> = Stored<'a, MinHashType>;
type Signature = Made<MinHashType>;

fn parameters(description: &str, keys: u32) -> neardup_text::Result<Parameters> {
    Parameters::sketch(keys as usize, fingerprint(description, 0))
}

/// Makes the stored bytes of a document's sketch; `None` where it has no token.
///
/// # Errors
/// For a text that is no analyzer, a profile among them, and for a text of 4 GB or more.
pub fn of_document(document: &str, analyzer: &str, keys: u32) -> Result<Option<Vec<u8>>> {
    analyzer::with_description(analyzer, |analyzer, description, scratch| {
        let sketch = with_hasher(parameters(description, keys)?, 0, document.len() <= KEPT_DOCUMENT, |hasher| {
            document::minhash(document, analyzer, scratch, hasher)
        })?;
        Ok(sketch.map(MinHash::into_bytes))
    })?
    .map_err(report)
}

/// A document with its sketch.
#[derive(Default)]
struct Signed {
    document: String,
    analyzer: String,
    keys: u32,
    sketch: Vec<u8>,
}

thread_local! {
    /// The last row that a guard has let pass.
    static LAST: RefCell<Signed> = RefCell::default();
}

/// Keeps the sketch of a row that is about to be stored: the index on `sketch(document)` asks for it again.
pub fn keep(document: &str, analyzer: &str, keys: u32, sketch: &[u8]) {
    if document.len() > KEPT_DOCUMENT {
        return;
    }
    LAST.with_borrow_mut(|last| {
        last.keys = keys;
        for (kept, text) in [(&mut last.document, document), (&mut last.analyzer, analyzer)] {
            kept.clear();
            kept.push_str(text);
        }
        last.sketch.clear();
        last.sketch.extend_from_slice(sketch);
    });
}

/// The sketch that was kept, if it is that of the same arguments.
fn kept(document: &str, analyzer: &str, keys: u32) -> Option<Vec<u8>> {
    LAST.with_borrow(|last| {
        let is_same =
            !last.sketch.is_empty() && last.keys == keys && last.analyzer == analyzer && last.document == document;
        is_same.then(|| last.sketch.clone())
    })
}

fn keys_of(keys: i32) -> Result<u32> {
    within("keys", keys, ALLOWED_KEYS)
}

// Hashing shingles costs about 2 ns a byte: the planner should run this last and in parallel.
#[pg_extern(sql = false)]
fn sketch_document(document: Text<'_>, analyzer: &str, keys: i32) -> Result<Option<Signature>> {
    let keys = keys_of(keys)?;
    match kept(&document, analyzer, keys) {
        Some(sketch) => Ok(Some(sketch.into())),
        None => Ok(of_document(&document, analyzer, keys)?.map(Into::into)),
    }
}

// What any other segmenter has cut.
#[pg_extern(sql = false)]
fn sketch_tokens(tokens: Array<&str>, keys: i32, label: &str) -> Result<Option<Signature>> {
    let parameters = parameters(label, keys_of(keys)?).map_err(report)?;
    let sketch = with_hasher(parameters, 0, tokens.len() <= KEPT_DOCUMENT, |hasher| {
        document::minhash_of_tokens(tokens.iter().flatten(), hasher)
    });
    Ok(sketch.map(|sketch| sketch.into_bytes().into()))
}

#[pg_extern(sql = false)]
fn sketch_tsvector(document: TsVector<'_>, keys: i32, label: &str) -> Result<Option<Signature>> {
    let parameters = parameters(label, keys_of(keys)?).map_err(report)?;
    let sketch = with_hasher(parameters, 0, true, |hasher| document::minhash_of_hashes(document.hashes(), hasher));
    Ok(sketch.map(|sketch| sketch.into_bytes().into()))
}

#[pg_extern(sql = false)]
fn sketch_keys(signature: StoredMinHash<'_>) -> Result<Vec<i64>> {
    Ok(MinHashRef::parse_header(signature.bytes).map_err(report)?.keys().map(u64::cast_signed).collect())
}

/// Behind the operator `&&`.
#[pg_extern(sql = false)]
fn sketches_share_key(a: StoredMinHash<'_>, b: StoredMinHash<'_>) -> Result<bool> {
    shares_key(a.bytes, b.bytes).map_err(report)
}
