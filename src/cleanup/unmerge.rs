//! Undoes what the action `merge` has done with kept rows: `neardup.restore` puts such a row back when the rows that were merged into it come
//! back.
//!
//! A merge keeps two records of the kept row, with its key and the columns that it changed: as they were, and as they became. Only these
//! columns are put back, and only if all of them are still what they became. Both records are then gone. All of it are statements of the
//! caller: what a record says selects rows and gives values.
#![allow(unsafe_code, reason = "functions behind the error boundary")]

use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, quote_literal};

use super::merge::{AFTER, BEFORE};
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
                if change::run(&table.put_back(&record), &[]) > 0 {
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

    /// The records of the kept rows, if all of what was merged into them comes back with these keys.
    fn records(&self, run_id: i64, batch: i32, keys: &[String]) -> Result<Vec<Records>> {
        let keys: Vec<String> = keys.iter().map(quote_literal).collect();
        let of_batch =
            |alias: &str| format!("{alias}.neardup_run {EQUALS} {run_id} AND {alias}.neardup_batch {EQUALS} {batch}");
        let changed = |name: &String| {
            let (before, after) = (statement::column("b", name), statement::column("a", name));
            format!("({}, pg_catalog.record_image_ne(ROW({before}), ROW({after})))", quote_literal(name))
        };
        let statement = format!(
            "SELECT CAST(b.ctid AS pg_catalog.text), CAST(a.ctid AS pg_catalog.text), \
                    ARRAY(SELECT c.name FROM (VALUES {columns}) c(name, changed) WHERE c.changed) \
             FROM {removed} b JOIN {removed} a ON a.neardup_key {EQUALS} b.neardup_key \
             WHERE {of_b} AND b.neardup_measure {EQUALS} '{BEFORE}' AND {of_a} AND a.neardup_measure {EQUALS} '{AFTER}' \
                   AND EXISTS (SELECT {merged} AND o.neardup_key {EQUALS} ANY ({keys})) \
                   AND NOT EXISTS (SELECT {merged} AND o.neardup_key OPERATOR(pg_catalog.<>) ALL ({keys}))",
            columns = self.columns.iter().map(changed).collect::<Vec<_>>().join(", "),
            removed = self.removed,
            of_b = of_batch("b"),
            of_a = of_batch("a"),
            merged = format!(
                "FROM {removed} o WHERE {of_o} AND o.neardup_duplicate_of {EQUALS} b.neardup_key \
                 AND o.neardup_measure OPERATOR(pg_catalog.<>) ALL ('{{{BEFORE},{AFTER}}}'::pg_catalog.text[])",
                removed = self.removed,
                of_o = of_batch("o"),
            ),
            keys = format!("ARRAY[{}]::pg_catalog.text[]", keys.join(", ")),
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

    /// The statement that gives the kept row the values that it had.
    fn put_back(&self, record: &Records) -> String {
        let each = |piece: &dyn Fn(&String) -> String, between: &str| {
            record.changed.iter().map(piece).collect::<Vec<_>>().join(between)
        };
        format!(
            "UPDATE {target} t SET {values} FROM {removed} b, {removed} a \
             WHERE b.ctid {EQUALS} '{before}' AND a.ctid {EQUALS} '{after}' AND {has_key} AND {unchanged}",
            target = self.target,
            removed = self.removed,
            before = record.before,
            after = record.after,
            values = each(&|name| format!("{} = {}", quote_identifier(name), statement::column("b", name)), ", "),
            has_key = statement::equal(&self.keys, "t", |_, key| statement::column("b", &key.name)),
            unchanged = each(
                &|name| {
                    let (own, after) = (statement::column("t", name), statement::column("a", name));
                    format!("pg_catalog.record_image_eq(ROW({own}), ROW({after}))")
                },
                " AND "
            ),
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
