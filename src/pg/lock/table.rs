//! A table lock that outlives the transactions of a procedure: a session lock of Postgres's own kind, like those that VACUUM and
//! CREATE INDEX CONCURRENTLY hold between their transactions.
//!
//! Postgres releases it when a transaction of the session aborts, for whatever reason, but not when a session ends outside a
//! transaction: then the lock would stay until the server restarts. So no lock is kept beyond the statement that called the
//! procedure, and a session that ends earlier releases it.

use std::cell::{Cell, RefCell};
use std::ptr;

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::runner::{in_transaction_block, may_commit};

const MODE: pg_sys::LOCKMODE = pg_sys::ShareRowExclusiveLock as pg_sys::LOCKMODE;

thread_local! {
    static KEPT: RefCell<Vec<pg_sys::Oid>> = const { RefCell::new(Vec::new()) };
    static LISTENING: Cell<bool> = const { Cell::new(false) };
}

fn tag(table: pg_sys::Oid) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        // SAFETY: MyDatabaseId is set before any function can run, and never changes.
        locktag_field1: u32::from(unsafe { pg_sys::MyDatabaseId }),
        locktag_field2: u32::from(table),
        locktag_field3: 0,
        locktag_field4: 0,
        locktag_type: pg_sys::LockTagType::LOCKTAG_RELATION as u8,
        locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
    }
}

/// Keeps this transaction's SHARE ROW EXCLUSIVE lock on a table; returns false, and locks nothing, if it has no such lock. The
/// same in a transaction block or a subtransaction, whose rollback would leave the lock behind.
pub fn keep(table: pg_sys::Oid) -> bool {
    use pg_sys::LockAcquireResult::{LOCKACQUIRE_NOT_AVAIL, LOCKACQUIRE_OK};
    if in_transaction_block() {
        return false;
    }
    if !LISTENING.replace(true) {
        // SAFETY: the callbacks are static functions that take their arguments as Postgres gives them.
        unsafe {
            pg_sys::RegisterXactCallback(Some(at_end_of_transaction), ptr::null_mut());
            pg_sys::before_shmem_exit(Some(at_end_of_session), pg_sys::Datum::from(0));
        }
    }
    // SAFETY: a lock tag is plain data; the lock is asked for without waiting.
    let result = unsafe { pg_sys::LockAcquire(&tag(table), MODE, true, true) };
    if result == LOCKACQUIRE_OK {
        // It was not held before.
        give_back(table);
    }
    let kept = result != LOCKACQUIRE_OK && result != LOCKACQUIRE_NOT_AVAIL;
    if kept {
        KEPT.with_borrow_mut(|held| held.push(table));
    }
    kept
}

/// Says whether another session waits for a lock that was kept.
pub fn is_awaited(table: pg_sys::Oid) -> bool {
    // SAFETY: a lock tag is plain data; this session holds the lock.
    KEPT.with_borrow(|kept| kept.contains(&table)) && unsafe { pg_sys::LockHasWaiters(&tag(table), MODE, true) }
}

/// Releases a lock that was kept; does nothing if there is none.
pub fn leave(table: pg_sys::Oid) {
    let place = KEPT.with_borrow(|kept| kept.iter().rposition(|&t| t == table));
    if let Some(place) = place {
        KEPT.with_borrow_mut(|kept| kept.swap_remove(place));
        give_back(table);
    }
}

fn give_back(table: pg_sys::Oid) {
    // SAFETY: a lock tag is plain data; this session holds the lock.
    unsafe { pg_sys::LockRelease(&tag(table), MODE, true) };
}

/// Empties the list and gives its tables. The list is in use if the backend is ending while it changes it.
fn take_all() -> Vec<pg_sys::Oid> {
    KEPT.with(|kept| kept.try_borrow_mut().map(|mut kept| std::mem::take(&mut *kept))).unwrap_or_default()
}

/// Releases what was kept if no procedure continues after the transaction. A transaction that aborts releases it itself.
#[pg_guard]
unsafe extern "C-unwind" fn at_end_of_transaction(event: pg_sys::XactEvent::Type, _argument: *mut std::ffi::c_void) {
    use pg_sys::XactEvent::{XACT_EVENT_ABORT, XACT_EVENT_COMMIT};
    match event {
        XACT_EVENT_COMMIT if !may_commit() => take_all().into_iter().for_each(give_back),
        XACT_EVENT_ABORT => drop(take_all()),
        _ => {}
    }
}

/// Between two transactions there is nothing to abort. Postgres calls this before it aborts one that is open.
#[pg_guard]
unsafe extern "C-unwind" fn at_end_of_session(_code: i32, _argument: pg_sys::Datum) {
    take_all().into_iter().for_each(give_back);
}
