//! A batch of a clean-up: locks rows of the list, compares them once more, and removes, archives or marks them.
//!
//! All statements on the user's tables run as the caller. What a DELETE returned is kept in the table of removed rows with the rights of
//! its owner, to whom the caller may not be equal: that DELETE names nothing but the table, its columns and its key, so that no choice
//! and no list can make it return anything but rows that were there.

use pgrx::JsonB;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::spi::quote_identifier;

use super::check_may_clean;
use super::log::note_removed;
use super::plan::{Action, Cleanup, LIST, with};
use super::recheck::answered_meanwhile;
use crate::error::{Result, error};
use crate::guarded::arguments::shown;
use crate::guarded::plain;
use crate::guarded::statement::{self, EQUALS};
use crate::pg::catalog::{self, Column};
use crate::pg::table::change::{self, Parameter};
use crate::pg::table::query::{Session, Type, Value};

/// The columns of a table of removed rows before the table's own.
pub const RECORD: &str = "neardup_run, neardup_batch, neardup_at, neardup_by, neardup_key, neardup_duplicate_of, neardup_verdict, \
                      neardup_measure, neardup_value";

/// What a record of a row that others were merged into has as its measure: it is as it was before, or as it became. No other row of the table of
/// removed rows has these.
pub const BEFORE: &str = "before merge";
pub const AFTER: &str = "after merge";

/// Returns the least score, overlap or cosine of what is removed.
#[pg_extern(sql = false)]
fn cleanup_threshold(arguments: JsonB) -> Result<Option<f64>> {
    with(arguments, |cleanup| Ok(cleanup.choice.threshold))
}

/// Returns the column for marks, if the table does not have it.
#[pg_extern(sql = false)]
fn missing_mark(arguments: JsonB) -> Result<Option<String>> {
    with(arguments, |cleanup| Ok(cleanup.mark_column.is_none().then(|| cleanup.mark.clone())))
}

/// Removes or marks the rows of the places `after + 1 .. last`, and returns their number.
#[pg_extern(sql = false)]
fn cleanup_batch(arguments: JsonB, action: &str, run_id: i64, batch: i32, after: i64, last: i64) -> Result<i64> {
    with(arguments, |cleanup| {
        let action = Action::parse(action)?;
        let places = [Parameter::Number(after), Parameter::Number(last)];
        if action != Action::Mark {
            cleanup.lock_table();
        }
        // While it waited for the lock, somebody may have put another function in the place of the guard's.
        cleanup.choice.guard.check_expression()?;
        cleanup.lock(&places);
        if action != Action::Mark {
            cleanup.lock_followers(&places);
        }
        change::run(&cleanup.recheck(), &places);
        let answered = answered_meanwhile(cleanup, after, last)?;
        for place in &answered.left {
            let statement = format!("UPDATE {LIST} c SET reason = 'answered meanwhile' WHERE c.place {EQUALS} $1");
            change::run(&statement, &[Parameter::Number(*place)]);
        }
        if action != Action::Mark {
            cleanup.leave_referenced(&places)?;
        }
        let owner = cleanup.owner()?;
        let removed = match action {
            Action::Mark => {
                change::run(&cleanup.set_mark(), &places);
                change::run(&cleanup.left_unmarked(), &places);
                if cleanup.moves_marks() {
                    cleanup.unmark_kept(&places);
                }
                change::run(&Cleanup::acted_on(), &places)
            }
            Action::Delete => change::run(&cleanup.delete(""), &places),
            Action::Archive => {
                let (delete, store) = cleanup.archive(cleanup.removed_table()?);
                let record = [places[0], places[1], Parameter::Number(run_id), Parameter::Number(batch.into())];
                let (deleted, stored) = change::transfer(&delete, &record, owner, &store);
                if stored < deleted {
                    return Err(not_kept());
                }
                stored
            }
            // What is locked and checked now is merged by a step of its own.
            Action::Merge => 0,
        };
        if matches!(action, Action::Delete | Action::Archive) {
            change::run(&cleanup.left_in_place(), &places);
            cleanup.check_gone(&places, removed)?;
            cleanup.take_marks_off(&places);
        }
        let removed = removed as i64;
        // Where marks move, no row goes, and another one may stand for the group tomorrow.
        if action != Action::Mark || !cleanup.moves_marks() {
            answered.keep(cleanup, owner)?;
        }
        note_removed(cleanup, owner, run_id, removed)?;
        Ok(removed)
    })
}

