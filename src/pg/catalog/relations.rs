//! Relations: their names, kinds, owners and keys, and what the current user may do with them.

use std::ffi::{CString, c_char};

use pgrx::{PgList, pg_sys};

use super::owned;
use crate::pg::call::boundary::{self, raw};

pub fn relation_name(relation: pg_sys::Oid) -> String {
    // SAFETY: reads a catalog.
    owned(unsafe { pg_sys::get_rel_name(relation) })
}

/// Returns the schema of a relation, and its name.
pub fn qualified_name(relation: pg_sys::Oid) -> (String, String) {
    // SAFETY: reads catalogs.
    unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(relation));
        (owned(schema), owned(pg_sys::get_rel_name(relation)))
    }
}

/// Finds a relation by its schema and name.
pub fn relation((schema, name): &(String, String)) -> Option<pg_sys::Oid> {
    let (schema, name) = (CString::new(schema.as_str()).ok()?, CString::new(name.as_str()).ok()?);
    // SAFETY: reads catalogs; the rights are checked where the relation is used.
    let found = unsafe {
        let schema = pg_sys::get_namespace_oid(schema.as_ptr(), true);
        if schema == pg_sys::Oid::INVALID {
            return None;
        }
        pg_sys::get_relname_relid(name.as_ptr(), schema)
    };
    (found != pg_sys::Oid::INVALID).then_some(found)
}

/// Returns the kind of a relation, as in `pg_class.relkind`; 0 if there is none.
pub fn relation_kind(relation: pg_sys::Oid) -> u8 {
    // SAFETY: reads a catalog.
    unsafe { pg_sys::get_rel_relkind(relation) as u8 }
}

/// Returns the owner of a relation; `None` if it does not exist.
pub fn owner(relation: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: opens the relation under the lock that the user of this already has, and closes it.
    unsafe {
        let open = pg_sys::try_relation_open(relation, pg_sys::AccessShareLock as i32);
        if open.is_null() {
            return None;
        }
        let owner = (*(*open).rd_rel).relowner;
        pg_sys::relation_close(open, pg_sys::AccessShareLock as i32);
        Some(owner)
    }
}

/// Says whether a sequence belongs to a table by `OWNED BY`.
pub fn belongs(sequence: pg_sys::Oid, table: pg_sys::Oid) -> bool {
    let (mut owner, mut column) = (pg_sys::Oid::INVALID, 0);
    let automatic = pg_sys::DependencyType::DEPENDENCY_AUTO as std::ffi::c_char;
    // SAFETY: reads a catalog.
    unsafe { pg_sys::sequenceIsOwned(sequence, automatic, &raw mut owner, &raw mut column) && owner == table }
}

/// Returns the columns of the primary key; none if it is deferrable, and two rows may have the same one for a while.
pub fn primary_key(table: pg_sys::Oid) -> Vec<i16> {
    // SAFETY: relations are opened and closed here; an index has as many key columns as it says.
    unsafe {
        let open = pg_sys::try_relation_open(table, pg_sys::AccessShareLock as i32);
        if open.is_null() {
            return Vec::new();
        }
        drop(PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(open)));
        let key = (*open).rd_pkindex;
        let mut columns = Vec::new();
        if key != pg_sys::Oid::INVALID {
            let index = pg_sys::index_open(key, pg_sys::AccessShareLock as i32);
            let form = (*index).rd_index;
            let count = usize::try_from((*form).indnkeyatts).unwrap_or(0);
            // Since Postgres 17 the relation cache names a deferrable one, too.
            if (*form).indimmediate {
                columns.extend_from_slice((*form).indkey.values.as_slice(count));
            }
            pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
        }
        pg_sys::relation_close(open, pg_sys::AccessShareLock as i32);
        columns
    }
}

/// Says whether a table has a primary key that is deferrable.
pub fn has_deferrable_key(table: pg_sys::Oid) -> bool {
    // SAFETY: relations are opened and closed here.
    unsafe {
        let open = pg_sys::try_relation_open(table, pg_sys::AccessShareLock as i32);
        if open.is_null() {
            return false;
        }
        let indexes = PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(open));
        let is_found = indexes.iter_oid().any(|index| {
            let index = pg_sys::index_open(index, pg_sys::AccessShareLock as i32);
            let form = (*index).rd_index;
            let is_deferrable = (*form).indisprimary && !(*form).indimmediate;
            pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
            is_deferrable
        });
        pg_sys::relation_close(open, pg_sys::AccessShareLock as i32);
        is_found
    }
}

/// Says whether an index has all versions that a snapshot of this transaction may see. If rows were updated without new index entries
/// before the index was made, it has only the new versions; the planner applies the same rule.
pub fn has_versions_of_snapshot(index: pg_sys::Oid) -> bool {
    // SAFETY: the relation is opened and closed here; its row in the catalog is in the relation cache while it is open.
    unsafe {
        let open = pg_sys::index_open(index, pg_sys::AccessShareLock as i32);
        let header = (*(*open).rd_indextuple).t_data;
        let is_frozen = u32::from((*header).t_infomask) & pg_sys::HEAP_XMIN_FROZEN == pg_sys::HEAP_XMIN_FROZEN;
        let made = (*header).t_choice.t_heap.t_xmin;
        let has = !(*(*open).rd_index).indcheckxmin
            || is_frozen
            || pg_sys::TransactionIdPrecedes(made, pg_sys::TransactionXmin);
        pg_sys::index_close(open, pg_sys::AccessShareLock as i32);
        has
    }
}

