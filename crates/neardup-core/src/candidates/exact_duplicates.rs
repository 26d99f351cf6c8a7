//! Rows with identical texts: each belongs to the first of them, and only that one is compared with other rows. So thousands of
//! reposts cost next to nothing.
//!
//! If only rows of near times meet, a row belongs to the earliest *anchor* near it: a row with no anchor within the window.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::RangeInclusive;

use neardup_text::interrupt;

use super::row::{Bits, Options, Row, pack, pack_time, unpack, unpack_time};
use super::spill::{Sorted, Sorter, Storage};

/// The first row with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactDuplicate {
    /// The position in the order of preference.
    pub position: u32,
    /// The caller's identifier.
    pub id: u64,
    /// The time, in the unit of the rule's window; `None` if the row has none.
    pub time: Option<i64>,
}

/// Rows by the hashes of their texts.
#[derive(Debug)]
pub(super) struct Hashed<S> {
    /// Hash; scope, position; time; identifier.
    rows: Sorter<S, 4>,
}

/// The rows that have an earlier exact duplicate, in order of position.
#[derive(Debug)]
pub struct ExactDuplicates<S: Storage> {
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

    pub(super) fn finish(self, options: &Options, memory: usize) -> ExactDuplicates<S> {
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
            let row = ExactDuplicate { position, id, time: unpack_time(time) };
            if let Some(exact_duplicate) = run.next(row, options) {
                later.insert(position);
                first.insert(exact_duplicate.position);
                found.push([
                    pack(position, exact_duplicate.position),
                    exact_duplicate.id,
                    pack_time(exact_duplicate.time),
                ]);
            }
        }
        ExactDuplicates { found: found.finish().peekable(), later, first }
    }
}

/// The rows with one text so far, in order of position.
#[derive(Default)]
struct Run {
    /// The first indexed row.
    first: Option<ExactDuplicate>,
    /// Those that are indexed only; they come before all probe rows.
    old: Vec<ExactDuplicate>,
    /// The same, once a row has asked.
    settled: Option<Settled>,
    /// By time: anchors among the probe rows, so only a few are near one time.
    anchors: BTreeMap<i64, ExactDuplicate>,
    /// The first row that is near all: one without a time or, without a window, any.
    always: Option<ExactDuplicate>,
}

impl Run {
    /// Takes the next row; returns the one that it belongs to, if it is a probe row.
    fn next(&mut self, row: ExactDuplicate, options: &Options) -> Option<ExactDuplicate> {
        let (is_probe, is_indexed) = (options.is_probe(row.position), options.is_indexed(row.position));
        let near = if is_probe { self.near(row, options) } else { None };
        if is_indexed && near.is_none() {
            self.first = self.first.or(Some(row));
            match row.time.filter(|_| options.window.is_some()) {
                None => self.always = self.always.or(Some(row)),
                Some(time) if is_probe => _ = self.anchors.entry(time).or_insert(row),
                Some(_) => self.old.push(row),
            }
        }
        near
    }

    /// Returns the first row near a probe row.
    fn near(&mut self, row: ExactDuplicate, options: &Options) -> Option<ExactDuplicate> {
        let (Some(window), Some(time)) = (options.window, row.time) else { return self.first };
        let range = time.saturating_sub_unsigned(window)..=time.saturating_add_unsigned(window);
        let old = self.settled.get_or_insert_with(|| Settled::new(std::mem::take(&mut self.old)));
        let old = old.first_within(&range);
        let near = self.anchors.range(range).map(|(_, exact_duplicate)| *exact_duplicate);
        near.chain(self.always).chain(old).min_by_key(|exact_duplicate| exact_duplicate.position)
    }
}

/// Rows by time, to find the one with the least position within a range of times: a tree, because there may be very many.
struct Settled {
    rows: Vec<ExactDuplicate>,
    /// Where in `rows` the least position is: from the middle on for each row, before that for the two below it.
    tree: Vec<u32>,
}

