//! The bypass: lets an owner's rows into a guarded table without a verdict, until the end of the transaction.
//!
//! The guard neither judges such rows nor locks their keys; otherwise a load of restored rows would hold up every writer. Rows that
//! others write at the same moment are not compared with them; rows written after the commit are. `neardup.restore` uses this.
//!
//! If the owner says so, letting a row through is an answer: the row is no copy of those that it would have duplicated ([`super::noted`]).

use std::cell::RefCell;

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::spi::quote_literal;

use crate::error::{Result, error};
use crate::guarded::arguments::shown;
use crate::guarded::guard::Guard;
use crate::pg::call::transaction::{self, Listener, SavepointEnd};
use crate::pg::call::{boundary, role};
use crate::pg::catalog;
use crate::pg::table::change::{self, Parameter};

/// Creates the table of answers.
const KEEP_ANSWERS: &str = "SELECT neardup.keep_answers(CAST($1 AS pg_catalog.regclass))";

/// A table, the savepoint that asked for it, and whether its rows are answers.
type Bypass = (pg_sys::Oid, pg_sys::SubTransactionId, bool);

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

/// Says whether this transaction skips the check of a table, and if so, whether its rows are answers; `table` is the root if the table has
/// partitions. What was asked for last holds.
pub fn active(table: pg_sys::Oid) -> Option<bool> {
    BYPASSES.with_borrow(|all| all.iter().rev().find(|bypass| bypass.0 == table).map(|bypass| bypass.2))
}

/// Skips the check of a table until the end of the transaction, or until the savepoint in which it was requested is rolled
/// back. With `answer`, each such row is noted as no copy of those that it would have duplicated.
#[pg_extern(sql = false)]
pub fn let_through(target: pg_sys::Oid, answer: bool) -> Result<()> {
    check_table(target)?;
    if !role::owns(target) {
        let message = "must be owner of a table to let rows through its guard";
        let code = PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE;
        return Err(ErrorReport::new(code, message, "neardup.let_through"));
    }
    if answer && catalog::is_temporary(target) {
        // Guards write answers with the rights of the owner, by a restricted operation, which must not create a temporary table.
        // SAFETY: nothing with a destructor is in the closure.
        unsafe { boundary::entry(|| change::run(KEEP_ANSWERS, &[Parameter::Table(Some(target))])) };
    }
    LISTENER.listen();
    BYPASSES.with_borrow_mut(|all| all.push((target, transaction::current_savepoint(), answer)));
    Ok(())
}

/// Checks that rows can be let into a relation, and that it is the one whose guard would judge them.
fn check_table(target: pg_sys::Oid) -> Result<()> {
    let kind = catalog::relation_kind(target);
    let wrong = |message| error(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, message);
    if kind == 0 {
        let message = format!("table with OID {} does not exist", u32::from(target));
        return Err(error(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE, message));
    } else if ![pg_sys::RELKIND_RELATION, pg_sys::RELKIND_PARTITIONED_TABLE].contains(&kind) {
        return Err(wrong(format!("{} is not a table", shown(target))));
    }
    let guards = Guard::all_of(target).unwrap_or_default();
    if let Some(guard) = guards.first().filter(|_| guards.iter().all(|guard| guard.table != target)) {
        let root = shown(guard.table);
        return Err(wrong(format!("{} is a partition, and the guard is on {root}", shown(target)))
            .set_hint(format!("SELECT neardup.let_through({});", quote_literal(root))));
    }
    Ok(())
}
