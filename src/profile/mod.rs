//! Profiles: analyzers with house words and trained statistics, kept in a table, and the functions that use them.
//!
//! These functions read a table, so they are STABLE. The corresponding functions that take an analyzer are IMMUTABLE and refuse a
//! profile. The content of a version never changes.

mod loaded;
mod training;

use neardup_core::profile::{Profile, ready_hashes, token_hashes};
use neardup_core::signature::corpus::JiebaCorpus;
use neardup_core::signature::p_simhash::PSimhash;
use neardup_core::signature::simhash::{SimHashCounter, keep_bits};
use neardup_core::weighting::{Weigher, Weighting, fixed_point};
use neardup_text::{Analyzer, HouseWord, Scratch, Spec};
use neardup_text::{Error, ErrorKind};
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, report};
use crate::pg::value::text::Text;
use crate::simhash::SimHash;
use crate::text::analyzer;
use crate::text::tokens::{as_array, ranked_words, token_list};

pub use loaded::{pinned, with, with_analyzer};

/// P-Simhash's words to keep, mu and bits, as SQL gives them.
fn parameters(words: i32, mu: f64, bits: i32) -> Result<PSimhash> {
    let bits = within("bits", bits, 1..=64)?;
    let words = within("words", words, 1..=256)? as usize;
    PSimhash::new(words, mu, bits).map_err(report)
}

fn hashes(tokens: &Array<'_, &str>) -> Result<Vec<u64>> {
    ready_hashes(tokens.iter().flatten(), tokens.len()).map_err(report)
}

#[pg_extern(sql = false)]
fn p_simhash_document(document: Text<'_>, analyzer: &str, words: i32, mu: f64, bits: i32) -> Result<Option<SimHash>> {
    let document: &str = &document;
    let parameters = parameters(words, mu, bits)?;
    let tokens = analyzer::with(analyzer, |analyzer, scratch| token_hashes(document, analyzer, scratch))?;
    Ok(parameters.signature(&tokens.map_err(report)?, &JiebaCorpus).map(SimHash))
}

#[pg_extern(sql = false)]
fn p_simhash_tokens(tokens: Array<&str>, words: i32, mu: f64, bits: i32) -> Result<Option<SimHash>> {
    Ok(parameters(words, mu, bits)?.signature(&hashes(&tokens)?, &JiebaCorpus).map(SimHash))
}

#[pg_extern(sql = false)]
fn profile_p_simhash(document: Text<'_>, profile: &str, words: i32, mu: f64, bits: i32) -> Result<Option<SimHash>> {
    let document: &str = &document;
    let parameters = parameters(words, mu, bits)?;
    let signature = loaded::with(profile, None, |profile, scratch| {
        Ok(profile.p_simhash(&token_hashes(document, profile.analyzer(), scratch)?, parameters))
    })?;
    Ok(signature.map_err(report)?.map(SimHash))
}

#[pg_extern(sql = false)]
fn profile_p_simhash_tokens(
    tokens: Array<&str>,
    profile: &str,
    words: i32,
    mu: f64,
    bits: i32,
) -> Result<Option<SimHash>> {
    let (parameters, tokens) = (parameters(words, mu, bits)?, hashes(&tokens)?);
    Ok(loaded::with(profile, None, |profile, _| profile.p_simhash(&tokens, parameters))?.map(SimHash))
}

#[pg_extern(sql = false)]
fn profile_e_simhash(document: Text<'_>, profile: &str, bits: i32) -> Result<Option<SimHash>> {
    let document: &str = &document;
    let bits = within("bits", bits, 1..=64)?;
    let signature = loaded::with(profile, None, |profile, scratch| {
        profile.e_simhash(&token_hashes(document, profile.analyzer(), scratch)?, bits)
    })?;
    Ok(signature.map_err(report)?.map(SimHash))
}

