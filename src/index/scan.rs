//! Scans: by a condition, as a bitmap or row by row, and by distance.
#![allow(unsafe_code, reason = "Postgres calls these functions by pointer and passes scans")]

use neardup_page::kind::{SignatureKind, banded};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgMemoryContexts, pg_sys};

use super::buffer::Index;
use super::nearest::Nearest;
use super::search;
use super::values::{count_scans, keys_of, kind_of, or_report};
use crate::error::Result;
use crate::pg::call::boundary;
use crate::pg::compat;
use crate::pg::table::row_id::tid_of;
use crate::simhash::HammingBall;

/// `MaxHeapTuplesPerPage`.
const MOST_ROWS_OF_A_PAGE: u64 = (pg_sys::BLCKSZ as u64 - 24) / (24 + 4);

/// A scan: what is asked, and what was found.
struct Scan {
    kind: SignatureKind,
    query: Option<Query>,
    nearest: Option<Nearest>,
    /// Whether the conditions have to be checked on the row itself.
    recheck: bool,
    /// What was found, in the order in which it is given; `None` before the first row.
    rows: Option<std::vec::IntoIter<u64>>,
    extent: Extent,
    /// Whether the search is in the statistics.
    is_counted: bool,
}

impl Scan {
    fn new(kind: SignatureKind) -> Self {
        Self {
            kind,
            query: None,
            nearest: None,
            recheck: false,
            rows: None,
            extent: Extent::default(),
            is_counted: false,
        }
    }
}

/// What of a table is known to be there.
#[derive(Default)]
struct Extent {
    /// The table's blocks when they were last counted.
    blocks: u32,
}

impl Extent {
    /// Whether a row can be in the table: a damaged index may name any.
    ///
    /// # Safety
    /// The table must be open.
    unsafe fn may_have(&mut self, row: u64, table: pg_sys::Relation) -> bool {
        let block = (row >> 16) as u32;
        if block >= self.blocks {
            // SAFETY: guaranteed by the caller.
            self.blocks = unsafe { pg_sys::RelationGetNumberOfBlocksInFork(table, pg_sys::ForkNumber::MAIN_FORKNUM) };
        }
        block < self.blocks && has_possible_number(row)
    }
}

/// Whether a page of a table can have a row of this number.
fn has_possible_number(row: u64) -> bool {
    (1..=MOST_ROWS_OF_A_PAGE).contains(&(row & 0xffff))
}

fn impossible(index: Index) -> ErrorReport {
    index.fault(format!("index \"{}\" has an entry of an impossible row", index.name()))
}

pub(super) unsafe extern "C-unwind" fn begin(
    index: pg_sys::Relation,
    keys: std::ffi::c_int,
    orders: std::ffi::c_int,
) -> pg_sys::IndexScanDesc {
    // SAFETY: this is the outermost frame; Postgres has the index open. What is allocated here lives as long as the scan.
    unsafe {
        boundary::entry(|| {
            let kind = or_report(kind_of(index));
            let scan = pg_sys::RelationGetIndexScan(index, keys, orders);
            if let Ok(orders @ 1..) = usize::try_from(orders) {
                (*scan).xs_orderbyvals = pg_sys::palloc0(orders * size_of::<pg_sys::Datum>()).cast();
                (*scan).xs_orderbynulls = pg_sys::palloc0(orders * size_of::<bool>()).cast();
            }
            // Dropped with the memory, also after an error.
            (*scan).opaque = PgMemoryContexts::CurrentMemoryContext.leak_and_drop_on_delete(Scan::new(kind)).cast();
            scan
        })
    }
}

/// The state of a scan.
///
/// # Safety
/// The scan must have been begun above.
unsafe fn state_of<'s>(scan: pg_sys::IndexScanDesc) -> &'s mut Scan {
    // SAFETY: guaranteed by the caller.
    unsafe { &mut *(*scan).opaque.cast::<Scan>() }
}

