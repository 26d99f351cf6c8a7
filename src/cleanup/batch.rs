//! The steps of a clean-up that change something: list the copies, begin a run in the log, remove batches of them, end the run.
//!
//! All statements on the user's tables run as the caller. What a DELETE returned is kept in the table of removed rows with the rights of
//! its owner, to whom the caller may not be equal: that DELETE names nothing but the table, its columns and its key, so that no choice
//! and no list can make it return anything but rows that were there. The log is written as the owner, too.

use ahash::AHashMap;
use pgrx::JsonB;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::spi::quote_identifier;

use super::check_may_clean;
use super::marks::FOLLOWERS;
use super::plan::{Cleanup, LIST, with};
use super::recheck::answered_meanwhile;
use super::reference::foreign_keys;
use crate::answers::{Answers, Given};
use crate::error::{Result, error};
use crate::guarded::arguments::shown;
use crate::guarded::beside;
use crate::guarded::statement::{self, EQUALS};
use crate::pg::call::role;
use crate::pg::catalog::{self, Column};
use crate::pg::table::change::{self, Parameter};
use crate::pg::table::query::{Session, Type, Value};
use crate::pg::table::rows::Snapshot;

/// The columns of a table of removed rows before the table's own.
pub const RECORD: &str = "neardup_run, neardup_batch, neardup_at, neardup_by, neardup_key, neardup_duplicate_of, neardup_verdict, \
                      neardup_measure, neardup_value";

/// What a record of a row that others were merged into has as its measure: it is as it was before, or as it became. No other row of the table of
/// removed rows has these.
pub const BEFORE: &str = "before merge";
pub const AFTER: &str = "after merge";

/// How many places one statement names.
const PLACES: usize = 10_000;

/// What happens to a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Archive,
    Delete,
    Mark,
    Merge,
}

impl Action {
    fn parse(name: &str) -> Result<Self> {
        match name {
            "archive" => Ok(Self::Archive),
            "delete" => Ok(Self::Delete),
            "mark" => Ok(Self::Mark),
            "merge" => Ok(Self::Merge),
            _ => {
                let message = format!("action must be archive, delete, mark or merge: {name}");
                Err(error(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message))
            }
        }
    }
}

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

/// Lists the copies in a temporary table, numbered from 1 on, and returns their number. Those that are left in place whatever happens meanwhile, because
/// they were restored or others refer to them, have the reason from the start, so that `max_rows` does not count them.
#[pg_extern(sql = false)]
fn list_copies(arguments: JsonB, action: &str) -> Result<i64> {
    with(arguments, |cleanup| {
        drop_left(LIST)?;
        drop_left(FOLLOWERS)?;
        let action = Action::parse(action)?;
        let found = change::run(&cleanup.create_list(action), &[]);
        change::run(&format!("ALTER TABLE {LIST} ADD PRIMARY KEY (place)"), &[]);
        change::run(&format!("ANALYZE {LIST}"), &[]);
        if action == Action::Mark && cleanup.mark_column.is_some() && cleanup.moves_marks() {
            cleanup.find_marked();
        } else {
            cleanup.find_followers(action != Action::Mark)?;
        }
        cleanup.leave_restored()?;
        if action != Action::Mark {
            cleanup.leave_referenced(&[Parameter::Number(0), Parameter::Number(found as i64)])?;
        }
        Ok(found as i64)
    })
}

/// Drops a temporary table that a clean-up of this session has left when it failed.
fn drop_left(table: &str) -> Result<()> {
    let session = Session::open();
    let statement = session.prepare(
        "SELECT CAST(pg_catalog.pg_get_userbyid(c.relowner) AS pg_catalog.text), \
                CASE WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') THEN 1::bigint END \
         FROM pg_catalog.pg_class c WHERE c.oid = CAST(pg_catalog.to_regclass($1) AS pg_catalog.oid)",
        &[Type::Text],
    );
    let mut found = None;
    session.each(&statement, &[Value::Text(Some(table))], |row| {
        found = Some((row.text(1).unwrap_or_default().to_owned(), row.number(2).is_some()));
        Ok(())
    })?;
    match found {
        None => Ok(()),
        Some((_, true)) => {
            change::run(&format!("DROP TABLE {table}"), &[]);
            Ok(())
        }
        Some((role, false)) => {
            let message = format!("a failed clean-up of role \"{role}\" has left its list in this session");
            Err(error(PgSqlErrorCode::ERRCODE_OBJECT_IN_USE, message)
                .set_hint(format!("Begin another session, or as that role: DROP TABLE {table};")))
        }
    }
}

