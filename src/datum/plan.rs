//! Kept query plans that look at the newest committed rows, whatever the transaction's isolation level.

use std::ffi::CString;
use std::ptr;

use pgrx::pg_sys;

/// A prepared query, kept for the life of the backend or until [`Plan::free`].
///
/// It has no `Drop`: at the end of the process Postgres has released it already.
pub struct Plan {
    raw: pg_sys::SPIPlanPtr,
}

/// The first row of an answer, valid inside the closure that reads it.
pub struct Row {
    tuple: pg_sys::HeapTuple,
    descriptor: pg_sys::TupleDesc,
}

impl Row {
    /// A column's text form, counted from 1; `None` for NULL.
    pub fn text(&self, column: i32) -> Option<String> {
        // SAFETY: tuple and descriptor belong to the same SPI result, which is open while the row is.
        let text = unsafe { pg_sys::SPI_getvalue(self.tuple, self.descriptor, column) };
        if text.is_null() {
            return None;
        }
        // SAFETY: SPI_getvalue gives a C string allocated in the current memory context.
        Some(unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }
}

impl Plan {
    /// Prepares a query with one plan for all parameter values.
    ///
    /// Raises Postgres's own error where the query is not valid.
    pub fn prepare(sql: &str, argument_types: &[pg_sys::Oid]) -> Self {
        let sql = CString::new(sql).unwrap_or_default();
        let mut types = argument_types.to_vec();
        // SAFETY: SPI is connected around the call; the arrays outlive it; SPI_keepplan moves the plan out of SPI's memory.
        let raw = unsafe {
            pg_sys::SPI_connect();
            let raw = pg_sys::SPI_prepare_cursor(
                sql.as_ptr(),
                types.len() as i32,
                types.as_mut_ptr(),
                pg_sys::CURSOR_OPT_GENERIC_PLAN as i32,
            );
            if raw.is_null() {
                let code = pg_sys::SPI_result;
                pgrx::error!("SPI_prepare failed with code {code}");
            }
            pg_sys::SPI_keepplan(raw);
            pg_sys::SPI_finish();
            raw
        };
        Self { raw }
    }

    /// Runs the query as `role` and reads its first row, if there is one.
    ///
    /// The query sees what is committed now and what this transaction has done so far, also in REPEATABLE READ, as
    /// Postgres's own foreign-key checks do. It is planned to use an index wherever there is one.
    pub fn first_row<T>(
        &self,
        role: pg_sys::Oid,
        mut values: Vec<pg_sys::Datum>,
        read: impl FnOnce(&Row) -> T,
    ) -> Option<T> {
        // SAFETY: the plan is kept; `values` fits the types it was prepared with, none is NULL. An error leaves by
        // unwinding, and the transaction's abort then restores role, settings and SPI.
        unsafe {
            let (mut user, mut context) = (pg_sys::Oid::INVALID, 0);
            pg_sys::GetUserIdAndSecContext(&raw mut user, &raw mut context);
            let restricted = pg_sys::SECURITY_LOCAL_USERID_CHANGE | pg_sys::SECURITY_NOFORCE_RLS;
            pg_sys::SetUserIdAndSecContext(role, context | restricted as i32);
            let settings = pg_sys::NewGUCNestLevel();
            for (name, value) in [(c"enable_seqscan", c"off"), (c"jit", c"off")] {
                pg_sys::set_config_option(
                    name.as_ptr(),
                    value.as_ptr(),
                    pg_sys::GucContext::PGC_USERSET,
                    pg_sys::GucSource::PGC_S_SESSION,
                    pg_sys::GucAction::GUC_ACTION_SAVE,
                    true,
                    0,
                    false,
                );
            }
            pg_sys::SPI_connect();
            let code = pg_sys::SPI_execute_snapshot(
                self.raw,
                values.as_mut_ptr(),
                ptr::null(),
                pg_sys::GetLatestSnapshot(),
                ptr::null_mut(),
                false,
                false,
                1,
            );
            if code != pg_sys::SPI_OK_SELECT as i32 {
                pgrx::error!("SPI_execute_snapshot failed with code {code}");
            }
            let result = (pg_sys::SPI_processed > 0).then(|| {
                let table = pg_sys::SPI_tuptable;
                read(&Row { tuple: *(*table).vals, descriptor: (*table).tupdesc })
            });
            pg_sys::SPI_finish();
            pg_sys::AtEOXact_GUC(true, settings);
            pg_sys::SetUserIdAndSecContext(user, context);
            result
        }
    }

    /// Releases the plan.
    pub fn free(self) {
        // SAFETY: the plan is kept and not running: its owner has given it up.
        unsafe { pg_sys::SPI_freeplan(self.raw) };
    }
}
