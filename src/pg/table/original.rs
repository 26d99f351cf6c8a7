//! A row that a trigger changes as the current user: locked, compared with what it is to become, and updated, by ordinary statements. So
//! rights, row security, triggers, constraints and serialisation failures are Postgres's.
//!
//! Each statement is a command of its own, so it sees what the transaction has written before, also by the statement that fired the
//! trigger.

use pgrx::{PgTupleDesc, name_data_to_str, pg_sys};

use super::row_id::Tid;
use crate::pg::call::boundary::{self, raw};
use crate::pg::call::column::plain;
use crate::pg::call::function::{self, Argument};

/// A row that this transaction has locked until its end.
pub struct Locked {
    /// The row, as a composite value of the type of the table that the statement named.
    pub row: pg_sys::Datum,
    /// The table that holds it.
    pub table: pg_sys::Oid,
    /// Its address.
    pub tid: Tid,
}

/// A column to be given another value.
pub struct Change {
    /// The column's name.
    pub column: String,
    pub value: Argument,
}

/// Runs a statement that locks one row and gives three columns: the whole row, `ctid` and `tableoid`. `None` if it gives no row.
///
/// # Safety
/// The statement must do that, and each argument's value must have its type.
pub unsafe fn lock(statement: &str, arguments: &[Argument]) -> Option<Locked> {
    // SAFETY: the statement is guaranteed by the caller and its arguments. The result is read before SPI frees it, and copied.
    unsafe {
        first_row(statement, arguments, |value| Locked {
            // As a column of a result, the row may have a short header.
            row: pg_sys::SPI_datumTransfer(plain(value(1)), false, -1),
            tid: *value(2).cast_mut_ptr::<Tid>(),
            table: pg_sys::Oid::from(value(3).value() as u32),
        })
    }
}

/// Runs a statement that finds a row and gives two columns, `ctid` and `tableoid`. `None` if it gives no row.
///
/// # Safety
/// The statement must do that, and each argument's value must have its type.
pub unsafe fn find(statement: &str, arguments: &[Argument]) -> Option<(pg_sys::Oid, Tid)> {
    // SAFETY: the statement is guaranteed by the caller and its arguments. The result is read before SPI frees it.
    unsafe {
        first_row(statement, arguments, |value| {
            (pg_sys::Oid::from(value(2).value() as u32), *value(1).cast_mut_ptr::<Tid>())
        })
    }
}

/// Runs a statement and reads the columns of its first row, by their numbers.
///
/// # Safety
/// Each argument's value must have its type.
unsafe fn first_row<T>(
    statement: &str,
    arguments: &[Argument],
    read: impl FnOnce(&dyn Fn(i32) -> pg_sys::Datum) -> T,
) -> Option<T> {
    // SAFETY: guaranteed by the caller. The row is read before SPI frees it.
    unsafe {
        function::execute(statement, arguments, |count| {
            if count == 0 || pg_sys::SPI_tuptable.is_null() {
                return None;
            }
            let (tuple, columns) = (*(*pg_sys::SPI_tuptable).vals, (*pg_sys::SPI_tuptable).tupdesc);
            Some(read(&|column| {
                let mut null = true;
                pg_sys::SPI_getbinval(tuple, columns, column, &raw mut null)
            }))
        })
    }
}

/// Runs a statement that updates rows. Returns their number.
///
/// # Safety
/// Each argument's value must have its type.
pub unsafe fn update(statement: &str, arguments: &[Argument]) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe { function::execute(statement, arguments, |count| count) }
}

/// Returns the columns in which two rows of a table differ, with the values of the second. Columns that Postgres fills in by itself are not
/// compared. `None` if one of the values is not of the table's type.
///
/// # Safety
/// Both must be composite values.
pub unsafe fn changes(table: pg_sys::Oid, before: pg_sys::Datum, after: pg_sys::Datum) -> Option<Vec<Change>> {
    // SAFETY: the values is guaranteed by the caller, whose header says of which type they are. A row may have been formed when the table had
    // fewer columns, which Postgres then fills in.
    unsafe {
        let row_type = pg_sys::get_rel_type_id(table);
        let columns = pg_sys::lookup_rowtype_tupdesc_copy(row_type, -1);
        let description = PgTupleDesc::from_pg_is_copy(columns);
        let values = |row: pg_sys::Datum| {
            let header: pg_sys::HeapTupleHeader = row.cast_mut_ptr();
            if (*header).t_choice.t_datum.datum_typeid != row_type {
                return None;
            }
            let mut tuple = pg_sys::HeapTupleData {
                t_len: pgrx::varsize_any(header.cast()) as u32,
                t_data: header,
                ..Default::default()
            };
            let (mut values, mut nulls) =
                (vec![pg_sys::Datum::null(); description.len()], vec![true; description.len()]);
            pg_sys::heap_deform_tuple(&raw mut tuple, columns, values.as_mut_ptr(), nulls.as_mut_ptr());
            let value = |(value, null): (pg_sys::Datum, bool)| (!null).then_some(value);
            Some(values.into_iter().zip(nulls).map(value).collect::<Vec<_>>())
        };
        let pairs = values(before)?.into_iter().zip(values(after)?);
        let same = |(by_value, length): (bool, i16), pair: (Option<pg_sys::Datum>, Option<pg_sys::Datum>)| match pair {
            (None, None) => true,
            (Some(a), Some(b)) => boundary::catch(|| raw::datum_image_eq(a, b, by_value, i32::from(length))),
            _ => false,
        };
        let always = pg_sys::ATTRIBUTE_IDENTITY_ALWAYS as std::ffi::c_char;
        let changed = description.iter().zip(pairs).filter(|(column, pair)| {
            let is_ours = column.attisdropped || column.attgenerated != 0 || column.attidentity == always;
            !is_ours && !same((column.attbyval, column.attlen), *pair)
        });
        Some(
            changed
                .map(|(column, (_, value))| Change {
                    column: name_data_to_str(&column.attname).to_owned(),
                    value: (column.atttypid, value),
                })
                .collect(),
        )
    }
}

/// Says whether a statement that begins now would see the row at this address, if row security did not hide it.
pub fn is_visible(table: pg_sys::Oid, mut tid: Tid) -> bool {
    // SAFETY: the relation and the slot are opened and closed here; the snapshot is the one that the next statement of this transaction
    // would have, and is popped again. An error leaves by unwinding, and the end of the transaction cleans up.
    unsafe {
        let open = pg_sys::try_table_open(table, pg_sys::AccessShareLock as i32);
        if open.is_null() {
            return false;
        }
        let slot = pg_sys::table_slot_create(open, std::ptr::null_mut());
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
        let visible = pg_sys::table_tuple_fetch_row_version(open, &raw mut tid, pg_sys::GetActiveSnapshot(), slot);
        pg_sys::PopActiveSnapshot();
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::table_close(open, pg_sys::AccessShareLock as i32);
        visible
    }
}

/// Says whether the transaction keeps its first snapshot: under REPEATABLE READ and SERIALIZABLE.
pub fn keeps_snapshot() -> bool {
    // SAFETY: reads a variable of the running transaction.
    unsafe { pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32 }
}
