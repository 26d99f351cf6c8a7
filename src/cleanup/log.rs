//! The log of clean-ups: what each run found, removed and left in place, and why. It is written as the owner of the table.

use pgrx::JsonB;
use pgrx::prelude::*;

use super::plan::{Cleanup, LIST, with};
use crate::error::{Result, error};
use crate::guarded::arguments::shown;
use crate::guarded::plain;
use crate::guarded::statement;
use crate::pg::call::role;
use crate::pg::table::change::{self, Parameter};
use crate::pg::table::query::Session;

/// Begins a run in the log. Returns its number: one more than the last one of the table, also where only removed rows tell of it, because
/// the log was lost with the extension.
#[pg_extern(sql = false)]
fn begin_run(arguments: JsonB, action: &str, keep: &str, found: i64) -> Result<i64> {
    with(arguments, |cleanup| {
        let target = cleanup.choice.guard.table;
        let last = match cleanup.removed("neardup_internal.trusted_removed")? {
            Some(removed) => {
                plain::check(removed, cleanup.owner()?, Some(target))?;
                format!("(SELECT pg_catalog.max(d.neardup_run) FROM {} d)", statement::only(removed))
            }
            None => "0".to_owned(),
        };
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

impl Cleanup {
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
