//! The error for a key that no row has, with what a key looks like: times and dates are written in UTC and ISO, whatever the session's settings.

use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::spi::quote_literal;

use super::stored;
use crate::guarded::guard::Guard;
use crate::guarded::statement;
use crate::pg::call::settings;
use crate::pg::catalog;
use crate::pg::table::query::Session;

/// Types of which any text of a value looks like the one in a key.
const OBVIOUS: [pg_sys::Oid; 3] = [pg_sys::INT8OID, pg_sys::INT4OID, pg_sys::INT2OID];

/// Makes the error. Who may read the table is shown the key of a row that is there, unless it is a number.
pub fn no_row(guard: &Guard, key: &str) -> ErrorReport {
    let error = stored::missing(guard, key);
    match example(guard) {
        Some(example) => error.set_hint(format!("A key is written as in lists, like that of this row: {example}.")),
        None => error,
    }
}

/// Returns the key of a row, as a literal.
fn example(guard: &Guard) -> Option<String> {
    let keys = statement::primary_key(guard.table);
    if matches!(&keys[..], [key] if OBVIOUS.contains(&key.kind)) || !catalog::may_read_columns(guard.table) {
        return None;
    }
    let key = statement::key_of("t", &keys);
    let sql = format!("SELECT {key} FROM {} t LIMIT 1", statement::only(guard.table));
    let mut found = None;
    settings::plain(|| {
        let session = Session::open();
        session.each(&session.prepare(&sql, &[]), &[], |row| {
            found = row.text(1).map(quote_literal);
            Ok(())
        })
    })
    .ok()?;
    found
}
