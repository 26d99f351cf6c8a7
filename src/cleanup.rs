//! What is already there: signing old rows, listing groups, removing copies and bringing them back.
//!
//! Nearly all of it is SQL, one file each in `sql/cleanup/`, in the order below. Here is what SQL cannot say: a lock that
//! lasts over the commits of a procedure, and whether a procedure may commit.

use pgrx::prelude::*;

use crate::datum::runner;

extension_sql_file!(
    "../sql/cleanup/record.sql",
    name = "cleanup_record",
    requires =
        ["guard", "grouping", hold_table, release_table, in_transaction_block, pass::let_through, pass::sign_only]
);
extension_sql_file!("../sql/cleanup/runner.sql", name = "cleanup_runner", requires = ["cleanup_record"]);
extension_sql_file!("../sql/cleanup/backfill.sql", name = "cleanup_backfill", requires = ["cleanup_runner"]);
extension_sql_file!("../sql/cleanup/order.sql", name = "cleanup_order", requires = ["cleanup_backfill"]);
extension_sql_file!("../sql/cleanup/copies.sql", name = "cleanup_copies", requires = ["cleanup_order"]);
extension_sql_file!("../sql/cleanup/reference.sql", name = "cleanup_reference", requires = ["cleanup_copies"]);
extension_sql_file!("../sql/cleanup/remove.sql", name = "cleanup_remove", requires = ["cleanup_reference"]);
extension_sql_file!("../sql/cleanup/run.sql", name = "cleanup_run", requires = ["cleanup_remove"]);
extension_sql_file!("../sql/cleanup/undo.sql", name = "cleanup_undo", requires = ["cleanup_run"]);
extension_sql_file!("../sql/cleanup/purge.sql", name = "cleanup_purge", requires = ["cleanup_undo"]);
extension_sql_file!("../sql/cleanup/comments.sql", name = "cleanup_comments", requires = ["cleanup_purge"]);
extension_sql_file!("../sql/comments.sql", name = "comments", finalize);

/// Takes a table for one runner, over commits, until it is released or a transaction of this session fails.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup.hold_table(target regclass) RETURNS boolean VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn hold_table(target: pg_sys::Oid) -> bool {
    runner::hold(target)
}

/// Gives the table back.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup.release_table(target regclass) RETURNS void VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn release_table(target: pg_sys::Oid) {
    runner::release(target);
}

/// Whether the statement runs in a transaction block, where a procedure cannot commit.
#[pg_extern(
    volatile,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup.in_transaction_block() RETURNS boolean VOLATILE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn in_transaction_block() -> bool {
    runner::in_transaction_block()
}
