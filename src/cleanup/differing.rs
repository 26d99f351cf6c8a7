//! The columns in which the rows of a clean-up differ from those that are kept. The verdict reads texts; that two adverts are for two
//! cities, or two entries of a catalogue have two names, often stands in another column, which only the owner can name. So a dry run says
//! where the rows differ, and which values only the removed rows have, of some one to two thousand pairs at most.

use pgrx::JsonB;
use pgrx::prelude::*;
use pgrx::spi::quote_literal;

use super::plan::{Cleanup, LIST, with};
use crate::error::Result;
use crate::guarded::statement;
use crate::pg::table::query::{Session, Type, Value};

/// How many columns are read, in the order of the table.
const MOST_COLUMNS: usize = 100;
/// From twice as many rows on, one in two, three, ... is looked at, by a hash of its place: rows may alternate.
const SAMPLE: usize = 1000;
/// The longest value that is read, in bytes as it is stored: a city, a level, a headline, but no text of megabytes.
const MOST_BYTES: usize = 2000;
/// How many characters of a value are shown.
const SHOWN: usize = 40;
/// White space by Unicode, which `differ` does not count at the ends of a value.
const SPACE: &str = "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";

/// A column beside what the guard reads.
pub struct OtherColumn {
    pub name: String,
    /// Whether the guard can compare it: it has short values, and not another one in each row.
    pub is_comparable: bool,
}

/// Counts, for each column in which a row of the list and the row that is kept have two values, or only the former has one, in how many of the pairs
/// that are looked at.
#[allow(clippy::type_complexity, reason = "the rows of an SQL function")]
#[pg_extern(sql = false)]
fn differing_columns(
    arguments: JsonB,
) -> Result<TableIterator<'static, (name!(name, String), name!(rows, i64), name!(lacking, i64), name!(looked_at, i64))>>
{
    let counts = with(arguments, |cleanup| {
        let session = Session::open();
        let columns = cleanup.other_columns(&session)?;
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        let statement = session.prepare(&cleanup.count_differing(&columns), &[]);
        let mut counts = Vec::new();
        session.each(&statement, &[], |row| {
            let number = |column| row.number(column).unwrap_or_default();
            let found = columns.iter().zip((2..).step_by(2)).map(|(column, at)| {
                let differing = if column.is_comparable { number(at) } else { 0 };
                (column.name.clone(), differing, number(at + 1), number(1))
            });
            counts.extend(found.filter(|(_, differing, lacking, _)| *differing > 0 || *lacking > 0));
            Ok(())
        })?;
        Ok(counts)
    })?;
    Ok(TableIterator::new(counts))
}

impl Cleanup {
    /// Returns the columns that the guard does not read, or as a title, where another value is evidence and no more, and the caller may. A guard can
    /// compare those of types with short values, but none that is generated, and none that alone is unique, in which all rows differ.
    pub fn other_columns(&self, session: &Session) -> Result<Vec<OtherColumn>> {
        let statement = session.prepare(
            &format!(
                "SELECT CAST(a.attname AS pg_catalog.text), \
                        CAST(CAST(y.typcategory IN ('S', 'N', 'B', 'E') AND NOT EXISTS ( \
                            SELECT FROM pg_catalog.pg_index i \
                            WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum \
                                  AND i.indpred IS NULL) AS pg_catalog.int4) AS pg_catalog.int8) \
                 FROM pg_catalog.pg_attribute a \
                      JOIN pg_catalog.pg_attribute b ON b.attrelid = $2 AND b.attname = a.attname AND b.atttypid = a.atttypid AND NOT b.attisdropped \
                      JOIN pg_catalog.pg_type y ON y.oid = b.atttypid \
                 WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' \
                       AND pg_catalog.has_column_privilege(b.attrelid, b.attnum, 'SELECT') \
                       AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT') \
                 ORDER BY a.attnum LIMIT {MOST_COLUMNS}"
            ),
            &[Type::Oid, Type::Oid],
        );
        let guard = &self.choice.guard;
        let own = |name: &str| {
            let mut read = guard.columns.iter().filter(|column| Some(*column) != guard.title_column());
            *name == self.mark
                || self.keys.iter().any(|key| key.name == name)
                || read.any(|column| column == name)
                || self.choice.scope.iter().any(|column| column == name)
        };
        let mut columns = Vec::new();
        session.each(&statement, &[Value::Oid(self.choice.guard.table), Value::Oid(self.kept)], |row| {
            let is_comparable = row.number(2) == Some(1);
            columns.extend(
                row.text(1).filter(|name| !own(name)).map(|name| OtherColumn { name: name.to_owned(), is_comparable }),
            );
            Ok(())
        })?;
        Ok(columns)
    }

