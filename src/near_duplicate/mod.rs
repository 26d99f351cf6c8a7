//! `near_duplicate`: the guard's rule as a query, and the same rule for clean-ups.

use std::borrow::Cow;

use neardup_core::signature::minhash::shares_key;
use neardup_verdict::Prepared;
use pgrx::Internal;
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::pg::planner::expression::{Call, Expression};
use crate::pg::planner::support;
use crate::pg::value::text::Text;
use crate::sketch::{self, ANALYZER, KEYS};
use crate::text::document;

#[pg_extern(sql = false)]
fn near_duplicate(a: Text<'_>, b: Text<'_>) -> Result<bool> {
    let (Some(of_a), Some(of_b)) = (sketch::of_document(&a, ANALYZER, KEYS)?, sketch::of_document(&b, ANALYZER, KEYS)?)
    else {
        return Ok(false);
    };
    Ok(shares_key(&of_a, &of_b).map_err(report)? && is_near_duplicate(a, b)?)
}

/// The part of `near_duplicate` that reads the texts, behind the part that an index serves.
#[pg_extern(sql = false)]
fn is_near_duplicate(a: Text<'_>, b: Text<'_>) -> Result<bool> {
    let (a, b) = (&*a, &*b);
    // Where the part that an index serves is NULL, the whole must be false, and not NULL: of two texts without a token.
    if a == b && sketch::of_document(a, ANALYZER, KEYS)?.is_none() {
        return Ok(false);
    }
    let prepared = Prepared::new(a).map_err(report)?;
    Ok(prepared.duplicate(b).map_err(report)?.is_some())
}

/// The parts of a document, each in a line; NULL where the first is.
#[pg_extern(sql = false)]
fn document_of_parts(parts: Option<Array<&str>>) -> Option<String> {
    document::joined(parts?.iter()).map(Cow::into_owned)
}

/// Writes `near_duplicate(a, b)` out as a condition on an index of sketches and a filter.
fn write_out_near_duplicate(call: &Call) -> Option<Expression> {
    let &[a, b] = &call.arguments()?[..] else { return None };
    let sketch = |text: Expression| {
        call.function("sketch", &[text, Expression::text(ANALYZER), Expression::integer(KEYS as i32)])
    };
    let shares = call.operator(c"&&", sketch(a)?, sketch(b)?)?;
    Some(Expression::all(&[shares, call.internal_function("is_near_duplicate", &[a, b])?]))
}

/// Answers the planner about `near_duplicate`.
#[pg_extern(sql = false)]
pub fn near_duplicate_support(request: Internal) -> Internal {
    support::simplify(request, write_out_near_duplicate)
}
