//! What SQL reads of a row to answer about it: its key, its text and the hash of what is compared of it.
#![allow(unsafe_code, reason = "a function behind the error boundary")]

use std::ffi::CStr;
use std::rc::Rc;

use ahash::AHashMap;
use pgrx::prelude::*;

use super::{Answers, Given};
use crate::error::{Result, error};
use crate::guarded::arguments::{check_keys, only_guard};
use crate::guarded::beside;
use crate::guarded::guard::Guard;
use crate::guarded::statement;
use crate::pg::call::boundary;
use crate::pg::catalog;
use crate::pg::table::query::Session;
use crate::pg::table::unique;

/// Finds the guard that answers are about.
pub fn guard_of(target: pg_sys::Oid, document: Option<&CStr>) -> Result<Rc<Guard>> {
    let document = document.map(|name| name.to_string_lossy().into_owned());
    let is_meant = |guard: &Rc<Guard>| {
        guard.table == target
            && document.as_ref().is_none_or(|name| guard.columns.first().is_some_and(|first| first == name))
    };
    let guard = only_guard(Guard::all_of(target)?.into_iter().filter(is_meant).collect(), target, document.as_deref())?;
    guard.check_expression()?;
    Ok(guard)
}

/// Makes the expression for the hash of what is compared of row t, whose document is known under this name.
fn hash(guard: &Guard, document: &str) -> String {
    beside::hash(
        document,
        beside::expression("t", guard.title_column(), [guard.differ_columns(), guard.agree_columns()]).as_deref(),
    )
}

/// Returns the texts that are values of a type, one whose texts are known.
#[pg_extern(sql = false)]
fn plain_keys(kind: pg_sys::Oid, keys: Vec<Option<String>>) -> Vec<String> {
    let is_form = unique::forms_of(kind);
    keys.into_iter().flatten().filter(|key| is_form.is_none_or(|is_form| is_form(key))).collect()
}

/// Makes the statement that reads the rows whose keys are `$1`, an array of text, as lists write keys: the key as it was asked for, the key as
/// lists write it, the document, the title, the hash of what is compared of the row, and that of its document alone. A key may have been of another type when it was answered about:
/// texts that are no values of the type are left out, and where that is not known, all keys are compared as texts.
#[pg_extern(sql = false)]
fn answered_rows(target: Option<pg_sys::Oid>, document: Option<&CStr>) -> Result<String> {
    let Some(target) = target else {
        return Err(error(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, "target must not be NULL"));
    };
    let guard = guard_of(target, document)?;
    check_keys(target)?;
    let keys = statement::primary_key(target);
    let listed = statement::key_of("t", &keys);
    let (asked, has_key) = match &keys[..] {
        [only] if unique::forms_of(catalog::base_type(only.kind)).is_some() => (
            format!("neardup_internal.plain_keys({}::pg_catalog.oid, $1)", u32::from(catalog::base_type(only.kind))),
            statement::equal(&keys, "t", |_, _| statement::cast("u.key", only.kind)),
        ),
        _ => ("$1".to_owned(), format!("{listed} {} u.key", statement::EQUALS)),
    };
    Ok(format!(
        "SELECT u.key AS asked, {listed} AS key, d.document, {title} AS title, {hash} AS hash, {text_hash} AS text_hash \
         FROM pg_catalog.unnest({asked}) u(key) JOIN {table} t ON {has_key} \
              CROSS JOIN LATERAL (SELECT {document} AS document OFFSET 0) d WHERE d.document IS NOT NULL",
        title = guard.title_column().map_or_else(|| "NULL".to_owned(), |title| statement::column("t", title)),
        hash = hash(&guard, "d.document"),
        text_hash = beside::hash("d.document", None),
        table = statement::only(target),
        document = guard.document().of_table("t"),
    ))
}

/// Returns the numbers by which answers keep rows of a table apart, by the keys of these rows, as lists write them: those of the row, each with one
/// that it must not be with. Only rows that the caller sees count, and the numbers stand for nothing outside: a hash of a text would
/// tell whether a guess is right.
#[pg_extern(sql = false)]
fn kept_apart(
    target: pg_sys::Oid,
    document: &CStr,
) -> Result<TableIterator<'static, (name!(key, String), name!(own, i64), name!(other, i64))>> {
    // SAFETY: what pgrx has wrapped; nothing with a destructor is left in the closure.
    let rows = unsafe { boundary::entry(|| apart_rows(target, document)) }?;
    let mut numbers: AHashMap<u64, i64> = AHashMap::new();
    for (_, own, _) in &rows {
        let next = numbers.len() as i64;
        numbers.entry(*own).or_insert(next);
    }
    let number = |hash: &u64| numbers.get(hash).copied();
    let pairs = rows.iter().filter_map(|(key, own, from)| Some((key.clone(), number(own)?, number(from)?)));
    Ok(TableIterator::new(pairs.collect::<Vec<_>>()))
}

/// Reads the rows of a table that answers keep apart from others, as the caller: key and numbers.
fn apart_rows(target: pg_sys::Oid, document: &CStr) -> Result<Vec<(String, u64, u64)>> {
    let guard = guard_of(target, Some(document))?;
    let (answers, mut rows) = (Answers::beside(&guard), Vec::new());
    if answers.is_none() {
        return Ok(rows);
    }
    let session = Session::open();
    let statement = session.prepare(
        &format!(
            "SELECT {key}, {hash} FROM {table} t CROSS JOIN LATERAL (SELECT {document} AS document OFFSET 0) d WHERE d.document IS NOT NULL",
            key = statement::key_of("t", &statement::primary_key(target)),
            hash = hash(&guard, "d.document"),
            table = statement::only(target),
            document = guard.document().of_table("t"),
        ),
        &[],
    );
    session.each(&statement, &[], |row| {
        let (key, hash) = (row.text(1).unwrap_or_default(), row.number(2).unwrap_or_default());
        let given = Given::about(&answers, hash.cast_unsigned());
        rows.extend(given.pairs(key).map(|(own, from)| (key.to_owned(), own, from)));
        Ok(())
    })?;
    Ok(rows)
}
