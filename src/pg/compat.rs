//! What differs between major versions of Postgres, and nothing else does: elsewhere there is no `cfg` on a version.
//!
//! `since_16` and `since_18` hold for that version and all later ones, so a new major version takes the newest call. CONTRIBUTING has the
//! steps for adding one.

use pgrx::pg_sys;

/// Begins a scan of an index that fills bitmaps.
///
/// # Safety
/// The index must be open, and the snapshot valid.
pub unsafe fn begin_bitmap_scan(
    index: pg_sys::Relation,
    snapshot: pg_sys::Snapshot,
    keys: i32,
) -> pg_sys::IndexScanDesc {
    // SAFETY: guaranteed by the caller.
    unsafe {
        #[cfg(not(feature = "since_18"))]
        let scan = pg_sys::index_beginscan_bitmap(index, snapshot, keys);
        #[cfg(feature = "since_18")]
        let scan = pg_sys::index_beginscan_bitmap(index, snapshot, std::ptr::null_mut(), keys);
        scan
    }
}

/// Begins a scan of an index that reads rows.
///
/// # Safety
/// Table and index must be open, and the snapshot valid.
pub unsafe fn begin_index_scan(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    snapshot: pg_sys::Snapshot,
    keys: i32,
) -> pg_sys::IndexScanDesc {
    // SAFETY: guaranteed by the caller.
    unsafe {
        #[cfg(not(feature = "since_18"))]
        let scan = pg_sys::index_beginscan(table, index, snapshot, keys, 0);
        #[cfg(feature = "since_18")]
        let scan = pg_sys::index_beginscan(table, index, snapshot, std::ptr::null_mut(), keys, 0);
        scan
    }
}

/// Begins to fetch rows of a table by their addresses.
///
/// # Safety
/// The table must be open.
pub unsafe fn begin_fetch(table: pg_sys::Relation) -> *mut pg_sys::IndexFetchTableData {
    // SAFETY: guaranteed by the caller.
    unsafe { pg_sys::table_index_fetch_begin(table) }
}

/// Locks a page, in a mode such as `BUFFER_LOCK_SHARE`, whose type depends on the version.
///
/// # Safety
/// The buffer must be pinned, and this backend must not have locked it.
pub unsafe fn lock_buffer(buffer: pg_sys::Buffer, mode: u32) {
    // SAFETY: guaranteed by the caller.
    unsafe { pg_sys::LockBuffer(buffer, mode as _) };
}

/// Returns an access method's routine as its handler must: a copy, because Postgres frees it. Postgres 19 keeps the address instead, and
/// must get the routine itself.
///
/// # Safety
/// Only within a call by Postgres.
pub unsafe fn handed_over(routine: &'static pg_sys::IndexAmRoutine) -> pg_sys::Datum {
    // SAFETY: palloc returns memory for it, aligned for any type, or raises an error.
    unsafe {
        let copy = pg_sys::palloc(size_of::<pg_sys::IndexAmRoutine>()).cast::<pg_sys::IndexAmRoutine>();
        copy.copy_from_nonoverlapping(routine, 1);
        pg_sys::Datum::from(copy)
    }
}

/// No page of a table has more rows, even if Postgres was built with pages of 32 kB, which hold 1,169.
const MOST_ON_A_PAGE: usize = 2048;

/// The offsets of a page of which a bitmap has only the block number.
fn all_offsets() -> Vec<pg_sys::OffsetNumber> {
    (1..=MOST_ON_A_PAGE as pg_sys::OffsetNumber).collect()
}

/// Passes each page of a bitmap with its addresses.
///
/// # Safety
/// `bitmap` must be valid and complete.
#[cfg(not(feature = "since_18"))]
pub unsafe fn each_page(
    bitmap: *mut pg_sys::TIDBitmap,
    mut sink: impl FnMut(pg_sys::BlockNumber, &[pg_sys::OffsetNumber]),
) {
    // SAFETY: the bitmap is guaranteed by the caller; a result lives until the next, and has as many offsets as it says.
    unsafe {
        let iterator = pg_sys::tbm_begin_iterate(bitmap);
        while let Some(page) = pg_sys::tbm_iterate(iterator).as_ref() {
            match usize::try_from(page.ntuples) {
                Ok(count) => sink(page.blockno, page.offsets.as_slice(count)),
                Err(_) => sink(page.blockno, &all_offsets()),
            }
        }
        pg_sys::tbm_end_iterate(iterator);
    }
}

