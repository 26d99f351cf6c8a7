//! What a dry run and a report show of the list of a clean-up: pairs with what differs, references, verdicts. All of it is read as the
//! caller.

use pgrx::JsonB;
use pgrx::prelude::*;

use super::differing::OtherColumn;
use super::plan::{Cleanup, LIST, with};
use super::reference::foreign_keys;
use crate::error::Result;
use crate::guarded::statement::{self, key_part};
use crate::pg::catalog::Column;
use crate::pg::table::query::{Row, Session};

type Pair = (String, String, String, Option<String>, Option<String>, Option<Vec<String>>, Option<String>);

/// How many columns are shown in which the rows of a pair differ.
const MOST_COLUMNS: usize = 3;

/// Reads the least certain pairs of the list, each with what differs and the reasons of the verdict.
#[allow(clippy::type_complexity, reason = "the rows of an SQL function")]
#[pg_extern(sql = false)]
fn shown_pairs(
    arguments: JsonB,
) -> Result<
    TableIterator<
        'static,
        (
            name!(key, String),
            name!(kept, String),
            name!(why, String),
            name!(key_text, Option<String>),
            name!(kept_text, Option<String>),
            name!(reasons, Option<Vec<String>>),
            name!(columns, Option<String>),
        ),
    >,
> {
    let text = |row: &Row<'_>, column| row.text(column).map(str::to_owned);
    let pairs: Vec<Pair> = with(arguments, |cleanup| {
        read(&cleanup.show(&Session::open())?, |row| {
            let key = |column| text(row, column).unwrap_or_default();
            let reasons: Vec<String> = row.texts(6).into_iter().flatten().collect();
            (key(1), key(2), key(3), text(row, 4), text(row, 5), (!reasons.is_empty()).then_some(reasons), text(row, 7))
        })
    })?;
    Ok(TableIterator::new(pairs))
}

/// Counts the rows of the list that each foreign key refers to.
#[pg_extern(sql = false)]
fn referenced_copies(
    arguments: JsonB,
) -> Result<TableIterator<'static, (name!(name, String), name!(source, String), name!(rows, i64))>> {
    let counts = with(arguments, |cleanup| {
        let references = foreign_keys(&Session::open(), cleanup.choice.guard.table)?;
        let mut counts = Vec::new();
        for reference in references {
            let statement = reference.count(LIST, &cleanup.target, &cleanup.is_duplicate());
            let rows = read(&statement, |row| row.number(1).unwrap_or_default())?;
            counts.extend(
                rows.into_iter().map(|rows| (reference.name.clone(), statement::relation(reference.source), rows)),
            );
        }
        Ok(counts)
    })?;
    Ok(TableIterator::new(counts))
}

/// Makes the statement that reads the document of the row whose primary key has the values `$1`, an array of text.
#[pg_extern(sql = false)]
fn document_statement(arguments: JsonB) -> Result<String> {
    with(arguments, |cleanup| {
        let value = |number, key: &Column| statement::cast(&format!("($1)[{number}]"), key.kind);
        Ok(format!(
            "SELECT {document} FROM {target} t WHERE {has_key}",
            document = cleanup.choice.guard.document().of_table("t"),
            target = cleanup.target,
            has_key = statement::equal(&cleanup.keys, "t", value),
        ))
    })
}

/// Reads the rows of a statement.
fn read<T>(statement: &str, each: impl Fn(&Row<'_>) -> T) -> Result<Vec<T>> {
    let session = Session::open();
    let statement = session.prepare(statement, &[]);
    let mut rows = Vec::new();
    session.each(&statement, &[], |row| {
        rows.push(each(row));
        Ok(())
    })?;
    Ok(rows)
}

impl Cleanup {
    /// The statement that reads the least certain pairs. Of those that are as certain, any.
    fn show(&self, session: &Session) -> Result<String> {
        let columns = self.other_columns(session)?;
        let columns = columns.iter().filter(|column| column.is_comparable).map(OtherColumn::shown);
        let columns = columns.chain(["NULL".to_owned()]).collect::<Vec<_>>().join(", ");
        let texts = |prefix: &str, keys: &[Column]| {
            let texts: Vec<String> = (1..=keys.len()).map(|number| key_part(&format!("c.{prefix}{number}"))).collect();
            format!("ARRAY[{}]", texts.join(", "))
        };
        Ok(format!(
            "SELECT {key}, {kept_key}, neardup_internal.reason(c.verdict, c.measure, c.value), \
                    coalesce(x.parts[1], neardup_internal.beginning(d.own)), \
                    coalesce(x.parts[2], neardup_internal.beginning(d.kept)), w.reasons, \
                    nullif(pg_catalog.array_to_string((pg_catalog.array_remove(ARRAY[{columns}], NULL))[1:{MOST_COLUMNS}], '; '), '') \
             FROM (SELECT *, pg_catalog.row_number() OVER (ORDER BY {uncertain}, pg_catalog.hashint8(place), place) AS nth FROM {LIST} WHERE reason IS NULL ORDER BY nth LIMIT 10) c \
                  JOIN {target} t ON {is_duplicate} \
                  JOIN {kept} r ON {is_kept} \
                  CROSS JOIN LATERAL (SELECT {own_document} AS own, {kept_document} AS kept OFFSET 0) d \
                  CROSS JOIN LATERAL (SELECT neardup_internal.difference(d.own, d.kept) AS parts OFFSET 0) x \
                  LEFT JOIN LATERAL neardup_internal.reasons({arguments}, {own_texts}, {kept_texts}, false) w ON c.measure OPERATOR(pg_catalog.<>) 'identical' \
             ORDER BY c.nth",
            key = self.duplicate_key(),
            kept_key = self.kept_key(),
            arguments = self.arguments.written(),
            own_texts = texts("k", &self.keys),
            kept_texts = texts("r", &self.kept_keys),
            uncertain = "CASE measure WHEN 'simhash' THEN 0 OPERATOR(pg_catalog.-) value WHEN 'identical' THEN 2 ELSE value END",
            own_document = self.choice.guard.document().of_table("t"),
            kept_document = self.kept_document("r"),
            target = self.target,
            is_duplicate = self.is_duplicate(),
            kept = statement::only(self.kept),
            is_kept = self.is_kept(),
        ))
    }
}
