//! Creates and changes pages.

use crate::{
    AT, DELETED, DOWN, Downlink, Entry, HEADER, IN_USE, LAYOUT, LEAF, LEAF_ROOM, PAGE_ID, PageOpaque, SIZE, STEP, half,
    put,
};

/// Makes an empty page.
pub(crate) fn blank(bytes: &mut [u8]) {
    bytes.fill(0);
    put(bytes, 12, &(HEADER as u16).to_ne_bytes());
    put(bytes, 14, &(AT as u16).to_ne_bytes());
    put(bytes, 16, &(AT as u16).to_ne_bytes());
    put(bytes, 18, &(SIZE as u16 | LAYOUT).to_ne_bytes());
    put(bytes, SIZE - 2, &PAGE_ID.to_ne_bytes());
}

fn begin(bytes: &mut [u8], opaque: &PageOpaque) {
    blank(bytes);
    put(bytes, AT + 40, &[opaque.tree, IN_USE]);
    put(bytes, AT + 36, &opaque.level.to_ne_bytes());
    let bound = |bytes: &mut [u8], at: usize, bound: Entry| {
        put(bytes, AT + at, &bound.key.to_ne_bytes());
        put(bytes, AT + at + 8, &bound.row.to_ne_bytes());
    };
    bound(bytes, 0, opaque.low);
    bound(bytes, 16, opaque.high);
    put(bytes, AT + 32, &opaque.right.to_ne_bytes());
}

fn finish(bytes: &mut [u8], used: usize, sorted: usize) {
    put(bytes, 12, &((HEADER + used) as u16).to_ne_bytes());
    put(bytes, AT + 38, &(sorted as u16).to_ne_bytes());
}

/// Writes a leaf of sorted entries, at most [`LEAF_ROOM`](crate::LEAF_ROOM).
pub fn write_leaf(bytes: &mut [u8], opaque: &PageOpaque, entries: &[Entry]) {
    write_sorted(bytes, opaque, LEAF, entries, |entry, bytes| entry.write(bytes));
}

/// Writes an inner page of sorted downlinks, at most [`DOWN_ROOM`](crate::DOWN_ROOM).
pub fn write_inner(bytes: &mut [u8], opaque: &PageOpaque, downlinks: &[Downlink]) {
    write_sorted(bytes, opaque, DOWN, downlinks, |downlink, bytes| downlink.write(bytes));
}

/// Writes as many items of this size as fit on a page.
fn write_sorted<T: Copy>(
    bytes: &mut [u8],
    opaque: &PageOpaque,
    size: usize,
    items: &[T],
    write: impl Fn(T, &mut [u8]),
) {
    begin(bytes, opaque);
    let slots = bytes[HEADER..AT].chunks_exact_mut(size);
    let count = slots.zip(items).map(|(slot, &item)| write(item, slot)).count();
    finish(bytes, count * size, count);
}

/// Returns `pd_lower` for a leaf with this number of entries.
pub fn lower_for(entries: usize) -> usize {
    HEADER + entries.next_multiple_of(STEP).min(LEAF_ROOM) * LEAF
}

/// Appends an entry to a leaf that has no free places below `pd_lower`; false if it is full.
pub fn append(bytes: &mut [u8], entry: Entry) -> bool {
    let lower = usize::from(half(bytes, 12));
    if lower < HEADER || lower + LEAF > AT {
        return false;
    }
    entry.write(&mut bytes[lower..lower + LEAF]);
    put(bytes, 12, &((lower + LEAF) as u16).to_ne_bytes());
    true
}

/// Keeps the entries of a checked leaf for which `keep` returns true; the sorted ones stay sorted. What is freed becomes zeros.
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
    bytes[HEADER + to * LEAF..AT].fill(0);
    finish(bytes, to * LEAF, left);
}

/// Sets the upper bound and the right neighbour of a page.
pub fn set_bounds(bytes: &mut [u8], high: Entry, right: u32) {
    put(bytes, AT + 16, &high.key.to_ne_bytes());
    put(bytes, AT + 24, &high.row.to_ne_bytes());
    put(bytes, AT + 32, &right.to_ne_bytes());
}

/// Marks a page as free.
pub fn write_deleted(bytes: &mut [u8]) {
    blank(bytes);
    put(bytes, AT + 41, &[DELETED]);
}
