//! The tables beside a guarded one, for what is diverted, removed and answered: nothing is written there as their owner unless they are plain tables.

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::arguments::shown;
use crate::error::{Result, error};
use crate::pg::catalog;
use crate::pg::table::plain;

/// Checks that writing a row of a table runs nobody's code, also one that is moved there from `source`, and locks it so that this stays so until the end of
/// the transaction.
///
/// # Errors
/// If it may run code, or the table is not of that owner.
pub fn check(table: pg_sys::Oid, owner: pg_sys::Oid, source: Option<pg_sys::Oid>) -> Result<()> {
    let Some(obstacle) = plain::obstacle(table, owner, source) else { return Ok(()) };
    let hint = if obstacle == plain::ANOTHER_OWNER {
        "Rename it. Only if it kept such rows before the owner changed: give it the owner of the guarded table."
    } else {
        "Drop that: the table must have no trigger, rule, check, default, foreign key, type or statistics of a user, and no index on a function of one. Use a trigger of the guarded table instead, or a job."
    };
    let message = format!("table {} is not written to as its owner: it has {obstacle}", shown(table));
    Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
        .set_detail("Rows go there by acts of other roles, and what it has would run with the rights of its owner.")
        .set_hint(hint))
}

/// Does so for a table beside `target`. The owners are those of this moment, whatever the snapshot of the transaction says.
#[pg_extern(sql = false)]
fn check_plain(target: pg_sys::Oid, relation: pg_sys::Oid) -> Result<()> {
    match catalog::owner(target) {
        Some(owner) => check(relation, owner, None),
        None => Err(error(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE, "the table has been dropped")),
    }
}

/// Says whether two tables have one owner at this moment.
#[pg_extern(sql = false)]
fn have_one_owner(table: pg_sys::Oid, other: pg_sys::Oid) -> bool {
    catalog::owner(table).is_some_and(|owner| catalog::owner(other) == Some(owner))
}
