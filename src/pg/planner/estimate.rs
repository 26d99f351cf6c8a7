//! The arguments of a selectivity estimator: how many rows the table of an operand has.

use pgrx::{Internal, pg_sys};

fn pointer<T>(argument: Internal) -> *mut T {
    argument.unwrap().map_or(std::ptr::null_mut(), |datum| datum.cast_mut_ptr())
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

/// Returns the number of rows of the table that a restriction is on.
///
/// # Safety
/// The arguments must be those that Postgres passed to a restriction estimator that is running.
pub unsafe fn rows_of_restriction(root: Internal, arguments: Internal, relation: i32) -> f64 {
    let mut variable = pg_sys::VariableStatData::default();
    let (mut other, mut on_left) = (std::ptr::null_mut(), false);
    // SAFETY: the arguments is guaranteed by the caller.
    unsafe {
        let found = pg_sys::get_restriction_variable(
            pointer(root),
            pointer(arguments),
            relation,
            &raw mut variable,
            &raw mut other,
            &raw mut on_left,
        );
        if found { rows(&variable) } else { 0.0 }
    }
}

/// Returns the number of rows of the larger of the two tables that a join condition is on.
///
/// # Safety
/// The arguments must be those that Postgres passed to a join estimator that is running.
pub unsafe fn rows_of_join(root: Internal, arguments: Internal, join: Internal) -> f64 {
    let (mut a, mut b) = (pg_sys::VariableStatData::default(), pg_sys::VariableStatData::default());
    let mut reversed = false;
    // SAFETY: the arguments is guaranteed by the caller.
    unsafe {
        pg_sys::get_join_variables(
            pointer(root),
            pointer(arguments),
            pointer(join),
            &raw mut a,
            &raw mut b,
            &raw mut reversed,
        );
        rows(&a).max(rows(&b))
    }
}
