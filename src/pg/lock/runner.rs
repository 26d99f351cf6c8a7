//! One procedure at a time: a table lock that a procedure keeps across its transactions and loses when it fails.
//!
//! SQL's session locks would stay with the session if the procedure failed or was cancelled; SQL's transaction locks end with each
//! batch. So this is a session lock that is released when a transaction aborts.

use std::cell::{Cell, RefCell};
use std::ptr;

use pgrx::pg_sys;
use pgrx::prelude::*;

/// Shown as `objsubid` in pg_locks; the kinds of [`super::keys`] come before.
const KIND_RUNNER: u16 = 16;

thread_local! {
    static HELD: RefCell<Vec<pg_sys::Oid>> = const { RefCell::new(Vec::new()) };
    static LISTENING: Cell<bool> = const { Cell::new(false) };
}

fn tag(table: pg_sys::Oid) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        // SAFETY: MyDatabaseId is set before any function can run, and never changes.
        locktag_field1: u32::from(unsafe { pg_sys::MyDatabaseId }),
        locktag_field2: u32::from(table),
        locktag_field3: 0,
        locktag_field4: KIND_RUNNER,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
    }
}

/// Says whether the current user may delete or update rows of a table.
pub fn may_clean(table: pg_sys::Oid) -> bool {
    let rights = pg_sys::ACL_DELETE | pg_sys::ACL_UPDATE;
    // SAFETY: only reads catalogs; one of the rights is enough.
    unsafe {
        pg_sys::pg_class_aclcheck(table, pg_sys::GetUserId(), rights as pg_sys::AclMode)
            == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Locks the table for this session, until [`release`] or until a transaction of the session aborts; false if another session
/// has it.
pub fn hold(table: pg_sys::Oid) -> bool {
    if !LISTENING.replace(true) {
        // SAFETY: the callback is a static function that takes its arguments as Postgres gives them.
        unsafe { pg_sys::RegisterXactCallback(Some(at_end_of_transaction), ptr::null_mut()) };
    }
    // SAFETY: a lock tag is plain data; the lock is asked for without waiting.
    let result = unsafe { pg_sys::LockAcquire(&tag(table), pg_sys::ExclusiveLock as pg_sys::LOCKMODE, true, true) };
    let taken = result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL;
    if taken {
        HELD.with_borrow_mut(|held| held.push(table));
    }
    taken
}

/// Releases the table; does nothing if this session does not have it.
pub fn release(table: pg_sys::Oid) {
    let place = HELD.with_borrow(|held| held.iter().rposition(|&t| t == table));
    if let Some(place) = place {
        HELD.with_borrow_mut(|held| held.swap_remove(place));
        give_back(table);
    }
}

fn give_back(table: pg_sys::Oid) {
    // SAFETY: a lock tag is plain data; this session holds the lock, since it is taken from HELD.
    unsafe { pg_sys::LockRelease(&tag(table), pg_sys::ExclusiveLock as pg_sys::LOCKMODE, true) };
}

/// Releases everything when a transaction aborts.
#[pg_guard]
unsafe extern "C-unwind" fn at_end_of_transaction(event: pg_sys::XactEvent::Type, _argument: *mut std::ffi::c_void) {
    if event == pg_sys::XactEvent::XACT_EVENT_ABORT {
        // The list is in use if the backend is ending while it changes it; its locks end with the backend.
        let held = HELD.with(|held| held.try_borrow_mut().map(|mut held| std::mem::take(&mut *held)));
        held.unwrap_or_default().into_iter().for_each(give_back);
    }
}

/// Says whether statements of this session run in a transaction block that the user has opened.
pub fn in_transaction_block() -> bool {
    // SAFETY: reads the state of this backend's transaction.
    unsafe { pg_sys::IsTransactionBlock() }
}

/// Says whether the calling procedure may commit; for a function, the answer is no.
pub fn may_commit() -> bool {
    // SAFETY: reads the state of this backend's SPI connection.
    unsafe { pg_sys::SPI_inside_nonatomic_context() }
}
