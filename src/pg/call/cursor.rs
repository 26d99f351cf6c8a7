//! Cursors of SPI. Each is pinned while it is read, as PL/pgSQL's are: a function that runs between two fetches may say CLOSE ALL, and would
//! leave a pointer to nothing. It gets an error.

use std::ffi::{c_char, c_long};

use pgrx::pg_sys;

use super::boundary::{self, raw};

/// An open cursor. After an error, the end of the transaction or savepoint closes it.
pub(in crate::pg) struct Cursor(pg_sys::Portal);

impl Cursor {
    /// Opens a cursor on a plan; `nulls` has an `n` for each value that is NULL. A read-only statement sees what the calling query sees, another one
    /// what this transaction has written.
    ///
    /// # Safety
    /// SPI must be connected; the values must be of the plan's types, and as many.
    pub unsafe fn open(
        plan: pg_sys::SPIPlanPtr,
        values: *mut pg_sys::Datum,
        nulls: *const c_char,
        read_only: bool,
    ) -> Self {
        // SAFETY: guaranteed by the caller. A statement that cannot be run raises an error. Nothing else has pinned the new portal.
        unsafe {
            let portal = boundary::catch(|| raw::SPI_cursor_open(std::ptr::null(), plan, values, nulls, read_only));
            pg_sys::PinPortal(portal);
            Self(portal)
        }
    }

    /// Fetches up to `count` rows, which are then where SPI has them.
    ///
    /// # Safety
    /// SPI must be connected as when the cursor was opened.
    pub unsafe fn fetch(&self, count: c_long) {
        let portal = self.0;
        // SAFETY: it is pinned, so it is open.
        unsafe { boundary::catch(|| raw::SPI_cursor_fetch(portal, true, count)) };
    }

    /// Returns the number of rows of a statement that Postgres runs to its end at the first fetch, as one that changes rows, also of those that
    /// somebody else has fetched; `None` of another statement.
    pub fn kept_rows(&self) -> Option<u64> {
        // SAFETY: it is pinned, so it is open.
        unsafe {
            let store = (*self.0).holdStore;
            (!store.is_null()).then(|| pg_sys::tuplestore_tuple_count(store).cast_unsigned())
        }
    }

    /// Returns the description of the rows.
    pub fn columns(&self) -> pg_sys::TupleDesc {
        // SAFETY: an open portal of a query has one.
        unsafe { (*self.0).tupDesc }
    }

    /// Closes the cursor.
    ///
    /// # Safety
    /// As for [`Cursor::fetch`].
    pub unsafe fn close(self) {
        let Self(portal) = self;
        // SAFETY: it is open, and pinned since.
        unsafe {
            pg_sys::UnpinPortal(portal);
            boundary::catch(|| raw::SPI_cursor_close(portal));
        }
    }
}
