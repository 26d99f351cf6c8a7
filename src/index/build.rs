//! Builds an index: reads the table's rows, sorts all entries, then writes each level from left to right, from the leaves up.
//!
//! Pages are filled unevenly, from 17 % below to 17 % above the fill factor. Keys are evenly distributed, so equally full pages
//! would all split at the same time, after some 10 % of growth, and the index would double.
#![allow(unsafe_code, reason = "Postgres calls these functions by pointer and passes relations")]

use std::ffi::{c_char, c_void};

use neardup_core::candidates::spill::{Sorted, Sorter, Storage};
use neardup_page::kind::{SignatureKind, TreeKey};
use neardup_page::{self as page, DOWN_ROOM, Downlink, Entry, LEAF_ROOM, Meta, NONE, PageOpaque};
use neardup_text::interrupt;
use pgrx::{PgMemoryContexts, pg_sys};

use super::buffer::{Index, Lock, SIZE};
use super::options::page_fill;
use super::parallel::{Crew, Read, Source, ended_early};
use super::tree;
use super::values::{declared_kind, keys_of, or_report};
use crate::error::Result;
use crate::pg::call::boundary;
use crate::pg::table::row_id::address_of;

/// The most by which a page's fill differs from the fill factor, in percentage points.
const SPREAD: u64 = 17;

/// The steps of a build as `pg_stat_progress_create_index` names them; 1 is Postgres's own, "initializing".
const PHASES: [&std::ffi::CStr; 4] = [c"initializing", c"scanning table", c"sorting keys", c"writing pages"];

pub(super) unsafe extern "C-unwind" fn phase_name(phase: i64) -> *mut c_char {
    let name = usize::try_from(phase).ok().and_then(|phase| PHASES.get(phase.checked_sub(1)?));
    name.map_or(std::ptr::null_mut(), |name| name.as_ptr().cast_mut())
}

fn enter(phase: i64) {
    // SAFETY: writes a number of this backend's own.
    unsafe { pg_sys::pgstat_progress_update_param(pg_sys::PROGRESS_CREATEIDX_SUBPHASE as i32, phase) };
}

/// A scan that hands each row's keys to `sink`.
struct Reading<'r> {
    kind: SignatureKind,
    keys: Vec<TreeKey>,
    rows: u64,
    /// What unpacking a signature takes.
    memory: PgMemoryContexts,
    sink: &'r mut dyn FnMut(&[TreeKey], u64),
}

/// How many rows are read before their memory is given back.
const BATCH: u64 = 256;

/// Postgres calls it for each row.
unsafe extern "C-unwind" fn take_row(
    _: pg_sys::Relation,
    tid: pg_sys::ItemPointer,
    values: *mut pg_sys::Datum,
    nulls: *mut bool,
    _: bool,
    reading: *mut c_void,
) {
    // SAFETY: this is the outermost frame below Postgres's scan. The index has one column; `reading` is what `read_rows` passes.
    unsafe {
        boundary::entry(|| {
            let reading = &mut *reading.cast::<Reading<'_>>();
            let value = (!*nulls).then_some(*values);
            if reading.rows.is_multiple_of(BATCH) {
                reading.memory.reset();
            }
            let before = pg_sys::MemoryContextSwitchTo(reading.memory.value());
            let result = keys_of(reading.kind, value, &mut reading.keys);
            pg_sys::MemoryContextSwitchTo(before);
            or_report(result);
            reading.rows += u64::from(value.is_some());
            (reading.sink)(&reading.keys, address_of(*tid));
        });
    }
}

/// Reads a table's rows as a build does, by a scan or, if that is null, one of its own. Returns the numbers of the table's rows and of those with a
/// signature. Shows its progress, if `shows` says so.
///
/// # Safety
/// Both relations must be open and belong together; the scan must be one of the table, and is ended.
pub unsafe fn read_rows(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    info: *mut pg_sys::IndexInfo,
    kind: SignatureKind,
    scan: pg_sys::TableScanDesc,
    shows: bool,
    sink: &mut dyn FnMut(&[TreeKey], u64),
) -> (f64, u64) {
    let memory = PgMemoryContexts::new("signature");
    let mut reading = Reading { kind, keys: Vec::new(), rows: 0, memory, sink };
    let state = (&raw mut reading).cast::<c_void>();
    let last = pg_sys::InvalidBlockNumber;
    // SAFETY: guaranteed by the caller. What runs below may be a user's: expressions of the index.
    let rows = unsafe {
        match (*(*table).rd_tableam).index_build_range_scan {
            Some(read) => {
                boundary::catch(|| read(table, index, info, true, false, shows, 0, last, Some(take_row), state, scan))
            }
            None => 0.0,
        }
    };
    (rows, reading.rows)
}

pub(super) unsafe extern "C-unwind" fn build(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    info: *mut pg_sys::IndexInfo,
) -> *mut pg_sys::IndexBuildResult {
    // SAFETY: this is the outermost frame; Postgres has both relations open, and the index is empty and ours.
    unsafe {
        boundary::entry(|| {
            let (rows, signed) = or_report(build_index(table, index, info));
            let result = pg_sys::palloc0(size_of::<pg_sys::IndexBuildResult>()).cast::<pg_sys::IndexBuildResult>();
            (*result).heap_tuples = rows;
            (*result).index_tuples = signed as f64;
            result
        })
    }
}