/// Begins a run in the log. Returns its number: one more than the last one of the table, also where only removed rows tell of it, because
/// the log was lost with the extension.
#[pg_extern(sql = false)]
fn begin_run(arguments: JsonB, action: &str, keep: &str, found: i64) -> Result<i64> {
    with(arguments, |cleanup| {
        let target = cleanup.choice.guard.table;
        let last = cleanup.removed("neardup_internal.trusted_removed")?.map_or_else(
            || "0".to_owned(),
            |removed| format!("(SELECT pg_catalog.max(d.neardup_run) FROM {} d)", statement::relation(removed)),
        );
        let statement = format!(
            "INSERT INTO neardup_internal.own_runs AS n \
                 (target, run_id, document, action, keep, verify, threshold, against, found, started, finished, role) \
             SELECT $1, greatest((SELECT pg_catalog.max(r.run_id) FROM neardup_internal.own_runs r WHERE r.target::oid = $1), {last}, 0) + 1, \
                    $2, $3, $4, $5, $6, $7, $8, pg_catalog.clock_timestamp(), NULL, $9 \
             RETURNING n.run_id"
        );
        let (role, verify) = (role::current(), cleanup.choice.verify.name());
        let parameters = [
            Parameter::Table(Some(target)),
            Parameter::Text(cleanup.choice.guard.columns.first().map_or("", String::as_str)),
            Parameter::Text(action),
            Parameter::Text(keep),
            Parameter::Text(verify),
            Parameter::Real(cleanup.choice.threshold),
            Parameter::Table(cleanup.choice.against),
            Parameter::Number(found),
            Parameter::Text(&role),
        ];
        Ok(change::number_as(cleanup.owner()?, &statement, &parameters).unwrap_or_default())
    })
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
            answered.keep(cleanup, owner);
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

/// Adds rows that were removed or marked to those of a run.
///
/// # Errors
/// If the caller has no such run under way.
pub fn note_removed(cleanup: &Cleanup, owner: pg_sys::Oid, run_id: i64, removed: i64) -> Result<()> {
    note_run(cleanup, owner, run_id, "removed = r.removed + $4", removed)
}

/// Changes the log of a run; `$4` of the change is the number.
///
/// # Errors
/// If the caller has no such run under way.
fn note_run(cleanup: &Cleanup, owner: pg_sys::Oid, run_id: i64, change: &str, number: i64) -> Result<()> {
    // Nothing is filed under a run of another role, or one that has ended.
    let (target, role) = (cleanup.choice.guard.table, role::current());
    let noted = change::run_as(
        owner,
        &format!(
            "UPDATE neardup_internal.own_runs r SET {change} \
             WHERE r.target::oid = $1 AND r.run_id = $2 AND r.finished IS NULL AND r.role::text = $3"
        ),
        &[Parameter::Table(Some(target)), Parameter::Number(run_id), Parameter::Text(&role), Parameter::Number(number)],
    );
    if noted == 0 {
        let message = format!("role \"{role}\" has no run {run_id} of table {} under way", shown(target));
        return Err(error(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message));
    }
    Ok(())
}

/// Notes in the log of a run how many copies it has found.
#[pg_extern(sql = false)]
fn note_found(arguments: JsonB, run_id: i64, found: i64) -> Result<()> {
    with(arguments, |cleanup| note_run(cleanup, cleanup.owner()?, run_id, "found = $4", found))
}

/// Notes in the log of a run which rows of the places `after + 1 .. last` it has left in place, and why. What an earlier run of the same role has noted of
/// the same row is replaced: otherwise a row that cannot go would be noted anew by every run, for another row that is kept or in other words.
#[pg_extern(sql = false)]
fn note_skipped(arguments: JsonB, run_id: i64, after: i64, last: i64) -> Result<()> {
    with(arguments, |cleanup| {
        let left = cleanup.left(after, last)?;
        if left[0].is_empty() {
            return Ok(());
        }
        let owner = cleanup.owner()?;
        note_run(cleanup, owner, run_id, "skipped = r.skipped + $4", left[0].len() as i64)?;
        let role = role::current();
        let rows = left.each_ref().map(|texts| Parameter::Texts(texts));
        let target = Parameter::Table(Some(cleanup.choice.guard.table));
        change::run_as(
            owner,
            "DELETE FROM neardup_internal.own_skipped s WHERE s.target::oid = $1 AND s.key = ANY ($2) AND s.role::text = $3",
            &[target, rows[0], Parameter::Text(&role)],
        );
        change::run_as(
            owner,
            "INSERT INTO neardup_internal.own_skipped (target, run_id, key, duplicate_of, reason, role) \
             SELECT $1, $5, l.key, l.duplicate_of, l.reason, $6 \
             FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4)) l(key, duplicate_of, reason)",
            &[target, rows[0], rows[1], rows[2], Parameter::Number(run_id), Parameter::Text(&role)],
        );
        Ok(())
    })
}

/// Ends a run in the log. Returns the rows that were left in place, with the reasons.
#[pg_extern(sql = false)]
fn end_run(arguments: JsonB, run_id: i64) -> Result<SetOfIterator<'static, String>> {
    let left = with(arguments, |cleanup| {
        note_run(cleanup, cleanup.owner()?, run_id, "finished = pg_catalog.clock_timestamp()", 0)?;
        cleanup.left(0, i64::MAX)
    })?;
    let [keys, _, reasons] = left;
    let lines = keys.into_iter().zip(reasons).map(|(key, reason)| format!("({key}): {reason}"));
    Ok(SetOfIterator::new(lines))
}

