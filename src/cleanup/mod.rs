//! Clean-up of existing rows: lists groups, removes copies and restores them.
//!
//! Nearly all of it is SQL, one file each in this folder, in the order below. This module has what SQL cannot express: a lock
//! that is kept across the commits of a procedure, and the test whether a procedure may commit.

pub mod choice;
pub mod list;
pub mod report;
pub mod steps;
pub mod undo;

use neardup_core::sketch::digest;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::Result;
use crate::pg::Text;
use crate::pg::call::{role, transaction};
use crate::pg::lock::session::ProcedureLock;

extension_sql_file!(
    "record.sql",
    name = "cleanup_record",
    requires = [
        "guard",
        "grouping",
        hold_table,
        release_table,
        in_transaction_block,
        check_committing,
        text_hash,
        bypass::let_through
    ]
);
extension_sql_file!("runner.sql", name = "cleanup_runner", requires = ["cleanup_record"]);
extension_sql_file!(
    "list.sql",
    name = "cleanup_list",
    requires = ["cleanup_runner", "sketch", "near_duplicate", "index", "profile", list::chosen]
);
extension_sql_file!(
    "report.sql",
    name = "cleanup_report",
    requires = ["cleanup_list", steps::document_statement, report::neardup_render_report]
);
extension_sql_file!("reference.sql", name = "cleanup_reference", requires = ["cleanup_list"]);
extension_sql_file!(
    "run.sql",
    name = "cleanup_run",
    requires = ["cleanup_reference", "cleanup_report", steps::cleanup_steps]
);
extension_sql_file!(
    "undo.sql",
    name = "cleanup_undo",
    requires = ["cleanup_run", undo::insert_statement, undo::point_back_statement, undo::unmark_statement]
);
extension_sql_file!("purge.sql", name = "cleanup_purge", requires = ["cleanup_undo"]);
extension_sql_file!("comments.sql", name = "cleanup_comments", requires = ["cleanup_purge"]);

/// Locks a table for one runner, across commits, until it is released or a transaction of this session fails. Only a role that
/// may remove or mark its rows may do so; otherwise anybody could keep the owner from cleaning it.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.hold_table(target regclass) RETURNS boolean VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn hold_table(target: pg_sys::Oid) -> Result<bool> {
    check_may_clean(target, "neardup_internal.hold_table")?;
    Ok(ProcedureLock(target).take())
}

/// Fails, in the name of the function that was called, for who may not clean a table.
fn check_may_clean(target: pg_sys::Oid, function: &'static str) -> Result<()> {
    if role::may_clean(target) {
        return Ok(());
    }
    let message = "only who may delete or update rows of a table may hold it";
    let code = PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE;
    Err(ErrorReport::new(code, message, function))
}

/// Releases the table.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.release_table(target regclass) RETURNS void VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn release_table(target: pg_sys::Oid) {
    ProcedureLock(target).release();
}

/// Says whether the statement runs in a transaction block, where a procedure cannot commit.
#[pg_extern(
    volatile,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.in_transaction_block() RETURNS boolean VOLATILE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn in_transaction_block() -> bool {
    transaction::in_block()
}

/// Fails if the calling procedure may not commit although the user has no transaction open. The procedure itself must ask,
/// because a function that it calls may never commit.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.check_committing(procedure text) RETURNS void VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn check_committing(procedure: &str) -> Result<()> {
    if transaction::in_block() || transaction::may_commit() {
        return Ok(());
    }
    let message = format!("neardup.{procedure} cannot run inside a function");
    let code = PgSqlErrorCode::ERRCODE_INVALID_TRANSACTION_TERMINATION;
    Err(ErrorReport::new(code, message, "neardup")
        .set_detail(
            "It commits after each batch, which Postgres allows neither in a function nor in a block with EXCEPTION.",
        )
        .set_hint("Call it on its own, or from a DO block or a procedure that were called so."))
}

/// Hashes a text, so that a clean-up can see whether somebody has changed it.
#[pg_extern(
    stable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.text_hash(document text) RETURNS bigint STABLE STRICT PARALLEL SAFE COST 1000 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn text_hash(document: Text<'_>) -> i64 {
    digest::text_hash(&document).cast_signed()
}
