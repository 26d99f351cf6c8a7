//! The columns of a relation and the operators of their types, for statements that name them.

use std::ffi::CStr;

use pgrx::{PgTupleDesc, name_data_to_str, pg_sys};

use crate::pg::call::boundary::{self, raw};

/// A column of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its number.
    pub number: i16,
    /// Its type.
    pub kind: pg_sys::Oid,
    /// Its collation; invalid for a type without.
    pub collation: pg_sys::Oid,
    /// Whether its values are generated.
    pub is_generated: bool,
}

/// Gives the columns of a relation in their order; none if it does not exist.
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

fn owned(name: *mut std::ffi::c_char) -> String {
    // SAFETY: null or a C string in the memory of this call.
    if name.is_null() { String::new() } else { unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned() }
}

/// Gives the schema of a relation, and its name.
pub fn relation_name(relation: pg_sys::Oid) -> (String, String) {
    // SAFETY: reads catalogs.
    unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(relation));
        (owned(schema), owned(pg_sys::get_rel_name(relation)))
    }
}

/// Gives a type's name for a cast, with its schema and quoted as needed.
pub fn type_name(kind: pg_sys::Oid) -> String {
    // With a type modifier that is not there: `character` alone would cut a value to one character.
    let flags = pg_sys::FORMAT_TYPE_TYPEMOD_GIVEN | pg_sys::FORMAT_TYPE_FORCE_QUALIFY;
    // SAFETY: reads catalogs.
    owned(unsafe { pg_sys::format_type_extended(kind, -1, flags as pg_sys::bits16) })
}

/// Gives the name of a type as messages show it.
pub fn shown_type(kind: pg_sys::Oid) -> String {
    // SAFETY: reads catalogs.
    owned(unsafe { pg_sys::format_type_extended(kind, -1, 0) })
}

/// Gives the type that a relation's rows have.
pub fn row_type(relation: pg_sys::Oid) -> pg_sys::Oid {
    // SAFETY: reads a catalog.
    unsafe { pg_sys::get_rel_type_id(relation) }
}

/// Says whether a column has a type that can be the time of a row.
pub fn is_time(column: &Column) -> bool {
    let times = [pg_sys::TIMESTAMPTZOID, pg_sys::TIMESTAMPOID, pg_sys::DATEOID];
    times.contains(&base_type(column.kind))
}

/// Gives the type of a column, with domains resolved.
pub fn column_type(relation: pg_sys::Oid, column: i16) -> pg_sys::Oid {
    // SAFETY: reads a catalog.
    base_type(unsafe { pg_sys::get_atttype(relation, column) })
}

/// Gives the type behind a domain.
pub fn base_type(kind: pg_sys::Oid) -> pg_sys::Oid {
    // SAFETY: reads a catalog.
    unsafe { pg_sys::getBaseType(kind) }
}

/// Gives the name of a collation: its schema and name.
pub fn collation_name(collation: pg_sys::Oid) -> Option<(String, String)> {
    // SAFETY: the cache's row is read before it is released.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::COLLOID as i32;
        let row = pg_sys::SearchSysCache1(cache, pg_sys::Datum::from(collation));
        if row.is_null() {
            return None;
        }
        let form = &*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_collation>(row);
        let name = name_data_to_str(&form.collname).to_owned();
        let schema = owned(pg_sys::get_namespace_name(form.collnamespace));
        pg_sys::ReleaseSysCache(row);
        Some((schema, name))
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

/// Gives the operator that compares values of a type, by its default operator class: its schema and name. Types without a class of
/// their own (enums, arrays, rows, ranges, varchar) have those that Postgres uses for them.
pub fn operator(kind: pg_sys::Oid, comparison: Comparison) -> Option<(String, String)> {
    let flags = pg_sys::TYPECACHE_EQ_OPR | pg_sys::TYPECACHE_BTREE_OPFAMILY;
    // SAFETY: the entry lives as long as the backend; the cache's row is read before it is released.
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
        let cache = pg_sys::SysCacheIdentifier::OPEROID as i32;
        let row = pg_sys::SearchSysCache1(cache, pg_sys::Datum::from(operator));
        if row.is_null() {
            return None;
        }
        let form = &*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_operator>(row);
        let name = name_data_to_str(&form.oprname).to_owned();
        let schema = owned(pg_sys::get_namespace_name(form.oprnamespace));
        pg_sys::ReleaseSysCache(row);
        Some((schema, name))
    }
}

