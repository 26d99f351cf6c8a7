//! `neardup.make_first`: a marked row that takes the place of the first row of its group, because its writer prefers it.
//!
//! The guard itself never moves a mark: it runs before the row is stored, and a statement that writes one row would lock others. A user who wants
//! that calls this in a trigger of their own, which runs after the row is stored and says which of two rows is better. All of it runs as the
//! caller.
//!
//! Each row that marks lead to is locked before its mark is read, so of two callers that prefer different rows of a group, the second one waits and
//! follows the marks of the first one. The group has the same rows as before, so no answer of an owner stops a mark from moving.

use std::rc::Rc;

use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, quote_literal};

use super::actions::key_value;
use super::stored;
use crate::error::{Result, error};
use crate::guarded::arguments::{column, only_guard, shown};
use crate::guarded::guard::Guard;
use crate::guarded::settings::Action;
use crate::guarded::statement;
use crate::guarded::unmarking;
use crate::pg::call::function::Argument;
use crate::pg::call::{boundary, role, settings};
use crate::pg::catalog::{self, Comparison};
use crate::pg::table::change;
use crate::pg::table::original;

/// How many marks are followed from a row, at most.
const LONGEST_CHAIN: usize = 100;

/// Makes a marked row the first of its group. Returns false if the row has no mark, and NULL for no key.
///
/// # Errors
/// If the table has no guard that marks or no row with this key, if row security hides the row that the group's marks name, or a trigger keeps a
/// mark; those of the UPDATE.
#[pg_extern(sql = false)]
fn make_first(
    target: Option<pg_sys::Oid>,
    key: Option<&str>,
    document: Option<&std::ffi::CStr>,
) -> Result<Option<bool>> {
    let (Some(target), Some(key)) = (target, key) else { return Ok(None) };
    let document = document.map(|name| name.to_string_lossy().into_owned());
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe { boundary::entry(move || Group::of(target, document.as_deref())?.lead_by(key).map(Some)) }
}

/// A guard that marks, and its column of marks.
struct Group {
    guard: Rc<Guard>,
    mark: catalog::Column,
    table: String,
}

/// A row that has been locked.
struct Locked {
    key: String,
    mark: Option<String>,
}

impl Group {
    fn of(target: pg_sys::Oid, document: Option<&str>) -> Result<Self> {
        let is_meant = |guard: &Rc<Guard>| document.is_none_or(|name| guard.columns[0] == name);
        let mut guards: Vec<_> = Guard::all_of(target)?.into_iter().filter(is_meant).collect();
        if guards.iter().any(|guard| guard.settings.on_duplicate == Action::Mark) {
            guards.retain(|guard| guard.settings.on_duplicate == Action::Mark);
        }
        let guard = only_guard(guards, target, document)?;
        let Some(mark) = guard.marks().filter(|_| guard.settings.on_duplicate == Action::Mark) else {
            let message = format!("the guard of table {} does not mark copies", shown(guard.table));
            let hint = format!(
                "Only marks say which row is the first of its group: SELECT neardup.protect({}, {}, on_duplicate => 'mark');",
                quote_literal(shown(guard.table)),
                quote_literal(&guard.columns[0])
            );
            return Err(error(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message).set_hint(hint));
        };
        Ok(Self { mark: column(guard.table, mark)?, table: statement::only(guard.table), guard })
    }

    /// Moves the marks of the group of the row with this key to that row.
    fn lead_by(&self, key: &str) -> Result<bool> {
        let row = self.lock(key).ok_or_else(|| stored::missing(&self.guard, key))?;
        let Some(named) = row.mark else { return Ok(false) };
        let (heads, last) = self.follow(&row.key, named)?;
        let new = self.value(&row.key)?;
        for head in &heads {
            self.mark_followers(head, &row.key, new)?;
        }
        if let Some(last) = last {
            self.mark_row(&last, new)?;
        }
        self.mark_row(&row.key, (self.mark.kind, None))?;
        Ok(true)
    }

