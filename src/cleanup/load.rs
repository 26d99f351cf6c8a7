//! Loading new rows as a set: which of them copy rows of a guarded table, and how they are inserted. This is written in SQL,
//! `sql/load.sql`, except for a table lock that is kept across the commits of batches.

use pgrx::prelude::*;

use super::check_may_clean;
use crate::error::Result;
use crate::pg::lock::session::SessionLock;

extension_sql_file!("../../sql/load.sql", name = "load", requires = ["cleanup_run", keep_lock, is_awaited, leave_lock]);

/// Keeps this transaction's SHARE ROW EXCLUSIVE lock on a table beyond its commit, to the end of the statement; false if it has
/// no such lock. Only a role that may lock the table in this mode may do so.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.keep_lock(target regclass) RETURNS boolean VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn keep_lock(target: pg_sys::Oid) -> Result<bool> {
    check_may_clean(target, "neardup_internal.keep_lock")?;
    Ok(SessionLock::Writers(target).keep())
}

/// Says whether another session waits for a lock that [`keep_lock`] has kept.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.is_awaited(target regclass) RETURNS boolean VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn is_awaited(target: pg_sys::Oid) -> bool {
    SessionLock::Writers(target).is_awaited()
}

/// Releases a lock that [`keep_lock`] has kept. The transaction's own lock stays until the transaction ends.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.leave_lock(target regclass) RETURNS void VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn leave_lock(target: pg_sys::Oid) {
    SessionLock::Writers(target).release();
}
