//! Functions that the owner of a table has named, called on one of its rows, and sequences.

use pgrx::pg_sys;
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;

use super::role;
use super::trigger::text_of;

// SAFETY: the declaration of src/include/commands/sequence.h, unchanged from PostgreSQL 14 to 18.
unsafe extern "C-unwind" {
    fn nextval_internal(relation: pg_sys::Oid, check_permissions: bool) -> i64;
}

/// Counts one in a sequence, whatever becomes of the transaction, for users without rights on it.
pub fn count(sequence: pg_sys::Oid) {
    // SAFETY: raises an error where there is no such sequence.
    unsafe { pg_guard_ffi_boundary(|| nextval_internal(sequence, false)) };
}

/// Calls a function from a row of table `root` to a text with a row of `table`, a partition of it or itself, as `owner`;
/// `None` where it gives NULL.
pub fn text_of_row(
    function: pg_sys::Oid,
    row: pg_sys::Datum,
    table: pg_sys::Oid,
    root: pg_sys::Oid,
    owner: pg_sys::Oid,
) -> Option<String> {
    #[repr(C)]
    struct Call {
        base: pg_sys::FunctionCallInfoBaseData,
        argument: pg_sys::NullableDatum,
    }
    // SAFETY: the function's signature was checked when the guard was put up and again here by Postgres's own lookup;
    // a call has room for its one argument, right behind its fixed part.
    unsafe {
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
        let result = role::act_as(owner, || pg_guard_ffi_boundary(|| address(call.cast())));
        if (*call).base.isnull { None } else { text_of(result).map(str::to_owned) }
    }
}

/// Makes a row of one table a row of another that has the same columns, perhaps in another order.
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
