//! A stored row, found by its primary key as text, and whether a writer may learn of it.

use neardup_core::row_key;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::error;
use crate::guarded::arguments::shown;
use crate::guarded::guard::Guard;
use crate::guarded::statement;
use crate::pg::call::column;
use crate::pg::call::function::Argument;
use crate::pg::call::role;
use crate::pg::call::settings;
use crate::pg::catalog;
use crate::pg::table::original;
use crate::pg::table::row_id::Tid;
use crate::pg::table::rows::{Snapshot, Table, Version};
use crate::pg::table::unique;

/// Returns the condition that a row, of this alias, has a key, with the values of its parameters, the first of which is this one. A key may have
/// been of other types when it was written down: `None` if its text is no value of the type, and so the key of no row; where that is not known,
/// texts are compared, unless it is known that the text `is_value`, whose input would raise an error otherwise.
pub fn has_key(guard: &Guard, key: &str, is_value: bool, alias: &str, first: usize) -> Option<(String, Vec<Argument>)> {
    let columns = statement::primary_key(guard.table);
    let (mut conditions, mut values) = (Vec::new(), Vec::new());
    for (number, (column, value)) in (first..).zip(columns.iter().zip(row_key::split(key, columns.len())?)) {
        // The CHECK of a domain would run code of its owner.
        let kind = catalog::base_type(column.kind);
        let own = statement::column(alias, &column.name);
        match unique::forms_of(kind) {
            Some(is_form) if !is_form(&value) => return None,
            None if !is_value => {
                conditions.push(format!("{} {} ${number}", statement::key_part(&own), statement::EQUALS));
                values.push((pg_sys::TEXTOID, value.into_datum()));
            }
            _ => {
                conditions.push(statement::equals(&own, &format!("${number}"), kind));
                values.push((kind, Some(column::input(&value, kind))));
            }
        }
    }
    Some((conditions.join(" AND "), values))
}

/// Finds a row, as the current user, by its key: its table and its address.
pub fn find(guard: &Guard, key: &str) -> Option<(pg_sys::Oid, Tid)> {
    let (condition, values) = has_key(guard, key, false, "t", 1)?;
    let statement = format!("SELECT t.ctid, t.tableoid FROM {} AS t WHERE {condition}", statement::only(guard.table));
    // Guards write a key under these settings.
    settings::plain(|| {
        // SAFETY: the statement gives these columns, and the values are of the parameters' types.
        unsafe { original::find(&statement, &values) }
    })
}

/// Says whether a row has the key that a mark names, committed or not; the mark as text, and as a value of a key of one column.
pub fn exists(guard: &Guard, mark: &str, (kind, value): Argument) -> bool {
    guard.leaves.iter().any(|leaf| match guard.keys.len() {
        1 => value.is_none_or(|value| unique::has_key(leaf.table, kind, value)),
        _ => guard.part(leaf.table).is_some_and(|part| unique::has_key_of(leaf.table, &part.keys, mark)),
    })
}

/// Makes the error for a key that no row has.
pub fn missing(guard: &Guard, key: &str) -> ErrorReport {
    let message = format!("no row of table {} has the key ({})=({key})", shown(guard.table), guard.keys.join(", "));
    error(PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT, message)
}

/// Says whether the current user, who stores a row in `part`, may learn the key of another row from a mark on the new one. Where row security
/// applies to them, that must be a row that they see. A user who may read no column at all reads no mark either.
pub fn may_learn(guard: &Guard, part: pg_sys::Oid, key: &str) -> bool {
    let tables = [guard.table, part];
    !tables.into_iter().any(catalog::has_row_security)
        || !tables.into_iter().any(catalog::may_read_some)
        || catalog::may_read_columns(guard.table) && find(guard, key).is_some()
}

/// Returns the mark of a row, without asking for a right; `None` if it has none, or does not exist, or the table has a partition of another role.
pub fn mark_of(guard: &Guard, key: &str) -> Option<String> {
    if !catalog::is_whole_of(guard.table, guard.owner) {
        return None;
    }
    let (table, tid) = role::as_owner(guard.owner, || find(guard, key))?;
    let part = guard.part(table)?;
    let column = guard.mark_column(&part)?;
    let mut table = Table::open(table)?;
    let snapshot = Snapshot::begin();
    matches!(table.read(tid, &snapshot), Version::Row(_)).then(|| table.output(column)).flatten()
}
