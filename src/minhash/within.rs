//! Search by Jaccard similarity: `minhash_within`, which reaches an index through its support function. The result is the same by
//! index and by scan.

use neardup_core::signature::minhash;
use pgrx::Internal;
use pgrx::prelude::*;

use super::bands::similarity as checked_similarity;
use crate::error::{Result, report};
use crate::pg::planner::support;
use crate::pg::{MinHashType, Stored};

#[pg_extern(sql = false)]
fn minhash_within(a: Stored<'_, MinHashType>, b: Stored<'_, MinHashType>, similarity: f64) -> Result<bool> {
    let least = checked_similarity(similarity)?;
    minhash::jaccard(a.bytes, b.bytes).map(|found| found >= least).map_err(report)
}

/// Answers the planner about `minhash_within`: signatures of any similarity above 0 share a value.
#[pg_extern(sql = false)]
pub fn minhash_within_support(request: Internal) -> Internal {
    support::index_condition(request, |_, query| Some(query))
}
