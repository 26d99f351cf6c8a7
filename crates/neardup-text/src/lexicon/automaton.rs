//! Reads the automaton of a lexicon in place: in the program's read-only data, or in memory.

use std::borrow::Cow;
use std::fmt;

use super::construct::WEIGHT_BITS;

/// What a lexicon knows about a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(u32);

impl Entry {
    /// Base-2 logarithm of the word's frequency, in units of 2^-16.
    pub fn weight(self) -> u32 {
        self.0 & ((1 << WEIGHT_BITS) - 1)
    }

    /// Number of its part of speech in the lexicon's list.
    pub(super) fn tag(self) -> usize {
        ((self.0 >> WEIGHT_BITS) as usize).saturating_sub(1)
    }
}

/// A serialised automaton (see `construct.rs` for the form).
#[derive(Clone)]
pub(super) struct Automaton(Cow<'static, [u8]>);

impl fmt::Debug for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Automaton({} bytes)", self.size())
    }
}

/// The parts of an automaton, borrowed for a walk.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    index: &'a [[u8; 2]],
    pages: &'a [[u8; 512]],
    /// First child and value of each node.
    nodes: &'a [[u8; 8]],
    /// Code of the step to each node.
    codes: &'a [[u8; 2]],
    /// Sum of all frequencies.
    pub(super) total: u64,
}

/// The state before the first character.
pub(super) const ROOT: u32 = 0;

const HEADER: usize = 16;
const INDEX: usize = 0x1100;

impl Automaton {
    pub(super) const fn from_static(bytes: &'static [u8]) -> Self {
        Self(Cow::Borrowed(bytes))
    }

    pub(super) const fn from_vec(bytes: Vec<u8>) -> Self {
        Self(Cow::Owned(bytes))
    }

    /// Bytes that are no automaton give one without words.
    pub(super) fn view(&self) -> View<'_> {
        View::of(&self.0).unwrap_or(View { index: &[], pages: &[], nodes: &[], codes: &[], total: 0 })
    }

    pub(super) fn size(&self) -> usize {
        self.0.len()
    }
}

impl<'a> View<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let (header, rest) = bytes.split_at_checked(HEADER)?;
        let (index, rest) = rest.split_at_checked(2 * INDEX)?;
        let count = |at: usize| Some(u32::from_le_bytes(*header.get(at..)?.first_chunk()?) as usize);
        let (pages, rest) = rest.split_at_checked(512 * count(0)?)?;
        let (nodes, codes) = rest.split_at_checked(8 * (count(4)? + 1))?;
        Some(Self {
            index: index.as_chunks().0,
            pages: pages.as_chunks().0,
            nodes: nodes.as_chunks().0,
            codes: codes.as_chunks().0,
            total: u64::from_le_bytes(*header.last_chunk()?),
        })
    }

    #[inline]
    fn code(&self, c: char) -> u32 {
        let Some(page) = self.index.get(c as usize >> 8) else { return 0 };
        let Some(page) = self.pages.get(usize::from(u16::from_le_bytes(*page))) else { return 0 };
        let at = 2 * (c as usize & 0xff);
        u32::from(u16::from_le_bytes([page[at], page[at + 1]]))
    }

    /// The state after one more character, if any word goes on with it.
    #[inline]
    pub(super) fn step(&self, state: u32, c: char) -> Option<u32> {
        let code = self.code(c);
        let first = field(self.nodes.get(state as usize)?, 0);
        let end = field(self.nodes.get(state as usize + 1)?, 0);
        if state == ROOT {
            return (ROOT < code && code < end).then_some(code);
        }
        let children = self.codes.get(first as usize..end as usize)?;
        let at = children.partition_point(|&child| u32::from(u16::from_le_bytes(child)) < code);
        let found = u32::from(u16::from_le_bytes(*children.get(at)?)) == code;
        (found && code != 0).then_some(first + at as u32)
    }

    /// Tells whether any word goes on after this state.
    #[inline]
    pub(super) fn goes_on(&self, state: u32) -> bool {
        let first = |node: usize| self.nodes.get(node).map(|node| field(node, 0));
        first(state as usize) < first(state as usize + 1)
    }

    /// The entry of the word that ends in this state.
    #[inline]
    pub(super) fn entry(&self, state: u32) -> Option<Entry> {
        let value = field(self.nodes.get(state as usize)?, 1);
        (value != 0).then_some(Entry(value))
    }
}

#[inline]
fn field(node: &[u8; 8], number: usize) -> u32 {
    let at = 4 * number;
    u32::from_le_bytes([node[at], node[at + 1], node[at + 2], node[at + 3]])
}
