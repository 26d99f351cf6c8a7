//! Clean-up of existing rows: removes the copies of a list and restores them.
//!
//! * [`plan`]: what a clean-up works on. [`chosen`]: the list of it; [`batch`]: its steps; [`log`](mod@log): what is kept of a run; [`merge`]: those of the action that changes the kept rows, and [`unmerge`], which undoes that. [`recheck`]: answers given meanwhile. [`marks`]: marks that name rows which go, and [`moving`] those that move. [`dry_run`]: what it shows before, and [`differing`] which columns. [`reference`](mod@reference): foreign keys.
//!   [`report`]: a page about a table's copies.
//! * SQL: `removed.sql` (the table of removed rows beside a table), `log.sql`, `renamed.sql` (tables beside a table that has another name), `runner.sql` (one procedure per table, and its progress),
//!   `run.sql`, `dry_run.sql`, `restore.sql` and `restored_rows.sql`, `purge.sql`.
//!
//! PL/pgSQL has the loops with COMMIT. This file has what SQL cannot express about them: a lock that is kept across the commits of a
//! procedure, and the test whether a procedure may commit.

mod batch;
mod chosen;
mod differing;
mod dry_run;
mod log;
mod marks;
mod merge;
mod moving;
mod plan;
mod recheck;
mod reference;
mod report;
mod unmerge;

use neardup_core::signature::digest;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::Result;
use crate::guarded::arguments::shown;
use crate::guarded::beside::Beside;
use crate::pg::Text;
use crate::pg::call::{role, transaction};
use crate::pg::catalog;
use crate::pg::lock::session::ProcedureLock;

/// Locks a table for one runner, across commits, until it is released or a transaction of this session fails. Only a role that
/// may remove or mark its rows may do so; otherwise any role could keep the owner from cleaning it.
#[pg_extern(sql = false)]
fn hold_table(target: pg_sys::Oid) -> Result<bool> {
    check_may_clean(target, "neardup_internal.hold_table")?;
    Ok(ProcedureLock(target).take())
}

/// Fails, in the name of the function that was called, for who may not clean a table.
fn check_may_clean(target: pg_sys::Oid, function: &'static str) -> Result<()> {
    if role::may_clean(target) {
        return Ok(());
    }
    let message = format!("permission denied to clean up table {}", shown(target));
    let code = PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE;
    Err(ErrorReport::new(code, message, function)
        .set_hint("A clean-up needs SELECT, UPDATE and DELETE on the table; one that marks copies, SELECT and UPDATE."))
}

#[pg_extern(sql = false)]
fn release_table(target: pg_sys::Oid) {
    ProcedureLock(target).release();
}

/// Says whether nobody but trusted roles can put another type under the name of this one.
#[pg_extern(sql = false)]
fn has_trusted_name(kind: pg_sys::Oid) -> bool {
    catalog::has_trusted_name(kind)
}

/// Says whether the statement runs in a transaction block, where a procedure cannot commit.
#[pg_extern(sql = false)]
fn in_transaction_block() -> bool {
    transaction::in_block()
}

/// Fails if the calling procedure may not commit although the user has no transaction open. The procedure itself must ask,
/// because a function that it calls may never commit.
#[pg_extern(sql = false)]
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
        .set_hint("Call it on its own, or from a DO block or procedure that is called on its own."))
}

/// Hashes a text, so that a clean-up can see whether it has been changed.
#[pg_extern(sql = false)]
fn text_hash(document: Text<'_>) -> i64 {
    digest::text_hash(&document).cast_signed()
}

/// Hashes a text with what else is compared of its row.
#[pg_extern(sql = false)]
fn row_hash(document: Text<'_>, beside: Vec<Option<String>>) -> i64 {
    Beside::read(beside, 0).hash(&document).cast_signed()
}
