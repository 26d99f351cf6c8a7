//! The columns in which the rows of a clean-up differ from those that are kept. The verdict reads texts; that two adverts are for two
//! cities, or two entries of a catalogue have two names, often stands in another column, which only the owner can name. So a dry run says
//! where the rows differ, of some one to two thousand pairs at most.

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
/// White space by Unicode, which `differ` does not count at the ends of a value.
const SPACE: &str = "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";

/// Counts, for each column in which a row of the list and the row that is kept have two values, in how many of the pairs that are looked at.
#[allow(clippy::type_complexity, reason = "the rows of an SQL function")]
#[pg_extern(sql = false)]
fn differing_columns(
    arguments: JsonB,
) -> Result<TableIterator<'static, (name!(name, String), name!(rows, i64), name!(looked_at, i64))>> {
    let counts = with(arguments, |cleanup| {
        let session = Session::open();
        let names = cleanup.other_columns(&session)?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let statement = session.prepare(&cleanup.count_differing(&names), &[]);
        let mut counts = Vec::new();
        session.each(&statement, &[], |row| {
            let looked_at = row.number(1).unwrap_or_default();
            let rows = (2..).map(|column| row.number(column).unwrap_or_default());
            counts.extend(
                names
                    .iter()
                    .cloned()
                    .zip(rows)
                    .filter(|(_, rows)| *rows > 0)
                    .map(|(name, rows)| (name, rows, looked_at)),
            );
            Ok(())
        })?;
        Ok(counts)
    })?;
    Ok(TableIterator::new(counts))
}

impl Cleanup {
    /// Returns the columns that the guard does not read, or as a title, where another value is evidence and no more, and the caller may: of types with
    /// short values, none that is generated, which no guard can name, and none that alone is unique, in which all rows differ.
    fn other_columns(&self, session: &Session) -> Result<Vec<String>> {
        let statement = session.prepare(
            &format!(
                "SELECT CAST(a.attname AS pg_catalog.text) FROM pg_catalog.pg_attribute a \
                 WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' \
                       AND EXISTS (SELECT FROM pg_catalog.pg_attribute b JOIN pg_catalog.pg_type y ON y.oid = b.atttypid \
                                   WHERE b.attrelid = $2 AND b.attname = a.attname AND b.atttypid = a.atttypid AND NOT b.attisdropped \
                                         AND y.typcategory IN ('S', 'N', 'B', 'E') AND pg_catalog.has_column_privilege(b.attrelid, b.attnum, 'SELECT')) \
                       AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT') \
                       AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i \
                                       WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum \
                                             AND i.indpred IS NULL) \
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
        let mut names = Vec::new();
        session.each(&statement, &[Value::Oid(self.choice.guard.table), Value::Oid(self.kept)], |row| {
            names.extend(row.text(1).filter(|name| !own(name)).map(str::to_owned));
            Ok(())
        })?;
        Ok(names)
    }

    /// The statement that counts the pairs, and those that have two values in each of the columns, as a guard's `differ` compares them. What is not
    /// short as it is stored is not read.
    fn count_differing(&self, names: &[String]) -> String {
        let space = quote_literal(SPACE);
        let size = |value: &str| format!("pg_catalog.pg_column_size({value}) OPERATOR(pg_catalog.<=) {MOST_BYTES}");
        let values = names.iter().enumerate().flat_map(|(at, name)| {
            let [own, kept] = ["t", "r"].map(|alias| statement::column(alias, name));
            let are_short = format!("{} AND {}", size(&own), size(&kept));
            let value = |prefix: &str, value: &str| {
                let text = statement::key_part(value);
                format!("CASE WHEN {are_short} THEN pg_catalog.btrim({text}, {space}) COLLATE pg_catalog.\"C\" END AS {prefix}{at}")
            };
            [value("own", &own), value("kept", &kept)]
        });
        let differ = |at: usize| {
            format!(
                "pg_catalog.count(*) FILTER (WHERE v.own{at} OPERATOR(pg_catalog.<>) v.kept{at} \
                 AND v.own{at} OPERATOR(pg_catalog.<>) '' AND v.kept{at} OPERATOR(pg_catalog.<>) '')"
            )
        };
        format!(
            "SELECT pg_catalog.count(*), {counts} \
             FROM (SELECT x.*, pg_catalog.count(*) OVER () AS listed FROM {LIST} x) c \
                  JOIN {target} t ON {is_duplicate} JOIN {kept} r ON {is_kept} \
                  CROSS JOIN LATERAL (SELECT {values} OFFSET 0) v \
             WHERE pg_catalog.hashint8(c.place) OPERATOR(pg_catalog.%) greatest(c.listed OPERATOR(pg_catalog./) {SAMPLE}, 1) OPERATOR(pg_catalog.=) 0",
            counts = (0..names.len()).map(differ).collect::<Vec<_>>().join(", "),
            values = values.collect::<Vec<_>>().join(", "),
            target = self.target,
            is_duplicate = self.is_duplicate(),
            kept = statement::only(self.kept),
            is_kept = self.is_kept(),
        )
    }
}
