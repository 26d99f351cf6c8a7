//! The columns in which the rows of a clean-up differ from those that are kept. The verdict reads texts; that two adverts are for two
//! cities, or two entries of a catalogue have two names, often stands in another column, which only the owner can name. So a dry run says
//! where the rows differ, of some one to two thousand pairs at most.

use pgrx::JsonB;
use pgrx::prelude::*;

use super::plan::{Cleanup, LIST, with};
use crate::error::Result;
use crate::guarded::statement;
use crate::pg::table::query::{Session, Type, Value};

/// How many columns are read, in the order of the table.
const MOST_COLUMNS: usize = 100;
/// From twice as many rows on, one in two, three, ... is looked at, by a hash of its place: rows may alternate.
const SAMPLE: usize = 1000;

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
    /// Returns the columns that the guard does not read and the caller may: short values by their type, and no column that alone is unique, in which
    /// all rows differ.
    fn other_columns(&self, session: &Session) -> Result<Vec<String>> {
        let statement = session.prepare(
            &format!(
                "SELECT CAST(a.attname AS pg_catalog.text) FROM pg_catalog.pg_attribute a \
                 WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped \
                       AND EXISTS (SELECT FROM pg_catalog.pg_attribute b JOIN pg_catalog.pg_type y ON y.oid = b.atttypid \
                                   WHERE b.attrelid = $2 AND b.attname = a.attname AND b.atttypid = a.atttypid AND NOT b.attisdropped \
                                         AND y.typcategory IN ('S', 'N', 'B', 'E') AND pg_catalog.has_column_privilege(b.attrelid, b.attnum, 'SELECT')) \
                       AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT') \
                       AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i \
                                       WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) \
                 ORDER BY a.attnum LIMIT {MOST_COLUMNS}"
            ),
            &[Type::Oid, Type::Oid],
        );
        let own = |name: &str| {
            *name == self.mark
                || self.keys.iter().any(|key| key.name == name)
                || self.choice.guard.columns.iter().chain(&self.choice.scope).any(|column| column == name)
        };
        let mut names = Vec::new();
        session.each(&statement, &[Value::Oid(self.choice.guard.table), Value::Oid(self.kept)], |row| {
            names.extend(row.text(1).filter(|name| !own(name)).map(str::to_owned));
            Ok(())
        })?;
        Ok(names)
    }

    /// The statement that counts the pairs, and those that have two values in each of the columns, as a guard's `differ` compares them.
    fn count_differing(&self, names: &[String]) -> String {
        let differ = |name: &String| {
            let [own, kept] = ["t", "r"].map(|alias| {
                let value = statement::key_part(&statement::column(alias, name));
                format!("pg_catalog.btrim({value}) COLLATE pg_catalog.\"C\"")
            });
            format!(
                "pg_catalog.count(*) FILTER (WHERE {own} OPERATOR(pg_catalog.<>) {kept} \
                 AND {own} OPERATOR(pg_catalog.<>) '' AND {kept} OPERATOR(pg_catalog.<>) '')"
            )
        };
        format!(
            "SELECT pg_catalog.count(*), {counts} \
             FROM (SELECT x.*, pg_catalog.count(*) OVER () AS listed FROM {LIST} x) c \
                  JOIN {target} t ON {is_duplicate} JOIN {kept} r ON {is_kept} \
             WHERE pg_catalog.hashint8(c.place) OPERATOR(pg_catalog.%) greatest(c.listed OPERATOR(pg_catalog./) {SAMPLE}, 1) OPERATOR(pg_catalog.=) 0",
            counts = names.iter().map(differ).collect::<Vec<_>>().join(", "),
            target = self.target,
            is_duplicate = self.is_duplicate(),
            kept = statement::only(self.kept),
            is_kept = self.is_kept(),
        )
    }
}
