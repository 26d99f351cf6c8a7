//! What the planner needs to know to find near signatures and near-duplicate texts by an index, and to expect the right number of them.
//!
//! `simhash_within` and `minhash_within` compare a column with a query: their support function gives the index condition. In
//! `near_duplicate(body, $1)` the column is a text and the index on `sketch(body)`, so the condition has to be written out: sketches share
//! a key, and the texts say the same. `overlap_within` likewise, over helper columns.

use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};

use crate::pg::planner::estimate;
use crate::pg::planner::expression::{Call, Expression, IndexQuestion, answer_selectivity, no_answer};
use crate::search::near_duplicate::{ANALYZER, KEYS};

extension_sql_file!(
    "../../sql/planning.sql",
    name = "planning",
    requires = ["near_duplicate", "simhash_search", "minhash_search", "containment"]
);

/// How many rows share a key with a text, whatever the size of the table: the mean over whole corpora is 3 to 33 (docs/candidates.md).
const CANDIDATES: f64 = 10.0;

/// The share of candidates that pass the exact test: about a third (docs/candidates.md).
const SHARE_NEAR: f64 = 0.3;

/// Writes `near_duplicate(a, b)` out as a condition on an index of sketches and a filter.
fn write_out_near_duplicate(call: &Call) -> Option<Expression> {
    let &[a, b] = &call.arguments()?[..] else { return None };
    let sketch = |text: Expression| {
        call.function("sketch", &[text, Expression::text(ANALYZER), Expression::integer(KEYS as i32)])
    };
    let shares = call.operator("&&", sketch(a), sketch(b));
    Some(Expression::all(&[shares, call.internal_function("says_the_same", &[a, b])]))
}

/// Writes `overlap_within(a, b, similarity)` out.
fn write_out_overlap(call: &Call) -> Option<Expression> {
    let &[a, b, similarity] = &call.arguments()?[..] else { return None };
    let (a, b) = if b.has_column() && !a.has_column() { (b, a) } else { (a, b) };
    let keys = |function, tokens| call.function(function, &[tokens, similarity]);
    let shares = Expression::arrays_overlap(keys("overlap_keys", a), keys("overlap_probes", b));
    Some(Expression::all(&[shares, call.function("overlap_reaches", &[a, b, similarity])]))
}

fn node(request: Internal) -> *mut pg_sys::Node {
    request.unwrap().map_or(std::ptr::null_mut(), |datum| datum.cast_mut_ptr())
}

fn simplify(request: Internal, write_out: impl FnOnce(&Call) -> Option<Expression>) -> Internal {
    // SAFETY: only called by functions that Postgres calls as support functions, with what it passed to them.
    let call = unsafe { Call::from_request(node(request)) };
    let answer = call.and_then(|call| write_out(&call).map(|condition| call.replace(condition)));
    Internal::from(Some(answer.unwrap_or_else(no_answer)))
}

fn index_condition(
    request: Internal,
    operand: impl FnOnce(&IndexQuestion, Expression) -> Option<Expression>,
) -> Internal {
    // SAFETY: as above.
    unsafe {
        let request = node(request);
        if answer_selectivity(request, SHARE_NEAR) {
            return Internal::from(Some(pg_sys::Datum::from(request)));
        }
        let answer = IndexQuestion::from_request(request).and_then(|question| {
            let query = question.other_argument()?;
            question.condition(operand(&question, query)?)
        });
        Internal::from(Some(answer.unwrap_or_else(no_answer)))
    }
}

/// Answers the planner about `near_duplicate`.
#[pg_extern(immutable, strict, parallel_safe)]
pub fn near_duplicate_support(request: Internal) -> Internal {
    simplify(request, write_out_near_duplicate)
}

/// Answers the planner about `overlap_within`.
#[pg_extern(immutable, strict, parallel_safe)]
pub fn overlap_within_support(request: Internal) -> Internal {
    simplify(request, write_out_overlap)
}

/// Answers the planner about `simhash_within`: the signature is in a ball around the query.
#[pg_extern(immutable, strict, parallel_safe)]
pub fn simhash_within_support(request: Internal) -> Internal {
    index_condition(request, |question, query| {
        let distance = question.argument(2)?;
        Some(question.function("hamming_ball", &[query, distance]))
    })
}

/// Answers the planner about `minhash_within`: signatures of any similarity above 0 share a value.
#[pg_extern(immutable, strict, parallel_safe)]
pub fn minhash_within_support(request: Internal) -> Internal {
    index_condition(request, |_, query| Some(query))
}

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
