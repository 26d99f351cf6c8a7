//! The estimates behind the operators `&&` and `<@`: what share of rows an index gives as candidates.

use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};

use crate::pg::planner::estimate;

extension_sql_file!(
    "selectivity.sql",
    name = "selectivity",
    requires = [share_key_selectivity, share_key_join_selectivity]
);

/// How many rows share a key with a text, whatever the size of the table: the mean over whole corpora is 3 to 33 (docs/candidates.md).
const CANDIDATES: f64 = 10.0;

/// Estimates the share of rows that share a key with a query, or lie in a ball around one.
#[pg_extern(
    stable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.share_key_selectivity(internal, oid, internal, integer) RETURNS double precision STABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
pub fn share_key_selectivity(root: Internal, _operator: pg_sys::Oid, arguments: Internal, relation: i32) -> f64 {
    // SAFETY: Postgres calls it as a restriction estimator.
    let rows = unsafe { estimate::rows_of_restriction(root, arguments, relation) };
    (CANDIDATES / rows.max(CANDIDATES)).min(1.0)
}

/// Estimates the share of pairs of rows that share a key.
#[pg_extern(
    stable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.share_key_join_selectivity(internal, oid, internal, smallint, internal) RETURNS double precision STABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
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
