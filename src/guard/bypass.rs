//! The bypass: lets an owner's rows into a guarded table without a verdict, until the end of the transaction.
//!
//! The guard neither judges such rows nor locks their keys; otherwise a load of restored rows would hold up every writer. Rows that
//! others write at the same moment are not compared with them; rows written after the commit are. `neardup.restore` uses this.

use std::cell::RefCell;

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::Result;
use crate::pg::call::role;
use crate::pg::call::transaction::{self, Listener, SavepointEnd};

/// A table, and the savepoint that asked for it.
type Bypass = (pg_sys::Oid, pg_sys::SubTransactionId);

thread_local! {
    static BYPASSES: RefCell<Vec<Bypass>> = const { RefCell::new(Vec::new()) };
}

static LISTENER: Listener = Listener::new(|_| change(Vec::clear), savepoint_ended);

fn savepoint_ended(savepoint: pg_sys::SubTransactionId, end: SavepointEnd) {
    change(|all| match end {
        SavepointEnd::ReleasedTo(parent) => {
            all.iter_mut().filter(|bypass| bypass.1 == savepoint).for_each(|bypass| bypass.1 = parent);
        }
        SavepointEnd::RolledBack => all.retain(|bypass| bypass.1 != savepoint),
    });
}

/// Changes the list. If it is borrowed, the backend is exiting, and it is not needed.
fn change(change: impl FnOnce(&mut Vec<Bypass>)) {
    BYPASSES.with(|all| all.try_borrow_mut().map(|mut all| change(&mut all)).unwrap_or_default());
}

/// Says whether this transaction skips the check of a table; `table` is the root if the table has partitions.
pub fn is_active(table: pg_sys::Oid) -> bool {
    BYPASSES.with_borrow(|all| all.iter().any(|bypass| bypass.0 == table))
}

/// Skips the check of a table until the end of the transaction, or until the savepoint in which it was requested is rolled
/// back.
#[pg_extern(sql = false)]
pub fn let_through(target: pg_sys::Oid) -> Result<()> {
    if !role::owns(target) {
        let message = "must be owner of a table to let rows through its guard";
        let code = PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE;
        return Err(ErrorReport::new(code, message, "neardup.let_through"));
    }
    LISTENER.listen();
    BYPASSES.with_borrow_mut(|all| all.push((target, transaction::current_savepoint())));
    Ok(())
}
