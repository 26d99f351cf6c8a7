//! What the answers teach: a correction of the model for the table, kept in its guard's settings.

use std::ffi::CStr;

use neardup_verdict::correction::{self, Correction, Measured};
use neardup_verdict::teaching;
use pgrx::JsonB;
use pgrx::prelude::*;

use super::statements::guard_of;
use crate::error::{Result, invalid};

/// Learns from pairs: `numbers` has what the model makes of each, one after the other, `copies` whether it is one. Returns no row if there are
/// too few.
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
#[pg_extern(sql = false)]
fn learned(
    numbers: Vec<Option<f64>>,
    copies: Vec<Option<bool>>,
) -> Result<
    TableIterator<
        'static,
        (name!(correction, JsonB), name!(before, f64), name!(after, f64), name!(error, f64), name!(is_worse, bool)),
    >,
> {
    let (numbers, copies) = (given(numbers)?, given(copies)?);
    let answers: Vec<(Measured, bool)> = all_measured(&numbers, copies.len())?.into_iter().zip(copies).collect();
    let row = |learned: correction::Learned| {
        let parts = JsonB(learned.correction.parts().into());
        (parts, learned.before, learned.after, learned.error, learned.is_worse())
    };
    Ok(TableIterator::new(Correction::learn(&answers).map(row)))
}

/// Chooses pairs by what answers about them would teach; returns their places, the first of which is 1.
#[pg_extern(sql = false)]
fn teaching(
    numbers: Vec<Option<f64>>,
    pairs: Vec<Option<f64>>,
    answered: Vec<Option<f64>>,
    n: i32,
) -> Result<Vec<i32>> {
    let (weights, wanted) = (given(pairs)?, usize::try_from(n).unwrap_or_default());
    let measured = all_measured(&given(numbers)?, weights.len())?;
    if measured.len() != weights.len() || !weights.iter().all(|weight| weight.is_finite()) {
        return Err(invalid("each pair must have its numbers, and stand for a number of pairs"));
    }
    let answered = given(answered)?;
    let answered = all_measured(&answered, answered.len() / Measured::LEN)?;
    let pairs: Vec<(Measured, f64)> = measured.into_iter().zip(weights).collect();
    let chosen = teaching::teaching(&pairs, &answered, wanted);
    Ok(chosen.into_iter().filter_map(|at| i32::try_from(at + 1).ok()).collect())
}

/// Returns the score that a pair has by the guard as it is now; `None` if its numbers are of another model.
#[pg_extern(sql = false)]
fn corrected_score(target: pg_sys::Oid, document: &CStr, numbers: Vec<Option<f64>>) -> Result<Option<f64>> {
    let numbers = given(numbers)?;
    let guard = guard_of(target, Some(document))?;
    Ok(Measured::read(&numbers).map(|measured| measured.score(guard.settings.correction.as_ref())))
}

/// Reads what the verdict makes of `count` pairs, one after the other.
fn all_measured(numbers: &[f64], count: usize) -> Result<Vec<Measured>> {
    let measured: Option<Vec<Measured>> = numbers.chunks(Measured::LEN).map(Measured::read).collect();
    let measured = measured.filter(|measured| measured.len() == count);
    measured.ok_or_else(|| invalid("the numbers of an answer are of another model"))
}

/// Returns values of which none is NULL.
fn given<T>(values: Vec<Option<T>>) -> Result<Vec<T>> {
    values.into_iter().collect::<Option<_>>().ok_or_else(|| invalid("numbers and answers must not be NULL"))
}
