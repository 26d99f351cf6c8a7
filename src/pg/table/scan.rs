//! Reads a user's query row by row, in memory that does not grow with the number of rows.
//!
//! The query is foreign code. Its errors keep their fields, so the reader must run inside [`boundary::entry`].

use std::ffi::CString;

use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys;
use pgrx::spi::SpiHeapTupleData;

use crate::pg::call::boundary::{self, raw};

/// Number of rows that are fetched, and then freed, at a time.
const BATCH: std::ffi::c_long = 1000;

/// A query that is being read; after an error, the end of the transaction closes it.
struct Cursor(pg_sys::Portal);

impl Cursor {
    fn open(query: &str) -> Self {
        let query = CString::new(query).unwrap_or_default();
        let text = query.as_ptr();
        // SAFETY: the calls that may run foreign code are caught, and nothing with a destructor is in their closures. A plan that cannot
        // be made raises an error.
        unsafe {
            pg_sys::SPI_connect();
            let plan = boundary::catch(|| raw::SPI_prepare(text, 0, std::ptr::null_mut()));
            let none = std::ptr::null_mut();
            Self(boundary::catch(|| raw::SPI_cursor_open(std::ptr::null(), plan, none, std::ptr::null(), true)))
        }
    }

    fn close(self) {
        // SAFETY: opened in open.
        unsafe {
            boundary::catch(|| raw::SPI_cursor_close(self.0));
            pg_sys::SPI_finish();
        }
    }
}

/// Returns the number of columns of a query.
pub fn columns(query: &str) -> usize {
    let cursor = Cursor::open(&format!("SELECT * FROM ({query}\n) q LIMIT 0"));
    // SAFETY: an open portal of a query has a description of its rows.
    let count = unsafe { (*(*cursor.0).tupDesc).natts };
    cursor.close();
    usize::try_from(count).unwrap_or(0)
}

/// Passes each row of a query to `work`, until `work` fails.
///
/// # Errors
/// The first error of `work`, or SPI's error for the row.
pub fn each_row<E: From<pgrx::spi::Error>>(
    query: &str,
    mut work: impl FnMut(&SpiHeapTupleData<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let cursor = Cursor::open(query);
    loop {
        // What reading the values allocates is freed with the batch.
        let mut memory = PgMemoryContexts::new("rows of a query");
        // SAFETY: nothing allocated inside is used outside: the rows are read into Rust values and the table is freed. It has as many
        // rows as SPI says.
        let more = unsafe {
            memory.switch_to(|_| {
                boundary::catch(|| raw::SPI_cursor_fetch(cursor.0, true, BATCH));
                let (table, count) = (pg_sys::SPI_tuptable, pg_sys::SPI_processed as usize);
                for i in 0..count {
                    if let Some(row) = SpiHeapTupleData::new((*table).tupdesc, *(*table).vals.add(i))? {
                        work(&row)?;
                    }
                }
                pg_sys::SPI_freetuptable(table);
                Ok::<bool, E>(count > 0)
            })
        }?;
        // SPI_finish frees the context that contains this one.
        drop(memory);
        if !more {
            cursor.close();
            return Ok(());
        }
    }
}
