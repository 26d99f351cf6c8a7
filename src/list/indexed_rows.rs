//! The rows of a list that a verdict may ask for: found by the index, read by a statement as the caller.

use std::ops::Range;

use pgrx::pg_sys;

use super::relation::Reader;
use super::settled::Gone;
use crate::error::Result;
use crate::guarded::neighbours::{Neighbours, ReadRows, beginning};
use crate::index::open::OpenIndex;
use crate::index::search::last_rows;
use crate::pg::table::query::Statement;
use crate::pg::table::row_id::RowId;
use crate::pg::table::visible::Visible;

/// How many rows are read at once and put in order.
const ORDERED: usize = 64;

/// The rows of an indexed relation.
pub struct IndexedRows<'s> {
    reader: &'s Reader<'s>,
    beginnings: Statement<'s>,
    parts: Vec<(OpenIndex, Visible)>,
    /// Rows that count as if they were not there.
    gone: Option<&'s Gone>,
}

impl<'s> IndexedRows<'s> {
    /// Opens the indexes of the relation that has some; `None` if there is none, or a table is gone.
    pub fn open(
        readers: &'s [Reader<'s>],
        indexes: &[Option<Vec<pg_sys::Oid>>],
        gone: Option<&'s Gone>,
    ) -> Option<Neighbours<Self>> {
        let (reader, indexes) =
            readers.iter().zip(indexes).find_map(|(reader, indexes)| Some((reader, indexes.as_ref()?)))?;
        let tables = reader.source.parts.iter();
        let open =
            |(table, index): (&pg_sys::Oid, &pg_sys::Oid)| Some((OpenIndex::open(*index), Visible::open(*table)?));
        let parts: Option<Vec<_>> = tables.zip(indexes).map(open).collect();
        Some(Neighbours(Self { reader, beginnings: reader.beginnings()?, parts: parts?, gone }))
    }

    /// Returns the analyzer and the number of keys of the relation's sketches.
    pub fn sketch(&self) -> (&'s str, u32) {
        (&self.reader.source.analyzer, self.reader.source.keys_of_sketch)
    }

    fn is_gone(&self, row: u64) -> bool {
        self.gone.is_some_and(|gone| gone.contains(&row))
    }

    fn part(&self, table: usize) -> Option<&(OpenIndex, Visible)> {
        self.parts.get(table.checked_sub(self.reader.source.first_part)?)
    }
}

impl ReadRows for IndexedRows<'_> {
    fn tables(&self) -> Range<usize> {
        let first = self.reader.source.first_part;
        first..first + self.parts.len()
    }

    fn pages(&self, table: usize) -> u32 {
        self.part(table).map_or(0, |(_, table)| table.pages())
    }

    fn last_rows(&self, table: usize, key: u64, most: usize) -> Result<Vec<u64>> {
        self.part(table).map_or(Ok(Vec::new()), |(index, _)| last_rows(index.pages(), key, most))
    }

    fn version(&mut self, row: RowId) -> Option<RowId> {
        let at = row.table.checked_sub(self.reader.source.first_part)?;
        let address = self.parts.get_mut(at)?.1.version(row.address)?;
        Some(RowId { address, ..row }).filter(|row| !self.is_gone(row.packed()))
    }

    fn beginnings(&self, rows: &[u64], found: &mut dyn FnMut(u64, &str)) -> Result<()> {
        let mut rows: Vec<u64> = rows.iter().copied().filter(|row| !self.is_gone(*row)).collect();
        rows.sort_unstable();
        // The statement returns a few rows in any order.
        for rows in rows.chunks(ORDERED) {
            let mut texts = Vec::with_capacity(rows.len());
            self.reader.read(&self.beginnings, rows, |id, text| texts.push((id, beginning(text).to_owned())))?;
            texts.sort_unstable();
            texts.iter().for_each(|(id, text)| found(*id, text));
        }
        Ok(())
    }
}
