//! From the addresses in an index to the rows that the current snapshot sees.
//!
//! An index names the first version of a row that was updated without a change to indexed columns; a statement that goes by `ctid` needs
//! the version that its snapshot sees. Nothing of the row itself is read here.

use pgrx::pg_sys;

use super::open::OpenTable;
use super::row_id::{address_of, tid_of};

/// An ordinary table or one partition, opened to look addresses up.
pub struct Visible {
    open: OpenTable,
    blocks: u32,
}

impl Visible {
    /// Opens a table; `None` if it does not exist.
    pub fn open(table: pg_sys::Oid) -> Option<Self> {
        let open = OpenTable::open(table)?;
        let fork = pg_sys::ForkNumber::MAIN_FORKNUM;
        // SAFETY: the table is open.
        let blocks = unsafe { pg_sys::RelationGetNumberOfBlocksInFork(open.relation, fork) };
        Some(Self { open, blocks })
    }

    /// Returns the number of the table's pages when it was opened.
    pub fn pages(&self) -> u32 {
        self.blocks
    }

    /// Returns the address of the version that the active snapshot sees of the row at an address of an index.
    pub fn version(&mut self, row: u64) -> Option<u64> {
        if (row >> 16) as u32 >= self.blocks {
            return None;
        }
        // SAFETY: a function runs under an active snapshot, and the slot holds the row that was found.
        unsafe {
            let found = self.open.fetch(&mut tid_of(row), pg_sys::GetActiveSnapshot(), &mut false);
            found.then(|| address_of((*self.open.slot).tts_tid))
        }
    }
}
