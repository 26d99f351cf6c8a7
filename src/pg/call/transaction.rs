//! The transaction of a call: whether a procedure may end it, and callbacks for its end and for the end of its savepoints.
//!
//! The callbacks come from Postgres. Start times would not tell transactions apart, because those of one query message share
//! theirs.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use pgrx::pg_sys;
use pgrx::prelude::*;

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It is about to be prepared for a two-phase commit; after that, its locks stay until it is committed.
    Preparing,
    /// It has been prepared.
    Prepared,
    /// It has committed; its locks are still held.
    Committed,
    /// It has aborted; its locks are still held.
    Aborted,
}

/// How a savepoint ends, or a PL/pgSQL block with EXCEPTION, which is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SavepointEnd {
    /// Its effects and locks now belong to this one, the one around it.
    ReleasedTo(pg_sys::SubTransactionId),
    /// Its effects are undone.
    RolledBack,
}

/// Functions to call when a transaction or a savepoint of this backend ends. They must not raise errors.
pub struct Listener {
    transaction: fn(End),
    savepoint: fn(pg_sys::SubTransactionId, SavepointEnd),
    is_registered: AtomicBool,
}

impl Listener {
    /// Makes a listener that is not registered yet.
    pub const fn new(transaction: fn(End), savepoint: fn(pg_sys::SubTransactionId, SavepointEnd)) -> Self {
        Self { transaction, savepoint, is_registered: AtomicBool::new(false) }
    }

    /// Registers it with Postgres; true the first time in this backend.
    pub fn listen(&'static self) -> bool {
        if self.is_registered.swap(true, Ordering::Relaxed) {
            return false;
        }
        let argument = ptr::from_ref(self).cast_mut().cast();
        // SAFETY: the callbacks are static functions with the arguments that Postgres passes; the listener is static, too.
        unsafe {
            pg_sys::RegisterXactCallback(Some(at_end_of_transaction), argument);
            pg_sys::RegisterSubXactCallback(Some(at_end_of_savepoint), argument);
        }
        true
    }
}

/// # Safety
/// Postgres calls it, with the listener as argument.
#[pg_guard]
unsafe extern "C-unwind" fn at_end_of_transaction(event: pg_sys::XactEvent::Type, argument: *mut c_void) {
    use pg_sys::XactEvent::{XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PRE_PREPARE, XACT_EVENT_PREPARE};
    // SAFETY: the argument is the static listener that `listen` has registered.
    let listener = unsafe { &*argument.cast_const().cast::<Listener>() };
    match event {
        XACT_EVENT_PRE_PREPARE => (listener.transaction)(End::Preparing),
        XACT_EVENT_PREPARE => (listener.transaction)(End::Prepared),
        XACT_EVENT_COMMIT => (listener.transaction)(End::Committed),
        XACT_EVENT_ABORT => (listener.transaction)(End::Aborted),
        _ => {}
    }
}

/// # Safety
/// Postgres calls it, with the listener as argument.
#[pg_guard]
unsafe extern "C-unwind" fn at_end_of_savepoint(
    event: pg_sys::SubXactEvent::Type,
    savepoint: pg_sys::SubTransactionId,
    parent: pg_sys::SubTransactionId,
    argument: *mut c_void,
) {
    use pg_sys::SubXactEvent::{SUBXACT_EVENT_ABORT_SUB, SUBXACT_EVENT_COMMIT_SUB};
    // SAFETY: the argument is the static listener that `listen` has registered.
    let listener = unsafe { &*argument.cast_const().cast::<Listener>() };
    match event {
        SUBXACT_EVENT_COMMIT_SUB => (listener.savepoint)(savepoint, SavepointEnd::ReleasedTo(parent)),
        SUBXACT_EVENT_ABORT_SUB => (listener.savepoint)(savepoint, SavepointEnd::RolledBack),
        _ => {}
    }
}

/// Says whether statements of this session run in a transaction block that the user has opened, or in a savepoint.
pub fn in_block() -> bool {
    // SAFETY: reads the state of this backend's transaction.
    unsafe { pg_sys::IsTransactionBlock() }
}

/// Says whether a transaction is open.
pub fn is_open() -> bool {
    // SAFETY: reads the state of this backend's transaction.
    unsafe { pg_sys::IsTransactionState() }
}

/// Says whether the calling procedure may commit; a function never may.
pub fn may_commit() -> bool {
    // SAFETY: reads the state of this backend's SPI connection.
    unsafe { pg_sys::SPI_inside_nonatomic_context() }
}

/// Returns the current savepoint, or the transaction itself.
pub fn current_savepoint() -> pg_sys::SubTransactionId {
    // SAFETY: reads a variable of the running transaction.
    unsafe { pg_sys::GetCurrentSubTransactionId() }
}

/// Returns the number of the running statement in its transaction: one that it calls has a greater number.
pub fn current_command() -> pg_sys::CommandId {
    // SAFETY: the active snapshot is valid as long as it is active.
    unsafe {
        if pg_sys::ActiveSnapshotSet() {
            (*pg_sys::GetActiveSnapshot()).curcid
        } else {
            pg_sys::GetCurrentCommandId(false)
        }
    }
}
