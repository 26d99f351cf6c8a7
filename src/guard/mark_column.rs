//! The columns of a guarded table that hold keys of other rows: of which type they are, and that they get the key's type if that has changed.
//!
//! The type is that of the key, without the constraints and the length that the key has: a mark may name a row that had another key once, and a
//! domain's check would be code of its owner. Another type is given as the owner of the table, because Postgres then checks constraints and
//! computes indexes on the column anew.

use pgrx::prelude::*;
use pgrx::spi::quote_identifier;

use crate::error::{Result, error};
use crate::guarded::arguments::{column, shown};
use crate::guarded::statement;
use crate::pg::call::{boundary, role};
use crate::pg::catalog;
use crate::pg::table::change;

/// Returns the type of a column for keys of a table's rows: text for a key of several columns.
pub fn kind(target: pg_sys::Oid) -> pg_sys::Oid {
    match statement::primary_key(target).as_slice() {
        [key] => catalog::base_type(key.kind),
        _ => pg_sys::TEXTOID,
    }
}

/// Returns the name of that type.
///
/// # Errors
/// If another role can give that name to another type.
#[pg_extern(sql = false)]
fn type_of_mark(target: pg_sys::Oid) -> Result<String> {
    let wanted = kind(target);
    if catalog::has_trusted_name(wanted) {
        return Ok(catalog::type_name(wanted));
    }
    let message =
        format!("the key of table {} is of type {} of another role", shown(target), catalog::shown_type(wanted));
    Err(error(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
        .set_detail("The column for marks would get that type by its name, which its owner can give to another type, whose checks would run with the privileges of the current role.")
        .set_hint("Call neardup.protect as the owner of the type."))
}

/// Gives a column that type, by the text of its values. Returns the name of the type, or nothing if the column has it.
///
/// # Errors
/// For who does not own the table; those of Postgres.
#[pg_extern(sql = false)]
fn retype(target: pg_sys::Oid, mark: &str) -> Result<Option<String>> {
    let (wanted, found) = (kind(target), column(target, mark)?);
    if found.kind == wanted {
        return Ok(None);
    }
    let Some(owner) = catalog::owner(target).filter(|_| role::owns(target)) else {
        let message = format!("must be owner of table {}", shown(target));
        return Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message));
    };
    // The casts will run as that owner.
    let text = pg_sys::TEXTOID;
    let is_plain = || catalog::is_plain_cast(found.kind, text) && catalog::is_plain_cast(text, wanted);
    // By its name, which the owner of its schema can give to another type meanwhile.
    if !role::as_owner(owner, || is_plain() && catalog::has_trusted_name(wanted)) {
        let kinds = [found.kind, wanted].map(catalog::shown_type).join(" to ");
        return Err(error(
            PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
            format!("a conversion from {kinds} may run code of another role"),
        ));
    }
    let statement = format!(
        "ALTER TABLE {table} ALTER COLUMN {mark} TYPE {wanted} USING CAST(CAST({mark} AS pg_catalog.text) AS {wanted})",
        table = statement::relation(target),
        mark = quote_identifier(mark),
        wanted = catalog::type_name(wanted),
    );
    // SAFETY: what is in the closure is dropped here.
    unsafe { boundary::entry(|| change::run_as(owner, &statement, &[])) };
    Ok(Some(catalog::shown_type(wanted)))
}
