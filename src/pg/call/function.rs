//! User code that a guard runs: the function that makes documents, and the one that merges rows, as the writer; the counter and
//! statements on the owner's tables, as the owner. All of it is foreign code, so errors keep their fields ([`boundary`]). It runs locked
//! down ([`role`]), except the function that merges rows, which is to the writer what a trigger function is.

use std::ffi::{CString, c_char};

use pgrx::pg_sys;

use super::boundary::{self, raw};
use super::column::plain;
use super::cursor::Cursor;
use super::role;
use crate::pg::value::text::text_of;

/// Increments a sequence with the rights of `owner`; the count stays even if the transaction aborts.
pub fn count(sequence: pg_sys::Oid, owner: pg_sys::Oid) {
    // SAFETY: a C call with plain arguments; it raises an error if the sequence does not exist or the owner may not use it.
    role::as_owner(owner, || unsafe { boundary::catch(|| raw::nextval_internal(sequence, true)) });
}

/// A value for a statement, after its type; `None` is NULL.
pub type Argument = (pg_sys::Oid, Option<pg_sys::Datum>);

/// Runs a statement with the rights of `owner`. Returns the number of its rows.
///
/// # Safety
/// Each argument's value must have its type.
pub unsafe fn run_as(owner: pg_sys::Oid, statement: &str, arguments: &[Argument]) -> u64 {
    // SAFETY: guaranteed by the caller.
    role::as_owner(owner, || unsafe { execute(statement, arguments, |count| count) })
}

/// A statement and its arguments, as SPI takes them.
struct Call {
    statement: CString,
    types: Vec<pg_sys::Oid>,
    values: Vec<pg_sys::Datum>,
    /// `n` for NULL, a space for a value.
    marks: Vec<c_char>,
}

impl Call {
    fn new(statement: &str, arguments: &[Argument]) -> Self {
        let value = |argument: &Argument| argument.1.unwrap_or(pg_sys::Datum::null());
        let mark = |argument: &Argument| if argument.1.is_some() { b' ' } else { b'n' } as c_char;
        Self {
            statement: CString::new(statement).unwrap_or_default(),
            types: arguments.iter().map(|argument| argument.0).collect(),
            values: arguments.iter().map(value).collect(),
            marks: arguments.iter().map(mark).collect(),
        }
    }
}

/// Runs a statement, which sees what this transaction has written. `read` gets the number of its rows; a result is where SPI has it.
///
/// # Safety
/// Each argument's value must have its type.
pub(in crate::pg) unsafe fn execute<T>(statement: &str, arguments: &[Argument], read: impl FnOnce(u64) -> T) -> T {
    let mut call = Call::new(statement, arguments);
    let (statement, count) = (call.statement.as_ptr(), call.types.len() as i32);
    let (types, values, marks) = (call.types.as_mut_ptr(), call.values.as_mut_ptr(), call.marks.as_ptr());
    // SAFETY: SPI is connected around the call, the arrays outlive it and have `count` entries; nothing in the closure has a
    // destructor. An error leaves by unwinding, and the transaction's abort then closes SPI.
    unsafe {
        pg_sys::SPI_connect();
        boundary::catch(|| raw::SPI_execute_with_args(statement, count, types, values, marks, false, 0));
        let result = read(pg_sys::SPI_processed);
        pg_sys::SPI_finish();
        result
    }
}

/// Opens a cursor on a statement, which sees what this transaction has written.
///
/// # Safety
/// SPI must be connected, and each argument's value must have its type.
pub(in crate::pg) unsafe fn open(statement: &str, arguments: &[Argument]) -> Cursor {
    let mut call = Call::new(statement, arguments);
    let (statement, count) = (call.statement.as_ptr(), call.types.len() as i32);
    let (types, values, marks) = (call.types.as_mut_ptr(), call.values.as_mut_ptr(), call.marks.as_ptr());
    // SAFETY: guaranteed by the caller; the arrays outlive the calls and have `count` entries, and nothing in the closures has a destructor.
    unsafe {
        let plan = boundary::catch(|| raw::SPI_prepare(statement, count, types));
        Cursor::open(plan, values, marks, false)
    }
}

