//! From the addresses in an index to the rows that the current snapshot sees.
//!
//! An index names the first version of a row that was updated without a change to indexed columns; a statement that goes by `ctid` needs
//! the version that its snapshot sees. Nothing of the row itself is read here.

use std::ptr::null_mut;

use pgrx::pg_sys;

use super::row_id::{address_of, tid_of};

const LOCK: i32 = pg_sys::AccessShareLock as i32;

/// An ordinary table or one partition, opened to look addresses up.
pub struct Visible {
    table: pg_sys::Relation,
    slot: *mut pg_sys::TupleTableSlot,
    fetch: *mut pg_sys::IndexFetchTableData,
    blocks: u32,
}

impl Visible {
    /// Opens a table; `None` if it is gone.
    pub fn open(table: pg_sys::Oid) -> Option<Self> {
        // SAFETY: the slot and the fetch are the table's own.
        unsafe {
            let table = pg_sys::try_table_open(table, LOCK);
            if table.is_null() {
                return None;
            }
            Some(Self {
                table,
                slot: pg_sys::table_slot_create(table, null_mut()),
                fetch: pg_sys::table_index_fetch_begin(table),
                blocks: pg_sys::RelationGetNumberOfBlocksInFork(table, pg_sys::ForkNumber::MAIN_FORKNUM),
            })
        }
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
        let mut tid = tid_of(row);
        let (mut again, mut all_dead) = (false, false);
        // SAFETY: fetch, slot and table belong together; a function runs under an active snapshot.
        unsafe {
            let snapshot = pg_sys::GetActiveSnapshot();
            let found = pg_sys::table_index_fetch_tuple(
                self.fetch,
                &raw mut tid,
                snapshot,
                self.slot,
                &raw mut again,
                &raw mut all_dead,
            );
            found.then(|| address_of((*self.slot).tts_tid))
        }
    }
}

impl Drop for Visible {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        // SAFETY: all were opened in open.
        unsafe {
            pg_sys::table_index_fetch_end(self.fetch);
            pg_sys::ExecDropSingleTupleTableSlot(self.slot);
            pg_sys::table_close(self.table, LOCK);
        }
    }
}
