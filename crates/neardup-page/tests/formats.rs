//! The golden vectors of pages and keys in `docs/internals/formats.md`, which a second implementation computes, too (`tests/formats`).
#![allow(clippy::unwrap_used, reason = "tests")]

use neardup_page::kind::{SignatureKind, TreeKey, simhash_keys};
use neardup_page::{
    Downlink, Entry, LEAF, Meta, NONE, Page, PageOpaque, SIZE, lower_for, write_deleted, write_inner, write_leaf,
};

/// Returns a vector of the page.
fn golden(name: &str) -> &'static str {
    let page = include_str!("../../../docs/internals/formats.md");
    page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = ")).unwrap()
}

/// Returns the words of eight bytes that are not zero, each after its offset.
fn shown(page: &[u8]) -> String {
    let words = page.chunks(8).enumerate().filter(|(_, word)| word.iter().any(|byte| *byte != 0));
    let hex = |word: &[u8]| word.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    words.map(|(number, word)| format!("{}:{}", 8 * number, hex(word))).collect::<Vec<_>>().join(" ")
}

fn entry(key: u64, block: u64, line: u64) -> Entry {
    Entry { key, row: block << 16 | line }
}

#[test]
#[cfg(target_endian = "little")]
fn pages_are_written_as_stated() {
    let mut page = vec![0; SIZE];
    for (name, kind) in [("sketches", SignatureKind::Sketch), ("SimHashes", SignatureKind::SimHash)] {
        Meta { kind: kind.number() }.write(&mut page);
        assert_eq!(shown(&page), golden(&format!("metapage of {name}")));
        assert_eq!(Meta::check(&page).unwrap().kind, kind.number());
    }

    let whole = PageOpaque { low: Entry::LEAST, high: Entry::GREATEST, right: NONE, level: 0, tree: 0 };
    let mut entries = vec![entry(1, 0, 1), entry(1 << 63, 70_000, 5)];
    write_leaf(&mut page, &whole, &entries);
    assert_eq!(shown(&page), golden("leaf of two entries"));
    let end = Page::check(&page).unwrap().unwrap().end();
    entries.push(entry(3, 2, 7));
    entries[2].write(&mut page[end..end + LEAF]);
    page[12..14].copy_from_slice(&(lower_for(3) as u16).to_le_bytes());
    assert_eq!(shown(&page), golden("the same with a third one appended"));
    assert_eq!(Page::check(&page).unwrap().unwrap().entries().collect::<Vec<_>>(), entries);

    let low = Entry { key: 5, row: 0 };
    let downlinks = [Downlink { low, child: 11 }, Downlink { low: entry(0x0123_4567_89ab_cdef, 1, 2), child: 12 }];
    write_inner(
        &mut page,
        &PageOpaque { low, high: entry(0xffff << 48, 9, 9), right: 8, level: 1, tree: 2 },
        &downlinks,
    );
    assert_eq!(shown(&page), golden("inner page of two downlinks"));
    assert_eq!(Page::check(&page).unwrap().unwrap().downlinks().collect::<Vec<_>>(), downlinks);

    write_deleted(&mut page);
    assert_eq!(shown(&page), golden("deleted page"));
}

#[test]
fn a_simhash_has_the_stated_keys() {
    let shown = |signature| {
        let mut keys: Vec<TreeKey> = Vec::new();
        simhash_keys(signature, &mut keys);
        keys.iter().map(|(tree, key)| format!("{tree}:{key:016x}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown(Some(0x0123_4567_89ab_cdef)), golden("keys of SimHash 0123456789abcdef"));
    assert_eq!(shown(None), golden("keys of no SimHash"));
}
