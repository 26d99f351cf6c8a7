//! The rows of a list that a verdict may ask for: found by the index, read by a statement as the caller. What the list has read of them already is
//! not read again ([`WithTexts`]).

use std::borrow::Cow;
use std::ops::Range;

use pgrx::pg_sys;

use super::by_part::ByPart;
use super::documents::Texts;
use super::relation::Reader;
use super::settled::Gone;
use crate::error::Result;
use crate::guarded::neighbours::{Neighbours, ReadRows, beginning};
use crate::index::open::OpenIndex;
use crate::index::search::LastLeaves;
use crate::pg::table::row_id::RowId;
use crate::pg::table::visible::Visible;

/// How many rows are read at once and put in order.
const ORDERED: usize = 64;

/// A table with its index. What reads the index is dropped before it.
struct Part {
    leaves: LastLeaves,
    _index: OpenIndex,
    table: Visible,
}

impl Part {
    fn open(table: pg_sys::Oid, index: pg_sys::Oid) -> Option<Self> {
        let index = OpenIndex::open(index);
        Some(Self { leaves: LastLeaves::of(index.pages()), _index: index, table: Visible::open(table)? })
    }
}

/// The rows of an indexed relation.
pub struct IndexedRows<'s> {
    reader: &'s Reader<'s>,
    beginnings: ByPart<'s>,
    parts: Vec<Part>,
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
        let parts: Option<Vec<_>> = tables.zip(indexes).map(|(table, index)| Part::open(*table, *index)).collect();
        Some(Neighbours(Self { reader, beginnings: reader.beginnings()?, parts: parts?, gone }))
    }

    /// Returns the analyzer and the number of keys of the relation's sketches.
    pub fn sketch(&self) -> (&'s str, u32) {
        (&self.reader.source.analyzer, self.reader.source.keys_of_sketch)
    }

    fn is_gone(&self, row: u64) -> bool {
        self.gone.is_some_and(|gone| gone.contains(&row))
    }

    /// Reads beginnings as [`ReadRows::beginnings`] does, but for documents that are `known`.
    fn beginnings_beside<'k>(
        &self,
        rows: &[u64],
        known: impl Fn(u64) -> Option<&'k str>,
        found: &mut dyn FnMut(u64, &str),
    ) -> Result<()> {
        let mut rows: Vec<u64> = rows.iter().copied().filter(|row| !self.is_gone(*row)).collect();
        rows.sort_unstable();
        // The statement returns a few rows in any order.
        for rows in rows.chunks(ORDERED) {
            let mut texts: Vec<(u64, Cow<'k, str>)> = Vec::with_capacity(rows.len());
            texts.extend(rows.iter().filter_map(|row| Some((*row, beginning(known(*row)?).into()))));
            let unknown: Vec<u64> = rows.iter().copied().filter(|row| known(*row).is_none()).collect();
            if !unknown.is_empty() {
                let add = |id, text: &str| texts.push((id, beginning(text).to_owned().into()));
                self.reader.read(&self.beginnings, &unknown, add)?;
                texts.sort_unstable();
            }
            texts.iter().for_each(|(id, text)| found(*id, text));
        }
        Ok(())
    }

    fn part(&mut self, table: usize) -> Option<&mut Part> {
        self.parts.get_mut(table.checked_sub(self.reader.source.first_part)?)
    }
}

impl ReadRows for IndexedRows<'_> {
    fn tables(&self) -> Range<usize> {
        let first = self.reader.source.first_part;
        first..first + self.parts.len()
    }

    fn pages(&self, table: usize) -> u32 {
        let at = table.checked_sub(self.reader.source.first_part);
        at.and_then(|at| self.parts.get(at)).map_or(0, |part| part.table.pages())
    }

    fn last_rows(&mut self, table: usize, key: u64, most: usize) -> Result<Vec<u64>> {
        self.part(table).map_or(Ok(Vec::new()), |part| part.leaves.last_rows(key, most))
    }

    fn version(&mut self, row: RowId) -> Option<RowId> {
        let address = self.part(row.table)?.table.version(row.address)?;
        Some(RowId { address, ..row }).filter(|row| !self.is_gone(row.packed()))
    }

    fn beginnings(&self, rows: &[u64], found: &mut dyn FnMut(u64, &str)) -> Result<()> {
        self.beginnings_beside(rows, |_| None, found)
    }
}

/// The rows of an indexed relation, some of whose documents have been read.
pub struct WithTexts<'t, 's> {
    pub rows: &'t mut IndexedRows<'s>,
    pub texts: &'t Texts<'s>,
}

impl ReadRows for WithTexts<'_, '_> {
    fn tables(&self) -> Range<usize> {
        self.rows.tables()
    }

    fn pages(&self, table: usize) -> u32 {
        self.rows.pages(table)
    }

    fn last_rows(&mut self, table: usize, key: u64, most: usize) -> Result<Vec<u64>> {
        self.rows.last_rows(table, key, most)
    }

    fn version(&mut self, row: RowId) -> Option<RowId> {
        self.rows.version(row)
    }

    fn beginnings(&self, rows: &[u64], found: &mut dyn FnMut(u64, &str)) -> Result<()> {
        self.rows.beginnings_beside(rows, |row| self.texts.known(row), found)
    }
}
