//! The estimates behind the operators `&&` and `<@`: what share of rows an index gives as candidates.
#![allow(unsafe_code, reason = "estimators, which Postgres calls with its own structures")]

use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};

use crate::pg::planner::estimate;

/// How many rows share a key with a text, whatever the size of the table: the medians of six corpora are 0 to 53,
/// their means 6.6 to 101 (docs/candidates.md).
const CANDIDATES: f64 = 10.0;

/// Estimates the share of rows that share a key with a query, or lie in a ball around one.
#[pg_extern(sql = false)]
pub fn share_key_selectivity(root: Internal, _operator: pg_sys::Oid, arguments: Internal, relation: i32) -> f64 {
    // SAFETY: Postgres calls it as a restriction estimator.
    let rows = unsafe { estimate::rows_of_restriction(root, arguments, relation) };
    (CANDIDATES / rows.max(CANDIDATES)).min(1.0)
}

/// Estimates the share of pairs of rows that share a key.
#[pg_extern(sql = false)]
pub fn share_key_join_selectivity(
    root: Internal,
    _operator: pg_sys::Oid,
    arguments: Internal,
    _kind: i16,
    join: Internal,
) -> f64 {
    // SAFETY: Postgres calls it as a join estimator.
    let rows = unsafe { estimate::rows_of_join(root, arguments, join) };
    (CANDIDATES / rows.max(CANDIDATES)).min(1.0)
}
