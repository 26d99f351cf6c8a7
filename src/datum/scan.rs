//! Reading a user's query row by row, in memory that does not grow with the number of rows.

use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys;
use pgrx::spi::{Spi, SpiHeapTupleData};

/// Rows fetched, and forgotten, at a time.
const BATCH: i64 = 1000;

/// How many columns a query has.
///
/// # Errors
/// What SPI says of it; an error in the query itself is raised as Postgres's own.
pub fn columns(query: &str) -> Result<usize, pgrx::spi::Error> {
    Spi::connect(|client| client.select(&format!("SELECT * FROM ({query}\n) q LIMIT 0"), None, &[])?.columns())
}

/// Hands each row of a query to `work`, until one of them is an error.
///
/// # Errors
/// The first of `work`, or what SPI says of the query.
pub fn each_row<E: From<pgrx::spi::Error>>(
    query: &str,
    mut work: impl FnMut(&SpiHeapTupleData<'_>) -> Result<(), E>,
) -> Result<(), E> {
    Spi::connect(|client| {
        let mut cursor = client.try_open_cursor(query, &[])?;
        loop {
            // What reading the values allocates goes with the batch.
            let mut memory = PgMemoryContexts::new("rows of a query");
            // SAFETY: nothing allocated inside is used outside: the rows are read into Rust values and the table is freed.
            let more = unsafe {
                memory.switch_to(|_| {
                    let rows = cursor.fetch(BATCH)?;
                    let any = !rows.is_empty();
                    for row in rows {
                        work(&row)?;
                    }
                    pg_sys::SPI_freetuptable(pg_sys::SPI_tuptable);
                    Ok::<bool, E>(any)
                })
            }?;
            if !more {
                return Ok(());
            }
        }
    })
}
