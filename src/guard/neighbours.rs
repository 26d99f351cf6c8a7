//! What a verdict may ask of the guarded table: other rows with the same keys, and rows spread over the table. As in the guard's search,
//! row security of the writer does not count. Rows that are not committed do not take part.

use neardup_text::hash::bytes_hash;
use neardup_text::{Error, ErrorKind};
use neardup_verdict::{Rows, SAMPLE};

use crate::error::Result;
use crate::guarded::document::candidate_document;
use crate::guarded::guard::{Guard, Part};
use crate::guarded::sample::{SAMPLED, background, spread};
use crate::index::open::OpenIndex;
use crate::index::search::last_rows;
use crate::pg::table::describe::pages;
use crate::pg::table::row_id::{RowId, tid_of};
use crate::pg::table::rows::{Moment, Table, Version};

/// How many rows of a page are tried to find one for the background.
const TRIED: u64 = 4;

/// The rows of a guarded table.
pub struct GuardedRows<'g> {
    guard: &'g Guard,
}

impl<'g> GuardedRows<'g> {
    /// Gives the rows of a guard's table.
    pub fn of(guard: &'g Guard) -> Self {
        Self { guard }
    }

    fn sampled(&self, key: u64) -> Result<Vec<u64>> {
        let mut rows = Vec::new();
        for (leaf, table) in self.guard.leaves.iter().enumerate() {
            let Some(index) = self.guard.part(table.table).and_then(|part| part.index) else { continue };
            let found = last_rows(OpenIndex::open(index.index).pages(), key, SAMPLED)?;
            rows.extend(found.into_iter().map(|row| RowId { table: leaf, address: row }.packed()));
        }
        rows.drain(..rows.len().saturating_sub(SAMPLED));
        Ok(spread(rows.len(), SAMPLE).filter_map(|at| rows.get(at).copied()).collect())
    }

    fn spread_rows(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for leaf in 0..self.guard.leaves.len() {
            let chosen: Vec<u32> = background(self.guard.leaves.get(leaf).map_or(0, |leaf| pages(leaf.table)))
                .step_by(self.guard.leaves.len())
                .collect();
            let mut last = None;
            let addresses =
                chosen.iter().flat_map(|page| (1..=TRIED).map(move |offset| u64::from(*page) << 16 | offset));
            self.read(leaf, addresses, &mut |address, part, table| {
                // One row of a page is enough.
                if let Some(text) = candidate_document(self.guard, part, table)
                    && last.replace(address >> 16) != Some(address >> 16)
                {
                    texts.push(text.into_owned());
                }
            });
        }
        texts
    }

    /// Passes rows of several tables to `found`, in order of their numbers.
    fn each(&self, rows: &[u64], found: &mut dyn FnMut(u64, &Part, &Table)) {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        for run in rows.chunk_by(|a, b| RowId::unpacked(*a).table == RowId::unpacked(*b).table) {
            let leaf = run.first().map_or(0, |row| RowId::unpacked(*row).table);
            let addresses = run.iter().map(|row| RowId::unpacked(*row).address);
            self.read(leaf, addresses, &mut |address, part, table| {
                found(RowId { table: leaf, address }.packed(), part, table)
            });
        }
    }

    /// Passes rows of one table to `found`.
    fn read(&self, leaf: usize, rows: impl Iterator<Item = u64>, found: &mut dyn FnMut(u64, &Part, &Table)) {
        let Some(oid) = self.guard.leaves.get(leaf).map(|leaf| leaf.table) else { return };
        let Some(mut table) = Table::open(oid) else { return };
        let Some(part) = self.guard.part(oid) else { return };
        let moment = Moment::begin();
        for row in rows {
            pgrx::check_for_interrupts!();
            if table.visit(tid_of(row), &moment) == Version::Row(None) {
                found(row, &part, &table);
            }
        }
    }
}

impl Rows for GuardedRows<'_> {
    fn with_key(&mut self, key: u64) -> neardup_text::Result<Vec<u64>> {
        self.sampled(key).map_err(|wrong| Error::new(ErrorKind::Mismatch, wrong.message()))
    }

    fn texts(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, String)>> {
        let mut texts = Vec::with_capacity(rows.len());
        self.each(rows, &mut |row, part, table| {
            texts.extend(candidate_document(self.guard, part, table).map(|text| (row, text.into_owned())));
        });
        Ok(texts)
    }

    /// Of a document that is one column: the bytes in the row, which are the text, or the number under which its TOAST table has the text.
    /// No other text gets that number until four billion more have been stored.
    fn stored(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, u64)>> {
        let mut all = Vec::new();
        if let (None, [document]) = (self.guard.expression, &self.guard.roles.documents[..]) {
            self.each(rows, &mut |row, part, table| {
                let stored = part.columns.get(*document).and_then(|column| table.stored(*column));
                all.extend(stored.map(|stored| (row, bytes_hash(stored))));
            });
        }
        Ok(all)
    }

    fn spread(&mut self) -> neardup_text::Result<Vec<String>> {
        Ok(self.spread_rows())
    }
}
