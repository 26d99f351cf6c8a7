//! What the current user may see.

use pgrx::pg_sys;

/// Whether the user may read every row of the table: the right to select, and no row security in force.
///
/// The same rule by which Postgres decides whether a unique violation names the key.
pub fn may_read(table: pg_sys::Oid) -> bool {
    // SAFETY: both only read catalogs for the current user.
    unsafe {
        let user = pg_sys::GetUserId();
        pg_sys::pg_class_aclcheck(table, user, pg_sys::ACL_SELECT as pg_sys::AclMode) == pg_sys::AclResult::ACLCHECK_OK
            && pg_sys::check_enable_rls(table, pg_sys::Oid::INVALID, true)
                != pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
    }
}

/// Whether the user owns the table, himself or by a role whose rights he has.
pub fn owns(table: pg_sys::Oid) -> bool {
    // SAFETY: only reads catalogs for the current user; raises Postgres's error where there is no such table.
    unsafe { pg_sys::pg_class_ownercheck(table, pg_sys::GetUserId()) }
}
