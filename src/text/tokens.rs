//! Functions that show the analysis: normalised text, tokens, keywords, sentences, and the list of named analyzers.

use neardup_core::similarity;
use neardup_core::weighting::idf::{Idf, JiebaIdf};
use neardup_core::weighting::{Weighting, keywords};
use neardup_text::hash::token_hash;
use neardup_text::normalize::{self, Steps};
use neardup_text::sentences::{Sentence, sentences};
use neardup_text::{Analyzer, Scratch, Spec, presets};
use neardup_text::{Error, ErrorKind};
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, error, report};
use crate::pg::call::memory::claim;
use crate::pg::value::text::Text;
use crate::text::analyzer;

/// The most text that a list of tokens may add up to, in bytes; Postgres's own limit for a value is 1 GB.
const MAX_TOKEN_BYTES: usize = 512 << 20;

/// The longest text of Postgres, without its header.
const MAX_TEXT_BYTES: usize = 0x3fff_ffff - pg_sys::VARHDRSZ;

/// Sentences are compared as sets of character pairs.
const SENTENCE_ANALYZER: &str = "chars:2";

#[pg_extern(sql = false)]
fn tokens(document: Text<'_>, analyzer: &str) -> Result<Vec<String>> {
    let document: &str = &document;
    as_array(analyzer::with(analyzer, |analyzer, scratch| token_list(document, analyzer, scratch))?)
}

/// Tokens as a function's answer, if there is memory for the array, which Postgres makes of two copies of each.
pub fn as_array(tokens: neardup_text::Result<Vec<String>>) -> Result<Vec<String>> {
    let tokens = tokens.map_err(report)?;
    claim(tokens.iter().map(|token| 4 * token.len() + 170).sum())?;
    Ok(tokens)
}

/// The tokens of a document, if they fit one array.
pub fn token_list(document: &str, analyzer: &Analyzer, scratch: &mut Scratch) -> neardup_text::Result<Vec<String>> {
    let mut tokens = Vec::new();
    let mut bytes = 0;
    analyzer.tokens(document, scratch, &mut |token| {
        bytes += token.len() + size_of::<String>();
        if bytes <= MAX_TOKEN_BYTES {
            tokens.push(token.to_owned());
        }
    })?;
    if bytes <= MAX_TOKEN_BYTES {
        return Ok(tokens);
    }
    let message = format!("the tokens of a document of {} bytes exceed the size of an array", document.len());
    Err(Error::new(ErrorKind::LimitExceeded, message).with_detail("The limit is 512 MB."))
}

#[pg_extern(sql = false)]
fn normalize_text(document: Text<'_>, steps: Vec<Option<String>>) -> Result<String> {
    let document: &str = &document;
    let names: Vec<&str> = steps.iter().map(|name| name.as_deref().unwrap_or("NULL")).collect();
    let steps = Steps::parse(names).map_err(report)?;
    let mut buffer = normalize::Buffer::default();
    let normalized = normalize::normalize(document, steps, &mut buffer);
    if normalized.len() > MAX_TEXT_BYTES {
        let message =
            format!("the normalised text of a document of {} bytes has {} bytes", document.len(), normalized.len());
        return Err(error(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, message).set_detail("The limit is 1 GB."));
    }
    claim(normalized.len())?;
    Ok(normalized.to_owned())
}

#[pg_extern(sql = false)]
fn keywords_of(
    document: Text<'_>,
    n: i32,
    method: &str,
    analyzer: &str,
) -> Result<TableIterator<'static, (String, f64)>> {
    let document: &str = &document;
    let n = within("n", n, 0..=10_000)? as usize;
    let weighting = Weighting::parse(method).map_err(report)?;
    let found = analyzer::with(analyzer, |analyzer, scratch| {
        ranked_words(document, n, weighting, &JiebaIdf, analyzer, scratch)
    })?;
    Ok(TableIterator::new(found.map_err(report)?))
}

