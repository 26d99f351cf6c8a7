//! The pages of an index: their layout, read and written as bytes, checked before use.
//!
//! Block 0 is the metapage, which never changes after the build. The root of tree `t` is always block `1 + t`; when the root
//! splits, its content moves to two new pages. All other pages come after these.
//!
//! A page has Postgres's header, then entries of one size up to `pd_lower`, and 48 bytes at its end: its bounds, the page to its
//! right, its level and its tree. A leaf entry is a key and a row address, 14 bytes. A downlink has 4 more bytes for the page
//! below; all entries of that page are greater than the downlink's position. The first entries of a leaf are sorted; those after
//! them were inserted later. An insert appends 14 bytes, so its generic WAL record is small.
//!
//! A page stores both its bounds. The lower one never changes while the page is in use. So a reader that comes by an outdated link
//! sees that this is another page and starts again. Therefore pages can be reused at once, also on replicas.
//!
//! Nothing here is unsafe, and no byte of a page is trusted: [`Page::check`] checks every count and offset.

use pgrx::pg_sys;

use crate::pg::storage::pages::SIZE;

/// The bytes of Postgres's page header.
const HEADER: usize = 24;
/// The bytes at the end of a page.
const SPECIAL: usize = 48;
/// Where these bytes begin.
const AT: usize = SIZE - SPECIAL;
/// Postgres's version of the page header.
const LAYOUT: u16 = 4;
/// The value of the last two bytes of each page.
const PAGE_ID: u16 = 0x4ED5;
/// The greatest height of a tree; ten billion entries need four levels.
const MOST_LEVELS: u16 = 12;

/// The block of the metapage.
pub const META: u32 = 0;
/// No page: the right link at the end of a level.
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

/// A key and the address of a row that has it. A leaf has these entries, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The key.
    pub key: u64,
    /// The row's block in the upper bits, its number in the block in the lower 16.
    pub row: u64,
}

impl Entry {
    /// Less than every entry.
    pub const LEAST: Self = Self { key: 0, row: 0 };
    /// Greater than every entry.
    pub const GREATEST: Self = Self { key: u64::MAX, row: u64::MAX };

    /// Gives the first entry that a key can have: rows are numbered from 1.
    pub fn first_of(key: u64) -> Self {
        Self { key, row: 1 }
    }

    /// Gives the next position. Rows have 48 bits, so adding 1 does not reach another key.
    pub fn next(self) -> Self {
        Self { row: self.row.saturating_add(1), ..self }
    }

    /// Says whether it may bound a page: an entry, or an end of the whole range.
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

/// A page below, and the position after which all its entries come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Downlink {
    /// The lower bound: all entries of the page are greater.
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

/// The data at the end of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Lower bound: all entries are greater.
    pub low: Entry,
    /// Upper bound: no entry is greater.
    pub high: Entry,
    /// The next page to the right, or [`NONE`].
    pub right: u32,
    /// 0 for a leaf.
    pub level: u16,
    /// The tree that it belongs to.
    pub tree: u8,
}

impl Frame {
    /// Says whether a position belongs to a page with these bounds.
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

/// A page that has been checked.
#[derive(Clone, Copy)]
pub struct Page<'p> {
    bytes: &'p [u8],
    frame: Frame,
    count: usize,
    sorted: usize,
}

impl<'p> Page<'p> {
    /// Checks a page of a tree; `None` for a page that is not in use.
    pub fn check(bytes: &'p [u8]) -> Result<Option<Self>, Fault> {
        if is_new(bytes) {
            return Ok(None);
        }
        check_header(bytes)?;
        match bytes[AT + 41] {
            IN_USE => {}
            DELETED => return Ok(None),
            _ => return Err("its state is unknown"),
        }
        let bound = |at| Entry { key: long(bytes, AT + at), row: long(bytes, AT + at + 8) };
        let frame = Frame {
            low: bound(0),
            high: bound(16),
            right: word(bytes, AT + 32),
            level: half(bytes, AT + 36),
            tree: bytes[AT + 40],
        };
        if frame.level > MOST_LEVELS {
            return Err("its level is out of range");
        }
        if frame.low >= frame.high
            || !frame.low.is_bound()
            || !frame.high.is_bound()
            || (frame.right == NONE) != (frame.high == Entry::GREATEST)
        {
            return Err("its bounds contradict each other");
        }
        let used = usize::from(half(bytes, 12)) - HEADER;
        let size = if frame.level == 0 { LEAF } else { DOWN };
        if !used.is_multiple_of(size) {
            return Err("its entries do not end where they should");
        }
        let (count, sorted) = (used / size, usize::from(half(bytes, AT + 38)));
        if sorted > count || (frame.level > 0 && (sorted < count || count == 0)) {
            return Err("it has another number of entries than it says");
        }
        Ok(Some(Self { bytes, frame, count, sorted }))
    }

