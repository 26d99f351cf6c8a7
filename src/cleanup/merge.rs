//! The action `merge`: the kept row becomes what a function of the user's makes of it and of the rows that are removed.
//!
//! A group is merged whole, in one step: its rows are locked and checked as for the other actions, the function is called with the kept row and
//! with each of the others in the order of their keys, the others are deleted and kept as with the action `archive`, and one UPDATE gives the kept
//! row what has changed. The UPDATE comes last, so that the kept row can take over values of unique columns, and the guard compares the merged
//! text with what is left.
//!
//! All of it runs as the caller, except what is kept of the rows: [`super::batch`]. Two records of the kept row are kept, too, with the
//! columns that the merge has changed, as they were and as they became, and with a hash of its text: `neardup.restore` goes by them, and by the text
//! it knows another row that has the key by now.
#![allow(unsafe_code, reason = "rows of a table by their types")]

use std::ffi::CString;
use std::mem::ManuallyDrop;

use pgrx::JsonB;
use pgrx::memcxt::PgMemoryContexts;
use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, quote_literal};

use super::batch::{self, AFTER, BEFORE, RECORD, broken};
use super::log::note_removed;
use super::plan::{Cleanup, LIST, with};
use crate::error::{Result, error, invalid};
use crate::guarded::arguments::{check_function, check_merges, no_merge, shown, shown_function};
use crate::guarded::beside;
use crate::guarded::document::Document;
use crate::guarded::statement;
use crate::pg::call::function::{self, Argument};
use crate::pg::call::{role, settings};
use crate::pg::catalog::Column;
use crate::pg::table::change::{self, Parameter};
use crate::pg::table::original::{self, Change, Locked};
use crate::pg::table::query::Session;

/// Returns the function that a clean-up merges by: the argument, or that of the guard. It is none for another action.
#[pg_extern(sql = false)]
fn merging_function(
    arguments: Option<JsonB>,
    action: Option<&str>,
    merge: Option<pg_sys::Oid>,
) -> Result<Option<pg_sys::Oid>> {
    let (Some(arguments), Some(action)) = (arguments, action) else { return Ok(None) };
    with(arguments, |cleanup| {
        if action != "merge" {
            let refused = |function| invalid(format!("merge requires action merge: {}", shown_function(function)));
            return merge.map_or(Ok(None), |function| Err(refused(function)));
        }
        let target = cleanup.choice.guard.table;
        if cleanup.choice.against.is_some() {
            return Err(invalid("action merge cannot be combined with against")
                .set_detail("Rows are merged into rows of the same table."));
        }
        let function = merge.or(cleanup.choice.guard.merge).ok_or_else(|| no_merge(target, "action"))?;
        check_merges(function, target)?;
        if merge.is_none() {
            // The caller has not named it.
            let hint = format!(
                "Connect as its owner, or name it if you trust it: merge => {}.",
                pgrx::spi::quote_literal(shown_function(function))
            );
            check_function(function, "merges rows").map_err(|wrong| wrong.set_hint(hint))?;
        }
        role::require_execute(function);
        Ok(Some(function))
    })
}