/// Says whether a relation is a temporary table; false if it does not exist.
pub fn is_temporary(relation: pg_sys::Oid) -> bool {
    // SAFETY: reads a catalog; of a relation that exists, or else Postgres raises an error.
    relation_kind(relation) != 0
        && unsafe { pg_sys::get_rel_persistence(relation) as u8 == pg_sys::RELPERSISTENCE_TEMP }
}

/// Says whether a table is a partition.
pub fn is_partition(table: pg_sys::Oid) -> bool {
    // SAFETY: reads a catalog.
    unsafe { pg_sys::get_rel_relispartition(table) }
}

/// Says whether a relation has, or had, partitions or children.
pub fn has_children(relation: pg_sys::Oid) -> bool {
    // SAFETY: reads a catalog.
    unsafe { boundary::catch(|| raw::has_subclass(relation)) }
}

/// Returns a relation and all its partitions and children.
pub fn inheritors(relation: pg_sys::Oid) -> Vec<pg_sys::Oid> {
    let lock = pg_sys::NoLock as pg_sys::LOCKMODE;
    // SAFETY: reads catalogs.
    unsafe {
        let found = boundary::catch(|| raw::find_all_inheritors(relation, lock, std::ptr::null_mut()));
        pgrx::PgList::<pg_sys::Oid>::from_pg(found).iter_oid().collect()
    }
}

/// Says whether a table, and all partitions and children of it, belong to roles that have the rights of `owner`. What their indexes call runs as
/// whoever has a statement on the table planned.
pub fn is_whole_of(table: pg_sys::Oid, owner: pg_sys::Oid) -> bool {
    // SAFETY: reads catalogs.
    let has_rights = |role| unsafe { pg_sys::has_privs_of_role(role, owner) };
    !has_children(table) || inheritors(table).into_iter().all(|part| self::owner(part).is_some_and(has_rights))
}

/// Returns the number of pages of a table; 0 if it does not exist.
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

/// Says whether the current user may read all columns of a relation.
pub fn may_read_columns(relation: pg_sys::Oid) -> bool {
    // SAFETY: only reads catalogs for the current user.
    unsafe {
        pg_sys::pg_class_aclcheck(relation, pg_sys::GetUserId(), pg_sys::ACL_SELECT as pg_sys::AclMode)
            == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Says whether the current user may read any column of a relation.
pub fn may_read_some(relation: pg_sys::Oid) -> bool {
    may_on_some(relation, pg_sys::ACL_SELECT)
}

/// Says whether the current user has a right on a relation or one of its columns.
fn may_on_some(relation: pg_sys::Oid, right: u32) -> bool {
    // SAFETY: only reads catalogs for the current user.
    unsafe {
        let (user, right) = (pg_sys::GetUserId(), pg_sys::AclMode::from(right));
        let any = pg_sys::AclMaskHow::ACLMASK_ANY;
        pg_sys::pg_class_aclcheck(relation, user, right) == pg_sys::AclResult::ACLCHECK_OK
            || pg_sys::pg_attribute_aclcheck_all(relation, user, right, any) == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Says whether the current user may lock all rows of a relation: may update it, and row security does not apply.
pub fn may_lock(relation: pg_sys::Oid) -> bool {
    may_on_some(relation, pg_sys::ACL_UPDATE) && !has_row_security(relation)
}

/// Says whether row security may hide rows of a relation from the current user.
pub fn has_row_security(relation: pg_sys::Oid) -> bool {
    // SAFETY: only reads catalogs for the current user.
    unsafe {
        pg_sys::check_enable_rls(relation, pg_sys::Oid::INVALID, true)
            == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
    }
}

/// Returns the expressions of an index as they were written; `None` if it has none. Postgres simplifies them for its own use, and evaluates functions of
/// constants for that: foreign code.
///
/// # Safety
/// The index must be open.
pub unsafe fn expressions_of(index: pg_sys::Relation) -> Option<PgList<pg_sys::Node>> {
    // SAFETY: guaranteed by the caller; the column has a list.
    unsafe { node(index, pg_sys::Anum_pg_index_indexprs).map(|list| PgList::from_pg(list.cast())) }
}

/// Returns the condition of a partial index, in the same way; `None` if the index has all rows.
///
/// # Safety
/// The index must be open.
pub unsafe fn predicate_of(index: pg_sys::Relation) -> Option<*mut pg_sys::Node> {
    // SAFETY: guaranteed by the caller.
    unsafe { node(index, pg_sys::Anum_pg_index_indpred) }
}

/// Returns the expressions and the condition of an index, as the catalog has them.
///
/// # Safety
/// The index must be open.
pub unsafe fn written_of(index: pg_sys::Relation) -> Vec<String> {
    // SAFETY: guaranteed by the caller; both columns have nodes.
    let of = |column| unsafe { written(index, column) };
    [of(pg_sys::Anum_pg_index_indexprs), of(pg_sys::Anum_pg_index_indpred)].into_iter().flatten().map(owned).collect()
}

/// # Safety
/// The index must be open, and the column of `pg_index` must be one of nodes.
unsafe fn node(index: pg_sys::Relation, column: u32) -> Option<*mut pg_sys::Node> {
    // SAFETY: guaranteed by the caller.
    unsafe { written(index, column).map(|nodes| pg_sys::stringToNode(nodes).cast()) }
}

/// # Safety
/// The index must be open, and the column of `pg_index` must be one of nodes.
unsafe fn written(index: pg_sys::Relation, column: u32) -> Option<*mut c_char> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::INDEXRELID as i32;
        let mut null = true;
        let written = pg_sys::SysCacheGetAttr(cache, (*index).rd_indextuple, column as i16, &raw mut null);
        (!null).then(|| pg_sys::text_to_cstring(written.cast_mut_ptr()))
    }
}