    /// Gives the data at its end.
    pub fn frame(&self) -> Frame {
        self.frame
    }

    /// Gives the number of its entries.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Gives the number of a leaf's entries that are sorted.
    pub fn sorted(&self) -> usize {
        self.sorted
    }

    fn items(&self) -> &'p [u8] {
        let size = if self.frame.level == 0 { LEAF } else { DOWN };
        &self.bytes[HEADER..HEADER + self.count * size]
    }

    /// Gives the entries of a leaf, in the order in which they are stored.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Entry> + 'p {
        self.items().chunks_exact(LEAF).map(Entry::read)
    }

    /// Gives the downlinks of an inner page.
    pub fn downlinks(&self) -> impl ExactSizeIterator<Item = Downlink> + 'p {
        self.items().chunks_exact(DOWN).map(Downlink::read)
    }

    /// Gives the entries of a leaf with keys from `first` to `last`, in no particular order.
    pub fn between(&self, first: u64, last: u64) -> impl Iterator<Item = Entry> + 'p {
        let (sorted, tail) = self.items().split_at(self.sorted * LEAF);
        let begin = partition(self.sorted, self.guess(self.sorted, first), |i| long(sorted, i * LEAF) < first);
        let sorted = sorted[begin * LEAF..].chunks_exact(LEAF).map(Entry::read).take_while(move |e| e.key <= last);
        let tail = tail.chunks_exact(LEAF).filter(move |entry| (first..=last).contains(&long(entry, 0)));
        sorted.chain(tail.map(Entry::read))
    }

    /// Estimates the index of a key among so many sorted ones: keys are hashes, so they are uniformly distributed between the
    /// bounds.
    fn guess(&self, count: usize, key: u64) -> usize {
        let Frame { low, high, .. } = self.frame;
        let part = key.saturating_sub(low.key) as f64 / high.key.abs_diff(low.key) as f64;
        (part * count as f64) as usize
    }

    /// Gives the index of the downlink that leads to a position.
    pub fn downlink_to(&self, position: Entry) -> usize {
        let items = self.items();
        // The first downlink leads to everything before the second.
        let guess = self.guess(self.count, position.key);
        partition(self.count, guess, |i| Entry::read(&items[i * DOWN..]) < position).saturating_sub(1)
    }

    /// Gives the downlink at an index.
    pub fn downlink(&self, at: usize) -> Option<Downlink> {
        self.items().chunks_exact(DOWN).nth(at).map(Downlink::read)
    }

    /// Gives the entries of a leaf in sorted order.
    pub fn ordered(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.entries().collect();
        if self.sorted < self.count {
            entries.sort_unstable();
        }
        entries
    }
}

/// Gives the first of `count` indexes for which `is_before` is false. The search begins at a guess and moves away from it in
/// steps that double, because each jump fetches a cache line from memory.
fn partition(count: usize, guess: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    let (mut at, mut step) = (guess, NEAR);
    while low < high {
        at = at.clamp(low, high - 1);
        let goes_up = is_before(at);
        if goes_up {
            low = at + 1;
        } else {
            high = at;
        }
        at = match goes_up {
            _ if low > 0 && high < count => usize::midpoint(low, high),
            true => at.saturating_add(step),
            false => at.saturating_sub(step),
        };
        step = step.saturating_mul(2);
    }
    low
}

/// How far a guess usually is from the right index, among 400 uniformly distributed keys.
const NEAR: usize = 8;

/// Says whether a page has never been written, for example because the server went down while adding it.
pub fn is_new(bytes: &[u8]) -> bool {
    half(bytes, 14) == 0
}

/// Says whether a page may be reused.
pub fn is_free(bytes: &[u8]) -> bool {
    is_new(bytes) || (check_header(bytes).is_ok() && bytes[AT + 41] == DELETED)
}

fn check_header(bytes: &[u8]) -> Result<(), Fault> {
    let (lower, upper, special) = (half(bytes, 12), half(bytes, 14), half(bytes, 16));
    if bytes.len() != SIZE || half(bytes, SIZE - 2) != PAGE_ID || usize::from(special) != AT {
        return Err("it is no page of this kind of index");
    }
    if usize::from(lower) < HEADER || lower > upper || upper != special {
        return Err("its header contradicts itself");
    }
    Ok(())
}

fn blank(bytes: &mut [u8]) {
    bytes.fill(0);
    put(bytes, 12, &(HEADER as u16).to_ne_bytes());
    put(bytes, 14, &(AT as u16).to_ne_bytes());
    put(bytes, 16, &(AT as u16).to_ne_bytes());
    put(bytes, 18, &(SIZE as u16 | LAYOUT).to_ne_bytes());
    put(bytes, SIZE - 2, &PAGE_ID.to_ne_bytes());
}

