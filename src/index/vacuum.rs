//! Removes the entries of deleted rows, and frees leaves that have become empty.
//!
//! The leaves of a tree are visited in order, so no entry can escape: a split moves entries only to the right. An empty leaf is
//! merged into its left neighbour, under the locks of both and of their parent. In one WAL record, the neighbour takes over its
//! range, the downlink is removed, and the page becomes free. A tree's first leaf, and the first leaf below each parent, are never
//! freed.
//!
//! A guard that meets many entries of rows that are gone removes them itself ([`remove_rows`]), so that a row that is updated often
//! does not depend on VACUUM. It must not hide a row from a session of a replica, which Postgres would cancel if it could see the row:
//! the generic WAL cannot tell the replica to do that. So it removes only entries of rows whose versions Postgres has pruned, leaving
//! a dead line pointer, and of rows whose insertion was rolled back. The record of the pruning comes before ours, and has cancelled
//! such sessions; a vacuum relies on the same. Marking entries as dead without WAL, as B-trees do, is not possible:
//! `wal_consistency_checking` would report them as corruption, because the mask of generic WAL does not know them.
#![allow(unsafe_code, reason = "Postgres calls these functions by pointer and passes relations and a callback")]

use std::ffi::c_void;

use neardup_page::{self as page, Entry, Page};
use neardup_text::interrupt;
use pgrx::pg_sys;

use super::buffer::{Buffer, GenericWal, Index, Lock};
use super::tree::{check, descend};
use super::values::{kind_of, or_report};
use crate::error::Result;
use crate::pg::call::boundary;
use crate::pg::compat;
use crate::pg::table::row_id::tid_of;

type Stats = *mut pg_sys::IndexBulkDeleteResult;

/// Sleeps as long as the settings of vacuum want, or is cancelled.
fn pause() {
    // SAFETY: called without a lock on any page.
    unsafe {
        compat::vacuum_delay_point();
    }
}

pub(super) unsafe extern "C-unwind" fn bulk_delete(
    info: *mut pg_sys::IndexVacuumInfo,
    stats: Stats,
    callback: pg_sys::IndexBulkDeleteCallback,
    state: *mut c_void,
) -> Stats {
    // SAFETY: this is the outermost frame; Postgres passes valid arguments.
    unsafe { boundary::entry(|| or_report(remove_of(info, stats, callback, state))) }
}

/// # Safety
/// As Postgres calls it.
unsafe fn remove_of(
    info: *mut pg_sys::IndexVacuumInfo,
    stats: Stats,
    callback: pg_sys::IndexBulkDeleteCallback,
    state: *mut c_void,
) -> Result<Stats> {
    // SAFETY: guaranteed by the caller. The callback may write to disk and fail, so it is caught.
    unsafe {
        let stats =
            if stats.is_null() { pg_sys::palloc0(size_of::<pg_sys::IndexBulkDeleteResult>()).cast() } else { stats };
        let index = Index::new((*info).index).with_strategy((*info).strategy);
        let is_dead = |row: u64| {
            let mut tid = tid_of(row);
            let tid = &raw mut tid;
            callback.is_some_and(|callback| boundary::catch(|| callback(tid, state)))
        };
        let done = remove_dead(index, kind_of((*info).index)?.trees(), is_dead, pause)?;
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
            // A row has several entries; reltuples is the table's, as in GIN, and an estimate for a partial index.
            (*stats).num_index_tuples = (*info).num_heap_tuples.max(0.0);
            (*stats).estimated_count = (*info).estimated_count || is_partial((*info).index);
            let index = Index::new((*info).index).with_strategy((*info).strategy);
            let first = 1 + u32::from(or_report(kind_of((*info).index)).trees());
            let free = or_report(gather_free(index, first, pause));
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
    // SAFETY: guaranteed by the caller; the row of pg_index is there with it.
    unsafe {
        !pg_sys::heap_attisnull((*index).rd_indextuple, pg_sys::Anum_pg_index_indpred as i32, std::ptr::null_mut())
    }
}

/// The result of a vacuum.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    /// Entries that were removed.
    removed: u64,
    /// Pages that were freed.
    freed: u64,
}

/// Removes the entries of the rows for which `is_dead` is true. Calls `pause` between pages.
///
/// # Errors
/// If a page is damaged.
fn remove_dead(index: Index, trees: u8, mut is_dead: impl FnMut(u64) -> bool, mut pause: impl FnMut()) -> Result<Done> {
    let mut done = Done::default();
    for tree in 0..trees {
        let mut position = Entry::first_of(0);
        let mut before: Option<u32> = None;
        loop {
            pause();
            interrupt::check();
            let buffer = descend_or_follow(index, tree, position, before)?;
            let Some(page) = check(index, &buffer)? else {
                return Err(index.corrupted(buffer.block, "it is linked and not in use"));
            };
            let opaque = page.opaque();
            let removed = clean(index, &buffer, &page, |entry| is_dead(entry.row));
            let left = page.len() - removed;
            done.removed += removed as u64;
            let (block, is_last) = (buffer.block, opaque.high == Entry::GREATEST);
            drop(buffer);
            // The neighbour is the page cleaned before, unless that page has split since; then this page waits for the next
            // vacuum.
            let is_freed = match before {
                Some(before) if left == 0 => merge(index, tree, before, block)?,
                _ => false,
            };
            done.freed += u64::from(is_freed);
            if is_last {
                break;
            }
            // The merged range belongs to the neighbour now, so the walk continues at the end of the empty page.
            position = opaque.high.next();
            before = before.filter(|_| is_freed).or(Some(block));
        }
    }
    Ok(done)
}

