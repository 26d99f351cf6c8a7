//! Checks an index: its pages fit together, every row has its keys, and every key belongs to a row that has it.
//!
//! Others may write meanwhile, so it normally locks one page at a time, and what it compares may be of different moments. What does
//! not fit is therefore compared again while a lock keeps it as it is: a leaf and the row of its entry, because a vacuum removes the
//! entry before another row can have the address; a page and the one to its right, and a page and its downlink, because a merge locks
//! all of these. It locks in the order of inserts and merges: from left to right, then up, and the table's pages last.
#![allow(unsafe_code, reason = "opens relations and reads the table as Postgres does")]

use std::collections::HashMap;

use neardup_core::candidates::spill::{Sorted, Sorter};
use neardup_page::kind::TreeKey;
use neardup_page::{Downlink, Entry, NONE, PageOpaque};
use neardup_text::interrupt;
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::buffer::{Buffer, Index, Lock};
use super::build::{self, entry_of, read_rows, record};
use super::tree::{check, descend, root};
use super::values::{is_ours, kind_of};
use crate::error::Result;
use crate::pg::call::{boundary, role};
use crate::pg::catalog::relation_name;
use crate::pg::compat;
use crate::pg::table::row_id::tid_of;
use crate::pg::table::temporary::TemporaryFile;

#[pg_extern(sql = false)]
fn check_index(index: pg_sys::Oid) -> Result<i64> {
    check_index_of(index).map(u64::cast_signed)
}

const LOCK: i32 = pg_sys::AccessShareLock as i32;
/// An index of ours and its table, open until the end of the transaction.
struct Opened {
    table: pg_sys::Relation,
    index: pg_sys::Relation,
}

fn wrong(message: String) -> ErrorReport {
    ErrorReport::new(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, message, "pg_neardup")
}

impl Opened {
    fn open(oid: pg_sys::Oid) -> Result<Self> {
        // SAFETY: the table is locked before its index, as everywhere in Postgres; an error closes what is open.
        unsafe {
            let table = pg_sys::IndexGetRelation(oid, true);
            let table =
                if table == pg_sys::Oid::INVALID { std::ptr::null_mut() } else { pg_sys::try_table_open(table, LOCK) };
            if table.is_null() {
                return Err(wrong(format!("\"{}\" is not an index", relation_name(oid))));
            }
            let index = pg_sys::index_open(oid, LOCK);
            let is_plain = (*(*index).rd_rel).relkind as u8 == pg_sys::RELKIND_INDEX;
            if !is_plain || !is_ours(index) {
                // From the catalog: a partitioned index has no pages, which Index counts.
                let name = relation_name(oid);
                return Err(wrong(format!("\"{name}\" is not an index of access method neardup"))
                    .set_detail("For a partitioned index, name the indexes of its partitions."));
            }
            if pg_sys::RecoveryInProgress()
                && (*(*index).rd_rel).relpersistence as u8 == pg_sys::RELPERSISTENCE_UNLOGGED
            {
                let message = format!("index \"{}\" is unlogged, and so empty on a replica", relation_name(oid));
                return Err(ErrorReport::new(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message, "pg_neardup"));
            }
            if !(*(*index).rd_index).indisvalid {
                let name = Index::new(index).name();
                return Err(wrong(format!("index \"{name}\" is not valid")));
            }
            Ok(Self { table, index })
        }
    }

    fn close(self) {
        // SAFETY: opened in open. The locks stay until the transaction ends.
        unsafe {
            pg_sys::index_close(self.index, 0);
            pg_sys::table_close(self.table, 0);
        }
    }

    fn table(&self) -> pg_sys::Oid {
        // SAFETY: the table is open.
        unsafe { (*self.table).rd_id }
    }
}

fn refused(opened: &Opened, what: &str) -> ErrorReport {
    let message = format!("must {what} table \"{}\"", relation_name(opened.table()));
    ErrorReport::new(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message, "pg_neardup")
}

/// Checks an index against its table, and returns the number of its entries.
///
/// # Errors
/// The first fault; for what is not an index of ours, and for a user who does not own the table.
fn check_index_of(oid: pg_sys::Oid) -> Result<u64> {
    // SAFETY: pgrx has wrapped the caller, and neither frame has anything to be dropped. Expressions of the index are run below.
    unsafe { boundary::entry(|| check_closed(oid)) }
}

