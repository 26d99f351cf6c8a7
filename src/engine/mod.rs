//! The engine of lists and clean-ups.

pub mod entries;
pub mod list;
pub mod simhash;
pub mod source;
pub mod texts;

use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;

/// The error for a role that may not read the addresses of rows.
pub fn no_addresses() -> ErrorReport {
    let code = PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE;
    ErrorReport::new(code, "a list by scope of two tables needs the right to read all of their columns", "pg_neardup")
}
