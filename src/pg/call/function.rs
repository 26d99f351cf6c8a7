//! User code that a guard runs: the function that makes documents, as the writer; the counter and statements on the owner's tables,
//! as the owner. All of it is foreign code, so errors keep their fields ([`boundary`]), and it runs locked down ([`role`]).

use std::ffi::CString;

use pgrx::pg_sys;

use super::boundary::{self, raw};
use super::role;
use crate::pg::value::text::text_of;

/// Increments a sequence with the rights of `owner`; the count stays even if the transaction aborts.
pub fn count(sequence: pg_sys::Oid, owner: pg_sys::Oid) {
    // SAFETY: a C call with plain arguments; it raises an error if the sequence does not exist or the owner may not use it.
    role::as_owner(owner, || unsafe { boundary::catch(|| raw::nextval_internal(sequence, true)) });
}

/// Runs a statement, with arguments of the given types, with the rights of `owner`.
///
/// # Safety
/// Each value must have the type next to it.
pub unsafe fn run_as(owner: pg_sys::Oid, statement: &str, arguments: &[(pg_sys::Oid, pg_sys::Datum)]) {
    let statement = CString::new(statement).unwrap_or_default();
    let mut types: Vec<pg_sys::Oid> = arguments.iter().map(|argument| argument.0).collect();
    let mut values: Vec<pg_sys::Datum> = arguments.iter().map(|argument| argument.1).collect();
    role::as_owner(owner, || {
        let (statement, count) = (statement.as_ptr(), types.len() as i32);
        let (types, values) = (types.as_mut_ptr(), values.as_mut_ptr());
        // SAFETY: SPI is connected around the call, the arrays outlive it and have `count` entries; nothing in the closure has a
        // destructor. An error leaves by unwinding, and the transaction's abort then closes SPI.
        unsafe {
            pg_sys::SPI_connect();
            boundary::catch(|| raw::SPI_execute_with_args(statement, count, types, values, std::ptr::null(), false, 0));
            pg_sys::SPI_finish();
        }
    });
}

/// Calls a function from a row of table `root` to a text, with a row of `table`, which is `root` or a partition of it; `None`
/// if the function returns NULL.
///
/// The function runs as the current user, as in Postgres's evaluation of index expressions for a new row. Whoever may create
/// triggers on a table may name any function, so it must not run as the table's owner.
pub fn text_of_row(function: pg_sys::Oid, row: pg_sys::Datum, table: pg_sys::Oid, root: pg_sys::Oid) -> Option<String> {
    #[repr(C)]
    struct Call {
        base: pg_sys::FunctionCallInfoBaseData,
        argument: pg_sys::NullableDatum,
    }
    // SAFETY: the function's signature was checked when the guard was loaded. The memory of a call has space for its one
    // argument, right behind its fixed part. `catch` covers one C call by a pointer.
    unsafe {
        role::require_execute(function);
        let row = if table == root { row } else { as_row_of(row, table, root) };
        let mut info = pg_sys::FmgrInfo::default();
        pg_sys::fmgr_info(function, &raw mut info);
        let mut call = Call {
            base: pg_sys::FunctionCallInfoBaseData {
                flinfo: &raw mut info,
                fncollation: pg_sys::DEFAULT_COLLATION_OID,
                nargs: 1,
                ..Default::default()
            },
            argument: pg_sys::NullableDatum { value: row, isnull: false },
        };
        let address = info.fn_addr?;
        let call: *mut Call = &raw mut call;
        let result = role::locked_down(|| boundary::catch(|| address(call.cast())));
        if (*call).base.isnull { None } else { text_of(result).map(str::to_owned) }
    }
}

/// Converts a row of one table to a row of another that has the same columns, perhaps in another order.
///
/// # Safety
/// `row` must be a composite value of `from`'s type.
unsafe fn as_row_of(row: pg_sys::Datum, from: pg_sys::Oid, to: pg_sys::Oid) -> pg_sys::Datum {
    // SAFETY: the caller vouches for the row; descriptors and tuples live in the memory of this call.
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
