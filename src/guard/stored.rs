//! A stored row, found by its primary key as text.

use pgrx::prelude::*;

use crate::guarded::guard::Guard;
use crate::guarded::statement;
use crate::pg::call::column;
use crate::pg::call::role;
use crate::pg::catalog;
use crate::pg::table::original;
use crate::pg::table::row_id::Tid;
use crate::pg::table::rows::{Snapshot, Table, Version};

/// Finds a row, as the current user, by its key: its table and its address.
pub fn find(guard: &Guard, key: &str) -> Option<(pg_sys::Oid, Tid)> {
    let columns = statement::primary_key(guard.table);
    let (condition, value) = match &columns[..] {
        [only] => {
            // The CHECK of a domain would run code of its owner.
            let kind = catalog::base_type(only.kind);
            (statement::equal(&columns, "t", |_, _| "$1".to_owned()), (kind, Some(column::input(key, kind))))
        }
        _ => {
            let condition = format!("$1 {} {}", statement::EQUALS, statement::key_of("t", &columns));
            (condition, (pg_sys::TEXTOID, key.into_datum()))
        }
    };
    let statement = format!("SELECT t.ctid, t.tableoid FROM {} AS t WHERE {condition}", statement::only(guard.table));
    // SAFETY: the statement gives these columns, and the value is of the parameter's type.
    unsafe { original::find(&statement, &[value]) }
}

/// Returns the mark of a row, without asking for a right; `None` if it has none, or does not exist.
pub fn mark_of(guard: &Guard, key: &str) -> Option<String> {
    let (table, tid) = role::as_owner(guard.owner, || find(guard, key))?;
    let part = guard.part(table)?;
    let column = guard.mark_column(&part)?;
    let mut table = Table::open(table)?;
    let snapshot = Snapshot::begin();
    matches!(table.read(tid, &snapshot), Version::Row(_)).then(|| table.output(column)).flatten()
}
