//! A row that a trigger changes as the current user: locked, compared with what it is to become, and updated, by ordinary statements. So
//! rights, row security, triggers, constraints and serialisation failures are Postgres's.
//!
//! Each statement is a command of its own, so it sees what the transaction has written before, also by the statement that fired the
//! trigger.

use std::mem::ManuallyDrop;

use pgrx::memcxt::PgMemoryContexts;
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
    /// Its value before.
    pub before: Argument,
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

/// Runs a statement that gives columns of composite types, and returns those of its first row. `None` if it gives no row.
///
/// # Safety
/// The statement must do that, and each argument's value must have its type.
pub unsafe fn read<const N: usize>(statement: &str, arguments: &[Argument]) -> Option<[pg_sys::Datum; N]> {
    // SAFETY: the statement is guaranteed by the caller and its arguments. The result is read before SPI frees it, and copied.
    unsafe {
        first_row(statement, arguments, |value| {
            std::array::from_fn(|at| pg_sys::SPI_datumTransfer(plain(value(at as i32 + 1)), false, -1))
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

/// A row as its values, with the description of its columns.
struct Values {
    columns: pg_sys::TupleDesc,
    values: Vec<pg_sys::Datum>,
    nulls: Vec<bool>,
}

impl Values {
    /// Takes a row of a table apart; `None` if it is not of the table's type. It may have been formed when the table had fewer columns, which
    /// Postgres then fills in.
    ///
    /// # Safety
    /// It must be a composite value, and live as long as the values.
    unsafe fn of(table: pg_sys::Oid, row: pg_sys::Datum) -> Option<Self> {
        // SAFETY: the value is guaranteed by the caller, and its header says of which type it is.
        unsafe {
            let row_type = pg_sys::get_rel_type_id(table);
            let header: pg_sys::HeapTupleHeader = row.cast_mut_ptr();
            if (*header).t_choice.t_datum.datum_typeid != row_type {
                return None;
            }
            let columns = pg_sys::lookup_rowtype_tupdesc_copy(row_type, -1);
            let count = (*columns).natts as usize;
            let mut tuple = pg_sys::HeapTupleData {
                t_len: pgrx::varsize_any(header.cast()) as u32,
                t_data: header,
                ..Default::default()
            };
            let (mut values, mut nulls) = (vec![pg_sys::Datum::null(); count], vec![true; count]);
            pg_sys::heap_deform_tuple(&raw mut tuple, columns, values.as_mut_ptr(), nulls.as_mut_ptr());
            Some(Self { columns, values, nulls })
        }
    }

    fn get(&self, at: usize) -> Option<pg_sys::Datum> {
        (!self.nulls[at]).then_some(self.values[at])
    }
}

/// Returns the values of columns of a row, with their types; `None` if the row is not of the table's type, or lacks a column.
///
/// # Safety
/// It must be a composite value, and live as long as the values.
pub unsafe fn values(table: pg_sys::Oid, row: pg_sys::Datum, names: &[String]) -> Option<Vec<Argument>> {
    // SAFETY: guaranteed by the caller; the description is a copy in the memory of this call.
    unsafe {
        let row = Values::of(table, row)?;
        let columns = PgTupleDesc::from_pg_is_copy(row.columns);
        let place = |name: &String| {
            columns.iter().position(|column| !column.attisdropped && name_data_to_str(&column.attname) == name)
        };
        let argument = |at| columns.get(at).map(|column| (column.atttypid, row.get(at)));
        names.iter().map(|name| place(name).and_then(argument)).collect()
    }
}

/// Returns the columns in which two rows of a table differ, with the values of the second. Columns that Postgres fills in by itself are not
/// compared. `None` if one of the values is not of the table's type.
///
/// # Safety
/// Both must be composite values, and live as long as the changes.
pub unsafe fn changes(table: pg_sys::Oid, before: pg_sys::Datum, after: pg_sys::Datum) -> Option<Vec<Change>> {
    // SAFETY: the values are guaranteed by the caller; the description is a copy in the memory of this call.
    unsafe {
        let (before, after) = (Values::of(table, before)?, Values::of(table, after)?);
        let columns = PgTupleDesc::from_pg_is_copy(before.columns);
        let same = |at: usize, by_value: bool, length: i16| match (before.get(at), after.get(at)) {
            (None, None) => true,
            (Some(a), Some(b)) => boundary::catch(|| raw::datum_image_eq(a, b, by_value, i32::from(length))),
            _ => false,
        };
        let always = pg_sys::ATTRIBUTE_IDENTITY_ALWAYS as std::ffi::c_char;
        let changed = columns.iter().enumerate().filter(|(at, column)| {
            let is_ours = column.attisdropped || column.attgenerated != 0 || column.attidentity == always;
            !is_ours && !same(*at, column.attbyval, column.attlen)
        });
        let change = |(at, column): (usize, &pg_sys::FormData_pg_attribute)| Change {
            column: name_data_to_str(&column.attname).to_owned(),
            before: (column.atttypid, before.get(at)),
            value: (column.atttypid, after.get(at)),
        };
        Some(changed.map(change).collect())
    }
}

/// Returns a row of a table with these columns changed; `None` if it is not of the table's type.
///
/// # Safety
/// It must be a composite value, and the changes must be of that table.
pub unsafe fn with_changes(table: pg_sys::Oid, row: pg_sys::Datum, changes: &[Change]) -> Option<pg_sys::Datum> {
    // SAFETY: guaranteed by the caller. The new row is a copy, with what is out of line brought in.
    unsafe {
        let mut row = Values::of(table, row)?;
        let columns = PgTupleDesc::from_pg_is_copy(row.columns);
        for (at, column) in columns.iter().enumerate() {
            let name = name_data_to_str(&column.attname);
            if let Some(change) = changes.iter().find(|change| change.column == name) {
                row.values[at] = change.value.1.unwrap_or(pg_sys::Datum::null());
                row.nulls[at] = change.value.1.is_none();
            }
        }
        let tuple = pg_sys::heap_form_tuple(row.columns, row.values.as_mut_ptr(), row.nulls.as_mut_ptr());
        Some(pg_sys::heap_copy_tuple_as_datum(tuple, row.columns))
    }
}

/// Runs a statement that gives rows as a column of a composite type, and takes them in one after the other: `step` gets what the one before
/// has returned, first `start`, and a row. Returns the last value, and the number of rows. What a step leaves in memory is freed after it.
///
/// # Errors
/// The first error of a step.
///
/// # Safety
/// The statement must do that, each argument's value must have its type, and `start` must be a composite value.
pub unsafe fn fold<E>(
    statement: &str,
    arguments: &[Argument],
    start: pg_sys::Datum,
    mut step: impl FnMut(pg_sys::Datum, pg_sys::Datum) -> Result<pg_sys::Datum, E>,
) -> Result<(pg_sys::Datum, u64), E> {
    let mut value = start;
    let mut count = 0;
    // SAFETY: guaranteed by the caller. SPI is connected around the calls; an error leaves by unwinding, and the end of the transaction or
    // savepoint closes SPI and the memory. A value is copied out of a step's memory before that is freed, and the one before it is then
    // used no more.
    unsafe {
        pg_sys::SPI_connect();
        let cursor = function::open(statement, arguments);
        let mut memory = ManuallyDrop::new(PgMemoryContexts::new("a row that is merged"));
        loop {
            cursor.fetch(1);
            let rows = pg_sys::SPI_tuptable;
            if pg_sys::SPI_processed == 0 {
                break;
            }
            let before = pg_sys::MemoryContextSwitchTo(memory.value());
            let mut null = true;
            let row = pg_sys::SPI_getbinval(*(*rows).vals, (*rows).tupdesc, 1, &raw mut null);
            let next = step(value, plain(row))?;
            if next.value() != value.value() {
                let next = pg_sys::SPI_datumTransfer(next, false, -1);
                if value.value() != start.value() {
                    pg_sys::pfree(value.cast_mut_ptr());
                }
                value = next;
            }
            pg_sys::MemoryContextSwitchTo(before);
            pg_sys::MemoryContextReset(memory.value());
            pg_sys::SPI_freetuptable(rows);
            count += 1;
        }
        cursor.close();
        ManuallyDrop::drop(&mut memory);
        pg_sys::SPI_finish();
    }
    Ok((value, count))
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
