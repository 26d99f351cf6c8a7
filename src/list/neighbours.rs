//! What a verdict may ask of the table that two rows belong to: other rows with the same keys, and rows spread over the table.
//!
//! The index names them, and a statement as the caller reads them.

use neardup_text::{Error, ErrorKind};
use neardup_verdict::{BACKGROUND, Rows, SAMPLE};
use pgrx::pg_sys;

use super::relation::Reader;
use crate::error::Result;
use crate::guarded::sample::{SAMPLED, background, spread};
use crate::index::open::OpenIndex;
use crate::index::search::last_rows;
use crate::pg::table::row_id::RowId;
use crate::pg::table::visible::Visible;

/// How many rows of a page are tried to find one for the background.
const TRIED: u64 = 4;

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
        let version = |(part, row): (usize, u64)| {
            let address = self.parts.get_mut(part)?.1.version(row)?;
            Some(RowId { table: first + part, address }.packed())
        };
        Ok(chosen.into_iter().filter_map(version).collect())
    }

    fn spread_rows(&self) -> Result<Vec<String>> {
        let mut rows = Vec::new();
        let share = BACKGROUND / self.parts.len().clamp(1, BACKGROUND);
        for (part, (_, table)) in self.parts.iter().enumerate().take(BACKGROUND) {
            let every = BACKGROUND / share.max(1);
            for page in background(table.pages()).step_by(every) {
                let table = self.reader.source.first_part + part;
                let address = |offset| u64::from(page) << 16 | offset;
                rows.extend((1..=TRIED).map(|offset| RowId { table, address: address(offset) }.packed()));
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
