//! VACUUM.

use std::ffi::c_void;

use pgrx::pg_sys;

use super::values::{kind_of, raise, tid_of};
use crate::error::Result;
use crate::index::vacuum;
use crate::pg::call::boundary;
use crate::pg::storage::pages::Index;

type Stats = *mut pg_sys::IndexBulkDeleteResult;

/// Gives other sessions the time that the settings want, or is cancelled.
fn pause() {
    // SAFETY: called without a lock on any page.
    unsafe {
        #[cfg(not(feature = "pg18"))]
        pg_sys::vacuum_delay_point();
        #[cfg(feature = "pg18")]
        pg_sys::vacuum_delay_point(false);
    }
}

pub(super) unsafe extern "C-unwind" fn bulk_delete(
    info: *mut pg_sys::IndexVacuumInfo,
    stats: Stats,
    callback: pg_sys::IndexBulkDeleteCallback,
    state: *mut c_void,
) -> Stats {
    // SAFETY: this is the outermost frame; Postgres passes valid arguments.
    unsafe { boundary::entry(|| raise(remove(info, stats, callback, state))) }
}

/// # Safety
/// As Postgres calls it.
unsafe fn remove(
    info: *mut pg_sys::IndexVacuumInfo,
    stats: Stats,
    callback: pg_sys::IndexBulkDeleteCallback,
    state: *mut c_void,
) -> Result<Stats> {
    // SAFETY: as the caller vouches. The callback may write to disk and fail, so it is caught.
    unsafe {
        let stats =
            if stats.is_null() { pg_sys::palloc0(size_of::<pg_sys::IndexBulkDeleteResult>()).cast() } else { stats };
        let index = Index::new((*info).index).with_strategy((*info).strategy);
        let is_dead = |row: u64| {
            let mut tid = tid_of(row);
            let tid = &raw mut tid;
            callback.is_some_and(|callback| boundary::catch(|| callback(tid, state)))
        };
        let done = vacuum::remove(index, kind_of((*info).index)?.trees(), is_dead, pause)?;
        (*stats).tuples_removed += done.removed as f64;
        (*stats).pages_newly_deleted += done.freed as u32;
        (*stats).num_pages = index.blocks();
        Ok(stats)
    }
}

pub(super) unsafe extern "C-unwind" fn clean_up(info: *mut pg_sys::IndexVacuumInfo, stats: Stats) -> Stats {
    // SAFETY: this is the outermost frame; Postgres passes valid arguments. Without stats nothing was removed.
    unsafe {
        boundary::entry(|| {
            if (*info).analyze_only || stats.is_null() {
                return stats;
            }
            // A row has several entries, so the planner is told of the table's rows, as by GIN; nobody knows how many a partial index has.
            (*stats).num_index_tuples = (*info).num_heap_tuples.max(0.0);
            (*stats).estimated_count = (*info).estimated_count || is_partial((*info).index);
            let index = Index::new((*info).index).with_strategy((*info).strategy);
            let first = 1 + u32::from(raise(kind_of((*info).index)).trees());
            let free = raise(vacuum::gather_free(index, first, pause));
            (*stats).pages_deleted = free;
            (*stats).pages_free = free;
            (*stats).num_pages = index.blocks();
            stats
        })
    }
}

/// Whether an index has the rows only for which a predicate holds.
///
/// # Safety
/// The index must be open.
unsafe fn is_partial(index: pg_sys::Relation) -> bool {
    // SAFETY: as the caller vouches; the row of pg_index is there with it.
    unsafe {
        !pg_sys::heap_attisnull((*index).rd_indextuple, pg_sys::Anum_pg_index_indpred as i32, std::ptr::null_mut())
    }
}