/// Merges the groups of the places `after + 1 .. last`, which have been locked and checked, and returns the number of rows removed. `settings`
/// are those of the caller.
#[pg_extern(sql = false)]
fn merge_batch(
    arguments: JsonB,
    merge: pg_sys::Oid,
    settings: Vec<Option<String>>,
    run_id: i64,
    batch: i32,
    after: i64,
    last: i64,
) -> Result<i64> {
    with(arguments, |cleanup| {
        let table = cleanup.choice.guard.table;
        check_merges(merge, table)?;
        let settings = settings.into_iter().flatten().map(|value| CString::new(value).unwrap_or_default()).collect();
        let (owner, removed) = (cleanup.owner()?, cleanup.removed_table()?);
        let merging = Merging { cleanup, merge, settings, owner, removed, run: [run_id, batch.into()] };
        let mut count = 0;
        // Kept rows may be large: what a group leaves in memory is freed after it.
        let mut memory = ManuallyDrop::new(PgMemoryContexts::new("a group that is merged"));
        for group in cleanup.groups(after, last)? {
            // SAFETY: what is allocated inside is not used outside. An error leaves by unwinding, and the end of the transaction or savepoint frees it.
            unsafe {
                let before = pg_sys::MemoryContextSwitchTo(memory.value());
                count += merging.group(&group)?;
                pg_sys::MemoryContextSwitchTo(before);
                memory.reset();
            }
        }
        // SAFETY: it is used no more.
        unsafe { ManuallyDrop::drop(&mut memory) };
        cleanup.take_marks_off(&[Parameter::Number(after), Parameter::Number(last)]);
        note_removed(cleanup, owner, run_id, count)?;
        Ok(count)
    })
}

/// The merging of a batch.
struct Merging<'c> {
    cleanup: &'c Cleanup,
    /// The function.
    merge: pg_sys::Oid,
    /// The settings of its caller that it is called with; batches have their own, so that keys are one text.
    settings: Vec<CString>,
    /// The owner of the table.
    owner: pg_sys::Oid,
    /// The table of removed rows.
    removed: pg_sys::Oid,
    /// Run and batch.
    run: [i64; 2],
}

/// The rows that are merged into one: places `after + 1 .. last`.
struct Group {
    after: i64,
    last: i64,
}

