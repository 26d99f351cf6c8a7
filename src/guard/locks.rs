//! Locks between the search for candidates and the moment a row is stored.
//!
//! If two sessions write near-duplicates and search at the same time, neither finds the other's row. So before it searches, each
//! session locks keys, chosen so that any two near-duplicates share one, and releases them as soon as its row is stored. From then
//! on, other sessions find the row itself, although it is not committed, and wait for the transaction that wrote it.
//!
//! When is a row stored? The WHEN condition of an AFTER ROW trigger "is evaluated just after the row update occurs" (CREATE
//! TRIGGER). It calls [`row_stored`], which releases the keys and returns false, so that no event is queued. A row may not be
//! stored after all, because of ON CONFLICT or another trigger. Then its keys stay locked until the guard sees the next row of the
//! statement, the statement ends, its savepoint is rolled back, or the transaction ends.
//!
//! Keys belong to the statement of their row. Functions in CHECK constraints and policies run after the guard and before the row is
//! stored; a guarded row that they write neither releases the keys of the outer row nor counts as it.
//!
//! Where another row has a unique key of the new one, the new one will not be stored, but with ON CONFLICT DO UPDATE Postgres waits for that row's
//! lock, and the transaction that has it may want the same keys. So they are released at once ([`give_way`]): the guard sees the update as one. If the
//! other row is deleted or gets another key meanwhile, the new one is stored after all; then [`row_stored`] raises an error, because nothing kept copies
//! out. Where a trigger may yet change the row, or nothing would see that it is stored, the keys are kept.
//!
//! Deadlocks: no session waits for a transaction while it holds a key, neither for a copy nor for a unique key. Keys are taken in
//! ascending order, and only after those of the previous row are released. What remains is the deadlock that unique indexes have
//! too: transactions of several rows that wait for each other's rows.

use std::cell::RefCell;
use std::rc::Rc;

use pgrx::PgSqlErrorCode;
use pgrx::pg_sys;

use super::signature::Signature;
use crate::error::{Result, error};
use crate::guarded::guard::Guard;
use crate::pg::call::statement::Statement;
use crate::pg::call::transaction::{self, End, Listener, SavepointEnd};
use crate::pg::lock::keys::KeyLock;

/// A row whose search is done, and which may not be stored yet.
struct LockedRow {
    guard: Rc<Guard>,
    /// The table that it goes into: a partition if there are any, which may have other guards than the root's.
    table: pg_sys::Oid,
    signature: Signature,
    /// The statement that writes it.
    statement: Statement,
    /// The savepoint it belongs to.
    savepoint: pg_sys::SubTransactionId,
    locks: Vec<KeyLock>,
    /// Whether the keys were released, because the row will not be stored.
    gave_way: bool,
}

impl LockedRow {
    fn release(self) {
        self.locks.into_iter().rev().for_each(KeyLock::release);
    }
}

thread_local! {
    static ROWS: RefCell<Vec<LockedRow>> = const { RefCell::new(Vec::new()) };
    /// The running statements that have locked keys: each calls [`statement_ended`].
    static STATEMENTS: RefCell<Vec<Statement>> = const { RefCell::new(Vec::new()) };
}

fn release_where(gone: impl Fn(&LockedRow) -> bool) {
    if ROWS.with_borrow(|rows| !rows.iter().any(&gone)) {
        return;
    }
    let (gone, kept): (Vec<LockedRow>, Vec<LockedRow>) = ROWS.take().into_iter().partition(gone);
    ROWS.set(kept);
    gone.into_iter().for_each(LockedRow::release);
}

/// Releases the keys of earlier rows of the statement when `guard` sees another row, of `table`. Keeps those that other guards of that
/// table, whose triggers fire before this one's, have taken for the row. A row that is updated instead of one that gave way is another one.
pub fn row_begins(guard: &Guard, table: pg_sys::Oid, statement: Statement, is_insert: bool) {
    release_where(|row| {
        let of_this_row = row.table == table && row.guard.trigger < guard.trigger && (is_insert || !row.gave_way);
        row.statement == statement && !of_this_row
    });
}

