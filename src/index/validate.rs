//! `amvalidate`: whether an operator class is one that the access method can serve. `SELECT amvalidate(oid) FROM pg_opclass` calls it.
//!
//! Only the extension's own classes are: scans read the arguments of operators by the types of these classes, without a further check.
#![allow(unsafe_code, reason = "Postgres calls amvalidate by pointer")]

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::pg::call::boundary;

/// `amvalidate`. Reports a fault as Postgres's own validators do.
pub(super) unsafe extern "C-unwind" fn validate(class: pg_sys::Oid) -> bool {
    // SAFETY: this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            let is_valid = is_valid(class);
            if !is_valid {
                ereport!(
                    PgLogLevel::INFO,
                    PgSqlErrorCode::ERRCODE_INVALID_OBJECT_DEFINITION,
                    "operator class of access method neardup is not one of extension pg_neardup"
                );
            }
            is_valid
        })
    }
}

/// Says whether an operator class belongs to the extension.
pub(super) fn is_valid(class: pg_sys::Oid) -> bool {
    // SAFETY: reads catalogs.
    unsafe {
        let extension = pg_sys::get_extension_oid(c"pg_neardup".as_ptr(), true);
        extension != pg_sys::Oid::INVALID
            && pg_sys::getExtensionOfObject(pg_sys::OperatorClassRelationId, class) == extension
    }
}
