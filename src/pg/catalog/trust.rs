//! Which functions may run when another role's relation is read: those that a plain SELECT would run, and those of roles that have the rights of
//! the caller.
//!
//! A plain SELECT runs the output functions of types and the operators of their default classes, which only superusers can create. A cast
//! may run a function of the type's owner, or one that runs others by the value's type, as `to_jsonb` does; and the input of a row or a domain the CHECKs
//! of domains.

use pgrx::pg_sys;

use super::cached;

/// Objects with smaller numbers are Postgres's own.
const FIRST_OF_USERS: u32 = 16384;

/// The role `pg_database_owner`, which stands for the owner of the database.
const DATABASE_OWNER: pg_sys::Oid = pg_sys::Oid::from_u32(6171);

/// Says whether an object is Postgres's own.
pub fn is_of_postgres(object: pg_sys::Oid) -> bool {
    u32::from(object) < FIRST_OF_USERS
}

/// Says whether a function is Postgres's own, or of a trusted role.
pub fn is_trusted(function: pg_sys::Oid) -> bool {
    let owner = |row| {
        // SAFETY: a row of the cache of functions.
        unsafe { (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_proc>(row)).proowner }
    };
    is_of_trusted(function, pg_sys::SysCacheIdentifier::PROCOID, owner)
}

/// Says whether a type is Postgres's own, or of a trusted role: nobody but the owner of one of its types makes a cast.
fn is_trusted_type(kind: pg_sys::Oid) -> bool {
    let owner = |row| {
        // SAFETY: a row of the cache of types.
        unsafe { (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_type>(row)).typowner }
    };
    is_of_trusted(kind, pg_sys::SysCacheIdentifier::TYPEOID, owner)
}

/// Says whether nobody but trusted roles, and the owner of the schema of this table, can put another function under the name of this one.
pub fn is_of_trusted_schema(function: pg_sys::Oid, table: pg_sys::Oid) -> bool {
    // SAFETY: reads catalogs.
    let [own, beside] = unsafe { [pg_sys::get_func_namespace(function), pg_sys::get_rel_namespace(table)] };
    own == beside
        || schema_owner(own).is_some_and(|owner| is_trusted_role(owner) || schema_owner(beside) == Some(owner))
}

/// Returns the owner of a schema; that of the database for one of `pg_database_owner`.
fn schema_owner(schema: pg_sys::Oid) -> Option<pg_sys::Oid> {
    let of_schema = |row| {
        // SAFETY: a row of the cache of schemas.
        unsafe { (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_namespace>(row)).nspowner }
    };
    let of_database = |row| {
        // SAFETY: a row of the cache of databases.
        unsafe { (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_database>(row)).datdba }
    };
    // SAFETY: reads catalogs.
    unsafe {
        match cached(pg_sys::SysCacheIdentifier::NAMESPACEOID, schema, of_schema)? {
            DATABASE_OWNER => cached(pg_sys::SysCacheIdentifier::DATABASEOID, pg_sys::MyDatabaseId, of_database),
            owner => Some(owner),
        }
    }
}

fn is_of_trusted(
    object: pg_sys::Oid,
    cache: pg_sys::SysCacheIdentifier::Type,
    owner: impl Fn(pg_sys::HeapTuple) -> pg_sys::Oid,
) -> bool {
    // SAFETY: reads a catalog.
    is_of_postgres(object) || unsafe { cached(cache, object, owner) }.is_some_and(is_trusted_role)
}

/// Says whether nobody but trusted roles can put another type under the name of this one. The owner of the database, to whom `public` belongs, is trusted.
pub fn has_trusted_name(kind: pg_sys::Oid) -> bool {
    let read = |row| {
        // SAFETY: a row of the cache of types.
        unsafe { (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_type>(row)).typnamespace }
    };
    let owner = |row| {
        // SAFETY: a row of the cache of schemas.
        unsafe { (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_namespace>(row)).nspowner }
    };
    // SAFETY: reads catalogs.
    let of_schema = unsafe {
        cached(pg_sys::SysCacheIdentifier::TYPEOID, kind, read)
            .and_then(|schema| cached(pg_sys::SysCacheIdentifier::NAMESPACEOID, schema, owner))
    };
    is_of_postgres(kind)
        || is_trusted_type(kind) && of_schema.is_some_and(|owner| owner == DATABASE_OWNER || is_trusted_role(owner))
}

