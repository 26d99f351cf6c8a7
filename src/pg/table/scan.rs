//! Reads a user's query row by row, in memory that does not grow with the number of rows.
//!
//! The query is foreign code. Its errors keep their fields, so the reader must run inside [`boundary::entry`].

use std::ffi::CString;

use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys;
use pgrx::spi::SpiHeapTupleData;

use crate::pg::call::boundary::{self, raw};
use crate::pg::call::cursor::Cursor;

/// Number of rows that are fetched, and then freed, at a time.
const BATCH: std::ffi::c_long = 1000;

/// Opens a query.
fn open(query: &str) -> Cursor {
    let query = CString::new(query).unwrap_or_default();
    let text = query.as_ptr();
    // SAFETY: preparing may run foreign code, so it is caught, with nothing that has a destructor in the closure. A plan that cannot be made raises
    // an error. It has no parameters.
    unsafe {
        pg_sys::SPI_connect();
        let plan = boundary::catch(|| raw::SPI_prepare(text, 0, std::ptr::null_mut()));
        Cursor::open(plan, std::ptr::null_mut(), std::ptr::null(), true)
    }
}

/// Closes a query.
fn close(cursor: Cursor) {
    // SAFETY: it was opened in open.
    unsafe {
        cursor.close();
        pg_sys::SPI_finish();
    }
}

/// Returns the number of columns of a query.
pub fn columns(query: &str) -> usize {
    let cursor = open(&format!("SELECT * FROM ({query}\n) q LIMIT 0"));
    // SAFETY: the description of an open cursor.
    let count = unsafe { (*cursor.columns()).natts };
    close(cursor);
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
    let cursor = open(query);
    loop {
        // What reading the values allocates is freed with the batch.
        let mut memory = PgMemoryContexts::new("rows of a query");
        // SAFETY: nothing allocated inside is used outside: the rows are read into Rust values and the table is freed. It has as many
        // rows as SPI says.
        let more = unsafe {
            memory.switch_to(|_| {
                cursor.fetch(BATCH);
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
            close(cursor);
            return Ok(());
        }
    }
}
