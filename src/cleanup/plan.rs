//! What a clean-up works on: the choice, its list of copies (a temporary table), and the pieces of the statements that name them.
//!
//! The statements are made anew for each batch, from the numbers of the tables, which are locked: so a table that was renamed in between
//! is named right, and one that was dropped is missed. The list is the caller's. Nothing that it or the choice says can make the statement
//! that removes rows return others than it removes; see [`super::batch`].
#![allow(unsafe_code, reason = "functions behind the error boundary")]

use pgrx::JsonB;
use pgrx::prelude::*;

use neardup_core::signature::digest;
use neardup_verdict::model::LEAST_SCORE_TO_REMOVE;

use crate::error::{Result, error};
use crate::guarded::arguments::check_text_form;
use crate::guarded::beside;
use crate::guarded::statement::{self, EQUALS};
use crate::list::arguments::{Arguments, Choice, same_type};
use crate::pg::call::boundary;
use crate::pg::catalog::{self, Column};
use crate::pg::table::partition;

/// The list: c, with the columns k1, k2, ... and r1, r2, ... for the keys of the duplicate row and the kept row.
pub const LIST: &str = "pg_temp.neardup_chosen";

/// A clean-up.
pub struct Cleanup {
    pub arguments: Arguments,
    /// What it compares, and which rows are kept.
    pub choice: Choice,
    /// The table: t, as statements name it.
    pub target: String,
    /// The columns of its primary key.
    pub keys: Vec<Column>,
    /// The table of the kept rows: r.
    pub kept: pg_sys::Oid,
    /// The columns of its primary key.
    pub kept_keys: Vec<Column>,
    /// The column in which a marked row names its original.
    pub mark: String,
    /// The same as the table has it; `None` if it does not exist yet.
    pub mark_column: Option<Column>,
}

/// Runs `work` on a clean-up inside the error boundary.
pub fn with<T>(arguments: JsonB, work: impl FnOnce(&Cleanup) -> Result<T>) -> Result<T> {
    // SAFETY: what pgrx has wrapped; the closure takes what has to be dropped.
    unsafe { boundary::entry(move || work(&Cleanup::new(arguments)?)) }
}

/// Returns the name of a column of the extension's own: the document's, shortened if need be, and an ending.
fn own_column(document: &str, ending: &str) -> String {
    if document.len() <= 50 {
        return format!("{document}{ending}");
    }
    let short: String = digest::text_digest(document).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("document_{short}{ending}")
}

impl Cleanup {
    /// Reads the arguments, and keeps the tables as they are until the end of the transaction.
    ///
    /// # Errors
    /// If it is none, or its table has been dropped.
    pub fn new(arguments: JsonB) -> Result<Self> {
        let mut arguments = Arguments::read(arguments)?;
        for table in arguments.tables() {
            partition::keep(&[table]);
            if catalog::relation_kind(table) == 0 {
                let message = "the table has been dropped during a clean-up";
                return Err(error(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE, message));
            }
        }
        let mut choice = Choice::of(&arguments)?;
        if choice.verify.measure() == "facts" {
            arguments.require_at_least(LEAST_SCORE_TO_REMOVE, choice.threshold);
            choice = Choice::of(&arguments)?;
        }
        let target = choice.guard.table;
        let kept = choice.against.unwrap_or(target);
        let document = choice.guard.columns.first().map_or("", String::as_str);
        let mark = match (choice.against, choice.guard.marks()) {
            (None, Some(mark)) => mark.clone(),
            (None, None) => own_column(document, "_duplicate_of"),
            _ => own_column(document, "_known_as"),
        };
        let mark_column = catalog::columns(target).into_iter().find(|column| column.name == mark);
        // Marks are read as text, and written from it.
        mark_column.iter().try_for_each(|column| check_text_form(target, column))?;
        Ok(Self {
            target: statement::only(target),
            keys: statement::primary_key(target),
            kept,
            kept_keys: statement::primary_key(kept),
            mark,
            mark_column,
            arguments,
            choice,
        })
    }

    /// The condition that row t is the duplicate row of place c.
    pub fn is_duplicate(&self) -> String {
        statement::equal(&self.keys, "t", |number, _| format!("c.k{number}"))
    }

