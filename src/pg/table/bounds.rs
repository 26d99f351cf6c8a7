//! The bounds of a partition as a condition on its rows, by which Postgres plans to read no other partition.

use std::ffi::CStr;

use pgrx::{PgList, pg_sys};

use crate::pg::call::boundary::{self, raw};
use crate::pg::call::settings;
use crate::pg::catalog;

/// Types of Postgres's own whose values a statement can name, and finds again.
const NAMED: [pg_sys::Oid; 12] = [
    pg_sys::INT8OID,
    pg_sys::INT4OID,
    pg_sys::INT2OID,
    pg_sys::DATEOID,
    pg_sys::TIMESTAMPTZOID,
    pg_sys::TIMESTAMPOID,
    pg_sys::TEXTOID,
    pg_sys::VARCHAROID,
    pg_sys::BPCHAROID,
    pg_sys::BOOLOID,
    pg_sys::UUIDOID,
    pg_sys::NUMERICOID,
];

/// Returns the condition, over an alias of the partitioned table; `None` for a table that is no partition, and for partitions by hash, by expressions, or
/// by types or operators that are not Postgres's own: a statement with these may run code of another role, or gain nothing.
pub fn of(partition: pg_sys::Oid, alias: &CStr) -> Option<String> {
    // SAFETY: one C call that reads catalogs; the list is of numbers of tables.
    let ancestors =
        unsafe { PgList::<pg_sys::Oid>::from_pg(boundary::catch(|| raw::get_partition_ancestors(partition))) };
    let strategies = ancestors.iter_oid().map(plain_strategy).collect::<Option<Vec<_>>>()?;
    if strategies.iter().all(|strategy| *strategy == b'h') {
        return None;
    }
    // Values are written so that they are read as the same ones under any settings.
    let condition = settings::plain(|| {
        // SAFETY: reads catalogs, and calls output functions of Postgres's own types. The text is a C string.
        unsafe {
            let text = pg_sys::pg_get_partconstrdef_string(partition, alias.as_ptr().cast_mut());
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    });
    (!condition.is_empty()).then_some(condition)
}

/// Returns how a table is partitioned, if it is by columns of such types, compared by Postgres's own operators and collations.
fn plain_strategy(table: pg_sys::Oid) -> Option<u8> {
    /// Attribute numbers of pg_partitioned_table (catalog/pg_partitioned_table.h), unchanged from PostgreSQL 15 to 19.
    const STRATEGY: i16 = 2;
    const COUNT: i16 = 3;
    const COLUMNS: i16 = 5;
    const CLASSES: i16 = 6;
    const COLLATIONS: i16 = 7;
    let cache = pg_sys::SysCacheIdentifier::PARTRELID;
    // SAFETY: the catalog's row has these attributes: a "char", a smallint, and vectors of as many elements as that says.
    let (strategy, columns, others) = unsafe {
        catalog::cached(cache, table, |row| {
            let mut null = false;
            let mut value = |attribute| pg_sys::SysCacheGetAttr(cache as i32, row, attribute, &raw mut null);
            let count = usize::try_from(value(COUNT).value() as i16).unwrap_or(0);
            let columns = (*value(COLUMNS).cast_mut_ptr::<pg_sys::int2vector>()).values.as_slice(count).to_vec();
            let mut numbers =
                |attribute| (*value(attribute).cast_mut_ptr::<pg_sys::oidvector>()).values.as_slice(count).to_vec();
            let others = [numbers(CLASSES), numbers(COLLATIONS)].concat();
            (value(STRATEGY).value() as u8, columns, others)
        })?
    };
    // An expression has no column's number.
    let is_named = |column: &i16| {
        // SAFETY: reads a catalog.
        *column > 0 && NAMED.contains(&unsafe { pg_sys::get_atttype(table, *column) })
    };
    (columns.iter().all(is_named) && others.into_iter().all(catalog::is_of_postgres)).then_some(strategy)
}
