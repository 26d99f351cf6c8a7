//! The pages of an index: what lies where, read and written as bytes, checked before use.
//!
//! Block 0 is the metapage, which never changes after the build. The root of tree `t` is block `1 + t` for ever; when it splits, its
//! content moves to two new pages. All other pages come after these.
//!
//! A page has Postgres's header, entries of one size from there to `pd_lower`, and 48 bytes at its end: the bounds of what it may
//! hold, the page to its right, its level and tree. A leaf entry is a key and a row address, 14 bytes; a downlink has 4 more for the
//! page below, all of whose entries are greater than the downlink's position. Entries of a leaf are sorted up to a point; those behind
//! came later. An insert appends 14 bytes, so the generic WAL record is as small.
//!
//! Both bounds stand on the page, the lower one too, which never changes while the page is in use. So whoever comes to a page by a link
//! that has gone out of date sees that it is another one, and begins again; pages can be reused at once, on replicas as well.
//!
//! Here is the layout; [`read`] reads a page, [`write`] changes one. Nothing is unsafe, and no byte of a page is trusted:
//! [`Page::check`] puts every count and offset to the test.

mod meta;
mod read;
mod write;

pub use meta::Meta;
pub use read::{Page, is_free, is_new};
pub use write::{append, reframe, retain, write_deleted, write_inner, write_leaf};

use pgrx::pg_sys;

use crate::pg::storage::pages::SIZE;

/// The bytes of Postgres's page header.
const HEADER: usize = 24;
/// The bytes at the end of a page.
const SPECIAL: usize = 48;
/// Where they begin.
const AT: usize = SIZE - SPECIAL;
/// Postgres's version of the page header.
const LAYOUT: u16 = 4;
/// What the last two bytes of each page say.
const PAGE_ID: u16 = 0x4ED5;
/// How high a tree can be; ten billion entries need four levels.
const MOST_LEVELS: u16 = 12;

/// The block of the metapage.
pub const META: u32 = 0;
/// No page: the right end of a level.
pub const NONE: u32 = pg_sys::InvalidBlockNumber;

/// The bytes of a leaf entry.
pub const LEAF: usize = 14;
/// The bytes of a downlink.
pub const DOWN: usize = 18;
/// How many entries fit a leaf.
pub const LEAF_ROOM: usize = (AT - HEADER) / LEAF;
/// How many downlinks fit an inner page.
pub const DOWN_ROOM: usize = (AT - HEADER) / DOWN;

const IN_USE: u8 = 1;
const DELETED: u8 = 2;

/// A key and the address of a row that has it: what a leaf holds, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The key.
    pub key: u64,
    /// The row's block in the upper bits, its number there in the lower 16.
    pub row: u64,
}

impl Entry {
    /// Less than every entry.
    pub const LEAST: Self = Self { key: 0, row: 0 };
    /// Greater than every entry.
    pub const GREATEST: Self = Self { key: u64::MAX, row: u64::MAX };

    /// The first entry that a key could have: rows are numbered from 1.
    pub fn first_of(key: u64) -> Self {
        Self { key, row: 1 }
    }

    /// The next position: rows have 48 bits, so the next number is not one of another key.
    pub fn next(self) -> Self {
        Self { row: self.row.saturating_add(1), ..self }
    }

    /// Whether it may bound a page: an entry, or an end of the whole range.
    fn is_bound(self) -> bool {
        self.row < 1 << 48 || self == Self::GREATEST
    }

    fn read(bytes: &[u8]) -> Self {
        Self { key: long(bytes, 0), row: address(bytes, 8) }
    }

    fn write(self, bytes: &mut [u8]) {
        put(bytes, 0, &self.key.to_ne_bytes());
        let parts = [(self.row >> 32) as u16, (self.row >> 16) as u16, self.row as u16];
        parts.iter().enumerate().for_each(|(i, part)| put(bytes, 8 + 2 * i, &part.to_ne_bytes()));
    }
}

/// A page below, and the position that all its entries come after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Downlink {
    /// The greatest entry that cannot be there.
    pub low: Entry,
    /// The page.
    pub child: u32,
}

impl Downlink {
    fn read(bytes: &[u8]) -> Self {
        Self { low: Entry::read(bytes), child: word(bytes, LEAF) }
    }

    fn write(self, bytes: &mut [u8]) {
        self.low.write(bytes);
        put(bytes, LEAF, &self.child.to_ne_bytes());
    }
}

/// What the end of a page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// All entries are greater.
    pub low: Entry,
    /// No entry is greater.
    pub high: Entry,
    /// The page that goes on from there, or [`NONE`].
    pub right: u32,
    /// 0 for a leaf.
    pub level: u16,
    /// The tree that it belongs to.
    pub tree: u8,
}

impl Frame {
    /// Whether a position is among those that a page with these bounds holds.
    pub fn holds(&self, position: Entry) -> bool {
        self.low < position && position <= self.high
    }
}

/// What is wrong with a page.
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
    u64::from(half(bytes, at)) << 32 | u64::from(half(bytes, at + 2)) << 16 | u64::from(half(bytes, at + 4))
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + value.len()) {
        place.copy_from_slice(value);
    }
}
