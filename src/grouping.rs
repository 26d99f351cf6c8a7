//! `near_duplicate_of`: groups the signatures of a window in one pass.

use neardup_core::banding::MAX_DISTANCE;
use neardup_core::grouping::{self, Linkage};
use neardup_core::{Error, ErrorKind};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::argument::within;
use crate::datum::SimHash;
use crate::datum::window::Window;
use crate::error::{Result, report};

extension_sql_file!("../sql/grouping.sql", name = "grouping", requires = ["simhash_type"]);

const ARGUMENT_SIGNATURE: i32 = 0;
const ARGUMENT_DISTANCE: i32 = 1;

/// Groups the partition: for each row the position of its group's first row, counted from 0.
fn group(window: &Window<'_>) -> Result<Vec<u32>> {
    let rows = i32::try_from(window.rows()).map_err(|_| {
        let message = format!("a window of {} rows is too large to group", window.rows());
        report(
            Error::new(ErrorKind::LimitExceeded, message)
                .with_detail("Postgres counts the rows of a window function's partition in 32 bits.")
                .with_hint("Add PARTITION BY, for example by month."),
        )
    })?;
    let distance = window.argument(ARGUMENT_DISTANCE).ok_or_else(|| {
        let code = PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED;
        ErrorReport::new(code, "distance must not be NULL", "near_duplicate_of")
    })?;
    let distance = within("distance", distance.value() as i32, 0..=MAX_DISTANCE)?;
    let mut present = Vec::new();
    let mut signatures = Vec::new();
    let mut answers: Vec<u32> = Vec::new();
    for row in 0..rows {
        // A row without a signature is its own group.
        answers.push(row as u32);
        if let Some(datum) = window.argument_at(ARGUMENT_SIGNATURE, row) {
            present.push(row as u32);
            signatures.push(SimHash::from_raw(datum).0);
        }
        if row % 4096 == 0 {
            pgrx::check_for_interrupts!();
        }
    }
    let groups = grouping::group_simhash(&signatures, distance, Linkage::Components).map_err(report)?;
    for (&row, &first) in present.iter().zip(&groups) {
        if let (Some(answer), Some(&first)) = (answers.get_mut(row as usize), present.get(first as usize)) {
            *answer = first;
        }
    }
    Ok(answers)
}

/// The entry point behind `near_duplicate_of(simhash, integer)`.
///
/// # Safety
/// Postgres calls it as the window function that sql/grouping.sql declares.
#[pg_guard]
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn near_duplicate_of_simhash(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call.
    let Some(window) = (unsafe { Window::from_fcinfo(fcinfo) }) else {
        error!("near_duplicate_of must be called as a window function");
    };
    let first = window.answers(group).unwrap_or_else(|error| {
        error.report(PgLogLevel::ERROR);
        &[]
    });
    match (window.argument(ARGUMENT_SIGNATURE), first.get(window.position() as usize)) {
        (Some(_), Some(&first)) => pg_sys::Datum::from(i64::from(first) + 1),
        _ => {
            // SAFETY: fcinfo is this call's own.
            unsafe { (*fcinfo).isnull = true };
            pg_sys::Datum::null()
        }
    }
}

/// Tells Postgres that the entry point uses calling convention 1.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_near_duplicate_of_simhash() -> &'static pg_sys::Pg_finfo_record {
    const V1: pg_sys::Pg_finfo_record = pg_sys::Pg_finfo_record { api_version: 1 };
    &V1
}
