//! Undoes what the action `merge` has done with kept rows: `neardup.restore` puts such a row back when the rows that were merged into it come
//! back.
//!
//! A merge keeps two records of the kept row, with its key and the columns that it changed: as they were, and as they became. Only these
//! columns are put back, and only if all of them are still what they became. Both records are then gone. All of it are statements of the
//! caller: what a record says selects rows and gives values.
#![allow(unsafe_code, reason = "functions behind the error boundary")]

use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, quote_literal};

use super::batch::{AFTER, BEFORE};
use crate::error::{Result, error};
use crate::guarded::statement::{self, EQUALS};
use crate::pg::call::boundary;
use crate::pg::catalog::{self, Column};
use crate::pg::table::change;
use crate::pg::table::query::Session;

/// Puts the rows back into which rows of a batch were merged. `keys` are those of the rows that come back: if others of a group stay removed,
/// its kept row stays as it is. Returns the number of rows put back.
#[pg_extern(sql = false)]
fn unmerge_rows(
    target: pg_sys::Oid,
    removed: pg_sys::Oid,
    run_id: i64,
    batch: i32,
    keys: Vec<Option<String>>,
) -> Result<i64> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            if [target, removed].into_iter().any(|table| catalog::relation_kind(table) == 0) {
                return Err(error(
                    PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
                    "the table has been dropped during a restore",
                ));
            }
            let table = Unmerging::new(target, removed);
            if table.keys.is_empty() || table.columns.is_empty() {
                return Ok(0);
            }
            let keys: Vec<String> = keys.into_iter().flatten().collect();
            let mut count = 0;
            for record in table.records(run_id, batch, &keys)? {
                // A trigger may have undone what the merge changed.
                if record.changed.is_empty() || change::run(&table.put_back(&record), &[]) > 0 {
                    change::run(&table.forget(&record), &[]);
                    count += 1;
                }
            }
            Ok(count)
        })
    }
}

/// The two records of a row, by their addresses as text, and the columns in which they differ.
struct Records {
    before: String,
    after: String,
    changed: Vec<String>,
}

/// A table and its table of removed rows, as statements name them.
struct Unmerging {
    target: String,
    removed: String,
    keys: Vec<Column>,
    /// The columns that a merge may change, and that both tables have.
    columns: Vec<String>,
}

impl Unmerging {
    fn new(target: pg_sys::Oid, removed: pg_sys::Oid) -> Self {
        let keys = statement::primary_key(target);
        let recorded = catalog::columns(removed);
        let is_one = |column: &Column| {
            !column.is_generated
                && keys.iter().all(|key| key.name != column.name)
                && recorded.iter().any(|other| other.name == column.name)
        };
        let columns = catalog::columns(target).into_iter().filter(is_one).map(|column| column.name).collect();
        Self { target: statement::only(target), removed: statement::only(removed), keys, columns }
    }

    /// The records of the kept rows, if all of what was merged into them comes back with these keys. One pass over the batch: what was merged into a
    /// row, and its two records, are together by its key.
    fn records(&self, run_id: i64, batch: i32, keys: &[String]) -> Result<Vec<Records>> {
        let keys: Vec<String> = keys.iter().map(quote_literal).collect();
        let numbered = || (1..).zip(&self.columns);
        let changed = |(number, name): (usize, &String)| {
            format!("({}, pg_catalog.record_image_ne(ROW(x.b{number}), ROW(x.a{number})))", quote_literal(name))
        };
        let both = |(number, name): (usize, &String)| {
            let column = statement::column("d", name);
            format!(", {column} AS b{number}, pg_catalog.lag({column}) OVER w AS a{number}")
        };
        let is_record = format!("(d.neardup_measure {EQUALS} ANY ('{{{BEFORE},{AFTER}}}'::pg_catalog.text[])) IS TRUE");
        let statement = format!(
            "SELECT CAST(x.before AS pg_catalog.text), CAST(x.after AS pg_catalog.text), \
                    ARRAY(SELECT c.name FROM (VALUES {changed}) c(name, changed) WHERE c.changed) \
             FROM (SELECT d.ctid AS before, pg_catalog.lag(d.ctid) OVER w AS after, d.neardup_measure AS measure, \
                          pg_catalog.lag(d.neardup_measure) OVER w AS last, \
                          pg_catalog.bool_or(NOT {is_record}) OVER g AS has_rows, \
                          pg_catalog.bool_and({is_record} OR d.neardup_key {EQUALS} ANY (ARRAY[{keys}]::pg_catalog.text[])) OVER g AS is_whole{both} \
                   FROM {removed} d WHERE d.neardup_run {EQUALS} {run_id} AND d.neardup_batch {EQUALS} {batch} \
                   WINDOW g AS (PARTITION BY d.neardup_duplicate_of), \
                          w AS (PARTITION BY d.neardup_duplicate_of ORDER BY {is_record} DESC, d.neardup_measure)) x \
             WHERE x.measure {EQUALS} '{BEFORE}' AND x.last {EQUALS} '{AFTER}' AND x.has_rows AND x.is_whole",
            changed = numbered().map(changed).collect::<Vec<_>>().join(", "),
            both = numbered().map(both).collect::<String>(),
            removed = self.removed,
            keys = keys.join(", "),
        );
        let session = Session::open();
        let mut found = Vec::new();
        session.each(&session.prepare(&statement, &[]), &[], |row| {
            let address = |column| row.text(column).unwrap_or_default().to_owned();
            let changed = row.texts(3).into_iter().flatten().collect();
            found.push(Records { before: address(1), after: address(2), changed });
            Ok(())
        })?;
        Ok(found)
    }

    /// The statement that gives the kept row the values that it had, and returns it if it has them: a trigger may keep it as it is.
    fn put_back(&self, record: &Records) -> String {
        let each = |piece: &dyn Fn(&String) -> String, between: &str| {
            record.changed.iter().map(piece).collect::<Vec<_>>().join(between)
        };
        let is = |row: &'static str, as_in: &'static str| {
            move |name: &String| {
                let (own, other) = (statement::column(row, name), statement::column(as_in, name));
                format!("pg_catalog.record_image_eq(ROW({own}), ROW({other}))")
            }
        };
        format!(
            "WITH u AS (UPDATE {target} t SET {values} FROM {removed} b, {removed} a \
                        WHERE b.ctid {EQUALS} '{before}' AND a.ctid {EQUALS} '{after}' AND {has_key} AND {unchanged} RETURNING t.*) \
             SELECT FROM u, {removed} b WHERE b.ctid {EQUALS} '{before}' AND {is_back}",
            target = self.target,
            removed = self.removed,
            before = record.before,
            after = record.after,
            values = each(&|name| format!("{} = {}", quote_identifier(name), statement::column("b", name)), ", "),
            has_key = statement::equal(&self.keys, "t", |_, key| statement::column("b", &key.name)),
            unchanged = each(&is("t", "a"), " AND "),
            is_back = each(&is("u", "b"), " AND "),
        )
    }

    /// The statement that deletes both records.
    fn forget(&self, record: &Records) -> String {
        format!(
            "DELETE FROM {removed} d WHERE d.ctid {EQUALS} ANY (ARRAY['{before}', '{after}']::pg_catalog.tid[])",
            removed = self.removed,
            before = record.before,
            after = record.after,
        )
    }
}
