//! An entry of `rank`: a column by which rows are ranked before anything else.

use pgrx::pg_sys;
use serde::{Deserialize, Serialize};

use crate::error::{Result, invalid};
use crate::guarded::arguments::column;
use crate::pg::catalog;

/// A column by which rows are ranked before anything else.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Rank {
    /// Its name.
    pub column: String,
    /// Whether the row with the greatest value is kept.
    pub descending: bool,
    /// Whether a row without a value is kept.
    pub nulls_first: bool,
}

/// An entry without a value, as messages show it.
pub const NULL: &str = "<NULL>";

impl Rank {
    /// Reads "column", "column desc", "column asc nulls first": a name and a direction, never SQL.
    ///
    /// # Errors
    /// For anything else, and if there is no such column.
    pub fn parse(table: pg_sys::Oid, entry: &str) -> Result<Self> {
        let wrong = || {
            invalid(format!("rank must list columns, each optionally with asc or desc: \"{entry}\""))
                .set_hint("rank => ARRAY['source_rank desc', 'day']")
        };
        if entry == NULL {
            return Err(wrong());
        }
        let entry = entry.trim();
        let (name, rest) = match entry.strip_prefix('"') {
            Some(quoted) => {
                let mut name = String::new();
                let mut rest = quoted;
                loop {
                    let at = rest.find('"').ok_or_else(wrong)?;
                    name.push_str(&rest[..at]);
                    rest = &rest[at + 1..];
                    match rest.strip_prefix('"') {
                        Some(more) => {
                            name.push('"');
                            rest = more;
                        }
                        None => break,
                    }
                }
                (name, rest)
            }
            None => {
                let end = entry.find(char::is_whitespace).unwrap_or(entry.len());
                (entry[..end].to_owned(), &entry[end..])
            }
        };
        if name.is_empty() || (entry.starts_with('"') && !rest.is_empty() && !rest.starts_with(char::is_whitespace)) {
            return Err(wrong());
        }
        let words: Vec<String> = rest.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (direction, nulls) = match words[..] {
            [] => ("asc", "last"),
            [direction @ ("asc" | "desc")] => (direction, "last"),
            ["nulls", nulls @ ("first" | "last")] => ("asc", nulls),
            [direction @ ("asc" | "desc"), "nulls", nulls @ ("first" | "last")] => (direction, nulls),
            _ => return Err(wrong()),
        };
        if !entry.starts_with('"') && name.contains('"') {
            return Err(wrong());
        }
        let name = catalog::truncated(&name).to_owned();
        column(table, &name)?;
        Ok(Self { column: name, descending: direction == "desc", nulls_first: nulls == "first" })
    }
}
