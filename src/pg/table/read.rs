//! Reading a table from inside a function, with the snapshot of the query that calls it.

use std::ffi::CString;

use pgrx::{FromDatum, IntoDatum, pg_sys};

use crate::pg::call::role::as_owner;

/// A prepared query, kept for the life of the backend.
pub struct KeptQuery {
    raw: pg_sys::SPIPlanPtr,
}

/// The first row of an answer, valid inside the closure that reads it.
pub struct FirstRow {
    tuple: pg_sys::HeapTuple,
    descriptor: pg_sys::TupleDesc,
}

/// Values that borrow nothing from the row that they are read from.
pub trait Owned: FromDatum {}

impl Owned for i32 {}
impl Owned for String {}

impl FirstRow {
    /// Reads a column, counted from 1, which must be of the type `T` stands for; `None` for NULL.
    pub fn get<T: Owned>(&self, column: i32) -> Option<T> {
        // SAFETY: such a value is copied out of the row.
        unsafe { self.value(column) }
    }

    /// # Safety
    /// What borrows from the row must not outlive it, whatever its type says.
    unsafe fn value<T: FromDatum>(&self, column: i32) -> Option<T> {
        let mut null = true;
        // SAFETY: tuple and descriptor belong to the same SPI result, which is open while the row is.
        unsafe {
            let datum = pg_sys::SPI_getbinval(self.tuple, self.descriptor, column, &raw mut null);
            T::from_polymorphic_datum(datum, null, pg_sys::SPI_gettypeid(self.descriptor, column))
        }
    }

    /// Passes the bytes of a `bytea` column to `read`, without keeping a copy.
    pub fn with_bytes<T>(&self, column: i32, read: impl FnOnce(Option<&[u8]>) -> T) -> T {
        // SAFETY: the bytes do not outlive `read`, which must accept any lifetime and so cannot keep them.
        read(unsafe { self.value::<&[u8]>(column) })
    }
}

/// A value for a parameter of a [`KeptQuery`].
pub enum Parameter<'v> {
    /// Of type text.
    Text(&'v str),
    /// Of type integer, perhaps NULL.
    Integer(Option<i32>),
}

impl KeptQuery {
    /// Prepares a query. Its parameters are text and integer, like the values given later.
    pub fn prepare(sql: &str, types: &[pg_sys::Oid]) -> Self {
        let sql = CString::new(sql).unwrap_or_default();
        let mut types = types.to_vec();
        // SAFETY: SPI is connected around the call; the arrays outlive it; SPI_keepplan moves the plan out of SPI's memory.
        let raw = unsafe {
            pg_sys::SPI_connect();
            let raw = pg_sys::SPI_prepare(sql.as_ptr(), types.len() as i32, types.as_mut_ptr());
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

    /// Runs the query, as `role` if one is given, and reads its first row, if there is one.
    pub fn first_row<T>(
        &self,
        role: Option<pg_sys::Oid>,
        values: &[Parameter<'_>],
        read: impl FnOnce(&FirstRow) -> T,
    ) -> Option<T> {
        match role {
            Some(role) => as_owner(role, || self.first_row_here(values, read)),
            None => self.first_row_here(values, read),
        }
    }

    fn first_row_here<T>(&self, values: &[Parameter<'_>], read: impl FnOnce(&FirstRow) -> T) -> Option<T> {
        // SAFETY: the plan is kept; values and nulls fit the types it was prepared with and are copied where by reference. An
        // error leaves by unwinding, and the transaction's abort then closes SPI.
        unsafe {
            pg_sys::SPI_connect();
            let datums = values.iter().map(|value| match value {
                Parameter::Text(text) => text.into_datum(),
                Parameter::Integer(number) => number.into_datum(),
            });
            let datums: Vec<Option<pg_sys::Datum>> = datums.collect();
            let nulls: Vec<std::ffi::c_char> =
                datums.iter().map(|datum| if datum.is_some() { b' ' } else { b'n' } as std::ffi::c_char).collect();
            let mut datums: Vec<pg_sys::Datum> =
                datums.into_iter().map(|datum| datum.unwrap_or(pg_sys::Datum::null())).collect();
            // Read-only, so that it sees what the calling query sees, also in a parallel worker.
            let code = pg_sys::SPI_execute_plan(self.raw, datums.as_mut_ptr(), nulls.as_ptr(), true, 1);
            if code != pg_sys::SPI_OK_SELECT as i32 {
                pgrx::error!("SPI_execute_plan failed with code {code}");
            }
            let result = (pg_sys::SPI_processed > 0 && !pg_sys::SPI_tuptable.is_null()).then(|| {
                let table = pg_sys::SPI_tuptable;
                read(&FirstRow { tuple: *(*table).vals, descriptor: (*table).tupdesc })
            });
            pg_sys::SPI_finish();
            result
        }
    }
}

/// A key for what a query has read: its result does not change within the same transaction, statement, command and user.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct QueryKey {
    transaction: i64,
    statement: i64,
    command: u32,
    user: pg_sys::Oid,
}

impl QueryKey {
    /// Returns the current key, for what is read as `role`, or as the current user.
    pub fn now(role: Option<pg_sys::Oid>) -> Self {
        // SAFETY: these only read variables of the backend; a transaction is open while a function runs.
        unsafe {
            Self {
                transaction: pg_sys::GetCurrentTransactionStartTimestamp(),
                statement: pg_sys::GetCurrentStatementStartTimestamp(),
                command: pg_sys::GetCurrentCommandId(false),
                user: role.unwrap_or_else(|| pg_sys::GetUserId()),
            }
        }
    }
}
