//! Compares the tables of docs/reference.md with the catalog: every public object has a row, and every row an object. It
//! compares functions with arguments and results, types, casts, operators, operator classes, and tables and views with their
//! columns. Every error that the sources raise has a row, too.
//!
//! Not in the tables: schema neardup_internal, and the variants of functions for `varchar`, `char` and literals of a document.
//! Functions that are not called directly are listed in one line below the functions.

use super::script;
use crate::check::{Context, Tally, expect_none};
use crate::command::root;
use crate::files::of_kind;
use crate::psql::{fresh_database, query};
use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};

const DATABASE: &str = "reference";
/// The page, and the headings before and after its tables of objects.
const FILE: &str = "docs/reference.md";
const FROM: &str = "## Types";
const TO: &str = "## Settings";
/// The heading of its table of errors.
const ERRORS: &str = "## Errors";
/// A line with more names than this is the list of functions that are not called directly.
const MANY_NAMES: usize = 20;

/// An object, from the catalog.
struct Object {
    kind: String,
    columns: String,
    comment: String,
}

/// Compares the catalog with the page.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh_database(server, DATABASE)?;
    let all = script::text("reference.sql")?;
    let found = query(server, DATABASE, &format!("COPY ({all}) TO STDOUT WITH (DELIMITER E'\\x01', NULL '')"))?;
    let object = |line: &str| {
        let mut fields = line.split('\u{1}').map(str::to_owned);
        let (kind, name) = (fields.next()?, fields.next()?);
        Some((name, Object { kind, columns: fields.next()?, comment: fields.next()? }))
    };
    let objects: BTreeMap<String, Object> = found.lines().filter_map(object).collect();
    let text = fs_err::read_to_string(root().join(FILE))?;
    let section = text.split_once(FROM).and_then(|(_, rest)| Some(rest.split_once(TO)?.0));
    let section = section.with_context(|| format!("{FILE} has no \"{FROM}\" before \"{TO}\""))?;
    let rows: BTreeMap<&str, &str> = rows(section).collect();
    let behind = behind(section);
    let mut tally = Tally::one(!objects.is_empty());
    let invented = rows.keys().filter(|row| !objects.contains_key(**row));
    tally += expect_none("rows for what is not there", invented);
    let called: BTreeSet<&str> = objects.keys().map(|name| bare(name)).collect();
    let invented = behind.iter().filter(|name| !called.contains(**name));
    tally += expect_none("names of what nobody calls that are not there", invented);
    let missing = objects.iter().filter(|(name, object)| {
        let known = object.kind == "function" && behind.contains(bare(name));
        !rows.contains_key(name.as_str()) && !known
    });
    tally += expect_none("objects without a row", missing.map(|(name, object)| advice(name, object)));
    let tables = objects.iter().filter(|(_, object)| object.kind == "table");
    let otherwise =
        tables.filter(|(name, object)| !rows.get(name.as_str()).is_none_or(|row| row.contains(&object.columns)));
    let otherwise = otherwise.map(|(name, object)| format!("`{name}` has {}", object.columns));
    tally += expect_none("tables and views with other columns", otherwise);
    let listed = text.split_once(ERRORS).map_or("", |(_, rest)| rest);
    let raised = raised()?;
    tally += Tally::one(!raised.is_empty());
    tally += expect_none("errors without a row", raised.iter().filter(|name| !listed.contains(&format!("` {name}"))));
    Ok(tally)
}

/// Returns the names of the errors that the sources raise, as the appendix of Postgres's manual has them. Internal ones are bugs.
fn raised() -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for (kind, before) in [("rs", "ERRCODE_"), ("sql", "ERRCODE = '")] {
        for file in of_kind(&root().join("src"), kind)? {
            let text = fs_err::read_to_string(&file)?;
            let name =
                |rest: &str| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().map(str::to_lowercase);
            names.extend(text.split(before).skip(1).filter_map(name));
        }
    }
    // pgrx names the macros of Postgres, which have the class in front of some names.
    let own = |name: String| {
        ["e_r_i_e_", "t_r_"].iter().find_map(|class| name.strip_prefix(class)).map_or(name.clone(), str::to_owned)
    };
    Ok(names.into_iter().map(own).filter(|name| name != "internal_error" && name != "successful_completion").collect())
}

/// Returns the row to add for an object that has none.
fn advice(name: &str, object: &Object) -> String {
    let columns = if object.columns.is_empty() { String::new() } else { format!(": {}", object.columns) };
    let behind = match object.kind.as_str() {
        "function" => format!("\n    or, if nobody calls it by hand: `{}` in the line of such names", bare(name)),
        _ => String::new(),
    };
    format!("write a row for this {}:\n| `{name}` | {}{columns} |{behind}", object.kind, object.comment)
}

/// Returns a function's name without arguments.
fn bare(name: &str) -> &str {
    name.strip_prefix("CALL ").unwrap_or(name).split('(').next().unwrap_or(name)
}

/// Returns the objects of the tables' rows, each with its row: the code spans of the first column.
fn rows(section: &str) -> impl Iterator<Item = (&str, &str)> {
    section.lines().filter(|line| line.starts_with("| `")).flat_map(|line| {
        let cell = line.split(" | ").next().unwrap_or(line);
        cell.split('`').skip(1).step_by(2).map(move |span| (span, line))
    })
}

/// Returns the names of functions that are not called directly.
fn behind(section: &str) -> BTreeSet<&str> {
    let names = |line| str::split(line, '`').skip(1).step_by(2);
    let of_many = section.lines().filter(|line| !line.starts_with('|') && names(line).count() > MANY_NAMES);
    of_many.flat_map(names).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_give_what_they_are_for() {
        let table = "| `f(a text) → simhash` | the `g(x)` of it |\n| `CALL neardup.p(t regclass, INOUT n bigint)` | x |\n| `a <~> b`, `c <~> d` | y |\ntext `h` |\n";
        let found: Vec<&str> = rows(table).map(|(name, _)| name).collect();
        assert_eq!(found, ["f(a text) → simhash", "CALL neardup.p(t regclass, INOUT n bigint)", "a <~> b", "c <~> d"]);
        assert_eq!(found.iter().map(|name| bare(name)).next_back(), Some("c <~> d"));
        assert_eq!(bare(found[1]), "neardup.p");
    }
}