/// The error of a row that its table of removed rows does not take.
pub fn not_kept() -> ErrorReport {
    broken("a trigger or a rule of the table of removed rows has left a row out")
}

/// An error of some rows, which stay.
pub fn broken(message: &str) -> ErrorReport {
    error(PgSqlErrorCode::ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION, message)
}

impl Cleanup {
    /// The owner of the table, as whom the log and removed rows are written, for a caller who may delete or update its rows.
    pub fn owner(&self) -> Result<pg_sys::Oid> {
        let target = self.choice.guard.table;
        check_may_clean(target, "neardup.cleanup")?;
        catalog::owner(target)
            .ok_or_else(|| error(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE, "the table has been dropped"))
    }

    /// The table of removed rows, by a function that finds it or also creates it.
    pub fn removed(&self, function: &str) -> Result<Option<pg_sys::Oid>> {
        let session = Session::open();
        let statement = session.prepare(&format!("SELECT {function}(CAST($1 AS pg_catalog.regclass))"), &[Type::Oid]);
        let mut found = None;
        session.each(&statement, &[Value::Oid(self.choice.guard.table)], |row| {
            found = row.number(1).map(|oid| pg_sys::Oid::from(oid as u32));
            Ok(())
        })?;
        Ok(found)
    }

    /// The table of removed rows, as it must be to get a row. It may have got a column, another name or a trigger since the last batch.
    ///
    /// # Errors
    /// If there is none and the caller cannot create it, or it is no plain table.
    pub fn removed_table(&self) -> Result<pg_sys::Oid> {
        let removed = self.removed("neardup.keep_removed")?.ok_or_else(|| {
            error(
                PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
                format!("table {} has no table of removed rows", shown(self.choice.guard.table)),
            )
        })?;
        plain::check(removed, self.owner()?, Some(self.choice.guard.table))?;
        Ok(removed)
    }

    /// Locks the table, with its partitions, as the DELETE does. A new foreign key waits for that; otherwise it could come between the look-up of
    /// references and the DELETE, which would then cascade: it is checked without row locks.
    fn lock_table(&self) {
        change::run(&format!("LOCK TABLE {} IN ROW EXCLUSIVE MODE", self.target), &[]);
    }

