//! A clean-up that moves marks is no owner who takes a mark off.

use std::cell::Cell;

use pgrx::pg_sys;

thread_local! {
    /// The table whose marks are being moved.
    static TABLE: Cell<Option<pg_sys::Oid>> = const { Cell::new(None) };
}

/// Takes the table back, also if an error leaves the work.
struct Moving;

impl Drop for Moving {
    fn drop(&mut self) {
        TABLE.set(None);
    }
}

/// Does work that moves marks of a table: the guard notes no answers of it.
pub fn marks_of<T>(table: pg_sys::Oid, work: impl FnOnce() -> T) -> T {
    TABLE.set(Some(table));
    let moving = Moving;
    let done = work();
    drop(moving);
    done
}

/// Says whether marks of a table are being moved.
pub fn is_moving(table: pg_sys::Oid) -> bool {
    TABLE.get() == Some(table)
}