fn check_closed(oid: pg_sys::Oid) -> Result<u64> {
    let opened = Opened::open(oid)?;
    if !role::owns(opened.table()) {
        return Err(refused(&opened, "be owner of"));
    }
    // Expressions of the index are run as the table's owner, as every command on an index does.
    // SAFETY: the table is open.
    let owner = unsafe { (*(*opened.table).rd_rel).relowner };
    let entries = role::as_owner(owner, || check_opened(&opened))?;
    opened.close();
    Ok(entries)
}

fn check_opened(opened: &Opened) -> Result<u64> {
    // SAFETY: both relations are open. The snapshot is registered as long as it is used, and by an error until the transaction ends.
    unsafe {
        let kind = kind_of(opened.index)?;
        let snapshot = pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot());
        let info = pg_sys::BuildIndexInfo(opened.index);
        // With a snapshot of its own, as a concurrent build: only rows that it sees.
        (*info).ii_Concurrent = true;
        (*info).ii_Unique = false;
        (*info).ii_ExclusionOps = std::ptr::null_mut();
        let mut expected = Expected::begin(pg_sys::maintenance_work_mem);
        let scan = pg_sys::table_beginscan_strat(opened.table, snapshot, 0, std::ptr::null_mut(), true, true);
        read_rows(opened.table, opened.index, info, kind, scan, false, &mut |keys, row| expected.add(keys, row));
        let fetch = compat::begin_fetch(opened.table);
        let slot = pg_sys::table_slot_create(opened.table, std::ptr::null_mut());
        let look = |row| look(opened.table, fetch, slot, snapshot, row);
        let result = compare(Index::new(opened.index).in_bulk(), kind.trees(), expected, look);
        pg_sys::table_index_fetch_end(fetch);
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::UnregisterSnapshot(snapshot);
        result
    }
}

/// What a table has at an address.
///
/// # Safety
/// All must be open and belong together.
unsafe fn look(
    table: pg_sys::Relation,
    fetch: *mut pg_sys::IndexFetchTableData,
    slot: *mut pg_sys::TupleTableSlot,
    snapshot: pg_sys::Snapshot,
    row: u64,
) -> Found {
    let mut tid = tid_of(row);
    let (mut again, mut dead) = (false, false);
    // SAFETY: guaranteed by the caller. A TID without a heap tuple is dead.
    unsafe {
        let (block, number) = pgrx::itemptr::item_pointer_get_both(tid_of(row));
        let main = pg_sys::ForkNumber::MAIN_FORKNUM;
        if block >= pg_sys::RelationGetNumberOfBlocksInFork(table, main) {
            return Found::Nothing;
        }
        let found = pg_sys::table_index_fetch_tuple(fetch, &raw mut tid, snapshot, slot, &raw mut again, &raw mut dead);
        pg_sys::ExecClearTuple(slot);
        if found {
            return Found::Another;
        }
        let buffer = pg_sys::ReadBuffer(table, block);
        compat::lock_buffer(buffer, pg_sys::BUFFER_LOCK_SHARE);
        let page = pg_sys::BufferGetPage(buffer);
        let is_used = number >= 1 && number <= pg_sys::PageGetMaxOffsetNumber(page) && {
            (*pg_sys::PageGetItemId(page, number)).lp_flags() != pg_sys::LP_UNUSED
        };
        pg_sys::UnlockReleaseBuffer(buffer);
        if is_used { Found::Unseen } else { Found::Nothing }
    }
}

/// How many entries without a visible row are collected before their rows are looked up.
const BATCH: usize = 1 << 16;

/// What the table has at the address of an entry that matches no visible row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// A row that is dead or not yet committed.
    Unseen,
    Nothing,
    /// A row that everybody sees, with other keys.
    Another,
}

/// Collects the keys of the table's rows for the sort.
struct Expected(Sorter<TemporaryFile, 2>);

impl Expected {
    /// Begins, with memory of `kilobytes`.
    fn begin(kilobytes: i32) -> Self {
        Self(build::sort(kilobytes))
    }

    /// Adds a row's keys.
    fn add(&mut self, keys: &[TreeKey], row: u64) {
        keys.iter().for_each(|key| self.0.push(record(*key, row)));
    }
}

/// Checks an index against the entries that its table requires, and returns the number of its entries. `look` tells what the
/// table has at an address.
///
/// # Errors
/// The first fault.
fn compare(index: Index, trees: u8, expected: Expected, mut look: impl FnMut(u64) -> Found) -> Result<u64> {
    let mut comparison = HeapCheck::begin(index, expected.0.finish());
    for tree in 0..trees {
        let top = {
            let buffer = index.read(root(tree), Lock::Share)?;
            let Some(page) = check(index, &buffer)? else {
                return Err(index.corrupted(buffer.block, "the root is not in use"));
            };
            let opaque = page.opaque();
            if opaque.low != Entry::LEAST || opaque.high != Entry::GREATEST {
                return Err(index.corrupted(buffer.block, "the root does not have the whole range"));
            }
            opaque.level
        };
        for level in (0..=top).rev() {
            check_level(index, tree, level, |entries| comparison.leaf(tree, entries, &mut look))?;
        }
    }
    comparison.finish(&mut look)
}

