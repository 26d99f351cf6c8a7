//! The type `simhash`, the functions that make one, and the totals behind it.
//!
//! [`datum`] and [`ball`] are the types as Postgres passes them; [`bands`]: keys for an index of the user's own; [`within`] and
//! [`gin`]: search by Hamming distance.

mod ball;
mod bands;
mod datum;
mod gin;
mod within;

use neardup_core::document::{self, Weights};
use neardup_core::signature::simhash::{self, keep_bits};
use neardup_core::weighting::Weighting;
use pgrx::prelude::*;
use std::ffi::CStr;

use crate::argument::within;
use crate::error::{Result, report};
use crate::pg::{BitString, Text, TsVector};
use crate::text::analyzer;
use crate::text::source;

pub use ball::HammingBall;
pub use datum::SimHash;

#[pg_extern(sql = false)]
fn simhash_in(text: &CStr) -> Result<SimHash> {
    simhash::parse_hex(&text.to_string_lossy()).map(SimHash).map_err(report)
}

#[pg_extern(sql = false)]
fn simhash_out(signature: SimHash) -> std::ffi::CString {
    std::ffi::CString::new(simhash::to_hex(signature.0)).unwrap_or_default()
}

/// Casts 64 bits, most significant first, to a signature.
#[pg_extern(sql = false)]
fn simhash_from_bit(bits: BitString) -> Result<SimHash> {
    if bits.length != 64 {
        return Err(pgrx::pg_sys::panic::ErrorReport::new(
            PgSqlErrorCode::ERRCODE_STRING_DATA_LENGTH_MISMATCH,
            format!("bit string length {} does not match type simhash, which has 64 bits", bits.length),
            "simhash_from_bit",
        ));
    }
    Ok(SimHash(bits.head))
}

#[pg_extern(sql = false)]
fn hamming_distance(a: SimHash, b: SimHash) -> i32 {
    (a.0 ^ b.0).count_ones() as i32
}

/// Signs a document; the usual question, by count and in 64 bits, without keeping its tokens.
fn of_document(document: &str, analyzer: &str, weighting: &str, bits: i32) -> Result<Option<SimHash>> {
    let weights = source::weights(weighting)?;
    let bits = within("bits", bits, 1..=64)?;
    let signature = match weights {
        Weights::By(Weighting::Count) => {
            analyzer::with(analyzer, |analyzer, scratch| document::simhash(document, analyzer, scratch))?
                .and_then(|signature| signature.map(|signature| keep_bits(signature, bits)).transpose())
                .map_err(report)?
        }
        _ => source::of_document(document, analyzer, |tokens, _| tokens.simhash(weights, bits))?,
    };
    Ok(signature.map(SimHash))
}

// Segmenting costs about 20 ns a byte, the operators around it 1: the planner should run this last and in parallel.
#[pg_extern(sql = false)]
fn simhash_document(document: Text<'_>, analyzer: &str, weighting: &str, bits: i32) -> Result<Option<SimHash>> {
    of_document(&document, analyzer, weighting, bits)
}

/// Signs a string literal: without this, `simhash('...')` would read the literal as a signature, since the type has the same name.
#[pg_extern(sql = false)]
fn simhash_literal(document: &CStr, analyzer: &str, weighting: &str, bits: i32) -> Result<Option<SimHash>> {
    of_document(&document.to_string_lossy(), analyzer, weighting, bits)
}

// What any other segmenter has cut.
#[pg_extern(sql = false)]
fn simhash_tokens(tokens: Array<&str>, weighting: &str, bits: i32) -> Result<Option<SimHash>> {
    let (weights, bits) = (source::weights(weighting)?, within("bits", bits, 1..=64)?);
    source::of_array(&tokens, |tokens| tokens.simhash(weights, bits)).map(|signature| signature.map(SimHash))
}

#[pg_extern(sql = false)]
fn simhash_weighted_tokens(tokens: Array<&str>, weights: Array<f64>, bits: i32) -> Result<Option<SimHash>> {
    let bits = within("bits", bits, 1..=64)?;
    source::of_weighted_array(&tokens, &weights, |tokens, weights| tokens.simhash(weights, bits))
        .map(|signature| signature.map(SimHash))
}

#[pg_extern(sql = false)]
fn simhash_tsvector(document: TsVector<'_>, weighting: &str, bits: i32) -> Result<Option<SimHash>> {
    let (weights, bits) = (source::weights(weighting)?, within("bits", bits, 1..=64)?);
    source::of_tsvector(&document, |tokens| tokens.simhash(weights, bits)).map(|signature| signature.map(SimHash))
}

#[pg_extern(sql = false)]
fn totals_of_document(document: Text<'_>, analyzer: &str, weighting: &str, bits: i32) -> Result<Option<Vec<f32>>> {
    let (weights, bits) = (source::weights(weighting)?, within("bits", bits, 1..=64)?);
    source::of_document(&document, analyzer, |tokens, _| tokens.totals(weights, bits))
}

#[pg_extern(sql = false)]
fn totals_of_tokens(tokens: Array<&str>, weighting: &str, bits: i32) -> Result<Option<Vec<f32>>> {
    let (weights, bits) = (source::weights(weighting)?, within("bits", bits, 1..=64)?);
    source::of_array(&tokens, |tokens| tokens.totals(weights, bits))
}

#[pg_extern(sql = false)]
fn totals_of_weighted_tokens(tokens: Array<&str>, weights: Array<f64>, bits: i32) -> Result<Option<Vec<f32>>> {
    let bits = within("bits", bits, 1..=64)?;
    source::of_weighted_array(&tokens, &weights, |tokens, weights| tokens.totals(weights, bits))
}

#[pg_extern(sql = false)]
fn totals_of_tsvector(document: TsVector<'_>, weighting: &str, bits: i32) -> Result<Option<Vec<f32>>> {
    let (weights, bits) = (source::weights(weighting)?, within("bits", bits, 1..=64)?);
    source::of_tsvector(&document, |tokens| tokens.totals(weights, bits))
}
