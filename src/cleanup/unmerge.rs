//! Undoes what the action `merge` has done with a kept row: `neardup.restore` puts it back when the rows that were merged into it come back.
//!
//! A merge keeps two records of the kept row, with its key and the columns that it changed: as they were, and as they became. Only these
//! columns are put back, and only if each of them still is what it became, or is what it was again, and if the text of the row is one of the two that the
//! records have a hash of: otherwise another row has the key by now, or the text was edited. A trigger may give a column another value:
//! then the others are put back all the same. The row is read again once the whole batch has come back, when all triggers have run. Both records are
//! gone only if each column is what it was: otherwise that is known from the record alone.
//!
//! The values of a record go to the UPDATE as parameters. Only so a table may have as many columns as Postgres allows. All of it are
//! statements of the caller.
#![allow(unsafe_code, reason = "functions behind the error boundary")]

use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, quote_literal};

use super::merge::form_of;
use crate::error::{Result, error};
use crate::guarded::beside;
use crate::guarded::guard::Guard;
use crate::guarded::statement::{self, EQUALS};
use crate::pg::call::boundary;
use crate::pg::call::function::Argument;
use crate::pg::catalog::{self, Column};
use crate::pg::table::change;
use crate::pg::table::original::{self, Change};
use crate::pg::table::row_id::Tid;

/// Puts a kept row back, of which two records are at these addresses. Returns false if the row stays as it is.
#[pg_extern(sql = false)]
fn unmerge_row(target: pg_sys::Oid, removed: pg_sys::Oid, before: Tid, after: Tid) -> Result<bool> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe { boundary::entry(move || Ok(Unmerging::new(target, removed)?.put_back([before, after]).is_some())) }
}

/// Deletes the records of a kept row that was put back, if it is what it was. Returns the columns to which a trigger gave another value than they
/// had; NULL if all have what the merge made of them, or the row is gone.
#[pg_extern(sql = false)]
fn end_unmerge(target: pg_sys::Oid, removed: pg_sys::Oid, before: Tid, after: Tid) -> Result<Option<Vec<String>>> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe { boundary::entry(move || Ok(Unmerging::new(target, removed)?.end([before, after]))) }
}

/// Makes the condition that row t of a table has the primary key of the removed row d; NULL if the removed rows do not have all columns of the key.
#[pg_extern(sql = false)]
fn has_key(target: pg_sys::Oid, removed: pg_sys::Oid) -> Option<String> {
    let (keys, kept) = (statement::primary_key(target), catalog::columns(removed));
    let is_kept = |key: &Column| kept.iter().any(|column| column.name == key.name);
    let condition = || statement::equal(&keys, "t", |_, key| statement::column("d", &key.name));
    (!keys.is_empty() && keys.iter().all(is_kept)).then(condition)
}

/// A table and its table of removed rows.
struct Unmerging {
    target: pg_sys::Oid,
    removed: pg_sys::Oid,
    keys: Vec<Column>,
}

impl Unmerging {
    fn new(target: pg_sys::Oid, removed: pg_sys::Oid) -> Result<Self> {
        if [target, removed].into_iter().any(|table| catalog::row_type(table) == pg_sys::Oid::INVALID) {
            let message = "the table has been dropped during a restore";
            return Err(error(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE, message));
        }
        Ok(Self { target, removed, keys: statement::primary_key(target) })
    }

    /// Gives the kept row the values that it had; `None` if it stays as it is.
    fn put_back(&self, places: [Tid; 2]) -> Option<()> {
        // Postgres computes generated ones.
        let records = self.records(places)?;
        let (changes, arguments) = self.changes(records, |column| !column.is_generated)?;
        if changes.is_empty() {
            return Some(());
        }
        let [update, _] = self.statements(&changes);
        let has_text = self.has_text(records).map_or_else(String::new, |condition| format!(" AND {condition}"));
        // SAFETY: each value has the type next to it.
        let updated = unsafe { original::update(&format!("{update}{has_text}"), &arguments) };
        (updated > 0).then_some(())
    }

    /// Deletes both records if the kept row has the values that it had. Returns the columns that have others.
    fn end(&self, places: [Tid; 2]) -> Option<Vec<String>> {
        let (changes, arguments) = self.changes(self.records(places)?, |_| true)?;
        let mut held = Vec::new();
        if !changes.is_empty() {
            let [_, read] = self.statements(&changes);
            // SAFETY: each value has the type next to it.
            let [others, merged] = unsafe { change::returning_texts(&read, &arguments) }?;
            if merged.len() == changes.len() {
                return None;
            }
            held = others;
        }
        if held.is_empty() {
            self.forget(places);
        }
        Some(held)
    }

    /// Returns what the merge has changed in the columns that are `wanted`, and the parameters of both statements; `None` if the table has no key.
    fn changes(
        &self,
        [was, became]: [pg_sys::Datum; 2],
        wanted: fn(&Column) -> bool,
    ) -> Option<(Vec<Change>, Vec<Argument>)> {
        let names: Vec<String> = self.keys.iter().map(|key| key.name.clone()).collect();
        // SAFETY: both are rows of that table, and live to the end of this call.
        let (keys, mut changes) =
            unsafe { (original::values(self.removed, was, &names)?, original::changes(self.removed, was, became)?) };
        if keys.is_empty() {
            return None;
        }
        let columns = catalog::columns(self.target);
        changes.retain(|change| {
            let is_one = |column: &Column| column.name == change.column && wanted(column);
            !names.contains(&change.column) && columns.iter().any(is_one)
        });
        let values = changes.iter().map(|change| change.before).chain(changes.iter().map(|change| change.value));
        let arguments = keys.into_iter().chain(values).collect();
        Some((changes, arguments))
    }

