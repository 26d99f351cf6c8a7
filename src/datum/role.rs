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

/// Does something with the rights of `role`, whatever row security says.
///
/// An error leaves by unwinding, and the end of the transaction or savepoint then restores the user.
pub fn act_as<T>(role: pg_sys::Oid, work: impl FnOnce() -> T) -> T {
    let (mut user, mut context) = (pg_sys::Oid::INVALID, 0);
    // SAFETY: both only set variables of this backend.
    unsafe {
        pg_sys::GetUserIdAndSecContext(&raw mut user, &raw mut context);
        let restricted = pg_sys::SECURITY_LOCAL_USERID_CHANGE | pg_sys::SECURITY_NOFORCE_RLS;
        pg_sys::SetUserIdAndSecContext(role, context | restricted as i32);
    }
    let result = work();
    // SAFETY: what was read above.
    unsafe { pg_sys::SetUserIdAndSecContext(user, context) };
    result
}

/// The name of the current user.
pub fn current() -> String {
    // SAFETY: only reads a catalog; the name is a C string in the memory of this call.
    unsafe {
        let name = pg_sys::GetUserNameFromId(pg_sys::GetUserId(), false);
        std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned()
    }
}

/// Whether the user owns the table, himself or by a role whose rights he has.
pub fn owns(table: pg_sys::Oid) -> bool {
    // SAFETY: only reads catalogs for the current user; raises Postgres's error where there is no such table.
    #[cfg(any(feature = "pg14", feature = "pg15"))]
    let owns = unsafe { pg_sys::pg_class_ownercheck(table, pg_sys::GetUserId()) };
    // SAFETY: the same.
    #[cfg(not(any(feature = "pg14", feature = "pg15")))]
    let owns = unsafe { pg_sys::object_ownercheck(pg_sys::RelationRelationId, table, pg_sys::GetUserId()) };
    owns
}