pub(super) unsafe extern "C-unwind" fn rescan(
    scan: pg_sys::IndexScanDesc,
    keys: pg_sys::ScanKey,
    _: std::ffi::c_int,
    orders: pg_sys::ScanKey,
    _: std::ffi::c_int,
) {
    // SAFETY: this is the outermost frame. The scan was begun above with as many keys and orders as it says.
    unsafe {
        boundary::entry(|| {
            let count = |number| usize::try_from(number).unwrap_or(0);
            let (key_count, order_count) = (count((*scan).numberOfKeys), count((*scan).numberOfOrderBys));
            if !keys.is_null() && key_count > 0 {
                std::ptr::copy(keys, (*scan).keyData, key_count);
            }
            if !orders.is_null() && order_count > 0 {
                std::ptr::copy(orders, (*scan).orderByData, order_count);
            }
            let state = state_of(scan);
            *state = Scan::new(state.kind);
            let asked =
                |key: pg_sys::ScanKeyData| (key.sk_flags & pg_sys::SK_ISNULL as i32 == 0).then_some(key.sk_argument);
            // Of several conditions the first is looked up, and all are checked.
            state.recheck = key_count > 1 || (order_count > 0 && key_count > 0);
            if order_count > 0 {
                let center = asked(*(*scan).orderByData).map(|datum| banded(datum.value() as u64));
                state.nearest = Some(Nearest::begin(center, pg_sys::work_mem));
            } else if key_count > 0 {
                state.query = Some(or_report(query_of(state.kind, asked(*(*scan).keyData))));
            }
        });
    }
}

/// # Safety
/// The argument must be of the type of the kind's operator.
unsafe fn query_of(kind: SignatureKind, argument: Option<pg_sys::Datum>) -> Result<Query> {
    let Some(argument) = argument else { return Ok(Query::Nothing) };
    // SAFETY: guaranteed by the caller; a ball lies at any address.
    unsafe {
        Ok(match kind {
            SignatureKind::Sketch => {
                let mut keys = Vec::new();
                keys_of(kind, Some(argument), &mut keys)?;
                Query::Sharing(keys.into_iter().map(|(_, key)| key).collect())
            }
            SignatureKind::SimHash => {
                let ball = argument.cast_mut_ptr::<HammingBall>().read_unaligned();
                Query::Within(banded(ball.center), ball.distance.min(u64::BITS.into()) as u32)
            }
        })
    }
}

/// Counts a search: for `pg_stat_user_indexes`, and from Postgres 18 on for EXPLAIN ANALYZE.
///
/// # Safety
/// The scan must have been begun above.
unsafe fn count_search(scan: pg_sys::IndexScanDesc) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        count_scans((*scan).indexRelation, 1);
        compat::count_search(&mut *scan);
    }
}

/// The query of a scan.
fn query(state: &Scan, index: Index) -> Result<&Query> {
    let missing = || index.unsupported("a scan of the index needs a condition or an order by distance");
    state.query.as_ref().ok_or_else(missing)
}

pub(super) unsafe extern "C-unwind" fn get_bitmap(scan: pg_sys::IndexScanDesc, bitmap: *mut pg_sys::TIDBitmap) -> i64 {
    // SAFETY: this is the outermost frame. The scan was begun above; the bitmap is to be filled.
    unsafe {
        boundary::entry(|| {
            count_search(scan);
            let state = state_of(scan);
            let index = Index::new((*scan).indexRelation);
            let mut tids: Vec<pg_sys::ItemPointerData> = Vec::new();
            let recheck = state.recheck;
            let (mut found, mut has_impossible) = (0, false);
            // A scan for a bitmap has no table of its own. The caller of the search has locked the table.
            let table = pg_sys::table_open((*(*(*scan).indexRelation).rd_index).indrelid, pg_sys::NoLock as i32);
            let mut extent = Extent::default();
            let result = query(state, index).and_then(|asked| {
                each(index, asked, &mut |rows| {
                    // Postgres's bitmap takes no impossible numbers, and a prefetch of it fails beyond the table.
                    has_impossible |= !rows.iter().all(|row| extent.may_have(*row, table));
                    if has_impossible {
                        return;
                    }
                    tids.clear();
                    tids.extend(rows.iter().map(|row| tid_of(*row)));
                    found += tids.len() as i64;
                    pg_sys::tbm_add_tuples(bitmap, tids.as_mut_ptr(), tids.len() as i32, recheck);
                })
            });
            pg_sys::table_close(table, pg_sys::NoLock as i32);
            or_report(result);
            if has_impossible {
                or_report(Err(impossible(index)))
            }
            found
        })
    }
}

pub(super) unsafe extern "C-unwind" fn get_tuple(scan: pg_sys::IndexScanDesc, _: pg_sys::ScanDirection::Type) -> bool {
    // SAFETY: this is the outermost frame. The scan was begun above.
    unsafe { boundary::entry(|| or_report(next_row(scan))) }
}

