//! Merges a near-duplicate into the row that it duplicates, by a function of the user's.
//!
//! All of it runs as the writer, as if it was written in a trigger of the table: [`lock`] locks the row that is there, then [`merge`] calls
//! the function with both rows and updates that row in the columns that the function changed. The UPDATE is an ordinary one, which the
//! guard judges like any other: against all rows but the one it changes.
//!
//! No key is locked meanwhile, because the writer may have to wait for the transaction that holds the row. The row is locked instead: what was judged
//! stays true until the end of the transaction. If the row has changed before it was locked, the guard searches again.
//!
//! The row keeps its primary key, whatever the function returns. So nothing that refers to it is lost, and no partition changes.

use pgrx::pg_sys;
use pgrx::prelude::*;
use pgrx::spi::quote_identifier;

use super::candidates::{Match, Original};
use crate::error::{Result, error};
use crate::guarded::guard::Guard;
use crate::guarded::statement;
use crate::pg::call::function::{self, Argument};
use crate::pg::call::trigger::{Row, RowTrigger};
use crate::pg::table::original::{self, Locked};
use crate::pg::table::row_id::{Tid, is_same};

/// Returns the table and the condition for the row whose key is in parameters that are counted from `first`.
fn table_and_key(guard: &Guard, first: usize) -> (String, String) {
    let table = format!("{} AS t", statement::only(guard.table));
    let key = statement::equal(&statement::primary_key(guard.table), "t", |at, _| format!("${}", first + at - 1));
    (table, key)
}

/// Returns a condition for one version of that row, whose address is in a parameter. A row that a transaction has merged into often has as many
/// versions, all of which a search by its key would read.
fn version(number: usize) -> String {
    format!("t.ctid OPERATOR(pg_catalog.=) ${number}")
}

/// Returns an address as an argument. It is read where it is.
fn address(tid: &Tid) -> Argument {
    (pg_sys::TIDOID, Some(pg_sys::Datum::from(std::ptr::from_ref(tid))))
}

/// Locks the row that was found, as the writer; `None` if it is another version than that which was judged.
///
/// # Errors
/// If the writer may not read and update the row, or the transaction's snapshot does not have it.
pub fn lock(guard: &Guard, original: &Original) -> Result<Option<Locked>> {
    let (table, key) = table_and_key(guard, 1);
    let row = statement::as_row("t.*", guard.table);
    let version = version(original.key.len() + 1);
    let statement =
        format!("SELECT {row}, t.ctid, t.tableoid FROM {table} WHERE {key} AND {version} FOR NO KEY UPDATE OF t");
    let arguments: Vec<Argument> = original.key.iter().copied().chain([address(&original.tid)]).collect();
    // SAFETY: the statement returns these columns, the search copied the key's values with their types, and the address is one.
    if let Some(locked) = unsafe { original::lock(&statement, &arguments) } {
        let is_judged = locked.table == original.table && is_same(locked.tid, original.tid);
        return Ok(is_judged.then_some(locked));
    }
    if original::is_visible(original.table, original.tid) {
        let message = format!("row-level security of table \"{}\" hides the row to merge into", guard.name);
        return Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
            .set_detail("The new row is a near-duplicate of a row that the role may not read and update."));
    }
    if original::keeps_snapshot() {
        let message = "could not serialize access due to concurrent update";
        return Err(error(PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE, message)
            .set_detail("The new row is a near-duplicate of a row that the transaction's snapshot does not have."));
    }
    Ok(None)
}

/// Calls the function with the locked row and the new one, and updates the locked row in the columns that it changed.
///
/// # Errors
/// If the function returns a row of another table.
pub fn merge(guard: &Guard, found: &Match, trigger: &RowTrigger<'_>, locked: &Locked) -> Result<()> {
    let (Some(function), Some(new)) = (guard.merge, trigger.row(Row::New)) else { return Ok(()) };
    // SAFETY: the rows are of the guarded table or, the new one, of its partition; the function's signature was checked when the guard was
    // loaded.
    let changes = unsafe {
        let new = function::row_of_root(new, trigger.relation_oid(), guard.table);
        let Some(merged) = function::row_of_rows(function, locked.row, new) else {
            return still_there(guard, found, locked);
        };
        original::changes(guard.table, locked.row, merged)
    };
    let Some(mut changes) = changes else {
        let message =
            format!("the function that merges rows of table \"{}\" returned a row of another type", guard.name);
        return Err(error(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message));
    };
    changes.retain(|change| !guard.keys.contains(&change.column));
    if changes.is_empty() {
        return still_there(guard, found, locked);
    }
    let set: Vec<String> = (1..)
        .zip(&changes)
        .map(|(number, change)| format!("{} = ${number}", quote_identifier(change.column.as_str())))
        .collect();
    let (table, key) = table_and_key(guard, changes.len() + 1);
    let key_values = found.original.iter().flat_map(|original| original.key.iter().copied());
    let mut arguments: Vec<Argument> = changes.iter().map(|change| change.value).chain(key_values).collect();
    let mut statement = format!("UPDATE {table} SET {} WHERE {key}", set.join(", "));
    // The function may have updated the row itself.
    if original::is_visible(locked.table, locked.tid) {
        arguments.push(address(&locked.tid));
        statement = format!("{statement} AND {}", version(arguments.len()));
    }
    // SAFETY: the values are those of columns, with their types, of the key and an address.
    let updated = unsafe { original::update(&statement, &arguments) };
    if updated > 0 {
        return Ok(());
    }
    still_there(guard, found, locked)?;
    let message =
        format!("a trigger, a rule or a policy of table \"{}\" has left the row to merge into as it was", guard.name);
    Err(error(PgSqlErrorCode::ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION, message)
        .set_detail("What the new row has would be lost.")
        .set_hint("Let a trigger that leaves out an UPDATE, such as suppress_redundant_updates_trigger, not fire for this table, or let the function return the row as the triggers make it."))
}

/// Checks that there is still a row to stand for the new one, which is not stored.
///
/// # Errors
/// If the function has deleted it.
fn still_there(guard: &Guard, found: &Match, locked: &Locked) -> Result<()> {
    if original::is_visible(locked.table, locked.tid) {
        return Ok(());
    }
    let (table, key) = table_and_key(guard, 1);
    let key_values: Vec<Argument> = found.original.iter().flat_map(|original| original.key.iter().copied()).collect();
    // SAFETY: the statement returns these columns, and the values are of the key.
    if unsafe { original::find(&format!("SELECT t.ctid, t.tableoid FROM {table} WHERE {key}"), &key_values) }.is_some()
    {
        return Ok(());
    }
    let message = format!("the row of table \"{}\" to merge into was deleted by the function that merges", guard.name);
    Err(error(PgSqlErrorCode::ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION, message))
}
