//! Containment: texts of which one holds the other, or a passage of it.
//!
//! Short texts as sets of tokens, exactly: `token_keys` gives the set as sorted integers, `overlap_within` compares by the
//! overlap coefficient, served by a GIN index on `overlap_keys`. Long texts by `fingerprints`, of which any long enough
//! shared passage has one in common. Both are plain integer arrays, so that stock GIN carries them.

use neardup_core::banding;
use neardup_core::signature::winnow::{MAX_WINDOW, Winnower};
use neardup_core::similarity;
use neardup_text::hash::token_hash;
use pgrx::Internal;
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, report};
use crate::pg::Integers;
use crate::pg::planner::expression::{Call, Expression};
use crate::pg::planner::support;
use crate::pg::value::text::Text;
use crate::text::analyzer;

#[pg_extern(sql = false)]
fn token_keys(document: Text<'_>, analyzer: &str) -> Result<Vec<i32>> {
    let document: &str = &document;
    analyzer::with(analyzer, |analyzer, scratch| {
        let mut keys = Vec::new();
        analyzer.tokens(document, scratch, &mut |token| {
            keys.push(banding::token_key(token_hash(token), token.chars().count()));
        })?;
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    })?
    .map_err(report)
}

#[pg_extern(sql = false)]
fn fingerprints(document: Text<'_>, analyzer: &str, window: i32) -> Result<Vec<i32>> {
    let document: &str = &document;
    let window = within("window", window, 1..=MAX_WINDOW as u32)? as usize;
    analyzer::with(analyzer, |analyzer, scratch| {
        let mut winnower = Winnower::new(window);
        analyzer.tokens(document, scratch, &mut |token| winnower.add(token_hash(token)))?;
        Ok(winnower.finish())
    })?
    .map_err(report)
}

#[pg_extern(sql = false)]
fn overlap_keys(tokens: Integers<'_>, similarity: f64) -> Result<Vec<i32>> {
    let mut keys = Vec::new();
    banding::overlap_keys(&tokens.sorted(), similarity, |key| keys.push(key)).map_err(report)?;
    Ok(keys)
}

#[pg_extern(sql = false)]
fn overlap_probes(tokens: Integers<'_>, similarity: f64) -> Result<Vec<i32>> {
    let mut keys = Vec::new();
    banding::overlap_probes(&tokens.sorted(), similarity, |key| keys.push(key)).map_err(report)?;
    Ok(keys)
}

#[pg_extern(sql = false)]
fn overlap_similarity(a: Integers<'_>, b: Integers<'_>) -> f64 {
    similarity::overlap(&a.sorted_words(), &b.sorted_words())
}

#[pg_extern(sql = false)]
fn overlap_reaches(a: Integers<'_>, b: Integers<'_>, similarity: f64) -> bool {
    similarity::overlap_within(&a.sorted_words(), &b.sorted_words(), similarity)
}

/// Writes `overlap_within(a, b, similarity)` out.
fn write_out_overlap(call: &Call) -> Option<Expression> {
    let &[a, b, similarity] = &call.arguments()?[..] else { return None };
    let (a, b) = if b.has_column() && !a.has_column() { (b, a) } else { (a, b) };
    let keys = |function, tokens| call.function(function, &[tokens, similarity]);
    let shares = Expression::arrays_overlap(keys("overlap_keys", a)?, keys("overlap_probes", b)?);
    Some(Expression::all(&[shares, call.function("overlap_reaches", &[a, b, similarity])?]))
}

/// Answers the planner about `overlap_within`.
#[pg_extern(sql = false)]
pub fn overlap_within_support(request: Internal) -> Internal {
    support::simplify(request, write_out_overlap)
}
