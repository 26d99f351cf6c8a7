//! Columns of relations.

use std::ffi::CString;

use pgrx::{PgTupleDesc, name_data_to_str, pg_sys};

use super::owned;
use super::types::base_type;

/// A column of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub number: i16,
    /// Its type.
    pub kind: pg_sys::Oid,
    /// Its collation; invalid for a type without.
    pub collation: pg_sys::Oid,
    /// Whether its values are generated.
    pub is_generated: bool,
}

/// Returns the columns of a relation in their order; none if it does not exist.
pub fn columns(relation: pg_sys::Oid) -> Vec<Column> {
    // SAFETY: the relation is opened and closed here; its description is copied.
    unsafe {
        let open = pg_sys::try_relation_open(relation, pg_sys::AccessShareLock as i32);
        if open.is_null() {
            return Vec::new();
        }
        let description = PgTupleDesc::from_pg_copy((*open).rd_att);
        let columns = description
            .iter()
            .filter(|attribute| !attribute.attisdropped)
            .map(|attribute| Column {
                name: name_data_to_str(&attribute.attname).to_owned(),
                number: attribute.attnum,
                kind: attribute.atttypid,
                collation: attribute.attcollation,
                is_generated: attribute.attgenerated != 0,
            })
            .collect();
        pg_sys::relation_close(open, pg_sys::AccessShareLock as i32);
        columns
    }
}

pub fn column_name(relation: pg_sys::Oid, column: i16) -> String {
    // SAFETY: reads a catalog.
    owned(unsafe { pg_sys::get_attname(relation, column, true) })
}

/// Returns the number of a column; `None` if the relation has none of this name.
pub fn column_number(relation: pg_sys::Oid, name: &str) -> Option<i16> {
    let name = CString::new(name).ok()?;
    // SAFETY: reads a catalog.
    let number = unsafe { pg_sys::get_attnum(relation, name.as_ptr()) };
    (number > 0).then_some(number)
}

/// Returns the type of a column, with domains resolved.
pub fn column_type(relation: pg_sys::Oid, column: i16) -> pg_sys::Oid {
    // SAFETY: reads a catalog.
    base_type(unsafe { pg_sys::get_atttype(relation, column) })
}

/// Says whether a column has a type that can be the time of a row.
pub fn is_time(column: &Column) -> bool {
    let times = [pg_sys::TIMESTAMPTZOID, pg_sys::TIMESTAMPOID, pg_sys::DATEOID];
    times.contains(&base_type(column.kind))
}

/// Cuts a name to the length that names have, as the server does with a longer identifier.
pub fn truncated(name: &str) -> &str {
    let most = name.len().min(pg_sys::NAMEDATALEN as usize - 1);
    let end = (0..=most).rev().find(|at| name.is_char_boundary(*at)).unwrap_or_default();
    name.get(..end).unwrap_or_default()
}
