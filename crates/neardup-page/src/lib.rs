//! The pages of an index: their layout, and functions that read, check and write them as bytes.
//!
//! Block 0 is the metapage, which never changes after the build. The root of tree `t` is always block `1 + t`; when it splits,
//! its content moves to two new pages. All other pages follow.
//!
//! A page consists of Postgres's header, entries of one size up to `pd_lower`, and 48 bytes at its end: the bounds of its
//! entries, the page to its right, its level and its tree. A leaf entry is a key and a row address, 14 bytes. A downlink has 4
//! more, the number of the page below, all of whose entries are greater than the downlink's own. Entries are sorted up to a point;
//! later ones are appended after it, so that a WAL record has only what was added. An inner page is sorted anew when many downlinks
//! have been appended, because every search reads them all.
//!
//! `pd_lower` of a leaf moves up in steps of [`STEP`] entries, so that most inserts need not write it. The free places below it are
//! zeros, which are no entry: line pointers are numbered from 1. The last bytes of an entry, the upper half of the block's number,
//! are zeros in most tables, and then they need not be written, either.
//!
//! A page stores both bounds; the lower one never changes while the page is in use. So a process that follows an outdated link sees
//! that it leads to the wrong page, and starts again. Pages can therefore be reused at once, on replicas as well.
//!
//! This file defines the layout; [`read`] reads a page, [`write`] changes one. [`apply`] changes one as the replay of
//! a WAL record does, and [`kind`] makes the keys of a signature. No byte of a page is trusted: [`Page::check`] checks every count and
//! offset. Nothing here knows Postgres but its page size, so it is tested without a server.

mod fragments;
pub mod kind;
mod meta;
mod read;
mod write;

pub use fragments::{add_fragment, apply};
pub use meta::Meta;
pub use read::{Page, is_free, is_new};
pub use write::{append, lower_for, retain, set_bounds, write_deleted, write_inner, write_leaf};

/// The size of a page, which is Postgres's unless it was configured otherwise.
pub const SIZE: usize = 8192;
/// Bytes of Postgres's page header.
const HEADER: usize = 24;
/// Bytes at the end of a page.
const SPECIAL: usize = 48;
/// The offset of these bytes.
const AT: usize = SIZE - SPECIAL;
/// Postgres's version of the page header.
const LAYOUT: u16 = 4;
/// The last two bytes of each page.
const PAGE_ID: u16 = 0x4ED5;
/// The most levels a tree can have; ten billion entries need four.
const MOST_LEVELS: u16 = 12;

/// The block of the metapage.
pub const META: u32 = 0;
/// No page: the right neighbour of the last page of a level.
pub const NONE: u32 = u32::MAX;

/// Bytes of a leaf entry.
pub const LEAF: usize = 14;
/// Bytes of a downlink.
pub const DOWN: usize = 18;
/// The most entries of a leaf.
pub const LEAF_ROOM: usize = (AT - HEADER) / LEAF;
/// The most downlinks of an inner page.
pub const DOWN_ROOM: usize = (AT - HEADER) / DOWN;
/// By how many entries `pd_lower` of a leaf moves up.
const STEP: usize = 16;
/// The most downlinks of an inner page that are not sorted.
pub const DOWN_TAIL: usize = 32;

const IN_USE: u8 = 1;
const DELETED: u8 = 2;

/// A key and the address of a row that has it: an entry of a leaf, in the order of these fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The key.
    pub key: u64,
    /// The row's block in the upper bits, its line pointer in the lower 16.
    pub row: u64,
}

impl Entry {
    /// Less than every entry.
    pub const LEAST: Self = Self { key: 0, row: 0 };
    /// Greater than every entry.
    pub const GREATEST: Self = Self { key: u64::MAX, row: u64::MAX };

    /// Returns the least entry that a key can have: line pointers are numbered from 1.
    pub fn first_of(key: u64) -> Self {
        Self { key, row: 1 }
    }

    /// Returns the next position. Row addresses have 48 bits, so adding 1 never reaches another key.
    pub fn next(self) -> Self {
        Self { row: self.row.saturating_add(1), ..self }
    }

    /// Says whether it may bound a page: it is an entry, or an end of the whole range.
    fn is_bound(self) -> bool {
        self.row < 1 << 48 || self == Self::GREATEST
    }

    fn read(bytes: &[u8]) -> Self {
        Self { key: long(bytes, 0), row: address(bytes, 8) }
    }

    /// Writes the entry of a leaf.
    pub fn write(self, bytes: &mut [u8]) {
        put(bytes, 0, &self.key.to_ne_bytes());
        let parts = [self.row as u16, (self.row >> 16) as u16, (self.row >> 32) as u16];
        parts.iter().enumerate().for_each(|(i, part)| put(bytes, 8 + 2 * i, &part.to_ne_bytes()));
    }
}

/// A page below, and the position that all its entries are greater than.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Downlink {
    /// The greatest position below its entries.
    pub low: Entry,
    /// The page's block.
    pub child: u32,
}

impl Downlink {
    fn read(bytes: &[u8]) -> Self {
        Self { low: Entry::read(bytes), child: word(bytes, LEAF) }
    }

    /// Writes the entry of an inner page.
    pub fn write(self, bytes: &mut [u8]) {
        self.low.write(bytes);
        put(bytes, LEAF, &self.child.to_ne_bytes());
    }
}

/// The data at the end of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageOpaque {
    /// All entries are greater than this.
    pub low: Entry,
    /// No entry is greater than this.
    pub high: Entry,
    /// The next page of the level, or [`NONE`].
    pub right: u32,
    /// 0 for a leaf.
    pub level: u16,
    /// The tree that it belongs to.
    pub tree: u8,
}

impl PageOpaque {
    /// Says whether a position is within the bounds.
    pub fn holds(&self, position: Entry) -> bool {
        self.low < position && position <= self.high
    }
}

/// A message that says what is wrong with a page.
pub type Fault = &'static str;

fn half(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u16::from_ne_bytes(*b))
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_ne_bytes(*b))
}

#[inline]
fn long(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_ne_bytes(*b))
}

#[inline]
fn address(bytes: &[u8], at: usize) -> u64 {
    u64::from(half(bytes, at)) | u64::from(half(bytes, at + 2)) << 16 | u64::from(half(bytes, at + 4)) << 32
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + value.len()) {
        place.copy_from_slice(value);
    }
}
