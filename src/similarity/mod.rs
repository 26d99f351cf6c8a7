//! Exact measures: of two token sets, of two texts, and of two vectors.
//!
//! Functions are similarities, operators are distances: 1 minus the similarity, so that an ORDER BY puts the nearest first, as in pgvector.

use neardup_core::document::HashedTokens;
use neardup_core::signature::tokenset::TokenSet;
use neardup_core::similarity;
use neardup_text::{Error, ErrorKind};
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::pg::value::text::Text;
use crate::pg::{Stored, TokenSetType};
use crate::text::source;

type Set<'a> = Stored<'a, TokenSetType>;

fn compare(
    a: Set<'_>,
    b: Set<'_>,
    measure: impl FnOnce(&TokenSet<'_>, &TokenSet<'_>) -> neardup_text::Result<f64>,
) -> Result<f64> {
    let (a, b) = (TokenSet::open(a.bytes).map_err(report)?, TokenSet::open(b.bytes).map_err(report)?);
    measure(&a, &b).map_err(report)
}

#[pg_extern(sql = false)]
fn tokenset_jaccard_similarity(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    compare(a, b, |a, b| a.jaccard(b))
}

#[pg_extern(sql = false)]
fn tokenset_overlap_similarity(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    compare(a, b, |a, b| a.overlap(b))
}

#[pg_extern(sql = false)]
fn tokenset_cosine_similarity(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    compare(a, b, |a, b| a.cosine(b))
}

#[pg_extern(sql = false)]
fn tokenset_jaccard_distance(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    tokenset_jaccard_similarity(a, b).map(|similarity| 1.0 - similarity)
}

#[pg_extern(sql = false)]
fn tokenset_overlap_distance(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    tokenset_overlap_similarity(a, b).map(|similarity| 1.0 - similarity)
}

#[pg_extern(sql = false)]
fn tokenset_cosine_distance(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    tokenset_cosine_similarity(a, b).map(|similarity| 1.0 - similarity)
}

#[pg_extern(sql = false)]
fn text_jaccard_similarity(a: Text<'_>, b: Text<'_>, analyzer: &str) -> Result<f64> {
    let (a, b) = (&*a, &*b);
    source::of_two_documents(a, b, analyzer, |a, b| Ok(similarity::jaccard(a.distinct(), b.distinct())))
}

#[pg_extern(sql = false)]
fn text_overlap_similarity(a: Text<'_>, b: Text<'_>, analyzer: &str) -> Result<f64> {
    let (a, b) = (&*a, &*b);
    source::of_two_documents(a, b, analyzer, |a, b| Ok(similarity::overlap(a.distinct(), b.distinct())))
}

#[pg_extern(sql = false)]
fn text_cosine_similarity(a: Text<'_>, b: Text<'_>, analyzer: &str, weighting: &str) -> Result<f64> {
    let (a, b) = (&*a, &*b);
    let weights = source::weights(weighting)?;
    let set = |tokens: &mut HashedTokens| tokens.token_set(weights, 0);
    source::of_two_documents(a, b, analyzer, |a, b| TokenSet::open(&set(a)?)?.cosine(&TokenSet::open(&set(b)?)?))
}

#[pg_extern(sql = false)]
fn vector_cosine_similarity(a: Array<f32>, b: Array<f32>) -> Result<f64> {
    let values = |array: &Array<'_, f32>| {
        let values: Option<Vec<f32>> = array.iter().collect();
        values.ok_or_else(|| report(Error::new(ErrorKind::InvalidParameter, "vector must not contain NULL")))
    };
    similarity::vector_cosine(&values(&a)?, &values(&b)?).map_err(report)
}