impl Merging<'_> {
    /// Merges a group, and returns the number of rows removed.
    fn group(&self, group: &Group) -> Result<i64> {
        let cleanup = self.cleanup;
        let table = cleanup.choice.guard.table;
        // SAFETY: the statement returns these columns, and its parameter is a number.
        let kept = unsafe { original::lock(&cleanup.kept_row(), &[number(group.last)]) };
        let gone = || broken("the row to merge into is not there any more");
        let kept = kept.ok_or_else(gone)?;
        let names: Vec<String> = cleanup.keys.iter().map(|key| key.name.clone()).collect();
        // SAFETY: the row is one of the table, and lives to the end of this call.
        let keys = unsafe { original::values(table, kept.row, &names) }.ok_or_else(gone)?;
        let places = [number(group.after), number(group.last)];
        // SAFETY: the statement returns rows of the table, its parameters are numbers, and the start is a row of the table.
        let (merged, count) = unsafe {
            original::fold(&cleanup.duplicate_rows(), &places, kept.row, |existing, row| {
                self.merged(existing, row, &names)
            })
        }?;
        let (delete, store) = cleanup.archive(self.removed);
        let record = [group.after, group.last, self.run[0], self.run[1]].map(Parameter::Number);
        let (deleted, stored) = change::transfer(&delete, &record, self.owner, &store);
        if stored < deleted {
            return Err(batch::not_kept());
        }
        if deleted != count {
            return Err(broken("a trigger or the function that merges has left a row in place, or removed one"));
        }
        // SAFETY: both are rows of the table, and live to the end of this call.
        let changes = unsafe { original::changes(table, kept.row, merged) }.unwrap_or_default();
        if changes.is_empty() {
            self.check_kept(&kept, &keys)?;
        } else {
            // The UPDATE would overwrite that, and a restore would bring back what was before it.
            if !original::is_visible(kept.table, kept.tid) && self.has_key(&keys) {
                return Err(broken("a trigger or the function that merges has changed the row to merge into"));
            }
            self.change(&changes, &keys)?;
        }
        Ok(count as i64)
    }

    /// Calls the function with the kept row, as merged so far, and a row that is removed. The kept row keeps its key.
    fn merged(&self, existing: pg_sys::Datum, row: pg_sys::Datum, keys: &[String]) -> Result<pg_sys::Datum> {
        let table = self.cleanup.choice.guard.table;
        // SAFETY: the function's signature was checked for the batch, and both are rows of the table; so is what it returns, or `changes` is none.
        unsafe {
            let merged = settings::with(&self.settings, || function::row_of_rows(self.merge, existing, row));
            let Some(merged) = merged else { return Ok(existing) };
            let Some(mut changes) = original::changes(table, existing, merged) else {
                let message =
                    format!("the function that merges rows of table {} returned a row of another type", shown(table));
                return Err(error(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message));
            };
            // What the kept row is a copy of is no value to merge: it would name a row that goes, or itself.
            let marks = self.cleanup.choice.guard.marks();
            changes.retain(|change| !keys.contains(&change.column) && Some(&change.column) != marks);
            if changes.is_empty() {
                return Ok(existing);
            }
            Ok(original::with_changes(table, existing, &changes).unwrap_or(existing))
        }
    }

    /// Updates the kept row, and keeps what it was and what it has become in the columns that change.
    fn change(&self, changes: &[Change], keys: &[Argument]) -> Result<()> {
        let cleanup = self.cleanup;
        let columns: Vec<String> = changes.iter().map(|change| quote_identifier(change.column.as_str())).collect();
        let key_columns = statement::list(&cleanup.keys, |key| quote_identifier(&key.name));
        let count = cleanup.keys.len() + columns.len();
        let store = format!(
            "INSERT INTO {removed} ({RECORD}, {key_columns}, {columns}) VALUES ({parameters})",
            removed = statement::relation(self.removed),
            columns = columns.join(", "),
            parameters = parameters(1, 9 + count).join(", "),
        );
        let first = 3 + keys.len();
        let values = parameters(first, columns.len());
        let returned = |measure: &str, values: &[String]| {
            let key = statement::key_of("t", &cleanup.keys);
            format!(
                "$1, CAST($2 AS integer), pg_catalog.clock_timestamp(), CAST(CURRENT_USER AS pg_catalog.text), {key}, {key}, \
                 {text}, {measure}::pg_catalog.text, NULL::double precision, {keys}, {values}",
                text = known_text(&cleanup.choice.guard.document(), "t"),
                measure = quote_literal(measure),
                keys = statement::list(&cleanup.keys, |key| statement::column("t", &key.name)),
                values = values.join(", "),
            )
        };
        let has_key = statement::equal(&cleanup.keys, "t", |at, _| format!("${}", 2 + at));
        let was = format!("SELECT {} FROM {} t WHERE {has_key}", returned(BEFORE, &values), cleanup.target);
        let set: Vec<String> =
            columns.iter().zip(&values).map(|(column, value)| format!("{column} = {value}")).collect();
        let became: Vec<String> = columns.iter().map(|column| format!("t.{column}")).collect();
        let update = format!(
            "UPDATE {} t SET {} WHERE {has_key} RETURNING {}",
            cleanup.target,
            set.join(", "),
            returned(AFTER, &became)
        );
        let before: Vec<Argument> = changes.iter().map(|change| change.before).collect();
        let after: Vec<Argument> = changes.iter().map(|change| change.value).collect();
        for (statement, values) in [(was, before), (update, after)] {
            let record: Vec<Argument> =
                self.run.into_iter().map(number).chain(keys.iter().copied()).chain(values).collect();
            // SAFETY: each value has the type next to it.
            let (updated, stored) = unsafe { change::transfer_values(&statement, &record, self.owner, &store) };
            if stored < updated {
                return Err(batch::not_kept());
            }
            if updated != 1 {
                return Err(broken("a trigger has kept the merged row from being stored, or the row is gone"));
            }
        }
        // Neither the row nor its records would be found by the key that they are kept under.
        if !self.has_key(keys) {
            return Err(broken(
                "the merged row would have another key: the key is generated from a column that the merge changes, or a trigger sets it",
            ));
        }
        Ok(())
    }

    /// Checks that there is still a row to stand for those that were removed.
    fn check_kept(&self, kept: &Locked, keys: &[Argument]) -> Result<()> {
        if original::is_visible(kept.table, kept.tid) {
            return Ok(());
        }
        if self.has_key(keys) {
            return Ok(());
        }
        Err(broken("the function that merges has deleted the row to merge into"))
    }

    /// Says whether the table has a row with this key.
    fn has_key(&self, keys: &[Argument]) -> bool {
        let has_key = statement::equal(&self.cleanup.keys, "t", |at, _| format!("${at}"));
        let find = format!("SELECT t.ctid, t.tableoid FROM {} t WHERE {has_key}", self.cleanup.target);
        // SAFETY: the statement returns these columns, and the values are of the key.
        unsafe { original::find(&find, keys) }.is_some()
    }
}

