//! What the answers teach: a correction of the model for the table, kept in its guard's settings.

use std::ffi::CStr;

use neardup_verdict::correction::{self, Correction, Measured};
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
        (name!(correction, JsonB), name!(before, f64), name!(after, f64), name!(error, f64), name!(is_better, bool)),
    >,
> {
    let (numbers, copies) = (given(numbers)?, given(copies)?);
    let each = numbers.len() / copies.len().max(1);
    let measured = numbers.chunks(each.max(1)).zip(copies);
    let answers: Option<Vec<(Measured, bool)>> =
        measured.map(|(values, is_copy)| Some((Measured::read(values)?, is_copy))).collect();
    let answers = answers.ok_or_else(|| invalid("the numbers of an answer are of another model"))?;
    let row = |learned: correction::Learned| {
        let parts = JsonB(learned.correction.parts().into());
        (parts, learned.before, learned.after, learned.error, learned.is_better())
    };
    Ok(TableIterator::new(Correction::learn(&answers).map(row)))
}

/// Returns the score that a pair has by the guard as it is now; `None` if its numbers are of another model.
#[pg_extern(sql = false)]
fn corrected_score(target: pg_sys::Oid, document: &CStr, numbers: Vec<Option<f64>>) -> Result<Option<f64>> {
    let numbers = given(numbers)?;
    let guard = guard_of(target, Some(document))?;
    Ok(Measured::read(&numbers).map(|measured| measured.score(guard.settings.correction.as_ref())))
}

/// Returns values of which none is NULL.
fn given<T>(values: Vec<Option<T>>) -> Result<Vec<T>> {
    values.into_iter().collect::<Option<_>>().ok_or_else(|| invalid("numbers and answers must not be NULL"))
}
