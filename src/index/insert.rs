//! Inserts a row's keys into the trees.
//!
//! The keys are inserted in ascending order, into up to four leaves per WAL record. The insert waits for the first leaf of a record
//! and takes the others only if they are free, so no two sessions wait for each other's leaves. Keys are hashes, so each leaf is
//! somewhere else in memory; the leaves of four keys are pinned before the first is read.
//!
//! A full leaf is split. One WAL record writes both halves, the next one the downlink to the right half. The right half stays
//! locked in between, so that a vacuum cannot free it before its downlink exists. If the server crashes in between, the downlink is
//! missing; searches then reach the left half and move right, and the next insert into the right half writes the downlink.
#![allow(unsafe_code, reason = "Postgres calls aminsert by pointer and passes datums")]

use neardup_page::kind::TreeKey;
use neardup_page::{self as page, DOWN, DOWN_ROOM, DOWN_TAIL, Downlink, Entry, LEAF, LEAF_ROOM, NONE, PageOpaque};
use pgrx::pg_sys;

use super::buffer::{Buffer, GenericWal, Index, Lock, MOST_PAGES};
use super::leaves::{self, LeafLink, NextLeaf};
use super::tree::{self, Descents, check, descend};
use super::values::{keys_of, kind_of, or_report};
use super::wal::WalRecord;
use crate::error::Result;
use crate::pg::call::boundary;
use crate::pg::table::row_id::address_of;

/// `aminsert`.
pub(super) unsafe extern "C-unwind" fn insert(
    index: pg_sys::Relation,
    values: *mut pg_sys::Datum,
    nulls: *mut bool,
    tid: pg_sys::ItemPointer,
    _table: pg_sys::Relation,
    _unique: pg_sys::IndexUniqueCheck::Type,
    _unchanged: bool,
    _info: *mut pg_sys::IndexInfo,
) -> bool {
    // SAFETY: this is the outermost frame; Postgres has the index open, which has one column.
    unsafe {
        boundary::entry(|| {
            let mut keys = Vec::new();
            let result = kind_of(index).and_then(|kind| {
                keys_of(kind, (!*nulls).then_some(*values), &mut keys)?;
                insert_keys(Index::new(index), &keys, address_of(*tid))
            });
            or_report(result);
        });
    }
    false
}

/// A locked leaf, and the entries to append to it.
struct LockedLeaf {
    buffer: Buffer,
    opaque: PageOpaque,
    /// The number of its entries, and the offset where they end.
    len: usize,
    end: usize,
    /// The entries to append, as they are stored.
    added: Vec<u8>,
}

impl LockedLeaf {
    fn new(index: Index, buffer: Buffer) -> Result<Self> {
        let Some(page) = check(index, &buffer)? else {
            return Err(index.corrupted(buffer.block, "it is linked and not in use"));
        };
        let (opaque, len, end) = (page.opaque(), page.len(), page.end());
        Ok(Self { buffer, opaque, len, end, added: Vec::new() })
    }

    fn takes(&mut self, entry: Entry) -> bool {
        let takes = self.len < LEAF_ROOM;
        if takes {
            let mut bytes = [0; LEAF];
            entry.write(&mut bytes);
            self.added.extend_from_slice(&bytes);
            self.len += 1;
        }
        takes
    }
}

/// The leaves of the next keys.
struct NextLeaves {
    index: Index,
    links: Vec<LeafLink>,
    /// The number of the key that the first one is for.
    from: usize,
    leaves: [Option<NextLeaf>; MOST_PAGES],
}

impl NextLeaves {
    fn of(index: Index, keys: &[TreeKey], row: u64) -> Result<Self> {
        let links = leaves::of_keys(index, keys, row)?;
        Ok(Self { index, links, from: 0, leaves: [const { None }; MOST_PAGES] })
    }

    /// Returns the leaf of a key. If it is not pinned yet, those of the keys after it are pinned, too, as many as a record can have:
    /// so the processor fetches all of them from memory at the same time.
    fn leaf_of(&mut self, at: usize) -> Result<Option<NextLeaf>> {
        let next = self.leaves.get_mut(at.wrapping_sub(self.from)).and_then(Option::take);
        if next.is_some() {
            return Ok(next);
        }
        self.from = at;
        self.leaves = [const { None }; MOST_PAGES];
        for (leaf, link) in self.leaves.iter_mut().zip(self.links.iter().skip(at)) {
            *leaf = Some(link.pin(self.index)?);
        }
        Ok(self.leaves.first_mut().and_then(Option::take))
    }
}

