//! `neardup.make_first`: a marked row that takes the place of the first row of its group, because its writer prefers it.
//!
//! The guard itself never moves a mark: it runs before the row is stored, and a statement that writes one row would lock others. A user who wants
//! that calls this in a trigger of their own, which runs after the row is stored, with the columns that rank rows. All of it runs as the caller.
//!
//! Marks are followed from the row to the first one, and each row on the way is locked before its mark is read. So where every copy that is stored
//! passes here, copies of one row come one after the other, and each finds what the one before has made of the group. The group has the same
//! rows as before, so no answer of an owner stops a mark from moving.

use std::rc::Rc;

use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, quote_literal};

use super::absent::no_row;
use super::actions::key_value;
use super::{mark_column, stored};
use crate::error::{Result, error};
use crate::guarded::arguments::{column, only_guard, shown};
use crate::guarded::guard::Guard;
use crate::guarded::rank::Rank;
use crate::guarded::settings::Action;
use crate::guarded::statement;
use crate::guarded::unmarking;
use crate::pg::call::function::Argument;
use crate::pg::call::{boundary, settings};
use crate::pg::catalog::{self, Column};
use crate::pg::table::change;
use crate::pg::table::original;

/// Makes a marked row the first of its group; with `rank`, only if it is better than the first one by these columns, and equal ones change nothing.
/// If the first row was deleted, the best one takes its place. Returns whether this row has become the first, and NULL for no table or no key.
///
/// # Errors
/// If the table has no guard that marks or no row with this key, `rank` is none, row security may hide the row that the group's marks name, the
/// transaction's snapshot lacks it, or a trigger keeps a mark; those of the UPDATE.
#[pg_extern(sql = false)]
fn make_first(
    target: Option<pg_sys::Oid>,
    key: Option<&str>,
    rank: Option<Vec<Option<String>>>,
    document: Option<&std::ffi::CStr>,
) -> Result<Option<bool>> {
    let (Some(target), Some(key)) = (target, key) else { return Ok(None) };
    let document = document.map(|name| name.to_string_lossy().into_owned());
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            let group = Group::of(target, document.as_deref())?;
            let rank = rank.unwrap_or_default();
            let rank: Result<Vec<Rank>> = rank.iter().map(|entry| Rank::parse(target, entry.as_deref())).collect();
            group.lead_by(key, &rank?).map(Some)
        })
    }
}

/// A guard that marks, and its column of marks.
struct Group {
    guard: Rc<Guard>,
    mark: Column,
    keys: Vec<Column>,
    table: String,
}

/// A row that has been locked.
struct Locked {
    key: String,
    mark: Option<String>,
}

/// What marks lead to.
struct Chain {
    /// The keys that they name, from the row's own mark on.
    named: Vec<String>,
    /// The key of the last row; `None` if it has been deleted.
    first: Option<String>,
}

impl Group {
    fn of(target: pg_sys::Oid, document: Option<&str>) -> Result<Self> {
        let is_meant = |guard: &Rc<Guard>| document.is_none_or(|name| guard.columns[0] == name);
        let mut guards: Vec<_> = Guard::all_of(target)?.into_iter().filter(is_meant).collect();
        let marks = |guard: &Rc<Guard>| guard.settings.on_duplicate == Action::Mark;
        if guards.iter().any(marks) {
            guards.retain(marks);
        }
        let guard = only_guard(guards, target, document)?;
        let Some(mark) = guard.marks().filter(|_| marks(&guard)) else {
            let message = format!("the guard of table {} does not mark copies", shown(guard.table));
            let hint = format!(
                "Only marks say which row is the first of its group: SELECT neardup.protect({}, {}, on_duplicate => 'mark');",
                quote_literal(shown(guard.table)),
                quote_literal(&guard.columns[0])
            );
            return Err(error(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message).set_hint(hint));
        };
        let (mark, keys) = (column(guard.table, mark)?, statement::primary_key(guard.table));
        Ok(Self { mark, keys, table: statement::only(guard.table), guard })
    }

