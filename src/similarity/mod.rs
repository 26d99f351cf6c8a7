//! Exact measures: of two token sets, of two texts, and of two vectors.
//!
//! Functions are similarities, operators are distances: 1 minus the similarity, so that an ORDER BY puts the nearest first, as in pgvector.

use neardup_core::document::HashedTokens;
use neardup_core::similarity;
use neardup_core::sketch::tokenset::TokenSet;
use neardup_text::{Error, ErrorKind};
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::pg::{Stored, TokenSetType};
use crate::text::source;

extension_sql_file!(
    "similarity.sql",
    name = "similarity_operators",
    requires = [
        "tokenset_type",
        tokenset_jaccard_similarity,
        tokenset_overlap_similarity,
        tokenset_cosine_similarity,
        tokenset_jaccard_distance,
        tokenset_overlap_distance,
        tokenset_cosine_distance,
        text_jaccard_similarity,
        text_overlap_similarity,
        text_cosine_similarity,
        vector_cosine_similarity
    ]
);

type Set<'a> = Stored<'a, TokenSetType>;

fn compare(
    a: Set<'_>,
    b: Set<'_>,
    measure: impl FnOnce(&TokenSet<'_>, &TokenSet<'_>) -> neardup_text::Result<f64>,
) -> Result<f64> {
    let (a, b) = (TokenSet::open(a.bytes).map_err(report)?, TokenSet::open(b.bytes).map_err(report)?);
    measure(&a, &b).map_err(report)
}

#[pg_extern(name = "jaccard_similarity", immutable, strict, parallel_safe, cost = 50)]
fn tokenset_jaccard_similarity(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    compare(a, b, |a, b| a.jaccard(b))
}

#[pg_extern(name = "overlap_similarity", immutable, strict, parallel_safe, cost = 50)]
fn tokenset_overlap_similarity(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    compare(a, b, |a, b| a.overlap(b))
}

#[pg_extern(name = "cosine_similarity", immutable, strict, parallel_safe, cost = 50)]
fn tokenset_cosine_similarity(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    compare(a, b, |a, b| a.cosine(b))
}

#[pg_extern(name = "jaccard_distance", immutable, strict, parallel_safe, cost = 50)]
fn tokenset_jaccard_distance(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    tokenset_jaccard_similarity(a, b).map(|similarity| 1.0 - similarity)
}

#[pg_extern(name = "overlap_distance", immutable, strict, parallel_safe, cost = 50)]
fn tokenset_overlap_distance(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    tokenset_overlap_similarity(a, b).map(|similarity| 1.0 - similarity)
}

#[pg_extern(name = "cosine_distance", immutable, strict, parallel_safe, cost = 50)]
fn tokenset_cosine_distance(a: Set<'_>, b: Set<'_>) -> Result<f64> {
    tokenset_cosine_similarity(a, b).map(|similarity| 1.0 - similarity)
}

#[pg_extern(name = "jaccard_similarity", immutable, strict, parallel_safe, cost = 20000)]
fn text_jaccard_similarity(a: &str, b: &str, analyzer: default!(&str, "'jieba'")) -> Result<f64> {
    source::of_two_documents(a, b, analyzer, |a, b| Ok(similarity::jaccard(a.distinct(), b.distinct())))
}

#[pg_extern(name = "overlap_similarity", immutable, strict, parallel_safe, cost = 20000)]
fn text_overlap_similarity(a: &str, b: &str, analyzer: default!(&str, "'jieba'")) -> Result<f64> {
    source::of_two_documents(a, b, analyzer, |a, b| Ok(similarity::overlap(a.distinct(), b.distinct())))
}

#[pg_extern(name = "cosine_similarity", immutable, strict, parallel_safe, cost = 20000)]
fn text_cosine_similarity(
    a: &str,
    b: &str,
    analyzer: default!(&str, "'jieba'"),
    weighting: default!(&str, "'count'"),
) -> Result<f64> {
    let weights = source::weights(weighting)?;
    let set = |tokens: &mut HashedTokens| tokens.token_set(weights, 0);
    source::of_two_documents(a, b, analyzer, |a, b| TokenSet::open(&set(a)?)?.cosine(&TokenSet::open(&set(b)?)?))
}

#[pg_extern(name = "cosine_similarity", immutable, strict, parallel_safe, cost = 10)]
fn vector_cosine_similarity(a: Array<f32>, b: Array<f32>) -> Result<f64> {
    let values = |array: &Array<'_, f32>| {
        let values: Option<Vec<f32>> = array.iter().collect();
        values.ok_or_else(|| report(Error::new(ErrorKind::InvalidParameter, "vector holds NULL")))
    };
    similarity::vector_cosine(&values(&a)?, &values(&b)?).map_err(report)
}