impl Settled {
    fn new(mut rows: Vec<ExactDuplicate>) -> Self {
        rows.sort_unstable_by_key(|exact_duplicate| (exact_duplicate.time, exact_duplicate.position));
        let count = rows.len() as u32;
        let mut tree: Vec<u32> = (0..count).chain(0..count).collect();
        for at in (1..rows.len()).rev() {
            tree[at] = Self::first(&rows, tree[2 * at], tree[2 * at + 1]);
        }
        Self { rows, tree }
    }

    fn first(rows: &[ExactDuplicate], a: u32, b: u32) -> u32 {
        if rows[a as usize].position < rows[b as usize].position { a } else { b }
    }

    fn first_within(&self, range: &RangeInclusive<i64>) -> Option<ExactDuplicate> {
        let count = self.rows.len();
        let mut low = count + self.rows.partition_point(|exact_duplicate| exact_duplicate.time < Some(*range.start()));
        let mut high = count + self.rows.partition_point(|exact_duplicate| exact_duplicate.time <= Some(*range.end()));
        let mut found: Option<u32> = None;
        while low < high {
            if low % 2 == 1 {
                found = Some(found.map_or(self.tree[low], |other| Self::first(&self.rows, other, self.tree[low])));
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                found = Some(found.map_or(self.tree[high], |other| Self::first(&self.rows, other, self.tree[high])));
            }
            (low, high) = (low / 2, high / 2);
        }
        found.map(|at| self.rows[at as usize])
    }
}

impl<S: Storage> ExactDuplicates<S> {
    /// Says whether a row has an earlier exact duplicate.
    pub(super) fn is_later(&self, position: u32) -> bool {
        self.later.contains(position)
    }

    /// Says whether a row has later exact duplicates.
    pub(super) fn is_first(&self, position: u32) -> bool {
        self.first.contains(position)
    }

    /// Returns the position of the next row that has an earlier exact duplicate.
    pub(super) fn peek(&mut self) -> Option<u32> {
        self.found.peek().map(|record| unpack(record[0]).0)
    }

    /// Returns the exact duplicate of the row at a position, which must not come before that of [`Self::peek`].
    pub(super) fn take(&mut self, position: u32) -> Option<ExactDuplicate> {
        let [both, id, time] = self.found.next_if(|record| unpack(record[0]).0 == position)?;
        Some(ExactDuplicate { position: unpack(both).1, id, time: unpack_time(time) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::candidates::CandidateRule;

    /// Goes through all rows that others may belong to.
    fn naive(rows: &[ExactDuplicate], options: &Options) -> Vec<Option<ExactDuplicate>> {
        let mut anchors: Vec<ExactDuplicate> = Vec::new();
        let next = |row: &ExactDuplicate| {
            let near = anchors.iter().find(|anchor| options.near(anchor.time, row.time)).copied();
            let near = near.filter(|_| options.is_probe(row.position));
            if options.is_indexed(row.position) && near.is_none() {
                anchors.push(*row);
            }
            near
        };
        rows.iter().map(next).collect()
    }

    proptest! {
        #[test]
        fn each_row_belongs_to_the_first_anchor_near_it(
            times in prop::collection::vec(prop::option::weighted(0.9, -60_i64..60), 0..80),
            window in prop::option::weighted(0.9, 0_u64..40),
            first_probe in 0_u32..80,
            indexes_probes: bool,
        ) {
            let options = Options { rule: CandidateRule::default(), window, first_probe, indexes_probes, excerpts_give_way: false };
            let row = |(position, time): (u32, &Option<i64>)| ExactDuplicate { position, id: position.into(), time: *time };
            let rows: Vec<ExactDuplicate> = (0..).zip(&times).map(row).collect();
            let mut run = Run::default();
            let found: Vec<Option<ExactDuplicate>> = rows.iter().map(|row| run.next(*row, &options)).collect();
            prop_assert_eq!(found, naive(&rows, &options));
        }
    }
}
