//! The bypass: lets an owner's rows into a guarded table without a verdict, until the end of the transaction.
//!
//! The guard neither judges such rows nor locks their keys; otherwise a load of restored rows would hold up every writer. Rows that
//! others write at the same moment are not compared with them; rows written after the commit are. `neardup.restore` uses this.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::Result;
use crate::pg::call::role;
use crate::pg::lock::transaction;

/// Says whether this transaction skips the check of a table; `table` is the root if the table has partitions.
pub fn is_active(table: pg_sys::Oid) -> bool {
    transaction::is_noted(table)
}

/// Skips the check of a table until the end of the transaction, or until the savepoint in which it was requested is rolled
/// back.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup.let_through(target regclass) RETURNS void VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
pub fn let_through(target: pg_sys::Oid) -> Result<()> {
    if !role::owns(target) {
        let message = "only the owner of a table lets rows through its guard";
        let code = PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE;
        return Err(ErrorReport::new(code, message, "neardup.let_through"));
    }
    transaction::note(target);
    Ok(())
}