    /// Reads both records; `None` if one is gone.
    fn records(&self, places: [Tid; 2]) -> Option<[pg_sys::Datum; 2]> {
        let row = |alias: &str| statement::as_row(&format!("{alias}.*"), self.removed);
        let statement = format!(
            "SELECT {before}, {after} FROM {removed} b, {removed} a WHERE b.ctid {EQUALS} $1 AND a.ctid {EQUALS} $2",
            before = row("b"),
            after = row("a"),
            removed = statement::only(self.removed),
        );
        // SAFETY: the statement returns two rows as its columns, and its parameters are addresses.
        unsafe { original::read(&statement, &places.map(address)) }
    }

    /// The condition that row t has a text that the records know; `None` if they know none, or no guard forms texts as they were formed then.
    fn has_text(&self, records: [pg_sys::Datum; 2]) -> Option<String> {
        let texts: Vec<String> = records.into_iter().filter_map(|record| self.known_text(record)).collect();
        let guards = Guard::all_of(self.target).unwrap_or_default();
        let own = guards.iter().filter(|guard| guard.table == self.target && guard.check_expression().is_ok());
        own.map(|guard| guard.document()).find_map(|document| {
            let form = form_of(&document);
            let hash = |text: &String| text.strip_prefix(&form)?.parse::<i64>().ok();
            let hashes: Vec<String> = texts.iter().filter_map(hash).map(|hash| hash.to_string()).collect();
            (!hashes.is_empty()).then(|| {
                let own = beside::hash(&document.of_table("t"), None);
                format!("{own} {EQUALS} ANY ('{{{}}}'::bigint[])", hashes.join(","))
            })
        })
    }

    /// What a record says of the text of its row.
    fn known_text(&self, record: pg_sys::Datum) -> Option<String> {
        // SAFETY: a row of that table, which lives to the end of this call.
        let (kind, text) = unsafe { original::values(self.removed, record, &["neardup_verdict".to_owned()]) }?.pop()?;
        // SAFETY: a value of that type.
        (kind == pg_sys::TEXTOID).then(|| unsafe { String::from_polymorphic_datum(text?, false, kind) }).flatten()
    }

    /// The statement that gives the kept row the values that it had, and the one that then returns the columns that have another one all the same, and
    /// those that still have what the merge made of them. Parameters of both: the key, the values as they were, and as they became. All are compared by
    /// the type behind a domain, as which they are kept: a CASE makes that of it without naming it, whose owner could give the name to another type.
    fn statements(&self, changes: &[Change]) -> [String; 2] {
        let (keys, count) = (self.keys.len(), changes.len());
        let name = |(number, change): (usize, &Change)| {
            let (was, became) = (format!("${}", keys + number), format!("${}", keys + count + number));
            let own = format!("CASE WHEN true THEN {} ELSE {was} END", statement::column("t", &change.column));
            Changed { name: change.column.clone(), own, was, became }
        };
        let changed: Vec<Changed> = (1..).zip(changes).map(name).collect();
        let each = |piece: &dyn Fn(&Changed) -> String, between: &str| {
            changed.iter().map(piece).collect::<Vec<_>>().join(between)
        };
        let is = |own: &str, value: &str| format!("pg_catalog.record_image_eq(ROW({own}), ROW({value}))");
        let names = |condition: &dyn Fn(&Changed) -> String| {
            let rows = each(&|column| format!("({}, {})", quote_literal(&column.name), condition(column)), ", ");
            format!("ARRAY(SELECT c.name FROM (VALUES {rows}) c(name, holds) WHERE c.holds)")
        };
        let target = statement::only(self.target);
        let has_key = statement::equal(&self.keys, "t", |number, _| format!("${number}"));
        [
            format!(
                "UPDATE {target} t SET {values} WHERE {has_key} AND {unchanged}",
                values = each(&|column| format!("{} = {}", quote_identifier(column.name.as_str()), column.was), ", "),
                unchanged = each(
                    &|column| format!("({} OR {})", is(&column.own, &column.became), is(&column.own, &column.was)),
                    " AND "
                ),
            ),
            format!(
                "SELECT {held}, {merged} FROM {target} t WHERE {has_key}",
                held = names(&|column| format!("NOT {}", is(&column.own, &column.was))),
                merged = names(&|column| is(&column.own, &column.became)),
            ),
        ]
    }

    /// Deletes both records.
    fn forget(&self, places: [Tid; 2]) {
        let statement = format!(
            "DELETE FROM {removed} d WHERE d.ctid {EQUALS} ANY (ARRAY[$1, $2])",
            removed = statement::only(self.removed),
        );
        // SAFETY: its parameters are addresses.
        unsafe { original::update(&statement, &places.map(address)) };
    }
}

/// A changed column in a statement: its name, its value in row t, and the parameters with what it was and what it became.
struct Changed {
    name: String,
    own: String,
    was: String,
    became: String,
}

fn address(place: Tid) -> Argument {
    (pg_sys::TIDOID, place.into_datum())
}
