//! The type `tokenset` and the functions that make one; `similarity.rs` compares.

use std::ffi::{CStr, CString};

use neardup_core::signature::minhash::fingerprint;
use neardup_core::signature::tokenset::{self, TokenSet};
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::pg::{Made, Message, Stored, Text, TokenSetType, TsVector};
use crate::text::source;

type StoredTokenSet<'a> = Stored<'a, TokenSetType>;
type Set = Made<TokenSetType>;

#[pg_extern(sql = false)]
fn tokenset_in(text: &CStr) -> Result<Set> {
    tokenset::from_text(&text.to_string_lossy()).map(Set::from).map_err(report)
}

#[pg_extern(sql = false)]
fn tokenset_out(set: StoredTokenSet<'_>) -> Result<CString> {
    let set = TokenSet::open(set.bytes).map_err(report)?;
    Ok(CString::new(set.to_text()).unwrap_or_default())
}

#[pg_extern(sql = false)]
fn tokenset_recv(message: Message<'_>) -> Result<Set> {
    TokenSet::decode(message.bytes).map_err(report)?;
    Ok(message.bytes.to_vec().into())
}

// Bytes from anywhere, checked as binary input is.
#[pg_extern(sql = false)]
fn tokenset_from_bytea(bytes: &[u8]) -> Result<Set> {
    TokenSet::decode(bytes).map_err(report)?;
    Ok(bytes.to_vec().into())
}

#[pg_extern(sql = false)]
fn tokenset_hashes(set: StoredTokenSet<'_>) -> Result<Vec<i64>> {
    let set = TokenSet::open(set.bytes).map_err(report)?;
    Ok(set.tokens().map(|(hash, _)| hash.cast_signed()).collect())
}

#[pg_extern(sql = false)]
fn tokenset_weights(set: StoredTokenSet<'_>) -> Result<Vec<f32>> {
    let set = TokenSet::open(set.bytes).map_err(report)?;
    Ok(set.tokens().map(|(_, weight)| weight).collect())
}

fn of_document(document: &str, analyzer: &str, weighting: &str) -> Result<Set> {
    let weights = source::weights(weighting)?;
    source::of_document(document, analyzer, |tokens, description| {
        tokens.token_set(weights, fingerprint(&source::describe(description, weights), 0))
    })
    .map(Set::from)
}

#[pg_extern(sql = false)]
fn tokenset_document(document: Text<'_>, analyzer: &str, weighting: &str) -> Result<Set> {
    of_document(&document, analyzer, weighting)
}

/// Takes a string literal: without this, `tokenset('...')` would read the literal as a set, since the type has the same name.
#[pg_extern(sql = false)]
fn tokenset_literal(document: &CStr, analyzer: &str, weighting: &str) -> Result<Set> {
    of_document(&document.to_string_lossy(), analyzer, weighting)
}

// What any other segmenter has cut.
#[pg_extern(sql = false)]
fn tokenset_tokens(tokens: Array<&str>, weighting: &str, label: &str) -> Result<Set> {
    let weights = source::weights(weighting)?;
    let fingerprint = fingerprint(&source::describe(label, weights), 0);
    source::of_array(&tokens, |tokens| tokens.token_set(weights, fingerprint)).map(Set::from)
}

#[pg_extern(sql = false)]
fn tokenset_weighted_tokens(tokens: Array<&str>, weights: Array<f64>, label: &str) -> Result<Set> {
    source::of_weighted_array(&tokens, &weights, |tokens, weights| {
        tokens.token_set(weights, fingerprint(&source::describe(label, weights), 0))
    })
    .map(Set::from)
}

#[pg_extern(sql = false)]
fn tokenset_tsvector(document: TsVector<'_>, weighting: &str, label: &str) -> Result<Set> {
    let weights = source::weights(weighting)?;
    let fingerprint = fingerprint(&source::describe(label, weights), 0);
    source::of_tsvector(&document, |tokens| tokens.token_set(weights, fingerprint)).map(Set::from)
}

#[pg_extern(sql = false)]
fn token_count(set: StoredTokenSet<'_>) -> Result<i32> {
    let set = TokenSet::open(set.bytes).map_err(report)?;
    Ok(i32::try_from(set.len()).unwrap_or(i32::MAX))
}
