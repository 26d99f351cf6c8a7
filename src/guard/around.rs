//! What a verdict may ask of the guarded table: other rows with the same keys, and rows spread over the table. As in the guard's search,
//! row security of the writer does not count. Rows that are not committed do not take part.

use neardup_text::{Error, ErrorKind};
use neardup_verdict::{Rows, SAMPLE};

use super::subject::candidate_document;
use super::target::Guard;
use crate::engine::around::{SAMPLED, background, spread};
use crate::engine::source::{part_and_address, row_id};
use crate::error::Result;
use crate::index::open::OpenIndex;
use crate::index::search::last_rows;
use crate::pg::table::describe::pages;
use crate::pg::table::query::tid_of;
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
            rows.extend(found.into_iter().map(|row| row_id(leaf, row)));
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
            self.read(leaf, addresses, &mut |address, text| {
                // One row of a page is enough.
                if last.replace(address >> 16) != Some(address >> 16) {
                    texts.push(text);
                }
            });
        }
        texts
    }

    /// Passes the documents of rows of one table to `found`.
    fn read(&self, leaf: usize, rows: impl Iterator<Item = u64>, found: &mut dyn FnMut(u64, String)) {
        let Some(oid) = self.guard.leaves.get(leaf).map(|leaf| leaf.table) else { return };
        let Some(mut table) = Table::open(oid) else { return };
        let Some(part) = self.guard.part(oid) else { return };
        let moment = Moment::begin();
        for row in rows {
            pgrx::check_for_interrupts!();
            if table.visit(tid_of(row), &moment) == Version::Row(None)
                && let Some(text) = candidate_document(self.guard, &part, &table)
            {
                found(row, text.into_owned());
            }
        }
    }
}

impl Rows for GuardedRows<'_> {
    fn with_key(&mut self, key: u64) -> neardup_text::Result<Vec<u64>> {
        self.sampled(key).map_err(|wrong| Error::new(ErrorKind::Mismatch, wrong.message()))
    }

    fn texts(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, String)>> {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        let mut texts = Vec::with_capacity(rows.len());
        for run in rows.chunk_by(|a, b| part_and_address(*a).0 == part_and_address(*b).0) {
            let leaf = run.first().map_or(0, |row| part_and_address(*row).0);
            self.read(leaf, run.iter().map(|row| part_and_address(*row).1), &mut |address, text| {
                texts.push((row_id(leaf, address), text));
            });
        }
        Ok(texts)
    }

    fn spread(&mut self) -> neardup_text::Result<Vec<String>> {
        Ok(self.spread_rows())
    }
}
