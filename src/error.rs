//! Maps the core's errors to SQLSTATEs, in one place.

use neardup_text::{Error, ErrorKind};
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;

/// The result of every SQL function here; an `Err` becomes a Postgres error with its SQLSTATE, detail and hint.
pub type Result<T> = std::result::Result<T, ErrorReport>;

/// Makes an error with a SQLSTATE that the core has no kind for.
pub fn error(code: PgSqlErrorCode, message: impl Into<String>) -> ErrorReport {
    ErrorReport::new(code, message.into(), "pg_neardup")
}

/// Makes the error for an argument out of range.
pub fn invalid(message: impl Into<String>) -> ErrorReport {
    error(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message)
}

/// Turns an error of the core into a report.
pub fn report(error: Error) -> ErrorReport {
    let code = match error.kind {
        ErrorKind::InvalidText => PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION,
        ErrorKind::InvalidBinary => PgSqlErrorCode::ERRCODE_INVALID_BINARY_REPRESENTATION,
        ErrorKind::InvalidParameter | ErrorKind::Mismatch => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        ErrorKind::LimitExceeded => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
    };
    let mut report = self::error(code, error.message);
    if let Some(detail) = error.detail {
        report = report.set_detail(detail);
    }
    if let Some(hint) = error.hint {
        report = report.set_hint(hint);
    }
    report
}
