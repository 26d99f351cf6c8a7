//! The pass: an owner lets rows through the guard of a table, for one transaction, without a lock on the table.
//!
//! Rows are signed, and neither judged nor locked against: a load of restored rows would otherwise hold up every writer. Who
//! writes at the same moment is not judged against them; who writes after the commit is. `neardup.restore` works so, and the rows
//! that its rows duplicate are in the table, where they are looked at. The other kind, for `neardup.backfill`, judges as ever and only leaves rows alone
//! that would stay without a signature.

use std::cell::RefCell;

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::datum::{lock, role};
use crate::error::Result;

/// What a pass allows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Rows go in without a verdict.
    LetThrough,
    /// An update that leaves a row without a signature is not made.
    Sign,
}

thread_local! {
    /// Passes of one transaction, which its start tells from others.
    static PASSES: RefCell<(i64, Vec<(pg_sys::Oid, Pass)>)> = const { RefCell::new((0, Vec::new())) };
}

/// Whether this transaction has the pass for a table, the root where the table has partitions.
pub fn is_open(table: pg_sys::Oid, pass: Pass) -> bool {
    PASSES.with_borrow(|(transaction, passes)| {
        !passes.is_empty() && passes.contains(&(table, pass)) && *transaction == lock::transaction()
    })
}

fn open(table: pg_sys::Oid, pass: Pass) {
    PASSES.with_borrow_mut(|(transaction, passes)| {
        if *transaction != lock::transaction() {
            *transaction = lock::transaction();
            passes.clear();
        }
        passes.push((table, pass));
    });
}

/// Opens the pass to the end of the transaction.
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
    open(target, Pass::LetThrough);
    Ok(())
}

/// Opens the other kind, which needs no right: it can only leave out updates that change nothing.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.sign_only(target regclass) RETURNS void VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
pub fn sign_only(target: pg_sys::Oid) {
    open(target, Pass::Sign);
}
