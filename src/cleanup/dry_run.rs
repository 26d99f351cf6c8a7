//! What a dry run and a report show of the list of a clean-up: pairs with what differs, references, verdicts. All of it is read as the
//! caller.

use pgrx::JsonB;
use pgrx::prelude::*;

use super::differing::OtherColumn;
use super::plan::{Cleanup, LIST, with};
use super::reference::foreign_keys;
use crate::error::Result;
use crate::guarded::statement::{self, key_part};
use crate::pg::catalog::{self, Column};
use crate::pg::table::query::{Row, Session};

type Pair = (String, String, String, Option<String>, Option<String>, Option<Vec<String>>, Option<String>, bool);

/// How many columns are shown in which the rows of a pair differ.
const MOST_COLUMNS: usize = 3;

/// How many pairs are shown: the least certain, and those with the same words.
const LEAST_CERTAIN: usize = 10;
const SAME_WORDS: usize = 3;
/// Among how many pairs with the same words those are looked for that differ most in other columns.
const LOOKED_AT: usize = 100;

/// From twice as many rows on, one in two, three, ... is looked at, by a hash of its place.
const SAMPLE: usize = 1000;
/// Rows with the same words from which on these are shown, if they are short, in characters; how many texts, and among how many they are looked for.
const REPEATED: usize = 4;
const SHORT: usize = 100;
const SHOWN_TEXTS: usize = 5;
const READ_TEXTS: usize = 20;
/// The condition that a row has the words of the row that is kept.
const SAME: &str = "(measure OPERATOR(pg_catalog.=) 'identical' OR measure OPERATOR(pg_catalog.=) 'facts' AND value OPERATOR(pg_catalog.>=) 1)";

/// Reads the least certain pairs of the list, and some with the same words that differ most in other columns, of which no score says anything; each with
/// what differs and the reasons of the verdict.
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
            name!(has_same_words, bool),
        ),
    >,
> {
    let text = |row: &Row<'_>, column| row.text(column).map(str::to_owned);
    let pairs: Vec<Pair> = with(arguments, |cleanup| {
        read(&cleanup.show(&Session::open())?, |row| {
            let key = |column| text(row, column).unwrap_or_default();
            let reasons: Vec<String> = row.texts(6).into_iter().flatten().collect();
            (
                key(1),
                key(2),
                key(3),
                text(row, 4),
                text(row, 5),
                (!reasons.is_empty()).then_some(reasons),
                text(row, 7),
                row.number(8) == Some(1),
            )
        })
    })?;
    Ok(TableIterator::new(pairs))
}

/// Counts the rows of the list that each foreign key refers to; NULL where the table that refers cannot be read.
#[pg_extern(sql = false)]
fn referenced_copies(
    arguments: JsonB,
) -> Result<TableIterator<'static, (name!(name, String), name!(source, String), name!(rows, Option<i64>))>> {
    let counts = with(arguments, |cleanup| {
        let references = foreign_keys(&Session::open(), cleanup.choice.guard.table)?;
        let mut counts = Vec::new();
        for reference in references {
            let rows = match reference.count(LIST, &cleanup.target, &cleanup.is_duplicate()) {
                Some(statement) => read(&statement, |row| row.number(1))?.into_iter().next().flatten(),
                None => None,
            };
            counts.push((reference.name.clone(), statement::relation(reference.source), rows));
        }
        Ok(counts)
    })?;
    Ok(TableIterator::new(counts))
}

/// Counts the rows of the list whose text is longer than that of the row that is kept, by a tenth or more, of those with other words that are looked at.
#[pg_extern(sql = false)]
fn longer_copies(arguments: JsonB) -> Result<TableIterator<'static, (name!(rows, i64), name!(looked_at, i64))>> {
    let counts = with(arguments, |cleanup| {
        read(&cleanup.count_longer(), |row| (row.number(1).unwrap_or_default(), row.number(2).unwrap_or_default()))
    })?;
    Ok(TableIterator::new(counts))
}

