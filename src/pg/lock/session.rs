//! Locks that a procedure keeps over its commits, and loses when it fails or ends.
//!
//! Transaction locks end with each batch; SQL's session locks stay with the session when the procedure fails or is cancelled. VACUUM and
//! CREATE INDEX CONCURRENTLY keep session locks between their transactions, and so do we: until they are released, until a transaction
//! aborts, or until one ends that no procedure continues.
//!
//! When a session ends, Postgres releases advisory locks, and in an open transaction all others, too. Without one, a lock on a table would
//! stay until the server is restarted: [`at_end_of_session`].

use std::cell::RefCell;

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::pg::call::transaction::{self, End, Listener};

/// Shown as `objsubid` in pg_locks; the kinds of [`super::keys`] come before.
const KIND_PROCEDURE: u16 = 16;

/// A lock on a table that outlives transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionLock {
    /// One procedure at a time works on the table: an advisory lock, of a kind that SQL's functions cannot take.
    Procedure(pg_sys::Oid),
    /// Nobody else writes to the table: SHARE ROW EXCLUSIVE.
    Writers(pg_sys::Oid),
}

thread_local! {
    /// As often as they are held.
    static HELD: RefCell<Vec<SessionLock>> = const { RefCell::new(Vec::new()) };
}

static LISTENER: Listener = Listener::new(at_end_of_transaction, |_, _| {});

impl SessionLock {
    /// Takes it without waiting; false if another session has it.
    pub fn take(self) -> bool {
        let is_taken = self.acquire() != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL;
        if is_taken {
            self.note();
        }
        is_taken
    }

    /// Keeps it if this transaction has it; false where it does not, and then nothing is locked. Nor is it kept in a transaction block or
    /// a savepoint, whose rollback would leave it behind.
    pub fn keep(self) -> bool {
        use pg_sys::LockAcquireResult::{LOCKACQUIRE_NOT_AVAIL, LOCKACQUIRE_OK};
        if transaction::in_block() {
            return false;
        }
        match self.acquire() {
            LOCKACQUIRE_NOT_AVAIL => false,
            LOCKACQUIRE_OK => {
                // It was not there before.
                self.give_back();
                false
            }
            _ => {
                self.note();
                true
            }
        }
    }

    /// Releases it; nothing happens where this session does not have it. What a transaction itself holds stays to its end.
    pub fn release(self) {
        let at = HELD.with_borrow(|held| held.iter().rposition(|&lock| lock == self));
        if let Some(at) = at {
            HELD.with_borrow_mut(|held| held.swap_remove(at));
            self.give_back();
        }
    }

    /// Whether this session has it and another one waits for it.
    pub fn is_awaited(self) -> bool {
        HELD.with_borrow(|held| held.contains(&self))
            // SAFETY: a lock tag is plain data; this session holds the lock.
            && unsafe { pg_sys::LockHasWaiters(&self.tag(), self.mode(), true) }
    }

    fn acquire(self) -> pg_sys::LockAcquireResult::Type {
        if LISTENER.listen() {
            // SAFETY: the callback is a static function that takes its arguments as Postgres gives them.
            unsafe { pg_sys::before_shmem_exit(Some(at_end_of_session), pg_sys::Datum::from(0)) };
        }
        // SAFETY: a lock tag is plain data; the lock is asked for without waiting.
        unsafe { pg_sys::LockAcquire(&self.tag(), self.mode(), true, true) }
    }

    fn note(self) {
        HELD.with_borrow_mut(|held| held.push(self));
    }

    fn give_back(self) {
        // SAFETY: a lock tag is plain data; this session holds the lock.
        unsafe { pg_sys::LockRelease(&self.tag(), self.mode(), true) };
    }

    fn mode(self) -> pg_sys::LOCKMODE {
        let mode = match self {
            Self::Procedure(_) => pg_sys::ExclusiveLock,
            Self::Writers(_) => pg_sys::ShareRowExclusiveLock,
        };
        mode as pg_sys::LOCKMODE
    }

    fn tag(self) -> pg_sys::LOCKTAG {
        use pg_sys::LockTagType::{LOCKTAG_ADVISORY, LOCKTAG_RELATION};
        let (table, kind, tag_type, method) = match self {
            Self::Procedure(table) => (table, KIND_PROCEDURE, LOCKTAG_ADVISORY, pg_sys::USER_LOCKMETHOD),
            Self::Writers(table) => (table, 0, LOCKTAG_RELATION, pg_sys::DEFAULT_LOCKMETHOD),
        };
        pg_sys::LOCKTAG {
            // SAFETY: MyDatabaseId is set before any function can run, and never changes.
            locktag_field1: u32::from(unsafe { pg_sys::MyDatabaseId }),
            locktag_field2: u32::from(table),
            locktag_field3: 0,
            locktag_field4: kind,
            locktag_type: tag_type as u8,
            locktag_lockmethodid: method as u8,
        }
    }
}

/// Releases everything. The list is in use where a backend is ending in the midst of changing it; then Postgres aborts its transaction.
fn release_all() {
    let held = HELD.with(|held| held.try_borrow_mut().map(|mut held| std::mem::take(&mut *held)));
    held.unwrap_or_default().into_iter().for_each(SessionLock::give_back);
}

/// Postgres itself would keep advisory locks when a transaction aborts, and both kinds when one commits.
fn at_end_of_transaction(end: End) {
    match end {
        End::Aborted => release_all(),
        End::Committed | End::Prepared if !transaction::may_commit() => release_all(),
        _ => {}
    }
}

/// An open transaction is aborted after this, and then its locks are released in order.
///
/// # Safety
/// Postgres calls it.
#[pg_guard]
unsafe extern "C-unwind" fn at_end_of_session(_code: i32, _argument: pg_sys::Datum) {
    if !transaction::is_open() {
        release_all();
    }
}