/// Calls a function from a row of table `root` to a text, with a row of `table`, which is `root` or a partition of it; `None`
/// if the function returns NULL.
///
/// The function runs as the current user, as in Postgres's evaluation of index expressions for a new row. A role that may create
/// triggers on a table may name any function, so it must not run as the table's owner.
pub fn text_of_row(function: pg_sys::Oid, row: pg_sys::Datum, table: pg_sys::Oid, root: pg_sys::Oid) -> Option<String> {
    // SAFETY: the function's signature was checked when the guard was loaded, and the row is one of `table`.
    unsafe {
        let row = row_of_root(row, table, root);
        role::locked_down(|| call(function, [row])).and_then(|text| text_of(text)).map(str::to_owned)
    }
}

/// Calls a function from two rows of a table to one, as the current user and as Postgres calls a trigger function: with the user's search
/// path, and with all that the user may do. `None` if the function returns NULL.
///
/// # Safety
/// The function must have that signature, and both rows must be composite values of the table's type.
pub unsafe fn row_of_rows(function: pg_sys::Oid, first: pg_sys::Datum, second: pg_sys::Datum) -> Option<pg_sys::Datum> {
    // SAFETY: guaranteed by the caller. A composite value may be expanded or compressed; a plain one is made of it.
    unsafe { call(function, [first, second]).map(|row| plain(row)) }
}

/// Calls a function that the current user must be allowed to execute; `None` if it returns NULL.
///
/// # Safety
/// The function must take arguments of these types.
unsafe fn call<const N: usize>(function: pg_sys::Oid, arguments: [pg_sys::Datum; N]) -> Option<pg_sys::Datum> {
    #[repr(C)]
    struct Call<const N: usize> {
        base: pg_sys::FunctionCallInfoBaseData,
        arguments: [pg_sys::NullableDatum; N],
    }
    // SAFETY: the arguments is guaranteed by the caller. The memory of a call has space for them right behind its fixed part. `catch` covers
    // one C call by a pointer.
    unsafe {
        role::require_execute(function);
        let mut info = pg_sys::FmgrInfo::default();
        pg_sys::fmgr_info(function, &raw mut info);
        let mut call = Call {
            base: pg_sys::FunctionCallInfoBaseData {
                flinfo: &raw mut info,
                fncollation: pg_sys::DEFAULT_COLLATION_OID,
                nargs: N as i16,
                ..Default::default()
            },
            arguments: arguments.map(|value| pg_sys::NullableDatum { value, isnull: false }),
        };
        let address = info.fn_addr?;
        let call: *mut Call<N> = &raw mut call;
        let result = boundary::catch(|| address(call.cast()));
        (!(*call).base.isnull).then_some(result)
    }
}

/// Returns a row of a table as a row of `root`, which the table is or of which it is a partition.
///
/// # Safety
/// `row` must be a composite value of the table's type.
pub unsafe fn row_of_root(row: pg_sys::Datum, table: pg_sys::Oid, root: pg_sys::Oid) -> pg_sys::Datum {
    // SAFETY: guaranteed by the caller.
    if table == root { row } else { unsafe { as_row_of(row, table, root) } }
}

/// Converts a row of one table to a row of another that has the same columns, perhaps in another order.
///
/// # Safety
/// `row` must be a composite value of `from`'s type.
unsafe fn as_row_of(row: pg_sys::Datum, from: pg_sys::Oid, to: pg_sys::Oid) -> pg_sys::Datum {
    // SAFETY: the row is guaranteed by the caller; descriptors and tuples live in the memory of this call.
    unsafe {
        let descriptor = |table| pg_sys::lookup_rowtype_tupdesc_copy(pg_sys::get_rel_type_id(table), -1);
        let (from, to) = (descriptor(from), descriptor(to));
        let header: pg_sys::HeapTupleHeader = row.cast_mut_ptr();
        let mut tuple = pg_sys::HeapTupleData {
            t_len: pgrx::varsize_any(header.cast()) as u32,
            t_data: header,
            ..Default::default()
        };
        let map = pg_sys::convert_tuples_by_name(from, to);
        let tuple = if map.is_null() { &raw mut tuple } else { pg_sys::execute_attr_map_tuple(&raw mut tuple, map) };
        pg_sys::heap_copy_tuple_as_datum(tuple, to)
    }
}
