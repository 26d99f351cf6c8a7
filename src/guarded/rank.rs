//! An entry of `rank`: a column by which rows are ranked before anything else.

use pgrx::pg_sys;
use serde::{Deserialize, Serialize};

use super::arguments::column;
use super::statement::{self, OrderKey};
use crate::error::{Result, invalid};
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

impl Rank {
    /// Reads "column", "column desc", "column asc nulls first": a name and a direction, never SQL.
    ///
    /// # Errors
    /// For anything else, also NULL, and if there is no such column.
    pub fn parse(table: pg_sys::Oid, entry: Option<&str>) -> Result<Self> {
        let mut rank = entry.and_then(Self::read).ok_or_else(|| {
            let shown = entry.unwrap_or("<NULL>");
            invalid(format!("rank must list columns, each optionally with asc or desc: \"{shown}\""))
                .set_hint("rank => ARRAY['source_rank desc', 'day']")
        })?;
        rank.column = catalog::truncated(&rank.column).to_owned();
        column(table, &rank.column)?;
        Ok(rank)
    }

    /// Returns by what rows t are ordered.
    pub fn order(&self) -> OrderKey {
        let direction = if self.descending { "DESC" } else { "ASC" };
        let nulls = if self.nulls_first { "FIRST" } else { "LAST" };
        OrderKey::new(statement::column("t", &self.column), format!("{direction} NULLS {nulls}"))
    }

    /// Reads an entry, whatever columns there are; `None` if it has another form.
    fn read(entry: &str) -> Option<Self> {
        let (column, rest) = name_and_rest(entry.trim())?;
        let words: Vec<String> = rest.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (direction, nulls) = match words[..] {
            [] => ("asc", "last"),
            [direction @ ("asc" | "desc")] => (direction, "last"),
            ["nulls", nulls @ ("first" | "last")] => ("asc", nulls),
            [direction @ ("asc" | "desc"), "nulls", nulls @ ("first" | "last")] => (direction, nulls),
            _ => return None,
        };
        Some(Self { column, descending: direction == "desc", nulls_first: nulls == "first" })
    }
}

/// Splits an entry after the name, which is quoted as in SQL or ends at white space.
fn name_and_rest(entry: &str) -> Option<(String, &str)> {
    let Some(mut rest) = entry.strip_prefix('"') else {
        let end = entry.find(char::is_whitespace).unwrap_or(entry.len());
        let (name, rest) = entry.split_at(end);
        return (!name.is_empty() && !name.contains('"')).then(|| (name.to_owned(), rest));
    };
    let mut name = String::new();
    loop {
        let (part, after) = rest.split_once('"')?;
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None if name.is_empty() || after.starts_with(|c: char| !c.is_whitespace()) => return None,
            None => return Some((name, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(entry: &str) -> Option<(String, bool, bool)> {
        Rank::read(entry).map(|rank| (rank.column, rank.descending, rank.nulls_first))
    }

    #[test]
    fn a_name_and_a_direction_are_read() {
        for (entry, column, descending, nulls_first) in [
            ("day", "day", false, false),
            ("  source_rank  DESC ", "source_rank", true, false),
            ("day nulls first", "day", false, true),
            ("day asc Nulls Last", "day", false, false),
            ("\"Source rank\" desc nulls first", "Source rank", true, true),
            ("\"a \"\"b\"\"\"", "a \"b\"", false, false),
            ("desc", "desc", false, false),
        ] {
            assert_eq!(read(entry), Some((column.to_owned(), descending, nulls_first)), "{entry}");
        }
    }

    #[test]
    fn nothing_else_is_an_entry() {
        for entry in [
            "",
            " ",
            "\"",
            "\"\"",
            "\"a",
            "\"a\"b",
            "a\"b",
            "lower(a)  x",
            "a desc, b",
            "a; DROP",
            "a nulls",
            "a first",
        ] {
            assert_eq!(read(entry), None, "{entry}");
        }
    }
}
