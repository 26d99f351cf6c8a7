//! The parents of rows, for `neardup.documents`: rows of a table may be parts of documents, such as chunks, which another column names.
//!
//! The pairs of documents are made in SQL, from a list and the statement of [`parents_statement`]; both run as the caller.
#![allow(unsafe_code, reason = "the arguments of functions that Postgres calls")]

use pgrx::JsonB;
use pgrx::prelude::*;

use super::arguments::{Arguments, Choice};
use crate::error::{Result, error};
use crate::guarded::arguments::{check_text_form, column};
use crate::guarded::statement;
use crate::pg::call::boundary;

/// Makes the statement that reads the primary key of each row that has a document, as an array of text, and its parent as text.
///
/// # Errors
/// If there is no such column, or its values are not written as text without code of other roles.
#[pg_extern(sql = false)]
fn parents_statement(arguments: Option<JsonB>, parent: Option<&str>) -> Result<String> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            let null = |name| error(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, format!("{name} must not be NULL"));
            let choice = Choice::of(&Arguments::read(arguments.ok_or_else(|| null("arguments"))?)?)?;
            let target = choice.guard.table;
            let parent = parent.ok_or_else(|| null("parent"))?;
            let parent = column(target, parent)?;
            check_text_form(target, &parent)?;
            let key = |name: &str| statement::key_part(&statement::column("t", name));
            let text = |name: &str| statement::as_text(&statement::column("t", name));
            let compared = [Some(&parent.name), choice.guard.columns.first()].into_iter().flatten();
            let present: Vec<String> =
                compared.map(|name| format!("{} IS NOT NULL", statement::column("t", name))).collect();
            Ok(format!(
                "SELECT ARRAY[{keys}], {parent} COLLATE pg_catalog.\"C\" FROM {table} AS t WHERE {present}",
                keys = statement::list(&statement::primary_key(target), |part| key(&part.name)),
                parent = text(&parent.name),
                table = statement::only(target),
                present = present.join(" AND "),
            ))
        })
    }
}
