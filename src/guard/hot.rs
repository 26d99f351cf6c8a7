//! Rows of a hot key that are gone: deleted, or older versions of a row.
//!
//! A search reads the last rows of a key. Thousands of updates of one row leave as many entries in the index, which would push the
//! other rows of the key out of its bound. So a few of a hot key's rows are visited, and if some of these are gone, the search asks of
//! each row whether it is, and reads on until it has enough that are not. It removes the entries of rows that no snapshot sees any more
//! (`src/index/vacuum.rs`). So an entry is passed over once, unless an old snapshot can still see the row.

use ahash::AHashMap;

use crate::error::Result;
use crate::index::lookup::Lookup;
use crate::index::search::Presence;
use crate::pg::table::row_id::{Tid, address_of};
use crate::pg::table::rows::{Snapshot, Table, Version};

/// How many rows of a hot key are visited first.
const SAMPLED: usize = 16;
/// If this number of them is gone, all are visited.
const MANY: usize = 2;
/// How many rows that are gone a search reads for one key.
const MOST_GONE: usize = 32_768;

/// The rows of hot keys in one table.
pub struct HotKeys<'m> {
    snapshot: &'m Snapshot,
    /// Whether the search may change the index.
    removes: bool,
    table: Option<Table>,
    /// The rows that were visited: rows share several keys.
    known: AHashMap<u64, Presence>,
}

impl<'m> HotKeys<'m> {
    /// Begins with the rows of a table that is open.
    pub fn of(table: &Table, snapshot: &'m Snapshot, removes: bool) -> Self {
        Self { snapshot, removes, table: Table::open(table.oid()), known: AHashMap::new() }
    }

    fn presence(&mut self, tid: Tid) -> Presence {
        let Self { snapshot, removes, table, known } = self;
        let Some(table) = table else { return Presence::Present };
        *known.entry(address_of(tid)).or_insert_with(|| {
            pgrx::check_for_interrupts!();
            match table.visit(tid, snapshot) {
                Version::Gone if *removes && table.is_removed(tid) => Presence::Removed,
                Version::Gone => Presence::Gone,
                Version::Row(_) | Version::Changed => Presence::Present,
            }
        })
    }

    /// Returns the last `most` rows of a key; `tids` are those that the index lists.
    ///
    /// # Errors
    /// If a page of the index is damaged.
    ///
    /// # Safety
    /// As of [`Lookup::last`].
    pub unsafe fn last(
        &mut self,
        table: &Table,
        scan: &Lookup<'_>,
        key: u64,
        tids: Vec<Tid>,
        most: usize,
    ) -> Result<Vec<Tid>> {
        let sample = (0..SAMPLED).filter_map(|at| tids.get(at * tids.len() / SAMPLED));
        if sample.filter(|tid| self.presence(**tid) != Presence::Present).count() < MANY {
            return Ok(tids);
        }
        let is_removed = |tid| table.is_removed(tid);
        // SAFETY: guaranteed by the caller.
        unsafe { scan.last_present(key, most, MOST_GONE, |tid| self.presence(tid), is_removed) }
    }
}