/// The places of rows as an array.
fn places(rows: &[(i64, String, u64)]) -> String {
    let places: Vec<String> = rows.iter().map(|(place, ..)| place.to_string()).collect();
    format!("'{{{}}}'::bigint[]", places.join(","))
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
    fn removed(&self, function: &str) -> Result<Option<pg_sys::Oid>> {
        let session = Session::open();
        let statement = session.prepare(&format!("SELECT {function}(CAST($1 AS pg_catalog.regclass))"), &[Type::Oid]);
        let mut found = None;
        session.each(&statement, &[Value::Oid(self.choice.guard.table)], |row| {
            found = row.number(1).map(|oid| pg_sys::Oid::from(oid as u32));
            Ok(())
        })?;
        Ok(found)
    }

    /// The table of removed rows, as it must be to get a row. It may have got a column or another name since the last batch.
    ///
    /// # Errors
    /// If there is none and the caller cannot create it.
    pub fn removed_table(&self) -> Result<pg_sys::Oid> {
        self.removed("neardup.keep_removed")?.ok_or_else(|| {
            error(
                PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
                format!("table {} has no table of removed rows", shown(self.choice.guard.table)),
            )
        })
    }

    fn create_list(&self, action: Action) -> String {
        let mut arguments = self.arguments.clone();
        let mut unmarked = String::new();
        if action == Action::Mark && self.mark_column.is_some() {
            let (moves, mark) = (self.moves_marks(), statement::column("t", &self.mark));
            unmarked = format!(
                " WHERE NOT EXISTS (SELECT FROM {target} t WHERE {is_duplicate} AND {has_it})",
                target = self.target,
                is_duplicate = self.is_duplicate(),
                has_it = if moves { self.is_marked() } else { format!("{mark} IS NOT NULL") },
            );
            // Rows that have a mark keep it, and should not become the kept ones, unless the caller says which row stays.
            if self.choice.against.is_none() && !moves {
                arguments.prefer_without(&self.mark);
            }
        }
        let typed = |from: &str, to: &str, keys: &[Column]| {
            let one = |(number, key): (usize, &Column)| {
                format!("{} AS {to}{number}", statement::cast(&format!("c.{from}[{number}]"), key.kind))
            };
            (1..).zip(keys).map(one).collect::<Vec<_>>().join(", ")
        };
        let (order, ends) = if action == Action::Merge { self.grouped() } else { Default::default() };
        format!(
            "CREATE TEMPORARY TABLE neardup_chosen AS SELECT c.*, NULL::pg_catalog.text AS reason{ends} \
             FROM (SELECT pg_catalog.row_number() OVER ({order}) AS place, c.* \
                   FROM (SELECT {duplicate}, {kept}, c.verdict, c.measure, c.value, c.document_hash, c.stays_hash \
                         FROM neardup_internal.copies({arguments}) c) c{unmarked}) c",
            duplicate = typed("key", "k", &self.keys),
            kept = typed("stays", "r", &self.kept_keys),
            arguments = arguments.written(),
        )
    }

    /// Leaves the rows of the list in place that were restored, unless they were answered to be copies since.
    ///
    /// It reads the list before anybody else can have put anything into it: that a text was restored is told of rows only that the caller sees.
    fn leave_restored(&self) -> Result<()> {
        let answers = Answers::beside(&self.choice.guard);
        if answers.is_none() {
            return Ok(());
        }
        let listed = format!("SELECT c.place, c.document_hash, {} FROM {LIST} c", self.duplicate_key());
        let column = self.choice.guard.columns.first().map_or("", String::as_str);
        // The place, the key and the hash of the text of the rows that may be left.
        let mut noted: Vec<(i64, String, u64)> = Vec::new();
        // The list was made after the snapshot of the statement.
        let snapshot = Snapshot::begin();
        let notes = answers.restored();
        let session = Session::open();
        if !notes.is_none() {
            session.each(&session.prepare(&listed, &[]), &[], |row| {
                let (hash, key) = (row.number(2).unwrap_or_default().cast_unsigned(), row.text(3).unwrap_or_default());
                if notes.names(key) && !Given::about(&answers, hash).is_copy(key) {
                    noted.push((row.number(1).unwrap_or_default(), key.to_owned(), hash));
                }
                Ok(())
            })?;
        }
        if let Some(text_hashes) = self.text_hashes() {
            for rows in noted.chunks_mut(PLACES) {
                let statement =
                    session.prepare(&format!("{text_hashes} WHERE c.place {EQUALS} ANY ({})", places(rows)), &[]);
                let mut hashes = AHashMap::new();
                session.each(&statement, &[], |row| {
                    hashes.extend(row.number(1).zip(row.number(2)));
                    Ok(())
                })?;
                for (place, _, hash) in rows {
                    *hash = hashes.get(place).copied().unwrap_or_default().cast_unsigned();
                }
            }
        }
        drop(session);
        drop(snapshot);
        noted.retain(|(_, key, hash)| notes.has(key, column, *hash));
        for rows in noted.chunks(PLACES) {
            let statement =
                format!("UPDATE {LIST} c SET reason = 'it was restored' WHERE c.place {EQUALS} ANY ({})", places(rows));
            change::run(&statement, &[]);
        }
        Ok(())
    }

    /// The statement that reads the hashes of the texts of rows of the list, if what else is compared of a row is part of the list's.
    fn text_hashes(&self) -> Option<String> {
        self.choice.beside("t").map(|_| {
            format!(
                "SELECT c.place, {hash} FROM {LIST} c JOIN {target} t ON {is_duplicate} \
                 CROSS JOIN LATERAL (SELECT {document} AS document OFFSET 0) d",
                hash = beside::hash("d.document", None),
                target = self.target,
                is_duplicate = self.is_duplicate(),
                document = self.choice.guard.document().of_table("t"),
            )
        })
    }

    /// Leaves the rows of some places in place that others refer to. Where those cannot be read, the foreign key refuses the removal.
    ///
    /// # Errors
    /// If one of the foreign keys would change rows that the caller does not see.
    fn leave_referenced(&self, places: &[Parameter<'_>]) -> Result<()> {
        // A foreign key may have been made while the batch waited for its lock.
        let snapshot = Snapshot::begin();
        let references = foreign_keys(&Session::open(), self.choice.guard.table)?;
        drop(snapshot);
        for reference in references {
            reference.check_visible()?;
            if let Some(skip) = reference.skip(LIST, &self.target, &self.is_duplicate()) {
                change::run(&skip, places);
            }
        }
        Ok(())
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
    fn is_marked(&self) -> String {
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

    /// The rows of the places `after + 1 .. last` that were left in place: their keys, those of the kept rows, the reasons.
    fn left(&self, after: i64, last: i64) -> Result<[Vec<String>; 3]> {
        let statement = format!(
            "SELECT {key}, {kept}, coalesce(CAST(c.reason AS pg_catalog.text), 'changed meanwhile') FROM {LIST} c \
             WHERE c.place > {after} AND c.place <= {last} AND c.reason IS NOT NULL ORDER BY c.place",
            key = self.duplicate_key(),
            kept = self.kept_key(),
        );
        let session = Session::open();
        let statement = session.prepare(&statement, &[]);
        let mut left = [const { Vec::new() }; 3];
        session.each(&statement, &[], |row| {
            for (column, texts) in (1..).zip(&mut left) {
                texts.push(row.text(column).unwrap_or_default().to_owned());
            }
            Ok(())
        })?;
        Ok(left)
    }
}