/// Goes to the leaf of a position: by the right link of the leaf before, otherwise from the root.
fn descend_or_follow(index: Index, tree: u8, position: Entry, before: Option<u32>) -> Result<Buffer> {
    if let Some(before) = before {
        let right = {
            let buffer = index.read(before, Lock::Share)?;
            let opaque = check(index, &buffer)?.map(|page| page.opaque());
            opaque.filter(|opaque| opaque.tree == tree && opaque.level == 0 && opaque.high < position).map(|f| f.right)
        };
        if let Some(right) = right.filter(|right| *right != page::NONE) {
            let buffer = index.read(right, Lock::Exclusive)?;
            let opaque = check(index, &buffer)?.map(|page| page.opaque());
            if opaque.is_some_and(|opaque| opaque.tree == tree && opaque.level == 0 && opaque.holds(position)) {
                return Ok(buffer);
            }
        }
    }
    descend(index, tree, 0, position, Lock::Exclusive)
}

/// Removes dead entries from a leaf, and returns their number.
fn clean(index: Index, buffer: &Buffer, page: &Page<'_>, is_dead: impl FnMut(Entry) -> bool) -> usize {
    let dead: Vec<bool> = page.entries().map(is_dead).collect();
    let removed = dead.iter().filter(|dead| **dead).count();
    if removed > 0 {
        let mut change = GenericWal::begin(index);
        let image = change.edit(buffer);
        page::retain(change.bytes(image), page.len(), page.sorted(), |at| !dead[at]);
        change.finish();
    }
    removed
}

/// Removes a key's entries of some rows, in ascending order, as far as `is_removed` says of a row that no snapshot sees it. It
/// is asked while the leaf is locked, and so while no vacuum can remove the entry and let another row have the address.
///
/// # Errors
/// If a page is damaged.
pub fn remove_rows(index: Index, key: u64, rows: &[u64], mut is_removed: impl FnMut(u64) -> bool) -> Result<()> {
    let mut rest = rows;
    while let Some(&row) = rest.first() {
        let buffer = descend(index, 0, 0, Entry { key, row }, Lock::Exclusive)?;
        let Some(page) = check(index, &buffer)? else {
            return Err(index.corrupted(buffer.block, "it is linked and not in use"));
        };
        let high = page.opaque().high;
        let (here, after) = rest.split_at(rest.partition_point(|row| Entry { key, row: *row } <= high));
        clean(index, &buffer, &page, |entry| {
            entry.key == key && here.binary_search(&entry.row).is_ok() && is_removed(entry.row)
        });
        rest = after;
    }
    Ok(())
}

/// Merges an empty leaf into its left neighbour, if it is still empty and this is still its neighbour.
fn merge(index: Index, tree: u8, before: u32, block: u32) -> Result<bool> {
    // From left to right, then up: the order in which everybody locks several pages.
    let left = index.read(before, Lock::Exclusive)?;
    let Some(left_page) = check(index, &left)? else { return Ok(false) };
    let left_opaque = left_page.opaque();
    if left_opaque.tree != tree || left_opaque.level != 0 || left_opaque.right != block {
        return Ok(false);
    }
    let empty = index.read(block, Lock::Exclusive)?;
    let Some(page) = check(index, &empty)? else { return Ok(false) };
    let opaque = page.opaque();
    if !page.is_empty() || opaque.tree != tree || opaque.level != 0 || opaque.low != left_opaque.high {
        return Ok(false);
    }
    let parent = descend(index, tree, 1, opaque.low.next(), Lock::Exclusive)?;
    let Some(parent_page) = check(index, &parent)? else { return Ok(false) };
    let mut downlinks = parent_page.ordered_downlinks();
    let place = downlinks.iter().position(|downlink| downlink.child == block);
    if place == Some(0) {
        // The first downlink of a parent cannot lead elsewhere, and the left neighbour has another parent.
        return Ok(false);
    }
    let mut change = GenericWal::begin(index);
    let (left_image, empty_image) = (change.edit(&left), change.rewrite(&empty));
    page::set_bounds(change.bytes(left_image), opaque.high, opaque.right);
    page::write_deleted(change.bytes(empty_image));
    if let Some(place) = place {
        downlinks.remove(place);
        let image = change.edit(&parent);
        page::write_inner(change.bytes(image), &parent_page.opaque(), &downlinks);
    }
    change.finish();
    drop((left, empty, parent));
    index.record_free(block);
    Ok(true)
}

/// Records all free pages in the free space map, including those left behind by a crash, and returns their number.
///
/// # Errors
/// None of its own.
fn gather_free(index: Index, first: u32, mut pause: impl FnMut()) -> Result<u32> {
    let mut free = 0;
    for block in first..index.blocks() {
        pause();
        let buffer = index.read(block, Lock::Share)?;
        let is_free = page::is_free(buffer.bytes());
        drop(buffer);
        if is_free {
            index.record_free(block);
            free += 1;
        }
    }
    index.spread_free();
    Ok(free)
}
