//! Types: their names, and the operators and collations of their values.

use std::ffi::CStr;

use pgrx::{name_data_to_str, pg_sys};

use super::{cached, owned};

/// Returns a type's name for a cast, with its schema and quoted as needed.
pub fn type_name(kind: pg_sys::Oid) -> String {
    // With a type modifier that is not there: `character` alone would cut a value to one character.
    let flags = pg_sys::FORMAT_TYPE_TYPEMOD_GIVEN | pg_sys::FORMAT_TYPE_FORCE_QUALIFY;
    // SAFETY: reads catalogs.
    owned(unsafe { pg_sys::format_type_extended(kind, -1, flags as _) })
}

/// Returns the name of a type as messages show it.
pub fn shown_type(kind: pg_sys::Oid) -> String {
    // SAFETY: reads catalogs.
    owned(unsafe { pg_sys::format_type_extended(kind, -1, 0) })
}

/// Returns the type that a relation's rows have.
pub fn row_type(relation: pg_sys::Oid) -> pg_sys::Oid {
    // SAFETY: reads a catalog.
    unsafe { pg_sys::get_rel_type_id(relation) }
}

/// Returns the type behind a domain.
pub fn base_type(kind: pg_sys::Oid) -> pg_sys::Oid {
    // SAFETY: reads a catalog.
    unsafe { pg_sys::getBaseType(kind) }
}

/// Returns the name of a collation: its schema and name.
pub fn collation_name(collation: pg_sys::Oid) -> Option<(String, String)> {
    // SAFETY: the names are copied.
    unsafe {
        cached(pg_sys::SysCacheIdentifier::COLLOID, collation, |row| {
            let form = &*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_collation>(row);
            let schema = owned(pg_sys::get_namespace_name(form.collnamespace));
            (schema, name_data_to_str(&form.collname).to_owned())
        })
    }
}

/// A comparison, by the number of its B-tree strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less = 1,
    /// `=`
    Equal = 3,
    /// `>=`
    NotLess = 4,
}

/// An operator: its schema, its name, and the type of its operands, which is no pseudo-type.
pub struct Operator {
    pub schema: String,
    pub name: String,
    pub operand: pg_sys::Oid,
}

/// Returns the operator that compares values of a type, by its default operator class. Types without a class of their own (enums, arrays, rows, ranges,
/// varchar) have those that Postgres uses for them.
pub fn operator(kind: pg_sys::Oid, comparison: Comparison) -> Option<Operator> {
    let flags = pg_sys::TYPECACHE_EQ_OPR | pg_sys::TYPECACHE_BTREE_OPFAMILY;
    // SAFETY: the entry lives as long as the backend, and the names are copied.
    unsafe {
        let entry = &*pg_sys::lookup_type_cache(kind, flags as i32);
        let none = pg_sys::Oid::INVALID;
        let operator = match comparison {
            _ if entry.btree_opf != none => {
                let input = entry.btree_opintype;
                pg_sys::get_opfamily_member(entry.btree_opf, input, input, comparison as i16)
            }
            Comparison::Equal => entry.eq_opr,
            _ => none,
        };
        cached(pg_sys::SysCacheIdentifier::OPEROID, operator, |row| {
            let form = &*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_operator>(row);
            let schema = owned(pg_sys::get_namespace_name(form.oprnamespace));
            let name = name_data_to_str(&form.oprname).to_owned();
            Operator { schema, name, operand: operand(form.oprleft, kind) }
        })
    }
}

/// Returns the type that a value of this type has as the operand of an operator that takes values of the type `of`, which may be a pseudo-type.
pub fn operand(of: pg_sys::Oid, kind: pg_sys::Oid) -> pg_sys::Oid {
    // SAFETY: reads a catalog.
    let is_pseudo = unsafe { pg_sys::get_typtype(of) } == pg_sys::TYPTYPE_PSEUDO as std::ffi::c_char;
    if is_pseudo { base_type(kind) } else { of }
}

/// Finds the operator of a schema between two types. No right on the schema is needed.
///
/// # Safety
/// Only within a transaction.
pub unsafe fn operator_between(
    schema: pg_sys::Oid,
    name: &CStr,
    [left, right]: [pg_sys::Oid; 2],
) -> Option<pg_sys::Oid> {
    let keys = [pg_sys::Datum::from(name.as_ptr()), left.into(), right.into(), schema.into()];
    // SAFETY: guaranteed by the caller; the row is read before it is released.
    unsafe {
        let [name, left, right, schema] = keys;
        let row = pg_sys::SearchSysCache4(pg_sys::SysCacheIdentifier::OPERNAMENSP as i32, name, left, right, schema);
        if row.is_null() {
            return None;
        }
        let found = (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_operator>(row)).oid;
        pg_sys::ReleaseSysCache(row);
        Some(found)
    }
}

/// Says whether values of a type can be compared; those of an array or of rows only if their elements can.
pub fn has_equality(kind: pg_sys::Oid) -> bool {
    // SAFETY: the entry lives as long as the backend.
    unsafe { (*pg_sys::lookup_type_cache(kind, pg_sys::TYPECACHE_EQ_OPR as i32)).eq_opr != pg_sys::Oid::INVALID }
}