fn begin(bytes: &mut [u8], frame: &Frame) {
    blank(bytes);
    put(bytes, AT + 40, &[frame.tree, IN_USE]);
    put(bytes, AT + 36, &frame.level.to_ne_bytes());
    let bound = |bytes: &mut [u8], at: usize, bound: Entry| {
        put(bytes, AT + at, &bound.key.to_ne_bytes());
        put(bytes, AT + at + 8, &bound.row.to_ne_bytes());
    };
    bound(bytes, 0, frame.low);
    bound(bytes, 16, frame.high);
    put(bytes, AT + 32, &frame.right.to_ne_bytes());
}

fn finish(bytes: &mut [u8], used: usize, sorted: usize) {
    put(bytes, 12, &((HEADER + used) as u16).to_ne_bytes());
    put(bytes, AT + 38, &(sorted as u16).to_ne_bytes());
}

/// Writes a leaf of entries that are sorted; no more than [`LEAF_ROOM`].
pub fn write_leaf(bytes: &mut [u8], frame: &Frame, entries: &[Entry]) {
    begin(bytes, frame);
    let places = bytes[HEADER..AT].chunks_exact_mut(LEAF);
    places.zip(entries).for_each(|(place, entry)| entry.write(place));
    let count = entries.len().min(LEAF_ROOM);
    finish(bytes, count * LEAF, count);
}

/// Writes an inner page of downlinks in their order; no more than [`DOWN_ROOM`].
pub fn write_inner(bytes: &mut [u8], frame: &Frame, downlinks: &[Downlink]) {
    begin(bytes, frame);
    let places = bytes[HEADER..AT].chunks_exact_mut(DOWN);
    places.zip(downlinks).for_each(|(place, downlink)| downlink.write(place));
    let count = downlinks.len().min(DOWN_ROOM);
    finish(bytes, count * DOWN, count);
}

/// Appends an entry to a checked leaf; false if it is full.
pub fn append(bytes: &mut [u8], entry: Entry) -> bool {
    let lower = usize::from(half(bytes, 12));
    if lower < HEADER || lower + LEAF > AT {
        return false;
    }
    entry.write(&mut bytes[lower..lower + LEAF]);
    put(bytes, 12, &((lower + LEAF) as u16).to_ne_bytes());
    true
}

/// Keeps those entries of a checked leaf for which `keep` is true; the sorted ones stay sorted.
pub fn retain(bytes: &mut [u8], page_len: usize, sorted: usize, mut keep: impl FnMut(usize) -> bool) {
    let (mut to, mut left) = (0, 0);
    for from in 0..page_len.min(LEAF_ROOM) {
        if !keep(from) {
            continue;
        }
        if to < from {
            bytes.copy_within(HEADER + from * LEAF..HEADER + (from + 1) * LEAF, HEADER + to * LEAF);
        }
        left += usize::from(from < sorted);
        to += 1;
    }
    finish(bytes, to * LEAF, left);
}

/// Gives a page other bounds and another right neighbour.
pub fn reframe(bytes: &mut [u8], high: Entry, right: u32) {
    put(bytes, AT + 16, &high.key.to_ne_bytes());
    put(bytes, AT + 24, &high.row.to_ne_bytes());
    put(bytes, AT + 32, &right.to_ne_bytes());
}

/// Marks a page as free.
pub fn write_deleted(bytes: &mut [u8]) {
    blank(bytes);
    put(bytes, AT + 41, &[DELETED]);
}

/// The content of the metapage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The number of the kind of signature ([`super::kind::Kind`]).
    pub kind: u8,
}

/// The first bytes of the metapage.
const MAGIC: u32 = 0x6E64_7570;
/// The version of everything in this file.
const VERSION: u32 = 1;

impl Meta {
    /// Reads the metapage.
    pub fn check(bytes: &[u8]) -> Result<Self, Fault> {
        check_header(bytes)?;
        if word(bytes, HEADER) != MAGIC {
            return Err("it is no metapage");
        }
        match word(bytes, HEADER + 4) {
            VERSION => Ok(Self { kind: bytes[HEADER + 8] }),
            _ => Err("it was written by another version"),
        }
    }

    /// Writes the metapage.
    pub fn write(self, bytes: &mut [u8]) {
        blank(bytes);
        put(bytes, HEADER, &MAGIC.to_ne_bytes());
        put(bytes, HEADER + 4, &VERSION.to_ne_bytes());
        put(bytes, HEADER + 8, &[self.kind]);
        put(bytes, 12, &((HEADER + 16) as u16).to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_does_not_depend_on_the_guess() {
        for count in 0..70 {
            for place in 0..=count {
                for guess in (0..=count + 1).chain([usize::MAX]) {
                    assert_eq!(partition(count, guess, |i| i < place), place, "{count} {guess}");
                }
            }
        }
    }
}
