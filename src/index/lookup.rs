//! The guard's search of an index: the addresses of all rows that match a query, committed or not.
//!
//! By a key of a sketch, it reads the last rows of that key from an index `USING neardup`. By SimHash, it uses the generic interface of
//! access methods, so any method that serves the operator works. Neither has a snapshot, so the result also contains the addresses of
//! rows that no snapshot sees; [`Table::visit`] sorts these out.
#![allow(unsafe_code, reason = "calls an index's access method as the executor does")]

use std::marker::PhantomData;

use pgrx::{itemptr, pg_sys};

use super::buffer::Index;
use super::leaves;
use super::search::{self, LastLeaves, Presence};
use super::vacuum::remove_rows;
use super::values::{count_entries, count_hot_key, count_scans};
use crate::error::Result;
use crate::pg::compat;
use crate::pg::table::row_id::{Tid, tid_of};
use crate::pg::table::rows::Table;

/// A scan of one of a table's indexes that can be restarted with another query. The table stays open meanwhile.
pub struct Lookup<'t> {
    index: pg_sys::Relation,
    oid: pg_sys::Oid,
    leaves: LastLeaves,
    /// Begun when the generic interface is asked first.
    scan: Option<pg_sys::IndexScanDesc>,
    key: pg_sys::ScanKeyData,
    table: PhantomData<&'t Table>,
}

impl<'t> Lookup<'t> {
    /// Begins a search of one of the table's indexes by an operator of its family, given as strategy number and function.
    pub fn begin(_: &'t Table, oid: pg_sys::Oid, strategy: u16, function: pg_sys::Oid) -> Self {
        let mut key = pg_sys::ScanKeyData::default();
        // SAFETY: opening the index raises an error if it is gone; it stays open as long as self.
        let (index, leaves) = unsafe {
            let index = pg_sys::index_open(oid, pg_sys::AccessShareLock as i32);
            pg_sys::ScanKeyInit(&raw mut key, 1, strategy, function, pg_sys::Datum::null());
            (index, LastLeaves::of(Index::new(index)))
        };
        Self { index, oid, leaves, scan: None, key, table: PhantomData }
    }

    /// Returns for each of a row's keys the addresses of the last rows, in table order, that have it in their sketch, and counts the scans in
    /// `pg_stat_user_indexes`. An insert of the row that follows finds the leaves of its keys at once. Keys are best in ascending order.
    ///
    /// # Errors
    /// If a page of the index is damaged.
    ///
    /// # Safety
    /// The index must be one of sketches `USING neardup`, and the table still open.
    pub unsafe fn last(&mut self, keys: &[u64], most: usize) -> Result<Vec<Vec<Tid>>> {
        let (rows, links) = self.leaves.last_rows_of(keys, most)?;
        leaves::keep(self.oid, keys, &links);
        // SAFETY: guaranteed by the caller.
        unsafe {
            count_scans(self.index, keys.len());
            count_entries(self.index, rows.iter().map(Vec::len).sum());
        }
        Ok(rows.into_iter().map(|rows| rows.into_iter().map(tid_of).collect()).collect())
    }

    /// Returns what [`last`](Self::last) gives, without the rows that are not present. It reads on until it has `most`, or has passed
    /// over `most_gone`. The entries of those that are removed it removes from the index, if `is_removed` confirms it;
    /// [`remove_rows`] says what that must promise.
    ///
    /// # Errors
    /// If a page of the index is damaged.
    ///
    /// # Safety
    /// As of `last`.
    pub unsafe fn last_present(
        &self,
        key: u64,
        most: usize,
        most_gone: usize,
        mut presence: impl FnMut(Tid) -> Presence,
        mut is_removed: impl FnMut(Tid) -> bool,
    ) -> Result<Vec<Tid>> {
        // SAFETY: guaranteed by the caller. A backend that changes an index has this lock; an error releases it.
        unsafe {
            let index = Index::new(self.index);
            let rows = search::last_present(index, key, most, most_gone, |row| presence(tid_of(row)))?;
            count_entries(self.index, rows.present.len());
            if !rows.removed.is_empty() {
                pg_sys::LockRelationOid((*self.index).rd_id, pg_sys::RowExclusiveLock as i32);
                remove_rows(index, key, &rows.removed, |row| is_removed(tid_of(row)))?;
                pg_sys::UnlockRelationOid((*self.index).rd_id, pg_sys::RowExclusiveLock as i32);
            }
            Ok(rows.present.into_iter().map(tid_of).collect())
        }
    }

    /// Counts that the last key was a hot one.
    pub fn count_hot_key(&self) {
        // SAFETY: the index is open.
        unsafe { count_hot_key(self.index) };
    }

    /// Returns the addresses that match a query, in table order.
    ///
    /// # Safety
    /// `query` must be a value of the operator's right operand, and the table must still be open.
    pub unsafe fn matching(&mut self, query: pg_sys::Datum) -> Vec<Tid> {
        self.key.sk_argument = query;
        let mut found = Vec::new();
        // SAFETY: the index is open; SnapshotAny is sound because the index alone decides nothing. The scan has one key, which Postgres copies.
        // The bitmap is freed below or, after an error, with the memory context.
        unsafe {
            let begin = || compat::begin_bitmap_scan(self.index, &raw mut pg_sys::SnapshotAnyData, 1);
            let scan = *self.scan.get_or_insert_with(begin);
            pg_sys::index_rescan(scan, &raw mut self.key, 1, std::ptr::null_mut(), 0);
            let room = i64::from(pg_sys::work_mem) * 1024;
            let bitmap = pg_sys::tbm_create(room as _, std::ptr::null_mut());
            pg_sys::index_getbitmap(scan, bitmap);
            compat::each_page(bitmap, |block, offsets| {
                found.extend(offsets.iter().map(|offset| {
                    let mut tid = Tid::default();
                    itemptr::item_pointer_set_all(&mut tid, block, *offset);
                    tid
                }));
            });
            pg_sys::tbm_free(bitmap);
        }
        found
    }
}

impl Drop for Lookup<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: opened in `begin`, and begun in `matching`.
            unsafe {
                self.scan.into_iter().for_each(|scan| pg_sys::index_endscan(scan));
                pg_sys::index_close(self.index, pg_sys::AccessShareLock as i32);
            }
        }
    }
}