/// # Safety
/// As Postgres calls a build.
unsafe fn build_index(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    info: *mut pg_sys::IndexInfo,
) -> Result<(f64, u64)> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let kind = declared_kind(index)?;
        let crew = Crew::start(table, index, info);
        let memory = crew.as_ref().map_or(pg_sys::maintenance_work_mem, |crew| crew.kilobytes);
        let mut builder = Builder::begin(memory);
        enter(2);
        let scan = crew.as_ref().map_or(std::ptr::null_mut(), |crew| crew.scan(table));
        let (rows, signed) = read_rows(table, index, info, kind, scan, true, &mut |keys, row| builder.add(keys, row));
        enter(3);
        let mut read = Read { rows, signed, entries: builder.entries, has_broken_chain: (*info).ii_BrokenHotChain };
        let sorted = builder.sort();
        match crew.as_ref().map(Crew::have_read) {
            Some(Some(others)) => read = read.and(others),
            Some(None) => return Err(crew.map_or_else(ended_early, Crew::ended_early)),
            None => {}
        }
        let sources = crew.iter().flat_map(Crew::sources);
        let sorted = sources.fold(sorted, SortedEntries::with);
        (*info).ii_BrokenHotChain = read.has_broken_chain;
        enter(4);
        pg_sys::pgstat_progress_update_param(pg_sys::PROGRESS_CREATEIDX_TUPLES_TOTAL as i32, read.entries as i64);
        let progress = |done: u64| {
            pg_sys::pgstat_progress_update_param(pg_sys::PROGRESS_CREATEIDX_TUPLES_DONE as i32, done as i64);
        };
        let written = write(Index::new(index), kind, sorted, page_fill(index), progress)?;
        if let Some(crew) = crew {
            crew.finish();
        }
        if written < read.entries {
            return Err(ended_early());
        }
        Ok((read.rows, read.signed))
    }
}

pub(super) unsafe extern "C-unwind" fn build_empty(index: pg_sys::Relation) {
    // SAFETY: this is the outermost frame; Postgres has the index open.
    unsafe {
        boundary::entry(|| {
            let kind = or_report(declared_kind(index));
            Index::new(index).write_initial(&empty(kind));
        });
    }
}

/// An entry as the sort takes it.
pub type Record = [u64; 2];

/// Collects the entries of a build for the sort.
pub struct Builder<'c> {
    sort: Sorter<Source<'c>, 2>,
    /// How many entries there are.
    pub entries: u64,
}

/// Begins a sort of entries with memory of `kilobytes`, beyond which it has files.
pub fn sort<S: Storage>(kilobytes: i32) -> Sorter<S, 2> {
    Sorter::new(usize::try_from(kilobytes).unwrap_or(0) * 1024)
}

/// Returns an entry as a record: its tree, its key and its row, 120 bits.
pub fn record((tree, key): TreeKey, row: u64) -> Record {
    [u64::from(tree) << 56 | key >> 8, key << 56 | row]
}

/// Returns the tree and the entry of a record.
pub fn entry_of(record: Record) -> (u8, Entry) {
    let key = record[0] << 8 | record[1] >> 56;
    ((record[0] >> 56) as u8, Entry { key, row: record[1] & 0xffff_ffff_ffff })
}

impl<'c> Builder<'c> {
    /// Begins, with memory of `kilobytes`.
    pub fn begin(kilobytes: i32) -> Self {
        Self { sort: sort(kilobytes), entries: 0 }
    }

    /// Adds a row's keys.
    pub fn add(&mut self, keys: &[TreeKey], row: u64) {
        self.entries += keys.len() as u64;
        keys.iter().for_each(|key| self.sort.push(record(*key, row)));
    }

    /// Sorts the entries.
    pub fn sort(self) -> SortedEntries<'c> {
        SortedEntries { sorted: self.sort.finish(), ahead: None }
    }
}

/// The entries of a build in their order.
pub struct SortedEntries<'c> {
    sorted: Sorted<Source<'c>, 2>,
    ahead: Option<(u8, Entry)>,
}

impl<'c> SortedEntries<'c> {
    /// Merges in what another process has sorted.
    fn with(self, other: Source<'c>) -> Self {
        Self { sorted: self.sorted.with(other), ahead: self.ahead }
    }

    /// Returns the entries as records.
    pub fn records(self) -> impl Iterator<Item = Record> {
        self.sorted
    }

    /// Returns the next entry of a tree. Trees are read one after the other.
    pub fn next(&mut self, tree: u8) -> Option<Entry> {
        let (found, entry) = self.ahead.take().or_else(|| self.sorted.next().map(entry_of))?;
        if found == tree {
            return Some(entry);
        }
        self.ahead = Some((found, entry));
        None
    }
}

