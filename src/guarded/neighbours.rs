//! What a verdict may ask of the table that two rows belong to: other rows with the same keys, and rows spread over the table.
//!
//! The index names them. How they are read is up to a [`ReadRows`]: a list reads them by a statement as the caller, a guard under a dirty
//! snapshot.

use std::ops::Range;

use ahash::AHashMap;
use neardup_text::hash::mix;
use neardup_text::{Error, ErrorKind, interrupt};
use neardup_verdict::{BACKGROUND, Rows, SAMPLE};

use crate::error::Result;
use crate::pg::table::row_id::RowId;

/// A sample is taken of this many rows of a key in each table, the last ones.
const SAMPLED: usize = 300;

/// If rows of these are not seen, this many times as many entries are read, up to the greatest number.
const MORE: usize = 8;
const MOST_ENTRIES: usize = SAMPLED * MORE * MORE;

/// How many times as many pages are tried as rows are wanted.
const CHUNKS: usize = 64;

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

/// Returns the first `most` pages of a table in an order that is the same for the first ones, however many come later.
fn in_some_order(pages: u32, most: usize) -> Vec<u32> {
    let place = |page: &u32| mix(u64::from(*page), 0);
    let mut all: Vec<u32> = (0..pages).collect();
    if all.len() > most {
        all.select_nth_unstable_by_key(most, place);
        all.truncate(most);
    }
    all.sort_unstable_by_key(place);
    all
}

impl<R: ReadRows> Neighbours<R> {
    /// Returns the rows of a key that come first in an order that has nothing to do with the key or with what else the index has: rows that
    /// nobody sees displace none, one more row displaces one at most, and keys that the same rows have give the same rows, which are read once.
    fn sampled(&mut self, key: u64) -> Result<Vec<u64>> {
        let mut rows = Vec::new();
        for table in self.0.tables() {
            rows.extend(self.last_seen(table, key)?);
        }
        if rows.len() > SAMPLE {
            rows.sort_unstable_by_key(|(row, _)| mix(row.packed(), 0));
        }
        let seen = rows.into_iter().filter_map(|(row, seen)| Some(seen.or_else(|| self.0.version(row))?.packed()));
        let mut chosen: Vec<u64> = seen.take(SAMPLE).collect();
        chosen.sort_unstable();
        Ok(chosen)
    }

    /// Returns the last [`SAMPLED`] rows of a key that are seen, as the index has them, with their versions; or if it has fewer entries, all of them, of
    /// which it is not known whether they are seen.
    fn last_seen(&mut self, table: usize, key: u64) -> Result<Vec<(RowId, Option<RowId>)>> {
        let mut most = SAMPLED;
        loop {
            let found = self.0.last_rows(table, key, most)?;
            let rows = found.iter().map(|&address| RowId { table, address });
            if found.len() < most {
                return Ok(rows.map(|row| (row, None)).collect());
            }
            let mut seen: Vec<_> = rows.filter_map(|row| Some((row, Some(self.0.version(row)?)))).collect();
            if seen.len() >= SAMPLED || most >= MOST_ENTRIES {
                seen.drain(..seen.len().saturating_sub(SAMPLED));
                return Ok(seen);
            }
            most *= MORE;
        }
    }

    /// Reads one row of each of some pages, which are spread over the tables. Pages on which no row is seen displace none, as far as they are few.
    fn spread_rows(&mut self) -> Result<Vec<String>> {
        let tables = self.0.tables();
        let each = BACKGROUND.div_ceil(tables.len().max(1));
        let mut texts = Vec::new();
        for table in tables.take(BACKGROUND) {
            let most = texts.len() + each;
            for pages in in_some_order(self.0.pages(table), each * CHUNKS).chunks(each) {
                interrupt::check();
                let addresses =
                    pages.iter().flat_map(|page| (1..=TRIED).map(move |line| u64::from(*page) << 16 | line));
                let seen = addresses.filter_map(|address| self.0.version(RowId { table, address }));
                let rows: Vec<u64> = seen.map(RowId::packed).collect();
                if rows.is_empty() {
                    continue;
                }
                // One row of a page is enough.
                let mut found = AHashMap::new();
                self.0.beginnings(&rows, &mut |row, document| {
                    let page = (RowId::unpacked(row).address >> 16) as u32;
                    found.entry(page).or_insert_with(|| beginning(document).to_owned());
                })?;
                texts.extend(pages.iter().filter_map(|page| found.remove(page)).take(most - texts.len()));
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