/// # Safety
/// The scan must have been begun above.
unsafe fn next_row(scan: pg_sys::IndexScanDesc) -> Result<bool> {
    // SAFETY: guaranteed by the caller; a scan by distance has room for one order.
    unsafe {
        let state = state_of(scan);
        if !state.is_counted {
            state.is_counted = true;
            count_search(scan);
        }
        let index = Index::new((*scan).indexRelation);
        // No pin is held between index and heap, so VACUUM may reuse a TID; a scan without an MVCC snapshot, as of an exclusion constraint,
        // must recheck.
        (*scan).xs_recheck = state.recheck || !is_fixed((*scan).xs_snapshot);
        // Of several distances the first decides; the others are given as 0, which none is less than, and Postgres sorts by the true ones.
        (*scan).xs_recheckorderby = (*scan).numberOfOrderBys > 1;
        let row = if let Some(nearest) = &mut state.nearest {
            let Some((row, distance)) = nearest.next(index)? else { return Ok(false) };
            *(*scan).xs_orderbyvals = pg_sys::Datum::from(distance.unwrap_or_default() as i32);
            *(*scan).xs_orderbynulls = distance.is_none();
            row
        } else {
            if state.rows.is_none() {
                state.rows = Some(ranked(index, query(state, index)?)?.into_iter());
            }
            let Some(row) = state.rows.as_mut().and_then(Iterator::next) else { return Ok(false) };
            row
        };
        if !state.extent.may_have(row, (*scan).heapRelation) {
            return Err(impossible(index));
        }
        (*scan).xs_heaptid = tid_of(row);
        Ok(true)
    }
}

/// `IsMVCCSnapshot`: whether the rows that it sees stay the same.
///
/// # Safety
/// `snapshot` must be valid.
unsafe fn is_fixed(snapshot: pg_sys::Snapshot) -> bool {
    // SAFETY: guaranteed by the caller.
    let kind = unsafe { (*snapshot).snapshot_type };
    kind == pg_sys::SnapshotType::SNAPSHOT_MVCC || kind == pg_sys::SnapshotType::SNAPSHOT_HISTORIC_MVCC
}

pub(super) unsafe extern "C-unwind" fn end(scan: pg_sys::IndexScanDesc) {
    // SAFETY: this is the outermost frame. The scan was begun above; its memory may stay until the query ends.
    unsafe {
        boundary::entry(|| {
            let state = state_of(scan);
            *state = Scan::new(state.kind);
        });
    }
}

/// What a search looks for.
#[derive(Clone, Debug, PartialEq)]
enum Query {
    /// Nothing: the condition is NULL.
    Nothing,
    /// Rows that have one of these keys.
    Sharing(Vec<u64>),
    /// Rows within a distance of a banded signature.
    Within(u64, u32),
}

/// How many rows are passed on at a time.
const BATCH: usize = 1024;

/// Passes the matching rows to `sink`, in no particular order, some of them more than once.
///
/// # Errors
/// If a page is damaged.
fn each(index: Index, query: &Query, sink: &mut dyn FnMut(&[u64])) -> Result<()> {
    let mut rows = Vec::with_capacity(BATCH);
    // Rows are passed on while only the page that is being read is locked, and nothing called here waits for that.
    let mut add = |row: u64| {
        rows.push(row);
        if rows.len() == BATCH {
            sink(&rows);
            rows.clear();
        }
    };
    match query {
        Query::Nothing => {}
        Query::Sharing(keys) => search::sharing(index, keys.iter().copied(), &mut add)?,
        Query::Within(center, distance) => search::within(index, *center, *distance, |row, _| add(row))?,
    }
    if !rows.is_empty() {
        sink(&rows);
    }
    Ok(())
}

/// Returns the matching rows, each once: first those that share most keys or are nearest, then in the order of the table.
///
/// # Errors
/// If a page is damaged.
fn ranked(index: Index, query: &Query) -> Result<Vec<u64>> {
    let mut found: Vec<(u32, u64)> = Vec::new();
    match query {
        Query::Nothing => {}
        Query::Sharing(keys) => {
            let mut rows = Vec::new();
            search::sharing(index, keys.iter().copied(), |row| rows.push(row))?;
            rows.sort_unstable();
            let groups = rows.chunk_by(|a, b| a == b);
            found.extend(
                groups.filter_map(|group| Some((keys.len().saturating_sub(group.len()) as u32, *group.first()?))),
            );
        }
        Query::Within(center, distance) => {
            search::within(index, *center, *distance, |row, distance| found.push((distance, row)))?;
        }
    }
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, row)| row).collect())
}
