//! Pages and fragments against what a naive reader, and Postgres's replay, make of them.
#![allow(unsafe_code, clippy::unwrap_used, reason = "calls what writes a page by its address; a test")]

use neardup_page::{
    DOWN, Downlink, Entry, LEAF, LEAF_ROOM, Meta, NONE, Page, PageOpaque, SIZE, add_fragment, append, apply, lower_for,
    write_inner, write_leaf,
};
use proptest::prelude::*;

/// The offsets of `pd_lower` and `pd_upper`.
const LOWER: usize = 12;
const UPPER: usize = 14;

fn half(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_ne_bytes([bytes[at], bytes[at + 1]]))
}

fn put_half(bytes: &mut [u8], at: usize, value: usize) {
    bytes[at..at + 2].copy_from_slice(&(value as u16).to_ne_bytes());
}

fn entry(number: usize) -> Entry {
    Entry { key: (number as u64 * 7919) % 1009, row: number as u64 + 1 }
}

fn opaque(level: u16) -> PageOpaque {
    PageOpaque { low: Entry::LEAST, high: Entry::GREATEST, right: NONE, level, tree: 0 }
}

#[test]
fn free_places_are_no_entries() {
    for sorted in [0, 1, 15, 16, 17, 300, LEAF_ROOM - 20] {
        let mut entries: Vec<Entry> = (0..sorted).map(entry).collect();
        entries.sort_unstable();
        let mut bytes = vec![0; SIZE];
        write_leaf(&mut bytes, &opaque(0), &entries);
        for number in sorted..(sorted + 40).min(LEAF_ROOM) {
            let page = Page::check(&bytes).ok().flatten();
            assert_eq!(page.map(|page| page.entries().collect()), Some(entries.clone()));
            let end = page.map_or(0, |page| page.end());
            let lower = lower_for(entries.len() + 1).max(half(&bytes, LOWER));
            put_half(&mut bytes, LOWER, lower);
            entry(number).write(&mut bytes[end..end + LEAF]);
            entries.push(entry(number));
            assert!(lower >= end + LEAF);
        }
    }
}

#[test]
fn downlinks_of_the_tail_are_found() {
    for (sorted, tail) in [(1, 0), (1, 5), (40, 0), (40, 16), (300, 16)] {
        let downlink = |number: usize| Downlink {
            low: if number == 0 { Entry::LEAST } else { entry(number) },
            child: number as u32,
        };
        let mut downlinks: Vec<Downlink> = (0..sorted).map(downlink).collect();
        downlinks.sort_unstable_by_key(|downlink| downlink.low);
        let mut bytes = vec![0; SIZE];
        write_inner(&mut bytes, &opaque(1), &downlinks);
        for number in sorted..sorted + tail {
            let end = half(&bytes, LOWER);
            downlink(number).write(&mut bytes[end..end + DOWN]);
            put_half(&mut bytes, LOWER, end + DOWN);
            downlinks.push(downlink(number));
        }
        let page = Page::check(&bytes).ok().flatten();
        for key in 0..1010 {
            let position = Entry { key, row: 3 };
            let best = downlinks.iter().filter(|downlink| downlink.low < position).max_by_key(|d| d.low);
            assert_eq!(page.and_then(|page| page.downlink_to(position)), best.copied(), "{sorted} {tail} {key}");
        }
    }
}

/// What `generic_redo` (access/transam/generic_xlog.c) does, as its source says.
fn replay(page: &mut [u8], mut fragments: &[u8]) {
    while !fragments.is_empty() {
        let (at, length) = (half(fragments, 0), half(fragments, 2));
        page[at..at + length].copy_from_slice(&fragments[4..4 + length]);
        fragments = &fragments[4 + length..];
    }
    let hole = half(page, LOWER)..half(page, UPPER);
    page[hole].fill(0);
}

