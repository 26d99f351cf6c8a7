//! Checks of arguments that guards, lists and clean-ups share: columns, time windows.

use pgrx::datum::Interval;
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::{Result, error, invalid};
use crate::guarded::statement;
use crate::pg::call::column::output;
use crate::pg::catalog::{self, Column};
use crate::pg::table::partition;

/// Returns a relation as messages show it.
pub fn shown(relation: pg_sys::Oid) -> String {
    // SAFETY: a relation's number is a value of that type.
    unsafe { output(pg_sys::Datum::from(relation), pg_sys::REGCLASSOID) }
}

/// Returns the only guard of a table, or the one on a column, of those that were found.
///
/// # Errors
/// If there are none or several, and as [`check_keys`].
pub fn only_guard<T>(mut found: Vec<T>, target: pg_sys::Oid, document: Option<&str>) -> Result<T> {
    let guards = found.len();
    check_keys(target)?;
    found.pop().filter(|_| guards == 1).ok_or_else(|| not_one_guard(target, document, guards))
}

/// Checks that SQL has found one guard of a table, or on a column of it.
#[pg_extern(sql = false)]
pub fn check_one_guard(target: Option<pg_sys::Oid>, document: Option<&str>, guards: Option<i64>) -> Result<()> {
    let (Some(target), Some(guards)) = (target, guards) else {
        return Err(error(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, "target must not be NULL"));
    };
    check_keys(target)?;
    if guards == 1 { Ok(()) } else { Err(not_one_guard(target, document, guards as usize)) }
}

/// Checks that the primary key of a table is written as text, and read from it, without code of other roles.
///
/// # Errors
/// If it is not.
pub fn check_keys(table: pg_sys::Oid) -> Result<()> {
    statement::primary_key(table).iter().try_for_each(|key| check_text_form(table, key))
}

/// What to do about a deferrable primary key.
pub const NOT_DEFERRABLE: &str = "Make one that is not: ALTER TABLE ... DROP CONSTRAINT ..., ADD PRIMARY KEY (...).";

/// Makes the error for a table without a primary key that tells its rows apart.
pub fn no_primary_key(table: pg_sys::Oid) -> ErrorReport {
    let (message, hint) = if catalog::has_deferrable_key(table) {
        (format!("the primary key of table {} is deferrable", shown(table)), NOT_DEFERRABLE)
    } else {
        (format!("table {} has no primary key", shown(table)), "Add one: ALTER TABLE ... ADD PRIMARY KEY.")
    };
    error(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message).set_hint(hint)
}

/// Checks that a column is written as text, and read from it, without code of other roles.
///
/// # Errors
/// If it is not.
pub fn check_text_form(table: pg_sys::Oid, column: &Column) -> Result<()> {
    let is_plain = |from, to| catalog::is_plain_cast(from, to);
    let text = pg_sys::TEXTOID;
    if is_plain(column.kind, text) && is_plain(text, column.kind) { Ok(()) } else { Err(not_plain(table, column)) }
}

/// Makes the error for a column that cannot be converted without code of other roles.
pub fn not_plain(table: pg_sys::Oid, column: &Column) -> ErrorReport {
    let kind = catalog::shown_type(column.kind);
    let message = format!("column \"{}\" of table {} is of type {kind}", column.name, shown(table));
    error(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
        .set_detail("Converting it may run functions of another role, which reading the table would not.")
        .set_hint("Types of Postgres and of extensions are converted, those of roles that have your rights and, in another table, the type of the guarded table's column.")
}

/// Checks that a function by which the guard `does` something is no other role's, where it would run as the caller.
///
/// # Errors
/// If it is.
pub fn check_function(function: pg_sys::Oid, does: &str) -> Result<()> {
    if catalog::is_trusted(function) {
        return Ok(());
    }
    let (schema, name) = catalog::function_name(function);
    let message = format!("the guard {does} by function {schema}.{name} of another role");
    Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
        .set_detail("It would run with the privileges of the current role.")
        .set_hint("Connect as its owner, or SET ROLE to it if you trust it: the function could become the role of the session again."))
}

fn not_one_guard(target: pg_sys::Oid, document: Option<&str>, guards: usize) -> ErrorReport {
    if guards > 0 {
        let message = format!("table {} has {guards} guards", shown(target));
        return error(PgSqlErrorCode::ERRCODE_AMBIGUOUS_COLUMN, message)
            .set_hint("Name the column: document => 'column'.");
    }
    let column = document.map(|name| format!(" on column \"{name}\"")).unwrap_or_default();
    let message = format!("table {} has no guard{column}", shown(target));
    let error = error(PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT, message);
    let hint = match catalog::relation_kind(target) {
        0 => return error,
        pg_sys::RELKIND_RELATION | pg_sys::RELKIND_PARTITIONED_TABLE => match partition::root(target) {
            root if root != target => format!("It is a partition: name {}, which is guarded as a whole.", shown(root)),
            _ => format!("Create one: SELECT neardup.protect({}, 'column');", pgrx::spi::quote_literal(shown(target))),
        },
        _ => "It is not a table: guards, lists and clean-ups are of tables. Name the one that has the rows.".to_owned(),
    };
    error.set_hint(hint)
}

