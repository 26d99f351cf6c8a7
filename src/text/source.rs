//! The source of tokens (a document with its analyzer, an array, or a tsvector), and its label in a stored value.

use std::cell::RefCell;

use neardup_core::document::{HashedTokens, Weights};
use neardup_core::weighting::Weighting;
use neardup_text::{Error, ErrorKind};
use pgrx::Array;

use crate::error::{Result, report};
use crate::pg::TsVector;
use crate::text::analyzer;

/// Buffers that have grown beyond this many tokens are not kept.
const KEPT_TOKENS: usize = 1 << 16;

thread_local! {
    /// The buffers that are free: one, or two after two texts were compared.
    static BUFFERS: RefCell<Vec<Box<HashedTokens>>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` with a buffer for a text's tokens. The buffer is taken off the list during the call, so an error that unwinds
/// through here only costs its memory.
fn with_buffer<T>(work: impl FnOnce(&mut HashedTokens) -> Result<T>) -> Result<T> {
    let mut tokens = BUFFERS.with_borrow_mut(Vec::pop).unwrap_or_default();
    let result = work(&mut tokens);
    if tokens.capacity() <= KEPT_TOKENS {
        BUFFERS.with_borrow_mut(|buffers| buffers.push(tokens));
    }
    result
}

/// Runs `work` with a document's tokens and the description of its analyzer.
pub fn of_document<T>(
    document: &str,
    analyzer: &str,
    work: impl FnOnce(&mut HashedTokens, &str) -> neardup_text::Result<T>,
) -> Result<T> {
    with_buffer(|tokens| {
        analyzer::with_description(analyzer, |analyzer, description, scratch| {
            tokens.read(document, analyzer, scratch)?;
            work(tokens, description)
        })?
        .map_err(report)
    })
}

/// Runs `work` with the tokens of two documents under one analyzer.
pub fn of_two_documents<T>(
    a: &str,
    b: &str,
    analyzer: &str,
    work: impl FnOnce(&mut HashedTokens, &mut HashedTokens) -> neardup_text::Result<T>,
) -> Result<T> {
    with_buffer(|tokens_a| {
        with_buffer(|tokens_b| {
            analyzer::with(analyzer, |analyzer, scratch| {
                tokens_a.read(a, analyzer, scratch)?;
                tokens_b.read(b, analyzer, scratch)?;
                work(tokens_a, tokens_b)
            })?
            .map_err(report)
        })
    })
}

/// Runs `work` with the tokens of an array; NULL elements are ignored.
pub fn of_array<T>(
    array: &Array<'_, &str>,
    work: impl FnOnce(&mut HashedTokens) -> neardup_text::Result<T>,
) -> Result<T> {
    with_buffer(|tokens| {
        tokens.read_tokens(array.iter().flatten()).map_err(report)?;
        work(tokens).map_err(report)
    })
}

/// Runs `work` with the tokens of an array and their weights; a pair with a NULL is ignored.
pub fn of_weighted_array<T>(
    array: &Array<'_, &str>,
    weights: &Array<'_, f64>,
    work: impl FnOnce(&mut HashedTokens, Weights<'_>) -> neardup_text::Result<T>,
) -> Result<T> {
    if array.len() != weights.len() {
        let message = format!("{} tokens have {} weights", array.len(), weights.len());
        return Err(report(Error::new(ErrorKind::InvalidParameter, message)));
    }
    let pairs = || array.iter().zip(weights.iter()).filter_map(|(token, weight)| token.zip(weight));
    with_buffer(|tokens| {
        tokens.read_tokens(pairs().map(|(token, _)| token)).map_err(report)?;
        let weights: Vec<f64> = pairs().map(|(_, weight)| weight).collect();
        work(tokens, Weights::Given(&weights)).map_err(report)
    })
}

/// Runs `work` with the lexemes of a tsvector in the order of their positions, each once per position.
pub fn of_tsvector<T>(
    vector: &TsVector<'_>,
    work: impl FnOnce(&mut HashedTokens) -> neardup_text::Result<T>,
) -> Result<T> {
    with_buffer(|tokens| {
        tokens.read_hashes(vector.hashes()).map_err(report)?;
        work(tokens).map_err(report)
    })
}

/// Reads the name of a weighting.
pub fn weights(weighting: &str) -> Result<Weights<'static>> {
    Weighting::parse(weighting).map(Weights::By).map_err(report)
}

/// Describes weighted tokens: the description of the tokens and the weighting, which is left out only for token sets without
/// weights.
pub fn describe(tokens: &str, weights: Weights<'_>) -> String {
    match weights {
        Weights::By(Weighting::None) => tokens.to_owned(),
        Weights::By(weighting) => format!("{tokens} {}", weighting.name()),
        Weights::Given(_) => format!("{tokens} given"),
    }
}