#[test]
fn a_page_changed_in_place_equals_the_replayed_one() {
    let (before, upper) = (1000, 8144);
    for (lower, puts) in [
        (1000, vec![(24, 14), (986, 14), (8160, 8)]),
        (1224, vec![(1000, 14)]),
        (1224, vec![(1000, 224)]),
        (8144, vec![(1000, 7144)]),
    ] {
        let mut ours: Vec<u8> = (0..SIZE).map(|at| (at * 31 % 251) as u8).collect();
        put_half(&mut ours, LOWER, before);
        put_half(&mut ours, UPPER, upper);
        ours[before..upper].fill(0);
        let mut theirs = ours.clone();
        // Even if a build without WAL has left something in it.
        ours[before..lower].fill(7);
        let mut fragments = Vec::new();
        add_fragment(&mut fragments, LOWER, &(lower as u16).to_ne_bytes());
        for (at, length) in puts {
            add_fragment(&mut fragments, at, &vec![at as u8; length]);
        }
        replay(&mut theirs, &fragments);
        // SAFETY: the page and the fragments are ours, and the fragments are within the page.
        unsafe { apply(ours.as_mut_ptr(), (before, lower), fragments.as_ptr(), fragments.len()) };
        assert_eq!(ours, theirs);
    }
}

proptest! {
    /// The entries of a key are those of a range of one key, which a naive reader gives, whether they are sorted or appended.
    #[test]
    fn the_entries_of_a_key_are_found(
        keys in prop::collection::vec(prop_oneof![0_u64..30, any::<u64>()], 0..LEAF_ROOM),
        sorted in 0..LEAF_ROOM,
        asked in prop::collection::vec(0_u64..31, 1..9),
    ) {
        let mut entries: Vec<Entry> = (1..).zip(&keys).map(|(row, key)| Entry { key: *key, row }).collect();
        let sorted = sorted.min(entries.len());
        entries[..sorted].sort_unstable();
        let mut bytes = vec![0; SIZE];
        write_leaf(&mut bytes, &opaque(0), &entries[..sorted]);
        for entry in &entries[sorted..] {
            append(&mut bytes, *entry);
        }
        let page = Page::check(&bytes).ok().flatten().unwrap();
        for key in asked.into_iter().chain(keys.iter().copied().take(9)) {
            let mut found = Vec::new();
            page.with_key(key, |entry| found.push(entry));
            prop_assert_eq!(&found, &entries.iter().copied().filter(|entry| entry.key == key).collect::<Vec<_>>());
            prop_assert_eq!(found, page.between(key, key).collect::<Vec<_>>());
        }
    }

    /// Whatever has happened to a page: it is refused, or all that is read of it ends.
    #[test]
    fn a_damaged_page_does_no_harm(
        level in 0_u16..2,
        count in 1_usize..400,
        damage in prop::collection::vec((0..SIZE, any::<u8>()), 0..40),
    ) {
        let mut bytes = vec![0; SIZE];
        let mut entries: Vec<Entry> = (0..count).map(entry).collect();
        entries.sort_unstable();
        if level == 0 {
            write_leaf(&mut bytes, &opaque(0), &entries);
        } else {
            let below: Vec<Downlink> = (0..).zip(entries).map(|(child, low)| Downlink { low, child }).collect();
            write_inner(&mut bytes, &opaque(1), &below);
        }
        for (at, byte) in damage {
            // Half of the damage is where it counts: the header, and what is at the end of a page.
            let at = if byte % 2 == 0 { at } else { (at % 72 + SIZE - 48) % SIZE };
            bytes[at] = byte;
        }
        if let Ok(Some(page)) = Page::check(&bytes) {
            if page.opaque().level == 0 {
                prop_assert_eq!(page.entries().count(), page.ordered().len());
                prop_assert!(page.between(0, u64::MAX).count() <= LEAF_ROOM);
                let mut found = 0;
                page.with_key(entry(7).key, |_| found += 1);
                prop_assert!(found <= LEAF_ROOM);
            } else {
                prop_assert_eq!(page.downlinks().count(), page.ordered_downlinks().len());
                page.downlink_to(entry(7));
            }
        }
        let _ = Meta::check(&bytes);
    }
}
