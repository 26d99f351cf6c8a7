//! What SQL reads of a row to answer about it: its key, its text and the hash of what is compared of it.

use std::ffi::CStr;
use std::rc::Rc;

use pgrx::prelude::*;

use super::{Answers, Given};
use crate::error::{Result, error};
use crate::guarded::arguments::{check_expression, check_keys, only_guard};
use crate::guarded::beside;
use crate::guarded::guard::Guard;
use crate::guarded::statement;
use crate::pg::catalog;

/// Finds the guard that answers are about.
pub fn guard_of(target: pg_sys::Oid, document: Option<&CStr>) -> Result<Rc<Guard>> {
    let document = document.map(|name| name.to_string_lossy().into_owned());
    let is_meant = |guard: &Rc<Guard>| {
        guard.table == target
            && document.as_ref().is_none_or(|name| guard.columns.first().is_some_and(|first| first == name))
    };
    let guard = only_guard(Guard::all_of(target)?.into_iter().filter(is_meant).collect(), target, document.as_deref())?;
    guard.expression.map_or(Ok(()), check_expression)?;
    Ok(guard)
}

/// Makes the expression for the hash of what is compared of row t, whose document is known under this name.
fn hash(guard: &Guard, document: &str) -> String {
    beside::hash(document, beside::expression("t", guard.title_column(), guard.differ_columns()).as_deref())
}

/// Makes the statement that reads the rows whose keys are `$1`, an array of text, as lists write keys: the key as it was asked for, the key as
/// lists write it, the document, and the hash of what is compared of the row.
#[pg_extern(sql = false)]
fn answered_rows(target: pg_sys::Oid, document: Option<&CStr>) -> Result<String> {
    let guard = guard_of(target, document)?;
    check_keys(target)?;
    let keys = statement::primary_key(target);
    let text_of = |text: fn(&str) -> String| {
        statement::key_text(&keys.iter().map(|key| text(&statement::column("t", &key.name))).collect::<Vec<_>>())
    };
    let listed = text_of(statement::as_text);
    let has_key = match &keys[..] {
        [only] => statement::equal(&keys, "t", |_, _| statement::cast("u.key", only.kind)),
        // Guards write a value as its type puts it out, lists as a cast to text: t and true.
        _ if keys.iter().any(|key| key.kind == pg_sys::BOOLOID) => {
            format!("u.key {} ANY (ARRAY[{listed}, {}])", statement::EQUALS, text_of(statement::put_out))
        }
        _ => format!("{listed} {} u.key", statement::EQUALS),
    };
    Ok(format!(
        "SELECT u.key AS asked, {listed} AS key, d.document, {hash} AS hash \
         FROM pg_catalog.unnest($1) u(key) JOIN {table} t ON {has_key} \
              CROSS JOIN LATERAL (SELECT {document} AS document OFFSET 0) d WHERE d.document IS NOT NULL",
        hash = hash(&guard, "d.document"),
        table = statement::only(target),
        document = guard.document().of_table("t"),
    ))
}

/// Makes the expression for the hash of what is compared of row t; `None` if there are no answers on the table.
#[pg_extern(sql = false)]
fn answered_hash(target: pg_sys::Oid, document: &CStr) -> Result<Option<String>> {
    let guard = guard_of(target, Some(document))?;
    let is_answered = !Answers::beside(&guard).is_none();
    Ok(is_answered.then(|| hash(&guard, &guard.document().of_table("t"))))
}

/// Returns the numbers by which answers keep the row with a hash and a key apart from others, each with one that it must not be with.
#[pg_extern(sql = false)]
fn kept_apart(
    target: pg_sys::Oid,
    document: &CStr,
    hash: i64,
    key: &str,
) -> Result<TableIterator<'static, (name!(own, i64), name!(other, i64))>> {
    // A hash of a text tells whether a guess is right.
    if !catalog::may_read_some(target) {
        let message = "must be able to read a table to know what its answers keep apart";
        return Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message));
    }
    let guard = guard_of(target, Some(document))?;
    let apart = Given::about(&Answers::beside(&guard), hash.cast_unsigned()).apart(key);
    let signed = |numbers: Vec<u64>| numbers.into_iter().map(u64::cast_signed);
    Ok(TableIterator::new(signed(apart.own).zip(signed(apart.from))))
}