/// What is remembered of a page after its lock is released.
struct Seen {
    block: u32,
    opaque: PageOpaque,
    downlinks: Vec<Downlink>,
    entries: Vec<Entry>,
}

fn see(index: Index, buffer: &Buffer) -> Result<Option<Seen>> {
    let block = buffer.block;
    let Some(page) = check(index, buffer)? else { return Ok(None) };
    let opaque = page.opaque();
    let mut seen = Seen { block, opaque, downlinks: Vec::new(), entries: Vec::new() };
    if opaque.level > 0 {
        let sorted: Vec<Downlink> = page.downlinks().take(page.sorted()).collect();
        if !sorted.is_sorted_by(|a, b| a.low < b.low) {
            return Err(index.corrupted(block, "its sorted downlinks are not in order"));
        }
        seen.downlinks = page.ordered_downlinks();
        return Ok(Some(seen));
    }
    let sorted: Vec<Entry> = page.entries().take(page.sorted()).collect();
    if !sorted.is_sorted_by(|a, b| a < b) {
        return Err(index.corrupted(block, "its sorted entries are not in order"));
    }
    seen.entries = page.ordered();
    Ok(Some(seen))
}

/// Reads the page of a level to which a position belongs.
fn see_at(index: Index, tree: u8, level: u16, position: Entry) -> Result<(Buffer, Seen)> {
    let buffer = descend(index, tree, level, position, Lock::Share)?;
    match see(index, &buffer)? {
        Some(seen) => Ok((buffer, seen)),
        None => Err(index.corrupted(buffer.block, "it is linked and not in use")),
    }
}

/// Walks a level by its right links and checks each page; passes the entries of leaves to `leaf`.
fn check_level(index: Index, tree: u8, level: u16, mut leaf: impl FnMut(&[Entry]) -> Result<()>) -> Result<()> {
    let (_, mut seen) = see_at(index, tree, level, Entry::first_of(0))?;
    // Everything before this was read: a page that has grown to the left of it gives only the rest.
    let mut position = Entry::LEAST;
    loop {
        interrupt::check();
        check_page(index, &seen)?;
        let from = seen.entries.partition_point(|entry| *entry <= position);
        leaf(&seen.entries[from..])?;
        position = seen.opaque.high;
        if seen.opaque.right == NONE {
            return Ok(());
        }
        let right = see(index, &index.read(seen.opaque.right, Lock::Share)?)?;
        seen = match right.filter(|right| follows(&seen.opaque, &right.opaque)) {
            Some(right) => right,
            None => see_next(index, &seen.opaque)?,
        };
    }
}

/// Whether a page goes on where the one before it ends.
fn follows(opaque: &PageOpaque, right: &PageOpaque) -> bool {
    right.tree == opaque.tree && right.level == opaque.level && right.low == opaque.high
}

/// Returns the page with the positions after those of a page that was read. The page to its right may have been merged into it since.
fn see_next(index: Index, before: &PageOpaque) -> Result<Seen> {
    // The page that has the last position now. While it is locked, the page to its right cannot be merged into it.
    let (left, seen) = see_at(index, before.tree, before.level, before.high)?;
    if seen.opaque.high > before.high {
        return Ok(seen);
    }
    let right = see(index, &index.read(seen.opaque.right, Lock::Share)?)?;
    right.filter(|right| follows(&seen.opaque, &right.opaque)).ok_or_else(|| {
        let fault = format!("the page to its right, block {}, does not go on where it ends", seen.opaque.right);
        index.corrupted(left.block, &fault)
    })
}

fn check_page(index: Index, seen: &Seen) -> Result<()> {
    let opaque = seen.opaque;
    let fault = |fault| Err(index.corrupted(seen.block, fault));
    if !seen.entries.is_sorted_by(|a, b| a < b) {
        return fault("it has an entry twice");
    }
    if !seen.entries.iter().all(|entry| opaque.holds(*entry)) {
        return fault("it has an entry outside of its bounds");
    }
    if opaque.level == 0 {
        return Ok(());
    }
    if !seen.downlinks.is_sorted_by(|a, b| a.low < b.low) {
        return fault("it has a downlink twice");
    }
    if seen.downlinks.first().map(|downlink| downlink.low) != Some(opaque.low)
        || !seen.downlinks.iter().all(|downlink| downlink.low < opaque.high)
    {
        return fault("it has a downlink outside of its bounds");
    }
    for downlink in &seen.downlinks {
        interrupt::check();
        check_downlink(index, &opaque, downlink)?;
    }
    Ok(())
}