    /// The condition that row r is the kept row of place c.
    pub fn is_kept(&self) -> String {
        statement::equal(&self.kept_keys, "r", |number, _| format!("c.r{number}"))
    }

    /// The key of the duplicate row, as one text.
    pub fn duplicate_key(&self) -> String {
        key_text("k", self.keys.len())
    }

    /// The key of the kept row, as one text.
    pub fn kept_key(&self) -> String {
        key_text("r", self.kept_keys.len())
    }

    /// The document of a kept row, with this alias.
    pub fn kept_document(&self, alias: &str) -> String {
        let document = self.choice.guard.document();
        if self.choice.against.is_none() {
            return document.of_table(alias);
        }
        let theirs = catalog::columns(self.kept);
        document.of_other(alias, |own| theirs.iter().any(|column| column.name == own.name && same_type(own, column)))
    }

    /// The condition that rows t and r are still what was judged: their texts, scopes, times, titles and the columns that must not
    /// differ. An unchanged hash stands for a text that was judged; texts that were called identical by their hashes alone are compared in full.
    pub fn is_unchanged(&self) -> String {
        format!("SELECT {}", self.unchanged())
    }

    /// The clauses of that condition: rows t and r, and d with the hashes of what is compared of them.
    pub fn unchanged(&self) -> String {
        let columns = catalog::columns(self.choice.guard.table);
        let mut conditions = vec![format!(
            "d.own_hash {EQUALS} c.document_hash AND d.kept_hash {EQUALS} c.stays_hash \
             AND (c.document_hash OPERATOR(pg_catalog.<>) c.stays_hash \
                  OR d.own COLLATE pg_catalog.\"C\" {EQUALS} d.kept COLLATE pg_catalog.\"C\")"
        )];
        for name in &self.choice.scope {
            let kind =
                columns.iter().find(|column| column.name == *name).map_or(pg_sys::Oid::INVALID, |column| column.kind);
            let (own, kept) = (statement::column("t", name), statement::column("r", name));
            let equal = statement::equals(&own, &kept, kind);
            conditions.push(format!("({equal} OR {own} IS NULL AND {kept} IS NULL)"));
        }
        if let (Some(window), Some(timed)) = (self.choice.window, &self.choice.timed) {
            let time = |alias| statement::microseconds(&statement::column(alias, timed));
            // A row without a time is near all others.
            conditions.push(format!(
                "coalesce(pg_catalog.abs(({})::numeric OPERATOR(pg_catalog.-) ({})::numeric) \
                 OPERATOR(pg_catalog.<=) {window}::numeric, true)",
                time("t"),
                time("r"),
            ));
        }
        format!(
            "FROM {target} t, {kept} r CROSS JOIN LATERAL (SELECT {own} AS own, {other} AS kept OFFSET 0) x \
                    CROSS JOIN LATERAL (SELECT x.*, {own_hash} AS own_hash, {kept_hash} AS kept_hash OFFSET 0) d \
             WHERE {is_duplicate} AND {is_kept} AND {conditions}",
            target = self.target,
            kept = statement::only(self.kept),
            own = self.choice.guard.document().of_table("t"),
            other = self.kept_document("r"),
            own_hash = beside::hash("x.own", self.choice.beside("t").as_deref()),
            kept_hash = beside::hash("x.kept", self.choice.beside("r").as_deref()),
            is_duplicate = self.is_duplicate(),
            is_kept = self.is_kept(),
            conditions = conditions.join(" AND "),
        )
    }
}

/// The key in these columns of the list as one text, as lists show it.
fn key_text(prefix: &str, count: usize) -> String {
    let columns: Vec<String> = (1..=count).map(|number| statement::key_part(&format!("c.{prefix}{number}"))).collect();
    statement::key_text(&columns)
}

/// What happens to a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Archive,
    Delete,
    Mark,
    Merge,
}

impl Action {
    /// Reads the name of an action.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "archive" => Ok(Self::Archive),
            "delete" => Ok(Self::Delete),
            "mark" => Ok(Self::Mark),
            "merge" => Ok(Self::Merge),
            _ => {
                let message = format!("action must be archive, delete, mark or merge: {name}");
                Err(error(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message))
            }
        }
    }
}
