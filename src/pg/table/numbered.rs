//! The rows of an ordinary table that have a number in a column, by an index on it if there is one, as the current snapshot sees them.
//!
//! It reads as a constraint reads: no right is checked and no row security applies, so the caller must be entitled to act by the answer.

use pgrx::{PgList, name_data_to_str, pg_sys};

use crate::pg::catalog;
use crate::pg::value::text::text_of;

const LOCK: i32 = pg_sys::AccessShareLock as i32;

/// A row that was found; what it lends lives until the next one.
pub struct Found {
    tuple: pg_sys::HeapTuple,
    columns: pg_sys::TupleDesc,
}

impl Found {
    fn datum(&self, column: i16, kind: pg_sys::Oid) -> Option<pg_sys::Datum> {
        let mut null = true;
        // SAFETY: the row and its description belong together; the type is checked before the value is used.
        unsafe {
            let datum = pg_sys::SPI_getbinval(self.tuple, self.columns, i32::from(column), &raw mut null);
            (!null && pg_sys::SPI_gettypeid(self.columns, i32::from(column)) == kind).then_some(datum)
        }
    }

    /// Returns a column of type bigint.
    pub fn number(&self, column: i16) -> Option<i64> {
        self.datum(column, pg_sys::INT8OID).map(|datum| datum.value() as i64)
    }

    /// Returns a column of type boolean.
    pub fn flag(&self, column: i16) -> Option<bool> {
        self.datum(column, pg_sys::BOOLOID).map(|datum| datum.value() & 0xff != 0)
    }

    /// Returns a column of type text.
    pub fn text(&self, column: i16) -> Option<String> {
        // SAFETY: the type was checked.
        self.datum(column, pg_sys::TEXTOID).and_then(|datum| unsafe { text_of(datum) }).map(str::to_owned)
    }

    /// Returns a column of type name.
    pub fn name(&self, column: i16) -> Option<String> {
        // SAFETY: the type was checked, and the value lives as long as the row.
        self.datum(column, pg_sys::NAMEOID)
            .map(|datum| unsafe { name_data_to_str(&*datum.cast_mut_ptr::<pg_sys::NameData>()) }.to_owned())
    }
}

/// Returns an index of a table whose first column is this one and that has all rows or, with `only`, those for which that column is true;
/// `None` if there is none.
pub fn index_on(table: pg_sys::Oid, column: i16, only: Option<i16>) -> Option<pg_sys::Oid> {
    // SAFETY: what is opened is closed here, by an error with the transaction.
    unsafe {
        let open = pg_sys::try_table_open(table, LOCK);
        if open.is_null() {
            return None;
        }
        let indexes = PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(open));
        let found = indexes.iter_oid().find(|oid| {
            let index = pg_sys::index_open(*oid, LOCK);
            let form = &*(*index).rd_index;
            let is_plain = form.indisvalid
                && form.indisready
                && !form.indcheckxmin
                && (*(*index).rd_rel).relam == pg_sys::BTREE_AM_OID
                && *(*index).rd_opfamily == pg_sys::INTEGER_BTREE_FAM_OID
                && has_predicate(index, only)
                && form.indkey.values.as_slice(1).first() == Some(&column);
            pg_sys::index_close(index, LOCK);
            is_plain
        });
        pg_sys::table_close(open, LOCK);
        found
    }
}

/// Says whether an index has the rows for which this column is true, or all rows if there is none.
///
/// # Safety
/// The index must be open.
unsafe fn has_predicate(index: pg_sys::Relation, only: Option<i16>) -> bool {
    // SAFETY: guaranteed by the caller; a node is a column where its tag says so.
    unsafe {
        let is_column = |node: *mut pg_sys::Node, column| {
            (*node).type_ == pg_sys::NodeTag::T_Var && (*node.cast::<pg_sys::Var>()).varattno == column
        };
        match (only, catalog::predicate_of(index)) {
            (None, predicate) => predicate.is_none(),
            (Some(column), Some(predicate)) => is_column(predicate, column),
            (Some(_), None) => false,
        }
    }
}

/// Passes the rows with this number in a column of type bigint to `found`.
pub fn each(
    table: pg_sys::Oid,
    (column, index): (i16, Option<pg_sys::Oid>),
    number: i64,
    mut found: impl FnMut(&Found),
) {
    // SAFETY: what is opened and begun is closed and ended here, by an error with the transaction. The key is for the operator that
    // compares two bigints, and the column is one. Without an index, the table is read.
    unsafe {
        let open = pg_sys::try_table_open(table, LOCK);
        if open.is_null() {
            return;
        }
        let mut key = pg_sys::ScanKeyData::default();
        pg_sys::ScanKeyInit(
            &raw mut key,
            column,
            pg_sys::BTEqualStrategyNumber as u16,
            pg_sys::Oid::from(pg_sys::F_INT8EQ),
            pg_sys::Datum::from(number),
        );
        let (index, is_indexed) = (index.unwrap_or(pg_sys::Oid::INVALID), index.is_some());
        let scan = pg_sys::systable_beginscan(open, index, is_indexed, pg_sys::GetActiveSnapshot(), 1, &raw mut key);
        let columns = (*open).rd_att;
        loop {
            let tuple = pg_sys::systable_getnext(scan);
            if tuple.is_null() {
                break;
            }
            found(&Found { tuple, columns });
        }
        pg_sys::systable_endscan(scan);
        // As a constraint does, it keeps the lock: a list that asks again and again finds the columns and indexes that it has found before.
        pg_sys::table_close(open, pg_sys::NoLock as i32);
    }
}