    /// Moves the marks of the group of the row with this key to that row, unless its first row is as good.
    fn lead_by(&self, key: &str, rank: &[Rank]) -> Result<bool> {
        // A caller writes values as the session does, or as lists and marks have them, which is read alike in every session.
        let row = self.lock(stored::has_key(&self.guard, key, true, "t", 1));
        let row = row.ok_or_else(|| no_row(&self.guard, key))?;
        let Some(mark) = row.mark else { return Ok(false) };
        let new = self.value(&row.key)?;
        let Chain { named, first } = self.follow(&row.key, mark)?;
        if let Some(first) = first {
            if !rank.is_empty() && !self.is_better(&row.key, &first, rank) {
                if named.len() > 1 {
                    self.mark_row(&row.key, self.value(&first)?)?;
                }
                return Ok(false);
            }
            self.mark_row(&first, new)?;
        } else if let Some(best) = self.best_of(&row.key, &named, rank)? {
            self.lead_by(&best, &[])?;
            return Ok(false);
        }
        for head in &named {
            self.mark_followers(head, &row.key, new)?;
        }
        unmarking::marks_of(self.guard.table, || self.mark_row(&row.key, (self.mark.kind, None)))?;
        Ok(true)
    }

    /// Follows marks from the row with this key.
    fn follow(&self, own: &str, mark: String) -> Result<Chain> {
        // A mark of the key's type may be written otherwise than the key that it equals.
        let is_value = self.keys.len() == 1 && self.mark.kind == mark_column::kind(self.guard.table);
        let mut named = vec![mark];
        let mut passed = ahash::AHashSet::from([own.to_owned()]);
        loop {
            let last = &named[named.len() - 1];
            let Some(row) = self.lock(settings::plain(|| stored::has_key(&self.guard, last, is_value, "t", 1))) else {
                self.check_gone(last)?;
                return Ok(Chain { named, first: None });
            };
            let goes_on = passed.insert(row.key.clone());
            match row.mark {
                Some(next) if goes_on => named.push(next),
                // Marks that go in a circle lead to the row itself, or to one that was passed, which is as good as any.
                _ => return Ok(Chain { named, first: (row.key != own).then_some(row.key) }),
            }
        }
    }

    /// Locks the row with a condition as the caller, and reads its key and its mark; `None` if the caller sees no such row.
    fn lock(&self, row: Option<(String, Vec<Argument>)>) -> Option<Locked> {
        let (condition, values) = row?;
        let mark = statement::column("t", &self.mark.name);
        let statement = format!(
            "SELECT ARRAY[{own}], pg_catalog.array_remove(ARRAY[CASE WHEN {mark} IS NOT NULL THEN {named} END], NULL) \
             FROM {table} t WHERE {condition} FOR NO KEY UPDATE OF t",
            own = statement::key_of("t", &self.keys),
            named = statement::key_part(&mark),
            table = self.table,
        );
        // SAFETY: the values are of the parameters' types.
        let [own, marks] = settings::plain(|| unsafe { change::returning_texts(&statement, &values) })?;
        Some(Locked { key: own.into_iter().next()?, mark: marks.into_iter().next() })
    }

    /// Says whether the first of two rows is better than the second.
    fn is_better(&self, own: &str, other: &str, rank: &[Rank]) -> bool {
        let (Some((is_own, mut values)), count) = (self.has_key(own, "t", 1), self.keys.len()) else { return false };
        let Some((is_other, others)) = self.has_key(other, "t", count + 1) else { return false };
        values.extend(others);
        let statement = format!(
            "SELECT FROM (SELECT {is_other} AS is_other FROM {table} t WHERE {is_own} OR {is_other} ORDER BY {order}, 1 DESC LIMIT 1) x \
             WHERE NOT x.is_other",
            table = self.table,
            order = ordered(rank),
        );
        // SAFETY: the values are of the parameters' types.
        unsafe { original::update(&statement, &values) > 0 }
    }

    /// The condition that a row, of this alias, has the mark that is a parameter.
    fn is_marked(&self, alias: &str, parameter: usize) -> String {
        statement::equals(&statement::column(alias, &self.mark.name), &format!("${parameter}"), self.mark.kind)
    }

    /// Returns the best row of a group whose first row was deleted, if that is another one than this row.
    fn best_of(&self, own: &str, named: &[String], rank: &[Rank]) -> Result<Option<String>> {
        let (Some(gone), Some((is_own, values))) = (named.last(), self.has_key(own, "t", 2)) else { return Ok(None) };
        if rank.is_empty() {
            return Ok(None);
        }
        let statement = format!(
            "SELECT ARRAY[x.key] FROM (SELECT {key} AS key, {is_own} AS is_own FROM {table} t WHERE {is_marked} OR {is_own} \
             ORDER BY {order}, 2 LIMIT 1) x WHERE NOT x.is_own",
            key = statement::key_of("t", &self.keys),
            table = self.table,
            is_marked = self.is_marked("t", 1),
            order = ordered(rank),
        );
        let values: Vec<Argument> = [self.value(gone)?].into_iter().chain(values).collect();
        // SAFETY: the values are of the parameters' types.
        let best = settings::plain(|| unsafe { change::returning_texts(&statement, &values) });
        Ok(best.and_then(|[key]: [Vec<String>; 1]| key.into_iter().next()))
    }

