//! Builds the automaton of a lexicon: a trie of characters, stored level by level, so that the children of a node are adjacent.
//!
//! This file has no dependencies, because the build script also uses it, for the default lexicon. [`construct`] returns the
//! serialised form that `automaton.rs` reads in place; all numbers are little-endian:
//!
//! ```text
//! u32 pages, u32 nodes, u64 total of the frequencies
//! u16 page of every block of 256 characters (0x1100 of them; page 0 is empty)
//! u16 codes of the 256 characters of each page (0: in no word)
//! u32 first child, u32 value of each node, and once more the number of nodes and 0
//! u16 code of the step to each node
//! ```
//!
//! The children of a node end where those of the next node begin, and are sorted by code. The characters that words start with have
//! the lowest codes, so the child of the root (node 0) for code `c` is node `c`. A double array would avoid the search among the
//! children, but takes three times the space (15 MB instead of 5 for the standard words), because nodes with hundreds of children
//! fit into few gaps.

use std::collections::{BTreeMap, BTreeSet};

/// Bits of a value that hold the weight; the others hold the tag's number plus one, so that no word has value 0.
pub const WEIGHT_BITS: u32 = 24;

/// Packs a word's frequency (at least 1) and its tag's number (below 255) into a node value.
pub fn value(frequency: u64, tag: u8) -> u32 {
    value_of_weight(log2(frequency.max(1)), tag)
}

/// Packs a weight (see [`log2`]; below 2^24) and a tag's number into a node value.
pub fn value_of_weight(weight: u32, tag: u8) -> u32 {
    (u32::from(tag) + 1) << WEIGHT_BITS | weight
}

/// Base-2 logarithm of a number of at least 1 in units of 2^-16, rounded down; integers only, so that no platform differs.
pub fn log2(number: u64) -> u32 {
    let whole = number.ilog2();
    // The number as 1.xxx with 63 fraction bits; each squaring yields one bit of the logarithm.
    let mut mantissa = number << (63 - whole);
    let mut bits = whole;
    for _ in 0..16 {
        let square = u128::from(mantissa) * u128::from(mantissa);
        let carry = (square >> 127) as u32;
        mantissa = (square >> (63 + carry)) as u64;
        bits = bits << 1 | carry;
    }
    bits
}

/// Serialises the automaton of some words with their values; of a word given twice the later value counts.
///
/// Returns nothing when the words hold more than 65,535 different characters or need 2^32 nodes.
pub fn construct(words: &[(&str, u32)], total: u64) -> Option<Vec<u8>> {
    let mut words: BTreeMap<&str, u32> = words.iter().copied().collect();
    words.remove("");
    let codes = Codes::of(words.keys())?;
    let mut words: Vec<(Vec<u16>, u32)> =
        words.into_iter().map(|(word, value)| (word.chars().map(|c| codes.code(c)).collect(), value)).collect();
    words.sort_unstable();

    // Per node: the words that pass through it, their common length so far, and the code of the last step.
    let mut nodes = vec![(0..words.len(), 0, 0)];
    let mut fields = Vec::new();
    let mut at = 0;
    while let Some((mut span, depth, _)) = nodes.get(at).cloned() {
        let ending = words.get(span.start).filter(|(word, _)| word.len() == depth && depth > 0);
        fields.extend([u32::try_from(nodes.len()).ok()?, ending.map_or(0, |&(_, value)| value)]);
        span.start += usize::from(ending.is_some());
        while let Some(code) = words[span.clone()].first().map(|(word, _)| word[depth]) {
            let length = words[span.clone()].iter().take_while(|(word, _)| word[depth] == code).count();
            nodes.push((span.start..span.start + length, depth + 1, code));
            span.start += length;
        }
        at += 1;
    }
    let count = u32::try_from(nodes.len()).ok()?;
    fields.extend([count, 0]);

    let mut bytes = Vec::new();
    bytes.extend(u32::try_from(codes.pages.len()).ok()?.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(total.to_le_bytes());
    bytes.extend(codes.index.iter().flat_map(|page| page.to_le_bytes()));
    bytes.extend(codes.pages.iter().flatten().flat_map(|code| code.to_le_bytes()));
    bytes.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
    bytes.extend(nodes.iter().flat_map(|(_, _, code)| code.to_le_bytes()));
    Some(bytes)
}

/// The numbers of the characters, from 1, those that words start with first.
struct Codes {
    index: Vec<u16>,
    pages: Vec<[u16; 256]>,
}

impl Codes {
    fn of<'w>(words: impl Iterator<Item = &'w &'w str> + Clone) -> Option<Self> {
        let starts: BTreeSet<char> = words.clone().filter_map(|word| word.chars().next()).collect();
        let others: BTreeSet<char> = words.flat_map(|word| word.chars()).filter(|c| !starts.contains(c)).collect();
        let mut codes = Self { index: vec![0; 0x1100], pages: vec![[0; 256]] };
        for (number, c) in starts.into_iter().chain(others).enumerate() {
            let page = &mut codes.index[c as usize >> 8];
            if *page == 0 {
                *page = u16::try_from(codes.pages.len()).ok()?;
                codes.pages.push([0; 256]);
            }
            codes.pages[usize::from(*page)][c as usize & 0xff] = u16::try_from(number + 1).ok()?;
        }
        Some(codes)
    }

    fn code(&self, c: char) -> u16 {
        self.pages[usize::from(self.index[c as usize >> 8])][c as usize & 0xff]
    }
}