/// Reads short texts that many rows of the list have in the very words of the row that is kept, and how many: they may be headings or greetings, which
/// come again as such and are no copies.
#[pg_extern(sql = false)]
fn repeated_texts(arguments: JsonB) -> Result<TableIterator<'static, (name!(text, String), name!(rows, i64))>> {
    let texts = with(arguments, |cleanup| {
        read(&cleanup.repeated(), |row| (row.text(1).unwrap_or_default().to_owned(), row.number(2).unwrap_or_default()))
    })?;
    Ok(TableIterator::new(texts))
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
    /// The statement that reads the least certain pairs, of those that are as certain any, and after them pairs with the same words.
    fn show(&self, session: &Session) -> Result<String> {
        let columns = self.other_columns(session)?;
        let columns = columns.iter().filter(|column| column.is_comparable()).map(OtherColumn::shown);
        let columns = columns.chain(["NULL".to_owned()]).collect::<Vec<_>>().join(", ");
        let texts = |prefix: &str, keys: &[Column]| {
            let texts: Vec<String> = (1..=keys.len()).map(|number| key_part(&format!("c.{prefix}{number}"))).collect();
            format!("ARRAY[{}]", texts.join(", "))
        };
        let (target, kept) = (&self.target, statement::only(self.kept));
        // The reasons of a verdict say it of others.
        let timed = self.choice.time_of_row().and_then(|name| {
            let columns = catalog::columns(self.choice.guard.table);
            let kind = columns.iter().find(|column| column.name == *name)?.kind;
            OtherColumn::days_apart(name, catalog::base_type(kind))
        });
        let days = timed.unwrap_or_else(|| "NULL::pg_catalog.int8".to_owned());
        let rows = format!(
            "JOIN {target} t ON {is_duplicate} JOIN {kept} r ON {is_kept}",
            is_duplicate = self.is_duplicate(),
            is_kept = self.is_kept()
        );
        Ok(format!(
            "WITH listed AS ( \
                 SELECT *, pg_catalog.row_number() OVER (ORDER BY {uncertain}, pg_catalog.hashint8(place), place) AS nth, \
                        {SAME} AS same \
                 FROM {LIST} WHERE reason IS NULL), \
             differing AS ( \
                 SELECT c.nth, x.columns \
                 FROM (SELECT * FROM listed WHERE same AND nth OPERATOR(pg_catalog.>) {LEAST_CERTAIN} ORDER BY nth LIMIT {LOOKED_AT}) c {rows} \
                      CROSS JOIN LATERAL (SELECT pg_catalog.cardinality(pg_catalog.array_remove(ARRAY[{columns}], NULL)) AS columns OFFSET 0) x \
                 WHERE x.columns OPERATOR(pg_catalog.>) 0 ORDER BY x.columns DESC, c.nth LIMIT {SAME_WORDS}) \
             SELECT {key}, {kept_key}, neardup_internal.reason(c.verdict, c.measure, c.value), \
                    coalesce(x.parts[1], neardup_internal.beginning(d.own)), \
                    coalesce(x.parts[2], neardup_internal.beginning(d.kept)), \
                    coalesce(w.reasons, CASE WHEN x.days OPERATOR(pg_catalog.=) 1 THEN ARRAY['a day apart'] \
                                             WHEN x.days OPERATOR(pg_catalog.>) 1 THEN ARRAY[pg_catalog.format('%s days apart', x.days)] END), \
                    nullif(pg_catalog.array_to_string((pg_catalog.array_remove(ARRAY[{columns}], NULL))[1:{MOST_COLUMNS}], '; '), ''), \
                    CAST(CAST(c.nth OPERATOR(pg_catalog.>) {LEAST_CERTAIN} AS pg_catalog.int4) AS pg_catalog.int8) \
             FROM (SELECT * FROM listed WHERE nth OPERATOR(pg_catalog.<=) {LEAST_CERTAIN} OR nth IN (SELECT nth FROM differing)) c {rows} \
                  CROSS JOIN LATERAL (SELECT {own_document} AS own, {kept_document} AS kept OFFSET 0) d \
                  CROSS JOIN LATERAL (SELECT neardup_internal.difference(d.own, d.kept) AS parts, {days} AS days OFFSET 0) x \
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
        ))
    }

    /// The statement that counts the rows whose texts are longer than those of the rows that are kept, and all that it looks at.
    fn count_longer(&self) -> String {
        format!(
            "SELECT pg_catalog.count(*) FILTER (WHERE (pg_catalog.length(d.own) OPERATOR(pg_catalog.*) 10) OPERATOR(pg_catalog.>=) (pg_catalog.length(d.kept) OPERATOR(pg_catalog.*) 11)), \
                    pg_catalog.count(*) \
             FROM (SELECT x.*, pg_catalog.count(*) OVER () AS listed FROM {LIST} x WHERE x.reason IS NULL AND NOT {SAME}) c \
                  JOIN {target} t ON {is_duplicate} JOIN {kept} r ON {is_kept} \
                  CROSS JOIN LATERAL (SELECT {own_document} AS own, {kept_document} AS kept OFFSET 0) d \
             WHERE pg_catalog.hashint8(c.place) OPERATOR(pg_catalog.%) greatest(c.listed OPERATOR(pg_catalog./) {SAMPLE}, 1) OPERATOR(pg_catalog.=) 0",
            target = self.target,
            is_duplicate = self.is_duplicate(),
            kept = statement::only(self.kept),
            is_kept = self.is_kept(),
            own_document = self.choice.guard.document().of_table("t"),
            kept_document = self.kept_document("r"),
        )
    }

    /// The statement that reads short texts that many rows have, with how many rows of the list do.
    fn repeated(&self) -> String {
        let keys: Vec<String> = (1..=self.kept_keys.len()).map(|number| format!("r{number}")).collect();
        let keys = keys.join(", ");
        format!(
            "SELECT d.text, c.rows \
             FROM (SELECT {keys}, pg_catalog.count(*) AS rows FROM {LIST} WHERE reason IS NULL AND {SAME} GROUP BY {keys} \
                   HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>=) {REPEATED} ORDER BY rows DESC, {keys} LIMIT {READ_TEXTS}) c \
                  JOIN {kept} r ON {is_kept} \
                  CROSS JOIN LATERAL (SELECT neardup_internal.beginning({document}) AS text, pg_catalog.length({document}) AS length OFFSET 0) d \
             WHERE d.length OPERATOR(pg_catalog.<=) {SHORT} ORDER BY c.rows DESC, d.text LIMIT {SHOWN_TEXTS}",
            kept = statement::only(self.kept),
            is_kept = self.is_kept(),
            document = self.kept_document("r"),
        )
    }
}