/// What forms a document, as records of a merge name it before the hash of a text.
pub fn form_of(document: &Document<'_>) -> String {
    let columns = || document.columns.iter().map(|name| quote_identifier(name.as_str())).collect::<Vec<_>>().join(", ");
    format!("{}: ", document.expression.clone().unwrap_or_else(columns))
}

/// The expression for what a record says of the text of a row: what forms it, and its hash.
fn known_text(document: &Document<'_>, alias: &str) -> String {
    let hash = beside::hash(&document.of_table(alias), None);
    format!("pg_catalog.concat({}::pg_catalog.text, {hash})", quote_literal(form_of(document)))
}

fn number(value: i64) -> Argument {
    (pg_sys::INT8OID, value.into_datum())
}

/// Names parameters, counted from `first`.
fn parameters(first: usize, count: usize) -> Vec<String> {
    (first..first + count).map(|number| format!("${number}")).collect()
}

impl Cleanup {
    /// How the list of a merge is numbered, and the column that it has besides: the last place of the group. A group is merged whole, so its
    /// rows lie together, in the order of their keys.
    pub fn grouped(&self) -> (String, String) {
        let columns = |prefix: &str, keys: &[Column]| {
            (1..=keys.len()).map(|number| format!("c.{prefix}{number}")).collect::<Vec<_>>().join(", ")
        };
        let kept = columns("r", &self.kept_keys);
        (
            format!("ORDER BY {kept}, {}", columns("k", &self.keys)),
            format!(", pg_catalog.max(c.place) OVER (PARTITION BY {kept}) AS group_end"),
        )
    }

    /// The groups among these places, as far as their rows may be removed.
    fn groups(&self, after: i64, last: i64) -> Result<Vec<Group>> {
        let statement = format!(
            "SELECT pg_catalog.min(c.place), pg_catalog.max(c.place) FROM {LIST} c \
             WHERE c.place > {after} AND c.place <= {last} AND c.reason IS NULL GROUP BY c.group_end ORDER BY c.group_end"
        );
        let session = Session::open();
        let mut groups = Vec::new();
        session.each(&session.prepare(&statement, &[]), &[], |row| {
            if let (Some(first), Some(last)) = (row.number(1), row.number(2)) {
                groups.push(Group { after: first - 1, last });
            }
            Ok(())
        })?;
        Ok(groups)
    }

    /// The statement that locks the kept row of place `$1`.
    fn kept_row(&self) -> String {
        format!(
            "SELECT {row}, r.ctid, r.tableoid FROM {kept} r, {LIST} c WHERE c.place = $1 AND {is_kept} FOR NO KEY UPDATE OF r",
            row = statement::as_row("r.*", self.kept),
            kept = self.target,
            is_kept = self.is_kept(),
        )
    }

    /// The statement that reads the rows of a group in their order.
    fn duplicate_rows(&self) -> String {
        format!(
            "SELECT {row} FROM {target} t, {LIST} c \
             WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND {is_duplicate} ORDER BY c.place",
            row = statement::as_row("t.*", self.choice.guard.table),
            target = self.target,
            is_duplicate = self.is_duplicate(),
        )
    }
}
