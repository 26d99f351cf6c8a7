//! The rule for a row's document: the result of a function of the row, or the texts of its columns, one per line. It stands here twice, side
//! by side: for rows that are at hand, and as SQL.

use std::borrow::Cow;

use pgrx::pg_sys;
use pgrx::spi::quote_identifier;

use super::guard::{Guard, Part};
use super::neighbours::BEGINNING;
use super::statement;
use crate::pg::call::function;
use crate::pg::catalog::{self, Column};
use crate::pg::table::rows::Table;
use crate::text::document::joined;

/// Forms the document of a candidate.
pub fn candidate_document<'t>(guard: &Guard, part: &Part, table: &'t Table) -> Option<Cow<'t, str>> {
    document_of(guard, |role| table.text(part.columns[role]), || Some((table.row(), part.table)))
}

/// Forms the beginning of the document of a row that a verdict on others looks at. Long texts are fetched and decompressed no further.
pub fn candidate_beginning<'t>(guard: &Guard, part: &Part, table: &'t Table) -> Option<Cow<'t, str>> {
    document_of(guard, |role| table.beginning(part.columns[role], BEGINNING), || Some((table.row(), part.table)))
}

/// Forms a row's document: the result of the function, or the texts of its columns, one per line; `None` if the first is NULL.
///
/// SQL has the same rule: [`Document`] writes it, with `neardup.document`.
pub fn document_of<'t>(
    guard: &Guard,
    text: impl Fn(usize) -> Option<&'t str>,
    row: impl FnOnce() -> Option<(pg_sys::Datum, pg_sys::Oid)>,
) -> Option<Cow<'t, str>> {
    if let Some(function) = guard.expression {
        let (row, table) = row()?;
        return function::text_of_row(function, row, table, guard.table).map(Cow::Owned);
    }
    joined(guard.roles.documents.iter().map(|role| text(*role)))
}

/// What forms the document of a row.
pub struct Document<'d> {
    /// The columns, the first one first.
    pub columns: &'d [String],
    /// The function of the row that forms it, qualified and quoted.
    pub expression: Option<String>,
    /// The guarded table.
    pub table: pg_sys::Oid,
}

impl Document<'_> {
    /// Returns the document of a row of the guarded table.
    pub fn of_table(&self, alias: &str) -> String {
        match &self.expression {
            Some(function) => {
                format!("{function}({})", statement::as_row(&format!("{alias}.*"), self.table))
            }
            None => self.of_columns(alias),
        }
    }

    /// Returns the beginning of that document, with [`BEGINNING`] characters at most of each part: Postgres fetches and decompresses no more.
    pub fn beginning_of_table(&self, alias: &str) -> String {
        let first = |text: &str| format!("pg_catalog.left({text}, {BEGINNING})");
        if self.expression.is_some() {
            return first(&self.of_table(alias));
        }
        // Most texts are no longer, and Postgres knows how long a text is without fetching it.
        let part = |name: &String| {
            let text = statement::as_text(&statement::column(alias, name));
            format!("CASE WHEN pg_catalog.octet_length({text}) <= {BEGINNING} THEN {text} ELSE {} END", first(&text))
        };
        joined_in_sql(self.columns.iter().map(part).collect())
    }

    /// Returns the document of a row of another relation, from its columns of the same names. A function gets a row of the guarded table
    /// with those columns that `is_same` says have the same type.
    pub fn of_other(&self, alias: &str, is_same: impl Fn(&Column) -> bool) -> String {
        let Some(function) = &self.expression else { return self.of_columns(alias) };
        let value = |own: &Column| if is_same(own) { statement::column(alias, &own.name) } else { "NULL".to_owned() };
        let row = format!("ROW({})", statement::list(&catalog::columns(self.table), value));
        format!("{function}({})", statement::as_row(&row, self.table))
    }

    /// Returns the document of a row in an index of the guarded table. Partitions may have their columns in other orders, so an index on
    /// all of them names each.
    pub fn of_index(&self) -> String {
        let name = |name: &String| statement::as_text(&quote_identifier(name.as_str()));
        let Some(function) = &self.expression else { return joined_in_sql(self.columns.iter().map(name).collect()) };
        let row = if catalog::relation_kind(self.table) == pg_sys::RELKIND_PARTITIONED_TABLE {
            format!("ROW({})", statement::list(&catalog::columns(self.table), |column| quote_identifier(&column.name)))
        } else {
            format!("{}.*", quote_identifier(catalog::qualified_name(self.table).1))
        };
        format!("{function}({})", statement::as_row(&row, self.table))
    }

    fn of_columns(&self, alias: &str) -> String {
        joined_in_sql(self.columns.iter().map(|name| statement::as_text(&statement::column(alias, name))).collect())
    }
}

/// Joins the parts of a document.
fn joined_in_sql(parts: Vec<String>) -> String {
    match &parts[..] {
        [only] => only.clone(),
        _ => format!("neardup.document({})", parts.join(", ")),
    }
}
