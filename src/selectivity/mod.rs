//! The estimates behind the operators `&&` and `<@`: what share of rows an index gives as candidates.
#![allow(unsafe_code, reason = "estimators, which Postgres calls with its own structures")]

use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};

use crate::pg::planner::estimate;

fn pointer<T>(argument: Internal) -> *mut T {
    argument.unwrap().map_or(std::ptr::null_mut(), |datum| datum.cast_mut_ptr())
}

/// Estimates the share of rows that share a key with a query, or lie in a ball around one.
#[pg_extern(sql = false)]
pub fn share_key_selectivity(root: Internal, _operator: pg_sys::Oid, arguments: Internal, relation: i32) -> f64 {
    // SAFETY: Postgres calls it as a restriction estimator.
    unsafe { estimate::share_of_restriction(pointer(root), pointer(arguments), relation) }
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
    unsafe { estimate::share_of_join(pointer(root), pointer(arguments), pointer(join)) }
}