#[pg_extern(sql = false)]
fn profile_e_simhash_tokens(tokens: Array<&str>, profile: &str, bits: i32) -> Result<Option<SimHash>> {
    let (bits, tokens) = (within("bits", bits, 1..=64)?, hashes(&tokens)?);
    let signature = loaded::with(profile, None, |profile, _| profile.e_simhash(&tokens, bits))?;
    Ok(signature.map_err(report)?.map(SimHash))
}

#[pg_extern(sql = false)]
fn profile_simhash(document: Text<'_>, profile: &str, weighting: &str, bits: i32) -> Result<Option<SimHash>> {
    let document: &str = &document;
    let bits = within("bits", bits, 1..=64)?;
    let weighting = Weighting::parse(weighting).map_err(report)?;
    let signature = loaded::with(profile, None, |profile, scratch| weighted(document, profile, weighting, scratch))?;
    let signature = signature.and_then(|signature| signature.map(|all| keep_bits(all, bits)).transpose());
    Ok(signature.map_err(report)?.map(SimHash))
}

fn weighted(
    document: &str,
    profile: &Profile,
    weighting: Weighting,
    scratch: &mut Scratch,
) -> neardup_text::Result<Option<u64>> {
    let tokens = token_hashes(document, profile.analyzer(), scratch)?;
    let mut counter = SimHashCounter::new();
    for token in Weigher::new().weigh(&tokens, weighting, profile.idf())? {
        counter.add_weighted(token.hash, fixed_point(token.weight));
    }
    Ok(counter.finish())
}

/// What a guard signs with: an analyzer or a profile, each token weighing as often as it occurs.
#[pg_extern(sql = false)]
fn analyzer_simhash(document: Text<'_>, analyzer: &str) -> Result<Option<SimHash>> {
    let document: &str = &document;
    let signature = with_analyzer(analyzer, None, |analyzer, scratch| {
        neardup_core::document::simhash(document, analyzer, scratch)
    })?;
    Ok(signature.map_err(report)?.map(SimHash))
}

#[pg_extern(sql = false)]
fn profile_tokens(document: Text<'_>, profile: &str) -> Result<Vec<String>> {
    let document: &str = &document;
    as_array(loaded::with(profile, None, |profile, scratch| token_list(document, profile.analyzer(), scratch))?)
}

#[pg_extern(sql = false)]
fn profile_keywords(
    document: Text<'_>,
    profile: &str,
    n: i32,
    method: &str,
) -> Result<TableIterator<'static, (name!(token, String), name!(weight, f64))>> {
    let document: &str = &document;
    let n = within("n", n, 0..=10_000)? as usize;
    let weighting = Weighting::parse(method).map_err(report)?;
    let found = loaded::with(profile, None, |profile, scratch| {
        ranked_words(document, n, weighting, profile.idf(), profile.analyzer(), scratch)
    })?;
    Ok(TableIterator::new(found.map_err(report)?))
}

/// Checks the words of a new profile against its analyzer, and returns them as they are kept.
#[pg_extern(sql = false)]
fn profile_words(analyzer: &str, words: Vec<Option<String>>) -> Result<Vec<String>> {
    let kept = || -> neardup_text::Result<Vec<String>> {
        let spec: Spec = analyzer.parse()?;
        let null = || Error::new(ErrorKind::InvalidParameter, "a house word must not be NULL");
        let lines = words.iter().map(|line| line.as_deref().ok_or_else(null));
        let words: Vec<HouseWord> =
            lines.map(|line| line.and_then(HouseWord::parse)).collect::<neardup_text::Result<_>>()?;
        let kept = words.iter().map(HouseWord::to_string).collect();
        Analyzer::with_words(spec, &words).map(|_| kept)
    };
    kept().map_err(report)
}

/// Names the version that an analyzer's text stands for now; other analyzers stay as they are.
#[pg_extern(sql = false)]
fn pinned_analyzer(analyzer: &str) -> Result<String> {
    loaded::pinned(analyzer)
}
