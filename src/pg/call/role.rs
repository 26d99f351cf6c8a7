//! Switching the current role, and the restrictions that go with it.

use std::ffi::CStr;

use pgrx::pg_sys;

use crate::pg::call::settings;
use crate::pg::compat;

/// Says whether the user may read every row of the table: may select, and row security does not apply.
///
/// Postgres decides by the same rule whether a unique violation names the key.
pub fn may_read(table: pg_sys::Oid) -> bool {
    // SAFETY: both only read catalogs for the current user.
    unsafe {
        let user = pg_sys::GetUserId();
        pg_sys::pg_class_aclcheck(table, user, pg_sys::ACL_SELECT as pg_sys::AclMode) == pg_sys::AclResult::ACLCHECK_OK
            && pg_sys::check_enable_rls(table, pg_sys::Oid::INVALID, true)
                != pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
    }
}

/// Returns the number of the current user.
pub fn current_oid() -> pg_sys::Oid {
    // SAFETY: only reads a variable.
    unsafe { pg_sys::GetUserId() }
}

/// Says whether the user may delete or update rows of a table.
pub fn may_clean(table: pg_sys::Oid) -> bool {
    let rights = pg_sys::ACL_DELETE | pg_sys::ACL_UPDATE;
    // SAFETY: only reads catalogs; one of the rights is enough.
    unsafe {
        pg_sys::pg_class_aclcheck(table, pg_sys::GetUserId(), rights as pg_sys::AclMode)
            == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Says whether a foreign key makes the statement: its triggers alone set that row security is not forced on the table's owner.
pub fn is_foreign_key() -> bool {
    // SAFETY: only reads a variable.
    unsafe { pg_sys::InNoForceRLSOperation() }
}

/// Runs `work` as the owner of a table, restricted as Postgres restricts index expressions and maintenance commands: settings
/// of its own, a search path that no other role can write to, and a security-restricted operation.
///
/// An error leaves by unwinding; the end of the transaction or savepoint then restores user and settings.
pub fn as_owner<T>(owner: pg_sys::Oid, work: impl FnOnce() -> T) -> T {
    let (mut user, mut context) = (pg_sys::Oid::INVALID, 0);
    // SAFETY: sets variables of this backend; `pg_catalog, pg_temp` is a valid path, so the setting raises no error.
    let level = unsafe {
        pg_sys::GetUserIdAndSecContext(&raw mut user, &raw mut context);
        pg_sys::SetUserIdAndSecContext(owner, context | pg_sys::SECURITY_RESTRICTED_OPERATION as i32);
        let level = pg_sys::NewGUCNestLevel();
        settings::set(c"search_path", c"pg_catalog, pg_temp");
        level
    };
    let result = work();
    // SAFETY: what was read and begun above.
    unsafe {
        pg_sys::AtEOXact_GUC(false, level);
        pg_sys::SetUserIdAndSecContext(user, context);
    }
    result
}

/// Runs `work` as the current user, with the same restrictions.
pub fn locked_down<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: reads a variable of this backend.
    as_owner(unsafe { pg_sys::GetUserId() }, work)
}

/// Returns the name of the current user.
pub fn current() -> String {
    name(current_oid())
}

/// Returns the name of a role.
pub fn name(role: pg_sys::Oid) -> String {
    // SAFETY: only reads a catalog; the name is a C string in the memory of this call.
    unsafe { CStr::from_ptr(pg_sys::GetUserNameFromId(role, false)).to_string_lossy().into_owned() }
}

/// Says whether the user owns the table, directly or through a role whose rights the user has.
pub fn owns(table: pg_sys::Oid) -> bool {
    compat::owns(table, current_oid())
}

/// Raises Postgres's error unless the user may call a function.
pub fn require_execute(function: pg_sys::Oid) {
    let answer = compat::may_execute(function, current_oid());
    if answer != pg_sys::AclResult::ACLCHECK_OK {
        // SAFETY: raises an error that names the function.
        unsafe {
            pg_sys::aclcheck_error(answer, pg_sys::ObjectType::OBJECT_FUNCTION, pg_sys::get_func_name(function));
        }
    }
}