/// Locks the keys of a row of `table`. `scope` separates rows that are never compared.
pub fn lock_row(
    guard: &Rc<Guard>,
    table: pg_sys::Oid,
    statement: Statement,
    signature: &Signature,
    scope: u32,
) -> Result<()> {
    let column = u32::from(guard.column.cast_unsigned()).wrapping_mul(0x9e37_79b9);
    let keys = signature.lock_keys(&guard.settings)?;
    let mut locks: Vec<KeyLock> =
        keys.into_iter().map(|key| KeyLock { table: guard.table, key: fold(key, scope) ^ column }).collect();
    locks.sort_unstable_by_key(|lock| lock.key);
    locks.dedup();
    let savepoint = transaction::current_savepoint();
    LISTENER.listen();
    if STATEMENTS.with_borrow(|all| !all.contains(&statement)) {
        statement.at_end(statement_ended);
        STATEMENTS.with_borrow_mut(|all| all.push(statement));
    }
    let (guard, signature) = (Rc::clone(guard), signature.clone());
    let locked = Vec::with_capacity(locks.len());
    let row = LockedRow { guard, table, signature, statement, savepoint, locks: locked, gave_way: false };
    ROWS.with_borrow_mut(|rows| rows.push(row));
    // Each lock is recorded as soon as it is held, so that an error leaves none behind.
    for lock in locks {
        lock.acquire();
        ROWS.with_borrow_mut(|rows| rows.last_mut().map(|row| row.locks.push(lock)));
    }
    Ok(())
}

/// Releases all keys of the statement's current row, in order to wait for another transaction. Returns the guards that have seen the
/// row, in their order, with its signatures: they must search again.
pub fn leave(statement: Statement) -> Vec<(Rc<Guard>, Signature)> {
    let seen = ROWS.with_borrow(|rows| {
        let of_this_row = rows.iter().filter(|row| row.statement == statement);
        of_this_row.map(|row| (Rc::clone(&row.guard), row.signature.clone())).collect()
    });
    release_where(|row| row.statement == statement);
    seen
}

/// Releases all keys of the statement's current row, which will not be stored, because another row has a unique key of it.
pub fn give_way(statement: Statement) {
    let locks: Vec<KeyLock> = ROWS.with_borrow_mut(|rows| {
        let of_this_row = rows.iter_mut().filter(|row| row.statement == statement);
        of_this_row
            .flat_map(|row| {
                row.gave_way = true;
                std::mem::take(&mut row.locks)
            })
            .collect()
    });
    locks.into_iter().rev().for_each(KeyLock::release);
}

/// Releases the keys of a statement's row, which has been stored.
///
/// # Errors
/// If it gave way to another row, which has been deleted since.
pub fn row_stored(statement: Statement) -> Result<()> {
    let gave_way = ROWS.with_borrow(|rows| rows.iter().any(|row| row.statement == statement && row.gave_way));
    release_where(|row| row.statement == statement);
    if !gave_way {
        return Ok(());
    }
    let message = "could not serialize access: the row with the same unique key has been deleted or changed meanwhile";
    Err(error(PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE, message)
        .set_detail("The new row has not been compared with others.")
        .set_hint("Try again."))
}

/// Releases the keys of a statement that has ended. A backend that ends in the midst of a change has an aborted transaction.
fn statement_ended(statement: Statement) {
    STATEMENTS
        .with(|all| all.try_borrow_mut().map(|mut all| all.retain(|other| *other != statement)).unwrap_or_default());
    if ROWS.with(|rows| rows.try_borrow_mut().is_ok()) {
        release_where(|row| row.statement == statement);
    }
}

static LISTENER: Listener = Listener::new(transaction_ended, savepoint_ended);

/// Forgets what is held: Postgres releases the locks itself. Those of a prepared transaction would stay until it is committed.
fn transaction_ended(end: End) {
    match end {
        End::Preparing => release_where(|_| true),
        _ => ROWS.with(|rows| rows.try_borrow_mut().map(|mut rows| rows.clear()).unwrap_or_default()),
    }
}

/// Rows of a savepoint that is rolled back lose their keys, as do those of savepoints inside it. Rows of a released savepoint
/// pass to the one around it.
fn savepoint_ended(savepoint: pg_sys::SubTransactionId, end: SavepointEnd) {
    match end {
        SavepointEnd::RolledBack => release_where(|row| row.savepoint >= savepoint),
        SavepointEnd::ReleasedTo(parent) => ROWS.with_borrow_mut(|rows| {
            rows.iter_mut().filter(|row| row.savepoint == savepoint).for_each(|row| row.savepoint = parent);
        }),
    }
}

/// Folds a lock key and a scope into the 32 bits available in a lock tag.
fn fold(key: i64, scope: u32) -> u32 {
    let key = key.cast_unsigned();
    ((key ^ (key >> 32)) as u32) ^ scope
}