    /// The statement that counts the pairs, and of each column those that have two values in it, as a guard's `differ` compares them, and those of
    /// which only the removed row has one. What is not short as it is stored is not read.
    fn count_differing(&self, columns: &[OtherColumn]) -> String {
        let comparable = || columns.iter().enumerate().filter(|(_, column)| column.is_comparable);
        let values = comparable().flat_map(|(at, column)| {
            let [own, kept] = short_values(&column.name);
            [format!("{own} AS own{at}"), format!("{kept} AS kept{at}")]
        });
        let values = values.chain(["NULL".to_owned()]).collect::<Vec<_>>().join(", ");
        let counts = columns.iter().enumerate().flat_map(|(at, column)| {
            let differ = if column.is_comparable {
                format!("pg_catalog.count(*) FILTER (WHERE {})", differ(&format!("v.own{at}"), &format!("v.kept{at}")))
            } else {
                "CAST(0 AS pg_catalog.int8)".to_owned()
            };
            let [own, kept] = ["t", "r"].map(|alias| statement::column(alias, &column.name));
            [
                differ,
                format!(
                    "pg_catalog.count(*) FILTER (WHERE pg_catalog.num_nulls({own}) OPERATOR(pg_catalog.=) 0 AND pg_catalog.num_nulls({kept}) OPERATOR(pg_catalog.>) 0)"
                ),
            ]
        });
        format!(
            "SELECT pg_catalog.count(*), {counts} \
             FROM (SELECT x.*, pg_catalog.count(*) OVER () AS listed FROM {LIST} x WHERE x.reason IS NULL) c \
                  JOIN {target} t ON {is_duplicate} JOIN {kept} r ON {is_kept} \
                  CROSS JOIN LATERAL (SELECT {values} OFFSET 0) v \
             WHERE pg_catalog.hashint8(c.place) OPERATOR(pg_catalog.%) greatest(c.listed OPERATOR(pg_catalog./) {SAMPLE}, 1) OPERATOR(pg_catalog.=) 0",
            counts = counts.collect::<Vec<_>>().join(", "),
            target = self.target,
            is_duplicate = self.is_duplicate(),
            kept = statement::only(self.kept),
            is_kept = self.is_kept(),
        )
    }
}

/// The values of a column of a removed row, `t`, and of the kept one, `r`, as text; NULL if either is not short as it is stored.
fn short_values(name: &str) -> [String; 2] {
    let [own, kept] = ["t", "r"].map(|alias| statement::column(alias, name));
    let size = |value: &str| format!("pg_catalog.pg_column_size({value}) OPERATOR(pg_catalog.<=) {MOST_BYTES}");
    let are_short = format!("{} AND {}", size(&own), size(&kept));
    [own, kept].map(|value| {
        let text = statement::key_part(&value);
        format!(
            "CASE WHEN {are_short} THEN pg_catalog.btrim({text}, {space}) COLLATE pg_catalog.\"C\" END",
            space = quote_literal(SPACE)
        )
    })
}

/// The condition that two values are given and are not the same.
fn differ(own: &str, kept: &str) -> String {
    format!(
        "{own} OPERATOR(pg_catalog.<>) {kept} AND {own} OPERATOR(pg_catalog.<>) '' AND {kept} OPERATOR(pg_catalog.<>) ''"
    )
}

impl OtherColumn {
    /// An expression that shows the values of the removed row and of the kept one if they differ; otherwise NULL.
    pub fn shown(&self) -> String {
        let [own, kept] = short_values(&self.name);
        format!(
            "(SELECT pg_catalog.concat({name}, pg_catalog.left(v.own, {SHOWN}), ' / ', pg_catalog.left(v.kept, {SHOWN})) \
              FROM (SELECT {own} AS own, {kept} AS kept OFFSET 0) v WHERE {differ})",
            name = quote_literal(format!("{} ", self.name)),
            differ = differ("v.own", "v.kept"),
        )
    }
}