/// Says whether values of a type can be compared; those of an array or of rows only if their elements can.
pub fn has_equality(kind: pg_sys::Oid) -> bool {
    // SAFETY: the entry lives as long as the backend.
    unsafe { (*pg_sys::lookup_type_cache(kind, pg_sys::TYPECACHE_EQ_OPR as i32)).eq_opr != pg_sys::Oid::INVALID }
}

/// Says whether a function forms a document of a table's row: it takes one row, returns text, and is IMMUTABLE.
pub fn forms_document(function: pg_sys::Oid, table: pg_sys::Oid) -> bool {
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

/// Says whether a function merges two rows of a table to one: it takes two, and returns one.
pub fn merges_rows(function: pg_sys::Oid, table: pg_sys::Oid) -> bool {
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

/// Gives the schema of a function, and its name.
pub fn function_name(function: pg_sys::Oid) -> (String, String) {
    // SAFETY: reads catalogs.
    unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_func_namespace(function));
        (owned(schema), owned(pg_sys::get_func_name(function)))
    }
}

/// Says whether a table is a partition.
pub fn is_partition(table: pg_sys::Oid) -> bool {
    // SAFETY: reads a catalog.
    unsafe { pg_sys::get_rel_relispartition(table) }
}

/// Says whether the current user may read all columns of a relation.
pub fn may_read_columns(relation: pg_sys::Oid) -> bool {
    // SAFETY: only reads catalogs for the current user.
    unsafe {
        pg_sys::pg_class_aclcheck(relation, pg_sys::GetUserId(), pg_sys::ACL_SELECT as pg_sys::AclMode)
            == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Gives the kind of a relation, as in `pg_class.relkind`; 0 if there is none.
pub fn relation_kind(relation: pg_sys::Oid) -> u8 {
    // SAFETY: reads a catalog.
    unsafe { pg_sys::get_rel_relkind(relation) as u8 }
}

/// Says whether a relation has, or had, partitions or children.
pub fn has_children(relation: pg_sys::Oid) -> bool {
    // SAFETY: reads a catalog.
    unsafe { boundary::catch(|| raw::has_subclass(relation)) }
}

/// Gives a relation and all its partitions and children.
pub fn inheritors(relation: pg_sys::Oid) -> Vec<pg_sys::Oid> {
    let lock = pg_sys::NoLock as pg_sys::LOCKMODE;
    // SAFETY: reads catalogs.
    unsafe {
        let found = boundary::catch(|| raw::find_all_inheritors(relation, lock, std::ptr::null_mut()));
        pgrx::PgList::<pg_sys::Oid>::from_pg(found).iter_oid().collect()
    }
}

/// Says whether the current user may lock all rows of a relation: may update it, and row security does not apply.
pub fn may_lock(relation: pg_sys::Oid) -> bool {
    // SAFETY: only reads catalogs for the current user.
    unsafe {
        let (user, right) = (pg_sys::GetUserId(), pg_sys::ACL_UPDATE as pg_sys::AclMode);
        let any = pg_sys::AclMaskHow::ACLMASK_ANY;
        (pg_sys::pg_class_aclcheck(relation, user, right) == pg_sys::AclResult::ACLCHECK_OK
            || pg_sys::pg_attribute_aclcheck_all(relation, user, right, any) == pg_sys::AclResult::ACLCHECK_OK)
            && pg_sys::check_enable_rls(relation, pg_sys::Oid::INVALID, true)
                != pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
    }
}

/// Gives the number of pages of a table; 0 if it does not exist.
pub fn pages(table: pg_sys::Oid) -> u32 {
    // SAFETY: the relation is opened and closed here.
    unsafe {
        let open = pg_sys::try_relation_open(table, pg_sys::AccessShareLock as i32);
        if open.is_null() {
            return 0;
        }
        let pages = pg_sys::RelationGetNumberOfBlocksInFork(open, pg_sys::ForkNumber::MAIN_FORKNUM);
        pg_sys::relation_close(open, pg_sys::AccessShareLock as i32);
        pages
    }
}