    /// Locks the kept rows and the rows of a batch until its end: nobody edits or deletes them meanwhile, and a new reference has to wait. Rows that
    /// cannot be locked stay: another transaction has them, for which a batch does not wait while it keeps others waiting; or they are gone,
    /// or row security hides them. In another table, rows can be locked only by a role that may update all of them.
    fn lock(&self, places: &[Parameter<'_>]) {
        let lock = |relation: pg_sys::Oid,
                    keys: &[Column],
                    alias: &str,
                    condition: &str,
                    strength: &str,
                    reason: &str| {
            let table = statement::only(relation);
            let policy = if catalog::has_row_security(relation) { ", or a policy forbids to update it" } else { "" };
            let statement = format!(
                "WITH locked AS MATERIALIZED ( \
                     SELECT {keys} FROM {table} {alias} \
                     WHERE EXISTS (SELECT FROM {LIST} c WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND {condition}) \
                     FOR {strength} SKIP LOCKED) \
                 UPDATE {LIST} c SET reason = CASE WHEN EXISTS (SELECT FROM {table} {alias} WHERE {condition}) THEN '{reason}{policy}' ELSE 'changed meanwhile' END \
                 WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND NOT EXISTS (SELECT FROM locked {alias} WHERE {condition})",
                keys = statement::list(keys, |key| statement::column(alias, &key.name)),
            );
            change::run(&statement, places);
        };
        if self.choice.against.is_none() || catalog::may_lock(self.kept) {
            let reason = "the kept row could not be locked at once";
            lock(self.kept, &self.kept_keys, "r", &self.is_kept(), "NO KEY UPDATE", reason);
        }
        lock(
            self.choice.guard.table,
            &self.keys,
            "t",
            &self.is_duplicate(),
            "UPDATE",
            "it could not be locked at once",
        );
    }

    /// Compares once more what is now locked.
    fn recheck(&self) -> String {
        format!(
            "UPDATE {LIST} c SET reason = 'changed meanwhile' \
             WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND NOT EXISTS ({unchanged})",
            unchanged = self.is_unchanged(),
        )
    }

    fn set_mark(&self) -> String {
        let kind = self.mark_column.as_ref().map_or(pg_sys::TEXTOID, |column| column.kind);
        format!(
            "UPDATE {target} t SET {mark} = {kept} FROM {LIST} c \
             WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND {is_duplicate}",
            target = self.target,
            mark = quote_identifier(&self.mark),
            kept = statement::cast(&self.kept_key(), kind),
            is_duplicate = self.is_duplicate(),
        )
    }

    fn delete(&self, returning: &str) -> String {
        format!(
            "DELETE FROM {target} t USING {LIST} c \
             WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND {is_duplicate}{returning}",
            target = self.target,
            is_duplicate = self.is_duplicate(),
        )
    }

    /// The statement that notes which rows of a batch are still there after the DELETE.
    fn left_in_place(&self) -> String {
        format!(
            "UPDATE {LIST} c SET reason = 'a trigger{others} left it in place' \
             WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND EXISTS (SELECT FROM {target} t WHERE {is_duplicate})",
            others =
                if catalog::has_row_security(self.choice.guard.table) { ", a rule or a policy" } else { " or a rule" },
            target = self.target,
            is_duplicate = self.is_duplicate(),
        )
    }

    /// Checks, after the DELETE of `removed` rows of a batch, that they are gone and the rows kept in their place are not: a user's trigger may put back the
    /// ones and delete the others.
    ///
    /// # Errors
    /// If not. The rows of the batch are then tried one after the other.
    fn check_gone(&self, places: &[Parameter<'_>], removed: u64) -> Result<()> {
        let gone = Self::acted_on();
        if change::run(&gone, places) < removed {
            return Err(broken("a trigger or a rule has put a removed row back"));
        }
        let alone = format!(
            "{gone} AND NOT EXISTS (SELECT FROM {kept} r WHERE {is_kept})",
            kept = statement::only(self.kept),
            is_kept = self.is_kept(),
        );
        if change::run(&alone, places) > 0 {
            return Err(broken("a trigger has deleted the row that is kept"));
        }
        Ok(())
    }

    /// The condition that row t has the mark of place c, or any if values of its type cannot be compared.
    pub fn is_marked(&self) -> String {
        let mark = statement::column("t", &self.mark);
        let comparable = self.mark_column.as_ref().filter(|column| catalog::has_equality(column.kind));
        comparable.map_or_else(
            || format!("{mark} IS NOT NULL"),
            |column| {
                let kept = statement::cast(&self.kept_key(), column.kind);
                // A key may have another collation than its table's mark.
                statement::equals(&mark, &statement::collated(kept, column.collation), column.kind)
            },
        )
    }

    /// The statement that notes which rows of a batch do not have the mark that the UPDATE gave them.
    fn left_unmarked(&self) -> String {
        format!(
            "UPDATE {LIST} c SET reason = 'a trigger or a rule left it unmarked' \
             WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL \
             AND NOT EXISTS (SELECT FROM {target} t WHERE {is_duplicate} AND {is_marked})",
            target = self.target,
            is_duplicate = self.is_duplicate(),
            is_marked = self.is_marked(),
        )
    }

    /// The statement that returns a row for each place of a batch that has no reason to be left in place.
    fn acted_on() -> String {
        format!("SELECT FROM {LIST} c WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL")
    }

    /// The statement that deletes the rows of a batch and returns them, and the one that keeps such a row. Parameters of the first: after,
    /// last, run, batch.
    pub fn archive(&self, removed: pg_sys::Oid) -> (String, String) {
        let columns = catalog::columns(self.choice.guard.table);
        let returning = format!(
            " RETURNING $3, CAST($4 AS integer), pg_catalog.clock_timestamp(), CAST(CURRENT_USER AS pg_catalog.text), {key}, {kept}, \
             CAST(c.verdict AS pg_catalog.text), CASE WHEN CAST(c.measure AS pg_catalog.text) OPERATOR(pg_catalog.<>) ALL ('{{{BEFORE},{AFTER}}}'::pg_catalog.text[]) \
                  THEN CAST(c.measure AS pg_catalog.text) END, CAST(c.value AS double precision), {columns}",
            key = statement::key_of("t", &self.keys),
            kept = self.kept_key(),
            columns = statement::list(&columns, |column| statement::column("t", &column.name)),
        );
        let parameters: Vec<String> = (1..=9 + columns.len()).map(|number| format!("${number}")).collect();
        let store = format!(
            "INSERT INTO {removed} ({RECORD}, {columns}) VALUES ({parameters})",
            removed = statement::relation(removed),
            columns = statement::list(&columns, |column| quote_identifier(&column.name)),
            parameters = parameters.join(", "),
        );
        (self.delete(&returning), store)
    }
}
