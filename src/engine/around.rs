//! What a verdict may ask of the table that two rows belong to: other rows with the same keys, and rows spread over the table.
//!
//! The index names them, and a statement as the caller reads them.

use neardup_text::{Error, ErrorKind};
use neardup_verdict::{BACKGROUND, Rows, SAMPLE};
use pgrx::pg_sys;

use super::source::{Reader, row_id};
use crate::error::Result;
use crate::index::open::OpenIndex;
use crate::index::search::last_rows;
use crate::pg::table::visible::Visible;

/// Of so many rows of a key, the last ones, a sample is taken.
pub const SAMPLED: usize = 300;

/// How many rows of a page are tried to find one for the background.
const TRIED: u64 = 4;

/// Gives evenly spread positions among `count`, at most `most`.
pub fn spread(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(most);
    (0..taken).map(move |at| at * count / taken)
}

/// Gives the pages of a table of so many pages of which rows are read to learn what the whole table repeats. They are spread evenly
/// up to a power of two, so that they are other ones only when the table has doubled.
pub fn background(pages: u32) -> impl Iterator<Item = u32> {
    let end = if pages == 0 { 0 } else { 1 << pages.ilog2() };
    spread(end as usize, BACKGROUND).map(|page| page as u32)
}

/// The rows of an indexed relation.
pub struct Sampler<'s> {
    reader: &'s Reader<'s>,
    parts: Vec<(OpenIndex, Visible)>,
}

impl<'s> Sampler<'s> {
    /// Opens the indexes of a relation; `None` if a table is gone.
    pub fn open(reader: &'s Reader<'s>, indexes: &[pg_sys::Oid]) -> Option<Self> {
        let tables = reader.source.parts.iter();
        let open =
            |(table, index): (&pg_sys::Oid, &pg_sys::Oid)| Some((OpenIndex::open(*index), Visible::open(*table)?));
        let parts: Option<Vec<_>> = tables.zip(indexes).map(open).collect();
        Some(Self { reader, parts: parts? })
    }

    /// Gives the analyzer and the number of keys of the relation's sketches.
    pub fn sketch(&self) -> (&'s str, u32) {
        (&self.reader.source.analyzer, self.reader.source.keys_of_sketch)
    }

    fn documents(&self, rows: &[u64]) -> Result<Vec<(u64, String)>> {
        let mut found = Vec::with_capacity(rows.len());
        self.reader.documents(rows, |id, document| found.push((id, document.to_owned())))?;
        found.sort_unstable();
        Ok(found)
    }

    fn sampled(&mut self, key: u64) -> Result<Vec<u64>> {
        let mut rows = Vec::new();
        for (part, (index, _)) in self.parts.iter().enumerate() {
            rows.extend(last_rows(index.pages(), key, SAMPLED)?.into_iter().map(|row| (part, row)));
        }
        rows.drain(..rows.len().saturating_sub(SAMPLED));
        let first = self.reader.source.first_part;
        let chosen: Vec<(usize, u64)> = spread(rows.len(), SAMPLE).filter_map(|at| rows.get(at).copied()).collect();
        let version = |(part, row): (usize, u64)| Some(row_id(first + part, self.parts.get_mut(part)?.1.version(row)?));
        Ok(chosen.into_iter().filter_map(version).collect())
    }

    fn spread_rows(&self) -> Result<Vec<String>> {
        let mut rows = Vec::new();
        let share = BACKGROUND / self.parts.len().clamp(1, BACKGROUND);
        for (part, (_, table)) in self.parts.iter().enumerate().take(BACKGROUND) {
            let every = BACKGROUND / share.max(1);
            for page in background(table.pages()).step_by(every) {
                let address = |offset| u64::from(page) << 16 | offset;
                rows.extend((1..=TRIED).map(|offset| row_id(self.reader.source.first_part + part, address(offset))));
            }
        }
        let mut found = self.documents(&rows)?;
        found.dedup_by_key(|(id, _)| *id >> 16);
        Ok(found.into_iter().map(|(_, document)| document).collect())
    }
}

/// Passes an error on through the verdict.
fn passed<T>(result: Result<T>) -> neardup_text::Result<T> {
    result.map_err(|wrong| Error::new(ErrorKind::Mismatch, wrong.message()))
}

impl Rows for Sampler<'_> {
    fn with_key(&mut self, key: u64) -> neardup_text::Result<Vec<u64>> {
        passed(self.sampled(key))
    }

    fn texts(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, String)>> {
        passed(self.documents(rows))
    }

    fn spread(&mut self) -> neardup_text::Result<Vec<String>> {
        passed(self.spread_rows())
    }
}
