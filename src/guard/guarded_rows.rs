//! The rows of a guarded table that a verdict may ask for. As in the guard's search, row security of the writer does not count. Rows that are
//! not committed do not take part.

use std::ops::Range;

use neardup_text::hash::bytes_hash;

use crate::error::Result;
use crate::guarded::document::candidate_beginning;
use crate::guarded::guard::{Guard, Part};
use crate::guarded::neighbours::ReadRows;
use crate::index::open::OpenIndex;
use crate::index::search::LastLeaves;
use crate::pg::catalog::pages;
use crate::pg::table::row_id::{RowId, tid_of};
use crate::pg::table::rows::{Snapshot, Table, Version};

/// The rows of a guarded table.
pub struct GuardedRows<'g> {
    guard: &'g Guard,
    /// The number of the table of the last key, with what reads its index, which is dropped before it.
    open: Option<(usize, LastLeaves, OpenIndex)>,
}

impl<'g> GuardedRows<'g> {
    pub fn of(guard: &'g Guard) -> Self {
        Self { guard, open: None }
    }

    /// Passes rows of several tables to `found`, in order of their numbers.
    fn each(&self, rows: &[u64], mut found: impl FnMut(u64, &Part, &Table)) {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        for run in rows.chunk_by(|a, b| RowId::unpacked(*a).table == RowId::unpacked(*b).table) {
            let leaf = run.first().and_then(|row| self.guard.leaves.get(RowId::unpacked(*row).table));
            let Some(leaf) = leaf else { continue };
            let Some(mut table) = Table::open(leaf.table) else { continue };
            let Some(part) = self.guard.part(leaf.table) else { continue };
            let snapshot = Snapshot::begin();
            for &row in run {
                pgrx::check_for_interrupts!();
                if table.visit(tid_of(RowId::unpacked(row).address), &snapshot) == Version::Row(None) {
                    found(row, &part, &table);
                }
            }
        }
    }
}

impl ReadRows for GuardedRows<'_> {
    fn tables(&self) -> Range<usize> {
        0..self.guard.leaves.len()
    }

    fn pages(&self, table: usize) -> u32 {
        self.guard.leaves.get(table).map_or(0, |leaf| pages(leaf.table))
    }

    fn last_rows(&mut self, table: usize, key: u64, most: usize) -> Result<Vec<u64>> {
        if self.open.as_ref().is_none_or(|(open, ..)| *open != table) {
            let part = self.guard.leaves.get(table).and_then(|leaf| self.guard.part(leaf.table));
            let index = part.and_then(|part| part.index).map(|index| OpenIndex::open(index.index));
            self.open = index.map(|index| (table, LastLeaves::of(index.pages()), index));
        }
        self.open.as_mut().map_or(Ok(Vec::new()), |(_, leaves, _)| leaves.last_rows(key, most))
    }

    fn beginnings(&self, rows: &[u64], found: &mut dyn FnMut(u64, &str)) -> Result<()> {
        self.each(rows, |row, part, table| {
            if let Some(document) = candidate_beginning(self.guard, part, table) {
                found(row, &document);
            }
        });
        Ok(())
    }

    /// Of a document that is one column: the bytes in the row, which are the text, or the number under which its TOAST table has the text.
    /// No other text gets that number until four billion more have been stored.
    fn stored(&self, rows: &[u64]) -> Vec<(u64, u64)> {
        let mut all = Vec::new();
        if let (None, [document]) = (self.guard.expression, &self.guard.roles.documents[..]) {
            self.each(rows, |row, part, table| {
                let stored = part.columns.get(*document).and_then(|column| table.stored(*column));
                all.extend(stored.map(|stored| (row, bytes_hash(stored))));
            });
        }
        all
    }
}
