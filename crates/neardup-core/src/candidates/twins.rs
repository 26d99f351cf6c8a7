//! Rows with identical texts: each belongs to the first of them, and only that one is compared with other rows. So thousands of
//! reposts cost next to nothing.
//!
//! If only rows of near times meet, a row belongs to the earliest *anchor* near it: a row with no anchor within the window.

use std::collections::BTreeMap;
use std::iter::Peekable;

use neardup_text::interrupt;

use super::row::{Bits, Options, Row, pack, pack_time, unpack, unpack_time};
use crate::spill::{Sorted, Sorter, Storage};

/// The first row with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Twin {
    /// Its position.
    pub position: u32,
    /// The caller's identifier.
    pub id: u64,
    /// Its time.
    pub time: Option<i64>,
}

/// Rows by the hashes of their texts.
#[derive(Debug)]
pub(super) struct Hashed<S> {
    /// Hash; scope, position; time; identifier.
    rows: Sorter<S, 4>,
}

/// The rows that have an earlier twin, in order of position.
#[derive(Debug)]
pub struct Twins<S: Storage> {
    /// Position, and that of the first; its identifier; its time.
    found: Peekable<Sorted<S, 3>>,
    later: Bits,
    first: Bits,
}

impl<S: Storage> Hashed<S> {
    pub(super) fn new(memory: usize) -> Self {
        Self { rows: Sorter::new(memory) }
    }

    pub(super) fn add(&mut self, row: &Row) {
        self.rows.push([row.hash, pack(row.scope, row.position), pack_time(row.time), row.id]);
    }

    pub(super) fn finish(self, options: &Options, memory: usize) -> Twins<S> {
        let mut found = Sorter::new(memory);
        let (mut later, mut first) = (Bits::default(), Bits::default());
        let mut run = Run::default();
        let mut current = None;
        for (count, [hash, place, time, id]) in self.rows.finish().enumerate() {
            if count % 1024 == 0 {
                interrupt::check();
            }
            let (scope, position) = unpack(place);
            if current.replace((hash, scope)) != Some((hash, scope)) {
                run = Run::default();
            }
            let row = Twin { position, id, time: unpack_time(time) };
            if let Some(twin) = run.next(row, options) {
                later.insert(position);
                first.insert(twin.position);
                found.push([pack(position, twin.position), twin.id, pack_time(twin.time)]);
            }
        }
        Twins { found: found.finish().peekable(), later, first }
    }
}

/// The rows with one text so far.
#[derive(Default)]
struct Run {
    /// By time.
    anchors: BTreeMap<i64, Twin>,
    /// The first row that is near all: one without a time or, without a window, any.
    always: Option<Twin>,
}

impl Run {
    /// Takes the next row; gives the one that it belongs to, if it asks.
    fn next(&mut self, row: Twin, options: &Options) -> Option<Twin> {
        let (asks, answers) = (options.asks(row.position), options.answers(row.position));
        let (Some(window), Some(time)) = (options.window, row.time) else {
            let first = self.anchors.values().chain(&self.always).min_by_key(|twin| twin.position).copied();
            if answers && self.always.is_none() && (first.is_none() || !asks) {
                self.always = Some(row);
            }
            return first.filter(|_| asks);
        };
        let range = time.saturating_sub_unsigned(window)..=time.saturating_add_unsigned(window);
        let near = self.anchors.range(range).map(|(_, twin)| twin).chain(&self.always);
        let near = near.min_by_key(|twin| twin.position).copied();
        if answers && (near.is_none() || !asks) {
            self.anchors.entry(time).or_insert(row);
        }
        near.filter(|_| asks)
    }
}

impl<S: Storage> Twins<S> {
    /// Says whether a row has an earlier twin.
    pub(super) fn is_later(&self, position: u32) -> bool {
        self.later.contains(position)
    }

    /// Says whether a row has later twins.
    pub(super) fn is_first(&self, position: u32) -> bool {
        self.first.contains(position)
    }

    /// Gives the position of the next row that has an earlier twin.
    pub(super) fn peek(&mut self) -> Option<u32> {
        self.found.peek().map(|record| unpack(record[0]).0)
    }

    /// Gives the twin of the row at a position, which must not come before that of [`Self::peek`].
    pub(super) fn take(&mut self, position: u32) -> Option<Twin> {
        let [both, id, time] = self.found.next_if(|record| unpack(record[0]).0 == position)?;
        Some(Twin { position: unpack(both).1, id, time: unpack_time(time) })
    }
}
