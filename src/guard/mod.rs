//! The guard: the row trigger that judges each new document and acts on a near-duplicate of an existing one.
//!
//! It judges row by row, also in loads. [`row`] has the whole sequence:
//!
//! 1. [`crate::guarded`]: the guard behind the trigger, loaded in this backend; [`subject`]: the new row, read once.
//! 2. [`signature`]: makes its sketch or SimHash. [`locks`]: locks keys that its near-duplicates share.
//! 3. [`candidates`]: finds rows that share a key, by the index ([`shared_keys`]), committed or not; [`verify`]: compares their texts, with what [`guarded_rows`] knows of
//!    the table.
//! 4. [`actions`]: carries out the action, such as a mark in a [`mark_column`]. Once the row is stored, its locks are released.
//!
//! [`related`]: the row that a stored row is related to. [`first`]: a marked row that takes the first one's place. [`before`]: a pair that an UPDATE finds as it was. [`noted`]: acts that answer whether a row is a copy. [`moved`] recognises rows that an UPDATE moves to another partition, which are not new. See `docs/guard.md`.
#![allow(unsafe_code, reason = "values of rows by their types, and functions that Postgres calls by pointer")]

mod absent;
mod actions;
mod before;
pub mod bypass;
mod candidate;
mod candidates;
mod first;
mod guarded_rows;
mod hot;
mod locks;
mod mark_column;
mod marks;
mod merge;
mod moved;
mod noted;
mod outcome;
mod protect;
mod related;
mod row;
mod shared_keys;
mod signature;
mod stored;
mod subject;
mod trace;
mod verify;
mod why;

use pgrx::prelude::*;

use crate::guarded::settings::Settings;
use crate::pg::call::boundary;
use crate::pg::call::function_info;
use crate::pg::call::statement::Statement;
use crate::pg::call::trigger::{self, RowTrigger};

/// The entry point behind the trigger function `neardup.guard()`.
///
/// # Safety
/// Postgres calls it as the trigger function that guard.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_guard(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            let Some(trigger) = RowTrigger::from_fcinfo(fcinfo) else {
                ereport!(
                    ERROR,
                    PgSqlErrorCode::ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
                    "neardup.guard() must be called as a BEFORE ... FOR EACH ROW trigger"
                );
            };
            row::guarded(&trigger).unwrap_or_else(|error| {
                error.report(PgLogLevel::ERROR);
                pg_sys::Datum::null()
            })
        })
    }
}

/// The entry point behind the trigger function `neardup.release_locks()`.
///
/// # Safety
/// Postgres calls it as the trigger function that guard.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_release_locks(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            if !trigger::is_after(fcinfo) {
                ereport!(
                    ERROR,
                    PgSqlErrorCode::ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
                    "neardup.release_locks() must be called as an AFTER trigger"
                );
            }
            pg_sys::Datum::null()
        })
    }
}

/// Releases the locks of the row that was just stored, and returns false: the WHEN condition of a guard's AFTER ROW trigger.
#[pg_extern(sql = false)]
fn row_stored() -> bool {
    if let Err(error) = locks::row_stored(Statement::of_row()) {
        error.report(PgLogLevel::ERROR);
    }
    false
}

/// Returns the settings of a guard trigger; `None` if its arguments are not a guard's, since a table's owner may have made a
/// trigger by hand.
#[pg_extern(sql = false)]
fn guard_settings(arguments: &[u8], columns: i32) -> Option<String> {
    let argument = std::str::from_utf8(arguments.strip_suffix(&[0])?).ok()?;
    Settings::canonical(argument, usize::try_from(columns).ok()?)
}

function_info!(pg_finfo_neardup_guard, pg_finfo_neardup_release_locks);
