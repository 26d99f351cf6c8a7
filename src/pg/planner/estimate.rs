//! What share of rows an index gives as candidates, by the arguments of a selectivity estimator: it depends on how many rows the table of an
//! operand has.

use pgrx::pg_sys;

/// How many rows share a key with a text, whatever the size of the table: the medians of six corpora are 0 to 53,
/// their means 6.6 to 101 (docs/candidates.md).
const CANDIDATES: f64 = 10.0;

fn share_of(rows: f64) -> f64 {
    (CANDIDATES / rows.max(CANDIDATES)).min(1.0)
}

/// Returns the number of rows of a variable's table, 0 if unknown, and releases its statistics.
///
/// # Safety
/// The variable must have been filled in by Postgres.
unsafe fn rows(variable: &pg_sys::VariableStatData) -> f64 {
    // SAFETY: guaranteed by the caller; the relation is null or valid while the planner runs.
    unsafe {
        if let (Some(release), false) = (variable.freefunc, variable.statsTuple.is_null()) {
            release(variable.statsTuple);
        }
        variable.rel.as_ref().map_or(0.0, |relation| relation.tuples)
    }
}

/// Estimates the share of the rows of a table that share a key with a query, or lie in a ball around one.
///
/// # Safety
/// The arguments must be those that Postgres passed to a restriction estimator that is running.
pub unsafe fn share_of_restriction(root: *mut pg_sys::PlannerInfo, arguments: *mut pg_sys::List, relation: i32) -> f64 {
    let mut variable = pg_sys::VariableStatData::default();
    let (mut other, mut on_left) = (std::ptr::null_mut(), false);
    // SAFETY: the arguments is guaranteed by the caller.
    unsafe {
        let found = pg_sys::get_restriction_variable(
            root,
            arguments,
            relation,
            &raw mut variable,
            &raw mut other,
            &raw mut on_left,
        );
        share_of(if found { rows(&variable) } else { 0.0 })
    }
}

/// Estimates the share of pairs of rows that share a key.
///
/// # Safety
/// The arguments must be those that Postgres passed to a join estimator that is running.
pub unsafe fn share_of_join(
    root: *mut pg_sys::PlannerInfo,
    arguments: *mut pg_sys::List,
    join: *mut pg_sys::SpecialJoinInfo,
) -> f64 {
    let (mut a, mut b) = (pg_sys::VariableStatData::default(), pg_sys::VariableStatData::default());
    let mut reversed = false;
    // SAFETY: the arguments is guaranteed by the caller.
    unsafe {
        pg_sys::get_join_variables(root, arguments, join, &raw mut a, &raw mut b, &raw mut reversed);
        share_of(rows(&a).max(rows(&b)))
    }
}

/// Estimates the share of rows, or of pairs of rows, that share a key by the first two arguments of a function; `None` if the planner asks for
/// something else.
///
/// # Safety
/// `request` must be what Postgres passed to a support function of a function of two values that is running.
pub unsafe fn answer(request: *mut pg_sys::Node, share_of_candidates: f64) -> Option<pg_sys::Datum> {
    // SAFETY: a node is guaranteed by the caller; its tag says what it is, and its list has at least two arguments.
    unsafe {
        if request.is_null() || (*request).type_ != pg_sys::NodeTag::T_SupportRequestSelectivity {
            return None;
        }
        let question = request.cast::<pg_sys::SupportRequestSelectivity>();
        let arguments = pgrx::PgList::<pg_sys::Node>::from_pg((*question).args);
        let mut two = pgrx::PgList::<pg_sys::Node>::new();
        arguments.iter_ptr().take(2).for_each(|argument| two.push(argument));
        if two.len() < 2 {
            return None;
        }
        let candidates = if (*question).is_join {
            share_of_join((*question).root, two.into_pg(), (*question).sjinfo)
        } else {
            share_of_restriction((*question).root, two.into_pg(), (*question).varRelid)
        };
        (*question).selectivity = candidates * share_of_candidates;
        Some(pg_sys::Datum::from(request))
    }
}
