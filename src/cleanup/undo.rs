//! The statements of `neardup.restore` that name the user's table and columns, each whole; undo.sql runs them.
#![allow(unsafe_code, reason = "functions behind the error boundary")]

use pgrx::pg_sys;
use pgrx::prelude::*;
use pgrx::spi::quote_identifier;

use crate::error::{Result, error};
use crate::guarded::statement::{self, EQUALS, as_text};
use crate::pg::call::boundary;
use crate::pg::catalog;
use crate::pg::catalog::{self as describe, Column};

/// The names of columns, as SQL passes them.
type Names = Vec<Option<String>>;

/// Checks that a table exists.
fn check_exists(table: pg_sys::Oid) -> Result<()> {
    match describe::relation_kind(table) {
        pg_sys::RELKIND_RELATION | pg_sys::RELKIND_PARTITIONED_TABLE => Ok(()),
        0 => {
            let message = format!("table with OID {} does not exist", u32::from(table));
            Err(error(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE, message))
        }
        _ => {
            let message = format!("\"{}\" is not a table", catalog::relation_name(table));
            Err(error(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, message))
        }
    }
}

fn known<'c>(columns: &'c [Column], name: &str) -> Result<&'c Column> {
    columns
        .iter()
        .find(|column| column.name == name)
        .ok_or_else(|| error(PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN, format!("column \"{name}\" no longer exists")))
}

/// Makes the statement that inserts the rows of a batch again and takes them out of `neardup.removed`. Their records have these
/// columns; columns that were added later get their defaults. Parameters: run, batch, role, and the address of the one record to
/// restore, or NULL.
#[pg_extern(sql = false)]
pub fn insert_statement(target: pg_sys::Oid, columns: Names) -> Result<String> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            check_exists(target)?;
            Ok(insert(target, &columns))
        })
    }
}

fn insert(target: pg_sys::Oid, columns: &Names) -> String {
    let now = describe::columns(target);
    let is_recorded = |column: &&Column| columns.iter().flatten().any(|name| *name == column.name);
    let writable: Vec<Column> = now.iter().filter(|column| !column.is_generated).filter(is_recorded).cloned().collect();
    let keys = statement::primary_key(target);
    let numbered: Vec<String> =
        (1..).zip(&keys).map(|(number, key)| format!("{} AS k{number}", quote_identifier(&key.name))).collect();
    format!(
        "WITH source AS MATERIALIZED ( \
             SELECT d.ctid AS place, {record} AS r FROM neardup.removed d \
             WHERE d.run_id = $1 AND d.batch = $2 AND d.role = $3 AND ($4 IS NULL OR d.ctid = $4) AND d.record IS NOT NULL), \
         inserted AS ( \
             INSERT INTO {target} ({names}) OVERRIDING SYSTEM VALUE SELECT {values} FROM source s \
             ON CONFLICT DO NOTHING RETURNING {numbered}) \
         DELETE FROM neardup.removed d USING source s, inserted i WHERE d.ctid {EQUALS} s.place AND {same_key}",
        record = statement::cast(
            &format!(
                "pg_catalog.left(d.record, -1) || '{}' || ')'",
                ",".repeat(now.len().saturating_sub(columns.len()))
            ),
            describe::row_type(target),
        ),
        target = statement::relation(target),
        names = statement::list(&writable, |column| quote_identifier(&column.name)),
        values = statement::list(&writable, |column| statement::column("(s.r)", &column.name)),
        numbered = numbered.join(", "),
        same_key = statement::equal(&keys, "(s.r)", |number, _| format!("i.k{number}")),
    )
}

/// Makes the statement that changes references back to rows that were restored, if nobody has changed them since. Parameters: run,
/// batch, referring table, its columns, the columns they refer to.
#[pg_extern(sql = false)]
pub fn point_back_statement(
    target: pg_sys::Oid,
    source: pg_sys::Oid,
    columns: Names,
    target_columns: Names,
    key_columns: Option<Names>,
) -> Result<String> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe { boundary::entry(move || point_back(target, source, &columns, &target_columns, key_columns.as_ref())) }
}

fn point_back(
    target: pg_sys::Oid,
    source: pg_sys::Oid,
    columns: &Names,
    target_columns: &Names,
    key_columns: Option<&Names>,
) -> Result<String> {
    check_exists(target)?;
    check_exists(source)?;
    let pick = |relation, names: &Names| -> Result<Vec<Column>> {
        let all = describe::columns(relation);
        names.iter().flatten().map(|name| known(&all, name).cloned()).collect()
    };
    let mine = pick(source, columns)?;
    let theirs = pick(target, target_columns)?;
    let logged = |values: &'static str| {
        move |number: usize, column: &Column| statement::cast(&format!("l.{values}[{number}]"), column.kind)
    };
    let set = |(number, column): (usize, &Column)| {
        format!("{} = {}", quote_identifier(&column.name), logged("old_values")(number, column))
    };
    // Rows of a table without a primary key are known by the text of the whole row, and equal rows by their number.
    let whole = as_text("s.*");
    let (rows, is_row) = match key_columns {
        Some(names) => (String::new(), statement::equal(&pick(source, names)?, "f", logged("key"))),
        None => (
            format!(
                ", (SELECT s.tableoid AS part, s.ctid AS place, {whole} AS record, \
                 pg_catalog.row_number() OVER (PARTITION BY {whole}) AS n FROM {} s) s",
                statement::relation(source)
            ),
            "f.tableoid = s.part AND f.ctid = s.place AND s.record = l.key[1] AND s.n = l.n".to_owned(),
        ),
    };
    Ok(format!(
        "WITH log AS MATERIALIZED ( \
             SELECT p.*, p.ctid AS place, pg_catalog.row_number() OVER (PARTITION BY p.key) AS n FROM neardup.repointed p \
             WHERE p.run_id = $1 AND p.batch = $2 AND p.source::pg_catalog.oid = $3 \
                   AND p.columns {EQUALS} $4 AND p.target_columns {EQUALS} $5), \
         back AS ( \
             UPDATE {source} f SET {set} FROM log l{rows} \
             WHERE {is_row} AND {unchanged} AND EXISTS (SELECT FROM {target} t WHERE {is_target}) RETURNING l.place) \
         DELETE FROM neardup.repointed p USING back b WHERE p.ctid {EQUALS} b.place",
        source = statement::relation(source),
        set = (1..).zip(&mine).map(set).collect::<Vec<_>>().join(", "),
        unchanged = statement::equal(&mine, "f", logged("new_values")),
        target = statement::relation(target),
        is_target = statement::equal(&theirs, "t", logged("old_values")),
    ))
}

/// Makes the statement that takes the marks of a run off. Parameters: run, role.
#[pg_extern(sql = false)]
pub fn unmark_statement(target: pg_sys::Oid, mark: &str) -> Result<String> {
    check_exists(target)?;
    let keys = statement::primary_key(target);
    Ok(format!(
        "WITH back AS ( \
             UPDATE {target} t SET {mark} = NULL FROM neardup.removed d \
             WHERE d.run_id = $1 AND d.role = $2 AND pg_catalog.concat_ws(', ', {keys}) {EQUALS} d.key \
                   AND {marked} {EQUALS} d.duplicate_of RETURNING d.ctid AS place) \
         DELETE FROM neardup.removed d USING back b WHERE d.ctid {EQUALS} b.place",
        target = statement::relation(target),
        keys = statement::list(&keys, |key| statement::column("t", &key.name)),
        marked = as_text(&statement::column("t", mark)),
        mark = quote_identifier(mark),
    ))
}
