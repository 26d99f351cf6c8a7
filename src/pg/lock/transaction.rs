//! Notes about tables, by oid, that live as long as the transaction that made them.
//!
//! Postgres itself reports the end of a transaction or a savepoint. The transaction's start time cannot identify it, because all
//! transactions of one query message share it.

use std::cell::{Cell, RefCell};
use std::ptr;

use pgrx::pg_sys;
use pgrx::prelude::*;

/// A table, and the subtransaction that recorded it.
type Note = (pg_sys::Oid, pg_sys::SubTransactionId);

thread_local! {
    static NOTES: RefCell<Vec<Note>> = const { RefCell::new(Vec::new()) };
    static LISTENING: Cell<bool> = const { Cell::new(false) };
}

/// Records a table until the end of the transaction.
pub fn note(table: pg_sys::Oid) {
    // SAFETY: the callbacks are static functions with the arguments that Postgres gives them; a function runs in a transaction.
    let current = unsafe {
        if !LISTENING.replace(true) {
            pg_sys::RegisterXactCallback(Some(at_end), ptr::null_mut());
            pg_sys::RegisterSubXactCallback(Some(at_end_of_subtransaction), ptr::null_mut());
        }
        pg_sys::GetCurrentSubTransactionId()
    };
    NOTES.with_borrow_mut(|notes| notes.push((table, current)));
}

/// Says whether this transaction has recorded a table.
pub fn is_noted(table: pg_sys::Oid) -> bool {
    NOTES.with_borrow(|notes| notes.iter().any(|note| note.0 == table))
}

/// Changes the records. If they are in use, the backend is ending while it changes them, and nobody will read them.
fn change(change: impl FnOnce(&mut Vec<Note>)) {
    NOTES.with(|notes| notes.try_borrow_mut().map(|mut notes| change(&mut notes)).unwrap_or_default());
}

#[pg_guard]
unsafe extern "C-unwind" fn at_end(event: pg_sys::XactEvent::Type, _argument: *mut std::ffi::c_void) {
    use pg_sys::XactEvent::{XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PREPARE};
    if [XACT_EVENT_COMMIT, XACT_EVENT_ABORT, XACT_EVENT_PREPARE].contains(&event) {
        change(Vec::clear);
    }
}

/// A savepoint that is released passes its records to the enclosing one; one that is rolled back drops them.
#[pg_guard]
unsafe extern "C-unwind" fn at_end_of_subtransaction(
    event: pg_sys::SubXactEvent::Type,
    ended: pg_sys::SubTransactionId,
    parent: pg_sys::SubTransactionId,
    _argument: *mut std::ffi::c_void,
) {
    match event {
        pg_sys::SubXactEvent::SUBXACT_EVENT_COMMIT_SUB => {
            change(|notes| notes.iter_mut().filter(|note| note.1 == ended).for_each(|note| note.1 = parent));
        }
        pg_sys::SubXactEvent::SUBXACT_EVENT_ABORT_SUB => change(|notes| notes.retain(|note| note.1 != ended)),
        _ => {}
    }
}