/// Says whether code of a role may run as the current user: that role could run it as this user itself. It is the user, a superuser, or a member of the
/// user's role. That the user is a member of the other role is not enough: whoever may grant a role can make anybody a member.
pub fn is_trusted_role(role: pg_sys::Oid) -> bool {
    // SAFETY: reads catalogs.
    unsafe { pg_sys::has_privs_of_role(role, pg_sys::GetUserId()) }
}

/// Says whether the JSON of values of a type is made by Postgres alone: for another type it runs a cast, whoever has made that.
pub fn converts_plainly(kind: pg_sys::Oid) -> bool {
    // SAFETY: reads catalogs.
    is_of_postgres(unsafe { pg_sys::getBaseType(kind) })
}

/// Says whether a value becomes one of a type without a CHECK of a role that is not trusted: the type is no domain, or those that it is made of are trusted.
pub fn becomes_plainly(mut kind: pg_sys::Oid) -> bool {
    loop {
        let base = |row| {
            // SAFETY: a row of the cache of types.
            unsafe { (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_type>(row)).typbasetype }
        };
        // SAFETY: reads a catalog.
        match unsafe { cached(pg_sys::SysCacheIdentifier::TYPEOID, kind, base) } {
            Some(base) if base != pg_sys::Oid::INVALID => {
                if !is_trusted_type(kind) {
                    return false;
                }
                kind = base;
            }
            _ => return true,
        }
    }
}

/// Says whether a cast from one type to another, or between the types behind domains, runs trusted functions only.
pub fn is_plain_cast(from: pg_sys::Oid, to: pg_sys::Oid) -> bool {
    // SAFETY: reads catalogs.
    unsafe {
        let (from, to) = (pg_sys::getBaseType(from), pg_sys::getBaseType(to));
        if from == to {
            return true;
        }
        // The owner of a type can make a cast at any time: also between this check and the statement, which may wait for a lock.
        if !is_trusted_type(from) || !is_trusted_type(to) {
            return false;
        }
        let mut function = pg_sys::Oid::INVALID;
        let explicit = pg_sys::CoercionContext::COERCION_EXPLICIT;
        let element = |kind| pg_sys::get_element_type(kind);
        match pg_sys::find_coercion_pathway(to, from, explicit, &raw mut function) {
            pg_sys::CoercionPathType::COERCION_PATH_FUNC => is_trusted(function),
            // Elements become those of the target's type, and where that is a domain, its CHECK runs for each.
            pg_sys::CoercionPathType::COERCION_PATH_ARRAYCOERCE => {
                let (from, to) = (element(from), element(to));
                from == to || pg_sys::getBaseType(to) == to && is_plain_cast(from, to)
            }
            pg_sys::CoercionPathType::COERCION_PATH_COERCEVIAIO => has_plain_input(to),
            // Postgres raises its own error where there is no cast.
            _ => true,
        }
    }
}

/// Says whether the input function of a type runs no CHECK: that of rows, and of arrays, ranges and the like of them, may.
fn has_plain_input(kind: pg_sys::Oid) -> bool {
    // SAFETY: reads catalogs.
    let (kinds, element) = unsafe { (pg_sys::get_typtype(kind) as u8, pg_sys::get_element_type(kind)) };
    is_of_postgres(kind)
        || kinds == pg_sys::TYPTYPE_ENUM
        || kinds == pg_sys::TYPTYPE_BASE && (element == pg_sys::Oid::INVALID || has_plain_input(element))
}