/// Returns a column of a relation.
///
/// # Errors
/// If there is none of this name.
pub fn column(relation: pg_sys::Oid, name: &str) -> Result<Column> {
    let mut columns = catalog::columns(relation);
    if let Some(found) = columns.iter().position(|column| column.name == name) {
        return Ok(columns.swap_remove(found));
    }
    let message = format!("column \"{name}\" of table {} does not exist", shown(relation));
    let error = error(PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN, message);
    // Tables are named as in SQL, columns as they are stored.
    let plain = |name: &str| name.trim_matches('"').to_lowercase();
    Err(match columns.iter().find(|column| plain(&column.name) == plain(name)) {
        Some(column) => error.set_hint(format!(
            "There is a column {}: a name is given in its own case, and without quotation marks around it.",
            pgrx::spi::quote_literal(&column.name)
        )),
        None => error,
    })
}

/// Makes the error for arguments that go by a time column that is not named.
pub fn no_time_column(message: &str) -> ErrorReport {
    error(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, message).set_hint("Name it: time_column => 'column'.")
}

/// Returns a column of a table that a guard may use.
///
/// # Errors
/// If there is none of this name, or if it is generated.
pub fn stored_column(table: pg_sys::Oid, name: &str) -> Result<Column> {
    let found = column(table, name)?;
    if !found.is_generated {
        return Ok(found);
    }
    let message = format!("column \"{name}\" of table {} is generated", shown(table));
    Err(error(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
        .set_detail("Generated columns are computed after the guard runs.")
        .set_hint("Guard a column that it is computed from."))
}

/// Checks that a column is a time.
///
/// # Errors
/// If it is not, or not a column that a guard may use.
pub fn check_time(table: pg_sys::Oid, name: &str) -> Result<()> {
    let found = stored_column(table, name)?;
    if catalog::is_time(&found) {
        return Ok(());
    }
    let message = format!("column \"{name}\" of table {} is not a time", shown(table));
    Err(error(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message)
        .set_detail("A time is of type timestamp with or without time zone, or date."))
}

/// Checks that a column of this type is text.
///
/// # Errors
/// If it is not.
pub fn check_text(table: pg_sys::Oid, name: &str, kind: pg_sys::Oid) -> Result<()> {
    if [pg_sys::TEXTOID, pg_sys::VARCHAROID, pg_sys::BPCHAROID].contains(&kind) {
        return Ok(());
    }
    let message = format!("column \"{name}\" of table {} has type {}", shown(table), catalog::shown_type(kind));
    Err(error(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message)
        .set_detail("A document or a title is of type text, character varying or character.")
        .set_hint("Name a column of text; a document that is made of others is that of a function: neardup.protect(..., expression => ...)."))
}

/// The greatest time window: 100,000 years.
const LONGEST: i64 = 100_000 * 365_250 * 86_400_000;

/// Returns a time window in microseconds, as `EXTRACT(epoch FROM ...)` counts: a year has 365.25 days, a month 30.
///
/// # Errors
/// If it is negative or too long.
pub fn window(within: &Interval) -> Result<i64> {
    const DAY: i128 = 86_400_000_000;
    let months = i128::from(within.months());
    let days = i128::from(within.days()) * DAY;
    let total = months / 12 * DAY * 1461 / 4 + months % 12 * 30 * DAY + days + i128::from(within.micros());
    match i64::try_from(total) {
        Ok(window @ 0..=LONGEST) => Ok(window),
        _ if total < 0 => Err(invalid(format!("within must not be negative: {within}"))),
        _ => Err(invalid(format!("within must be at most 100000 years: {within}"))),
    }
}

/// Returns a function's name and the types of its arguments, for messages.
pub fn shown_function(function: pg_sys::Oid) -> String {
    // SAFETY: a function's number is a value of that type.
    unsafe { output(pg_sys::Datum::from(function), pg_sys::REGPROCEDUREOID) }
}

fn merge_hint(target: pg_sys::Oid) -> String {
    let table = shown(target);
    format!("CREATE FUNCTION my_merge(existing {table}, new {table}) RETURNS {table} ..., then: merge => 'my_merge'.")
}

/// The error of an argument that says merge, and none that says how.
pub fn no_merge(target: pg_sys::Oid, argument: &str) -> ErrorReport {
    let message = format!("{argument} merge requires a function that merges two rows");
    error(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, message).set_hint(merge_hint(target))
}

/// Checks that a function merges two rows of a table into one.
///
/// # Errors
/// If it does not.
pub fn check_merges(function: pg_sys::Oid, target: pg_sys::Oid) -> Result<()> {
    if catalog::joins_rows(function, target) {
        return Ok(());
    }
    let message = format!("function {} does not merge rows of {}", shown_function(function), shown(target));
    Err(error(PgSqlErrorCode::ERRCODE_INVALID_FUNCTION_DEFINITION, message)
        .set_detail("Such a function takes two rows of the table, the existing one and the new one, and returns one.")
        .set_hint(merge_hint(target)))
}
