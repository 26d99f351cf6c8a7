//! Errors and warnings that name a table and a constraint in their fields, as Postgres's own violations do. pgrx's reports have no such
//! fields.

use std::ffi::CString;

use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::boundary::{self, raw};
use crate::pg::catalog;

/// Reports a unique violation of a constraint of a table. An error leaves by unwinding.
pub fn report(level: PgLogLevel, violation: &ErrorReport, table: pg_sys::Oid, constraint: &str) {
    let text = |text: &str| CString::new(text).unwrap_or_default();
    let (message, constraint) = (text(violation.message()), text(constraint));
    let (detail, hint) = (violation.detail().map(text), violation.hint().map(text));
    let (schema, name) = catalog::qualified_name(table);
    let (schema, name) = (text(&schema), text(&name));
    let pointer = |text: &CString| text.as_ptr().cast_mut();
    let optional = |text: &Option<CString>| text.as_ref().map_or(std::ptr::null_mut(), pointer);
    let data = pg_sys::ErrorData {
        elevel: level as i32,
        sqlerrcode: PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION as i32,
        message: pointer(&message),
        detail: optional(&detail),
        hint: optional(&hint),
        schema_name: pointer(&schema),
        table_name: pointer(&name),
        constraint_name: pointer(&constraint),
        ..Default::default()
    };
    let data = std::ptr::from_ref(&data).cast_mut();
    // SAFETY: a C call; Postgres copies the texts, which live until the frame is left.
    unsafe { boundary::catch(|| raw::ThrowErrorData(data)) };
}
