//! Locks that a procedure keeps across its commits and loses when it fails or ends.
//!
//! Neither of Postgres's lifetimes fits: transaction locks end with each batch, and SQL's session locks survive when the
//! procedure fails or is cancelled. So these are session locks, as VACUUM and CREATE INDEX CONCURRENTLY hold between their
//! transactions. They last until they are released, until a transaction aborts, or until a transaction ends that no procedure
//! continues.
//!
//! When a session ends outside a transaction, Postgres keeps such locks until the server restarts, which [`at_end_of_session`]
//! prevents.

use std::cell::RefCell;

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::pg::call::transaction::{self, End, Listener};

/// Shown as `objsubid` in pg_locks; distinct from the kinds of [`super::keys`].
const KIND: u16 = 16;

/// Excludes itself and [`KEEPS_OUT`].
const MODE: pg_sys::LOCKMODE = pg_sys::ExclusiveLock as pg_sys::LOCKMODE;

/// The mode of those that keep procedures out, which do not exclude each other.
const KEEPS_OUT: pg_sys::LOCKMODE = pg_sys::ShareLock as pg_sys::LOCKMODE;

/// A lock on a table for one procedure at a time: an advisory lock, of a kind that SQL's functions cannot take. It is managed with the
/// locks on tables, because `pg_advisory_unlock_all()` in a user's trigger releases all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcedureLock(pub pg_sys::Oid);

thread_local! {
    /// The locks held; one that is held twice is listed twice.
    static HELD: RefCell<Vec<ProcedureLock>> = const { RefCell::new(Vec::new()) };
}

static LISTENER: Listener = Listener::new(at_end_of_transaction, |_, _| {});

impl ProcedureLock {
    /// Takes the lock without waiting; false if another session has it.
    pub fn take(self) -> bool {
        let is_taken = self.acquire() != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL;
        if is_taken {
            self.note();
        }
        is_taken
    }

    /// Keeps procedures of other sessions out until the end of the transaction, without waiting; false if one works on the table.
    pub fn keep_out(self) -> bool {
        // SAFETY: a lock tag is plain data; the transaction owns the lock, which is requested without waiting.
        let result = unsafe { pg_sys::LockAcquire(&self.tag(), KEEPS_OUT, false, true) };
        result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
    }

    /// Releases the lock, if this session has it.
    pub fn release(self) {
        let at = HELD.with_borrow(|held| held.iter().rposition(|&lock| lock == self));
        if let Some(at) = at {
            HELD.with_borrow_mut(|held| held.swap_remove(at));
            self.give_back();
        }
    }

    fn acquire(self) -> pg_sys::LockAcquireResult::Type {
        if LISTENER.listen() {
            // SAFETY: the callback is a static function with the arguments that Postgres passes.
            unsafe { pg_sys::before_shmem_exit(Some(at_end_of_session), pg_sys::Datum::from(0)) };
        }
        // SAFETY: a lock tag is plain data; the lock is requested without waiting.
        unsafe { pg_sys::LockAcquire(&self.tag(), MODE, true, true) }
    }

    fn note(self) {
        HELD.with_borrow_mut(|held| held.push(self));
    }

    fn give_back(self) {
        // SAFETY: a lock tag is plain data; this session holds the lock.
        unsafe { pg_sys::LockRelease(&self.tag(), MODE, true) };
    }

    fn tag(self) -> pg_sys::LOCKTAG {
        pg_sys::LOCKTAG {
            // SAFETY: MyDatabaseId is set before any function can run, and never changes.
            locktag_field1: u32::from(unsafe { pg_sys::MyDatabaseId }),
            locktag_field2: u32::from(self.0),
            locktag_field3: 0,
            locktag_field4: KIND,
            locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
            locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
        }
    }
}

/// Releases all locks. If the list is in use, the backend is exiting while it changes the list, and Postgres aborts its
/// transaction.
fn release_all() {
    let held = HELD.with(|held| held.try_borrow_mut().map(|mut held| std::mem::take(&mut *held)));
    held.unwrap_or_default().into_iter().for_each(ProcedureLock::give_back);
}

/// Releases what no procedure continues with. When a transaction aborts, Postgres releases the locks as well; the list must follow.
fn at_end_of_transaction(end: End) {
    match end {
        End::Aborted => release_all(),
        End::Committed | End::Prepared if !transaction::may_commit() => release_all(),
        _ => {}
    }
}

/// Runs before an open transaction is aborted, which then releases its locks in order.
///
/// # Safety
/// Postgres calls it.
#[pg_guard]
unsafe extern "C-unwind" fn at_end_of_session(_code: i32, _argument: pg_sys::Datum) {
    if !transaction::is_open() {
        release_all();
    }
}