/// Returns the first pages of an empty index: the metapage and the roots.
pub fn empty(kind: SignatureKind) -> Vec<Box<[u8; SIZE]>> {
    let page = || Box::new([0; SIZE]);
    let mut meta = page();
    Meta { kind: kind.number() }.write(&mut meta[..]);
    let mut pages = vec![meta];
    for tree in 0..kind.trees() {
        let mut root = page();
        page::write_leaf(&mut root[..], &whole(tree, 0), &[]);
        pages.push(root);
    }
    pages
}

/// Returns the special data of a root.
fn whole(tree: u8, level: u16) -> PageOpaque {
    PageOpaque { low: Entry::LEAST, high: Entry::GREATEST, right: NONE, level, tree }
}

/// Writes an index that no other backend sees, and returns the number of its entries. Calls `progress` with the number of those written so far.
///
/// # Errors
/// If a page that was written is missing.
pub fn write(
    index: Index,
    kind: SignatureKind,
    mut entries: SortedEntries<'_>,
    fill: i32,
    progress: impl Fn(u64),
) -> Result<u64> {
    for bytes in empty(kind) {
        index.extend().fill(|page| page.copy_from_slice(&bytes[..]));
    }
    let mut written = 0;
    for tree in 0..kind.trees() {
        let mut level = Level::new(index, tree, 0);
        let mut taken = Vec::with_capacity(LEAF_ROOM);
        let mut room = fill_of(LEAF_ROOM, fill, 0);
        let mut next = entries.next(tree);
        while let Some(entry) = next {
            taken.push(entry);
            next = entries.next(tree);
            if taken.len() == room && next.is_some() {
                interrupt::check();
                level.leaf(&taken, entry)?;
                written += taken.len() as u64;
                progress(written);
                taken.clear();
                room = fill_of(LEAF_ROOM, fill, level.pages.len() as u64);
            }
        }
        written += taken.len() as u64;
        level.finish(&taken, fill)?;
        progress(written);
    }
    index.log_all();
    Ok(written)
}

/// Returns the number of entries for a page.
fn fill_of(room: usize, fill: i32, number: u64) -> usize {
    // Fibonacci hashing: neighbours differ, and every run of pages has the mean fill.
    let chance = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let percent =
        (fill.clamp(0, 100) as u64 + ((chance * (2 * SPREAD + 1)) >> 32)).saturating_sub(SPREAD).clamp(10, 100);
    (room * percent as usize / 100).max(2)
}

/// One level of a tree as it is written.
struct Level {
    index: Index,
    tree: u8,
    level: u16,
    /// The pages that have been written.
    pages: Vec<Downlink>,
    low: Entry,
}

impl Level {
    fn new(index: Index, tree: u8, level: u16) -> Self {
        Self { index, tree, level, pages: Vec::new(), low: Entry::LEAST }
    }

    /// Writes a page that ends at `high`, and the link to it on the page before. No page stays locked, so a build can be
    /// cancelled.
    fn page(&mut self, high: Entry, write: impl FnOnce(&mut [u8], &PageOpaque)) -> Result<()> {
        let mut buffer = self.index.extend();
        let opaque = PageOpaque { low: self.low, high, right: NONE, level: self.level, tree: self.tree };
        buffer.fill(|bytes| write(bytes, &opaque));
        let block = buffer.block;
        drop(buffer);
        if let Some(before) = self.pages.last() {
            let mut before = self.index.read(before.child, Lock::Exclusive)?;
            before.fill(|bytes| page::set_bounds(bytes, self.low, block));
        }
        self.pages.push(Downlink { low: self.low, child: block });
        self.low = high;
        Ok(())
    }

    fn leaf(&mut self, entries: &[Entry], high: Entry) -> Result<()> {
        self.page(high, |bytes, opaque| page::write_leaf(bytes, opaque, entries))
    }

    /// Writes the last leaf, and all levels above; the last of them is the root.
    fn finish(mut self, entries: &[Entry], fill: i32) -> Result<()> {
        let root = tree::root(self.tree);
        if self.pages.is_empty() {
            let opaque = whole(self.tree, 0);
            self.index.read(root, Lock::Exclusive)?.fill(|bytes| {
                page::write_leaf(bytes, &opaque, entries);
            });
            return Ok(());
        }
        self.leaf(entries, Entry::GREATEST)?;
        let mut below = self.pages;
        for level in 1.. {
            if below.len() <= DOWN_ROOM {
                let opaque = whole(self.tree, level);
                self.index.read(root, Lock::Exclusive)?.fill(|bytes| {
                    page::write_inner(bytes, &opaque, &below);
                });
                break;
            }
            let mut next = Level::new(self.index, self.tree, level);
            let mut rest = &below[..];
            while !rest.is_empty() {
                interrupt::check();
                let room = fill_of(DOWN_ROOM, fill, next.pages.len() as u64);
                let (taken, left) = rest.split_at(room.min(rest.len()));
                let high = left.first().map_or(Entry::GREATEST, |downlink| downlink.low);
                next.page(high, |bytes, opaque| page::write_inner(bytes, opaque, taken))?;
                rest = left;
            }
            below = next.pages;
        }
        Ok(())
    }
}