/// Inserts a row's keys, sorted and distinct, into an index.
///
/// # Errors
/// If a page is damaged.
fn insert_keys(index: Index, keys: &[TreeKey], row: u64) -> Result<()> {
    let mut locked: Vec<LockedLeaf> = Vec::with_capacity(MOST_PAGES);
    let mut next_leaves = NextLeaves::of(index, keys, row)?;
    let mut descents = Descents::new(index);
    for (at, &(tree, key)) in keys.iter().enumerate() {
        let entry = Entry { key, row };
        if lock_leaf(index, &mut locked, &mut next_leaves, at, tree, entry)? {
            continue;
        }
        append(index, &mut locked)?;
        let buffer = descend_linked(index, &mut descents, tree, 0, entry)?;
        let mut leaf = LockedLeaf::new(index, buffer)?;
        if leaf.takes(entry) {
            locked.push(leaf);
        } else {
            split_leaf(index, leaf.buffer, entry)?;
        }
    }
    append(index, &mut locked)
}

/// Descends to the page of a level to which a position belongs, and locks it for a change. If no downlink leads to it, because a split
/// was cut off, writes that first.
fn descend_linked(index: Index, descents: &mut Descents, tree: u8, level: u16, position: Entry) -> Result<Buffer> {
    loop {
        let buffer = descents.descend(tree, level, position, Lock::Exclusive)?;
        if !descents.has_stepped_right {
            return Ok(buffer);
        }
        // The backend that split its left neighbour holds this page until its downlink is written; so the downlink is missing for good.
        let Some(opaque) = check(index, &buffer)?.map(|page| page.opaque()) else { return Ok(buffer) };
        let downlink = Downlink { low: opaque.low, child: buffer.block };
        let parent = descend(index, tree, level + 1, opaque.low.next(), Lock::Share)?;
        if check(index, &parent)?.is_none_or(|page| page.downlinks().any(|other| other == downlink)) {
            return Ok(buffer);
        }
        drop(parent);
        link(index, opaque, downlink, buffer)?;
    }
}

/// Adds an entry to the locked leaves; false if that is impossible, because its leaf is full, has changed, or is held by another backend
/// else, or four are locked.
fn lock_leaf(
    index: Index,
    locked: &mut Vec<LockedLeaf>,
    next_leaves: &mut NextLeaves,
    at: usize,
    tree: u8,
    entry: Entry,
) -> Result<bool> {
    // A root that is a leaf holds all positions of its tree, so nothing below reads a root that is locked here.
    if let Some(last) = locked.last_mut().filter(|last| last.opaque.tree == tree && last.opaque.holds(entry)) {
        return Ok(last.takes(entry));
    }
    if locked.len() == MOST_PAGES {
        append(index, locked)?;
    }
    let Some(next) = next_leaves.leaf_of(at)? else { return Ok(false) };
    let Some(buffer) = next.lock(index, locked.is_empty())? else { return Ok(false) };
    let mut leaf = LockedLeaf::new(index, buffer)?;
    let takes = leaf.takes(entry);
    if takes {
        locked.push(leaf);
    }
    Ok(takes)
}

/// Writes the entries into the locked leaves, and releases them.
fn append(index: Index, locked: &mut Vec<LockedLeaf>) -> Result<()> {
    if locked.is_empty() {
        return Ok(());
    }
    let mut record = WalRecord::begin(index);
    for leaf in locked.iter_mut() {
        record.page(&mut leaf.buffer)?;
        record.set_pd_lower(page::lower_for(leaf.len))?;
        // The free places of a leaf are zeros already.
        let used = leaf.added.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        record.put(leaf.end, leaf.added.get(..used).unwrap_or_default())?;
    }
    record.finish();
    locked.clear();
    Ok(())
}

/// Returns a new page, locked: a free one, or an additional one.
fn new_page(index: Index) -> Buffer {
    while let Some(block) = index.free_page() {
        // The map may be wrong, so the page itself must show that it is free.
        if let Some(buffer) = index.try_read(block)
            && page::is_free(buffer.bytes())
        {
            return buffer;
        }
    }
    loop {
        // Before it was locked, another backend may have found and taken it as a new page, by a map from before a crash or one that a
        // vacuum has just made.
        if let Some(buffer) = index.try_extend()
            && page::is_new(buffer.bytes())
        {
            return buffer;
        }
    }
}

/// Decides where to split a leaf's entries, which are sorted and one too many. A key with many rows grows at its end, so there
/// the left leaf stays full.
///
/// Mostly what moves to the right is logged. If three eighths move instead of a half, the WAL of all splits shrinks by 21 %, and leaves
/// are in the long run 66 % full instead of 69: with a part m moving, the fill of a B-tree with random inserts is the entropy
/// -m ln m - (1 - m) ln (1 - m), and the cost m divided by it.
fn cut(entries: &[Entry], new: Entry) -> usize {
    let one_key = entries.first().map(|entry| entry.key) == entries.last().map(|entry| entry.key);
    if one_key && entries.last() == Some(&new) { entries.len() - 1 } else { entries.len() * 5 / 8 }
}