    /// Follows marks from the row with this key, and locks each row on the way. Returns the keys that they name, and that of the last row; `None` if no
    /// row has it: the first row of a group may have been deleted.
    fn follow(&self, own: &str, named: String) -> Result<(Vec<String>, Option<String>)> {
        let mut heads = vec![named];
        loop {
            let last = &heads[heads.len() - 1];
            let Some(row) = self.lock(last) else {
                self.check_gone(last)?;
                return Ok((heads, None));
            };
            match row.mark {
                Some(next) if next != own && !heads.contains(&next) && heads.len() < LONGEST_CHAIN => heads.push(next),
                _ => return Ok((heads, Some(row.key))),
            }
        }
    }

    /// Locks a row as the caller, and reads its key and its mark; `None` if the caller sees no such row.
    fn lock(&self, key: &str) -> Option<Locked> {
        let (condition, values) = settings::plain(|| stored::has_key(&self.guard, key, false, "t", 1))?;
        let mark = statement::column("t", &self.mark.name);
        let statement = format!(
            "SELECT ARRAY[{own}], pg_catalog.array_remove(ARRAY[CASE WHEN {mark} IS NOT NULL THEN {named} END], NULL) \
             FROM {table} t WHERE {condition} FOR NO KEY UPDATE OF t",
            own = statement::key_of("t", &statement::primary_key(self.guard.table)),
            named = statement::key_part(&mark),
            table = self.table,
        );
        // SAFETY: the values are of the parameters' types.
        let [own, marks] = settings::plain(|| unsafe { change::returning_texts(&statement, &values) })?;
        Some(Locked { key: own.into_iter().next()?, mark: marks.into_iter().next() })
    }

    /// Marks the rows that are marked with a key, except the one that becomes the first.
    fn mark_followers(&self, head: &str, own: &str, new: Argument) -> Result<()> {
        let head = self.value(head)?;
        let Some((is_own, values)) = self.has_key(own, 3) else { return Ok(()) };
        let mark = statement::column("t", &self.mark.name);
        let equals = statement::operator(self.mark.kind, Comparison::Equal);
        self.set_mark(&format!("{mark} {equals} $2 AND NOT ({is_own})"), [new, head].into_iter().chain(values));
        Ok(())
    }

    /// Gives one row a mark, or takes it off.
    ///
    /// # Errors
    /// If a trigger or a rule keeps the row as it is: marks would go in a circle, or the group have two first rows.
    fn mark_row(&self, key: &str, mark: Argument) -> Result<()> {
        let Some((condition, values)) = self.has_key(key, 2) else { return Ok(()) };
        if self.set_mark(&condition, [mark].into_iter().chain(values)) > 0 {
            return Ok(());
        }
        let (keys, table) = (self.guard.keys.join(", "), shown(self.guard.table));
        let message = format!("row ({keys})=({key}) of table {table} keeps its mark");
        Err(error(PgSqlErrorCode::ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION, message)
            .set_detail("A trigger or a rule of the table has it so, and its group would have no first row, or two."))
    }

    /// Updates the mark of the rows with a condition, to the value of the first parameter. Returns their number.
    fn set_mark(&self, condition: &str, values: impl Iterator<Item = Argument>) -> u64 {
        let name = quote_identifier(&self.mark.name);
        let statement = format!("UPDATE {} t SET {name} = $1 WHERE {condition}", self.table);
        let values: Vec<Argument> = values.collect();
        // SAFETY: the values are of the parameters' types.
        unmarking::marks_of(self.guard.table, || unsafe { original::update(&statement, &values) })
    }

    /// The condition that a row has a key that was read from it. Guards write keys under these settings, and triggers of the table must not run under
    /// them.
    fn has_key(&self, key: &str, first: usize) -> Option<(String, Vec<Argument>)> {
        settings::plain(|| stored::has_key(&self.guard, key, true, "t", first))
    }

    /// A key as a mark.
    fn value(&self, key: &str) -> Result<Argument> {
        let value = settings::plain(|| key_value(&self.guard, key, self.mark.kind))?;
        Ok((self.mark.kind, Some(value)))
    }

    /// Checks that a key which the caller finds no row with has none.
    ///
    /// # Errors
    /// If row security hides the row.
    fn check_gone(&self, key: &str) -> Result<()> {
        if role::as_owner(self.guard.owner, || stored::find(&self.guard, key)).is_none() {
            return Ok(());
        }
        let message =
            format!("row-level security of table {} hides the first row of the group", shown(self.guard.table));
        Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
            .set_detail("The role may not see or update it, and its mark would have to change."))
    }
}
