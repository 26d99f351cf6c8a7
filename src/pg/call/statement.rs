//! The statement whose row calls a trigger or the WHEN condition of a trigger, and a callback for its end.
//!
//! A trigger depth does not tell statements apart: a CHECK constraint, a policy or a DEFAULT runs functions, and their statements, at the
//! depth of the row's own statement. The executor's memory does. Postgres calls row triggers and their conditions with the memory of one
//! row as current memory, whose parent is that of the statement (`es_query_cxt` of execnodes.h), and frees it when the statement ends.

use pgrx::pg_sys;
use pgrx::prelude::*;

/// A running statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement(pg_sys::MemoryContext);

/// What lies in the statement's memory.
#[repr(C)]
struct Ending {
    callback: pg_sys::MemoryContextCallback,
    statement: Statement,
    ended: fn(Statement),
}

impl Statement {
    /// Returns the statement of a row, at the beginning of a call by its trigger or the trigger's condition.
    pub fn of_row() -> Self {
        // SAFETY: reads variables of this backend.
        Self(unsafe { pg_sys::MemoryContextGetParent(pg_sys::CurrentMemoryContext) })
    }

    /// Calls `ended`, which must not raise errors, when the statement ends or fails.
    pub fn at_end(self, ended: fn(Self)) {
        // SAFETY: the memory is that of a running statement. What is allocated there outlives the callback.
        unsafe {
            let ending: *mut Ending = pg_sys::MemoryContextAlloc(self.0, size_of::<Ending>()).cast();
            let callback = pg_sys::MemoryContextCallback {
                func: Some(statement_ended),
                arg: ending.cast(),
                next: std::ptr::null_mut(),
            };
            ending.write(Ending { callback, statement: self, ended });
            pg_sys::MemoryContextRegisterResetCallback(self.0, &raw mut (*ending).callback);
        }
    }
}

/// # Safety
/// Postgres calls it, with what `at_end` has registered.
#[pg_guard]
unsafe extern "C-unwind" fn statement_ended(ending: *mut std::ffi::c_void) {
    // SAFETY: `at_end` has allocated it in the memory that is about to be freed.
    let ending = unsafe { &*ending.cast_const().cast::<Ending>() };
    (ending.ended)(ending.statement);
}
