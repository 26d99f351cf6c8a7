//! What the catalogs say, read through Postgres's caches. So it is always current, and no query runs, whose meaning a user's search path could
//! change.

mod columns;
mod functions;
mod relations;
mod trust;
mod types;

use std::ffi::CStr;

use pgrx::pg_sys;

pub use columns::{Column, column_name, column_number, column_type, columns, is_time, truncated};
pub use functions::{
    arguments_of, extension_schema, function, function_name, function_of_row, generated_column_of,
    is_immutable_text_of_row, joins_rows,
};
pub use relations::{
    belongs, expressions_of, has_children, has_deferrable_key, has_row_security, has_versions_of_snapshot, inheritors,
    is_partition, is_temporary, is_whole_of, may_lock, may_read_columns, may_read_some, owner, pages, predicate_of,
    primary_key, qualified_name, relation, relation_kind, relation_name, written_of,
};
pub use trust::{
    becomes_plainly, converts_plainly, has_trusted_name, is_of_postgres, is_of_trusted_schema, is_plain_cast,
    is_trusted, is_trusted_role,
};
pub use types::{
    Comparison, base_type, collation_name, has_equality, operand, operator, operator_between, row_type, shown_type,
    type_name,
};

/// Reads an object's row in one of the caches of catalogs; `None` if there is no such object.
///
/// # Safety
/// The cache's one key must be an OID, and `read` must keep nothing of the row.
pub(in crate::pg) unsafe fn cached<T>(
    cache: pg_sys::SysCacheIdentifier::Type,
    object: pg_sys::Oid,
    read: impl FnOnce(pg_sys::HeapTuple) -> T,
) -> Option<T> {
    // SAFETY: guaranteed by the caller; the row is read before it is released.
    unsafe {
        let row = pg_sys::SearchSysCache1(cache as i32, pg_sys::Datum::from(object));
        if row.is_null() {
            return None;
        }
        let result = read(row);
        pg_sys::ReleaseSysCache(row);
        Some(result)
    }
}

fn owned(name: *mut std::ffi::c_char) -> String {
    // SAFETY: null or a C string in the memory of this call.
    if name.is_null() { String::new() } else { unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned() }
}
