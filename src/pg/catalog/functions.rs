//! Functions.

use std::ffi::{CStr, CString};

use pgrx::{PgList, pg_sys};

use super::types::row_type;
use super::{Column, cached, columns, owned};
use crate::pg::call::boundary::{self, raw};

/// Finds a function by its schema and name, and by the types of its arguments if there may be several. No right on the schema
/// is needed.
///
/// # Safety
/// Only within a transaction.
pub unsafe fn function(schema: &CStr, name: &CStr, arguments: Option<&[pg_sys::Oid]>) -> Option<pg_sys::Oid> {
    // SAFETY: guaranteed by the caller. The cache's list has as many members as it says, each a row of pg_proc, until it is released.
    unsafe {
        let schema = pg_sys::get_namespace_oid(schema.as_ptr(), true);
        let cache = pg_sys::SysCacheIdentifier::PROCNAMEARGSNSP as i32;
        let none = pg_sys::Datum::null();
        let list = pg_sys::SearchSysCacheList(cache, 1, pg_sys::Datum::from(name.as_ptr()), none, none);
        let members = (*list).members.as_slice(usize::try_from((*list).n_members).unwrap_or(0));
        let found = members.iter().find_map(|member| {
            let row = &*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_proc>(&raw mut (**member).tuple);
            let types = row.proargtypes.values.as_slice(usize::try_from(row.pronargs).unwrap_or(0));
            (row.pronamespace == schema && arguments.is_none_or(|wanted| wanted == types)).then_some(row.oid)
        });
        pg_sys::ReleaseCatCacheList(list);
        found
    }
}

/// Finds a function by its schema and name that takes a row of a table and returns a text.
pub fn function_of_row((schema, name): &(String, String), table: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: reads catalogs; the strings are copied into the memory of this call.
    unsafe {
        let row = pg_sys::get_rel_type_id(table);
        let found = function(&CString::new(schema.as_str()).ok()?, &CString::new(name.as_str()).ok()?, Some(&[row]))?;
        let is_plain =
            pg_sys::get_func_prokind(found) as u8 == pg_sys::PROKIND_FUNCTION && !pg_sys::get_func_retset(found);
        (is_plain && pg_sys::get_func_rettype(found) == pg_sys::TEXTOID).then_some(found)
    }
}

/// Returns the arguments of a call in their order, with the defaults of those that are left out. Nothing is evaluated.
///
/// # Safety
/// The call must be a valid node.
pub unsafe fn arguments_of(call: &pg_sys::FuncExpr) -> Option<PgList<pg_sys::Node>> {
    // SAFETY: guaranteed by the caller; the row of the function is used before it is released.
    unsafe {
        cached(pg_sys::SysCacheIdentifier::PROCOID, call.funcid, |row| {
            PgList::from_pg(pg_sys::expand_function_arguments(call.args, false, call.funcresulttype, row))
        })
    }
}

/// Returns the schema of a function, and its name.
pub fn function_name(function: pg_sys::Oid) -> (String, String) {
    // SAFETY: reads catalogs.
    unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_func_namespace(function));
        (owned(schema), owned(pg_sys::get_func_name(function)))
    }
}

/// Says whether a function takes one row of a table, returns text, and is IMMUTABLE.
pub fn is_immutable_text_of_row(function: pg_sys::Oid, table: pg_sys::Oid) -> bool {
    // SAFETY: reads catalogs; a function has as many argument types as it says.
    unsafe {
        // For a function that does not exist, the next call would raise an internal error.
        if pg_sys::get_func_name(function).is_null() {
            return false;
        }
        let (mut types, mut count) = (std::ptr::null_mut(), 0);
        let result = pg_sys::get_func_signature(function, &raw mut types, &raw mut count);
        count == 1
            && *types == row_type(table)
            && result == pg_sys::TEXTOID
            && pg_sys::func_volatile(function) as u8 == pg_sys::PROVOLATILE_IMMUTABLE
    }
}

/// Returns a generated column of a table that a function of its row reads. Postgres tells it of functions that it inlines: most of those
/// in SQL. It evaluates calls of immutable functions with constants, as it does for an index: foreign code.
pub fn generated_column_of(function: pg_sys::Oid, table: pg_sys::Oid) -> Option<Column> {
    let first = pg_sys::FirstLowInvalidHeapAttributeNumber;
    // SAFETY: the nodes are made in the memory of this call; the function takes one row of the table and returns text.
    unsafe {
        let collation = pg_sys::DEFAULT_COLLATION_OID;
        let mut arguments = PgList::<pg_sys::Node>::new();
        arguments.push(pg_sys::makeVar(1, 0, row_type(table), -1, pg_sys::InvalidOid, 0).cast());
        let form = pg_sys::CoercionForm::COERCE_EXPLICIT_CALL;
        let call =
            pg_sys::makeFuncExpr(function, pg_sys::TEXTOID, arguments.into_pg(), collation, pg_sys::InvalidOid, form);
        let inlined = boundary::catch(|| raw::eval_const_expressions(std::ptr::null_mut(), call.cast()));
        let mut read = std::ptr::null_mut();
        pg_sys::pull_varattnos(inlined, 1, &raw mut read);
        let is_read = |column: &Column| pg_sys::bms_is_member(i32::from(column.number) - first, read);
        columns(table).into_iter().find(|column| column.is_generated && is_read(column))
    }
}

/// Says whether a function takes two rows of a table, and returns one.
pub fn joins_rows(function: pg_sys::Oid, table: pg_sys::Oid) -> bool {
    // SAFETY: reads catalogs; a function has as many argument types as it says.
    unsafe {
        if pg_sys::get_func_name(function).is_null() {
            return false;
        }
        let (mut types, mut count) = (std::ptr::null_mut(), 0);
        let result = pg_sys::get_func_signature(function, &raw mut types, &raw mut count);
        let row = row_type(table);
        count == 2
            && *types == row
            && *types.add(1) == row
            && result == row
            && pg_sys::get_func_prokind(function) as u8 == pg_sys::PROKIND_FUNCTION
            && !pg_sys::get_func_retset(function)
    }
}

/// Returns the schema that the extension was created in: that of its types.
pub fn extension_schema() -> String {
    // SAFETY: reads catalogs; the extension's own function has two arguments.
    unsafe {
        let Some(operator) = function(c"neardup_internal", c"sketches_share_key", None) else { return String::new() };
        let (mut types, mut count) = (std::ptr::null_mut(), 0);
        pg_sys::get_func_signature(operator, &raw mut types, &raw mut count);
        let schema = cached(pg_sys::SysCacheIdentifier::TYPEOID, *types, |row| {
            (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_type>(row)).typnamespace
        });
        schema.map_or_else(String::new, |schema| owned(pg_sys::get_namespace_name(schema)))
    }
}