/// Inserts an entry into a leaf that is full.
fn split_leaf(index: Index, buffer: Buffer, entry: Entry) -> Result<()> {
    let Some(page) = check(index, &buffer)? else {
        return Err(index.corrupted(buffer.block, "it is linked and not in use"));
    };
    let opaque = page.opaque();
    let mut entries = page.ordered();
    entries.insert(entries.partition_point(|other| *other < entry), entry);
    let cut = cut(&entries, entry);
    let (left, right) = entries.split_at(cut);
    let Some(&middle) = left.last() else { return Err(index.corrupted(buffer.block, "it is full and has no entries")) };
    // What belongs to the left page stays at its position, so that the log record is small.
    let (in_place, sorted): (Vec<Entry>, usize) = (page.entries().collect(), page.sorted());
    let shrink = |bytes: &mut [u8], opaque: &PageOpaque| {
        page::retain(bytes, in_place.len(), sorted, |at| in_place[at] <= middle);
        page::set_bounds(bytes, opaque.high, opaque.right);
        if entry <= middle {
            page::append(bytes, entry);
        }
    };
    let write = |bytes: &mut [u8], opaque: &PageOpaque, is_left| {
        page::write_leaf(bytes, opaque, if is_left { left } else { right });
    };
    Split { index, buffer, opaque, middle }.write(shrink, write)
}

/// A page that is being split.
struct Split {
    index: Index,
    buffer: Buffer,
    opaque: PageOpaque,
    /// The greatest position of the left half.
    middle: Entry,
}

impl Split {
    /// Writes both halves and the links to them. The left half is written by shrinking the page, unless that is a root.
    fn write(
        self,
        shrink: impl Fn(&mut [u8], &PageOpaque),
        write: impl Fn(&mut [u8], &PageOpaque, bool),
    ) -> Result<()> {
        let Self { index, buffer, opaque, middle } = self;
        if buffer.block == tree::root(opaque.tree) {
            write_root(index, &buffer, opaque, middle, write);
            return Ok(());
        }
        let right = new_page(index);
        let mut change = GenericWal::begin(index);
        let (left_image, right_image) = (change.edit(&buffer), change.rewrite(&right));
        shrink(change.bytes(left_image), &PageOpaque { high: middle, right: right.block, ..opaque });
        write(change.bytes(right_image), &PageOpaque { low: middle, ..opaque }, false);
        change.finish();
        drop(buffer);
        link(index, opaque, Downlink { low: middle, child: right.block }, right)
    }
}

/// Splits a root: its content moves to two new pages, and it becomes their parent.
fn write_root(
    index: Index,
    root: &Buffer,
    opaque: PageOpaque,
    middle: Entry,
    write: impl Fn(&mut [u8], &PageOpaque, bool),
) {
    let (left, right) = (new_page(index), new_page(index));
    let mut change = GenericWal::begin(index);
    let images = [change.rewrite(&left), change.rewrite(&right), change.rewrite(root)];
    write(change.bytes(images[0]), &PageOpaque { high: middle, right: right.block, ..opaque }, true);
    write(change.bytes(images[1]), &PageOpaque { low: middle, right: NONE, ..opaque }, false);
    let downlinks = [(opaque.low, &left), (middle, &right)].map(|(low, page)| Downlink { low, child: page.block });
    page::write_inner(change.bytes(images[2]), &PageOpaque { level: opaque.level + 1, ..opaque }, &downlinks);
    change.finish();
}

/// Writes the downlink to the right half of a split page, which stays locked until then.
fn link(index: Index, below: PageOpaque, downlink: Downlink, right: Buffer) -> Result<()> {
    let level = below.level + 1;
    let mut buffer = descend_linked(index, &mut Descents::new(index), below.tree, level, downlink.low.next())?;
    let Some(page) = check(index, &buffer)? else {
        return Err(index.corrupted(buffer.block, "it is linked and not in use"));
    };
    let (opaque, end) = (page.opaque(), page.end());
    if page.len() < DOWN_ROOM && page.len() - page.sorted() < DOWN_TAIL {
        let mut bytes = [0; DOWN];
        downlink.write(&mut bytes);
        let mut record = WalRecord::begin(index);
        record.page(&mut buffer)?;
        record.set_pd_lower(end + DOWN)?;
        record.put(end, &bytes)?;
        record.finish();
        drop(right);
        return Ok(());
    }
    let mut downlinks = page.ordered_downlinks();
    downlinks.insert(downlinks.partition_point(|other| other.low < downlink.low), downlink);
    if downlinks.len() <= DOWN_ROOM {
        let mut change = GenericWal::begin(index);
        let image = change.edit(&buffer);
        page::write_inner(change.bytes(image), &opaque, &downlinks);
        change.finish();
        drop(right);
        return Ok(());
    }
    let (first, second) = downlinks.split_at(downlinks.len() / 2);
    let Some(middle) = second.first().map(|downlink| downlink.low) else {
        return Err(index.corrupted(buffer.block, "it is full and has no entries"));
    };
    let split = Split { index, buffer, opaque, middle };
    let shrink = |bytes: &mut [u8], opaque: &PageOpaque| page::write_inner(bytes, opaque, first);
    split.write(shrink, |bytes, opaque, is_left| {
        page::write_inner(bytes, opaque, if is_left { first } else { second });
    })?;
    drop(right);
    Ok(())
}
