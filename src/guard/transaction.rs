//! Callbacks for the end of transactions and savepoints. They discard what [`locks`] and [`moved`] remember.

use std::cell::Cell;

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::{locks, moved};

thread_local! {
    static LISTENING: Cell<bool> = const { Cell::new(false) };
}

/// Registers callbacks for the ends of transactions and savepoints, once in a backend.
pub fn listen() {
    if LISTENING.replace(true) {
        return;
    }
    // SAFETY: the callbacks raise no error: they forget what was released, or release what is held.
    unsafe {
        pg_sys::RegisterXactCallback(Some(on_transaction), std::ptr::null_mut());
        pg_sys::RegisterSubXactCallback(Some(on_savepoint), std::ptr::null_mut());
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_transaction(event: pg_sys::XactEvent::Type, _argument: *mut std::ffi::c_void) {
    use pg_sys::XactEvent::{XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PRE_PREPARE, XACT_EVENT_PREPARE};
    // A prepared transaction would hold the locks until somebody commits it.
    if event == XACT_EVENT_PRE_PREPARE {
        locks::release_all();
    }
    if [XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PREPARE].contains(&event) {
        locks::forget();
        moved::forget();
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_savepoint(
    event: pg_sys::SubXactEvent::Type,
    savepoint: pg_sys::SubTransactionId,
    parent: pg_sys::SubTransactionId,
    _argument: *mut std::ffi::c_void,
) {
    match event {
        pg_sys::SubXactEvent::SUBXACT_EVENT_ABORT_SUB => locks::savepoint_aborted(savepoint),
        pg_sys::SubXactEvent::SUBXACT_EVENT_COMMIT_SUB => locks::savepoint_released(savepoint, parent),
        _ => {}
    }
}
