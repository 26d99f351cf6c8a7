//! Support functions: how the planner finds the index for a function of two values.
//!
//! A function whose column is indexed itself gets an index condition ([`index_condition`]). Where the index is on an expression of
//! the column, the call is replaced by a condition on that expression and a filter ([`simplify`]).

use pgrx::{Internal, pg_sys};

use super::estimate;
use super::expression::{Call, Expression, IndexQuestion, no_answer};

/// The share of candidates that pass the exact test: about a third (docs/candidates.md).
const SHARE_NEAR: f64 = 0.3;

fn node(request: Internal) -> *mut pg_sys::Node {
    request.unwrap().map_or(std::ptr::null_mut(), |datum| datum.cast_mut_ptr())
}

/// Answers a support request: replaces the call by what `write_out` gives.
pub fn simplify(request: Internal, write_out: impl FnOnce(&Call) -> Option<Expression>) -> Internal {
    // SAFETY: only called by functions that Postgres calls as support functions, with what it passed to them.
    let call = unsafe { Call::from_request(node(request)) };
    let answer = call.and_then(|call| write_out(&call).map(|condition| call.replace(condition)));
    Internal::from(Some(answer.unwrap_or_else(no_answer)))
}

/// Answers a support request: compares the indexed column with the operand that `operand` gives, by the operator of its index.
pub fn index_condition(
    request: Internal,
    operand: impl FnOnce(&IndexQuestion, Expression) -> Option<Expression>,
) -> Internal {
    // SAFETY: as above.
    unsafe {
        let request = node(request);
        if let Some(answer) = estimate::answer(request, SHARE_NEAR) {
            return Internal::from(Some(answer));
        }
        let answer = IndexQuestion::from_request(request).and_then(|question| {
            let query = question.other_argument()?;
            question.condition(operand(&question, query)?)
        });
        Internal::from(Some(answer.unwrap_or_else(no_answer)))
    }
}