    /// Marks the rows that are marked with a key, except the one that becomes the first.
    fn mark_followers(&self, head: &str, own: &str, new: Argument) -> Result<()> {
        let head = self.value(head)?;
        let Some((is_own, values)) = self.has_key(own, "t", 3) else { return Ok(()) };
        let statement = format!(
            "UPDATE {table} t SET {name} = $1 WHERE {is_marked} AND NOT ({is_own})",
            table = self.table,
            name = quote_identifier(&self.mark.name),
            is_marked = self.is_marked("t", 2),
        );
        let values: Vec<Argument> = [new, head].into_iter().chain(values).collect();
        // SAFETY: the values are of the parameters' types.
        unsafe { original::update(&statement, &values) };
        Ok(())
    }

    /// Gives one row a mark, or takes it off.
    ///
    /// # Errors
    /// If a trigger or a rule keeps the mark, or changes the key: marks would go in a circle, or the group have two first rows.
    fn mark_row(&self, key: &str, mark: Argument) -> Result<()> {
        let (Some((is_row, values)), Some((is_same, _))) = (self.has_key(key, "t", 2), self.has_key(key, "u", 2))
        else {
            return Ok(());
        };
        let name = quote_identifier(&self.mark.name);
        let is_set = match mark.1 {
            Some(_) => self.is_marked("u", 1),
            None => format!("{} IS NULL", statement::column("u", &self.mark.name)),
        };
        let statement = format!(
            "WITH u AS (UPDATE {table} t SET {name} = $1 WHERE {is_row} RETURNING {keys}, {set}) SELECT FROM u WHERE {is_same} AND {is_set}",
            table = self.table,
            keys = statement::list(&self.keys, |key| statement::column("t", &key.name)),
            set = statement::column("t", &self.mark.name),
        );
        let values: Vec<Argument> = [mark].into_iter().chain(values).collect();
        // SAFETY: the values are of the parameters' types.
        if unsafe { original::update(&statement, &values) } > 0 {
            return Ok(());
        }
        let (keys, table) = (self.guard.keys.join(", "), shown(self.guard.table));
        let message = format!("row ({keys})=({key}) of table {table} keeps its mark");
        Err(error(PgSqlErrorCode::ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION, message)
            .set_detail("A trigger or a rule of the table has it so, and its group would have no first row, or two."))
    }

    /// The condition that a row has a key that was read from it. Guards write keys under these settings, and triggers of the table must not run under
    /// them.
    fn has_key(&self, key: &str, alias: &str, first: usize) -> Option<(String, Vec<Argument>)> {
        settings::plain(|| stored::has_key(&self.guard, key, true, alias, first))
    }

    /// A key as a mark.
    fn value(&self, key: &str) -> Result<Argument> {
        let value = settings::plain(|| key_value(&self.guard, key, self.mark.kind))?;
        Ok((self.mark.kind, Some(value)))
    }

    /// Checks that no row has a key which the caller finds no row with. Where row security applies, nobody can tell, and the caller must not learn it.
    ///
    /// # Errors
    /// If there may be one.
    fn check_gone(&self, key: &str) -> Result<()> {
        let table = shown(self.guard.table);
        if catalog::has_row_security(self.guard.table) {
            let message = format!("row-level security of table {table} may hide the first row of the group");
            return Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message).set_detail(
                "The role sees no row with the key that the mark names, and its mark would have to change.",
            ));
        }
        if !stored::exists(&self.guard, key, self.value(key)?) {
            return Ok(());
        }
        let message = "could not serialize access due to concurrent update";
        Err(error(PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE, message)
            .set_detail("The first row of the group is one that the transaction's snapshot does not have."))
    }
}

/// What rows t are ordered by.
fn ordered(rank: &[Rank]) -> String {
    let keys = rank.iter().map(Rank::order).map(|key| format!("{} {}", key.expression, key.direction));
    keys.collect::<Vec<_>>().join(", ")
}