/// Checks a downlink that was read from a page.
fn check_downlink(index: Index, opaque: &PageOpaque, downlink: &Downlink) -> Result<()> {
    let child = index.read(downlink.child, Lock::Share)?;
    let below = check(index, &child)?.map(|page| page.opaque());
    let fits = below
        .is_some_and(|below| below.tree == opaque.tree && below.level + 1 == opaque.level && below.low == downlink.low);
    if fits {
        return Ok(());
    }
    // The page below may have been merged into its left neighbour since. While it is locked, it gets and loses no downlink. An inner
    // page always stays one, and waiting with a lock on it for a page further down would be the wrong order.
    let is_below = below.is_none_or(|below| below.level < opaque.level);
    let _locked = is_below.then_some(child);
    let parent = descend(index, opaque.tree, opaque.level, downlink.low.next(), Lock::Share)?;
    if check(index, &parent)?.is_some_and(|page| page.downlinks().any(|other| other == *downlink)) {
        let fault = format!("a downlink leads to block {}, another page than it says", downlink.child);
        return Err(index.corrupted(parent.block, &fault));
    }
    Ok(())
}

/// The comparison of an index with its table.
struct HeapCheck {
    index: Index,
    expected: Sorted<TemporaryFile, 2>,
    next: Option<(u8, Entry)>,
    entries: u64,
    /// Entries that match no visible row.
    unseen: Vec<(u8, Entry)>,
}

impl HeapCheck {
    fn begin(index: Index, mut expected: Sorted<TemporaryFile, 2>) -> Self {
        let next = expected.next().map(entry_of);
        Self { index, expected, next, entries: 0, unseen: Vec::new() }
    }

    fn leaf(&mut self, tree: u8, entries: &[Entry], look: &mut impl FnMut(u64) -> Found) -> Result<()> {
        self.entries += entries.len() as u64;
        for entry in entries {
            if self.next.is_some_and(|next| next < (tree, *entry)) {
                return Err(self.missing());
            }
            if self.next == Some((tree, *entry)) {
                self.next = self.expected.next().map(entry_of);
            } else {
                self.unseen.push((tree, *entry));
            }
        }
        if self.unseen.len() >= BATCH { self.look_at_unseen(look) } else { Ok(()) }
    }

    fn missing(&self) -> ErrorReport {
        let row = self.next.map_or(0, |(_, entry)| entry.row);
        let message = format!("index \"{}\" lacks a key of row ({},{})", self.index.name(), row >> 16, row & 0xffff);
        self.index.fault(message)
    }

    fn look_at_unseen(&mut self, look: &mut impl FnMut(u64) -> Found) -> Result<()> {
        let mut known = HashMap::new();
        self.unseen.sort_unstable_by_key(|(_, entry)| entry.row);
        for (tree, entry) in std::mem::take(&mut self.unseen) {
            interrupt::check();
            let found = *known.entry(entry.row).or_insert_with(|| look(entry.row));
            if found != Found::Unseen {
                self.look_again(tree, entry, look)?;
            }
        }
        Ok(())
    }

    /// Looks up the row of an entry while the entry's leaf is locked. A vacuum may have removed the entry since it was read, and then
    /// another row with the same key may have come to the same address.
    fn look_again(&self, tree: u8, entry: Entry, look: &mut impl FnMut(u64) -> Found) -> Result<()> {
        let leaf = descend(self.index, tree, 0, entry, Lock::Share)?;
        if !check(self.index, &leaf)?.is_some_and(|page| page.entries().any(|other| other == entry)) {
            return Ok(());
        }
        let (block, number) = (entry.row >> 16, entry.row & 0xffff);
        let fault = match look(entry.row) {
            Found::Unseen => return Ok(()),
            Found::Nothing => format!("it has an entry of row ({block},{number}), which is not there"),
            Found::Another => format!("it has a key that its row ({block},{number}) does not have"),
        };
        Err(self.index.corrupted(leaf.block, &fault))
    }

    fn finish(mut self, look: &mut impl FnMut(u64) -> Found) -> Result<u64> {
        self.look_at_unseen(look)?;
        if self.next.is_some() { Err(self.missing()) } else { Ok(self.entries) }
    }
}
