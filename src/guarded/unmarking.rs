//! A clean-up that takes marks off is no owner who does.

use std::cell::Cell;

use pgrx::pg_sys;

thread_local! {
    /// The table whose marks are being taken off.
    static TABLE: Cell<Option<pg_sys::Oid>> = const { Cell::new(None) };
}

/// Sets the table back to the one before, also if an error leaves the work.
struct Unmarking(Option<pg_sys::Oid>);

impl Drop for Unmarking {
    fn drop(&mut self) {
        TABLE.set(self.0);
    }
}

/// Does work that takes marks of a table off: the guard notes no answers of it.
pub fn marks_of<T>(table: pg_sys::Oid, work: impl FnOnce() -> T) -> T {
    let unmarking = Unmarking(TABLE.replace(Some(table)));
    let done = work();
    drop(unmarking);
    done
}

/// Says whether marks of a table are being taken off by a clean-up.
pub fn is_unmarking(table: pg_sys::Oid) -> bool {
    TABLE.get() == Some(table)
}