/// The heaviest words of a document with their weights.
pub fn ranked_words(
    document: &str,
    n: usize,
    weighting: Weighting,
    idf: &dyn Idf,
    analyzer: &Analyzer,
    scratch: &mut Scratch,
) -> neardup_text::Result<Vec<(String, f64)>> {
    let mut tokens = Vec::new();
    let text = analyzer.normalize(document, scratch);
    analyzer.words(text, &mut |token| tokens.push(token))?;
    let ranked = keywords(&tokens, n, weighting, idf)?;
    Ok(ranked.into_iter().map(|keyword| (keyword.text.to_owned(), keyword.weight)).collect())
}

fn split(document: &str) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    sentences(document, &mut |sentence| found.push(sentence));
    found
}

/// Counts as Postgres does, from 1; a text of 1 GB has fewer than 2^31 characters.
fn ordinal(index: usize) -> i32 {
    i32::try_from(index + 1).unwrap_or(i32::MAX)
}

#[pg_extern(sql = false)]
fn sentences_of(document: Text<'_>) -> TableIterator<'static, (i32, String, i32)> {
    let document: &str = &document;
    let rows = split(document)
        .into_iter()
        .enumerate()
        .map(|(i, sentence)| (ordinal(i), sentence.text.to_owned(), ordinal(sentence.char_start)));
    TableIterator::new(rows.collect::<Vec<_>>())
}

#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
#[pg_extern(sql = false)]
fn shared_sentences(
    a: Text<'_>,
    b: Text<'_>,
    similarity: f64,
) -> Result<TableIterator<'static, (i32, i32, f64, String, String)>> {
    let (a, b) = (&*a, &*b);
    let (of_a, of_b) = (split(a), split(b));
    let pairs = analyzer::with(SENTENCE_ANALYZER, |analyzer, scratch| {
        let (a, b) = (shingle_sets(&of_a, analyzer, scratch)?, shingle_sets(&of_b, analyzer, scratch)?);
        similarity::shared_sentences(&a, &b, similarity)
    })?
    .map_err(report)?;
    let rows = pairs.into_iter().filter_map(|(i, j, similarity)| {
        let (a, b) = (of_a.get(i)?, of_b.get(j)?);
        Some((ordinal(i), ordinal(j), similarity, a.text.to_owned(), b.text.to_owned()))
    });
    Ok(TableIterator::new(rows.collect::<Vec<_>>()))
}

fn shingle_sets(
    sentences: &[Sentence<'_>],
    analyzer: &Analyzer,
    scratch: &mut Scratch,
) -> neardup_text::Result<Vec<Vec<u64>>> {
    let mut sets = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        let mut set = Vec::new();
        analyzer.tokens(sentence.text, scratch, &mut |token| set.push(token_hash(token)))?;
        set.sort_unstable();
        set.dedup();
        sets.push(set);
    }
    Ok(sets)
}

#[pg_extern(sql = false)]
fn analyzer_info(analyzer: &str) -> Result<pgrx::Json> {
    let json = analyzer.parse::<Spec>().and_then(|spec| spec.to_json()).map_err(report)?;
    serde_json::from_str(&json).map(pgrx::Json).map_err(|error| {
        report(
            Error::new(ErrorKind::InvalidParameter, format!("invalid analyzer: \"{analyzer}\""))
                .with_detail(error.to_string()),
        )
    })
}

#[pg_extern(sql = false)]
fn analyzers() -> Result<TableIterator<'static, (String, pgrx::Json, String)>> {
    let chars = ("chars:5", "runs of 5 characters (or any number from 1 to 64), for every language");
    let presets = presets::ALL.iter().map(|preset| (preset.name, preset.purpose));
    let rows: Result<Vec<_>> = presets
        .chain([chars])
        .map(|(name, purpose)| Ok((name.to_owned(), analyzer_info(name)?, purpose.to_owned())))
        .collect();
    rows.map(TableIterator::new)
}