/// Passes each page of a bitmap with its addresses.
///
/// # Safety
/// `bitmap` must be valid and complete.
#[cfg(feature = "since_18")]
pub unsafe fn each_page(
    bitmap: *mut pg_sys::TIDBitmap,
    mut sink: impl FnMut(pg_sys::BlockNumber, &[pg_sys::OffsetNumber]),
) {
    let mut page = pg_sys::TBMIterateResult::default();
    let mut offsets = all_offsets();
    // SAFETY: the bitmap is guaranteed by the caller; offsets is large enough for those of any page.
    unsafe {
        let iterator = pg_sys::tbm_begin_private_iterate(bitmap);
        while pg_sys::tbm_private_iterate(iterator, &raw mut page) {
            if page.lossy {
                sink(page.blockno, &all_offsets());
                continue;
            }
            let room = MOST_ON_A_PAGE as u32;
            let count = pg_sys::tbm_extract_page_tuple(&raw mut page, offsets.as_mut_ptr(), room);
            sink(page.blockno, offsets.get(..count as usize).unwrap_or_default());
        }
        pg_sys::tbm_end_private_iterate(iterator);
    }
}

/// Sleeps as long as the cost-based delay of VACUUM wants, and checks for interrupts.
///
/// # Safety
/// No lock on a page may be held.
pub unsafe fn vacuum_delay_point() {
    // SAFETY: guaranteed by the caller.
    unsafe {
        #[cfg(not(feature = "since_18"))]
        pg_sys::vacuum_delay_point();
        #[cfg(feature = "since_18")]
        pg_sys::vacuum_delay_point(false);
    }
}

/// Says whether a parallel worker has sent something that is not read yet, such as an error.
pub fn has_parallel_message() -> bool {
    // SAFETY: a flag of this process.
    unsafe {
        #[cfg(not(feature = "since_16"))]
        let is_pending = pg_sys::ParallelMessagePending;
        #[cfg(feature = "since_16")]
        let is_pending = pg_sys::ParallelMessagePending != 0;
        is_pending
    }
}

/// Makes a path the last one that the planner takes. Before 18, an infinite cost alone does so.
pub fn disable(_path: &mut pg_sys::Path) {
    #[cfg(feature = "since_18")]
    {
        _path.disabled_nodes = 2;
    }
}

/// Counts a search of a scan for EXPLAIN ANALYZE, which shows it from 18 on.
pub fn count_search(_scan: &mut pg_sys::IndexScanDescData) {
    #[cfg(feature = "since_18")]
    // SAFETY: null, or valid as long as the scan.
    if let Some(instrument) = unsafe { _scan.instrument.as_mut() } {
        instrument.nsearches += 1;
    }
}

/// Returns the subtransaction in which a relation got its first new file, if that is of this transaction.
pub fn first_file_subtransaction(relation: &pg_sys::RelationData) -> pg_sys::SubTransactionId {
    #[cfg(not(feature = "since_16"))]
    let first = relation.rd_firstRelfilenodeSubid;
    #[cfg(feature = "since_16")]
    let first = relation.rd_firstRelfilelocatorSubid;
    first
}

/// A counter of a relation in the cumulative statistics.
#[derive(Clone, Copy, Debug)]
pub enum Counter {
    /// Scans of an index.
    Scans,
    /// Entries of an index that were returned.
    Entries,
    HotUpdates,
}

/// Adds to a counter of a relation.
pub fn count(info: &mut pg_sys::PgStat_TableStatus, counter: Counter, number: i64) {
    #[cfg(not(feature = "since_16"))]
    let counts = &mut info.t_counts;
    #[cfg(not(feature = "since_16"))]
    let place = match counter {
        Counter::Scans => &mut counts.t_numscans,
        Counter::Entries => &mut counts.t_tuples_returned,
        Counter::HotUpdates => &mut counts.t_tuples_hot_updated,
    };
    #[cfg(feature = "since_16")]
    let counts = &mut info.counts;
    #[cfg(feature = "since_16")]
    let place = match counter {
        Counter::Scans => &mut counts.numscans,
        Counter::Entries => &mut counts.tuples_returned,
        Counter::HotUpdates => &mut counts.tuples_hot_updated,
    };
    *place += number;
}

/// Says whether a role owns a relation, directly or through a role whose rights it has.
pub fn owns(relation: pg_sys::Oid, role: pg_sys::Oid) -> bool {
    // SAFETY: only reads catalogs; raises Postgres's error if the relation does not exist.
    unsafe {
        #[cfg(not(feature = "since_16"))]
        let owns = pg_sys::pg_class_ownercheck(relation, role);
        #[cfg(feature = "since_16")]
        let owns = pg_sys::object_ownercheck(pg_sys::RelationRelationId, relation, role);
        owns
    }
}

/// Says whether a role may call a function.
pub fn may_execute(function: pg_sys::Oid, role: pg_sys::Oid) -> pg_sys::AclResult::Type {
    let right = pg_sys::ACL_EXECUTE as pg_sys::AclMode;
    // SAFETY: only reads catalogs.
    unsafe {
        #[cfg(not(feature = "since_16"))]
        let answer = pg_sys::pg_proc_aclcheck(function, role, right);
        #[cfg(feature = "since_16")]
        let answer = pg_sys::object_aclcheck(pg_sys::ProcedureRelationId, function, role, right);
        answer
    }
}
