//! The type `minhash`, the functions that make one, and its comparison.
//!
//! A signature carries a fingerprint of how its tokens were made, so that comparing two that do not fit is an error. The
//! fingerprint covers the seed and, for documents, the analyzer as complete JSON; for tokens from elsewhere, the caller's label.

pub mod bands;
mod within;

use std::cell::Cell;
use std::ffi::{CStr, CString};

use neardup_core::document;
use neardup_core::signature::minhash::{self, MinHash, MinHashRef, MinHasher, Parameters, Scheme, fingerprint};
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, report};
use crate::pg::{Made, Message, MinHashType, Stored, Text, TsVector};
use crate::text::analyzer;

type StoredMinHash<'a> = Stored<'a, MinHashType>;
type Signature = Made<MinHashType>;

/// A document longer than this, in bytes, does not leave its working memory behind.
pub const KEPT_DOCUMENT: usize = 1 << 20;

#[pg_extern(sql = false)]
fn minhash_in(text: &CStr) -> Result<Signature> {
    let signature: MinHash = text.to_string_lossy().parse().map_err(report)?;
    Ok(signature.into_bytes().into())
}

#[pg_extern(sql = false)]
fn minhash_out(signature: StoredMinHash<'_>) -> Result<CString> {
    let signature = MinHash::from_bytes(signature.bytes.to_vec()).map_err(report)?;
    Ok(CString::new(signature.to_string()).unwrap_or_default())
}

#[pg_extern(sql = false)]
fn minhash_recv(message: Message<'_>) -> Result<Signature> {
    let signature = MinHash::from_bytes(message.bytes.to_vec()).map_err(report)?;
    Ok(signature.into_bytes().into())
}

// Bytes from anywhere, checked as binary input is.
#[pg_extern(sql = false)]
fn minhash_from_bytea(bytes: &[u8]) -> Result<Signature> {
    let signature = MinHash::from_bytes(bytes.to_vec()).map_err(report)?;
    Ok(signature.into_bytes().into())
}

#[pg_extern(sql = false)]
fn minhash_values(signature: StoredMinHash<'_>) -> Result<Vec<u8>> {
    MinHashRef::parse_header(signature.bytes).map(|signature| signature.value_bytes().to_vec()).map_err(report)
}

#[pg_extern(sql = false)]
fn minhash_from_values(raw: &[u8], scheme: &str, bits: i32, hashes: i32, label: &str) -> Result<Signature> {
    let width = within("bits", bits, 16..=64)?;
    let count = match within("hashes", hashes, 0..=1024)? {
        0 => raw.len() / (width as usize / 8),
        hashes => hashes as usize,
    };
    let signature = Scheme::parse(scheme)
        .and_then(|scheme| Parameters::new(scheme, count, width, fingerprint(label, 0)))
        .and_then(|parameters| MinHash::from_values(parameters, raw))
        .map_err(report)?;
    Ok(signature.into_bytes().into())
}

/// What a caller asks for, apart from where the tokens come from.
#[derive(Clone, Copy)]
struct Request<'a> {
    hashes: i32,
    scheme: &'a str,
    bits: i32,
    seed: i64,
}

thread_local! {
    /// The hasher of the last call: a query asks for the same parameters row after row.
    static HASHER: Cell<Option<(Parameters, u64, MinHasher)>> = const { Cell::new(None) };
}

impl Request<'_> {
    fn with_hasher<T>(self, description: &str, keep: bool, work: impl FnOnce(&mut MinHasher) -> T) -> Result<T> {
        let seed = self.seed.cast_unsigned();
        let (count, width) = (within("hashes", self.hashes, 8..=1024)?, within("bits", self.bits, 16..=64)?);
        let parameters = Scheme::parse(self.scheme)
            .and_then(|scheme| Parameters::new(scheme, count as usize, width, fingerprint(description, seed)))
            .map_err(report)?;
        Ok(with_hasher(parameters, seed, keep, work))
    }
}

/// Runs `work` with a hasher for these parameters, and keeps its memory for the next call if told to. The hasher is taken out for the
/// call: an error inside `work` unwinds through here and only costs that memory.
pub fn with_hasher<T>(parameters: Parameters, seed: u64, keep: bool, work: impl FnOnce(&mut MinHasher) -> T) -> T {
    let mut hasher = match HASHER.take() {
        Some((same_parameters, same_seed, hasher)) if (same_parameters, same_seed) == (parameters, seed) => hasher,
        _ => MinHasher::new(parameters, seed),
    };
    let result = work(&mut hasher);
    if keep {
        HASHER.set(Some((parameters, seed, hasher)));
    }
    result
}

fn of_document(document: &str, analyzer: &str, request: Request<'_>) -> Result<Option<Signature>> {
    let signature = analyzer::with_description(analyzer, |analyzer, description, scratch| {
        request.with_hasher(description, document.len() <= KEPT_DOCUMENT, |hasher| {
            document::minhash(document, analyzer, scratch, hasher)
        })
    })??
    .map_err(report)?;
    Ok(signature.map(|signature| signature.into_bytes().into()))
}

// Hashing character shingles costs about 2 ns a byte, segmenting 20: the planner should run this last and in parallel.
#[pg_extern(sql = false)]
fn minhash_document(
    document: Text<'_>,
    analyzer: &str,
    hashes: i32,
    scheme: &str,
    bits: i32,
    seed: i64,
) -> Result<Option<Signature>> {
    of_document(&document, analyzer, Request { hashes, scheme, bits, seed })
}

/// Signs a string literal: without this, `minhash('...')` would read the literal as a signature, since the type has the same name.
#[pg_extern(sql = false)]
fn minhash_literal(
    document: &CStr,
    analyzer: &str,
    hashes: i32,
    scheme: &str,
    bits: i32,
    seed: i64,
) -> Result<Option<Signature>> {
    of_document(&document.to_string_lossy(), analyzer, Request { hashes, scheme, bits, seed })
}

// What any other segmenter has cut.
#[pg_extern(sql = false)]
fn minhash_tokens(
    tokens: Array<&str>,
    hashes: i32,
    scheme: &str,
    bits: i32,
    seed: i64,
    label: &str,
) -> Result<Option<Signature>> {
    let signature =
        Request { hashes, scheme, bits, seed }.with_hasher(label, tokens.len() <= KEPT_DOCUMENT, |hasher| {
            document::minhash_of_tokens(tokens.iter().flatten(), hasher)
        })?;
    Ok(signature.map(|signature| signature.into_bytes().into()))
}

#[pg_extern(sql = false)]
fn minhash_tsvector(
    document: TsVector<'_>,
    hashes: i32,
    scheme: &str,
    bits: i32,
    seed: i64,
    label: &str,
) -> Result<Option<Signature>> {
    let signature = Request { hashes, scheme, bits, seed }
        .with_hasher(label, true, |hasher| document::minhash_of_hashes(document.hashes(), hasher))?;
    Ok(signature.map(|signature| signature.into_bytes().into()))
}

#[pg_extern(sql = false)]
fn jaccard_similarity(a: StoredMinHash<'_>, b: StoredMinHash<'_>) -> Result<f64> {
    minhash::jaccard(a.bytes, b.bytes).map_err(report)
}

#[pg_extern(sql = false)]
fn jaccard_distance(a: StoredMinHash<'_>, b: StoredMinHash<'_>) -> Result<f64> {
    jaccard_similarity(a, b).map(|similarity| 1.0 - similarity)
}
