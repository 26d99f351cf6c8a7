//! An ordinary table or one partition, opened to fetch its rows by the addresses of an index.

use std::ptr::null_mut;

use pgrx::pg_sys;

use crate::pg::compat;
use crate::pg::table::row_id::Tid;

const LOCK: i32 = pg_sys::AccessShareLock as i32;

/// An open table with a slot for one row. Its lock is released when it is dropped: nothing depends on the table afterwards, and a
/// table with many partitions must not fill the lock table.
///
/// After an error, Postgres closes what is open; so this closes only if nothing unwinds.
pub(super) struct OpenTable {
    pub relation: pg_sys::Relation,
    pub slot: *mut pg_sys::TupleTableSlot,
    fetch: *mut pg_sys::IndexFetchTableData,
}

impl OpenTable {
    /// Opens a table; `None` if it does not exist, for example because a partition was dropped meanwhile. While it is open,
    /// none of its indexes can be dropped.
    pub fn open(table: pg_sys::Oid) -> Option<Self> {
        // SAFETY: the slot and the fetch are the table's own.
        unsafe {
            let relation = pg_sys::try_table_open(table, LOCK);
            if relation.is_null() {
                return None;
            }
            let slot = pg_sys::table_slot_create(relation, null_mut());
            Some(Self { relation, slot, fetch: compat::begin_fetch(relation) })
        }
    }

    /// Fetches the version that a snapshot sees at an address into the slot, and says whether there is one. `again` says whether the
    /// call continues at the address, and then whether more versions may follow.
    ///
    /// # Safety
    /// The snapshot must be valid.
    pub unsafe fn fetch(&mut self, tid: &mut Tid, snapshot: pg_sys::Snapshot, again: &mut bool) -> bool {
        let mut all_dead = false;
        // SAFETY: fetch, slot and table belong together; the snapshot is guaranteed by the caller.
        unsafe { pg_sys::table_index_fetch_tuple(self.fetch, tid, snapshot, self.slot, again, &raw mut all_dead) }
    }
}

impl Drop for OpenTable {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        // SAFETY: all were opened in open.
        unsafe {
            pg_sys::table_index_fetch_end(self.fetch);
            pg_sys::ExecDropSingleTupleTableSlot(self.slot);
            pg_sys::table_close(self.relation, LOCK);
        }
    }
}
