//! What a verdict may ask of the table that two rows belong to: other rows with the same keys, and rows spread over the table.
//!
//! The index names them. How they are read is up to a [`ReadRows`]: a list reads them by a statement as the caller, a guard under a dirty
//! snapshot.

use std::ops::Range;

use ahash::AHashMap;
use neardup_text::hash::mix;
use neardup_text::{Error, ErrorKind};
use neardup_verdict::{BACKGROUND, Rows, SAMPLE};

use crate::error::Result;
use crate::pg::table::row_id::RowId;

/// A sample is taken of this many rows of a key in each table, the last ones.
const SAMPLED: usize = 300;

/// How many rows of a page are tried to find one for the background.
const TRIED: u64 = 4;

/// Of a longer document, this many bytes are read: of the rows of the background together less than 4 MB, however long they are.
pub const BEGINNING: usize = 1 << 14;

/// Returns the beginning of a document, of [`BEGINNING`] bytes at most.
pub fn beginning(document: &str) -> &str {
    &document[..document.floor_char_boundary(BEGINNING)]
}

/// Rows of one or several tables with their indexes.
pub trait ReadRows {
    /// Returns the numbers of the tables in a [`RowId`].
    fn tables(&self) -> Range<usize>;

    /// Returns the number of pages of a table.
    fn pages(&self, table: usize) -> u32;

    /// Returns the addresses of the last rows of a key, at most `most`, as the index has them.
    fn last_rows(&mut self, table: usize, key: u64, most: usize) -> Result<Vec<u64>>;

    /// Returns the version that stands at an address of the index, by which [`Self::documents`] reads it.
    fn version(&mut self, row: RowId) -> Option<RowId> {
        Some(row)
    }

    /// Passes the documents of these rows to `found`, one by one and in the order of their numbers, of each at least the [`BEGINNING`]; of
    /// those that cannot be read, none. Long texts are fetched and decompressed no further.
    fn beginnings(&self, rows: &[u64], found: &mut dyn FnMut(u64, &str)) -> Result<()>;

    /// Returns what rows store, as [`Rows::stored`] does.
    fn stored(&self, _rows: &[u64]) -> Vec<(u64, u64)> {
        Vec::new()
    }
}

/// The rows around a pair.
pub struct Neighbours<R>(pub R);

/// Returns the pages of a table in an order that is the same for the first ones, however many come later.
fn in_some_order(pages: u32) -> Vec<u32> {
    let mut all: Vec<u32> = (0..pages).collect();
    all.sort_unstable_by_key(|page| mix(u64::from(*page), 0));
    all
}

impl<R: ReadRows> Neighbours<R> {
    /// Returns the rows of a key that come first in an order that has nothing to do with the key or with what else the index has: rows that
    /// nobody sees displace none, one more row displaces one at most, and keys that the same rows have give the same rows, which are read once.
    fn sampled(&mut self, key: u64) -> Result<Vec<u64>> {
        let mut rows = Vec::new();
        for table in self.0.tables() {
            let found = self.0.last_rows(table, key, SAMPLED)?;
            rows.extend(found.into_iter().map(|address| RowId { table, address }));
        }
        if rows.len() > SAMPLE {
            rows.sort_unstable_by_key(|row| mix(row.packed(), 0));
        }
        let seen = rows.into_iter().filter_map(|row| Some(self.0.version(row)?.packed()));
        let mut chosen: Vec<u64> = seen.take(SAMPLE).collect();
        chosen.sort_unstable();
        Ok(chosen)
    }

    /// Reads one row of each of some pages, which are spread over the tables. Pages on which no row is seen displace none.
    fn spread_rows(&self) -> Result<Vec<String>> {
        let tables = self.0.tables();
        let each = BACKGROUND.div_ceil(tables.len().max(1));
        let mut texts = Vec::new();
        for table in tables.take(BACKGROUND) {
            let most = texts.len() + each;
            for pages in in_some_order(self.0.pages(table)).chunks(each) {
                let addresses =
                    pages.iter().flat_map(|page| (1..=TRIED).map(move |line| u64::from(*page) << 16 | line));
                let rows: Vec<u64> = addresses.map(|address| RowId { table, address }.packed()).collect();
                // One row of a page is enough.
                let mut seen = AHashMap::new();
                self.0.beginnings(&rows, &mut |row, document| {
                    let page = (RowId::unpacked(row).address >> 16) as u32;
                    seen.entry(page).or_insert_with(|| beginning(document).to_owned());
                })?;
                texts.extend(pages.iter().filter_map(|page| seen.remove(page)).take(most - texts.len()));
                if texts.len() == most {
                    break;
                }
            }
        }
        Ok(texts)
    }
}

/// Passes an error on through the verdict.
fn passed<T>(result: Result<T>) -> neardup_text::Result<T> {
    result.map_err(|wrong| Error::new(ErrorKind::Mismatch, wrong.message()))
}

impl<R: ReadRows> Rows for Neighbours<R> {
    fn with_key(&mut self, key: u64) -> neardup_text::Result<Vec<u64>> {
        passed(self.sampled(key))
    }

    fn texts(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, String)>> {
        let mut texts = Vec::with_capacity(rows.len());
        passed(self.0.beginnings(rows, &mut |row, document| texts.push((row, beginning(document).to_owned()))))?;
        Ok(texts)
    }

    fn stored(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, u64)>> {
        Ok(self.0.stored(rows))
    }

    fn spread(&mut self) -> neardup_text::Result<Vec<String>> {
        passed(self.spread_rows())
    }
}
